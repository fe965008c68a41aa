//! `aixgrade studies …`

use app::{
    model::{
        ids::{StudyId, SubmissionId, UserId},
        lang::Lang,
        plan::{Extension, PlanDetail, Presentation, Sharing},
        study::{NewStudy, StudyStatus},
    },
    port::{Accounts, Caller, Plans, Studies as _},
};
use clap::{Args, Subcommand};

use super::{Global, public, table};
use crate::{error::Failure, services::Services};

/// What to do with studies.
#[derive(Subcommand)]
pub enum Studies {
    /// List the studies
    List,
    /// Make a study and start it, or with --draft look at its plan first
    Create(Create),
    /// Show a study's plan: who rates how much, and how long it takes
    Plan(One),
    /// Start a draft
    Start(One),
    /// Let somebody join
    Join(Join),
    /// Let somebody leave; what is not rated is shared out again
    Leave(Leave),
    /// Add submissions, tasks or raters per output
    Extend(Extend),
    /// Make a draft with the same settings and people and a new seed
    Clone(One),
    /// Say how many seconds a rating takes, for the plan's hours
    Pace(Pace),
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
    /// Make, list and revoke links to a closed study's public page
    #[command(subcommand)]
    Public(public::Public),
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
    /// By what the work is shared: `count`, `language` (as each reads) or `hand`
    #[arg(long, default_value = "count")]
    sharing: Sharing,
    /// Shared by hand: how many a rater is given, in the order of --rater; repeat for each
    #[arg(long = "share", value_name = "N")]
    shares: Vec<u32>,
    /// How outputs come before raters: `one` at a time or `side-by-side`
    #[arg(long, default_value = "one")]
    show: Presentation,
    /// Seconds a rating, for the plan's hours [default: as measured]
    #[arg(long, value_name = "SECONDS")]
    pace: Option<u32>,
    /// Do not start it yet
    #[arg(long)]
    draft: bool,
}

/// `studies join`
#[derive(Args)]
pub struct Join {
    /// The study's number
    id: StudyId,
    /// The person's name
    name: String,
    /// How many they are given, where the study is shared by hand
    #[arg(long)]
    share: Option<u32>,
}

/// `studies leave`
#[derive(Args)]
pub struct Leave {
    /// The study's number
    id: StudyId,
    /// The person's name
    name: String,
}

/// `studies extend`
#[derive(Args)]
pub struct Extend {
    /// The study's number
    id: StudyId,
    /// A submission's number; repeat for each
    #[arg(long = "submission", value_name = "ID")]
    submissions: Vec<SubmissionId>,
    /// How many different raters each output gets from now on
    #[arg(long)]
    overlap: Option<u32>,
    /// How many tasks a pilot has from now on
    #[arg(long)]
    tasks: Option<u32>,
}

/// `studies pace`
#[derive(Args)]
pub struct Pace {
    /// The study's number
    id: StudyId,
    /// Seconds a rating; left out: as measured
    seconds: Option<u32>,
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
            let mut raters = Vec::new();
            for name in &create.raters {
                raters.push(named(&services, "--rater", name).await?);
            }
            let draft = create.draft;
            let new = NewStudy {
                raters,
                title: create.title,
                dataset: create.dataset,
                submissions: create.submissions,
                overlap: create.overlap,
                seed: create.seed,
                tasks: create.tasks,
                presentation: create.show,
                sharing: create.sharing,
                shares: create.shares,
                pace_s: create.pace,
                draft,
            };
            let id = studies.create(&caller, new).await?;
            return global.show(&id, |id| match draft {
                true => format!("Study {id} is a draft. See `aixgrade studies plan {id}`, then start it."),
                false => format!("Study {id} is running."),
            });
        }
        Studies::Plan(One { id }) => return global.show(&services.plans.get(&caller, id).await?, plan_text),
        Studies::Join(Join { id, name, share }) => {
            let user = named(&services, "NAME", &name).await?;
            services.plans.join(&caller, id, user, share).await?;
            return global.show(&services.plans.get(&caller, id).await?, plan_text);
        }
        Studies::Leave(Leave { id, name }) => {
            let user = named(&services, "NAME", &name).await?;
            services.plans.leave(&caller, id, user).await?;
            return global.show(&services.plans.get(&caller, id).await?, plan_text);
        }
        Studies::Extend(Extend { id, submissions, overlap, tasks }) => {
            services.plans.extend(&caller, id, Extension { submissions, overlap, tasks }).await?;
            return global.show(&services.plans.get(&caller, id).await?, plan_text);
        }
        Studies::Clone(One { id }) => {
            let copy = services.plans.copy(&caller, id).await?;
            return global.show(&copy, |copy| format!("Study {copy} is a draft with the settings of study {id}."));
        }
        Studies::Pace(Pace { id, seconds }) => {
            services.plans.set_pace(&caller, id, seconds).await?;
            return global.show(&services.plans.get(&caller, id).await?, plan_text);
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
        Studies::Resume(One { id }) | Studies::Start(One { id }) => (id, StudyStatus::Running),
        Studies::Close(One { id }) => (id, StudyStatus::Closed),
        Studies::Public(command) => return public::run(global, &services, command).await,
    };
    studies.set_status(&caller, status.0, status.1).await?;
    global.show(&status, |(id, status)| format!("Study {id} is {status}."))
}

/// The account of that name.
async fn named(services: &Services, field: &str, name: &str) -> Result<UserId, Failure> {
    let users = services.accounts.users(&Caller::Operator).await?;
    let found = users.iter().find(|user| user.name.eq_ignore_ascii_case(name));
    found
        .map(|user| user.id)
        .ok_or_else(|| Failure::invalid(field, format!("there is no account {name}"), "See `aixgrade user list`"))
}

fn plan_text(plan: &PlanDetail) -> String {
    let hours = |ratings: u64| plan.hours(ratings).map_or_else(|| "-".into(), |hours| format!("{hours:.1}"));
    let mut head = vec!["RATER", "READS", "SHARE", "RATED", "TO COME", "HOURS"];
    head.extend(plan.models.iter().map(String::as_str));
    head.extend(["EN", "ZH"]);
    let rows: Vec<Vec<String>> = plan
        .raters
        .iter()
        .map(|rater| {
            let name = if rater.left_at.is_some() { format!("{} (left)", rater.name) } else { rater.name.clone() };
            let share = rater.share.map_or_else(|| "-".into(), |share| share.to_string());
            let mut row = vec![name, rater.reads.to_string(), share, rater.rated.to_string(), rater.open.to_string()];
            row.push(hours(rater.open));
            row.extend(rater.models.iter().chain(&rater.langs).map(u64::to_string));
            row
        })
        .collect();
    let waiting = match plan.waiting {
        0 => String::new(),
        n => format!("\n{n} ratings wait: nobody in the study may be given them. Let somebody join."),
    };
    format!(
        "{} ({})\n{} tasks, {} outputs, {} ratings each: {} in all, {} given, {} hours to come\nshared by {}, shown {}, seed {}{waiting}\n\n{}",
        plan.title,
        plan.status,
        plan.tasks,
        plan.outputs,
        plan.overlap,
        plan.wanted,
        plan.done,
        hours(plan.wanted - plan.done.min(plan.wanted)),
        plan.sharing.code(),
        plan.presentation.code(),
        plan.seed,
        table(&head, &rows)
    )
}
