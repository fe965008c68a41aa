//! Taking ratings that another tool or a judge model made: read, held against the dataset, and stored all
//! together or not at all.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::Read as _,
};

use app::{
    error::AppError,
    model::{
        ids::{OutputId, UploadId},
        problem::Problem,
        ratings_import::{RatingsKind, RatingsPreview, RatingsReading},
    },
    port::{Answer, Caller, ratings_import::RatingsImports},
};
use async_trait::async_trait;

use crate::{
    db::{
        Db, audit,
        results_import::{self, Given, Newest, Study, Target},
        results_judges::{self, Judged},
        submissions,
    },
    error::Failure,
    formats::ratings::{self, MOST_PROBLEMS, Mapping, Read},
    services::uploads::Uploads,
};

/// Ratings that a preview shows.
const FIRST: usize = 5;
/// The most ratings of one output: what a study's overlap may be.
const MOST_OF_ONE: usize = 100;

/// The service; see the module.
pub struct RatingsImport {
    db: Db,
    uploads: Uploads,
}

/// A file of ratings and what it is.
pub struct File {
    /// The dataset's short name.
    pub dataset: String,
    /// Whose ratings.
    pub kind: RatingsKind,
    /// The file's name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Which column holds what.
    pub mapping: Mapping,
}

/// A file held against the dataset.
struct Matched {
    target: Target,
    preview: RatingsPreview,
    submissions: Vec<i64>,
    raters: Vec<String>,
    given: Vec<Given>,
}

impl RatingsImport {
    /// A service over `db` and the files that were sent.
    pub fn new(db: Db, uploads: Uploads) -> Self {
        RatingsImport { db, uploads }
    }

    /// An uploaded file as it is to be read.
    async fn uploaded(&self, upload: UploadId, reading: RatingsReading, kind: RatingsKind) -> Result<File, Failure> {
        let found = self.db.read(move |conn| submissions::upload(conn, upload)).await?;
        let found = found.ok_or_else(|| Failure::not_found("upload"))?;
        let uploads = self.uploads.clone();
        let read = tokio::task::spawn_blocking(move || -> Result<Vec<u8>, Failure> {
            let mut bytes = Vec::new();
            uploads.open(&found.checksum)?.read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        let bytes = read.await.map_err(Failure::internal)??;
        Ok(File { dataset: reading.dataset, kind, name: found.file, bytes, mapping: reading.columns })
    }

    /// What the file holds and what is wrong with it; takes nothing.
    ///
    /// # Errors
    /// The caller is no admin, or there is no such dataset. What is wrong with the file is in the preview.
    pub async fn preview(&self, caller: &Caller, file: File) -> Result<RatingsPreview, Failure> {
        caller.admin()?;
        self.db.read(move |conn| Ok(matched(conn, &file, true)?.preview)).await
    }

    /// Takes the file, all of it or nothing.
    ///
    /// # Errors
    /// As [`RatingsImport::preview`], and everything that is wrong with the file.
    pub async fn take(&self, caller: &Caller, file: File) -> Result<RatingsPreview, Failure> {
        caller.admin()?;
        let caller = caller.clone();
        self.db
            .write(move |tx| {
                let found = matched(tx, &file, true)?;
                if !found.preview.problems.is_empty() {
                    return Err(Failure::App(AppError::Invalid(found.preview.problems)));
                }
                let by = caller.id().map(|id| id.0);
                let mut preview = found.preview;
                match &file.kind {
                    RatingsKind::People(title) => {
                        let study = Study {
                            title,
                            target: &found.target,
                            submissions: &found.submissions,
                            raters: &found.raters,
                            ratings: &found.given,
                            by,
                        };
                        preview.study = Some(results_import::insert(tx, &study)?);
                    }
                    RatingsKind::Judge(judge) => {
                        let scores = found.given.into_iter();
                        let scores: Vec<Judged> =
                            scores.map(|g| Judged { output: g.output, scores: g.scores, comment: g.comment }).collect();
                        let (version, rubric) = (found.target.version, found.target.rubric_id);
                        results_judges::insert(tx, version, rubric, (judge, &file.name), by, &scores)?;
                    }
                }
                preview.taken = true;
                audit::note(tx, &caller, "ratings import", &format!("{}: {} ratings", file.dataset, preview.ratings))?;
                Ok(preview)
            })
            .await
    }
}

#[async_trait]
impl RatingsImports for RatingsImport {
    async fn preview(&self, caller: &Caller, upload: UploadId, reading: RatingsReading) -> Answer<RatingsPreview> {
        caller.admin()?;
        let kind = if reading.judge { RatingsKind::Judge } else { RatingsKind::People };
        let file = self.uploaded(upload, reading, kind(String::new())).await?;
        Ok(self.db.read(move |conn| Ok(matched(conn, &file, false)?.preview)).await?)
    }

    async fn take(
        &self,
        caller: &Caller,
        upload: UploadId,
        reading: RatingsReading,
        kind: RatingsKind,
    ) -> Answer<RatingsPreview> {
        caller.admin()?;
        let file = self.uploaded(upload, reading, kind).await?;
        Ok(RatingsImport::take(self, caller, file).await?)
    }
}

/// `named`: whether the study's or the judge's name is known already, and must fit.
fn matched(conn: &rusqlite::Connection, file: &File, named: bool) -> Result<Matched, Failure> {
    let target = results_import::target(conn, &file.dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
    let judge = matches!(file.kind, RatingsKind::Judge(_));
    let mut read = ratings::read(&file.name, &file.bytes, &target.rubric, &file.mapping, judge);
    if named {
        name_fits(conn, file, &mut read)?;
    }
    let newest = results_import::newest(conn, &file.dataset)?;
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
            preview.first.push((row.line, row.task_id, model.model.clone(), row.rater, row.scores.clone()));
        }
        per_rater[rater] += 1;
        counts.entry(&model.model).or_insert((model, 0)).1 += 1;
        given.push(Given { output: *output, rater, scores: row.scores, comment: row.comment, at: row.at });
    }
    preview.ratings = given.len() as u64;
    preview.outputs = of_one.len() as u64;
    preview.models = counts.iter().map(|(name, (newest, n))| ((*name).to_owned(), *n, newest.submission)).collect();
    if !judge {
        preview.raters = raters.iter().cloned().zip(per_rater).collect();
    }
    preview.superseded = read.superseded;
    (preview.columns, preview.fields, preview.unused) = (read.columns, read.fields, read.unused);
    preview.problems = read.problems;
    preview.problem_count = read.problem_count;
    let submissions = counts.values().map(|(newest, _)| newest.submission).collect::<BTreeSet<_>>();
    Ok(Matched { target, preview, submissions: submissions.into_iter().collect(), raters, given })
}

/// A study needs a title, a judge a name that the dataset has not yet.
fn name_fits(conn: &rusqlite::Connection, file: &File, read: &mut Read) -> Result<(), Failure> {
    let (field, text) = match &file.kind {
        RatingsKind::People(title) => ("title", title),
        RatingsKind::Judge(judge) => ("judge", judge),
    };
    let problem = if text.trim().is_empty() || text.chars().count() > 200 {
        Some(Problem::new(
            field,
            ("it is empty or longer than 200 characters", "内容为空或超过 200 字"),
            ("Enter a shorter text", "请填写较短的内容"),
        ))
    } else if field == "judge" && results_judges::known(conn, &file.dataset, text)? {
        let what = (
            format!("{} already has scores of a judge model named {text}", file.dataset),
            format!("{} 已有名为 {text} 的评判模型的评分", file.dataset),
        );
        Some(Problem::new(
            field,
            what,
            ("Use another name, for example with a date or a version", "请换一个名称，例如加上日期或版本"),
        ))
    } else {
        None
    };
    if let Some(problem) = problem {
        read.problem_count += 1;
        read.problems.insert(0, problem);
    }
    Ok(())
}
