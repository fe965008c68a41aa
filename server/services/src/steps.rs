//! Large changes of a study, in transactions so short that no rating waits for them.
//!
//! A change is computed from a snapshot. Its first transaction makes it known, with its entry in the audit log, and
//! stores the rest of it as steps ([`db::steps`]); [`finish`] takes one step per transaction. Ratings are stored
//! in between, so each step leaves the study consistent and changes nothing that raters did meanwhile.

use model::ids::StudyId;
use rusqlite::Connection;

use crate::quality;
use base::error::Failure;
use db::{
    Db, plan,
    steps::{self, Step},
};

/// Does what is left of a change of the study. The next change waits for that.
///
/// # Errors
///
/// Those of the database; what is left then stays for the next call.
pub async fn finish(db: &Db, study: StudyId) -> Result<(), Failure> {
    if !db.read(move |conn| steps::are_left(conn, study)).await? {
        return Ok(());
    }
    while db.write(move |tx| take(tx, study)).await? {}
    Ok(())
}

/// [`finish`], for every study: after the program was killed.
///
/// # Errors
///
/// As [`finish`].
pub async fn finish_all(db: &Db) -> Result<(), Failure> {
    for study in db.read(steps::studies).await? {
        finish(db, study).await?;
    }
    Ok(())
}

/// Refuses what must not happen before the study's steps are done.
///
/// # Errors
///
/// Fails if there are any.
pub fn none_left(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    match steps::are_left(conn, study)? {
        true => Err(Failure::conflict((
            "The study is being changed. Try again in a moment.",
            "项目正在更改中，请稍后再试。",
        ))),
        false => Ok(()),
    }
}

/// Steps as they are stored; made before the transaction.
///
/// # Errors
///
/// Fails if a step cannot be written as JSON, which no step does.
pub fn encoded(steps: &[Step]) -> Result<Vec<String>, Failure> {
    Ok(steps.iter().map(serde_json::to_string).collect::<Result<_, _>>()?)
}

/// Does the study's next step. Returns whether there was one.
fn take(conn: &Connection, study: StudyId) -> Result<bool, Failure> {
    // A study that is being deleted keeps its steps: they are deleted with it.
    let Some(input) = plan::input(conn, study)? else { return Ok(false) };
    let Some((id, step)) = steps::next(conn, study)? else { return Ok(false) };
    let rest = match step {
        Step::Clear => plan::clear(conn, study)?.then_some(Step::Clear),
        Step::Plan(planned) => {
            plan::insert(conn, study, &planned)?;
            None
        }
        Step::Add(planned) => {
            planned.iter().try_for_each(|one| plan::add(conn, study, one))?;
            None
        }
        Step::Move(moves) => {
            moves.iter().try_for_each(|one| plan::give(conn, study, input.settings.presentation, one))?;
            None
        }
        Step::Shares(shares) => {
            shares.iter().try_for_each(|(rater, share)| plan::set_share(conn, study, *rater, *share))?;
            None
        }
        Step::ExtraRaters(after) => quality::ask_after(conn, study, after)?.map(Step::ExtraRaters),
        Step::Disagreements(after) => quality::look_after(conn, study, after)?.map(Step::Disagreements),
    };
    match rest {
        Some(rest) => steps::replace(conn, id, &rest)?,
        None => steps::done(conn, id)?,
    }
    Ok(true)
}
