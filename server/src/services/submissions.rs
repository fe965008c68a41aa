//! Model outputs: what an uploaded file holds, taking it, and what was taken.

use std::collections::{HashMap, HashSet};

use app::{
    error::AppError,
    model::{
        dataset::{DatasetRow, TaskRow},
        ids::{OutputId, SubmissionId, UploadId},
        submission::{Matching, OutputDetail, Preview, SubmissionDetail, SubmissionRow},
    },
    port::{Answer, Caller, Submissions},
};
use async_trait::async_trait;
use rusqlite::Connection;

use super::uploads::{StoredFile, Uploads};
use crate::{
    db::{
        Db, audit, datasets,
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
        outputs::read_upload(&plan.upload.file, file, |line| scan.push(line));
        Ok(scan.finish(asked))
    }

    /// Stores the outputs of a file that was read before; called inside the transaction.
    fn store(&self, tx: &Connection, plan: &Plan, summary: &Summary, id: SubmissionId) -> Result<(), Failure> {
        let mut samples: HashMap<usize, u32> = HashMap::new();
        let mut seen = HashSet::new();
        let mut failed = None;
        let file = self.uploads.open(&plan.upload.checksum)?;
        outputs::read_upload(&plan.upload.file, file, |line| {
            if failed.is_some() {
                return;
            }
            let stored = line.map_err(|problem| Failure::App(AppError::Invalid(vec![problem]))).and_then(|output| {
                let Some(at) = plan.tasks.find(&output, summary.matching) else { return Ok(()) };
                if !summary.sampled && !seen.insert((at, content(&output))) {
                    return Ok(());
                }
                let sample = samples.entry(at).or_default();
                let new = NewOutput {
                    revision: plan.rows[at].revision,
                    sample: *sample,
                    code: &output.code,
                    said: &output.said,
                    raw: output.raw.as_deref(),
                    end_by: output.end_by.as_deref(),
                };
                *sample += 1;
                submissions::insert_output(tx, id, &new).map(|_| ())
            });
            failed = stored.err();
        });
        failed.map_or(Ok(()), Err)
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
            code: layout::view(&found.code, &found.said),
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
        // Read before the transaction, which a large file would hold for seconds while raters wait.
        // The bytes cannot change, they lie under their checksum; the dataset can, and is looked at
        // again below.
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
        let (caller, service) = (caller.clone(), self.clone());
        let taken = self.db.write(move |tx| {
            let newest = datasets::get(tx, &plan.dataset.slug)?.map(|dataset| dataset.version);
            if newest != Some(plan.dataset.version) {
                return Err(Failure::conflict((
                    "The dataset has a new version since the preview. Check the preview again.",
                    "预览之后数据集有了新版本，请重新核对预览。",
                )));
            }
            let model_id = submissions::model(tx, &model)?;
            if let Some(id) = submissions::taken(tx, plan.dataset.version, model_id, &plan.upload.checksum)? {
                return Err(Failure::conflict((
                    format!("This file has already been imported for {model}, as submission {id}."),
                    format!("该文件已作为 {model} 的输出导入，即输出集 {id}。"),
                )));
            }
            let new = NewSubmission {
                version: plan.dataset.version,
                model: model_id,
                file: plan.upload.file.clone(),
                checksum: plan.upload.checksum.clone(),
                matching: word(summary.matching),
                by: caller.id(),
            };
            let id = submissions::insert(tx, &new)?;
            service.store(tx, &plan, &summary, id)?;
            audit::note(tx, &caller, "take submission", &format!("{id}: {model} on {}", plan.dataset.slug))?;
            Ok(id)
        });
        Ok(taken.await?)
    }
}
