//! The rater's side of a study.
//!
//! Work is handed out one output at a time, under a lease: whoever closes the laptop blocks nobody
//! for longer than that, and finds their draft again. The order is drawn from the study's seed for
//! each rater, and two outputs of one task are kept apart. That an output gets exactly its overlap of
//! different raters is held by the database, not by this code.

use app::{
    error::{AppError, Refusal},
    model::{
        feedback::{Calibration, Feedback, FlagReply, OpeningStep},
        grading::{
            DeskStudy, Draft, DraftFault, GradingItem, Next, NextTask, OwnRating, Progress, Receipt, RubricSheet,
        },
        ids::{OutputId, Token, UserId},
        lang::Lang,
        plan::Presentation,
        study::StudyStatus,
    },
    port::{AHEAD, Answer, Caller, Grading},
};
use async_trait::async_trait;
use rusqlite::Connection;

use crate::{
    clock,
    db::{
        Db,
        grading::{self, RaterStudy},
        quality::{
            flags,
            probes::{self, Probe},
        },
        queue, withdrawals,
    },
    error::Failure,
    layout,
    services::{
        handing,
        quality::{
            self,
            probing::{self, Gate},
        },
    },
};

/// The longest name of a submission.
const KEY_MAX: usize = 64;

/// The service; see the module.
pub struct GradingService {
    db: Db,
}

impl GradingService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        GradingService { db }
    }

    async fn view(parts: Parts) -> GradingItem {
        let Parts { token, study, shown, draft, rated, progress, previous, following, opening, replies } = parts;
        GradingItem {
            token,
            study: study.token,
            title: study.title,
            presentation: study.presentation,
            code: layout::view(shown.code, shown.said).await,
            raw_nl: shown.raw_nl,
            lang: shown.lang,
            signature: shown.signature,
            rubric: study.rubric,
            draft,
            rated,
            progress,
            previous,
            following,
            opening,
            replies,
        }
    }

    /// Adds the view of the code, outside the transaction.
    async fn answer(found: Found) -> Next {
        match found {
            Found::Parts(parts) => Next::Item(Box::new(Self::view(*parts).await)),
            Found::Feedback(feedback, shown) => {
                let code = layout::view(shown.code, shown.said).await;
                Next::Calibration(Box::new(Calibration::Feedback(Box::new(Feedback { code, ..*feedback }))))
            }
            Found::Other(next) => next,
        }
    }
}

/// What a transaction brings back for a [`GradingItem`]; the code is laid out after it has ended.
struct Parts {
    token: Token,
    study: RaterStudy,
    shown: grading::Shown,
    draft: Draft,
    rated: bool,
    progress: app::model::grading::Progress,
    previous: Option<Token>,
    following: Option<Token>,
    opening: Option<OpeningStep>,
    replies: Vec<FlagReply>,
}

/// [`Next`] before its code is laid out.
enum Found {
    Parts(Box<Parts>),
    Feedback(Box<Feedback>, grading::Shown),
    Other(Next),
}

#[async_trait]
impl Grading for GradingService {
    async fn desk(&self, caller: &Caller) -> Answer<Vec<DeskStudy>> {
        let rater = caller.user()?.id;
        Ok(self
            .db
            .read(move |conn| {
                let studies = grading::studies(conn, rater)?;
                let desk = studies.into_iter().map(|study| {
                    Ok(DeskStudy {
                        progress: progress(conn, &study, rater)?,
                        presentation: study.presentation,
                        token: study.token,
                        title: study.title,
                        open: study.status == StudyStatus::Running,
                    })
                });
                desk.collect()
            })
            .await?)
    }

    async fn next(&self, caller: &Caller, study: &Token, holding: Vec<Token>) -> Answer<Next> {
        let me = caller.user()?;
        let (rater, lang) = (me.id, me.lang);
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                if study.status != StudyStatus::Running {
                    let progress = progress(tx, &study, rater)?;
                    return Ok(Found::Other(Next::Paused { title: study.title, progress }));
                }
                if let Some(first) = calibration(tx, &study, rater, lang, &holding)? {
                    return Ok(first);
                }
                if let Some(probe) = due(tx, &study, rater, &holding)? {
                    return Ok(Found::Parts(Box::new(gather_probe(tx, study, &probe)?)));
                }
                let held = held(tx, &study, rater, &holding)?;
                match handing::next_for(tx, &study, rater, &held)? {
                    Some(output) => Ok(Found::Parts(Box::new(gather(tx, study, output, rater)?))),
                    None => Ok(Found::Other(finished(tx, study, rater)?)),
                }
            })
            .await?;
        Ok(Self::answer(found).await)
    }

    async fn next_task(&self, caller: &Caller, study: &Token, holding: Vec<Token>) -> Answer<NextTask> {
        let me = caller.user()?;
        let (rater, lang) = (me.id, me.lang);
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                // The items of a calibration come one at a time in every study.
                let opening =
                    study.status == StudyStatus::Running && calibration(tx, &study, rater, lang, &holding)?.is_some();
                if study.presentation == Presentation::One || opening {
                    return Ok(Err(NextTask::OneByOne));
                }
                if study.status != StudyStatus::Running {
                    let progress = queue::progress(tx, study.id, rater)?;
                    return Ok(Err(NextTask::Paused { title: study.title, progress }));
                }
                let held = held(tx, &study, rater, &holding)?;
                let tasks = held.into_iter().filter_map(|output| queue::task_of(tx, output).transpose());
                let tasks = tasks.collect::<Result<Vec<_>, Failure>>()?;
                match handing::next_task_for(tx, &study, rater, &tasks)? {
                    Some(outputs) => {
                        let parts = outputs.into_iter().map(|(output, _)| gather(tx, study.clone(), output, rater));
                        Ok(Ok(parts.collect::<Result<Vec<_>, Failure>>()?))
                    }
                    None => {
                        let progress = progress(tx, &study, rater)?;
                        let (previous, _) = grading::neighbours(tx, study.id, rater, None)?;
                        Ok(Err(NextTask::Finished { title: study.title, progress, previous }))
                    }
                }
            })
            .await?;
        Ok(match found {
            Ok(parts) => NextTask::Task(futures::future::join_all(parts.into_iter().map(Self::view)).await),
            Err(other) => other,
        })
    }

    async fn item(&self, caller: &Caller, assignment: &Token) -> Answer<GradingItem> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        let parts = self
            .db
            .read(move |conn| {
                if let Some((study, probe)) = probed(conn, &token, rater)? {
                    return gather_probe(conn, study, &probe);
                }
                let (study, output) = handed(conn, &token, rater)?;
                gather(conn, study, output, rater)
            })
            .await?;
        Ok(Self::view(parts).await)
    }

    async fn save_draft(&self, caller: &Caller, assignment: &Token, draft: Draft) -> Answer<()> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        Ok(self
            .db
            .write(move |tx| {
                if let Some((study, probe)) = probed(tx, &token, rater)? {
                    if let Some(fault) = draft.draft_fault(&study.rubric) {
                        return Err(AppError::Draft(fault).into());
                    }
                    has_lines(&draft, || probing::shown_of(tx, &probe))?;
                    return probes::save_draft(tx, probe.id, &draft);
                }
                let (study, output) = handed(tx, &token, rater)?;
                if let Some(fault) = draft.draft_fault(&study.rubric) {
                    return Err(AppError::Draft(fault).into());
                }
                has_lines(&draft, || grading::shown(tx, output))?;
                // A sign of life; where the lease has meanwhile gone to somebody else, the draft is
                // kept all the same.
                if study.status == StudyStatus::Running {
                    queue::renew(tx, study.id, output, rater, handing::lease_end())?;
                }
                grading::save_draft(tx, study.id, output, rater, &draft)
            })
            .await?)
    }

    async fn submit(&self, caller: &Caller, assignment: &Token, draft: Draft, key: &str) -> Answer<Receipt> {
        let rater = caller.user()?.id;
        if key.len() > KEY_MAX || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(AppError::Malformed);
        }
        // A form without JavaScript names no submission. It needs none: the same content again is
        // recognised below.
        let key = if key.is_empty() { clock::token().0 } else { key.to_owned() };
        let token = assignment.clone();
        Ok(self
            .db
            .write(move |tx| {
                if let Some((study, probe)) = probed(tx, &token, rater)? {
                    return submit_probe(tx, &study, &probe, &draft, &key);
                }
                let (study, output) = handed(tx, &token, rater)?;
                if grading::stored(tx, study.id, output, rater, &key)? {
                    return Ok(Receipt::AlreadyStored);
                }
                if let Some(fault) = draft.fault(&study.rubric) {
                    return Err(AppError::Draft(fault).into());
                }
                has_lines(&draft, || grading::shown(tx, output))?;
                let current = grading::current(tx, study.id, output, rater, study.rubric.dimensions.len())?;
                if current.as_ref().is_some_and(|current| current.same(&draft)) {
                    return Ok(Receipt::AlreadyStored);
                }
                if study.status != StudyStatus::Running {
                    return Err(not_running());
                }
                if !queue::renew(tx, study.id, output, rater, handing::lease_end())? {
                    return Err(AppError::Refused(Refusal::Away).into());
                }
                grading::insert_rating(tx, study.id, output, rater, &draft, &key)?;
                quality::after_rating(tx, study.id, output, &study.rubric)?;
                Ok(Receipt::Stored)
            })
            .await?)
    }

    async fn skip(&self, caller: &Caller, assignment: &Token) -> Answer<()> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        Ok(self
            .db
            .write(move |tx| {
                if let Some((_, probe)) = probed(tx, &token, rater)? {
                    return probing::skip(tx, &probe);
                }
                let (study, output) = handed(tx, &token, rater)?;
                // Pressed twice, or in a second tab: only what is in hand can be passed over.
                let held = queue::in_hand(tx, study.id, rater)?;
                let Some(this) = held.iter().find(|place| place.output == output) else { return Ok(()) };
                // Side by side, one passes over a task with all its outputs.
                let whole = study.presentation == Presentation::SideBySide;
                for place in held.iter().filter(|p| p.output == output || (whole && p.task == this.task)) {
                    queue::pass_over(tx, study.id, place.output, rater)?;
                }
                Ok(())
            })
            .await?)
    }

    async fn undo(&self, caller: &Caller, assignment: &Token) -> Answer<()> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        Ok(self
            .db
            .write(move |tx| {
                if let Some((study, probe)) = probed(tx, &token, rater)? {
                    if study.status != StudyStatus::Running {
                        return Err(AppError::Refused(Refusal::Stays).into());
                    }
                    return probing::undo(tx, &probe);
                }
                let (study, output) = handed(tx, &token, rater)?;
                let Some(said) = grading::current(tx, study.id, output, rater, study.rubric.dimensions.len())? else {
                    // Taken back before: the same request again, or a second tab.
                    return Ok(());
                };
                if study.status != StudyStatus::Running {
                    return Err(AppError::Refused(Refusal::Stays).into());
                }
                let probe_after = probing::newest(tx, study.id, rater)?.is_some();
                if probe_after || withdrawals::last(tx, study.id, rater)? != Some(output) {
                    return Err(probing::not_last());
                }
                withdrawals::withdraw(tx, study.id, output, rater, &said, handing::lease_end())
            })
            .await?)
    }

    async fn rubric(&self, caller: &Caller, study: &Token) -> Answer<RubricSheet> {
        let rater = caller.user()?.id;
        let token = study.clone();
        Ok(self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(RubricSheet { title: study.title, rubric: study.rubric })
            })
            .await?)
    }

    async fn own(&self, caller: &Caller, study: &Token) -> Answer<Vec<OwnRating>> {
        let rater = caller.user()?.id;
        let token = study.clone();
        Ok(self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                let mut own = grading::own(conn, &study, rater)?;
                if let Some(hidden) = probing::hidden(conn, study.id, rater)? {
                    hidden.join(conn, &mut own)?;
                }
                Ok(own.into_iter().map(|(_, rating)| rating).collect())
            })
            .await?)
    }
}

fn handed(conn: &Connection, token: &Token, rater: UserId) -> Result<(RaterStudy, OutputId), Failure> {
    grading::handed(conn, token, rater)?.ok_or_else(|| Failure::not_found("output"))
}

/// Refuses notes on lines that the code does not have.
fn has_lines(draft: &Draft, shown: impl FnOnce() -> Result<grading::Shown, Failure>) -> Result<(), Failure> {
    let Some(last) = draft.notes.last() else { return Ok(()) };
    let code = shown()?.code;
    let lines = code.split('\n').count();
    // In order, so the last one is the furthest.
    if usize::try_from(last.at.line).is_ok_and(|line| line <= lines) {
        Ok(())
    } else {
        Err(AppError::Draft(DraftFault::Notes).into())
    }
}

/// The outputs behind the names that the page says it has: at most [`AHEAD`] of them, so that nobody
/// takes a study home.
fn held(conn: &Connection, study: &RaterStudy, rater: UserId, tokens: &[Token]) -> Result<Vec<OutputId>, Failure> {
    let mut held = Vec::new();
    for token in tokens.iter().take(4 * AHEAD) {
        if let Some((of, output)) = grading::handed(conn, token, rater)?
            && of.id == study.id
            && queue::rated_at(conn, study.id, output, rater)?.is_none()
        {
            held.push(output);
        }
    }
    held.truncate(AHEAD);
    Ok(held)
}

fn gather(conn: &Connection, study: RaterStudy, output: OutputId, rater: UserId) -> Result<Parts, Failure> {
    let rated_at = queue::rated_at(conn, study.id, output, rater)?;
    let (previous, following) = grading::neighbours(conn, study.id, rater, rated_at)?;
    let current = grading::current(conn, study.id, output, rater, study.rubric.dimensions.len())?;
    let draft = grading::draft(conn, study.id, output, rater)?;
    let token = grading::handout(conn, study.id, output, rater)?;
    Ok(Parts {
        shown: grading::shown(conn, output)?,
        draft: draft.or(current).unwrap_or_else(|| Draft::blank(&study.rubric)),
        rated: rated_at.is_some(),
        progress: progress(conn, &study, rater)?,
        previous,
        following,
        opening: None,
        replies: replies(conn, rater, &token)?,
        token,
        study,
    })
}

/// Where the rater stands; unmarked probes count as work.
fn progress(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<Progress, Failure> {
    let work = queue::progress(conn, study.id, rater)?;
    Ok(match probing::hidden(conn, study.id, rater)? {
        Some(hidden) => hidden.counted(study, rater, work),
        None => work,
    })
}

fn replies(conn: &Connection, rater: UserId, token: &Token) -> Result<Vec<FlagReply>, Failure> {
    Ok(flags::beside(conn, rater, token)?.into_iter().map(quality::reply).collect())
}

fn finished(conn: &Connection, study: RaterStudy, rater: UserId) -> Result<Next, Failure> {
    let progress = progress(conn, &study, rater)?;
    let (previous, _) = grading::neighbours(conn, study.id, rater, None)?;
    Ok(Next::Finished { title: study.title, progress, previous })
}

fn not_running() -> Failure {
    AppError::Refused(Refusal::NotRunning).into()
}

/// The probe that the rater knows under that name, if it is one.
fn probed(conn: &Connection, token: &Token, rater: UserId) -> Result<Option<(RaterStudy, Probe)>, Failure> {
    let Some(probe) = probes::handed(conn, token, rater)? else { return Ok(None) };
    let study = grading::study_of(conn, probe.study, rater)?.ok_or_else(|| Failure::not_found("output"))?;
    Ok(Some((study, probe)))
}

/// What of the study's calibration comes before the work.
fn calibration(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    lang: Lang,
    holding: &[Token],
) -> Result<Option<Found>, Failure> {
    let other = |calibration| Ok(Some(Found::Other(Next::Calibration(Box::new(calibration)))));
    match probing::gate(tx, study, rater, holding)? {
        Gate::Open => Ok(None),
        Gate::Item(probe) => Ok(Some(Found::Parts(Box::new(gather_probe(tx, study.clone(), &probe)?)))),
        Gate::Feedback(probe) => {
            let shown = probing::shown_of(tx, &probe)?;
            let feedback = probing::feedback(tx, study, &probe, lang)?;
            Ok(Some(Found::Feedback(Box::new(feedback), shown)))
        }
        Gate::Passed(result) => other(Calibration::Passed(result)),
        Gate::Stopped(result) => other(Calibration::Stopped(result)),
    }
}

/// The unmarked probe to hand out now, where one is due. Where outputs stand side by side there is
/// none: it could not be told from a task with a single output, and that would mark it.
fn due(tx: &Connection, study: &RaterStudy, rater: UserId, holding: &[Token]) -> Result<Option<Probe>, Failure> {
    if study.presentation == Presentation::SideBySide {
        return Ok(None);
    }
    let Some(hidden) = probing::hidden(tx, study.id, rater)? else { return Ok(None) };
    let left = queue::progress(tx, study.id, rater)?.left;
    // What is in hand and not on the page comes first, as it was handed out first.
    let held = held(tx, study, rater, holding)?;
    if queue::in_hand(tx, study.id, rater)?.iter().any(|place| !held.contains(&place.output)) {
        return Ok(None);
    }
    hidden.due(tx, study, rater, holding, left)
}

fn gather_probe(conn: &Connection, study: RaterStudy, probe: &Probe) -> Result<Parts, Failure> {
    let opening = probing::step(conn, probe)?;
    // Nothing leads back into a calibration, or from it into the work.
    let (previous, following) = match opening {
        Some(_) => (None, None),
        None => grading::neighbours(conn, study.id, probe.rater, probe.rated_at)?,
    };
    let (draft, current) = (probes::draft(conn, probe.id)?, probes::current(conn, probe.id)?);
    Ok(Parts {
        token: probe.token.clone(),
        shown: probing::shown_of(conn, probe)?,
        draft: draft.or(current).unwrap_or_else(|| Draft::blank(&study.rubric)),
        rated: probe.rated_at.is_some(),
        progress: progress(conn, &study, probe.rater)?,
        previous,
        following,
        opening,
        replies: replies(conn, probe.rater, &probe.token)?,
        study,
    })
}

fn submit_probe(
    tx: &Connection,
    study: &RaterStudy,
    probe: &Probe,
    draft: &Draft,
    key: &str,
) -> Result<Receipt, Failure> {
    if probing::known(tx, probe, draft, key)? {
        return Ok(Receipt::AlreadyStored);
    }
    if let Some(fault) = draft.fault(&study.rubric) {
        return Err(AppError::Draft(fault).into());
    }
    has_lines(draft, || probing::shown_of(tx, probe))?;
    if study.status != StudyStatus::Running {
        return Err(not_running());
    }
    probing::submit(tx, probe, draft, key)?;
    Ok(Receipt::Stored)
}
