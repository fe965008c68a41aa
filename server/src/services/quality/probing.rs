//! Probes among a rater's work: the items that open a study, and those that come unmarked.
//!
//! Called by `services/grading.rs` inside its transactions. What must stay true: an unmarked probe
//! looks to its rater like any other output. It has a token of the same kind, the same answers to the
//! same calls, its place among what was rated before, and it is counted as work (`schedule` says how
//! what is left is counted); nothing about it is in the study's ratings.

use app::{
    error::{AppError, Refusal},
    model::{
        code::CodeView,
        feedback::{Feedback, OpeningResult, OpeningStep},
        grading::{Draft, OwnRating, Progress},
        ids::{StudyId, Token, UserId},
        lang::{Bilingual, Lang},
        quality::{Opening, OpeningState, QualitySettings},
        time::Timestamp,
    },
};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::schedule::{Schedule, Slot};
use crate::{
    db::{
        grading::{RaterStudy, Shown, shown},
        quality::{
            self, gold, openings,
            probes::{self, Kind, Probe},
        },
        queue::SKIPS,
    },
    error::Failure,
};

/// What stands between a rater and the work.
pub enum Gate {
    /// Nothing: on to the work.
    Open,
    /// An item of the opening.
    Item(Probe),
    /// The known scores of an item just rated.
    Feedback(Probe),
    /// The opening is behind them.
    Passed(OpeningResult),
    /// They are stopped.
    Stopped(OpeningResult),
}

/// What comes before the work, where anything does.
pub fn gate(conn: &Connection, study: &RaterStudy, rater: UserId, holding: &[Token]) -> Result<Gate, Failure> {
    let settings = quality::settings(conn, study.id)?;
    if settings.opening == Opening::None {
        return Ok(Gate::Open);
    }
    let standing = match openings::get(conn, study.id, rater)? {
        Some(standing) => standing,
        None if gold::asked(conn, study.id)?.is_empty() => return Ok(Gate::Open),
        None => {
            openings::begin(conn, study.id, rater)?;
            openings::Standing { round: 0, state: OpeningState::Open, let_in: false, told: false }
        }
    };
    let round = standing.round;
    match standing.state {
        OpeningState::Passed if standing.told || !holding.is_empty() => Ok(Gate::Open),
        OpeningState::Passed => Ok(Gate::Passed(result(conn, study, rater, round, &settings)?)),
        OpeningState::Stopped => Ok(Gate::Stopped(result(conn, study, rater, round, &settings)?)),
        OpeningState::Open => at_opening(conn, study, rater, round, &settings),
    }
}

fn at_opening(
    conn: &Connection,
    study: &RaterStudy,
    rater: UserId,
    round: u32,
    settings: &QualitySettings,
) -> Result<Gate, Failure> {
    let given = opening_probes(conn, study.id, rater, round)?;
    if settings.opening == Opening::Train
        && let Some(probe) = given.iter().find(|p| p.rated_at.is_some() && !p.told)
    {
        return Ok(Gate::Feedback(probe.clone()));
    }
    if let Some(probe) = given.iter().find(|p| p.rated_at.is_none()) {
        // Though the page may have it: there is nothing to fetch ahead of it.
        return Ok(Gate::Item(probe.clone()));
    }
    let mut open: Vec<i64> = gold::asked(conn, study.id)?;
    open.retain(|item| given.iter().all(|p| p.gold != Some(*item)));
    open.sort_by_key(|item| rank(study.seed, rater, *item));
    if let Some(item) = open.first() {
        return Ok(Gate::Item(probes::insert_gold(conn, study.id, rater, Kind::Opening, round, *item)?));
    }
    let result = result(conn, study, rater, round, settings)?;
    let passed = settings.opening == Opening::Train || result.right >= result.needed;
    openings::decide(conn, study.id, rater, passed, false)?;
    Ok(if passed { Gate::Passed(result) } else { Gate::Stopped(result) })
}

fn opening_probes(conn: &Connection, study: StudyId, rater: UserId, round: u32) -> Result<Vec<Probe>, Failure> {
    let mut probes = probes::list(conn, study, rater)?;
    probes.retain(|p| p.kind == Kind::Opening && p.round == round);
    Ok(probes)
}

/// An order of its own for every rater, the same each time.
fn rank(seed: u64, rater: UserId, item: i64) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [seed.to_be_bytes(), rater.0.to_be_bytes(), item.to_be_bytes()] {
        hash.update(part);
    }
    hash.finalize().into()
}

/// How many items of the opening's round the rater has rated, and how many of them rightly.
pub fn opening_score(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    round: u32,
    settings: &QualitySettings,
) -> Result<(u64, u64), Failure> {
    let (mut rated, mut right) = (0, 0);
    for probe in opening_probes(conn, study, rater, round)? {
        let (Some(draft), Some(item)) = (probes::current(conn, probe.id)?, probe.gold) else { continue };
        let Some(item) = gold::get(conn, item)? else { continue };
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
) -> Result<OpeningResult, Failure> {
    let (of, right) = opening_score(conn, study.id, rater, round, settings)?;
    let needed = if settings.opening == Opening::MustPass { u64::from(settings.needed) } else { 0 };
    Ok(OpeningResult { study: study.token.clone(), title: study.title.clone(), right, of, needed })
}

/// Which of the opening's items this is; `None` for what comes unmarked.
pub fn step(conn: &Connection, probe: &Probe) -> Result<Option<OpeningStep>, Failure> {
    if probe.kind != Kind::Opening {
        return Ok(None);
    }
    let given = opening_probes(conn, probe.study, probe.rater, probe.round)?;
    let number = given.iter().position(|p| p.id == probe.id).unwrap_or(0) as u64 + 1;
    let asked = gold::asked(conn, probe.study)?;
    let coming = asked.iter().filter(|item| given.iter().all(|p| p.gold != Some(**item))).count() as u64;
    let mode = quality::settings(conn, probe.study)?.opening;
    Ok(Some(OpeningStep { number, of: given.len() as u64 + coming, mode }))
}

/// The hidden probes of one rater, and where they come.
pub struct Hidden {
    settings: QualitySettings,
    probes: Vec<Probe>,
    /// Places handed out so far, and how many of these outputs are in hand.
    at: u64,
    in_hand: u64,
    gold: Vec<i64>,
}

/// The hidden probes of one rater; `None` where the study has none and never had.
pub fn hidden(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<Hidden>, Failure> {
    let settings = quality::settings(conn, study)?;
    let mut probes = probes::list(conn, study, rater)?;
    probes.retain(|p| p.kind != Kind::Opening);
    if !settings.probes() && probes.is_empty() {
        return Ok(None);
    }
    let (handed, in_hand) = probes::handed_out(conn, study, rater)?;
    let at = handed + probes.len() as u64;
    Ok(Some(Hidden { settings, probes, at, in_hand, gold: gold::asked(conn, study)? }))
}

impl Hidden {
    fn schedule(&self, study: &RaterStudy, rater: UserId) -> Schedule {
        // An item that was retired after it came still took its place.
        let used = self.probes.iter().filter(|p| p.kind == Kind::Gold);
        let gone = used.filter(|p| p.gold.is_some_and(|item| !self.gold.contains(&item))).count() as u64;
        Schedule::new(self.settings, study.seed, rater.0, self.gold.len() as u64 + gone)
    }

    /// The rater's progress with the probes counted as work.
    pub fn counted(&self, study: &RaterStudy, rater: UserId, work: Progress) -> Progress {
        let open = |p: &&Probe| p.rated_at.is_none() && p.skips < SKIPS;
        let to_come = work.left.saturating_sub(self.in_hand);
        Progress {
            rated: work.rated + self.probes.iter().filter(|p| p.rated_at.is_some()).count() as u64,
            skipped: work.skipped + self.probes.iter().filter(|p| p.rated_at.is_none() && p.skips > 0).count() as u64,
            left: work.left
                + self.probes.iter().filter(open).count() as u64
                + self.schedule(study, rater).ahead(self.at, to_come),
        }
    }

    /// The probe to hand out now instead of an output, where one is due. `left` is how many outputs
    /// are still to be handed out: behind the last one, no probe comes.
    pub fn due(
        &self,
        conn: &Connection,
        study: &RaterStudy,
        rater: UserId,
        holding: &[Token],
        left: u64,
    ) -> Result<Option<Probe>, Failure> {
        let free = |p: &&Probe| p.rated_at.is_none() && p.skips == 0 && !holding.contains(&p.token);
        if let Some(probe) = self.probes.iter().find(free) {
            return Ok(Some(probe.clone()));
        }
        if left.saturating_sub(self.in_hand) == 0 {
            // Passed over once, it comes again at the end, like any other output.
            let again =
                |p: &&Probe| p.rated_at.is_none() && (1..SKIPS).contains(&p.skips) && !holding.contains(&p.token);
            return Ok(self.probes.iter().find(again).cloned());
        }
        match self.schedule(study, rater).slot(self.at) {
            Slot::Work => Ok(None),
            Slot::Gold => {
                let fresh = |item: &&i64| self.probes.iter().all(|p| p.gold != Some(**item));
                let mut items: Vec<&i64> = self.gold.iter().filter(fresh).collect();
                // Another order than the opening's.
                items.sort_by_key(|item| rank(!study.seed, rater, **item));
                let Some(item) = items.first() else { return Ok(None) };
                Ok(Some(probes::insert_gold(conn, study.id, rater, Kind::Gold, 0, **item)?))
            }
            Slot::Repeat => {
                let apart = self.settings.repeat_apart;
                let Some((output, first)) = probes::repeatable(conn, study.id, rater, apart)? else {
                    return Ok(None);
                };
                Ok(Some(probes::insert_repeat(conn, study.id, rater, output, first)?))
            }
        }
    }

    /// Puts the rated probes among the rater's ratings, newest first.
    pub fn join(&self, conn: &Connection, own: &mut Vec<(Timestamp, OwnRating)>) -> Result<(), Failure> {
        for probe in &self.probes {
            let (Some(at), Some(draft)) = (probe.rated_at, probes::current(conn, probe.id)?) else { continue };
            let shown = shown_of(conn, probe)?;
            let rating = OwnRating {
                token: probe.token.clone(),
                raw_nl: shown.raw_nl,
                lang: shown.lang,
                scores: draft.scores,
                commented: !draft.comment.is_empty(),
                flagged: draft.flag.is_some(),
                notes: draft.notes,
            };
            own.push((at, rating));
        }
        own.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Ok(())
    }
}

/// The text of a probe and of its task.
pub fn shown_of(conn: &Connection, probe: &Probe) -> Result<Shown, Failure> {
    if let Some(output) = probe.output {
        return shown(conn, output);
    }
    let item = match probe.gold {
        Some(item) => gold::get(conn, item)?,
        None => None,
    };
    let item = item.ok_or_else(|| Failure::internal("a probe without an item"))?;
    Ok(Shown { raw_nl: item.raw_nl, lang: item.lang, signature: item.signature, code: item.code, said: item.said })
}

/// The known scores of an item beside what the rater gave, without its code, which is laid out later.
pub fn feedback(conn: &Connection, study: &RaterStudy, probe: &Probe, lang: Lang) -> Result<Feedback, Failure> {
    let item = probe.gold.map(|item| gold::get(conn, item)).transpose()?.flatten();
    let item = item.ok_or_else(|| Failure::internal("a calibration item that is not there"))?;
    let step = step(conn, probe)?.ok_or_else(|| Failure::internal("feedback to what is no calibration item"))?;
    let reason = |text: &Bilingual| {
        let (wanted, other) = (text.get(lang), if lang == Lang::En { &text.zh } else { &text.en });
        if wanted.is_empty() { other.clone() } else { wanted.to_owned() }
    };
    Ok(Feedback {
        token: probe.token.clone(),
        study: study.token.clone(),
        title: study.title.clone(),
        step,
        raw_nl: item.raw_nl,
        lang: item.lang,
        signature: item.signature,
        code: CodeView::default(),
        rubric: study.rubric.clone(),
        yours: probes::current(conn, probe.id)?.map(|draft| draft.scores).unwrap_or_default(),
        known: item.scores,
        reasons: item.reasons.iter().map(reason).collect(),
    })
}

/// Whether that submission, or one that says the same, was stored before.
pub fn known(conn: &Connection, probe: &Probe, draft: &Draft, key: &str) -> Result<bool, Failure> {
    Ok(probes::stored(conn, probe.id, key)?
        || probes::current(conn, probe.id)?.is_some_and(|current| current.same(draft)))
}

/// Stores a rating of a probe. An item of the opening is answered once.
pub fn submit(conn: &Connection, probe: &Probe, draft: &Draft, key: &str) -> Result<(), Failure> {
    if probe.kind == Kind::Opening {
        if probe.rated_at.is_some() {
            return Err(refused(Refusal::AnsweredOnce));
        }
        if openings::get(conn, probe.study, probe.rater)?.is_some_and(|s| s.round != probe.round) {
            return Err(refused(Refusal::BegunAgain));
        }
    }
    probes::insert_rating(conn, probe.id, draft, key)
}

/// Takes the newest rating of the rater's back, where it is this probe's.
pub fn undo(conn: &Connection, probe: &Probe) -> Result<(), Failure> {
    let Some(said) = probes::current(conn, probe.id)? else {
        // Taken back before: the same request again, or a second tab.
        return Ok(());
    };
    if probe.kind == Kind::Opening {
        return Err(refused(Refusal::AnsweredOnce));
    }
    if newest(conn, probe.study, probe.rater)? != Some(probe.id) {
        return Err(not_last());
    }
    probes::withdraw(conn, probe.id, &said)
}

/// The probe whose rating is the rater's newest of all; `None` where an output's is.
pub fn newest(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<i64>, Failure> {
    probes::newest(conn, study, rater)
}

/// Only the newest rating can be taken back.
pub fn not_last() -> Failure {
    refused(Refusal::NotLast)
}

fn refused(refusal: Refusal) -> Failure {
    AppError::Refused(refusal).into()
}

/// Passes over a probe. Pressed twice, or in a second tab, it counts once: only what is open can be
/// passed over. An item of the opening cannot.
pub fn skip(conn: &Connection, probe: &Probe) -> Result<(), Failure> {
    match probe.kind {
        Kind::Opening => Err(refused(Refusal::NotSkipped)),
        _ if probe.rated_at.is_some() => Ok(()),
        _ => probes::skip(conn, probe.id),
    }
}
