//! A study's limits on how its raters rate: a minimum time, and missed hidden checks.
//!
//! **What follows must not tell a hidden check from work.** So limits are checked only when a window of items ends,
//! and a window ends after a number of rated items, whatever they are. Each window is checked once: a rater who undoes
//! and rates again learns nothing. What the rater reads names neither the limit nor an item.

use model::{
    audit::{Action, Object},
    audit_details::Fact,
    ids::{StudyId, UserId},
    quality::{LimitAction, QualitySettings},
};
use rusqlite::{Connection, Transaction};

use base::error::Failure;
use db::{
    audit::Change,
    quality::{
        self, checks,
        limits::{self, Exceeded, RatedItem},
    },
};

/// Called in the transaction that stores a rating of work or of a hidden check.
pub fn after_rating(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    if !settings.has_limits() {
        return Ok(());
    }
    let rated = limits::rated(conn, study, rater)?;
    match limits::judged(conn, study, rater)? {
        None => limits::begin(conn, study, rater, rated.saturating_sub(1)),
        Some(judged) if rated >= judged + u64::from(settings.limit_window) => {
            limits::begin(conn, study, rater, rated)?;
            let window = limits::window(conn, study, rater, settings.limit_window)?;
            let of = exceeded(&settings, &window);
            if of.fast == 0 && of.missed == 0 {
                return Ok(());
            }
            let (warn, pause) =
                (settings.limit_action == LimitAction::Warn, settings.limit_action == LimitAction::Pause);
            limits::exceed(conn, study, rater, of, warn, pause)
        }
        Some(_) => Ok(()),
    }
}

/// How far the window exceeds the limits; no item is counted for a limit that was kept.
fn exceeded(settings: &QualitySettings, window: &[RatedItem]) -> Exceeded {
    let least = u64::from(settings.min_seconds) * 1000;
    let fast = window.iter().filter(|item| item.active_ms.is_some_and(|ms| ms < least)).count() as u64;
    let (mut checks, mut missed) = (0, 0);
    for (draft, known) in window.iter().filter_map(|item| item.known.as_ref()) {
        checks += 1;
        missed += u64::from(!settings.right(&checks::scores(draft), known));
    }
    let over = |count: u64, limit: u32, on: bool| if on && count >= u64::from(limit) { count } else { 0 };
    Exceeded {
        fast: over(fast, settings.fast_limit, settings.min_seconds > 0),
        missed: over(missed, settings.missed_limit, settings.missed_limit > 0),
        checks,
        items: window.len() as u64,
    }
}

/// Whether raters begin new windows, because the limits are different.
pub fn differ(old: &QualitySettings, new: &QualitySettings) -> bool {
    let of = |s: &QualitySettings| (s.min_seconds, s.fast_limit, s.missed_limit, s.limit_window);
    of(old) != of(new)
}

/// Pauses a rater, or lets a paused one continue.
pub fn pause(tx: &Transaction<'_>, study: StudyId, rater: UserId, paused: bool) -> Result<Change<()>, Failure> {
    super::setup(tx, study)?;
    if !quality::is_rater(tx, study, rater)? {
        return Err(Failure::not_found("rater"));
    }
    let changed = if paused { limits::pause(tx, study, rater)? } else { limits::resume(tx, study, rater)? };
    let entries = if changed { vec![(Object::Study(study), vec![Fact::Account(rater)])] } else { Vec::new() };
    Ok(Change::each(entries, ()))
}

/// The action in the audit log.
pub fn action(paused: bool) -> Action {
    if paused { Action::StudyPauseRater } else { Action::StudyResumeRater }
}
