//! `aixgrade submissions …`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use model::{
    caller::System,
    code::{Line, visible},
    error::{Answer, AppError},
    ids::{OutputId, SubmissionId, UploadId},
    lang::Lang,
    page::PageOf,
    submission::{
        EarlyResults, FileLine, IdentityLeak, InvalidLines, Matching, OtherDataset, OutputDetail, OutputFilter,
        OutputRow, Preview, Shape, SubmissionRow, TheirVerdicts, UploadRow, UploadState, WarningKind,
    },
};
use port::Submissions as _;
use serde::Serialize;
use tokio::io::AsyncReadExt;

use super::{Global, Rows, datasets::beginning, export::open, progress, ratings::column};
use base::error::Failure;
use command::{size, table};
use db::uploads::Purpose;
use formats::{classes, files::Files, harness};
use services::{
    Services,
    submissions::files::{BadLinesFile, BadLinesOf},
    uploads::StoredFile,
};
use texts::I18n;

/// Upload model outputs; list and show submissions.
#[derive(Subcommand)]
pub enum Submissions {
    /// Import model outputs: JSON Lines (plain, gzip or zstd), a file of another evaluation tool (docs/formats.md lists
    /// them), or a folder or archive of such files or of one Java class per task, as AixBench packages them
    /// (generate/<model>)
    Upload(Upload),
    /// List uploaded files and what became of them, newest first
    Uploads(Rows),
    /// Write the file that a submission was imported from, unchanged
    Original {
        /// The submission's number
        id: SubmissionId,
        /// File to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// List submissions, newest first
    List {
        /// Only submissions for this dataset
        #[arg(long, value_name = "NAME")]
        dataset: Option<String>,
        #[command(flatten)]
        rows: Rows,
    },
    /// Show a submission with its outputs
    Show {
        /// The submission's number
        id: SubmissionId,
    },
    /// Show an output: its code, and how the code was found in the response
    Output {
        /// The output's number
        id: OutputId,
    },
    /// Make another code block of a response the code of an output. Results of the output in test runs are discarded, and
    /// it is run again
    ChooseBlock {
        /// The output's number
        id: OutputId,
        /// The block's number, from 1, as `submissions output` lists it [default: the block that the rules choose]
        block: Option<u32>,
    },
}

/// `submissions upload`
#[derive(Args)]
pub struct Upload {
    /// File, or folder of classes or of another tool's files
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// Short name of the dataset
    #[arg(long, value_name = "NAME")]
    dataset: String,
    /// Name of the model, as shown in tables
    #[arg(long, value_name = "NAME")]
    model: String,
    /// How to match lines to tasks
    #[arg(long = "match", value_enum, default_value_t = Match::Auto)]
    matching: Match,
    /// Read a column of a table (CSV or Parquet) that has another name, such as code=Answer; repeat for several. Ours are
    /// task_id, code, passed, result, model and reasoning
    #[arg(long = "column", value_name = "OURS=THEIRS")]
    columns: Vec<String>,
    /// Show a preview; import nothing
    #[arg(long)]
    dry_run: bool,
    /// Leave out invalid lines instead of importing nothing. Tasks without an output count as failed in every figure of
    /// tests, such as AvgPassRatio. The submission records how many lines are missing
    #[arg(long)]
    good_lines_only: bool,
    /// Write the lines that are not imported (invalid, or without a task) to this file, as they are in the uploaded file
    #[arg(long, value_name = "FILE")]
    bad_lines: Option<PathBuf>,
    /// Write a list of these lines to this file: CSV with line, problem and remedy
    #[arg(long, value_name = "FILE")]
    bad_lines_list: Option<PathBuf>,
}

/// How to match lines to tasks.
#[derive(Clone, Copy, ValueEnum)]
enum Match {
    /// By task_id, unless the descriptions show that the IDs belong to another dataset
    Auto,
    /// By task_id
    TaskId,
    /// By description
    Description,
}

/// The result of an upload.
#[derive(Serialize)]
struct Uploaded {
    /// The new submission; absent in a dry run.
    submission: Option<SubmissionId>,
    preview: Preview,
    /// How a few outputs end; only in a dry run, and absent if they cannot run here.
    #[serde(skip_serializing_if = "Option::is_none")]
    early_results: Option<EarlyResults>,
}

/// A submission with all its outputs.
#[derive(Serialize)]
struct Whole {
    row: SubmissionRow,
    outputs: Vec<OutputRow>,
}

async fn whole(services: &Services, id: SubmissionId) -> Answer<Whole> {
    let admin = System.admin();
    let row = services.submissions.get(&admin, id).await?;
    let (mut outputs, mut of) = (Vec::new(), PageOf::first(PageOf::MOST));
    loop {
        let page = services.submissions.outputs(&admin, id, OutputFilter::default(), of.clone()).await?;
        outputs.extend(page.rows);
        if page.next.is_none() {
            return Ok(Whole { row, outputs });
        }
        of.after = page.next;
    }
}

/// Runs the command.
pub async fn run(global: &Global, command: Submissions) -> Result<(), Failure> {
    let services = global.open()?;
    let admin = System.admin();
    match command {
        Submissions::Upload(upload) => take(global, &services, upload).await,
        Submissions::Uploads(rows) => {
            let found = rows.read(async |of| services.submissions.uploads(&admin, of).await).await?;
            global.show(&found, |list| uploads_table(list))
        }
        Submissions::Original { id, output } => {
            let original = services.submissions.original(&admin, id).await?;
            original.download.copy_to(&mut open(output.as_deref())?)?;
            Ok(())
        }
        Submissions::List { dataset, rows } => {
            let list = async |of| services.submissions.list(&admin, dataset.clone(), of).await;
            let found = rows.read(list).await?;
            global.show(&found, |list| {
                let rows: Vec<Vec<String>> = list
                    .iter()
                    .map(|s| {
                        let dataset = format!("{} v{}", s.dataset, s.number);
                        let outputs = format!("{} for {} tasks", s.outputs, s.tasks);
                        vec![
                            s.id.to_string(),
                            s.model_name.clone(),
                            dataset,
                            outputs,
                            s.file.clone(),
                            s.created_at.to_string(),
                        ]
                    })
                    .collect();
                table(&["ID", "MODEL", "DATASET", "OUTPUTS", "FILE", "IMPORTED"], &rows)
            })
        }
        Submissions::Output { id } => global.show(&services.submissions.output(&admin, id).await?, output_text),
        Submissions::ChooseBlock { id, block } => {
            services.submissions.choose_block(&admin, id, block).await?;
            global.show(&services.submissions.output(&admin, id).await?, output_text)
        }
        Submissions::Show { id } => global.show(&whole(&services, id).await?, |Whole { row, outputs }| {
            let rows: Vec<Vec<String>> = outputs
                .iter()
                .map(|o| {
                    let lines = if o.empty { "empty".into() } else { o.lines.to_string() };
                    vec![o.id.to_string(), o.task_id.clone(), o.sample.to_string(), lines, beginning(&o.raw_nl)]
                })
                .collect();
            let left_out = match row.left_out {
                0 => String::new(),
                lines => format!("\nInvalid lines left out: {lines}. Tasks without an output: {}.", row.missing),
            };
            format!(
                "{} on {} version {}, from {}{left_out}\n\n{}",
                row.model_name,
                row.dataset,
                row.number,
                row.file,
                table(&["OUTPUT", "TASK", "SAMPLE", "LINES", "DESCRIPTION"], &rows)
            )
        }),
    }
}

/// How a few outputs end, in words.
fn early_text(early: &EarlyResults) -> Vec<String> {
    let i = I18n::of(Lang::En);
    let (texts, runs) = (i.uploads(), i.runs());
    let mut lines = Vec::new();
    if !early.results.is_empty() {
        lines.push((texts.early_line)(early.passed() as u64, early.results.len() as u64));
    }
    if let Some(usual) = early.usual_failure() {
        lines.push((texts.early_usual)(&runs.failure_line(&usual)));
        lines.extend(runs.likely_cause(usual.verdict).filter(|_| early.passed() == 0).map(str::to_owned));
    }
    let what = if early.results.is_empty() {
        "No output could be run before the import"
    } else {
        "Not all outputs could be run"
    };
    lines.extend(early.fault.as_ref().map(|fault| format!("{what}: {}", runs.fault_line(fault))));
    lines
}

/// An output in words.
fn output_text(output: &OutputDetail) -> String {
    let mut text = format!("Output {} of {} for task {}\n", output.row.id, output.model_name, output.row.task_id);
    if let Some(reading) = &output.reading {
        let texts = I18n::of(Lang::En).uploads();
        text += &format!("{}\n", texts.why(&reading.why));
        if output.published_unread {
            text += &format!("{}\n", texts.published_unread);
        }
        if reading.blocks.len() > 1 {
            for (number, block) in (1..).zip(&reading.blocks) {
                let cut_off = if block.is_cut_off { format!(" ({})", texts.block_cut_off) } else { String::new() };
                let language = if block.language.is_empty() { String::new() } else { format!(", {}", block.language) };
                text += &format!(
                    "\nBlock {number}{language}: {}{cut_off}\n{}\n",
                    texts.role(block.role),
                    visible(&block.code)
                );
            }
        }
    }
    let original = output.code.raw.iter().map(Line::text).collect::<Vec<_>>().join("\n");
    text + &format!("\nCode:\n{}", visible(&original))
}

async fn take(global: &Global, services: &Services, upload: Upload) -> Result<(), Failure> {
    let admin = System.admin();
    let asked = match upload.matching {
        Match::Auto => Matching::Auto,
        Match::TaskId => Matching::TaskId,
        Match::Description => Matching::Description,
    };
    let columns = upload.columns.iter().map(column).collect::<Result<_, _>>()?;
    let stored = store(services, &upload.file).await?;
    let purpose = Purpose { columns, ..Purpose::outputs(Some(&upload.dataset)) };
    let id = services.submissions.note_upload(&admin, stored, purpose).await?;
    let bar = progress::spinner("Reading");
    let preview = services.submissions.preview(&admin, id, &upload.dataset, asked).await;
    bar.finish_and_clear();
    let preview = preview?;
    write_bad_lines(services, id, &upload, &preview).await?;
    if !preview.problems.is_empty() && !upload.good_lines_only {
        let more = preview.problem_count - preview.problems.len() as u64;
        if more > 0 {
            eprintln!("aixgrade: {more} more lines are invalid. The first invalid lines:");
        }
        if preview.acceptable_in_part() {
            eprintln!("aixgrade: to import the others, use --good-lines-only: {}", consequence(&preview));
        }
        return Err(Failure::App(AppError::Invalid(preview.problems)));
    }
    let mut uploaded = Uploaded { submission: None, preview, early_results: None };
    if upload.dry_run {
        let bar = progress::spinner("Running up to ten outputs");
        let tried = services.submissions.early_results(&admin, id, &upload.dataset, asked).await;
        bar.finish_and_clear();
        uploaded.early_results = tried?;
    } else {
        // The matching of the preview, so that exactly what was previewed is imported.
        let matching = uploaded.preview.matching;
        let bar = progress::spinner("Importing");
        let invalid = InvalidLines::of(upload.good_lines_only);
        let taken = services.submissions.import(&admin, id, &upload.dataset, matching, &upload.model, invalid).await;
        bar.finish_and_clear();
        uploaded.submission = Some(taken?);
    }
    global.show(&uploaded, text)
}

/// How leaving out the invalid lines affects the figures.
fn consequence(preview: &Preview) -> String {
    format!(
        "{} invalid {} left out. {} of {} tasks then have no output and count as failed in every figure of tests.",
        preview.problem_count,
        if preview.problem_count == 1 { "line is" } else { "lines are" },
        preview.missing_count,
        preview.tasks_total
    )
}

/// Writes the files about lines that are not imported, as requested.
async fn write_bad_lines(
    services: &Services,
    upload: UploadId,
    asked: &Upload,
    preview: &Preview,
) -> Result<(), Failure> {
    let files = [(&asked.bad_lines, BadLinesFile::Lines), (&asked.bad_lines_list, BadLinesFile::List(Lang::En))];
    for (path, file) in files {
        let Some(path) = path else { continue };
        let of = BadLinesOf::Upload { upload, dataset: asked.dataset.clone(), matching: preview.matching };
        let named = services.submissions.bad_lines(&System.admin(), of, file).await?;
        named.download.copy_to(&mut open(Some(path))?)?;
        eprintln!("Wrote the lines that are not imported ({}) to {}.", preview.bad_lines(), path.display());
    }
    Ok(())
}

fn uploads_table(list: &[UploadRow]) -> String {
    let row = |upload: &UploadRow| {
        let state = match &upload.state {
            UploadState::Waiting => "not imported".to_owned(),
            UploadState::Importing { stored, total } => format!("importing, {stored} of {total} outputs"),
            UploadState::Imported { submission, model } => format!("submission {submission}: {model}"),
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        vec![
            upload.id.to_string(),
            upload.file.clone(),
            size(upload.bytes),
            text(&upload.dataset),
            text(&upload.by),
            upload.created_at.to_string(),
            state,
        ]
    };
    table(&["ID", "FILE", "SIZE", "DATASET", "BY", "UPLOADED", "STATE"], &list.iter().map(row).collect::<Vec<_>>())
}

async fn store(services: &Services, path: &Path) -> Result<StoredFile, Failure> {
    let shown = path.display().to_string();
    let unreadable = |e: std::io::Error| {
        Failure::invalid(&shown, format!("the file cannot be read: {e}"), "Check its name and permissions")
    };
    if path.is_dir() {
        return pack(services, path).await;
    }
    let mut file = tokio::fs::File::open(path).await.map_err(unreadable)?;
    let length = file.metadata().await.map_err(unreadable)?.len();
    let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let mut incoming = services.uploads.begin(&name).await?;
    let bar = progress::bytes("Copying", length);
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut buffer).await.map_err(unreadable)?;
        if count == 0 {
            break;
        }
        incoming.write(&buffer[..count]).await?;
        bar.inc(count as u64);
    }
    bar.finish_and_clear();
    incoming.finish().await
}

/// Stores a folder as an archive, because an upload is one file in the data folder.
async fn pack(services: &Services, folder: &Path) -> Result<StoredFile, Failure> {
    let folder = folder.to_owned();
    let packed = tokio::task::spawn_blocking(move || {
        let files = Files::folder_of(&folder, harness::is_relevant)
            .map_err(|problem| Failure::App(AppError::Invalid(vec![problem])))?;
        Ok::<_, Failure>((format!("{}.zip", files.name), classes::pack(&files)?))
    });
    let (name, bytes) = packed.await.map_err(Failure::internal)??;
    let mut incoming = services.uploads.begin(&name).await?;
    incoming.write(&bytes).await?;
    incoming.finish().await
}

fn warned(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::DoesNotParse => "Warning: code that does not parse",
        WarningKind::OtherLanguage => "Warning: code in another language than its task's",
        WarningKind::LacksDefinition => "Warning: code without the function or class that its task asks for",
        WarningKind::CutOff => "Warning: outputs that are cut off",
        WarningKind::FencedGeneration => {
            "Warning: `generation` with a code fence, which will fail as published (the guarded verdict is for the code in it)"
        }
        WarningKind::Reasoning => "Responses with reasoning, which is set apart",
        WarningKind::SeveralCandidates => {
            "Responses with several versions of the code, of which the last complete one is used"
        }
        WarningKind::Repeated => "Warning: the same code for three tasks or more",
    }
}

fn text(uploaded: &Uploaded) -> String {
    let p = &uploaded.preview;
    let mut lines = vec![match uploaded.submission {
        Some(id) => format!("Imported as submission {id}."),
        None => "Dry run: nothing was imported.".to_owned(),
    }];
    let by = if p.matching == Matching::Description { "description" } else { "task_id" };
    let (what, about) = match p.archive {
        true if p.shapes.iter().any(|(shape, _)| *shape == Shape::Classes) => ("classes", "Classes"),
        true => ("outputs", "Outputs"),
        false => ("lines", "Lines"),
    };
    lines.push(format!("{} of {} {what} matched by {by}. {}", p.matched, p.lines, p.matching_reason).trim_end().into());
    lines.push(format!("{} of {} tasks have an output.", p.tasks_covered, p.tasks_total));
    let mut count = |count: u64, what: &str, mut some: Vec<String>| {
        // `--json` prints all of them; the text stays short.
        some.truncate(10);
        if count > 0 {
            let more = if count > some.len() as u64 { ", …" } else { "" };
            lines.push(format!("{what}: {count} ({}{more})", some.join(", ")));
        }
    };
    let at = |list: &[FileLine]| {
        let place = |one: &FileLine| match one.line {
            0 => one.label.clone(),
            line => format!("{} in line {line}", one.label),
        };
        list.iter().map(place).collect()
    };
    count(p.missing_count, "Tasks without an output", p.missing.clone());
    let problems = p.problems.iter().map(|problem| problem.line.map_or(problem.file.clone(), |n| format!("line {n}")));
    count(p.problem_count, &format!("Invalid {what} left out"), problems.collect());
    count(p.unknown_count, &format!("{about} with an unknown task ID"), at(&p.unknown));
    let other = |of: &OtherDataset| format!("{}: {} of {}", of.dataset, of.known, of.of);
    let others: Vec<String> = p.other_datasets.iter().map(other).collect();
    count(others.len() as u64, "Datasets with tasks of these IDs", others);
    count(p.differing_count, &format!("{about} whose description differs from the task"), at(&p.differing));
    count(p.duplicate_count, &format!("Duplicate {what}"), at(&p.duplicates));
    count(p.empty_count, "Outputs without code", at(&p.empty));
    for warning in &p.warnings {
        count(warning.count, warned(warning.kind), at(&warning.examples));
    }
    // A class is not a line of a file; its task identifies it.
    let leak = |t: &IdentityLeak| match t.line {
        0 => format!("`{}` in {}", t.names().collect::<Vec<_>>().join("`, `"), t.task_id),
        line => format!("`{}` in line {line}", t.names().collect::<Vec<_>>().join("`, `")),
    };
    let leaks = p.identity_leaks.iter().map(leak).collect();
    count(p.identity_leak_count, "Possible identity leaks", leaks);
    lines.extend(uploaded.early_results.iter().flat_map(early_text));
    if p.their_verdicts.lines > 0 {
        let TheirVerdicts { lines: of, passed } = p.their_verdicts;
        lines.push(format!("Verdicts in the file: {of}, of which {passed} say passed."));
    }
    if let Some(way) = p.way {
        lines.push(format!("The model was asked in the way {}.", way.name()));
    }
    if p.tasks_with_samples > 0 {
        let tasks =
            if p.tasks_with_samples == 1 { "1 task has" } else { &format!("{} tasks have", p.tasks_with_samples) };
        lines.push(format!("{tasks} several samples, at most {} each.", p.samples_max));
    }
    if let (Some(same), None) = (p.same_as, uploaded.submission) {
        lines.push(format!("This file has already been imported as submission {same}."));
    }
    lines.join("\n")
}
