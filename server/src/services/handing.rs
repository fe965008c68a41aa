//! Which output (or task) a rater is given next.
//!
//! First what they have in hand already, then their own part of the plan in its order, and when that
//! is done, what others have not begun: so that nobody who is slow or gone blocks the study. Overlap,
//! languages and shares by hand hold throughout (docs/plan.md).

use app::model::{
    ids::{OutputId, TaskRevisionId, UserId},
    plan::Presentation,
    time::Timestamp,
};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{
    clock,
    db::{
        grading::RaterStudy,
        plan,
        queue::{self, From, Place},
    },
    error::Failure,
};

/// How long an output stays in a rater's hands without a sign of life: each draft prolongs it.
pub const LEASE_MS: i64 = 30 * 60 * 1000;
/// How many outputs lie between two of one task, where there are enough others.
pub const APART: usize = 8;

/// The moment at which a lease taken now runs out.
pub fn lease_end() -> Timestamp {
    Timestamp(clock::now().0 + LEASE_MS)
}

/// Leases the rater's next output besides those `except`, which they have on their page already.
/// `None` where nothing is left that they may be given.
pub fn next_for(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    except: &[OutputId],
) -> Result<Option<OutputId>, Failure> {
    if study.presentation == Presentation::SideBySide {
        let mut tasks = Vec::new();
        // The page may have some outputs of a task; the rest of it comes before another one.
        let held = queue::in_hand(tx, study.id, rater)?;
        if let Some(place) = held.iter().find(|place| !except.contains(&place.output)) {
            queue::hand_over(tx, place.assignment, rater, lease_end())?;
            return Ok(Some(place.output));
        }
        tasks.extend(held.iter().map(|place| place.task));
        let Some(task) = next_task_for(tx, study, rater, &tasks)? else { return Ok(None) };
        return Ok(task.into_iter().find(|(_, rated)| !rated).map(|(output, _)| output));
    }
    let held = queue::in_hand(tx, study.id, rater)?;
    let found = match held.iter().find(|place| !except.contains(&place.output)) {
        Some(place) => Some(*place),
        None => match apart(tx, study, rater, &held)? {
            Some(place) => Some(place),
            None => others(tx, study, rater)?,
        },
    };
    let Some(place) = found else { return Ok(None) };
    queue::hand_over(tx, place.assignment, rater, lease_end())?;
    Ok(Some(place.output))
}

/// Leases the rater's next task besides those `except`: its outputs under this rater's letters, each
/// with whether they rated it already. `None` where nothing is left.
pub fn next_task_for(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    except: &[TaskRevisionId],
) -> Result<Option<Vec<(OutputId, bool)>>, Failure> {
    let held = queue::in_hand(tx, study.id, rater)?.into_iter().find(|place| !except.contains(&place.task));
    let found = match held {
        Some(place) => Some(place.task),
        None => {
            // Those on the page may have outputs that wait still, where somebody left them half done.
            let mut own = queue::waiting(tx, study.id, rater, 64)?.into_iter();
            match own.find(|place| !except.contains(&place.task)) {
                Some(place) => Some(place.task),
                None => match others(tx, study, rater)? {
                    Some(place) => Some(take_task(tx, study, rater, place)?),
                    None => None,
                },
            }
        }
    };
    let Some(task) = found else { return Ok(None) };
    let mut outputs = queue::of_task(tx, study.id, rater, task)?;
    for (place, rated) in &outputs {
        if !rated {
            queue::hand_over(tx, place.assignment, rater, lease_end())?;
        }
    }
    outputs.sort_by_key(|(place, _)| letter_rank(study.seed, rater, place.output));
    Ok(Some(outputs.into_iter().map(|(place, rated)| (place.output, rated)).collect()))
}

/// The next of the rater's own plan, passing over tasks they have just seen.
fn apart(tx: &Connection, study: &RaterStudy, rater: UserId, held: &[Place]) -> Result<Option<Place>, Failure> {
    let own = queue::waiting(tx, study.id, rater, 2 * APART)?;
    let mut recent: Vec<TaskRevisionId> = held.iter().rev().map(|place| place.task).collect();
    recent.extend(queue::seen(tx, study.id, rater, APART)?);
    recent.truncate(APART);
    // How many outputs ago its task was seen; the first of the plan among those longest ago.
    let ago = |place: &Place| recent.iter().position(|task| *task == place.task).unwrap_or(APART);
    let farthest = own.iter().map(ago).max();
    Ok(own.iter().find(|place| Some(ago(place)) == farthest).copied())
}

/// What a rater whose own plan is done may take over: what is planned for nobody, then what somebody
/// leased and left, then what those with the most work have not begun.
fn others(tx: &Connection, study: &RaterStudy, rater: UserId) -> Result<Option<Place>, Failure> {
    let whole = study.presentation == Presentation::SideBySide;
    if let Some(share) = study.share
        && plan::units(tx, study.id, rater, study.presentation)? >= u64::from(share)
    {
        return Ok(None);
    }
    let take = |from| queue::takeable(tx, study.id, rater, from, study.reads, whole);
    if let Some(place) = take(From::Nobody)? {
        return noted(tx, study, rater, place);
    }
    if let Some(place) = queue::run_out(tx, study.id, rater, study.reads, clock::now())? {
        return noted(tx, study, rater, place);
    }
    for donor in queue::busiest(tx, study.id, rater)? {
        if let Some(place) = take(From::Rater(donor))? {
            return noted(tx, study, rater, place);
        }
    }
    Ok(None)
}

fn noted(tx: &Connection, study: &RaterStudy, rater: UserId, place: Place) -> Result<Option<Place>, Failure> {
    plan::note(
        tx,
        study.id,
        "taken",
        Some(rater),
        &plan::Moved { ratings: 1, from: queue::holder(tx, place.assignment)? },
    )?;
    Ok(Some(place))
}

/// Takes over a task with all its outputs.
fn take_task(tx: &Connection, study: &RaterStudy, rater: UserId, first: Place) -> Result<TaskRevisionId, Failure> {
    let from = queue::holder(tx, first.assignment)?;
    for place in queue::rest_of_task(tx, study.id, rater, from, first.task)? {
        queue::hand_over(tx, place.assignment, rater, lease_end())?;
    }
    Ok(first.task)
}

/// Decides the letter of an output for this rater: a hash of seed, rater and output, so that every
/// rater has an order of their own and the same seed gives it again.
pub fn letter_rank(seed: u64, rater: UserId, output: OutputId) -> [u8; 8] {
    let mut hash = Sha256::new();
    for part in [seed.to_be_bytes(), rater.0.to_be_bytes(), output.0.to_be_bytes()] {
        hash.update(part);
    }
    let digest = hash.finalize();
    let mut rank = [0; 8];
    rank.copy_from_slice(&digest[..8]);
    rank
}
