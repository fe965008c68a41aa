//! `aixgrade submissions …`

use std::path::{Path, PathBuf};

use app::{
    error::AppError,
    model::{
        ids::SubmissionId,
        page::PageOf,
        submission::{IdentityLeak, Matching, OutputFilter, OutputRow, Preview, Shape, SubmissionRow},
    },
    port::{Answer, Submissions as _, System},
};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use tokio::io::AsyncReadExt;

use super::{Global, Rows, datasets::beginning, progress, table};
use crate::{
    error::Failure,
    formats::{classes, files::Files},
    services::{Services, uploads::StoredFile},
};

/// Upload model outputs; list and show submissions.
#[derive(Subcommand)]
pub enum Submissions {
    /// Import model outputs: JSON Lines (plain or gzip), or a folder or archive with one Java class per
    /// task, as AixBench packages them (generate/<model>)
    Upload(Upload),
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
}

/// `submissions upload`
#[derive(Args)]
pub struct Upload {
    /// File, or folder of classes
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
    /// Show a preview; import nothing
    #[arg(long)]
    dry_run: bool,
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
        Submissions::Show { id } => global.show(&whole(&services, id).await?, |Whole { row, outputs }| {
            let rows: Vec<Vec<String>> = outputs
                .iter()
                .map(|o| {
                    let lines = if o.empty { "empty".into() } else { o.lines.to_string() };
                    vec![o.id.to_string(), o.task_id.clone(), o.sample.to_string(), lines, beginning(&o.raw_nl)]
                })
                .collect();
            format!(
                "{} on {} version {}, from {}\n\n{}",
                row.model_name,
                row.dataset,
                row.number,
                row.file,
                table(&["OUTPUT", "TASK", "SAMPLE", "LINES", "DESCRIPTION"], &rows)
            )
        }),
    }
}

async fn take(global: &Global, services: &Services, upload: Upload) -> Result<(), Failure> {
    let admin = System.admin();
    let asked = match upload.matching {
        Match::Auto => Matching::Auto,
        Match::TaskId => Matching::TaskId,
        Match::Description => Matching::Description,
    };
    let stored = store(services, &upload.file).await?;
    let id = services.submissions.note_upload(&admin, stored).await?;
    let bar = progress::spinner("Reading");
    let preview = services.submissions.preview(&admin, id, &upload.dataset, asked).await;
    bar.finish_and_clear();
    let preview = preview?;
    if !preview.problems.is_empty() {
        let more = preview.problem_count - preview.problems.len() as u64;
        if more > 0 {
            eprintln!("aixgrade: {more} more lines are invalid. The first invalid lines:");
        }
        return Err(Failure::App(AppError::Invalid(preview.problems)));
    }
    let mut uploaded = Uploaded { submission: None, preview };
    if !upload.dry_run {
        // The matching of the preview, so that exactly what was previewed is imported.
        let matching = uploaded.preview.matching;
        let bar = progress::spinner("Importing");
        let taken = services.submissions.take(&admin, id, &upload.dataset, matching, &upload.model).await;
        bar.finish_and_clear();
        uploaded.submission = Some(taken?);
    }
    global.show(&uploaded, text)
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

/// Stores a folder of classes as an archive, because an upload is one file in the data folder.
async fn pack(services: &Services, folder: &Path) -> Result<StoredFile, Failure> {
    let folder = folder.to_owned();
    let packed = tokio::task::spawn_blocking(move || {
        let files = Files::folder(&folder).map_err(|problem| Failure::App(AppError::Invalid(vec![problem])))?;
        Ok::<_, Failure>((format!("{}.zip", files.name), classes::pack(&files)?))
    });
    let (name, bytes) = packed.await.map_err(Failure::internal)??;
    let mut incoming = services.uploads.begin(&name).await?;
    incoming.write(&bytes).await?;
    incoming.finish().await
}

fn text(uploaded: &Uploaded) -> String {
    let p = &uploaded.preview;
    let mut lines = vec![match uploaded.submission {
        Some(id) => format!("Imported as submission {id}."),
        None => "Dry run: nothing was imported.".to_owned(),
    }];
    let by = if p.matching == Matching::Description { "description" } else { "task_id" };
    let (what, about) = match p.shapes.iter().any(|(shape, _)| *shape == Shape::Classes) {
        true => ("classes", "Classes"),
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
    let at = |list: &[(u64, String)]| {
        let place = |(line, id): &(u64, String)| match line {
            0 => id.clone(),
            line => format!("{id} in line {line}"),
        };
        list.iter().map(place).collect()
    };
    count(p.missing_count, "Tasks without an output", p.missing.clone());
    count(p.unknown_count, &format!("{about} with an unknown task ID"), at(&p.unknown));
    count(p.duplicate_count, &format!("Duplicate {what}"), at(&p.duplicates));
    count(p.empty_count, "Outputs without code", at(&p.empty));
    // A class is not a line of a file; its task identifies it.
    let leak = |t: &IdentityLeak| match t.line {
        0 => format!("`{}` in {}", t.name, t.task_id),
        line => format!("`{}` in line {line}", t.name),
    };
    let leaks = p.identity_leaks.iter().map(leak).collect();
    count(p.identity_leak_count, "Possible identity leaks", leaks);
    if p.tasks_with_samples > 0 {
        lines.push(format!("{} tasks have several samples, at most {} each.", p.tasks_with_samples, p.samples_max));
    }
    if let (Some(same), None) = (p.same_as, uploaded.submission) {
        lines.push(format!("This file has already been imported as submission {same}."));
    }
    lines.join("\n")
}
