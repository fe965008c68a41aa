//! Model outputs: previewing an uploaded file, importing it, and showing what was imported.

pub mod files;
mod reading;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    code_lang::CodeLang,
    dataset::{TaskRow, TestKind},
    error::{Answer, AppError},
    ids::{DatasetVersionId, ModelId, OutputId, SubmissionId, TaskRevisionId, UploadId},
    lang::Lang,
    models::ModelRow,
    page::{PageOf, Paged},
    problem::Problem,
    submission::{
        EarlyResult, EarlyResults, FileLine, InvalidLines, MOST_EARLY, Matching, OtherDataset, OutputDetail,
        OutputFilter, OutputRow, Preview, PreviewOutput, PreviewWarning, SubmissionRow, UploadRow,
    },
    table::Table,
};
use port::Submissions;
use rusqlite::Connection;
use tokio::sync::{
    Semaphore,
    mpsc::{Sender, channel},
};

use self::reading::ParsingLimit;
use super::{
    conversation_view,
    spool::Spool,
    uploads::{StoredFile, Uploads},
};
use base::{background, error::Failure};
use db::{
    Db,
    audit::{self, Change},
    conversations, datasets, models,
    runs::{self, Leased},
    staging::{self, Import},
    submissions::{self, ChosenCode, FullOutput, NewOutput, NewSubmission, TurnPlace},
    uploads::{self, Purpose, Upload},
};
use formats::{
    chat::{self, Wanted},
    continuation,
    conversations::{LineTurn, Turns, cut_out},
    harness, humaneval,
    identity_leaks::LeakFinder,
    kind::{self, FileKind},
    masking::mask,
    matching::{Scan, Summary, Tasks, content, in_humaneval_x},
    outputs::{self, Asked, KnownTasks, OutputLine},
    translation::Pair,
};
use jobs::{Engine, early};

/// Maximum number of outputs in a file: two hundred samples for each of five thousand tasks. Reading takes
/// about 100 bytes of memory per output.
const MOST_OUTPUTS: u64 = 1_000_000;
/// Maximum number of columns that can be chosen, and the maximum length of a column's names, in bytes.
const MOST_COLUMNS: usize = 20;
const LONGEST_COLUMN: usize = 1000;
/// Maximum length of a model's name, in characters: it is a column heading.
const LONGEST_MODEL: usize = 100;
/// Maximum number of other datasets that a preview names.
const MOST_OTHERS: usize = 3;

#[derive(Clone)]
pub struct SubmissionService {
    db: Db,
    uploads: Uploads,
    spool: Spool,
    engine: Engine,
    /// Whose turn it is to run outputs before an import.
    turns: Arc<Semaphore>,
}

impl SubmissionService {
    /// `uploads` has the uploaded files, `spool` holds this service's downloads, and `engine` runs outputs.
    pub fn new(db: Db, uploads: Uploads, spool: Spool, engine: Engine) -> Self {
        SubmissionService { db, uploads, spool, engine, turns: Arc::new(Semaphore::new(1)) }
    }

    /// Records an uploaded file, so that it can be previewed and imported.
    ///
    /// # Errors
    ///
    /// Refuses a file that belongs to another page, with the address of that page.
    pub async fn note_upload(&self, admin: &Admin, file: StoredFile, purpose: Purpose) -> Answer<UploadId> {
        let by = admin.id();
        let upload =
            Upload { checksum: file.checksum, file: file.name, bytes: file.bytes, columns: purpose.columns.clone() };
        let (service, ratings) = (self.clone(), purpose.ratings);
        let checked = background::run(move || {
            let wanted = if ratings { FileKind::Ratings } else { FileKind::Outputs };
            let file = service.uploads.open(&upload.checksum)?;
            kind::check(&wanted, &upload.file, file).map_err(|problem| AppError::Invalid(vec![problem]))?;
            Ok::<_, Failure>(upload)
        });
        let upload = checked.await??;
        Ok(self.db.write(move |tx| uploads::insert(tx, &upload, &purpose, by)).await?)
    }

    /// Reads an upload for a dataset's newest version.
    async fn load_and_read(
        &self,
        upload: UploadId,
        dataset: &str,
        asked: Matching,
    ) -> Result<(Plan, Summary), Failure> {
        let slug = dataset.to_owned();
        let plan = self.db.read_long(move |conn| Plan::newest(conn, upload, &slug)).await?;
        let service = self.clone();
        let cancelled = Arc::new(AtomicBool::new(false));
        // Ends with its request.
        let _ended = Cancel(Arc::clone(&cancelled));
        background::run(move || service.read(&plan, asked, &cancelled).map(|summary| (plan, summary))).await?
    }

    /// The columns of an upload, if it is a table.
    fn table(&self, upload: &Upload) -> Result<Option<Table>, Failure> {
        let head = harness::head(&upload.file, self.uploads.open(&upload.checksum)?, &upload.columns);
        Ok(head.map(|head| Table { names: head.names, fields: head.fields, chosen: upload.columns.clone() }))
    }

    /// Calls `each` for every output and every problem of an upload, until `stop` is set. Returns whether the file was read to
    /// its end.
    fn each_line(
        &self,
        plan: &Plan,
        stop: &Arc<AtomicBool>,
        each: impl FnMut(Result<OutputLine, Problem>),
    ) -> Result<bool, Failure> {
        let file = self.uploads.open(&plan.upload.checksum)?;
        reading::each_line(&plan.upload.file, file, &plan.asked, (ParsingLimit::FILE, stop), each)
    }

    fn read(&self, plan: &Plan, asked: Matching, stop: &Arc<AtomicBool>) -> Result<Summary, Failure> {
        let finder = LeakFinder::new(plan.models.iter().map(String::as_str));
        let mut scan = Scan::of_known(&plan.known, &finder);
        let mut lines = 0;
        let complete = self.each_line(plan, stop, |line| {
            lines += 1;
            if lines <= MOST_OUTPUTS {
                scan.push(line);
            } else if lines == MOST_OUTPUTS + 1 {
                let what = (
                    format!("the file has more than {MOST_OUTPUTS} outputs"),
                    format!("文件中的输出超过 {MOST_OUTPUTS} 条"),
                );
                let remedy = ("Leave out some samples", "请减少样本数");
                scan.push(Err(Problem::new(&plan.upload.file, what, remedy)));
            }
        })?;
        let mut summary = scan.finish(asked);
        summary.cut_short = !complete || lines > MOST_OUTPUTS;
        Ok(summary)
    }

    /// Reads the file again and sends its outputs in chunks of bounded size, ready to be inserted.
    fn outputs(&self, plan: &Plan, summary: &Summary, chunks: &Sender<Vec<NewOutput>>) -> Result<(), Failure> {
        let mut samples: HashMap<usize, u32> = HashMap::new();
        let mut conversations: HashMap<(usize, u32), u32> = HashMap::new();
        let mut seen = HashSet::new();
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        let mut failed = None;
        let gone = || Failure::internal("the import ended before the file was read");
        self.each_line(plan, &Arc::default(), |line| {
            if failed.is_some() {
                return;
            }
            let output = match line {
                Ok(output) => output,
                Err(_) if plan.invalid == InvalidLines::LeaveOut => return,
                Err(problem) => {
                    failed = Some(Failure::App(AppError::Invalid(vec![problem])));
                    return;
                }
            };
            let Some(at) = plan.known.tasks.find(&output, summary.matching) else { return };
            if !summary.sampled && !seen.insert((at, content(&output))) {
                return;
            }
            if let Some(turn) = output.turn
                && summary.way != Some(turn.way)
            {
                failed = Some(Failure::App(AppError::Invalid(vec![two_ways(plan, &output)])));
                return;
            }
            let place = output.turn.map(|LineTurn { turn, instruction, .. }| {
                let conversation = conversations.entry((at, turn)).or_default();
                let place = TurnPlace { turn, instruction, conversation: *conversation };
                *conversation += 1;
                place
            });
            let sample = samples.entry(at).or_default();
            let revision = plan.rows[at].revision;
            let new = NewOutput {
                revision,
                prompt: output.prompt.filter(|prompt| plan.prompts.get(&revision) != Some(prompt)),
                sample: *sample,
                code: output.code,
                surrounding_text: output.surrounding_text,
                raw: output.raw,
                end_by: output.end_by,
                reasoning: output.reasoning,
                published_text: output.published_text,
                place,
                reported: output.reported,
            };
            *sample += 1;
            bytes += new.bytes();
            chunk.push(new);
            if chunk.len() == staging::ROWS || bytes >= staging::BYTES {
                bytes = 0;
                // Blocks until the database has stored earlier chunks: at most three are in memory.
                failed = chunks.blocking_send(std::mem::take(&mut chunk)).err().map(|_| gone());
            }
        })?;
        if let Some(failure) = failed {
            return Err(failure);
        }
        if chunk.is_empty() { Ok(()) } else { chunks.blocking_send(chunk).map_err(|_| gone()) }
    }

    /// Runs a sample of a file that was read before: first outputs of tasks, spread over those that have tests.
    fn run_some(
        &self,
        plan: &Plan,
        summary: &Summary,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Option<EarlyResults>, Failure> {
        let mut answered = BTreeMap::new();
        self.each_line(plan, cancelled, |line| {
            if let Ok(output) = line
                && let Some(at) = plan.known.tasks.find(&output, summary.matching)
                && plan.rows[at].checks.tests
            {
                answered
                    .entry(at)
                    .or_insert_with(|| FileLine { line: output.line, label: output.file.unwrap_or(output.task_id) });
            }
        })?;
        let (tasks, most) = (answered.len(), MOST_EARLY);
        let spread = |(number, (at, place))| ((number * most) % tasks < most.min(tasks)).then_some((at, place));
        let sampled: BTreeMap<usize, FileLine> = answered.into_iter().enumerate().filter_map(spread).collect();
        if sampled.is_empty() {
            return Ok(None);
        }
        let mut found = BTreeMap::new();
        self.each_line(plan, cancelled, |line| {
            if let Ok(output) = line
                && let Some(at) = plan.known.tasks.find(&output, summary.matching)
                && sampled.contains_key(&at)
            {
                found.entry(at).or_insert(output);
            }
        })?;
        let outputs = self.db.read_blocking(|conn| {
            let to_run = found.into_iter().map(|(at, output)| {
                let row = &plan.rows[at];
                Ok(Leased {
                    item: 0,
                    attempt: 1,
                    alone: false,
                    code: output.code,
                    prompt: output.prompt.filter(|prompt| plan.prompts.get(&row.revision) != Some(prompt)),
                    published_text: output.published_text,
                    revision: row.revision,
                    code_lang: row.code_lang,
                    test_class: runs::test_class(conn, row.revision)?,
                    signature: row.signature.clone(),
                    fresh: true,
                    turn: output.turn.map(|turn| (turn.way, turn.instruction.unwrap_or(turn.turn))),
                    answered: None,
                })
            });
            to_run.collect::<Result<Vec<_>, Failure>>()
        })?;
        let ended = match early::run(&self.engine, &self.db, plan.version, &outputs, cancelled) {
            Ok(ended) => ended,
            Err(fault) => return Ok(Some(EarlyResults { fault: Some(fault), ..EarlyResults::default() })),
        };
        let mut early = EarlyResults::default();
        for (outcome, place) in ended.into_iter().zip(sampled.into_values()) {
            match outcome {
                Ok(outcome) => early.results.push(EarlyResult {
                    place,
                    verdict: outcome.verdict,
                    published: outcome.published.map(|published| published.verdict),
                    reason: outcome.reason,
                    message: outcome.message,
                }),
                Err(fault) => early.fault = early.fault.or(Some(fault)),
            }
        }
        Ok(Some(early))
    }

    /// Stores a file that was read before in many short transactions; its rows are hidden until the last
    /// one.
    async fn store(self, admin: Admin, plan: Plan, summary: Summary, model: String) -> Result<SubmissionId, Failure> {
        let left_out = summary.problems.count;
        let new = NewSubmission {
            columns: plan.upload.columns.clone(),
            version: plan.version,
            model: ModelId(0),
            file: plan.upload.file.clone(),
            checksum: plan.upload.checksum.clone(),
            matching: word(summary.matching),
            left_out,
            expected: summary.stored(),
            by: admin.id(),
            way: summary.way,
        };
        let name = model.clone();
        let id = self
            .db
            .write(move |tx| {
                let new = NewSubmission { model: submissions::model(tx, &name)?, ..new };
                refuse_second(tx, new.version, new.model, &new.checksum, &name)?;
                submissions::begin(tx, &new)
            })
            .await?;
        let import = Import::Submission(id.0);
        let stored = self.store_outputs(id, plan, summary).await;
        let published = match stored {
            Ok(plan) => self.publish(admin, id, plan, model, left_out).await,
            Err(failure) => Err(failure),
        };
        if published.is_err() {
            let db = self.db.clone();
            // In the background; the next start deletes what this cannot.
            tokio::task::spawn_blocking(move || db.clear_import(import).map_err(AppError::from));
        }
        published
    }

    async fn store_outputs(&self, id: SubmissionId, plan: Plan, summary: Summary) -> Result<Plan, Failure> {
        let (sender, mut chunks) = channel::<Vec<NewOutput>>(1);
        let service = self.clone();
        let read = background::run(move || service.outputs(&plan, &summary, &sender).map(|()| plan));
        // If a chunk cannot be stored, the channel is dropped, and reading ends with its next chunk.
        let store = async move {
            while let Some(chunk) = chunks.recv().await {
                self.db.write(move |tx| submissions::add_outputs(tx, id, &chunk)).await?;
            }
            Ok::<_, Failure>(())
        };
        let (read, stored) = tokio::join!(read, store);
        stored?;
        read?
    }

    async fn publish(
        &self,
        admin: Admin,
        id: SubmissionId,
        plan: Plan,
        model: String,
        left_out: u64,
    ) -> Result<SubmissionId, Failure> {
        let published = self.db.write_audited(&admin, Action::SubmissionImport, move |tx| {
            // Both may have changed while the outputs were stored.
            plan.still_newest(tx)?;
            let known = submissions::model(tx, &model)?;
            refuse_second(tx, plan.version, known, &plan.upload.checksum, &model)?;
            staging::publish(tx, Import::Submission(id.0))?;
            let mut facts = vec![Fact::Model(model), Fact::Dataset(plan.dataset)];
            if left_out > 0 {
                facts.push(Fact::InvalidLines(left_out));
            }
            Ok(Change::of(Object::Submission(id), facts, id))
        });
        published.await
    }
}

/// Ends work whose request is gone.
struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The problem of a line whose way is not that of the lines before it: a submission has one.
fn two_ways(plan: &Plan, output: &OutputLine) -> Problem {
    let what = ("the model was asked in another way than for the lines before", "该行的提问方式与之前的行不同");
    let remedy = ("Upload the outputs of each way as a file of its own", "请将每种提问方式的输出分别上传");
    Problem::new(&plan.upload.file, what, remedy).at(output.line)
}

/// Refusal if the dataset has a newer version than the one of the preview.
pub const NEW_VERSION: (&str, &str) = (
    "The dataset has a new version since the file was read. Check the preview again.",
    "读取文件之后数据集有了新版本，请重新查看预览。",
);

const OF_CONVERSATION: (&str, &str) = (
    "The code of an answer in a conversation is what the published evaluator cuts out of it, so no other block can be chosen.",
    "对话中回答的代码由已发布的评测程序截取，因此不能选择其他代码块。",
);

const SEEN: (&str, &str) = (
    "A rater or a judge model has seen this output, so its code cannot change. Import the responses as a new submission, and choose the block before you use it in a study.",
    "已有评分者或评审模型看过该输出，因此不能更改其代码。请将回答作为新的输出集导入，并在用于评分项目之前选定代码块。",
);

/// The code of an output, if the block of this number, from 1, is the code. `task` is the task of HumanEval-X that it continues.
fn chosen_code(
    output: FullOutput,
    task: Option<&humaneval::Task>,
    number: Option<u32>,
) -> Result<ChosenCode, AppError> {
    let block = number.map(|number| (number as usize).wrapping_sub(1));
    let response = output.raw.unwrap_or(output.code);
    let wanted = Wanted::of(output.task.code_lang, output.task.signature.as_deref());
    let (prompt, code, answer) = match task {
        Some(task) => {
            let (made, answer) = continuation::read_at(wanted.lang, task, &response, block);
            (made.prompt.filter(|prompt| prompt != task.beginning()), made.generation, answer)
        }
        None => {
            let answer = chat::split_at(&response, &[wanted.lang], Some(&wanted), block);
            (None, answer.code.clone(), answer)
        }
    };
    let blocks = answer.reading.blocks.len();
    if block.is_some_and(|at| at >= blocks) {
        let what = (format!("the response has {blocks} code blocks"), format!("该回答有 {blocks} 个代码块"));
        let remedy = ("Choose one of them, counted from 1", "请从中选择，编号从 1 开始");
        return Err(AppError::invalid("block", what, remedy));
    }
    Ok(ChosenCode { block, code, surrounding_text: answer.surrounding_text, prompt })
}

/// Rejects a file that is already a submission of the model.
fn refuse_second(
    conn: &Connection,
    version: DatasetVersionId,
    known: ModelId,
    checksum: &str,
    model: &str,
) -> Result<(), Failure> {
    match submissions::imported(conn, version, known, checksum)? {
        Some(id) => Err(Failure::conflict((
            format!("This file has already been imported as outputs of {model}: submission {id}."),
            format!("该文件已作为 {model} 的输出导入，即输出集 {id}。"),
        ))),
        None => Ok(()),
    }
}

/// The database content needed to read an upload for a dataset.
struct Plan {
    upload: Upload,
    /// The dataset's short name.
    dataset: String,
    version: DatasetVersionId,
    invalid: InvalidLines,
    rows: Vec<TaskRow>,
    known: Arc<KnownTasks>,
    asked: Asked,
    /// The prompts of tasks whose outputs continue them.
    prompts: HashMap<TaskRevisionId, String>,
    models: Vec<String>,
}

impl Plan {
    /// To read an upload for the newest version of a dataset.
    fn newest(conn: &Connection, upload: UploadId, dataset: &str) -> Result<Plan, Failure> {
        let upload = uploads::get(conn, upload)?.ok_or_else(|| Failure::not_found("upload"))?;
        let dataset = datasets::get(conn, dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
        Plan::load(conn, upload, dataset.slug, dataset.version)
    }

    fn load(conn: &Connection, upload: Upload, dataset: String, version: DatasetVersionId) -> Result<Plan, Failure> {
        let rows = datasets::tasks(conn, version)?;
        let tasks = Tasks::new(rows.iter().map(|row| (row.task_id.clone(), row.raw_nl.clone(), row.code_lang)));
        let langs = CodeLang::ALL.into_iter().filter(|lang| rows.iter().any(|row| row.code_lang == *lang));
        let continued = datasets::test_kind(conn, version)? == Some(TestKind::HumanevalX);
        let langs: Vec<CodeLang> = langs.collect();
        let mut continues = HashMap::new();
        if continued {
            for (revision, task) in runs::task_programs::<humaneval::Task>(conn, version)? {
                continues.insert(revision, task);
            }
        }
        let pair = langs.first().and_then(|target| Pair::of(&continues, *target));
        let prompts: HashMap<_, _> =
            continues.iter().map(|(revision, task)| (*revision, task.beginning().to_owned())).collect();
        let mut turns = conversations::turns_of_version(conn, version)?;
        let by_id = rows.iter().filter_map(|row| Some((row.task_id.clone(), turns.remove(&row.revision)?)));
        let by_id: HashMap<_, _> = by_id.collect();
        let places = rows.iter().enumerate().filter_map(|(at, row)| Some((at, continues.remove(&row.revision)?)));
        let wanted = rows.iter().map(|row| Wanted::of(row.code_lang, row.signature.as_deref()));
        let known = Arc::new(KnownTasks { humaneval: places.collect(), wanted: wanted.collect(), tasks });
        let turns = (!by_id.is_empty()).then_some(Turns(by_id));
        let columns = upload.columns.clone();
        let asked = Asked { langs, continued, pair, turns, tasks: Some(Arc::clone(&known)), columns };
        let models = submissions::model_names(conn)?;
        Ok(Plan { upload, dataset, version, invalid: InvalidLines::Refuse, rows, known, asked, prompts, models })
    }

    /// Fails if the dataset has a newer version than when the file was read.
    fn still_newest(&self, conn: &Connection) -> Result<(), Failure> {
        let newest = datasets::get(conn, &self.dataset)?.map(|dataset| dataset.version);
        if newest == Some(self.version) {
            return Ok(());
        }
        Err(Failure::conflict(NEW_VERSION))
    }
}

/// The IDs that a task may have whose ID a file gives.
fn ids(of_file: &str) -> Vec<String> {
    [of_file.to_owned()].into_iter().chain(in_humaneval_x(of_file)).collect()
}

/// The datasets that have these tasks, which the `dataset` of a preview does not have.
fn other_datasets(conn: &Connection, dataset: &str, unknown: &[Vec<String>]) -> Result<Vec<OtherDataset>, Failure> {
    let of = unknown.len() as u64;
    let found = datasets::others_with_tasks(conn, dataset, unknown)?;
    Ok(found.into_iter().take(MOST_OTHERS).map(|(dataset, known)| OtherDataset { dataset, known, of }).collect())
}

/// The first outputs of a file in the form in which raters would see them.
async fn first_outputs(plan: &Plan, first: Vec<(usize, OutputLine)>) -> Vec<PreviewOutput> {
    let names = LeakFinder::new(plan.models.iter().map(String::as_str)).names();
    let mut seen = Vec::new();
    for (at, output) in first {
        let Some(task) = plan.rows.get(at).cloned() else { continue };
        let own = plan.known.humaneval.get(&at).map(humaneval::Task::beginning);
        let (code, around) = (output.visible_code(own).into_owned(), output.surrounding_text);
        let masked = (mask(code.clone(), &names).text, mask(around.clone(), &names).text);
        let changed = masked.0 != code || masked.1 != around;
        let masked = match changed {
            true => Some(syntax::view(masked.0, masked.1, task.code_lang).await),
            false => None,
        };
        let code = syntax::view(code, around, task.code_lang).await;
        seen.push(PreviewOutput { line: output.line, task, code, masked });
    }
    seen
}

fn word(matching: Matching) -> &'static str {
    match matching {
        Matching::Description => "description",
        Matching::Auto | Matching::TaskId => "task_id",
    }
}

pub(super) fn checked_model(name: &str) -> Result<String, AppError> {
    let name = name.trim();
    let fault = if name.is_empty() {
        ("the model has no name", "未填写模型名称")
    } else if name.chars().count() > LONGEST_MODEL {
        ("the model name is longer than 100 characters", "模型名称超过 100 字")
    } else if name.chars().any(char::is_control) {
        ("the model name contains control characters", "模型名称包含控制字符")
    } else {
        return Ok(name.to_owned());
    };
    Err(AppError::invalid("model", fault, ("Enter the name as it should appear in tables", "请填写在表格中显示的名称")))
}

#[async_trait]
impl Submissions for SubmissionService {
    async fn list(&self, _: &Admin, dataset: Option<String>, of: PageOf) -> Answer<Paged<SubmissionRow>> {
        Ok(self.db.read(move |conn| submissions::list(conn, dataset.as_deref(), &of)).await?)
    }

    async fn models(&self, _: &Admin, of: PageOf) -> Answer<Paged<ModelRow>> {
        Ok(self.db.read(move |conn| models::list(conn, &of)).await?)
    }

    async fn get(&self, _: &Admin, id: SubmissionId) -> Answer<SubmissionRow> {
        let read = move |conn: &Connection| submissions::get(conn, id)?.ok_or_else(|| Failure::not_found("submission"));
        Ok(self.db.read(read).await?)
    }

    async fn outputs(&self, _: &Admin, id: SubmissionId, filter: OutputFilter, of: PageOf) -> Answer<Paged<OutputRow>> {
        Ok(self
            .db
            .read_long(move |conn| {
                submissions::version(conn, id)?;
                submissions::outputs(conn, id, &filter, &of)
            })
            .await?)
    }

    async fn output(&self, admin: &Admin, id: OutputId) -> Answer<OutputDetail> {
        let (found, conversation) = self
            .db
            .read(move |conn| {
                let found = submissions::output(conn, id)?.ok_or_else(|| Failure::not_found("output"))?;
                Ok((found, conversations::of_output(conn, id)?))
            })
            .await?;
        let lang = admin.person().map_or(Lang::En, |person| person.lang);
        // Read again, because only the response is stored. Reading takes a parser.
        let (raw, is_turn, chosen) = (found.raw, found.is_turn, found.chosen_block);
        let wanted = Wanted::of(found.task.code_lang, found.task.signature.as_deref());
        let reading = background::run(move || {
            let read = |raw: String| match is_turn {
                true => cut_out(&raw).reading,
                false => chat::split_at(&raw, &[wanted.lang], Some(&wanted), chosen).reading,
            };
            raw.map(read).filter(|reading| !reading.is_plain())
        });
        let reading = reading.await?;
        Ok(OutputDetail {
            can_choose: !is_turn && reading.as_ref().is_some_and(|reading| reading.blocks.len() > 1),
            published_unread: found.has_published_text,
            reading,
            conversation: conversation_view::view(lang, conversation).await?,
            code: syntax::view(found.visible_code, found.surrounding_text, found.task.code_lang).await,
            reasoning: found.reasoning,
            reported: found.reported,
            row: found.row,
            model_name: found.model,
            task: found.task,
        })
    }

    async fn choose_block(&self, admin: &Admin, id: OutputId, block: Option<u32>) -> Answer<()> {
        let (found, continued) = self
            .db
            .read(move |conn| {
                let found = submissions::output(conn, id)?.ok_or_else(|| Failure::not_found("output"))?;
                let programs = match datasets::test_kind(conn, found.version)? {
                    Some(TestKind::HumanevalX) => runs::task_programs::<humaneval::Task>(conn, found.version)?,
                    _ => Vec::new(),
                };
                let own = found.task.revision;
                Ok((found, programs.into_iter().find(|(revision, _)| *revision == own).map(|(_, task)| task)))
            })
            .await?;
        if found.is_turn {
            return Err(AppError::from(Failure::conflict(OF_CONVERSATION)));
        }
        let submission = found.submission;
        let chosen = background::run(move || chosen_code(found, continued.as_ref(), block)).await??;
        self.db
            .write_audited(admin, Action::OutputChooseBlock, move |tx| {
                if submissions::is_seen(tx, id)? {
                    return Err(Failure::conflict(SEEN));
                }
                submissions::choose_code(tx, id, &chosen)?;
                runs::reset_output(tx, id)?;
                Ok(Change::of(Object::Submission(submission), [Fact::Output(id), Fact::Block(block)], ()))
            })
            .await?;
        self.engine.notify();
        Ok(())
    }

    async fn preview(&self, _: &Admin, upload: UploadId, dataset: &str, asked: Matching) -> Answer<Preview> {
        let (plan, mut summary) = self.load_and_read(upload, dataset, asked).await?;
        let first = first_outputs(&plan, std::mem::take(&mut summary.first)).await;
        let (version, checksum) = (plan.version, plan.upload.checksum.clone());
        let has_lines = outputs::has_lines(&plan.upload.file, self.uploads.open(&checksum)?).map_err(Failure::from)?;
        let table = self.table(&plan.upload)?;
        let unknown: Vec<Vec<String>> = summary.unknown_ids.iter().map(|id| ids(id)).collect();
        let slug = plan.dataset.clone();
        let (same_as, others) = self
            .db
            .read(move |conn| {
                let same = submissions::same_file(conn, version, &checksum)?;
                Ok((same, other_datasets(conn, &slug, &unknown)?))
            })
            .await?;
        Ok(Preview {
            upload,
            file: plan.upload.file,
            bytes: plan.upload.bytes,
            dataset: plan.dataset,
            matching: summary.matching,
            matching_reason: summary.reason.en,
            matching_reason_zh: summary.reason.zh,
            shapes: summary.shapes,
            lines: summary.lines,
            matched: summary.matched,
            tasks_covered: summary.covered,
            tasks_total: plan.rows.len() as u64,
            missing: summary.missing.first,
            missing_count: summary.missing.count,
            unknown: summary.unknown.first,
            unknown_count: summary.unknown.count,
            other_datasets: others,
            duplicates: summary.duplicates.first,
            duplicate_count: summary.duplicates.count,
            way: summary.way,
            their_verdicts: summary.their_verdicts,
            samples_max: summary.samples_max,
            tasks_with_samples: summary.tasks_with_samples,
            differing: summary.differing.first,
            differing_count: summary.differing.count,
            empty: summary.empty.first,
            empty_count: summary.empty.count,
            problems: summary.problems.first,
            problem_count: summary.problems.count,
            cut_short: summary.cut_short,
            archive: !has_lines,
            first,
            identity_leak_count: summary.identity_leaks.count,
            identity_leaks: summary.identity_leaks.first,
            warnings: summary
                .warnings
                .into_iter()
                .map(|(kind, listed)| PreviewWarning { kind, count: listed.count, examples: listed.first })
                .collect(),
            same_as,
            table,
        })
    }

    async fn early_results(
        &self,
        _: &Admin,
        upload: UploadId,
        dataset: &str,
        asked: Matching,
    ) -> Answer<Option<EarlyResults>> {
        if self.engine.cluster().is_some() {
            return Ok(None);
        }
        let (plan, summary) = self.load_and_read(upload, dataset, asked).await?;
        let version = plan.version;
        if matches!(
            self.db.read(move |conn| datasets::test_kind(conn, version)).await?,
            None | Some(TestKind::Repositories)
        ) {
            return Ok(None);
        }
        // One at a time: each has as many workers as there are processors.
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(Failure::internal)?;
        let service = self.clone();
        let cancelled = Arc::new(AtomicBool::new(false));
        // Ends with its request.
        let _ended = Cancel(Arc::clone(&cancelled));
        let run = move || {
            // Kept until nothing runs, also where the request is gone.
            let _turn = turn;
            service.run_some(&plan, &summary, &cancelled)
        };
        Ok(background::run(run).await??)
    }

    async fn choose_columns(&self, _: &Admin, upload: UploadId, columns: BTreeMap<String, String>) -> Answer<()> {
        // An empty choice is by name.
        let chosen: BTreeMap<_, _> = columns.into_iter().filter(|(_, theirs)| !theirs.is_empty()).collect();
        if chosen.len() > MOST_COLUMNS || chosen.iter().any(|(ours, theirs)| ours.len() + theirs.len() > LONGEST_COLUMN)
        {
            return Err(AppError::Malformed);
        }
        let is_known = self.db.write(move |tx| uploads::set_columns(tx, upload, &chosen)).await?;
        if is_known { Ok(()) } else { Err(AppError::NotFound("upload".into())) }
    }

    async fn import(
        &self,
        admin: &Admin,
        upload: UploadId,
        dataset: &str,
        asked: Matching,
        model: &str,
        invalid: InvalidLines,
    ) -> Answer<SubmissionId> {
        let model = checked_model(model)?;
        // The bytes cannot change between reading and storing, because they are stored under their
        // checksum. The dataset can, so it is checked again when the submission is published.
        let (mut plan, summary) = self.load_and_read(upload, dataset, asked).await?;
        plan.invalid = invalid;
        if summary.problems.count > 0 && invalid == InvalidLines::Refuse {
            return Err(AppError::Invalid(summary.problems.first));
        }
        if summary.cut_short {
            let what = (
                "the file could not be read to its end, so lines are missing besides the invalid ones",
                "文件未能读到末尾，除无效行外还缺少其他行",
            );
            return Err(AppError::invalid(&plan.upload.file, what, ("Upload the complete file", "请上传完整的文件")));
        }
        if summary.matched == 0 {
            return Err(AppError::invalid(
                &plan.upload.file,
                (
                    format!("no line matches a task of {}", plan.dataset),
                    format!("没有一行能匹配到 {} 的任务", plan.dataset),
                ),
                ("Choose the dataset of these outputs", "请选择这些输出对应的数据集"),
            ));
        }
        // In a task of its own, so that a browser that disconnects does not interrupt it.
        let stored = audit::spawn(self.clone().store(admin.clone(), plan, summary, model));
        Ok(stored.await.map_err(Failure::internal)??)
    }

    async fn uploads(&self, _: &Admin, of: PageOf) -> Answer<Paged<UploadRow>> {
        Ok(self.db.read(move |conn| uploads::list(conn, &of)).await?)
    }
}
