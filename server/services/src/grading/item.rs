//! Actions of a rater on one item: the one state machine behind work, hidden checks and calibration items.
//!
//! Called by `services/grading` inside its transactions. **A rater must not be able to tell a hidden check
//! from work.** So every request about an item is a method of [`Item`] and takes the same steps for both;
//! only [`Storage`] knows the difference. `server/tests/hidden_checks.rs` compares the answers.

use model::{
    error::{AppError, Refusal},
    feedback::CalibrationStep,
    grading::{Draft, DraftFault, OwnItem, Receipt},
    ids::{OutputId, StudyId, Token, UserId},
    plan::Presentation,
    rubric::Rubric,
    study::StudyStatus,
    time::Timestamp,
};
use rusqlite::Connection;

use super::{Parts, hand_out, replies};
use crate::{
    conversation_view::{asked_about, with_instructions},
    quality::{calibration, limits},
    visible_texts::{self, VisibleTexts},
};
use base::error::Failure;
use db::{
    bookmarks,
    grading::{self, RaterStudy},
    guidelines, instruction_answers,
    quality::checks::{self, Check},
    queue, withdrawals,
};

/// An item that was assigned to a rater.
pub struct Item {
    study: RaterStudy,
    rater: UserId,
    /// Whether it is work or a hidden check, as opposed to a calibration item.
    among_work: bool,
    storage: Box<dyn Storage>,
}

/// Identifies an item within one study and rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// An output of the study.
    Work(OutputId),
    /// A check, by its number.
    Check(i64),
}

/// A request that a calibration item may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A rating.
    Submit,
    /// A skip.
    Skip,
    /// An undo of the newest rating.
    Undo,
    /// A bookmark.
    Bookmark,
}

/// Where the state of an item is stored. Longer than most traits here, because whatever is not in it cannot
/// differ between work and hidden checks.
pub trait Storage {
    fn key(&self) -> Key;
    /// The name under which the rater knows it.
    fn token(&self, conn: &Connection) -> Result<Token, Failure>;
    /// The output whose conversation the rater judges, if any.
    fn output(&self) -> Option<OutputId>;
    /// Its texts, with masked names.
    fn visible_texts(&self, conn: &Connection) -> Result<VisibleTexts, Failure>;
    /// When it was first rated, if it has a rating that counts.
    fn rated_at(&self, conn: &Connection) -> Result<Option<Timestamp>, Failure>;
    /// Whether it is leased to the rater.
    fn in_hand(&self, conn: &Connection) -> Result<bool, Failure>;
    fn draft(&self, conn: &Connection) -> Result<Option<Draft>, Failure>;
    fn save_draft(&self, conn: &Connection, draft: &Draft) -> Result<(), Failure>;
    /// The rating that counts, as an equal draft.
    fn rating(&self, conn: &Connection) -> Result<Option<Draft>, Failure>;
    /// Whether the submission with that key is already stored.
    fn has_key(&self, conn: &Connection, key: &str) -> Result<bool, Failure>;
    /// Extends the lease, or assigns the item again. Returns whether the rater may have it.
    fn renew(&self, conn: &Connection, until: Timestamp) -> Result<bool, Failure>;
    /// Stores a rating of an item that is leased to the rater or that they rated before.
    fn insert_rating(&self, conn: &Connection, draft: &Draft, key: &str) -> Result<(), Failure>;
    /// Withdraws the rating that counts; `draft` is its content.
    fn withdraw(&self, conn: &Connection, draft: &Draft, until: Timestamp) -> Result<(), Failure>;
    /// Skips the item, to the position `place` of the rater's order.
    fn skip(&self, conn: &Connection, place: i64) -> Result<(), Failure>;
    /// Consequences of a new rating that the rater does not see.
    fn after_rating(&self, _conn: &Connection, _study: &RaterStudy) -> Result<(), Failure> {
        Ok(())
    }
    /// Which calibration item this is; absent for work and hidden checks.
    fn step(&self, _conn: &Connection) -> Result<Option<CalibrationStep>, Failure> {
        Ok(None)
    }
    /// Why a calibration item refuses the request; absent for work and hidden checks.
    fn refusal(&self, _conn: &Connection, _verb: Verb) -> Result<Option<Refusal>, Failure> {
        Ok(None)
    }
}

impl Item {
    /// The item that the rater knows by this name; 404 if there is none.
    pub fn resolve(conn: &Connection, token: &Token, rater: UserId) -> Result<Item, Failure> {
        let none = || Failure::not_found("output");
        if let Some(check) = checks::by_token(conn, token, rater)? {
            let study = grading::study_of(conn, check.study, rater)?.ok_or_else(none)?;
            return Ok(Item::check(study, check));
        }
        let (study, output) = grading::handed(conn, token, rater)?.ok_or_else(none)?;
        Ok(Item::work(study, rater, output))
    }

    pub fn work(study: RaterStudy, rater: UserId, output: OutputId) -> Item {
        let (dimensions, instructions) = (study.rubric.dimensions.len(), study.rubric.instructions);
        let work = Work { study: study.id, output, rater, dimensions, instructions };
        Item { rater, among_work: true, storage: Box::new(work), study }
    }

    pub fn check(study: RaterStudy, check: Check) -> Item {
        Item { study, rater: check.rater, among_work: check.kind.is_hidden(), storage: Box::new(check) }
    }

    pub fn key(&self) -> Key {
        self.storage.key()
    }

    /// The study's rubric, with the items that this output adds to its checklist.
    fn rubric(&self, conn: &Connection) -> Result<Rubric, Failure> {
        let rubric = self.study.rubric.clone();
        let Some(output) = self.storage.output() else { return Ok(rubric) };
        let instructions = asked_about(conn, &rubric, output)?;
        Ok(with_instructions(rubric, &instructions))
    }

    /// Whether a page that has it may get another item of the study as well.
    pub fn is_open_work_of(&self, conn: &Connection, study: StudyId) -> Result<bool, Failure> {
        Ok(self.among_work && self.study.id == study && self.storage.rated_at(conn)?.is_none())
    }

    /// Leases it to the rater again.
    pub fn hand_out(&self, conn: &Connection) -> Result<(), Failure> {
        self.storage.renew(conn, hand_out::lease_end())?;
        Ok(())
    }

    /// Everything that its page shows.
    pub fn show(self, conn: &Connection) -> Result<Parts, Failure> {
        let calibration = self.storage.step(conn)?;
        let rated_at = self.storage.rated_at(conn)?;
        // There is no way back into a calibration, or from it into the work.
        let (previous, following) = match calibration {
            Some(_) => (None, None),
            None => grading::neighbors(conn, self.study.id, self.rater, rated_at)?,
        };
        let draft = match self.storage.draft(conn)? {
            Some(draft) => Some(draft),
            None => self.storage.rating(conn)?,
        };
        let visible_texts = self.storage.visible_texts(conn)?;
        let rubric = self.rubric(conn)?;
        let draft = match draft {
            Some(draft) => Draft { notes: visible_texts.as_read(draft.notes), ..draft },
            None => Draft::blank(&rubric),
        };
        let token = self.storage.token(conn)?;
        Ok(Parts {
            visible_texts,
            draft,
            rated: rated_at.is_some(),
            progress: hand_out::progress(conn, &self.study, self.rater)?,
            previous,
            following,
            calibration,
            replies: replies(conn, self.rater, &token)?,
            bookmarked: bookmarks::has(conn, self.study.id, self.rater, &token)?,
            token,
            guidelines: guidelines::state(conn, self.study.id, self.rater)?,
            rubric,
            study: self.study,
        })
    }

    /// Its line in a list.
    pub fn listed(&self, conn: &Connection) -> Result<OwnItem, Failure> {
        let visible_texts = self.storage.visible_texts(conn)?;
        Ok(OwnItem {
            token: self.storage.token(conn)?,
            raw_nl: visible_texts.raw_nl,
            nl_lang: visible_texts.nl_lang,
            rated: self.storage.rated_at(conn)?.is_some(),
        })
    }

    /// Stores a draft and extends the lease. If the item went to another rater meanwhile, the draft is still
    /// stored.
    pub fn save_draft(&self, conn: &Connection, draft: Draft) -> Result<(), Failure> {
        if let Some(fault) = draft.draft_fault(&self.rubric(conn)?) {
            return Err(AppError::Draft(fault).into());
        }
        let draft = self.as_stored(conn, draft)?;
        if self.study.status == StudyStatus::Running && !self.study.paused {
            self.storage.renew(conn, hand_out::lease_end())?;
            checks::extend_lost(conn, self.study.id, self.rater, hand_out::lease_end())?;
        }
        self.storage.save_draft(conn, &draft)
    }

    /// Stores a rating. The same key or the same content again changes nothing. With `first`, the rater saw no rating of this
    /// item, so one that is there is not replaced.
    pub fn submit(&self, conn: &Connection, draft: Draft, key: &str, first: bool) -> Result<Receipt, Failure> {
        if self.storage.has_key(conn, key)? {
            return Ok(Receipt::AlreadyStored);
        }
        if let Some(fault) = draft.fault(&self.rubric(conn)?) {
            return Err(AppError::Draft(fault).into());
        }
        let draft = self.as_stored(conn, draft)?;
        let rated = self.storage.rating(conn)?;
        if rated.as_ref().is_some_and(|rating| rating.same(&draft)) {
            return Ok(Receipt::AlreadyStored);
        }
        if self.study.status != StudyStatus::Running {
            return Err(refused(Refusal::NotRunning));
        }
        if self.study.paused {
            return Err(refused(Refusal::RaterPaused));
        }
        self.allowed(conn, Verb::Submit)?;
        if first && rated.is_some() {
            return Err(refused(Refusal::RatedMeanwhile));
        }
        if !self.storage.renew(conn, hand_out::lease_end())? {
            return Err(refused(Refusal::Away));
        }
        self.storage.insert_rating(conn, &draft, key)?;
        self.storage.after_rating(conn, &self.study)?;
        if self.among_work {
            limits::after_rating(conn, self.study.id, self.rater)?;
        }
        Ok(Receipt::Stored)
    }

    /// Skips the item. Sending it twice, or from a second tab, counts once, because only a leased item can
    /// be skipped. Side by side, a task is skipped with all its outputs.
    pub fn skip(&self, conn: &Connection) -> Result<(), Failure> {
        self.allowed(conn, Verb::Skip)?;
        if !self.storage.in_hand(conn)? {
            return Ok(());
        }
        if self.study.settings.presentation == Presentation::SideBySide {
            for output in hand_out::rest_of_task(conn, &self.study, self.rater, self.key())? {
                let place = hand_out::end_of_order(conn, &self.study, self.rater)?;
                queue::pass_over(conn, self.study.id, output, self.rater, place)?;
            }
            return Ok(());
        }
        self.storage.skip(conn, hand_out::end_of_order(conn, &self.study, self.rater)?)
    }

    /// Withdraws the rating that counts, if it is the rater's newest. Sending it twice counts once.
    pub fn undo(&self, conn: &Connection) -> Result<(), Failure> {
        let Some(draft) = self.storage.rating(conn)? else { return Ok(()) };
        if self.study.status != StudyStatus::Running {
            return Err(refused(Refusal::Stays));
        }
        if self.study.paused {
            return Err(refused(Refusal::RaterPaused));
        }
        self.allowed(conn, Verb::Undo)?;
        if newest(conn, self.study.id, self.rater)? != Some(self.key()) {
            return Err(refused(Refusal::NotLast));
        }
        self.storage.withdraw(conn, &draft, hand_out::lease_end())
    }

    /// Marks the item for the rater to find again, or removes the mark. Sending it twice counts once.
    pub fn bookmark(&self, conn: &Connection, on: bool) -> Result<(), Failure> {
        self.allowed(conn, Verb::Bookmark)?;
        let token = self.storage.token(conn)?;
        match on {
            true => bookmarks::add(conn, self.study.id, self.rater, &token),
            false => bookmarks::remove(conn, self.study.id, self.rater, &token),
        }
    }

    fn allowed(&self, conn: &Connection, verb: Verb) -> Result<(), Failure> {
        match self.storage.refusal(conn, verb)? {
            Some(refusal) => Err(refused(refusal)),
            None => Ok(()),
        }
    }

    /// The rater's draft, with its notes at their positions in the original code. Rejects notes on lines
    /// that the code does not have.
    fn as_stored(&self, conn: &Connection, draft: Draft) -> Result<Draft, Failure> {
        let Some(last) = draft.notes.last() else { return Ok(draft) };
        let visible_texts = self.storage.visible_texts(conn)?;
        // Notes are sorted, so the last one has the highest line.
        let lines = visible_texts.code.split('\n').count();
        if !usize::try_from(last.at.line).is_ok_and(|line| line <= lines) {
            return Err(AppError::Draft(DraftFault::Notes).into());
        }
        Ok(match &visible_texts.masked {
            Some(masked) => Draft { notes: masked.to_original(draft.notes), ..draft },
            None => draft,
        })
    }
}

/// The item with the rater's newest rating that counts, among work and hidden checks.
fn newest(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<Key>, Failure> {
    let work = withdrawals::last(conn, study, rater)?.map(|(output, at)| (at, Key::Work(output)));
    let check = checks::last(conn, study, rater)?.map(|(id, at)| (at, Key::Check(id)));
    Ok(work.into_iter().chain(check).max_by_key(|(at, _)| *at).map(|(_, key)| key))
}

fn refused(refusal: Refusal) -> Failure {
    AppError::Refused(refusal).into()
}

/// An output of the study, in `assignments` and `ratings`.
struct Work {
    study: StudyId,
    output: OutputId,
    rater: UserId,
    /// Number of dimensions of the study's rubric.
    dimensions: usize,
    /// Whether its checklist has an item for each instruction.
    instructions: bool,
}

impl Storage for Work {
    fn key(&self) -> Key {
        Key::Work(self.output)
    }

    fn output(&self) -> Option<OutputId> {
        Some(self.output)
    }

    fn token(&self, conn: &Connection) -> Result<Token, Failure> {
        grading::handout(conn, self.study, self.output, self.rater)
    }

    fn visible_texts(&self, conn: &Connection) -> Result<VisibleTexts, Failure> {
        visible_texts::of_output(conn, self.output)
    }

    fn rated_at(&self, conn: &Connection) -> Result<Option<Timestamp>, Failure> {
        queue::rated_at(conn, self.study, self.output, self.rater)
    }

    fn in_hand(&self, conn: &Connection) -> Result<bool, Failure> {
        Ok(queue::in_hand(conn, self.study, self.rater)?.iter().any(|(_, place)| place.output == self.output))
    }

    fn draft(&self, conn: &Connection) -> Result<Option<Draft>, Failure> {
        grading::draft(conn, self.study, self.output, self.rater)
    }

    fn save_draft(&self, conn: &Connection, draft: &Draft) -> Result<(), Failure> {
        grading::save_draft(conn, self.study, self.output, self.rater, draft)
    }

    fn rating(&self, conn: &Connection) -> Result<Option<Draft>, Failure> {
        grading::current(conn, self.study, self.output, self.rater, self.dimensions)
    }

    fn has_key(&self, conn: &Connection, key: &str) -> Result<bool, Failure> {
        grading::stored(conn, self.study, self.output, self.rater, key)
    }

    fn renew(&self, conn: &Connection, until: Timestamp) -> Result<bool, Failure> {
        queue::renew(conn, self.study, self.output, self.rater, until)
    }

    fn insert_rating(&self, conn: &Connection, draft: &Draft, key: &str) -> Result<(), Failure> {
        // Answers about instructions are kept apart: the scores of all outputs of a study are of the same dimensions.
        let mut draft = draft.clone();
        let answers = draft.scores.split_off(self.dimensions.min(draft.scores.len()));
        let rating = grading::insert_rating(conn, self.study, self.output, self.rater, &draft, key)?;
        if self.instructions {
            let asked = instruction_answers::instructions(conn, self.output)?;
            instruction_answers::insert(conn, rating, &asked, &answers)?;
        }
        Ok(())
    }

    fn withdraw(&self, conn: &Connection, draft: &Draft, until: Timestamp) -> Result<(), Failure> {
        withdrawals::withdraw(conn, self.study, self.output, self.rater, draft, until)
    }

    fn skip(&self, conn: &Connection, place: i64) -> Result<(), Failure> {
        queue::pass_over(conn, self.study, self.output, self.rater, place)
    }

    fn after_rating(&self, conn: &Connection, study: &RaterStudy) -> Result<(), Failure> {
        crate::quality::after_rating(conn, self.study, self.output, &study.rubric)
    }
}

/// A calibration item or a hidden check, in `checks` and `check_ratings`.
impl Storage for Check {
    fn key(&self) -> Key {
        Key::Check(self.id)
    }

    #[allow(clippy::misnamed_getters, reason = "a check's `output` is set for repeats only")]
    fn output(&self) -> Option<OutputId> {
        self.shown
    }

    fn token(&self, _: &Connection) -> Result<Token, Failure> {
        Ok(self.token.clone())
    }

    fn visible_texts(&self, conn: &Connection) -> Result<VisibleTexts, Failure> {
        calibration::visible_texts(conn, self)
    }

    fn rated_at(&self, _: &Connection) -> Result<Option<Timestamp>, Failure> {
        Ok(self.rated_at)
    }

    fn in_hand(&self, _: &Connection) -> Result<bool, Failure> {
        Ok(self.leased)
    }

    fn draft(&self, conn: &Connection) -> Result<Option<Draft>, Failure> {
        checks::draft(conn, self.id)
    }

    fn save_draft(&self, conn: &Connection, draft: &Draft) -> Result<(), Failure> {
        checks::save_draft(conn, self.id, draft)
    }

    fn rating(&self, conn: &Connection) -> Result<Option<Draft>, Failure> {
        checks::current(conn, self.id)
    }

    fn has_key(&self, conn: &Connection, key: &str) -> Result<bool, Failure> {
        checks::stored(conn, self.id, key)
    }

    fn renew(&self, conn: &Connection, until: Timestamp) -> Result<bool, Failure> {
        // A calibration has no leases: its items are assigned to nobody else.
        if self.kind.is_hidden() { checks::renew(conn, self, until) } else { Ok(true) }
    }

    fn insert_rating(&self, conn: &Connection, draft: &Draft, key: &str) -> Result<(), Failure> {
        checks::insert_rating(conn, self, draft, key)
    }

    fn withdraw(&self, conn: &Connection, draft: &Draft, until: Timestamp) -> Result<(), Failure> {
        checks::withdraw(conn, self.id, draft, until)
    }

    fn skip(&self, conn: &Connection, place: i64) -> Result<(), Failure> {
        checks::pass_over(conn, self, place)
    }

    fn step(&self, conn: &Connection) -> Result<Option<CalibrationStep>, Failure> {
        calibration::step(conn, self)
    }

    fn refusal(&self, conn: &Connection, verb: Verb) -> Result<Option<Refusal>, Failure> {
        calibration::refusal(conn, self, verb)
    }
}
