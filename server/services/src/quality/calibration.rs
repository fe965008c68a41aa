//! The calibration items that open a study, and the texts of hidden checks.
//!
//! Called by `services/grading` inside its transactions.

use model::{
    code::CodeView,
    error::Refusal,
    feedback::{CalibrationResult, CalibrationStep, Feedback},
    ids::{OutputId, StudyId, Token, UserId},
    lang::{Bilingual, Lang},
    quality::{CalibrationMode, CalibrationState, QualitySettings},
};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{grading::Verb, visible_texts::VisibleTexts};
use base::error::Failure;
use db::{
    grading::{self, RaterStudy, StoredTexts},
    quality::{
        self, calibrations,
        checks::{self, Check, Kind},
        known_items,
    },
};

/// The next step of a rater before the work.
pub enum Gate {
    /// None: the work begins.
    Open,
    /// A calibration item.
    Item(Check),
    /// The known scores of the item just rated.
    Feedback(Check),
    /// The calibration is done.
    Passed(CalibrationResult),
    /// The rater failed and is stopped.
    Stopped(CalibrationResult),
}

/// The step that comes before the work, if any.
pub fn gate(conn: &Connection, study: &RaterStudy, rater: UserId, holding: &[Token]) -> Result<Gate, Failure> {
    let settings = study.settings.quality;
    if settings.calibration == CalibrationMode::None {
        return Ok(Gate::Open);
    }
    let standing = match calibrations::get(conn, study.id, rater)? {
        Some(standing) => standing,
        None if items(conn, study.id, rater)?.is_empty() => return Ok(Gate::Open),
        None => {
            calibrations::begin(conn, study.id, rater)?;
            calibrations::CalibrationProgress {
                round: 0,
                state: CalibrationState::Open,
                admitted: false,
                acknowledged: false,
            }
        }
    };
    let round = standing.round;
    match standing.state {
        CalibrationState::Passed if standing.acknowledged || !holding.is_empty() => Ok(Gate::Open),
        CalibrationState::Passed => Ok(Gate::Passed(result(conn, study, rater, round, &settings)?)),
        CalibrationState::Stopped => Ok(Gate::Stopped(result(conn, study, rater, round, &settings)?)),
        CalibrationState::Open => next_calibration_item(conn, study, rater, round, &settings),
    }
}

fn next_calibration_item(
    conn: &Connection,
    study: &RaterStudy,
    rater: UserId,
    round: u32,
    settings: &QualitySettings,
) -> Result<Gate, Failure> {
    let given = items_given(conn, study.id, rater, round)?;
    if settings.calibration == CalibrationMode::Train
        && let Some(item) = given.iter().find(|p| p.rated_at.is_some() && !p.acknowledged)
    {
        return Ok(Gate::Feedback(item.clone()));
    }
    if let Some(item) = given.iter().find(|p| p.rated_at.is_none()) {
        // Even if the page has it: nothing may be prefetched behind it.
        return Ok(Gate::Item(item.clone()));
    }
    let mut open = items(conn, study.id, rater)?;
    open.retain(|item| given.iter().all(|p| p.known_item != Some(*item)));
    open.sort_by_key(|item| rank(study.seed, rater, *item));
    if let Some(item) = open.first() {
        return Ok(Gate::Item(checks::insert_known(conn, study.id, rater, Kind::Calibration, round, *item, None)?));
    }
    let result = result(conn, study, rater, round, settings)?;
    let passed = settings.calibration == CalibrationMode::Train || result.right >= result.needed;
    calibrations::decide(conn, study.id, rater, passed, false)?;
    Ok(if passed { Gate::Passed(result) } else { Gate::Stopped(result) })
}

/// The active items of the rater's calibration.
fn items(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<i64>, Failure> {
    known_items::available(conn, study, rater, Kind::Calibration, true)
}

fn items_given(conn: &Connection, study: StudyId, rater: UserId, round: u32) -> Result<Vec<Check>, Failure> {
    let mut items = checks::list(conn, study, rater)?;
    items.retain(|check| check.kind == Kind::Calibration && check.round == round);
    Ok(items)
}

/// The rater's own order, always the same.
pub(super) fn rank(seed: u64, rater: UserId, item: i64) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [seed.to_be_bytes(), rater.0.to_be_bytes(), item.to_be_bytes()] {
        hash.update(part);
    }
    hash.finalize().into()
}

/// How many items of the current round the rater has rated, and how many of them correctly.
pub fn score(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    round: u32,
    settings: &QualitySettings,
) -> Result<(u64, u64), Failure> {
    let (mut rated, mut right) = (0, 0);
    for check in items_given(conn, study, rater, round)? {
        let (Some(draft), Some(item)) = (checks::current(conn, check.id)?, check.known_item) else { continue };
        let Some(item) = known_items::get(conn, item)? else { continue };
        let given: Vec<u8> = draft.scores.into_iter().flatten().collect();
        rated += 1;
        right += u64::from(settings.right(&given, &item.scores));
    }
    Ok((rated, right))
}

fn result(
    conn: &Connection,
    study: &RaterStudy,
    rater: UserId,
    round: u32,
    settings: &QualitySettings,
) -> Result<CalibrationResult, Failure> {
    let (of, right) = score(conn, study.id, rater, round, settings)?;
    // Outputs that the rater graded are left out, so they may have fewer items than others.
    let needed = if settings.calibration == CalibrationMode::MustPass { of.min(settings.needed.into()) } else { 0 };
    Ok(CalibrationResult { study: study.token.clone(), title: study.title.clone(), right, of, needed })
}

/// The number of the calibration item; `None` for hidden checks.
pub fn step(conn: &Connection, check: &Check) -> Result<Option<CalibrationStep>, Failure> {
    if check.kind.is_hidden() {
        return Ok(None);
    }
    let given = items_given(conn, check.study, check.rater, check.round)?;
    let number = given.iter().position(|p| p.id == check.id).unwrap_or(0) as u64 + 1;
    let asked = items(conn, check.study, check.rater)?;
    let coming = asked.iter().filter(|item| given.iter().all(|p| p.known_item != Some(**item))).count() as u64;
    let mode = quality::settings(conn, check.study)?.calibration;
    Ok(Some(CalibrationStep { number, of: given.len() as u64 + coming, mode }))
}

/// The texts of a check as they are stored, and the output that it shows; none for pasted code.
pub fn stored_texts(conn: &Connection, check: &Check) -> Result<(StoredTexts, Option<OutputId>), Failure> {
    if let Some(output) = check.output {
        return Ok((grading::texts(conn, output)?, Some(output)));
    }
    let item = match check.known_item {
        Some(item) => known_items::get(conn, item)?,
        None => None,
    };
    let item = item.ok_or_else(|| Failure::internal("a check without an item"))?;
    Ok((item.texts, item.output))
}

/// The texts of a check, as its rater reads them.
pub fn visible_texts(conn: &Connection, check: &Check) -> Result<VisibleTexts, Failure> {
    match (stored_texts(conn, check)?, check.output) {
        ((texts, _), Some(output)) => VisibleTexts::of(conn, texts, output),
        ((texts, output), None) => VisibleTexts::of_known_item(conn, check.study, texts, output),
    }
}

/// The known scores of an item and the rater's scores, without its code, which is formatted later.
pub fn feedback(conn: &Connection, study: &RaterStudy, check: &Check, lang: Lang) -> Result<Feedback, Failure> {
    let item = check.known_item.map(|item| known_items::get(conn, item)).transpose()?.flatten();
    let item = item.ok_or_else(|| Failure::internal("a calibration item that is not there"))?;
    let step = step(conn, check)?.ok_or_else(|| Failure::internal("feedback to what is no calibration item"))?;
    let reason = |text: &Bilingual| {
        let (wanted, other) = (text.get(lang), if lang == Lang::En { &text.zh } else { &text.en });
        if wanted.is_empty() { other.clone() } else { wanted.to_owned() }
    };
    Ok(Feedback {
        token: check.token.clone(),
        study: study.token.clone(),
        title: study.title.clone(),
        step,
        raw_nl: item.texts.raw_nl,
        nl_lang: item.texts.nl_lang,
        signature: item.texts.signature,
        code: CodeView::default(),
        conversation: None,
        rubric: study.rubric.clone(),
        yours: checks::current(conn, check.id)?.map(|draft| draft.scores).unwrap_or_default(),
        known: item.scores,
        reasons: item.reasons.iter().map(reason).collect(),
    })
}

/// Why a calibration item refuses a request. A hidden check refuses only what work refuses.
pub fn refusal(conn: &Connection, check: &Check, verb: Verb) -> Result<Option<Refusal>, Failure> {
    if check.kind.is_hidden() {
        return Ok(None);
    }
    Ok(match verb {
        Verb::Skip => Some(Refusal::NotSkipped),
        Verb::Bookmark => Some(Refusal::NotBookmarked),
        Verb::Undo => Some(Refusal::AnsweredOnce),
        Verb::Submit if check.rated_at.is_some() => Some(Refusal::AnsweredOnce),
        Verb::Submit => {
            let standing = calibrations::get(conn, check.study, check.rater)?;
            standing.is_some_and(|standing| standing.round != check.round).then_some(Refusal::BegunAgain)
        }
    })
}
