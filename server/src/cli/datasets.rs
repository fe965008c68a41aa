//! `aixgrade datasets …`

use clap::Subcommand;
use model::{
    caller::System,
    dataset::{DatasetDetail, TaskRow},
    lang::Lang,
    page::PageOf,
};
use port::Datasets as _;
use serde::Serialize;

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// List and show datasets.
#[derive(Subcommand)]
pub enum Datasets {
    /// List datasets
    List(Rows),
    /// Show a dataset with its versions and tasks
    Show {
        /// The dataset's short name
        slug: String,
    },
}

/// A dataset with its tasks.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    detail: DatasetDetail,
    tasks: Vec<TaskRow>,
}

/// Runs the command.
pub async fn run(global: &Global, command: Datasets) -> Result<(), Failure> {
    let services = global.open()?;
    match command {
        Datasets::List(rows) => {
            let found = rows.read(async |of| services.datasets.list(&System.admin(), of).await).await?;
            global.show(&found, |list| {
                let cells = |d: &model::dataset::DatasetRow| {
                    let numbers =
                        [u64::from(d.number), d.tasks, d.human, d.tests, d.submissions].map(|n| n.to_string());
                    [d.slug.clone()].into_iter().chain(numbers).chain([d.name.get(Lang::En).to_owned()]).collect()
                };
                let rows: Vec<Vec<String>> = list.iter().map(cells).collect();
                table(&["DATASET", "VERSION", "TASKS", "HUMAN", "TESTS", "SUBMISSIONS", "NAME"], &rows)
            })
        }
        Datasets::Show { slug } => {
            let detail = services.datasets.get(&System.admin(), &slug, None).await?;
            let version = Some(detail.row.version);
            let (mut tasks, mut of) = (Vec::new(), PageOf::first(PageOf::MOST));
            loop {
                let page = services.datasets.tasks(&System.admin(), &slug, version, of.clone()).await?;
                tasks.extend(page.rows);
                of.after = page.next;
                if of.after.is_none() {
                    break;
                }
            }
            global.show(&Whole { detail, tasks }, |Whole { detail: d, tasks }| {
                let versions: Vec<Vec<String>> = d
                    .versions
                    .iter()
                    .map(|v| {
                        vec![
                            v.number.to_string(),
                            v.tasks.to_string(),
                            v.changed.to_string(),
                            v.imported_at.to_string(),
                        ]
                    })
                    .collect();
                let tasks: Vec<Vec<String>> = tasks
                    .iter()
                    .map(|t| {
                        vec![t.task_id.clone(), t.nl_lang.to_string(), checks(t.checks).into(), beginning(&t.raw_nl)]
                    })
                    .collect();
                format!(
                    "{} ({}), license {}, from {}\n{}\n\n{}\n\n{}",
                    d.row.name.get(Lang::En),
                    d.row.slug,
                    d.license,
                    d.source,
                    d.description.get(Lang::En),
                    table(&["VERSION", "TASKS", "CHANGED", "IMPORTED"], &versions),
                    table(&["TASK", "LANGUAGE", "EVALUATION", "DESCRIPTION"], &tasks)
                )
            })
        }
    }
}

fn checks(checks: model::dataset::Checks) -> &'static str {
    match (checks.human, checks.tests) {
        (true, true) => "human, tests",
        (true, false) => "human",
        (false, true) => "tests",
        (false, false) => "none",
    }
}

/// The first line of `text`, cut after 60 characters.
pub fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
