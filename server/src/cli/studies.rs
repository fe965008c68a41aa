//! `aixgrade studies …`

use app::{
    model::{
        ids::{StudyId, SubmissionId},
        lang::Lang,
        study::{NewStudy, StudyStatus},
    },
    port::{Accounts, Caller, Studies as _},
};
use clap::{Args, Subcommand};

use super::{Global, table};
use crate::error::Failure;

/// What to do with studies.
#[derive(Subcommand)]
pub enum Studies {
    /// List the studies
    List,
    /// Make a study and start it
    Create(Create),
    /// Show how far a study is
    Show(One),
    /// Compare a study's models by the ratings so far
    Compare(One),
    /// Stop taking ratings for now
    Pause(One),
    /// Take ratings again
    Resume(One),
    /// End a study; what was given stays
    Close(One),
}

/// `studies create`
#[derive(Args)]
pub struct Create {
    /// What raters read
    #[arg(long)]
    title: String,
    /// The dataset's short name
    #[arg(long)]
    dataset: String,
    /// A submission's number; repeat for each model
    #[arg(long = "submission", required = true, value_name = "ID")]
    submissions: Vec<SubmissionId>,
    /// A rater's name; repeat for each
    #[arg(long = "rater", required = true, value_name = "NAME")]
    raters: Vec<String>,
    /// How many different raters each output gets
    #[arg(long, default_value_t = 1)]
    overlap: u32,
    /// What the order is drawn from [default: drawn and recorded]
    #[arg(long)]
    seed: Option<u64>,
    /// Only so many tasks, drawn by the seed [default: all]
    #[arg(long)]
    tasks: Option<u32>,
}

/// A study.
#[derive(Args)]
pub struct One {
    /// The study's number
    id: StudyId,
}

/// Runs the command.
pub async fn run(global: &Global, command: Studies) -> Result<(), Failure> {
    let services = global.open()?;
    let (studies, caller) = (&services.studies, Caller::Operator);
    let status = match command {
        Studies::List => {
            return global.show(&studies.list(&caller).await?, |list| {
                let rows: Vec<_> = list
                    .iter()
                    .map(|s| {
                        let done = format!("{}/{}", s.done, s.wanted);
                        vec![s.id.to_string(), s.status.to_string(), done, s.dataset.clone(), s.title.clone()]
                    })
                    .collect();
                table(&["ID", "STATUS", "RATINGS", "DATASET", "TITLE"], &rows)
            });
        }
        Studies::Create(create) => {
            let users = services.accounts.users(&caller).await?;
            let named = |name: &String| {
                let found = users.iter().find(|u| u.name.eq_ignore_ascii_case(name));
                found.map(|u| u.id).ok_or_else(|| {
                    Failure::invalid("--rater", format!("there is no account {name}"), "See `aixgrade user list`")
                })
            };
            let new = NewStudy {
                raters: create.raters.iter().map(named).collect::<Result<_, _>>()?,
                title: create.title,
                dataset: create.dataset,
                submissions: create.submissions,
                overlap: create.overlap,
                seed: create.seed,
                tasks: create.tasks,
                ..NewStudy::default()
            };
            let id = studies.create(&caller, new).await?;
            return global.show(&id, |id| format!("Study {id} is running."));
        }
        Studies::Show(One { id }) => {
            return global.show(&studies.get(&caller, id).await?, |study| {
                let rows: Vec<_> = study
                    .raters
                    .iter()
                    .map(|r| vec![r.name.clone(), r.rated.to_string(), r.skipped.to_string(), r.leased.to_string()])
                    .collect();
                let row = &study.row;
                let models = row.models.join(", ");
                format!(
                    "{} ({}), dataset {}, rubric {}\nModels: {models}\n{} of {} ratings, {} an output, seed {}\n\n{}",
                    row.title,
                    row.status,
                    row.dataset,
                    study.rubric,
                    row.done,
                    row.wanted,
                    study.overlap,
                    study.seed,
                    table(&["RATER", "RATED", "SKIPPED", "IN HAND"], &rows)
                )
            });
        }
        Studies::Compare(One { id }) => {
            return global.show(&studies.comparison(&caller, id).await?, |c| {
                let mut head = vec!["MODEL", "RATINGS"];
                head.extend(c.rubric.dimensions.iter().map(|d| d.name.get(Lang::En)));
                let cell = |d: &app::model::comparison::DimensionScores| match (d.mean, d.interval) {
                    (Some(mean), Some(i)) => format!("{mean:.4} [{:.2}, {:.2}]", i.low, i.high),
                    (Some(mean), None) => format!("{mean:.4}"),
                    _ => "-".into(),
                };
                let rows: Vec<_> = c
                    .models
                    .iter()
                    .map(|m| {
                        let first = [m.model.clone(), m.ratings.to_string()];
                        first.into_iter().chain(m.dimensions.iter().map(cell)).collect()
                    })
                    .collect();
                table(&head, &rows)
            });
        }
        Studies::Pause(One { id }) => (id, StudyStatus::Paused),
        Studies::Resume(One { id }) => (id, StudyStatus::Running),
        Studies::Close(One { id }) => (id, StudyStatus::Closed),
    };
    studies.set_status(&caller, status.0, status.1).await?;
    global.show(&status, |(id, status)| format!("Study {id} is {status}."))
}
