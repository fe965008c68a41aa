//! `aixgrade studies …`

use clap::{Args, Subcommand};
use model::{
    caller::System,
    ids::{StudyId, SubmissionId, UserId},
    lang::Lang,
    patch::Patch,
    plan::{Extension, PlanDetail, Presentation, RatedAnswers, Sharing},
    study::{NewStudy, StudyChange, StudySettings, StudyStatus},
};
use port::{Plans, Studies as _, groups::Groups as _, quality::Quality as _};
use serde::Serialize;
use serde_json::{Value, json};
use texts::plan::EN as PLAN;

use super::{
    Global, Rows,
    known::{self, change_of},
    public,
};
use base::error::Failure;
use command::table;
use services::Services;

/// Create and manage studies.
#[derive(Subcommand)]
pub enum Studies {
    /// List studies, newest first
    List(Rows),
    /// Create and start a study; with --draft, check its plan first. If outputs name a model, it stays a draft unless
    /// --mask-names or --show-names decides
    Create(Create),
    /// Show a study's plan: ratings per rater and estimated hours
    Plan(One),
    /// Edit a draft: the given options change, and its plan is drawn again
    Edit(Edit),
    /// Start a draft. If outputs name a model, --mask-names or --show-names decides
    Start(Start),
    /// Add a rater
    #[command(name = "add-rater")]
    Join(Join),
    /// Remove a rater and reassign the remaining work
    #[command(name = "remove-rater")]
    Leave(Leave),
    /// Add submissions, tasks or raters per output
    Extend(Extend),
    /// Create a draft with the same settings, known-score items, raters and adjudicators, and a new seed
    #[command(name = "duplicate")]
    Clone(One),
    /// Set the seconds per rating, used to estimate the hours in the plan
    Pace(Pace),
    /// Show the progress of a study
    Show(One),
    /// Compare a study's models by the ratings so far
    Compare(One),
    /// Pause a study: it accepts no ratings until it is resumed
    Pause(One),
    /// Resume a paused study
    Resume(One),
    /// Close a study: it accepts no more ratings, and existing ratings are kept
    Close(One),
    /// Reopen a closed study, with a reason for the audit log
    Reopen(Reopen),
    /// Manage known-score items and their pools
    #[command(subcommand)]
    Known(known::Known),
    /// Show a study's quality settings and the work that they add, or use a preset
    Quality(known::Quality),
    /// Show or set limits on how raters rate: a minimum time and missed hidden checks
    Limits(known::Limits),
    /// Pause a rater until an admin decides
    PauseRater(known::Rater),
    /// Let a paused rater continue
    ResumeRater(known::Rater),
    /// Create, list and revoke public links to a closed study's comparison
    #[command(subcommand)]
    Public(public::Public),
}

/// `studies reopen`
#[derive(Args)]
pub struct Reopen {
    /// Number of the study
    id: StudyId,
    /// Why it is reopened
    #[arg(long)]
    reason: String,
}

/// `studies create`
#[derive(Args)]
pub struct Create {
    /// Title, visible to raters
    #[arg(long)]
    title: String,
    /// Short name of the dataset
    #[arg(long)]
    dataset: String,
    /// Number of a submission; repeat for each model
    #[arg(long = "submission", required = true, value_name = "ID")]
    submissions: Vec<SubmissionId>,
    /// Username of a rater; repeat for each
    #[arg(long = "rater", required_unless_present = "groups", value_name = "NAME")]
    raters: Vec<String>,
    /// Name of a group whose active members rate, too; repeat for each
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    #[command(flatten)]
    settings: Settings,
    /// Seed of the random order [default: generated and recorded]
    #[arg(long)]
    seed: Option<u64>,
    /// With --sharing hand: ratings for each rater, in the order of --rater; repeat for each
    #[arg(long = "share", value_name = "N")]
    shares: Vec<u32>,
    /// Rubric, with a version if it is not the newest, such as "aixbench 1" [default: the dataset's]
    #[arg(long)]
    rubric: Option<String>,
    /// Create a draft without starting it
    #[arg(long)]
    draft: bool,
    #[command(flatten)]
    names: Names,
}

/// The settings that `studies create` and `studies edit` set, under the names of [`StudySettings`].
#[derive(Args, Serialize)]
struct Settings {
    /// Number of different raters per output [in a new study: 1]
    #[arg(long)]
    raters_per_output: Option<u32>,
    /// Limit the number of tasks, selected by the seed; 0 for all [in a new study: all]
    #[arg(long)]
    tasks: Option<u32>,
    /// How work is assigned: `count` (evenly), `language` (by the languages that each rater reads) or `hand` (manually)
    /// [in a new study: count]
    #[arg(long)]
    sharing: Option<Sharing>,
    /// How outputs are shown: `one` at a time or `side-by-side` [in a new study: one]
    #[arg(long = "show")]
    presentation: Option<Presentation>,
    /// Which answers of a conversation are rated: the `last` or `each` [in a new study: last]
    #[arg(long)]
    answers: Option<RatedAnswers>,
    /// Seconds per rating, to estimate the hours in the plan; 0 for the measured pace [in a new study: measured]
    #[arg(long = "pace", value_name = "SECONDS")]
    pace_s: Option<u32>,
    /// Minutes of work after which raters read that a break helps; 0 for never [in a new study: 0]
    #[arg(long = "break", value_name = "MINUTES")]
    break_minutes: Option<u32>,
}

impl Settings {
    /// The options that were passed, as a change.
    fn change<T>(&self) -> Result<Patch<T>, Failure> {
        let none =
            [("tasks", self.tasks), ("pace_s", self.pace_s)].into_iter().filter(|(_, number)| *number == Some(0));
        Ok(none.fold(change_of(self)?, |change, (field, _)| change.and(field, Value::Null)))
    }
}

/// `studies start`
#[derive(Args)]
pub struct Start {
    /// Number of the study
    id: StudyId,
    #[command(flatten)]
    names: Names,
}

/// What happens to names of models in the outputs of a study that starts.
#[derive(Args, Clone, Copy, Default)]
struct Names {
    /// Hide names of models from raters; the stored outputs do not change
    #[arg(long, conflicts_with = "show_names")]
    mask_names: bool,
    /// Show names of models to raters, who then do not rate blind
    #[arg(long)]
    show_names: bool,
}

/// `studies edit`
#[derive(Args)]
pub struct Edit {
    /// Number of the study
    id: StudyId,
    /// Title, visible to raters
    #[arg(long)]
    title: Option<String>,
    /// Name and version of a rubric, such as "aixbench 1"
    #[arg(long)]
    rubric: Option<String>,
    /// Number of a submission; repeat for each. Replaces all submissions
    #[arg(long = "submission", value_name = "ID")]
    submissions: Vec<SubmissionId>,
    /// Username of a rater; repeat for each. Replaces all raters
    #[arg(long = "rater", value_name = "NAME")]
    raters: Vec<String>,
    #[command(flatten)]
    settings: Settings,
    /// Seed of the random order
    #[arg(long)]
    seed: Option<u64>,
    /// With --sharing hand: ratings for each rater, in the order of --rater; repeat for each
    #[arg(long = "share", value_name = "N")]
    shares: Vec<u32>,
}

/// `studies add-rater`
#[derive(Args)]
pub struct Join {
    /// Number of the study
    id: StudyId,
    /// Username of the rater
    name: String,
    /// Number of ratings, if work is assigned manually
    #[arg(long)]
    share: Option<u32>,
}

/// `studies remove-rater`
#[derive(Args)]
pub struct Leave {
    /// Number of the study
    id: StudyId,
    /// Username of the rater
    name: String,
}

/// `studies extend`
#[derive(Args)]
pub struct Extend {
    /// Number of the study
    id: StudyId,
    /// Number of a submission; repeat for each
    #[arg(long = "submission", value_name = "ID")]
    submissions: Vec<SubmissionId>,
    /// New number of raters per output
    #[arg(long)]
    raters_per_output: Option<u32>,
    /// New number of tasks
    #[arg(long)]
    tasks: Option<u32>,
}

/// `studies pace`
#[derive(Args)]
pub struct Pace {
    /// Number of the study
    id: StudyId,
    /// Seconds per rating; leave out to use the measured pace
    seconds: Option<u32>,
}

/// A study.
#[derive(Args)]
pub struct One {
    /// Number of the study
    id: StudyId,
}

/// Runs the command.
#[allow(clippy::too_many_lines, reason = "one arm for each subcommand")]
pub async fn run(global: &Global, command: Studies) -> Result<(), Failure> {
    let services = global.open()?;
    let (studies, admin) = (&services.studies, System.admin());
    let status = match command {
        Studies::List(rows) => {
            let rows = rows.read(async |of| studies.list(&admin, of).await).await?;
            return global.show(&rows, |list| {
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
            for name in &create.groups {
                let group = services.groups.named(&admin, name).await?;
                let members = services.groups.active(&admin, vec![group]).await?;
                let new: Vec<_> = members.into_iter().filter(|member| !raters.contains(member)).collect();
                raters.extend(new);
            }
            let (draft, names) = (create.draft, create.names);
            let new = NewStudy {
                raters,
                title: create.title,
                dataset: create.dataset,
                submissions: create.submissions,
                seed: create.seed,
                shares: create.shares,
                rubric: create.rubric,
                settings: create.settings.change()?.apply(&StudySettings::default())?,
                draft: true,
            };
            let id = studies.create(&admin, new).await?;
            if !draft {
                start(&services, id, names).await?;
            }
            return global.show(&id, |id| match draft {
                true => format!("Created study {id} as a draft. Check it with `aixgrade studies plan {id}`, then start it with `aixgrade studies start {id}`."),
                false => format!("Study {id} is running."),
            });
        }
        Studies::Plan(One { id }) => {
            let plan = services.plans.get(&admin, id).await?;
            if plan.status == StudyStatus::Draft {
                let leaks = services.quality.leaks(&admin, id, true).await?;
                if leaks.count > 0 {
                    eprintln!(
                        "{} Hide the names when you start the study: `aixgrade studies start {id} --mask-names`.",
                        (PLAN.leaks_n)(leaks.count, &leaks.names.join(", "))
                    );
                }
            }
            return global.show(&plan, plan_text);
        }
        Studies::Edit(edit) => {
            let mut raters = Vec::new();
            for name in &edit.raters {
                raters.push(named(&services, "--rater", name).await?);
            }
            let mut change: StudyChange = edit.settings.change()?;
            let lists = [
                ("submissions", serde_json::to_value(&edit.submissions)?),
                ("raters", serde_json::to_value(&raters)?),
                ("shares", serde_json::to_value(&edit.shares)?),
            ];
            for (field, list) in lists.into_iter().filter(|(_, list)| *list != json!([])) {
                change = change.and(field, list);
            }
            let values = [
                ("title", edit.title.map(Value::from)),
                ("rubric", edit.rubric.map(Value::from)),
                ("seed", edit.seed.map(Value::from)),
            ];
            for (field, value) in values {
                if let Some(value) = value {
                    change = change.and(field, value);
                }
            }
            services.plans.edit(&admin, edit.id, change).await?;
            return global.show(&services.plans.get(&admin, edit.id).await?, plan_text);
        }
        Studies::Join(Join { id, name, share }) => {
            let user = named(&services, "NAME", &name).await?;
            services.plans.join(&admin, id, user, share).await?;
            return global.show(&services.plans.get(&admin, id).await?, plan_text);
        }
        Studies::Leave(Leave { id, name }) => {
            let user = named(&services, "NAME", &name).await?;
            services.plans.leave(&admin, id, user).await?;
            return global.show(&services.plans.get(&admin, id).await?, plan_text);
        }
        Studies::Extend(Extend { id, submissions, raters_per_output, tasks }) => {
            services.plans.extend(&admin, id, Extension { submissions, raters_per_output, tasks }).await?;
            return global.show(&services.plans.get(&admin, id).await?, plan_text);
        }
        Studies::Clone(One { id }) => {
            let copy = services.plans.copy(&admin, id).await?;
            return global
                .show(&copy, |copy| format!("Created study {copy} as a draft with the settings of study {id}."));
        }
        Studies::Pace(Pace { id, seconds }) => {
            services.plans.set_pace(&admin, id, seconds).await?;
            return global.show(&services.plans.get(&admin, id).await?, plan_text);
        }
        Studies::Show(One { id }) => {
            return global.show(&studies.get(&admin, id).await?, |study| {
                let rows: Vec<_> = study
                    .raters
                    .iter()
                    .map(|r| vec![r.name.clone(), r.rated.to_string(), r.skipped.to_string(), r.leased.to_string()])
                    .collect();
                let row = &study.row;
                let models = row.models.join(", ");
                format!(
                    "{} ({}), dataset {}, rubric {}\nModels: {models}\n{} of {} ratings, {} per output, seed {}\n\n{}",
                    row.title,
                    row.status,
                    row.dataset,
                    study.rubric,
                    row.done,
                    row.wanted,
                    study.raters_per_output,
                    study.seed,
                    table(&["RATER", "RATED", "SKIPPED", "IN PROGRESS"], &rows)
                )
            });
        }
        Studies::Compare(One { id }) => {
            let selection = services.comparisons.study_selection(&admin, id, false).await?;
            return global.show(&services.comparisons.by_people(&admin, selection).await?, |c| {
                let mut head = vec!["MODEL", "RATINGS"];
                head.extend(c.rubric.dimensions.iter().map(|d| d.name.get(Lang::En)));
                let cell = |d: &model::ratings::DimensionScores| match (d.mean, d.interval) {
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
                let adjusted = if c.has_adjusted() {
                    "\nThe models were rated on different tasks, so the means are adjusted for tasks."
                } else {
                    ""
                };
                table(&head, &rows) + adjusted
            });
        }
        Studies::Pause(One { id }) => (id, StudyStatus::Paused),
        Studies::Start(Start { id, names }) => {
            start(&services, id, names).await?;
            return global.show(&(id, StudyStatus::Running), |(id, status)| format!("Study {id} is {status}."));
        }
        Studies::Resume(One { id }) => (id, StudyStatus::Running),
        Studies::Close(One { id }) => (id, StudyStatus::Closed),
        Studies::Reopen(Reopen { id, reason }) => {
            studies.reopen(&admin, id, &reason).await?;
            return global.show(&(id, StudyStatus::Running), |(id, status)| format!("Study {id} is {status}."));
        }
        Studies::Known(command) => return known::run(global, &services, command).await,
        Studies::Quality(of) => return known::quality(global, &services, of).await,
        Studies::Limits(limits) => return known::limits(global, &services, limits).await,
        Studies::PauseRater(rater) => return known::pause(global, &services, rater, true).await,
        Studies::ResumeRater(rater) => return known::pause(global, &services, rater, false).await,
        Studies::Public(command) => return public::run(global, &services, command).await,
    };
    studies.set_status(&admin, status.0, status.1).await?;
    global.show(&status, |(id, status)| format!("Study {id} is {status}."))
}

/// Starts a draft. Refuses if its outputs name a model and `names` does not say what happens to the names.
async fn start(services: &Services, id: StudyId, names: Names) -> Result<(), Failure> {
    let admin = System.admin();
    if names.mask_names {
        services.quality.mask_study(&admin, id).await?;
    } else if !names.show_names {
        let leaks = services.quality.leaks(&admin, id, true).await?;
        if leaks.count > 0 {
            let what = format!(
                "study {id} is a draft and was not started. {}",
                (PLAN.leaks_n)(leaks.count, &leaks.names.join(", ")).trim_end_matches('.')
            );
            let how = format!(
                "Start it with `aixgrade studies start {id} --mask-names` to hide the names, or with --show-names to show them"
            );
            return Err(Failure::invalid("names", what, how));
        }
    }
    Ok(services.studies.set_status(&admin, id, StudyStatus::Running).await?)
}

/// The account with this name.
pub(super) async fn named(services: &Services, field: &str, name: &str) -> Result<UserId, Failure> {
    services.accounts.named(&System.admin(), name).await?.ok_or_else(|| {
        Failure::invalid(field, format!("no account named \"{name}\""), "List the accounts with `aixgrade user list`")
    })
}

fn plan_text(plan: &PlanDetail) -> String {
    let hours = |ratings: u64| plan.hours(ratings).map_or_else(|| "-".into(), |hours| format!("{hours:.1}"));
    let mut head = vec!["RATER", "READS", "SHARE", "RATED", "REMAINING", "HOURS"];
    head.extend(plan.models.iter().map(String::as_str));
    head.extend(["EN", "ZH"]);
    let rows: Vec<Vec<String>> = plan
        .raters
        .iter()
        .map(|rater| {
            let name =
                if rater.removed_at.is_some() { format!("{} (removed)", rater.name) } else { rater.name.clone() };
            let share = rater.share.map_or_else(|| "-".into(), |share| share.to_string());
            let mut row = vec![name, rater.reads.to_string(), share, rater.rated.to_string(), rater.open.to_string()];
            row.push(hours(rater.open));
            row.extend(rater.models.iter().chain(&rater.langs).map(u64::to_string));
            row
        })
        .collect();
    let waiting = match plan.waiting {
        0 => String::new(),
        n => format!("\n{n} ratings cannot be assigned to any rater of this study. Add a rater."),
    };
    let answers = plan.answers.map(|answers| format!("answers rated: {}, ", answers.code())).unwrap_or_default();
    format!(
        "{} ({})\n{} tasks, {} outputs, {} ratings per output: {} in total, {} done, {} hours remaining\nassigned by {}, shown {}, {answers}seed {}{waiting}\n\n{}",
        plan.title,
        plan.status,
        plan.tasks,
        plan.outputs,
        plan.raters_per_output,
        plan.wanted,
        plan.done,
        hours(plan.wanted - plan.done.min(plan.wanted)),
        plan.sharing.code(),
        plan.presentation.code(),
        plan.seed,
        table(&head, &rows)
    )
}
