//! `aixgrade import ratings …`

use std::path::PathBuf;

use clap::Args;
use model::{
    caller::System,
    error::AppError,
    ratings_import::{RatingsKind, RatingsPreview},
};

use super::Global;
use base::error::Failure;
use command::table;
use services::{Services, ratings_import::File};

/// `import ratings`
#[derive(Args)]
pub struct Ratings {
    /// CSV file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Short name of the dataset whose outputs were rated
    #[arg(long, value_name = "NAME")]
    dataset: String,
    /// For human ratings: title of the closed study to create
    #[arg(long, required_unless_present = "judge", conflicts_with = "judge")]
    title: Option<String>,
    /// For scores of a judge model: name of the model. The scores are compared with human ratings, never mixed with them
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// Map a column that has another name, such as task_id=Nr; repeat for several
    #[arg(long = "column", value_name = "OURS=THEIRS")]
    columns: Vec<String>,
    /// Show a preview; import nothing
    #[arg(long)]
    dry_run: bool,
}

/// A column of `--column`: ours and the file's.
pub fn column(given: &String) -> Result<(String, String), Failure> {
    match given.split_once('=') {
        Some((ours, theirs)) => Ok((ours.trim().to_owned(), theirs.trim().to_owned())),
        None => Err(Failure::invalid("--column", format!("\"{given}\" does not map a column"), "Write OURS=THEIRS")),
    }
}

/// Runs the command.
pub async fn run(global: &Global, services: &Services, asked: Ratings) -> Result<(), Failure> {
    let shown = asked.file.display().to_string();
    let content = std::fs::File::open(&asked.file).map_err(|e| {
        Failure::invalid(&shown, format!("the file cannot be read: {e}"), "Check its name and permissions")
    })?;
    let file = File {
        dataset: asked.dataset,
        kind: match (asked.judge, asked.title) {
            (Some(judge), _) => RatingsKind::Judge(judge),
            (None, title) => RatingsKind::People(title.unwrap_or_default()),
        },
        name: asked.file.file_name().map_or(shown, |name| name.to_string_lossy().into_owned()),
        content: Box::new(content),
        mapping: asked.columns.iter().map(column).collect::<Result<_, _>>()?,
    };
    if !asked.dry_run {
        return global.show(&services.ratings.import(&System.admin(), file).await?, text);
    }
    let preview = services.ratings.preview(&System.admin(), file).await?;
    if !preview.problems.is_empty() {
        return Err(Failure::App(AppError::Invalid(preview.problems)));
    }
    global.show(&preview, text)
}

fn text(preview: &RatingsPreview) -> String {
    let mut lines = vec![match (preview.imported, preview.study) {
        (false, _) => "Dry run: nothing was imported.".to_owned(),
        (true, Some(study)) => format!("Imported as closed study {study}."),
        (true, None) => "Imported as scores of a judge model.".to_owned(),
    }];
    lines.push(format!("{} ratings of {} outputs.", preview.ratings, preview.outputs));
    let raters = preview.raters.iter().map(|one| format!("{} ({})", one.rater, one.ratings)).collect::<Vec<_>>();
    if !raters.is_empty() {
        lines.push(format!("Raters: {}", raters.join(", ")));
    }
    let models =
        preview.models.iter().map(|one| format!("{} ({}, submission {})", one.model, one.ratings, one.submission));
    lines.push(format!("Models: {}", models.collect::<Vec<_>>().join(", ")));
    if preview.replaced > 0 {
        lines.push(format!("Lines replaced by a later rating: {}", preview.replaced));
    }
    if !preview.unused.is_empty() {
        lines.push(format!("Unused columns: {}", preview.unused.join(", ")));
    }
    let rows: Vec<Vec<String>> = preview
        .first
        .iter()
        .map(|one| {
            let scores = one.scores.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
            vec![one.line.to_string(), one.task_id.clone(), one.model.clone(), one.rater.clone(), scores]
        })
        .collect();
    format!("{}\n\n{}", lines.join("\n"), table(&["LINE", "TASK", "MODEL", "RATER", "SCORES"], &rows))
}
