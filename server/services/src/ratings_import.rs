//! Importing ratings made by another tool or a judge model: read, matched with the dataset's outputs, and
//! stored all together or not at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::{Answer, AppError},
    ids::{DatasetVersionId, OutputId, StudyId, UploadId},
    problem::Problem,
    ratings_import::{ParsedRater, ParsedRating, RatedModel, RatingsKind, RatingsPreview, RatingsReading},
};
use port::ratings_import::RatingsImports;

use crate::{submissions::NEW_VERSION, uploads::Uploads};
use base::{background, error::Failure};
use db::{
    Db,
    audit::{self, Change},
    imported_ratings::{self, Given, Newest, Study, Target},
    judge_scores,
    staging::{self, Import},
    uploads,
};
use formats::ratings::{self, MOST_PROBLEMS, Mapping};

/// Number of ratings that a preview shows.
const FIRST: usize = 5;
/// Maximum number of raters in a file: each becomes an account, all of them in one transaction.
const MOST_RATERS: usize = 500;
/// Maximum number of ratings of one output: the most raters per output of a study.
const MOST_OF_ONE: usize = 100;

pub struct RatingsImport {
    db: Db,
    uploads: Uploads,
}

/// A file of ratings and how to read it.
pub struct File {
    /// The dataset's short name.
    pub dataset: String,
    /// People or a judge model.
    pub kind: RatingsKind,
    /// The file's name.
    pub name: String,
    /// Its content, read once.
    pub content: Box<dyn std::io::Read + Send>,
    /// Column names that differ from the defaults.
    pub mapping: Mapping,
}

/// The database content that a file is matched with.
struct Known {
    target: Target,
    newest: HashMap<String, Newest>,
    /// The problem with the study's or the judge's name, if one is given.
    name: Option<Problem>,
}

/// A file matched with the dataset.
struct Matched {
    target: Target,
    preview: RatingsPreview,
    submissions: Vec<i64>,
    raters: Vec<String>,
    given: Vec<Given>,
    /// The most ratings of one output.
    raters_per_output: u32,
}

impl RatingsImport {
    pub fn new(db: Db, uploads: Uploads) -> Self {
        RatingsImport { db, uploads }
    }

    /// An uploaded file, opened for reading.
    async fn uploaded(&self, upload: UploadId, reading: RatingsReading, kind: RatingsKind) -> Result<File, Failure> {
        let found = self.db.read(move |conn| uploads::get(conn, upload)).await?;
        let found = found.ok_or_else(|| Failure::not_found("upload"))?;
        let content = Box::new(self.uploads.open(&found.checksum)?);
        Ok(File { dataset: reading.dataset, kind, name: found.file, content, mapping: reading.columns })
    }

    /// The file's content and its problems; imports nothing.
    ///
    /// # Errors
    /// There is no such dataset. What is wrong with the file is in the preview.
    pub async fn preview(&self, _: &Admin, file: File) -> Result<RatingsPreview, Failure> {
        Ok(self.matched(file, true).await?.1.preview)
    }

    /// Reads the file and finds the output of every rating, without holding a database reader. `named`:
    /// whether the study's or the judge's name is final and must be valid.
    async fn matched(&self, file: File, named: bool) -> Result<(RatingsKind, Matched), Failure> {
        let (dataset, kind) = (file.dataset.clone(), file.kind.clone());
        let known = self
            .db
            .read_long(move |conn| {
                Ok(Known {
                    target: imported_ratings::target(conn, &dataset)?.ok_or_else(|| Failure::not_found("dataset"))?,
                    newest: imported_ratings::newest(conn, &dataset)?,
                    name: if named { name_problem(conn, &dataset, &kind)? } else { None },
                })
            })
            .await?;
        background::run(move || (file.kind.clone(), matched(known, file))).await
    }

    /// Imports the file, completely or not at all.
    ///
    /// # Errors
    ///
    /// As [`RatingsImport::preview`], and every problem of the file.
    pub async fn import(&self, admin: &Admin, file: File) -> Result<RatingsPreview, Failure> {
        let (dataset, name) = (file.dataset.clone(), file.name.clone());
        let (kind, found) = self.matched(file, true).await?;
        if !found.preview.problems.is_empty() {
            return Err(Failure::App(AppError::Invalid(found.preview.problems)));
        }
        let store = Store { db: self.db.clone(), admin: admin.clone(), dataset, name, kind };
        // In a task of its own, so that a browser that disconnects does not interrupt it.
        audit::spawn(store.all(found)).await.map_err(Failure::internal)?
    }
}

/// Stores a file's ratings in many short transactions; they are hidden until the last one.
struct Store {
    db: Db,
    admin: Admin,
    dataset: String,
    name: String,
    kind: RatingsKind,
}

impl Store {
    async fn all(self, found: Matched) -> Result<RatingsPreview, Failure> {
        let by = self.admin.id().map(|id| id.0);
        let Matched { target, mut preview, submissions, raters, given, raters_per_output } = found;
        let (version, rubric) = (target.version, target.rubric_id);
        let (import, users) = match self.kind.clone() {
            RatingsKind::People(title) => {
                let begin = move |tx: &rusqlite::Transaction<'_>| {
                    let (target, submissions, raters) = (&target, &submissions[..], &raters[..]);
                    let study = Study { title: &title, target, submissions, raters, raters_per_output, by };
                    imported_ratings::begin(tx, &study)
                };
                let (study, users) = self.db.write(begin).await?;
                preview.study = Some(study);
                (Import::Study(study.0), users)
            }
            RatingsKind::Judge(judge) => {
                let name = self.name.clone();
                let begin =
                    move |tx: &rusqlite::Transaction<'_>| judge_scores::begin(tx, version, rubric, (&judge, &name), by);
                (Import::Judging(self.db.write(begin).await?), Vec::new())
            }
        };
        let db = self.db.clone();
        let stored = match self.chunks(import, users, given).await {
            Ok(()) => self.publish(import, version, preview).await,
            Err(failure) => Err(failure),
        };
        if stored.is_err() {
            // In the background; the next start deletes what this cannot.
            tokio::task::spawn_blocking(move || db.clear_import(import).map_err(AppError::from));
        }
        stored
    }

    async fn chunks(&self, import: Import, users: Vec<i64>, given: Vec<Given>) -> Result<(), Failure> {
        let mut given = given.into_iter();
        let mut state = (users, HashMap::new());
        loop {
            let (mut chunk, mut bytes) = (Vec::new(), 0);
            while chunk.len() < staging::ROWS && bytes < staging::BYTES {
                let Some(one) = given.next() else { break };
                bytes += one.comment.len();
                chunk.push(one);
            }
            if chunk.is_empty() {
                return Ok(());
            }
            let (users, mut slots) = state;
            let add = move |tx: &rusqlite::Transaction<'_>| {
                match import {
                    Import::Judging(id) => judge_scores::add(tx, id, &chunk)?,
                    Import::Study(id) => imported_ratings::add(tx, StudyId(id), &users, &mut slots, &chunk)?,
                    Import::Submission(_) => return Err(Failure::internal("a submission has no ratings")),
                }
                Ok((users, slots))
            };
            state = self.db.write(add).await?;
        }
    }

    async fn publish(
        self,
        import: Import,
        version: DatasetVersionId,
        mut preview: RatingsPreview,
    ) -> Result<RatingsPreview, Failure> {
        let Store { db, admin, dataset, kind, .. } = self;
        db.write_audited(&admin, Action::RatingsImport, move |tx| {
            // Both may have changed while the ratings were stored.
            if imported_ratings::target(tx, &dataset)?.is_none_or(|target| target.version != version) {
                return Err(Failure::conflict(NEW_VERSION));
            }
            if let Some(problem) = name_problem(tx, &dataset, &kind)? {
                return Err(Failure::App(AppError::Invalid(vec![problem])));
            }
            staging::publish(tx, import)?;
            preview.imported = true;
            Ok(Change::of(Object::Dataset(dataset), [Fact::Ratings(preview.ratings)], preview))
        })
        .await
    }
}

#[async_trait]
impl RatingsImports for RatingsImport {
    async fn preview(&self, _: &Admin, upload: UploadId, reading: RatingsReading) -> Answer<RatingsPreview> {
        let kind = if reading.judge { RatingsKind::Judge } else { RatingsKind::People };
        let file = self.uploaded(upload, reading, kind(String::new())).await?;
        Ok(self.matched(file, false).await?.1.preview)
    }

    async fn import(
        &self,
        admin: &Admin,
        upload: UploadId,
        reading: RatingsReading,
        kind: RatingsKind,
    ) -> Answer<RatingsPreview> {
        let file = self.uploaded(upload, reading, kind).await?;
        Ok(RatingsImport::import(self, admin, file).await?)
    }
}

/// Reads a file and finds the output of each of its ratings.
#[allow(clippy::too_many_lines, reason = "one pass over a file, whose checks share its position")]
fn matched(known: Known, file: File) -> Matched {
    let Known { target, newest, name } = known;
    let judge = matches!(file.kind, RatingsKind::Judge(_));
    let mut read = ratings::read(&file.name, file.content, &target.rubric, &file.mapping, judge);
    if let Some(problem) = name {
        read.problem_count += 1;
        read.problems.insert(0, problem);
    }
    let rows = std::mem::take(&mut read.rows);
    let mut wrong = |line: u64, what: (String, String), remedy: (&str, &str)| {
        read.problem_count += 1;
        if read.problems.len() < MOST_PROBLEMS {
            read.problems.push(Problem::new(&file.name, what, remedy).at(line));
        }
    };
    let mut preview = RatingsPreview { file: file.name.clone(), ..RatingsPreview::default() };
    let (mut raters, mut by_rater): (Vec<String>, HashMap<String, usize>) = Default::default();
    let mut counts: BTreeMap<&str, (&Newest, u64)> = BTreeMap::new();
    let mut given: Vec<Given> = Vec::new();
    let mut seen: HashMap<(OutputId, usize), u64> = HashMap::new();
    let mut of_one: HashMap<OutputId, usize> = HashMap::new();
    let mut per_rater: Vec<u64> = Vec::new();
    for row in rows {
        let Some(model) = newest.get(&row.model.to_lowercase()) else {
            let names: Vec<&str> =
                newest.values().map(|n| n.model.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
            let names = names.join(", ");
            let what = (
                format!("no model named \"{}\" has outputs for {}", row.model, file.dataset),
                format!("没有名为“{}”的模型在 {} 上有输出", row.model, file.dataset),
            );
            wrong(row.line, what, (&format!("Use one of: {names}"), &format!("请使用：{names}")));
            continue;
        };
        let Some(output) = model.outputs.get(&(row.task_id.clone(), row.sample)) else {
            let (model, task, sample) = (&model.model, &row.task_id, row.sample);
            let what = (
                format!("{model} has no output for task {task}, sample {sample}"),
                format!("{model} 没有任务 {task}、样本 {sample} 的输出"),
            );
            wrong(row.line, what, ("Remove the line, or import the output first", "请删除该行，或先导入该输出"));
            continue;
        };
        if !judge && raters.len() == MOST_RATERS && !by_rater.contains_key(&row.rater) {
            let what = (
                format!("the file has more than {MOST_RATERS} raters"),
                format!("文件中的评分者超过 {MOST_RATERS} 位"),
            );
            wrong(row.line, what, ("Import it as several files", "请分成多个文件导入"));
            continue;
        }
        let rater = *by_rater.entry(row.rater.clone()).or_insert_with(|| {
            raters.push(row.rater.clone());
            per_rater.push(0);
            raters.len() - 1
        });
        if let Some(before) = seen.insert((*output, rater), row.line) {
            let what = (
                format!("the same rater already rated this output in line {before}"),
                format!("同一评分者已在第 {before} 行评过该输出"),
            );
            wrong(row.line, what, ("Keep only one of the two lines", "请只保留其中一行"));
            continue;
        }
        let count = of_one.entry(*output).or_default();
        *count += 1;
        if *count == MOST_OF_ONE + 1 {
            let what = (
                format!("this output has more than {MOST_OF_ONE} ratings"),
                format!("该输出的评分超过 {MOST_OF_ONE} 条"),
            );
            wrong(row.line, what, ("Import the ratings as several files", "请分成多个文件导入"));
        }
        if preview.first.len() < FIRST {
            preview.first.push(ParsedRating {
                line: row.line,
                task_id: row.task_id,
                model: model.model.clone(),
                rater: row.rater,
                scores: row.scores.clone(),
            });
        }
        per_rater[rater] += 1;
        counts.entry(&model.model).or_insert((model, 0)).1 += 1;
        given.push(Given { output: *output, rater, scores: row.scores, comment: row.comment, at: row.at });
    }
    preview.ratings = given.len() as u64;
    preview.outputs = of_one.len() as u64;
    let rated = counts.iter().map(|(model, (newest, ratings))| RatedModel {
        model: (*model).to_owned(),
        ratings: *ratings,
        submission: newest.submission,
    });
    preview.models = rated.collect();
    if !judge {
        let rated = |(rater, ratings): (&String, u64)| ParsedRater { rater: rater.clone(), ratings };
        preview.raters = raters.iter().zip(per_rater).map(rated).collect();
    }
    preview.replaced = read.replaced;
    (preview.columns, preview.fields, preview.unused) = (read.columns, read.fields, read.unused);
    preview.problems = read.problems;
    preview.problem_count = read.problem_count;
    let submissions = counts.values().map(|(newest, _)| newest.submission).collect::<BTreeSet<_>>();
    let submissions = submissions.into_iter().collect();
    let raters_per_output = of_one.values().copied().max().unwrap_or(1);
    // A higher number is a problem of the file, reported above.
    let raters_per_output = u32::try_from(raters_per_output).unwrap_or(u32::MAX);
    Matched { target, preview, submissions, raters, given, raters_per_output }
}

/// The problem with the name, if any: a study needs a title, a judge a name that is new to the dataset.
fn name_problem(conn: &rusqlite::Connection, dataset: &str, kind: &RatingsKind) -> Result<Option<Problem>, Failure> {
    let (field, text) = match kind {
        RatingsKind::People(title) => ("title", title),
        RatingsKind::Judge(judge) => ("judge", judge),
    };
    if text.trim().is_empty() || text.chars().count() > 200 {
        return Ok(Some(Problem::new(
            field,
            ("the text is empty or longer than 200 characters", "内容为空或超过 200 字"),
            ("Enter a shorter text", "请填写较短的内容"),
        )));
    }
    if field == "judge" && judge_scores::known(conn, dataset, text)? {
        let what = (
            format!("{dataset} already has scores of a judge model named {text}"),
            format!("{dataset} 已有名为 {text} 的评判模型的评分"),
        );
        let remedy = ("Use another name, for example with a date or a version", "请换一个名称，例如加上日期或版本");
        return Ok(Some(Problem::new(field, what, remedy)));
    }
    Ok(None)
}
