//! Changes of a plan while people rate, in short transactions (`services::steps`).

use std::collections::BTreeSet;

use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Actor,
    error::Answer,
    ids::{StudyId, TaskRevisionId, UserId},
    lang::Lang,
    plan::{Extension, Sharing},
    study::{StudySettings, StudyStatus},
};
use rusqlite::{Connection, Transaction};

use super::{
    Study, gradable,
    new_study::{distinct, one_version},
    refusals::{fits, impossible, planned},
};
use crate as services;
use base::{background, error::Failure};
use db::{
    Db,
    audit::{self, Change},
    plan::{self as stored, Input, Moved},
    quality::checks,
    steps::{self, Step},
    studies,
};
use plan::{
    Impossible,
    change::{self, Current},
    rows::{Gradable, Member},
};

/// How often a change is computed again because raters took work over, or another admin changed the plan, meanwhile.
const TRIES: usize = 20;

/// The first transaction of a change, and the steps after it.
pub(super) struct Prepared {
    first: First,
    steps: Vec<Step>,
}

type First = Box<dyn FnOnce(&Connection) -> Result<(), Failure> + Send>;
/// Computes a change, after the snapshot that it is about was read.
pub(super) type Compute = Box<dyn FnOnce() -> Result<Prepared, Failure> + Send>;

/// Changes the plan in a task of its own: a browser that hangs up leaves nothing half done.
///
/// # Errors
/// Those of `prepare`, which reads what the change is about; then nothing has changed.
pub(super) async fn spawn(
    db: &Db,
    by: impl Into<Actor>,
    id: StudyId,
    entry: (Action, Fact),
    prepare: impl Fn(&Connection, &Study) -> Result<Compute, Failure> + Clone + Send + 'static,
) -> Answer<()> {
    let change = change(db.clone(), by.into(), id, entry, prepare);
    Ok(audit::spawn(change).await.map_err(Failure::internal)??)
}

async fn change(
    db: Db,
    by: Actor,
    id: StudyId,
    (action, fact): (Action, Fact),
    prepare: impl Fn(&Connection, &Study) -> Result<Compute, Failure> + Clone + Send + 'static,
) -> Result<(), Failure> {
    for _ in 0..TRIES {
        services::steps::finish(&db, id).await?;
        let prepare = prepare.clone();
        let (status, version, compute) = db
            .read_long(move |conn| {
                let study = Study::open(conn, id)?;
                study.changeable()?;
                Ok((study.status, stored::version(conn, id)?, prepare(conn, &study)?))
            })
            .await?;
        let computed = move || {
            let prepared = compute()?;
            Ok::<_, Failure>((prepared.first, services::steps::encoded(&prepared.steps)?))
        };
        let (first, steps) = background::run(computed).await??;
        let fact = fact.clone();
        let begin = move |tx: &Transaction<'_>| {
            let is_as_read = stored::version(tx, id)? == version && Study::open(tx, id)?.status == status;
            if !is_as_read || steps::are_left(tx, id)? {
                return Ok(Change::each(Vec::new(), false));
            }
            first(tx)?;
            steps::add(tx, id, &steps)?;
            stored::next_version(tx, id)?;
            Ok(Change::of(Object::Study(id), [fact], true))
        };
        if db.write_audited(by, action, begin).await? {
            return services::steps::finish(&db, id).await;
        }
    }
    Err(Failure::conflict((
        "Raters took work over while the plan was being changed. Nothing was changed; try again, or pause the study first.",
        "更改分配方案期间有评分者接手了其他工作，未作任何更改。请重试，或先暂停项目。",
    )))
}

fn current(conn: &Connection, study: &Study) -> Result<Current, Failure> {
    let (events, taken) = stored::events(conn, study.id)?;
    Ok(Current {
        presentation: study.input.settings.presentation,
        sharing: study.input.settings.sharing,
        seed: study.input.seed,
        events: events.len() as u64,
        taken,
        raters: stored::raters(conn, study.id)?,
        rows: stored::rows(conn, study.id)?,
    })
}

/// Plans a draft again, for these raters, after `first`.
pub(super) fn plan_again(
    id: StudyId,
    input: Input,
    outputs: Vec<Gradable>,
    members: Vec<Member>,
    first: impl FnOnce(&Connection) -> Result<(), Failure> + Send + 'static,
) -> Compute {
    Box::new(move || {
        let planned = planned(&input, &outputs, &members)?;
        let ratings = planned.len() as u64;
        let first: First = Box::new(move |conn| {
            first(conn)?;
            stored::note(conn, id, "planned", None, &Moved { ratings, from: None })
        });
        Ok(Prepared { first, steps: Step::plan(&planned) })
    })
}

/// Removes a rater.
pub(super) fn leave(conn: &Connection, study: &Study, user: UserId) -> Result<Compute, Failure> {
    let id = study.id;
    let mut members = stored::raters(conn, id)?;
    if !members.iter().any(|(id, ..)| *id == user) {
        return Err(Failure::not_found("rater"));
    }
    if study.status == StudyStatus::Draft {
        members.retain(|(id, ..)| *id != user);
        let outputs = gradable(conn, &study.input, &BTreeSet::new())?;
        let remove = move |conn: &Connection| stored::remove(conn, id, user);
        return Ok(plan_again(id, study.input.clone(), outputs, members, remove));
    }
    let current = current(conn, study)?;
    Ok(Box::new(move || {
        let change = change::leave(&current, user);
        let moved = Moved { ratings: change.ratings, from: Some(user) };
        let first: First = Box::new(move |conn| {
            stored::leave(conn, id, user)?;
            checks::release(conn, id, user)?;
            stored::note(conn, id, "removed", Some(user), &moved)
        });
        Ok(Prepared { first, steps: Step::of(change) })
    }))
}

/// Adds a rater.
pub(super) fn join(conn: &Connection, study: &Study, user: UserId, share: Option<u32>) -> Result<Compute, Failure> {
    let id = study.id;
    if !studies::can_rate(conn, user)? {
        return Err(Failure::not_found("rater"));
    }
    let mut members = stored::raters(conn, id)?;
    if members.iter().any(|(id, ..)| *id == user) {
        return Err(Failure::conflict(("This rater is already in the study.", "该评分者已在项目中。")));
    }
    let share = match (study.input.settings.sharing, share) {
        (Sharing::Hand, None) => {
            return Err(Failure::invalid(
                "share",
                ("this study assigns work manually", "该项目采用手动分配"),
                ("Enter a number of ratings for the rater", "请填写该评分者的评分数量"),
            ));
        }
        (Sharing::Hand, share) => share,
        _ => None,
    };
    let member = (user, study.reads(conn, user)?, share);
    let join = move |conn: &Connection| {
        // They may have been deactivated meanwhile.
        if !studies::can_rate(conn, user)? {
            return Err(Failure::not_found("rater"));
        }
        stored::join(conn, id, user, member.1, share)
    };
    if study.status == StudyStatus::Draft {
        members.push(member);
        members.sort_unstable_by_key(|(id, ..)| *id);
        let outputs = gradable(conn, &study.input, &BTreeSet::new())?;
        return Ok(plan_again(id, study.input.clone(), outputs, members, join));
    }
    let current = current(conn, study)?;
    Ok(Box::new(move || {
        let mut change = change::join(&current, member);
        // At once: what others pass on, they cannot take over again.
        let shares = std::mem::take(&mut change.shares);
        let moved = Moved { ratings: change.ratings, from: None };
        let first: First = Box::new(move |conn| {
            join(conn)?;
            shares.iter().try_for_each(|(rater, share)| stored::set_share(conn, id, *rater, *share))?;
            stored::note(conn, id, "added", Some(user), &moved)
        });
        Ok(Prepared { first, steps: Step::of(change) })
    }))
}

/// Adds submissions, tasks or raters per output.
pub(super) fn extend(conn: &Connection, study: &Study, by: &Extension) -> Result<Compute, Failure> {
    let (id, before) = (study.id, &study.input);
    let current = current(conn, study)?;
    let kept: BTreeSet<TaskRevisionId> = current.rows.iter().map(|row| row.of.task).collect();
    let input = extended(before, by, kept.len())?;
    one_version(conn, &study.dataset, &input.submissions)?;
    fits(input.settings.raters_per_output, current.raters.len())?;
    let outputs = gradable(conn, &input, &kept)?;
    for lang in Lang::ALL {
        let readers = current.raters.iter().filter(|(_, reads, _)| reads.has(lang)).count();
        if readers < input.settings.raters_per_output as usize && outputs.iter().any(|output| output.nl_lang == lang) {
            return Err(impossible(Impossible::TooFewReaders { nl_lang: lang, readers }));
        }
    }
    let (dataset, store) = (study.dataset.clone(), input.clone());
    let set = move |conn: &Connection| {
        // Submissions may have been deleted meanwhile.
        one_version(conn, &dataset, &store.submissions)?;
        // Its other settings may have changed meanwhile, which draws no plan.
        let StudySettings { raters_per_output, tasks, .. } = store.settings;
        let settings = StudySettings { raters_per_output, tasks, ..stored::settings(conn, id)? };
        stored::save_settings(conn, id, &settings)?;
        stored::add_submissions(conn, id, &store.submissions)
    };
    if study.status == StudyStatus::Draft {
        return Ok(plan_again(id, input, outputs, current.raters, set));
    }
    let raters_per_output = (before.settings.raters_per_output, input.settings.raters_per_output);
    Ok(Box::new(move || {
        let change = change::extend(&current, raters_per_output, &outputs);
        if change.added.is_empty() {
            return Err(Failure::conflict((
                "Nothing to add. Choose a submission, more tasks or more raters per output.",
                "没有可增加的内容：请选择输出集、更多任务或更多评分人数。",
            )));
        }
        if !change::is_whole(&current, &change, raters_per_output.1) {
            return Err(Failure::internal("an output would have fewer ratings planned than raters per output"));
        }
        let moved = Moved { ratings: change.ratings, from: None };
        let first: First = Box::new(move |conn| {
            set(conn)?;
            stored::note(conn, id, "extended", None, &moved)
        });
        Ok(Prepared { first, steps: Step::of(change) })
    }))
}

/// The settings after an extension of a study that has so many tasks.
fn extended(before: &Input, by: &Extension, tasks_now: usize) -> Result<Input, Failure> {
    let mut input = before.clone();
    let more = distinct(&by.submissions);
    input.submissions.extend(more.iter().filter(|id| !before.submissions.contains(id)));
    if let Some(raters_per_output) = by.raters_per_output {
        if raters_per_output < before.settings.raters_per_output {
            return Err(Failure::invalid(
                "raters_per_output",
                (
                    format!("each output already has {} raters", before.settings.raters_per_output),
                    format!("每个输出已有 {} 位评分者", before.settings.raters_per_output),
                ),
                (
                    "The number cannot be lowered. Duplicate the study to use a smaller one",
                    "此数不能减少；如需更少，请复制项目后重新设置",
                ),
            ));
        }
        input.settings.raters_per_output = raters_per_output;
    }
    if let Some(tasks) = by.tasks {
        if before.settings.tasks.is_some() && (tasks as usize) < tasks_now {
            return Err(Failure::invalid(
                "tasks",
                (format!("the study already has {tasks_now} tasks"), format!("项目已有 {tasks_now} 个任务")),
                ("Enter this number or a larger one", "请输入不小于此数的数字"),
            ));
        }
        // A study of all tasks has no more to add.
        input.settings.tasks = before.settings.tasks.map(|_| tasks);
    }
    Ok(input)
}
