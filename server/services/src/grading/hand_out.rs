//! Chooses the next item (or task) of a rater.
//!
//! First the items that are already leased to the rater, then the rater's own part of the plan in its order
//! with the hidden checks among it, then what other raters have not started, so that a slow or absent rater
//! does not block the study. Overlap, languages and manual shares are respected throughout (docs/plan.md).
//!
//! Work and hidden checks are one queue here, for others, too: a check is lost where work would be taken over.

use model::{
    error::AppError,
    grading::Progress,
    ids::{OutputId, StudyId, TaskRevisionId, Token, UserId},
    plan::Presentation,
    time::Timestamp,
};
use port::AHEAD;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::item::{Item, Key};
use crate::quality::hidden_checks::{Counts, HiddenChecks};
use base::{clock, error::Failure};
use db::{
    grading::{self, RaterStudy},
    plan,
    quality::checks::{self, Check, Losable, ToLose},
    queue::{self, Donor, PlannedRating, Taker},
};

/// Outputs between two of one task, if there are enough others.
pub const APART: usize = 8;

/// The most names that a request for a task may contain: three tasks of 80 outputs each.
const NAMED: usize = 256;

/// When a lease that starts now expires.
pub fn lease_end() -> Timestamp {
    Timestamp(clock::now().0 + queue::LEASE_MS)
}

/// An item in the rater's queue.
enum Queued {
    Work(PlannedRating),
    Check(Box<Check>),
}

impl Queued {
    fn key(&self) -> Key {
        match self {
            Queued::Work(place) => Key::Work(place.output),
            Queued::Check(check) => Key::Check(check.id),
        }
    }

    fn task(&self) -> TaskRevisionId {
        match self {
            Queued::Work(place) => place.task,
            Queued::Check(check) => check.task,
        }
    }

    fn item(self, study: RaterStudy, rater: UserId) -> Item {
        match self {
            Queued::Work(place) => Item::work(study, rater, place.output),
            Queued::Check(check) => Item::check(study, *check),
        }
    }
}

/// A rater's queue in one study: work and hidden checks.
struct Queue<'a> {
    conn: &'a Connection,
    study: &'a RaterStudy,
    rater: UserId,
    checks: HiddenChecks,
}

impl<'a> Queue<'a> {
    fn of(conn: &'a Connection, study: &'a RaterStudy, rater: UserId) -> Result<Queue<'a>, Failure> {
        Ok(Queue { conn, study, rater, checks: HiddenChecks::of(conn, study, rater)? })
    }

    /// The items leased to the rater, in the order in which they were assigned.
    fn in_hand(&self) -> Result<Vec<Queued>, Failure> {
        let work = queue::in_hand(self.conn, self.study.id, self.rater)?;
        let work = work.into_iter().map(|(at, place)| (at, Queued::Work(place)));
        let checks = self.checks.in_hand().map(|check| (check.shown_at.0, Queued::Check(Box::new(check.clone()))));
        Ok(merged(work.chain(checks)))
    }

    /// At most `most` waiting items, the next one first.
    fn waiting(&self, most: usize) -> Result<Vec<Queued>, Failure> {
        let work = queue::waiting(self.conn, self.study.id, self.rater, most)?;
        let work = work.into_iter().map(|(at, place)| (at, Queued::Work(place)));
        let checks = self.checks.waiting().map(|(at, check)| (at, Queued::Check(Box::new(check.clone()))));
        let mut waiting = merged(work.chain(checks));
        waiting.truncate(most);
        Ok(waiting)
    }

    /// The position after everything that waits for the rater.
    fn end(&self) -> Result<i64, Failure> {
        let last = queue::last_place(self.conn, self.study.id, self.rater)?;
        Ok(self.checks.waiting().map(|(at, _)| at).fold(last, i64::max) + 1)
    }

    /// The tasks that the rater saw last, newest first: of leased items, then of rated ones.
    fn recent_tasks(&self, in_hand: &[Queued]) -> Result<Vec<TaskRevisionId>, Failure> {
        let mut seen: Vec<(Timestamp, TaskRevisionId)> = queue::seen(self.conn, self.study.id, self.rater, APART)?;
        seen.extend(self.checks.rated().map(|(at, check)| (at, check.task)));
        seen.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let mut recent: Vec<TaskRevisionId> = in_hand.iter().rev().map(Queued::task).collect();
        recent.extend(seen.into_iter().map(|(_, task)| task));
        recent.truncate(APART);
        Ok(recent)
    }

    fn counts(&self) -> Result<(Progress, Counts), Failure> {
        let work = queue::progress(self.conn, self.study.id, self.rater)?;
        let in_hand = queue::in_hand(self.conn, self.study.id, self.rater)?.len() as u64;
        let again = queue::skipped_waiting(self.conn, self.study.id, self.rater)?;
        let given = queue::given(self.conn, self.study.id, self.rater)?;
        Ok((work, Counts { given, fresh: work.left.saturating_sub(in_hand + again) }))
    }
}

fn merged(items: impl Iterator<Item = (i64, Queued)>) -> Vec<Queued> {
    let mut items: Vec<(i64, Queued)> = items.collect();
    items.sort_by_key(|(at, _)| *at);
    items.into_iter().map(|(_, item)| item).collect()
}

/// The rater's progress; hidden checks count as work.
pub fn progress(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<Progress, Failure> {
    let queue = Queue::of(conn, study, rater)?;
    if !queue.checks.are_any() {
        return queue::progress(conn, study.id, rater);
    }
    let (work, counts) = queue.counts()?;
    queue.checks.counted(conn, work, counts)
}

/// Whether a rater has anything left in a study, as their pages say: hidden checks count as work.
pub fn has_left(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    match grading::study_of(conn, study, rater)? {
        Some(study) => Ok(progress(conn, &study, rater)?.left > 0),
        None => Ok(false),
    }
}

/// The position after everything that waits for the rater.
pub fn end_of_order(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<i64, Failure> {
    Queue::of(conn, study, rater)?.end()
}

/// The items behind the names that the page says it has: at most [`AHEAD`], so that a page cannot lease a
/// whole study.
fn held(conn: &Connection, study: &RaterStudy, rater: UserId, tokens: &[Token]) -> Result<Vec<Key>, Failure> {
    let mut held = Vec::new();
    for token in tokens.iter().take(4 * AHEAD) {
        held.extend(open_item(conn, study, rater, token)?);
    }
    held.truncate(AHEAD);
    Ok(held)
}

/// The item of this study with this name, if it is the rater's work and unrated.
fn open_item(conn: &Connection, study: &RaterStudy, rater: UserId, token: &Token) -> Result<Option<Key>, Failure> {
    match Item::resolve(conn, token, rater) {
        Ok(item) => Ok(item.is_open_work_of(conn, study.id)?.then(|| item.key())),
        Err(Failure::App(AppError::NotFound(_))) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Leases the rater's next item besides those in `holding`, which their page already has. `None` if nothing
/// is left that the rater may get.
pub fn next_item(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    holding: &[Token],
) -> Result<Option<Item>, Failure> {
    let held = held(tx, study, rater, holding)?;
    let queue = Queue::of(tx, study, rater)?;
    let in_hand = queue.in_hand()?;
    let tasks: Vec<TaskRevisionId> = in_hand.iter().map(Queued::task).collect();
    let recent = queue.recent_tasks(&in_hand)?;
    if let Some(open) = in_hand.into_iter().find(|open| !held.contains(&open.key())) {
        return leased(tx, open.item(study.clone(), rater)).map(Some);
    }
    if study.settings.presentation == Presentation::SideBySide {
        let Some(task) = next_task(tx, study, rater, &tasks)? else { return Ok(None) };
        let open = task.into_iter().find(|(_, rated)| !rated);
        return Ok(open.map(|(output, _)| Item::work(study.clone(), rater, output)));
    }
    let (_, counts) = queue.counts()?;
    if let Some(check) = queue.checks.due(tx, counts, &recent)? {
        return Ok(Some(Item::check(study.clone(), check)));
    }
    if let Some(own) = apart(queue.waiting(2 * APART)?, &recent) {
        return leased(tx, own.item(study.clone(), rater)).map(Some);
    }
    if is_any_to_take(tx, study, rater)?
        && let Some(check) = queue.checks.due_before_taken(tx, counts, &recent)?
    {
        return Ok(Some(Item::check(study.clone(), check)));
    }
    match others(tx, study, rater)? {
        Some(Queued::Work(place)) => {
            queue::hand_over(tx, study.id, place.assignment, rater, lease_end())?;
            Ok(Some(Item::work(study.clone(), rater, place.output)))
        }
        Some(check) => leased(tx, check.item(study.clone(), rater)).map(Some),
        None => Ok(None),
    }
}

fn leased(conn: &Connection, item: Item) -> Result<Item, Failure> {
    item.hand_out(conn)?;
    Ok(item)
}

/// Leases the rater's next task besides those of the outputs in `holding`. Returns its outputs under this
/// rater's letters, with whether each is rated. `None` if nothing is left.
pub fn next_task_excluding(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    holding: &[Token],
) -> Result<Option<Vec<(OutputId, bool)>>, Failure> {
    // Some of the task's outputs may be rated; an unrated one names it.
    let mut tasks = Vec::new();
    for token in holding.iter().take(NAMED) {
        if let Some(Key::Work(output)) = open_item(tx, study, rater, token)?
            && let Some(task) = queue::task_of(tx, output)?
            && !tasks.contains(&task)
        {
            tasks.push(task);
        }
    }
    tasks.truncate(AHEAD);
    next_task(tx, study, rater, &tasks)
}

fn next_task(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    except: &[TaskRevisionId],
) -> Result<Option<Vec<(OutputId, bool)>>, Failure> {
    let held = queue::in_hand(tx, study.id, rater)?.into_iter().find(|(_, place)| !except.contains(&place.task));
    let found = match held {
        Some((_, place)) => Some(place.task),
        None => {
            // Tasks on the page may have waiting outputs if the rater left them half done.
            let mut own = queue::waiting(tx, study.id, rater, 64)?.into_iter();
            match own.find(|(_, place)| !except.contains(&place.task)) {
                Some((_, place)) => Some(place.task),
                None => match others(tx, study, rater)? {
                    Some(Queued::Work(place)) => Some(take_task(tx, study, rater, place)?),
                    _ => None,
                },
            }
        }
    };
    let Some(task) = found else { return Ok(None) };
    let mut outputs = queue::of_task(tx, study.id, rater, task)?;
    for (place, rated) in &outputs {
        if !rated {
            queue::hand_over(tx, study.id, place.assignment, rater, lease_end())?;
        }
    }
    outputs.sort_by_key(|(place, _)| letter_rank(study.seed, rater, place.output));
    Ok(Some(outputs.into_iter().map(|(place, rated)| (place.output, rated)).collect()))
}

/// The leased outputs of the same task, including this one.
pub fn rest_of_task(conn: &Connection, study: &RaterStudy, rater: UserId, of: Key) -> Result<Vec<OutputId>, Failure> {
    let in_hand = queue::in_hand(conn, study.id, rater)?;
    let task = in_hand.iter().find(|(_, place)| Key::Work(place.output) == of).map(|(_, place)| place.task);
    Ok(in_hand.iter().filter(|(_, place)| Some(place.task) == task).map(|(_, place)| place.output).collect())
}

/// The first waiting item whose task was seen longest ago.
fn apart(waiting: Vec<Queued>, recent: &[TaskRevisionId]) -> Option<Queued> {
    // How many items ago its task was seen.
    let ago = |item: &Queued| recent.iter().position(|task| *task == item.task()).unwrap_or(APART);
    let farthest = waiting.iter().map(ago).max();
    waiting.into_iter().find(|item| Some(ago(item)) == farthest)
}

/// What a rater who has finished may take over: work planned for nobody, then work with an expired lease,
/// then the work of raters with the most left.
///
/// A hidden check is in its rater's order as if it were work. Where it would be taken over next, its rater loses it, and the
/// request goes on to what other raters have: it takes one item from a rater at most, be it work or a check, so that a
/// rater whose items go one by one does not learn what they were. A request may therefore find nothing although the next
/// one will. A check whose imagined lease has ended comes back to its rater as work does.
fn others(tx: &Connection, study: &RaterStudy, rater: UserId) -> Result<Option<Queued>, Failure> {
    if has_share(tx, study, rater)? {
        return Ok(None);
    }
    let whole = study.settings.presentation == Presentation::SideBySide;
    let mut taker = Taker { study: study.id, rater, reads: study.reads, served: Vec::new() };
    let now = clock::now();
    loop {
        let work = queue::takeable(tx, &taker, Donor::Nobody, whole)?;
        let check = checks::next_to_lose(tx, &taker, Losable::Skipped)?;
        match (work, check) {
            (Some((at, _)), Some(check)) if -check.at > at => lose(tx, check, &mut taker)?,
            (Some((_, place)), _) => return noted(tx, study, rater, place),
            (None, Some(check)) => lose(tx, check, &mut taker)?,
            (None, None) => break,
        }
    }
    loop {
        let work = queue::run_out(tx, &taker, now)?;
        let check = checks::next_to_lose(tx, &taker, Losable::Lapsed(now))?;
        if let Some((at, own)) = checks::come_back(tx, study.id, rater, now)?
            && work.is_none_or(|(until, _)| at <= until)
            && check.is_none_or(|check| at.0 <= check.at)
        {
            return Ok(Some(Queued::Check(Box::new(checks::get(tx, own)?))));
        }
        match (work, check) {
            (Some((at, _)), Some(check)) if check.at < at.0 => lose(tx, check, &mut taker)?,
            (Some((_, place)), _) => return noted(tx, study, rater, place),
            (None, Some(check)) => lose(tx, check, &mut taker)?,
            (None, None) => break,
        }
    }
    for donor in queue::busiest(tx, study.id, rater)? {
        if taker.served.contains(&donor) {
            continue;
        }
        let work = queue::takeable(tx, &taker, Donor::Rater(donor), whole)?;
        let check = checks::next_to_lose(tx, &taker, Losable::Waiting(donor))?;
        match (work, check) {
            // At one position, work comes before checks.
            (Some((at, _)), Some(check)) if check.at >= at => lose(tx, check, &mut taker)?,
            (Some((_, place)), _) => return noted(tx, study, rater, place),
            (None, Some(check)) => lose(tx, check, &mut taker)?,
            (None, None) => {}
        }
    }
    Ok(None)
}

/// Whether the rater has as many outputs as the admin planned for them.
fn has_share(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<bool, Failure> {
    let Some(share) = study.share else { return Ok(false) };
    Ok(plan::units(conn, study.id, rater, study.settings.presentation)? >= u64::from(share))
}

/// Whether [`others`] has something for a rater who gets one output at a time: an output, or one of the rater's own checks
/// that comes back as an output would.
fn is_any_to_take(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<bool, Failure> {
    if has_share(conn, study, rater)? {
        return Ok(false);
    }
    let taker = Taker { study: study.id, rater, reads: study.reads, served: Vec::new() };
    let now = clock::now();
    if queue::takeable(conn, &taker, Donor::Nobody, false)?.is_some()
        || queue::run_out(conn, &taker, now)?.is_some()
        || checks::come_back(conn, study.id, rater, now)?.is_some()
    {
        return Ok(true);
    }
    for donor in queue::busiest(conn, study.id, rater)? {
        if queue::takeable(conn, &taker, Donor::Rater(donor), false)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn lose(tx: &Connection, check: ToLose, taker: &mut Taker) -> Result<(), Failure> {
    taker.served.push(check.rater);
    checks::lose(tx, taker, check, lease_end())
}

fn noted(tx: &Connection, study: &RaterStudy, rater: UserId, place: PlannedRating) -> Result<Option<Queued>, Failure> {
    plan::note(
        tx,
        study.id,
        "taken_over",
        Some(rater),
        &plan::Moved { ratings: 1, from: queue::holder(tx, place.assignment)? },
    )?;
    Ok(Some(Queued::Work(place)))
}

/// Takes over a task with all its outputs.
fn take_task(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    first: PlannedRating,
) -> Result<TaskRevisionId, Failure> {
    let from = queue::holder(tx, first.assignment)?;
    for place in queue::rest_of_task(tx, study.id, rater, from, first.task)? {
        queue::hand_over(tx, study.id, place.assignment, rater, lease_end())?;
    }
    Ok(first.task)
}

/// Decides the letter of an output for this rater: a hash of seed, rater and output, so that every rater has
/// a different, reproducible order.
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
