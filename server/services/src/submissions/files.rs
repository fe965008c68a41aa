//! The files of uploads and submissions: the original as it was uploaded, and the lines of it that are not imported.

use std::{io::Write, sync::Arc};

use model::{
    caller::Admin,
    error::Answer,
    ids::{SubmissionId, UploadId},
    lang::Lang,
    problem::Problem,
    submission::Matching,
};

use super::{Plan, SubmissionService};
use crate::{
    spool::{Download, Out},
    uploads::stem,
};
use base::error::Failure;
use db::{submissions, uploads::Upload};
use formats::{
    lines::{self, Fault},
    outputs,
};
use report::csv::Table;

/// Maximum size of a file with the lines that are not imported, in bytes. More of them have one cause, which the list
/// says as well.
const MOST_BAD_BYTES: u64 = 256 * 1024 * 1024;

/// The lines that are not imported: invalid ones, and those without a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLinesOf {
    /// Those of an upload, read for the newest version of a dataset.
    Upload { upload: UploadId, dataset: String, matching: Matching },
    /// Those of the file that a submission was imported from, read as for the import.
    Submission(SubmissionId),
}

/// A file about bad lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLinesFile {
    /// The lines, byte for byte as they were uploaded.
    Lines,
    /// The place of each line, its problem and how to fix it, as CSV in this language.
    List(Lang),
}

impl BadLinesFile {
    /// Its media type.
    pub fn media(self) -> &'static str {
        match self {
            BadLinesFile::Lines => "application/jsonl",
            BadLinesFile::List(_) => "text/csv; charset=utf-8",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            BadLinesFile::Lines => "jsonl",
            BadLinesFile::List(_) => "csv",
        }
    }
}

/// A download with its file name. The name may contain any characters but control characters.
#[derive(Debug)]
pub struct NamedDownload {
    pub name: String,
    pub download: Download,
}

impl SubmissionService {
    /// The file that a submission was imported from.
    ///
    /// # Errors
    ///
    /// The submission does not exist, or its file is not in the data folder.
    pub async fn original(&self, _: &Admin, id: SubmissionId) -> Answer<NamedDownload> {
        let origin = self.db.read(move |conn| submissions::origin(conn, id)).await?;
        let origin = origin.ok_or_else(|| Failure::not_found("submission"))?;
        let (service, checksum) = (self.clone(), origin.checksum);
        let opened = tokio::task::spawn_blocking(move || {
            let file = service.uploads.find(&checksum)?.ok_or_else(|| Failure::not_found("file"))?;
            service.spool.stored(file)
        });
        let download = opened.await.map_err(Failure::internal)??;
        Ok(NamedDownload { name: origin.file, download })
    }

    /// The lines of a file that are not imported.
    ///
    /// # Errors
    ///
    /// The upload, dataset or submission does not exist. An archive has no lines.
    pub async fn bad_lines(&self, _: &Admin, of: BadLinesOf, file: BadLinesFile) -> Answer<NamedDownload> {
        let (plan, matching) = self.db.read_long(move |conn| load(conn, &of)).await?;
        let name = format!("{}-bad-lines.{}", stem(&plan.upload.file), file.ending());
        let service = self.clone();
        let download = self.spool.write(move |out| service.write_bad_lines(&plan, matching, file, out)).await?;
        Ok(NamedDownload { name, download })
    }

    /// Writes the file and returns its number of lines.
    fn write_bad_lines(&self, plan: &Plan, asked: Matching, file: BadLinesFile, out: &mut Out) -> Result<u64, Failure> {
        self.uploads.find(&plan.upload.checksum)?.ok_or_else(|| Failure::not_found("file"))?;
        let matching = match asked {
            Matching::Auto => self.read(plan, asked, &Arc::default())?.matching,
            Matching::TaskId | Matching::Description => asked,
        };
        match file {
            BadLinesFile::List(lang) => self.write_list(plan, matching, lang, out),
            BadLinesFile::Lines => self.write_lines(plan, matching, out),
        }
    }

    fn write_list(&self, plan: &Plan, matching: Matching, lang: Lang, out: &mut Out) -> Result<u64, Failure> {
        let mut table = Table::new(out, ["file", "line", "problem", "remedy"])?;
        let (mut count, mut failed) = (0, None);
        self.each_bad(plan, matching, |problem| {
            let (what, remedy, _) = problem.texts(lang);
            count += 1;
            let row = (|| {
                table.text(&problem.file)?;
                table.optional(problem.line)?;
                table.text(what)?;
                table.text(remedy)?;
                table.end_line()
            })();
            failed = failed.take().or(row.err());
        })?;
        table.finish()?;
        failed.map_or(Ok(count), Err)
    }

    fn write_lines(&self, plan: &Plan, matching: Matching, out: &mut Out) -> Result<u64, Failure> {
        let Upload { file: name, checksum, .. } = &plan.upload;
        if !outputs::has_lines(name, self.uploads.open(checksum)?)? {
            let what = ("the file has no lines", "该文件没有可供下载的行");
            return Err(Failure::invalid(name, what, ("Download the list of problems instead", "请改为下载问题列表")));
        }
        let mut numbers = Vec::new();
        self.each_bad(plan, matching, |problem| numbers.extend(problem.line))?;
        // A line may have several outputs.
        numbers.dedup();
        if !lines::copy(self.uploads.open(checksum)?, &numbers, MOST_BAD_BYTES, out)? {
            let most = MOST_BAD_BYTES / 1024 / 1024;
            let what = (
                format!("the lines that are not imported are larger than {most} MiB"),
                format!("未导入的行合计超过 {most} MiB"),
            );
            return Err(Failure::invalid(name, what, ("Download the list of problems instead", "请改为下载问题列表")));
        }
        out.flush()?;
        Ok(numbers.len() as u64)
    }

    /// Calls `each` for every line that is not imported, in order.
    fn each_bad(&self, plan: &Plan, matching: Matching, mut each: impl FnMut(&Problem)) -> Result<(), Failure> {
        let name = &plan.upload.file;
        self.each_line(plan, &Arc::default(), |line| match line {
            Err(problem) => each(&problem),
            Ok(output) if plan.known.tasks.find(&output, matching).is_some() => {}
            Ok(output) => {
                let Fault(what, remedy) = plan.known.tasks.mismatch(&output, matching);
                let place = output.file.as_deref().unwrap_or(name);
                let problem = Problem::new(place, what, remedy);
                each(&if output.line > 0 { problem.at(output.line) } else { problem });
            }
        })?;
        Ok(())
    }
}

fn load(conn: &rusqlite::Connection, of: &BadLinesOf) -> Result<(Plan, Matching), Failure> {
    match of {
        BadLinesOf::Upload { upload, dataset, matching } => Ok((Plan::newest(conn, *upload, dataset)?, *matching)),
        BadLinesOf::Submission(id) => {
            let origin = submissions::origin(conn, *id)?.ok_or_else(|| Failure::not_found("submission"))?;
            let upload = Upload { checksum: origin.checksum, file: origin.file, bytes: 0, columns: origin.columns };
            Ok((Plan::load(conn, upload, origin.dataset, origin.version)?, origin.matching))
        }
    }
}
