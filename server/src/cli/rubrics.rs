//! `aixgrade rubrics …`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use model::{
    audit::Object,
    caller::System,
    lang::Lang,
    rubric::{Rubric, RubricDetail, RubricRow, RubricSummary},
};
use port::{rubrics::Rubrics as _, upkeep::Upkeeps as _};

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// List, show, import, export and archive rubrics.
#[derive(Subcommand)]
pub enum Rubrics {
    /// List rubrics that are not archived
    List(Rows),
    /// Show a rubric's levels and versions
    Show(Which),
    /// Save the rubric of a JSON file as the next version of its short name
    Import {
        /// The file, as `rubrics export` writes it
        file: PathBuf,
    },
    /// Print a rubric as JSON, for `rubrics import`
    Export(Which),
    /// Leave a rubric out of lists and forms; studies that use it continue
    Archive {
        /// Short name of the rubric
        slug: String,
    },
    /// Return an archived rubric to the lists
    Unarchive {
        /// Short name of the rubric
        slug: String,
    },
    /// Set the rubric that new studies of a dataset use
    #[command(name = "set-default")]
    SetDefault {
        /// Short name of the dataset
        dataset: String,
        /// Short name of the rubric, with a version if it is not the newest: "aixbench 1"
        rubric: String,
    },
}

/// A version of a rubric.
#[derive(Args)]
pub struct Which {
    /// Short name of the rubric
    slug: String,
    /// Number of the version [default: the newest]
    #[arg(long, value_name = "N")]
    version: Option<u32>,
}

/// Runs the command.
pub async fn run(global: &Global, command: Rubrics) -> Result<(), Failure> {
    let services = global.open()?;
    let (rubrics, upkeep, admin) = (&services.rubrics, &services.upkeep, System.admin());
    let archive = async |slug: String, archived: bool| {
        upkeep.set_archived(&admin, Object::Rubric(slug.clone()), archived).await?;
        let found = rubrics.get(&admin, &slug, None).await?;
        global.show(&found, shown)
    };
    match command {
        Rubrics::List(rows) => {
            let found = rows.read(async |of| rubrics.list(&admin, of).await).await?;
            global.show(&found, |list| {
                let cells = |row: &RubricRow| {
                    let RubricRow { newest, studies } = row;
                    vec![newest.slug.clone(), newest.version.to_string(), studies.to_string(), dimensions(newest)]
                };
                table(&["RUBRIC", "VERSION", "STUDIES", "DIMENSIONS"], &list.iter().map(cells).collect::<Vec<_>>())
            })
        }
        Rubrics::Show(Which { slug, version }) => {
            let found = rubrics.get(&admin, &slug, version).await?;
            global.show(&found, shown)
        }
        Rubrics::Import { file } => {
            let shown = file.display().to_string();
            let json = std::fs::read(&file).map_err(|e| {
                Failure::invalid(
                    &shown,
                    (format!("the file cannot be read: {e}"), format!("无法读取文件：{e}")),
                    ("Check its name and permissions", "请检查文件名和权限"),
                )
            })?;
            let saved = rubrics.import(&admin, &shown, &json).await?;
            global.show(&saved, |saved| match saved.new {
                true => format!("Saved {} {}.", saved.slug, saved.version),
                false => format!("The file equals {} {}. Nothing was saved.", saved.slug, saved.version),
            })
        }
        Rubrics::Export(Which { slug, version }) => {
            let rubric = rubrics.get(&admin, &slug, version).await?.rubric;
            let json = serde_json::to_string_pretty(&rubric)?;
            global.show(&rubric, |_| json)
        }
        Rubrics::Archive { slug } => archive(slug, true).await,
        Rubrics::Unarchive { slug } => archive(slug, false).await,
        Rubrics::SetDefault { dataset, rubric } => {
            rubrics.set_default(&admin, &dataset, &rubric).await?;
            let found = rubrics.choices(&admin, &dataset).await?;
            global.show(&found, |found| format!("New studies of {dataset} use {}.", found.default.name()))
        }
    }
}

fn dimensions(rubric: &RubricSummary) -> String {
    let each = rubric.dimensions.iter().map(|d| match d.checklist {
        true => format!("{} yes/no", d.name.get(Lang::En)),
        false => format!("{} {}–{}", d.name.get(Lang::En), d.low, d.high),
    });
    each.collect::<Vec<_>>().join(", ")
}

fn shown(found: &RubricDetail) -> String {
    let RubricDetail { rubric, versions, archived } = found;
    let mut lines = vec![if *archived { format!("{} (archived)", rubric.name()) } else { rubric.name() }];
    lines.extend(levels(rubric));
    lines.push(String::new());
    let rows = versions.iter().map(|version| {
        let at = version.created_at.to_string();
        let by = version.created_by.clone().unwrap_or_default();
        vec![version.version.to_string(), version.studies.to_string(), at, by]
    });
    lines.push(table(&["VERSION", "STUDIES", "SAVED", "BY"], &rows.collect::<Vec<_>>()));
    lines.join("\n")
}

fn levels(rubric: &Rubric) -> Vec<String> {
    let mut lines = Vec::new();
    for dimension in &rubric.dimensions {
        lines.push(format!("\n{} ({})", dimension.name.get(Lang::En), dimension.key));
        for level in &dimension.levels {
            let label = level.label.get(Lang::En);
            let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
            lines.push(format!("  {}  {label}{}", level.score, level.text.get(Lang::En)));
        }
    }
    if rubric.instructions {
        lines.push("\nOne checklist item for each instruction of a conversation".into());
    }
    lines
}
