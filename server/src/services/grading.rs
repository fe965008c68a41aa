//! The rater's side of a study.
//!
//! Work is handed out one output at a time, under a lease: whoever closes the laptop blocks nobody
//! for longer than that, and finds their draft again. The order is drawn from the study's seed for
//! each rater, and two outputs of one task are kept apart. That an output gets exactly its overlap of
//! different raters is held by the database, not by this code.

use app::{
    error::AppError,
    model::{
        grading::{DeskStudy, Draft, GradingItem, Next, NextTask, OwnRating, Receipt},
        ids::{OutputId, Token, UserId},
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
        queue,
    },
    error::Failure,
    layout,
    services::handing,
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

    fn view(parts: Parts) -> GradingItem {
        let Parts { token, study, shown, draft, rated, progress, previous, following } = parts;
        GradingItem {
            token,
            study: study.token,
            title: study.title,
            code: layout::view(&shown.code, &shown.said),
            raw_nl: shown.raw_nl,
            lang: shown.lang,
            signature: shown.signature,
            rubric: study.rubric,
            draft,
            rated,
            progress,
            previous,
            following,
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
}

/// [`Next`] before its code is laid out.
enum Found {
    Parts(Box<Parts>),
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
                        progress: queue::progress(conn, study.id, rater)?,
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
        let rater = caller.user()?.id;
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                if study.status != StudyStatus::Running {
                    let progress = queue::progress(tx, study.id, rater)?;
                    return Ok(Found::Other(Next::Paused { title: study.title, progress }));
                }
                let held = held(tx, &study, rater, &holding)?;
                match handing::next_for(tx, &study, rater, &held)? {
                    Some(output) => Ok(Found::Parts(Box::new(gather(tx, study, output, rater)?))),
                    None => {
                        let progress = queue::progress(tx, study.id, rater)?;
                        let (previous, _) = grading::neighbours(tx, study.id, rater, None)?;
                        Ok(Found::Other(Next::Finished { title: study.title, progress, previous }))
                    }
                }
            })
            .await?;
        Ok(match found {
            Found::Parts(parts) => Next::Item(Box::new(Self::view(*parts))),
            Found::Other(next) => next,
        })
    }

    async fn next_task(&self, caller: &Caller, study: &Token, holding: Vec<Token>) -> Answer<NextTask> {
        let rater = caller.user()?.id;
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                if study.presentation == Presentation::One {
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
                        let progress = queue::progress(tx, study.id, rater)?;
                        let (previous, _) = grading::neighbours(tx, study.id, rater, None)?;
                        Ok(Err(NextTask::Finished { title: study.title, progress, previous }))
                    }
                }
            })
            .await?;
        Ok(match found {
            Ok(parts) => NextTask::Task(parts.into_iter().map(Self::view).collect()),
            Err(other) => other,
        })
    }

    async fn item(&self, caller: &Caller, assignment: &Token) -> Answer<GradingItem> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        let parts = self
            .db
            .read(move |conn| {
                let (study, output) = handed(conn, &token, rater)?;
                gather(conn, study, output, rater)
            })
            .await?;
        Ok(Self::view(parts))
    }

    async fn save_draft(&self, caller: &Caller, assignment: &Token, draft: Draft) -> Answer<()> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        Ok(self
            .db
            .write(move |tx| {
                let (study, output) = handed(tx, &token, rater)?;
                if let Some(fault) = draft.draft_fault(&study.rubric) {
                    return Err(AppError::Draft(fault).into());
                }
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
                let (study, output) = handed(tx, &token, rater)?;
                if grading::stored(tx, study.id, output, rater, &key)? {
                    return Ok(Receipt::AlreadyStored);
                }
                if let Some(fault) = draft.fault(&study.rubric) {
                    return Err(AppError::Draft(fault).into());
                }
                let current = grading::current(tx, study.id, output, rater, study.rubric.dimensions.len())?;
                if current.as_ref() == Some(&draft) {
                    return Ok(Receipt::AlreadyStored);
                }
                if study.status != StudyStatus::Running {
                    return Err(Failure::conflict(
                        "The study is paused or closed. Your scores are kept as a draft; ask its admin to open it again.",
                    ));
                }
                if !queue::renew(tx, study.id, output, rater, handing::lease_end())? {
                    return Err(Failure::conflict(
                        "You were away for a while, and others have rated this output in your place. Go on with the next one.",
                    ));
                }
                grading::insert_rating(tx, study.id, output, rater, &draft, &key)?;
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

    async fn own(&self, caller: &Caller, study: &Token) -> Answer<Vec<OwnRating>> {
        let rater = caller.user()?.id;
        let token = study.clone();
        Ok(self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                grading::own(conn, &study, rater)
            })
            .await?)
    }
}

fn handed(conn: &Connection, token: &Token, rater: UserId) -> Result<(RaterStudy, OutputId), Failure> {
    grading::handed(conn, token, rater)?.ok_or_else(|| Failure::not_found("output"))
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
    Ok(Parts {
        token: grading::handout(conn, study.id, output, rater)?,
        shown: grading::shown(conn, output)?,
        draft: draft.or(current).unwrap_or_else(|| Draft::blank(&study.rubric)),
        rated: rated_at.is_some(),
        progress: queue::progress(conn, study.id, rater)?,
        previous,
        following,
        study,
    })
}
