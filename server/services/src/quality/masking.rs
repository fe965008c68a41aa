//! Masking: hides names of models in a submission's outputs from raters. The stored
//! outputs do not change, only what raters and adjudicators see.

use model::{
    ids::{StudyId, SubmissionId, UserId},
    submission::{IdentityLeak, MaskState, PREVIEW_LIST, StudyLeaks, SubmissionLeaks},
    text::natural_cmp,
};
use rusqlite::Connection;

use base::error::Failure;
use db::{plan, quality::masks, submissions};
use formats::identity_leaks::LeakFinder;

/// Searching more outputs than this takes seconds, so it is done on request.
const SEARCHED: u64 = 2000;

/// Finds names of models: those that are stored here, and well-known ones.
pub fn leak_finder(conn: &Connection) -> Result<LeakFinder, Failure> {
    let known = submissions::model_names(conn)?;
    Ok(LeakFinder::new(known.iter().map(String::as_str)))
}

/// The masked names, and text that identifies the model.
///
/// # Errors
/// The submission does not exist.
pub fn state(conn: &Connection, submission: SubmissionId, whole: bool) -> Result<MaskState, Failure> {
    let row = submissions::get(conn, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
    if row.outputs > SEARCHED && !whole {
        return Ok(MaskState { masked: masks::get(conn, submission)?, unread: true, ..MaskState::default() });
    }
    let finder = leak_finder(conn)?;
    let mut found: Vec<IdentityLeak> = Vec::new();
    let (mut names, mut count) = (Vec::new(), 0);
    for (_, task_id, code, surrounding_text) in masks::texts(conn, submission)? {
        let Some(leak) = finder.find(0, &task_id, &code, &surrounding_text) else { continue };
        count += 1;
        leak.add_names(&mut names);
        if found.len() < PREVIEW_LIST {
            found.push(leak);
        }
    }
    names.sort_by(|a, b| natural_cmp(a, b));
    let masked = masks::get(conn, submission)?;
    Ok(MaskState { masked, names, identity_leaks: found, identity_leak_count: count, unread: false })
}

/// Outputs that the study grades, that are not masked and that name a model.
///
/// # Errors
/// The study does not exist.
pub fn of_study(conn: &Connection, study: StudyId, whole: bool) -> Result<StudyLeaks, Failure> {
    let input = plan::input(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
    let finder = leak_finder(conn)?;
    let mut found = StudyLeaks::default();
    for submission in input.submissions {
        if masks::get(conn, submission)?.is_some() {
            continue;
        }
        let row = submissions::get(conn, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
        if row.outputs > SEARCHED && !whole {
            found.unread = true;
            continue;
        }
        let (mut leaks, mut count) = (Vec::new(), 0);
        for (_, task_id, code, surrounding_text) in masks::texts_of_study(conn, study, submission)? {
            let Some(leak) = finder.find(0, &task_id, &code, &surrounding_text) else { continue };
            count += 1;
            leak.add_names(&mut found.names);
            if leaks.len() < PREVIEW_LIST {
                leaks.push(leak);
            }
        }
        if count > 0 {
            found.count += count;
            found.submissions.push(SubmissionLeaks { submission, model: row.model_name, count, identity_leaks: leaks });
        }
    }
    found.names.sort_by(|a, b| natural_cmp(a, b));
    Ok(found)
}

/// Masks every known name, including the submission's model, or shows the original text.
pub fn set(conn: &Connection, submission: SubmissionId, on: bool, by: Option<UserId>) -> Result<(), Failure> {
    submissions::get(conn, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
    if on { masks::set(conn, submission, &leak_finder(conn)?.names(), by) } else { masks::clear(conn, submission) }
}
