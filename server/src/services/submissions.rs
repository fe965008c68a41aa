//! Model outputs: previewing an uploaded file, importing it, and showing what was imported.

use std::collections::{HashMap, HashSet};

use app::{
    error::AppError,
    model::{
        dataset::{DatasetRow, TaskRow},
        ids::{ModelId, OutputId, SubmissionId, UploadId},
        problem::Problem,
        submission::{Matching, OutputDetail, Preview, SubmissionDetail, SubmissionRow},
    },
    port::{Answer, Caller, Submissions},
};
use async_trait::async_trait;
use rusqlite::Connection;
use tokio::sync::mpsc::{Sender, channel};

use super::uploads::{StoredFile, Uploads};
use crate::{
    db::{
        Db, audit, datasets,
        staging::{self, Import},
        submissions::{self, NewOutput, NewSubmission, Upload},
    },
    error::Failure,
    formats::{
        matching::{Scan, Summary, Tasks, content},
        outputs,
        telltales::Telltales,
    },
    layout,
};

/// The most outputs of a file: two hundred samples for each of five thousand tasks. About 100 bytes of each are in
/// memory while the file is read.
const MOST_OUTPUTS: u64 = 1_000_000;
/// The longest name of a model, in characters: it heads a column.
const LONGEST_MODEL: usize = 100;

/// The service; see the module.
#[derive(Clone)]
pub struct SubmissionService {
    db: Db,
    uploads: Uploads,
}

impl SubmissionService {
    /// A service over `db`, whose files lie in `uploads`.
    pub fn new(db: Db, uploads: Uploads) -> Self {
        SubmissionService { db, uploads }
    }

    /// Notes a file that was sent, so that it can be previewed and taken.
    ///
    /// # Errors
    /// The caller is no admin.
    pub async fn note_upload(&self, caller: &Caller, file: StoredFile) -> Answer<UploadId> {
        caller.admin()?;
        let by = caller.id();
        let upload = Upload { checksum: file.checksum, file: file.name, bytes: file.bytes };
        Ok(self.db.write(move |tx| submissions::insert_upload(tx, &upload, by)).await?)
    }

    /// Reads an upload against a dataset's newest version.
    async fn load_and_read(
        &self,
        upload: UploadId,
        dataset: &str,
        asked: Matching,
    ) -> Result<(Plan, Summary), Failure> {
        let slug = dataset.to_owned();
        let plan = self.db.read(move |conn| Plan::load(conn, upload, &slug)).await?;
        let service = self.clone();
        let read = tokio::task::spawn_blocking(move || service.read(&plan, asked).map(|summary| (plan, summary)));
        read.await.map_err(Failure::internal)?
    }

    fn read(&self, plan: &Plan, asked: Matching) -> Result<Summary, Failure> {
        let telltales = Telltales::new(plan.models.iter().map(String::as_str));
        let mut scan = Scan::new(&plan.tasks, &telltales);
        let file = self.uploads.open(&plan.upload.checksum)?;
        let mut lines = 0;
        outputs::read_upload(&plan.upload.file, file, |line| {
            lines += 1;
            if lines <= MOST_OUTPUTS {
                scan.push(line);
            } else if lines == MOST_OUTPUTS + 1 {
                let what = format!("the file has more than {MOST_OUTPUTS} outputs");
                scan.push(Err(Problem::new(&plan.upload.file, what, "Leave some samples out")));
            }
        });
        Ok(scan.finish(asked))
    }

    /// Reads the file again and sends its outputs in chunks of a bounded size, ready to be inserted.
    fn outputs(&self, plan: &Plan, summary: &Summary, chunks: &Sender<Vec<NewOutput>>) -> Result<(), Failure> {
        let mut samples: HashMap<usize, u32> = HashMap::new();
        let mut seen = HashSet::new();
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        let mut failed = None;
        let gone = || Failure::internal("the import ended before its file was read");
        let file = self.uploads.open(&plan.upload.checksum)?;
        outputs::read_upload(&plan.upload.file, file, |line| {
            if failed.is_some() {
                return;
            }
            let output = match line {
                Ok(output) => output,
                Err(problem) => {
                    failed = Some(Failure::App(AppError::Invalid(vec![problem])));
                    return;
                }
            };
            let Some(at) = plan.tasks.find(&output, summary.matching) else { return };
            if !summary.sampled && !seen.insert((at, content(&output))) {
                return;
            }
            let sample = samples.entry(at).or_default();
            let new = NewOutput {
                revision: plan.rows[at].revision,
                sample: *sample,
                code: output.code,
                said: output.said,
                raw: output.raw,
                end_by: output.end_by,
            };
            *sample += 1;
            bytes += new.bytes();
            chunk.push(new);
            if chunk.len() == staging::ROWS || bytes >= staging::BYTES {
                bytes = 0;
                // Waits while the database takes in the chunks before: no more than three are in memory.
                failed = chunks.blocking_send(std::mem::take(&mut chunk)).err().map(|_| gone());
            }
        });
        if let Some(failure) = failed {
            return Err(failure);
        }
        if chunk.is_empty() { Ok(()) } else { chunks.blocking_send(chunk).map_err(|_| gone()) }
    }

    /// Stores a file that was read before, in many short transactions; nobody sees any of it before the last.
    async fn store(self, caller: Caller, plan: Plan, summary: Summary, model: String) -> Result<SubmissionId, Failure> {
        let new = NewSubmission {
            version: plan.dataset.version,
            model: ModelId(0),
            file: plan.upload.file.clone(),
            checksum: plan.upload.checksum.clone(),
            matching: word(summary.matching),
            by: caller.id(),
        };
        let name = model.clone();
        let id = self
            .db
            .write(move |tx| {
                let new = NewSubmission { model: submissions::model(tx, &name)?, ..new };
                refuse_second(tx, &new, &name)?;
                submissions::begin(tx, &new)
            })
            .await?;
        let import = Import::Submission(id.0);
        let stored = self.store_outputs(id, plan, summary).await;
        let published = match stored {
            Ok(plan) => self.publish(caller, id, plan, model).await,
            Err(failure) => Err(failure),
        };
        if published.is_err() {
            let db = self.db.clone();
            // Nobody waits for it; what it cannot delete is deleted at the next start.
            tokio::task::spawn_blocking(move || db.clear_import(import).map_err(AppError::from));
        }
        published
    }

    async fn store_outputs(&self, id: SubmissionId, plan: Plan, summary: Summary) -> Result<Plan, Failure> {
        let (sender, mut chunks) = channel::<Vec<NewOutput>>(1);
        let service = self.clone();
        let read = tokio::task::spawn_blocking(move || service.outputs(&plan, &summary, &sender).map(|()| plan));
        while let Some(chunk) = chunks.recv().await {
            self.db.write(move |tx| submissions::add_outputs(tx, id, &chunk)).await?;
        }
        read.await.map_err(Failure::internal)?
    }

    async fn publish(
        &self,
        caller: Caller,
        id: SubmissionId,
        plan: Plan,
        model: String,
    ) -> Result<SubmissionId, Failure> {
        let published = self.db.write(move |tx| {
            // Both may have changed while the outputs were stored.
            plan.still_newest(tx)?;
            let new = NewSubmission {
                version: plan.dataset.version,
                model: submissions::model(tx, &model)?,
                file: plan.upload.file.clone(),
                checksum: plan.upload.checksum.clone(),
                matching: "",
                by: None,
            };
            refuse_second(tx, &new, &model)?;
            staging::publish(tx, Import::Submission(id.0))?;
            let detail = format!("{id}: {model} on {}", plan.dataset.slug);
            audit::note(tx, &caller, audit::Action::SubmissionImport, &detail)?;
            Ok(id)
        });
        published.await
    }
}

/// Refuses a file that is a submission of the model already.
fn refuse_second(conn: &Connection, new: &NewSubmission, model: &str) -> Result<(), Failure> {
    match submissions::taken(conn, new.version, new.model, &new.checksum)? {
        Some(id) => Err(Failure::conflict(format!(
            "This very file was taken as {model}'s outputs already: it is submission {id}."
        ))),
        None => Ok(()),
    }
}

/// What reading an upload against a dataset needs of the database.
struct Plan {
    upload: Upload,
    dataset: DatasetRow,
    rows: Vec<TaskRow>,
    tasks: Tasks,
    models: Vec<String>,
}

impl Plan {
    fn load(conn: &Connection, upload: UploadId, dataset: &str) -> Result<Plan, Failure> {
        let upload = submissions::upload(conn, upload)?.ok_or_else(|| Failure::not_found("upload"))?;
        let dataset = datasets::get(conn, dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
        let rows = datasets::tasks(conn, dataset.version)?;
        let tasks = Tasks::new(rows.iter().map(|row| (row.task_id.clone(), row.raw_nl.clone())));
        Ok(Plan { upload, dataset, rows, tasks, models: submissions::model_names(conn)? })
    }

    /// Refuses when the dataset has another newest version than when the file was read.
    fn still_newest(&self, conn: &Connection) -> Result<(), Failure> {
        let newest = datasets::get(conn, &self.dataset.slug)?.map(|dataset| dataset.version);
        if newest == Some(self.dataset.version) {
            return Ok(());
        }
        Err(Failure::conflict("The dataset has a new version since the file was read; look at the preview again."))
    }
}

fn word(matching: Matching) -> &'static str {
    match matching {
        Matching::Description => "description",
        Matching::Auto | Matching::TaskId => "task_id",
    }
}

fn checked_model(name: &str) -> Result<String, AppError> {
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
    async fn list(&self, caller: &Caller, dataset: Option<String>) -> Answer<Vec<SubmissionRow>> {
        caller.admin()?;
        Ok(self.db.read(move |conn| submissions::list(conn, dataset.as_deref())).await?)
    }

    async fn get(&self, caller: &Caller, id: SubmissionId) -> Answer<SubmissionDetail> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let row = submissions::get(conn, id)?.ok_or_else(|| Failure::not_found("submission"))?;
                Ok(SubmissionDetail { row, outputs: submissions::outputs(conn, id)? })
            })
            .await?)
    }

    async fn output(&self, caller: &Caller, id: OutputId) -> Answer<OutputDetail> {
        caller.admin()?;
        let found = self
            .db
            .read(move |conn| submissions::output(conn, id)?.ok_or_else(|| Failure::not_found("output")))
            .await?;
        Ok(OutputDetail {
            code: layout::view(found.code, found.said).await,
            row: found.row,
            model_name: found.model,
            task: found.task,
        })
    }

    async fn preview(&self, caller: &Caller, upload: UploadId, dataset: &str, asked: Matching) -> Answer<Preview> {
        caller.admin()?;
        let (plan, summary) = self.load_and_read(upload, dataset, asked).await?;
        let (version, checksum) = (plan.dataset.version, plan.upload.checksum.clone());
        let same_as = self.db.read(move |conn| submissions::same_file(conn, version, &checksum)).await?;
        Ok(Preview {
            upload,
            file: plan.upload.file,
            bytes: plan.upload.bytes,
            dataset: plan.dataset.slug,
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
            duplicates: summary.duplicates.first,
            duplicate_count: summary.duplicates.count,
            samples_max: summary.samples_max,
            tasks_with_samples: summary.tasks_with_samples,
            empty: summary.empty.first,
            empty_count: summary.empty.count,
            problems: summary.problems.first,
            problem_count: summary.problems.count,
            telltale_count: summary.telltales.count,
            telltales: summary.telltales.first,
            same_as,
        })
    }

    async fn take(
        &self,
        caller: &Caller,
        upload: UploadId,
        dataset: &str,
        asked: Matching,
        model: &str,
    ) -> Answer<SubmissionId> {
        caller.admin()?;
        let model = checked_model(model)?;
        // The bytes cannot change between reading and storing, they lie under their checksum; the dataset can,
        // and is looked at again when the submission is published.
        let (plan, summary) = self.load_and_read(upload, dataset, asked).await?;
        if summary.problems.count > 0 {
            return Err(AppError::Invalid(summary.problems.first));
        }
        if summary.matched == 0 {
            return Err(AppError::invalid(
                &plan.upload.file,
                (
                    format!("no line matches a task of {}", plan.dataset.slug),
                    format!("没有一行能匹配到 {} 的任务", plan.dataset.slug),
                ),
                ("Choose the dataset of these outputs", "请选择这些输出对应的数据集"),
            ));
        }
        // In a task of its own: a browser that hangs up leaves nothing half done.
        let stored = audit::spawn(self.clone().store(caller.clone(), plan, summary, model));
        Ok(stored.await.map_err(Failure::internal)??)
    }
}
