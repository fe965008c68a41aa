//! Creates studies: checks what an admin asks for, plans it, and stores the plan in short transactions.

use std::{collections::BTreeSet, sync::Arc};

use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::AppError,
    ids::{StudyId, SubmissionId},
    plan::{Reads, Sharing},
    study::{NewStudy, StudyStatus},
};
use rand::Rng;
use rusqlite::{Connection, Transaction};

use super::{
    gradable,
    refusals::{checked_title, planned},
};
use crate::{
    quality::{check as check_quality, known},
    rubrics,
};
use base::{background, error::Failure};
use db::{
    Db,
    audit::Change,
    guidelines,
    plan::{self as stored, Input, Moved},
    quality::{self, known_items::PoolSizes},
    staging::{self, Import},
    steps, studies,
};
use plan::rows::{Gradable, Member};

/// Checks what the admin asks for and makes a study of it; it runs at once unless it is to wait. Its plan is stored in
/// many short transactions, and nobody sees the study before the last, which `entry` describes for the audit log. `from`
/// is the study that it duplicates, if any.
pub async fn create(
    db: Db,
    admin: Admin,
    (new, from): (NewStudy, Option<StudyId>),
    (action, entry): (Action, impl FnOnce(StudyId) -> (Object, Fact) + Send + 'static),
) -> Result<StudyId, Failure> {
    let (by, draft) = (admin.id(), new.draft);
    let read = move |conn: &Connection| {
        if from.is_none() {
            known::check_pools(&new.settings.quality, PoolSizes::default())?;
        }
        asked(conn, &new)
    };
    let (plan, outputs) = db.read_long(read).await?;
    let draw = move || {
        let places = planned(&plan.input, &outputs, &plan.raters)?;
        Ok::<_, Failure>(studies::Plan { places, ..plan })
    };
    let plan = Arc::new(background::run(draw).await??);
    let begun = plan.clone();
    let id = db.write(move |tx| studies::begin(tx, &begun, by)).await?;
    let published = match store(&db, id, &plan).await {
        Ok(()) => {
            let publish = move |tx: &Transaction<'_>| {
                publish(tx, (id, from), &plan, draft)?;
                if let Some(from) = from {
                    quality::inherit(tx, id, from)?;
                }
                let (object, fact) = entry(id);
                Ok(Change::of(object, [fact], id))
            };
            db.write_audited(&admin, action, publish).await
        }
        Err(failure) => Err(failure),
    };
    if published.is_err() {
        // Nobody waits for it; what it cannot delete is deleted at the next start.
        tokio::task::spawn_blocking(move || db.clear_import(Import::Study(id.0)).map_err(AppError::from));
    }
    published
}

async fn store(db: &Db, id: StudyId, plan: &Arc<studies::Plan>) -> Result<(), Failure> {
    for from in (0..plan.places.len()).step_by(steps::SIZE) {
        let plan = plan.clone();
        db.write(move |tx| {
            staging::renew(tx, Import::Study(id.0))?;
            stored::insert(tx, id, plan.places.iter().skip(from).take(steps::SIZE))
        })
        .await?;
    }
    Ok(())
}

fn publish(
    conn: &Connection,
    (id, from): (StudyId, Option<StudyId>),
    plan: &studies::Plan,
    draft: bool,
) -> Result<(), Failure> {
    for (rater, ..) in &plan.raters {
        // They may have changed since they were looked up.
        if !studies::can_rate(conn, *rater)? {
            return Err(Failure::not_found("rater"));
        }
    }
    studies::publish(conn, id, plan)?;
    guidelines::inherit(conn, id, from)?;
    if !draft {
        stored::note(conn, id, "started", None, &Moved { ratings: plan.places.len() as u64, from: None })?;
        studies::set_status(conn, id, StudyStatus::Running)?;
    }
    Ok(())
}

/// The admin's request, checked and not planned yet, and the outputs to plan.
pub(super) fn asked(conn: &Connection, new: &NewStudy) -> Result<(studies::Plan, Vec<Gradable>), Failure> {
    let title = checked_title(&new.title)?;
    let submissions: Vec<SubmissionId> = distinct(&new.submissions);
    let ground = one_version(conn, &new.dataset, &submissions)?;
    let settings = new.settings;
    if settings.sharing == Sharing::Hand && new.shares.len() != new.raters.len() {
        return Err(Failure::invalid(
            "shares",
            ("a rater has no share", "有评分者没有份额"),
            ("Enter a number of ratings for each rater", "请为每位评分者填写评分数量"),
        ));
    }
    settings.check()?;
    let mut raters: Vec<Member> = Vec::new();
    for (at, rater) in new.raters.iter().enumerate() {
        if raters.iter().any(|(known, ..)| known == rater) {
            continue;
        }
        if !studies::can_rate(conn, *rater)? {
            return Err(Failure::not_found("rater"));
        }
        let reads = if settings.sharing == Sharing::Count { Reads::BOTH } else { stored::reads(conn, *rater)? };
        let share = if settings.sharing == Sharing::Hand { new.shares.get(at).copied() } else { None };
        raters.push((*rater, reads, share));
    }
    let seed = new.seed.unwrap_or_else(|| rand::rng().random());
    let input = Input { settings, seed, submissions };
    let outputs = gradable(conn, &input, &BTreeSet::new())?;
    if outputs.is_empty() {
        return Err(Failure::invalid(
            "submissions",
            ("the submissions contain no outputs to rate", "所选输出集中没有可评分的输出"),
            ("Choose other submissions", "请选择其他输出集"),
        ));
    }
    let rubric = match new.rubric.as_deref().map(str::trim) {
        None | Some("") => db::rubrics::by_id(conn, ground.rubric_id)?.ok_or_else(|| Failure::not_found("rubric"))?,
        Some(name) => rubrics::named(conn, name)?,
    };
    check_quality(&settings.quality, &rubric.rubric)?;
    let plan =
        studies::Plan { title, version: ground.version, rubric_id: rubric.id, input, raters, places: Vec::new() };
    Ok((plan, outputs))
}

/// The version and rubric of submissions of a dataset.
///
/// # Errors
/// They are of several versions, or of another dataset.
pub fn one_version(
    conn: &Connection,
    dataset: &str,
    submissions: &[SubmissionId],
) -> Result<studies::Candidate, Failure> {
    let mut ground: Option<studies::Candidate> = None;
    for id in submissions {
        let one = studies::candidate(conn, *id)?.ok_or_else(|| Failure::not_found("submission"))?;
        if one.dataset != dataset {
            return Err(Failure::invalid(
                "submissions",
                (
                    format!("submission {id} belongs to the dataset {}, not {dataset}", one.dataset),
                    format!("输出集 {id} 属于数据集 {}，而不是 {dataset}", one.dataset),
                ),
                ("Choose submissions of one dataset", "请选择同一数据集的输出集"),
            ));
        }
        if ground.as_ref().is_some_and(|first| first.version != one.version) {
            return Err(Failure::invalid(
                "submissions",
                ("the submissions belong to different versions of the dataset", "所选输出集属于数据集的不同版本"),
                (
                    "Upload the older ones again for the newest version, or choose submissions of one version",
                    "请针对最新版本重新上传较旧的输出集，或只选择同一版本的输出集",
                ),
            ));
        }
        ground = Some(one);
    }
    ground.ok_or_else(|| {
        Failure::invalid(
            "submissions",
            ("no submission is selected", "未选择输出集"),
            ("Select at least one", "请至少选择一项"),
        )
    })
}

/// The list without repetitions.
pub fn distinct<T: Copy + Ord>(given: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    given.iter().copied().filter(|id| seen.insert(*id)).collect()
}
