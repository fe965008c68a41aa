//! The rater's side of a study.
//!
//! Work is handed out one output at a time, under a lease: whoever closes the laptop blocks nobody
//! for longer than that, and finds their draft again. The order is drawn from the study's seed for
//! each rater, and two outputs of one task are kept apart. That an output gets exactly its overlap of
//! different raters is held by the database, not by this code.

use app::{
    error::AppError,
    model::{
        grading::{DeskStudy, Draft, DraftFault, GradingItem, Next, OwnRating, Receipt, RubricSheet},
        ids::{OutputId, Token, UserId},
        study::StudyStatus,
        time::Timestamp,
    },
    port::{Answer, Caller, Grading},
};
use async_trait::async_trait;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{
    clock,
    db::{
        Db,
        grading::{self, RaterStudy, Standing},
        withdrawals,
    },
    error::Failure,
    layout,
};

/// How long an output stays in a rater's hands without a sign of life: each draft prolongs it.
const LEASE_MS: i64 = 30 * 60 * 1000;
/// How many outputs lie between two of one task, where there are enough others.
const APART: usize = 8;
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
                        progress: grading::progress(&grading::board(conn, study.id, rater)?),
                        token: study.token,
                        title: study.title,
                        open: study.status == StudyStatus::Running,
                    })
                });
                desk.collect()
            })
            .await?)
    }

    async fn next(&self, caller: &Caller, study: &Token) -> Answer<Next> {
        let rater = caller.user()?.id;
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                let board = grading::board(tx, study.id, rater)?;
                let progress = grading::progress(&board);
                if study.status != StudyStatus::Running {
                    return Ok(Found::Other(Next::Paused { title: study.title, progress }));
                }
                let until = Timestamp(clock::now().0 + LEASE_MS);
                match choose(&board, study.seed, rater) {
                    Some(output) if grading::lease(tx, study.id, output, rater, until)? => {
                        Ok(Found::Parts(Box::new(gather(tx, study, output, rater, &board)?)))
                    }
                    _ => {
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

    async fn item(&self, caller: &Caller, assignment: &Token) -> Answer<GradingItem> {
        let rater = caller.user()?.id;
        let token = assignment.clone();
        let parts = self
            .db
            .read(move |conn| {
                let (study, output) = handed(conn, &token, rater)?;
                let board = grading::board(conn, study.id, rater)?;
                gather(conn, study, output, rater, &board)
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
                has_lines(tx, output, &draft)?;
                // A sign of life; where the lease has meanwhile gone to somebody else, the draft is
                // kept all the same.
                let until = Timestamp(clock::now().0 + LEASE_MS);
                if study.status == StudyStatus::Running {
                    grading::lease(tx, study.id, output, rater, until)?;
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
                has_lines(tx, output, &draft)?;
                let current = grading::current(tx, study.id, output, rater, study.rubric.dimensions.len())?;
                if current.as_ref() == Some(&draft) {
                    return Ok(Receipt::AlreadyStored);
                }
                if study.status != StudyStatus::Running {
                    return Err(Failure::conflict(
                        "The study is paused or closed. Your scores are kept as a draft; ask its admin to open it again.",
                    ));
                }
                if !grading::lease(tx, study.id, output, rater, Timestamp(clock::now().0 + LEASE_MS))? {
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
                let standing = grading::board(tx, study.id, rater)?.into_iter().find(|s| s.output == output);
                // Pressed twice, or in a second tab: only what is in hand can be passed over.
                if standing.is_some_and(|s| s.held) {
                    grading::skip(tx, study.id, output, rater)?;
                    grading::release(tx, study.id, output, rater)?;
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
                let (study, output) = handed(tx, &token, rater)?;
                let Some(said) = grading::current(tx, study.id, output, rater, study.rubric.dimensions.len())? else {
                    // Taken back before: the same request again, or a second tab.
                    return Ok(());
                };
                if study.status != StudyStatus::Running {
                    return Err(Failure::conflict(
                        "The study is paused or closed, so what was submitted stays. Ask its admin to open it again.",
                    ));
                }
                if withdrawals::last(tx, study.id, rater)? != Some(output) {
                    return Err(Failure::conflict(
                        "Only the rating given last can be taken back. This one you can open and change.",
                    ));
                }
                let until = Timestamp(clock::now().0 + LEASE_MS);
                withdrawals::withdraw(tx, study.id, output, rater, &said, until)
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
                grading::own(conn, &study, rater)
            })
            .await?)
    }
}

fn handed(conn: &Connection, token: &Token, rater: UserId) -> Result<(RaterStudy, OutputId), Failure> {
    grading::handed(conn, token, rater)?.ok_or_else(|| Failure::not_found("output"))
}

/// Refuses notes on lines that the code does not have.
fn has_lines(conn: &Connection, output: OutputId, draft: &Draft) -> Result<(), Failure> {
    let Some(last) = draft.notes.last() else { return Ok(()) };
    let code = grading::shown(conn, output)?.code;
    let lines = code.split('\n').count();
    // In order, so the last one is the furthest.
    if usize::try_from(last.at.line).is_ok_and(|line| line <= lines) {
        Ok(())
    } else {
        Err(AppError::Draft(DraftFault::Notes).into())
    }
}

fn gather(
    conn: &Connection,
    study: RaterStudy,
    output: OutputId,
    rater: UserId,
    board: &[Standing],
) -> Result<Parts, Failure> {
    let rated_at = board.iter().find(|s| s.output == output).and_then(|s| s.rated_at);
    let (previous, following) = grading::neighbours(conn, study.id, rater, rated_at)?;
    let current = grading::current(conn, study.id, output, rater, study.rubric.dimensions.len())?;
    let draft = grading::draft(conn, study.id, output, rater)?;
    Ok(Parts {
        token: grading::handout(conn, study.id, output, rater)?,
        shown: grading::shown(conn, output)?,
        draft: draft.or(current).unwrap_or_else(|| Draft::blank(&study.rubric)),
        rated: rated_at.is_some(),
        progress: grading::progress(board),
        previous,
        following,
        study,
    })
}

/// The output to offer: what the rater holds, else the first of their own order that is open and
/// whose task they have not just seen, else the least recently seen one, else what they passed over.
fn choose(board: &[Standing], seed: u64, rater: UserId) -> Option<OutputId> {
    if let Some(held) = board.iter().find(|s| s.held) {
        return Some(held.output);
    }
    let mut seen: Vec<_> = board.iter().filter_map(|s| s.rated_at.map(|at| (at, s.task))).collect();
    seen.sort_unstable_by(|a, b| b.cmp(a));
    // How many outputs ago this task was seen; never is longest.
    let ago = |s: &Standing| seen.iter().position(|(_, task)| *task == s.task).unwrap_or(usize::MAX);
    let open = board.iter().filter(|s| s.open());
    open.min_by_key(|s| {
        let distance = ago(s).min(APART);
        (s.skipped.map(|(_, at)| at), std::cmp::Reverse(distance), rank(seed, rater, s.output))
    })
    .map(|s| s.output)
}

/// The output's place in this rater's order. A hash of seed, rater and output: every rater has an
/// order of their own, the same seed gives it again, and outputs that come later fall anywhere.
fn rank(seed: u64, rater: UserId, output: OutputId) -> [u8; 8] {
    let mut hash = Sha256::new();
    for part in [seed.to_be_bytes(), rater.0.to_be_bytes(), output.0.to_be_bytes()] {
        hash.update(part);
    }
    let digest = hash.finalize();
    let mut rank = [0; 8];
    rank.copy_from_slice(&digest[..8]);
    rank
}

#[cfg(test)]
mod tests {
    use app::model::ids::TaskRevisionId;

    use super::*;

    fn standing(output: i64, task: i64) -> Standing {
        Standing {
            output: OutputId(output),
            task: TaskRevisionId(task),
            held: false,
            rated_at: None,
            free: true,
            skipped: None,
        }
    }

    /// Rates everything there is and returns the tasks in the order in which they came.
    fn walk(board: &mut [Standing], seed: u64, rater: i64) -> Vec<i64> {
        let mut order = Vec::new();
        while let Some(output) = choose(board, seed, UserId(rater)) {
            let place = board.iter_mut().find(|s| s.output == output).unwrap();
            place.rated_at = Some(Timestamp(order.len() as i64));
            order.push(place.task.0);
        }
        order
    }

    #[test]
    fn keeps_outputs_of_one_task_apart_and_orders_each_rater_anew() {
        let board: Vec<_> = (0..40).flat_map(|task| (0..3).map(move |m| standing(task * 3 + m, task))).collect();
        let check = |seed, rater| {
            let order = walk(&mut board.clone(), seed, rater);
            assert_eq!(order.len(), 120);
            for (i, task) in order.iter().enumerate() {
                let near = &order[i.saturating_sub(APART.min(5))..i];
                assert!(!near.contains(task), "task {task} at {i} came right after {near:?}");
            }
            order
        };
        assert_eq!(check(7, 1), check(7, 1));
        assert_ne!(check(7, 1), check(7, 2));
        assert_ne!(check(7, 1), check(8, 1));
    }

    #[test]
    fn offers_what_is_held_first_and_what_was_skipped_last() {
        let mut board = vec![standing(1, 1), standing(2, 2), standing(3, 3)];
        board[2].held = true;
        assert_eq!(choose(&board, 1, UserId(1)), Some(OutputId(3)));
        board[2].held = false;
        board[2].skipped = Some((1, Timestamp(5)));
        board[1].rated_at = Some(Timestamp(1));
        assert_eq!(choose(&board, 1, UserId(1)), Some(OutputId(1)));
        board[0].free = false;
        assert_eq!(choose(&board, 1, UserId(1)), Some(OutputId(3)));
        board[2].skipped = Some((grading::SKIPS, Timestamp(6)));
        assert_eq!(choose(&board, 1, UserId(1)), None);
    }
}
