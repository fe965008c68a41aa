//! Changes of the plan of a study that has begun: a rater is added or removed, or the study grows.
//!
//! Each function takes the plan as it is and returns what changes. Nobody waits for this: it is computed from a
//! snapshot, and stored afterwards in short transactions (`services::steps`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use model::{
    ids::{OutputId, TaskRevisionId, UserId},
    plan::{Presentation, Sharing},
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{
    Rater, Standing, Unit, newcomer,
    rows::{FIRST_EXTRA, Gradable, Member, Planned, Row, draw, rater, unit},
    share_out, spread,
};

/// A study's plan at one moment.
#[derive(Clone, Debug)]
pub struct Current {
    pub presentation: Presentation,
    pub sharing: Sharing,
    pub seed: u64,
    /// Number of the plan's events so far, without reassignments of single outputs.
    pub events: u64,
    /// Number of reassignments of single outputs so far.
    pub taken: u64,
    /// The raters who have not left, by id.
    pub raters: Vec<Member>,
    /// Every planned rating, unassigned ones first, then in the order of each rater.
    pub rows: Vec<Row>,
}

/// Planned ratings of one unit that go to another rater. Ratings of the unit that have meanwhile been submitted stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Their numbers in the database.
    pub assignments: Vec<i64>,
    /// The rater who has them; absent if nobody does.
    pub from: Option<UserId>,
    /// The rater who gets them; absent if nobody may.
    pub to: Option<UserId>,
    /// The position in that rater's order.
    pub place: Option<i64>,
    /// Whether they stay with their rater if one of them has been started.
    pub unless_started: bool,
}

/// The changes of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub moves: Vec<Move>,
    /// New planned ratings.
    pub added: Vec<Planned>,
    /// Manual shares that change.
    pub shares: Vec<(UserId, u32)>,
    /// Number of planned ratings that the change is about: those that become free, are taken over or are new.
    pub ratings: u64,
}

impl Current {
    fn unit(&self, row: &Row) -> Unit {
        unit(self.presentation, &row.of)
    }

    /// Random numbers for the event after `more` further ones.
    fn draw(&self, more: u64) -> u64 {
        draw(self.seed, self.events + more, self.taken)
    }

    /// The load of these raters.
    fn standings(&self, raters: impl Iterator<Item = Rater>) -> Vec<Standing> {
        let mut standings: Vec<Standing> =
            raters.map(|rater| Standing { rater, has: HashSet::new(), open: 0 }).collect();
        let at: HashMap<i64, usize> = standings.iter().enumerate().map(|(at, s)| (s.rater.id, at)).collect();
        let mut counted = HashSet::new();
        for row in &self.rows {
            let Some(standing) = row.rater.and_then(|id| at.get(&id.0)).and_then(|at| standings.get_mut(*at)) else {
                continue;
            };
            let unit = self.unit(row);
            standing.has.insert(unit.id);
            if !row.rated && counted.insert((standing.rater.id, unit.id)) {
                standing.open += 1;
            }
        }
        standings
    }

    /// The last position in the order of what waits for the rater.
    fn last_place(&self, rater: UserId) -> i64 {
        let waiting = self.rows.iter().filter(|row| row.rater == Some(rater) && !row.rated && !row.begun);
        waiting.filter_map(|row| row.place).max().unwrap_or(0)
    }

    fn give(&mut self, row: usize, rater: Option<UserId>, place: Option<i64>) {
        if let Some(row) = self.rows.get_mut(row) {
            (row.rater, row.place, row.begun) = (rater, place, false);
        }
    }

    /// Appends units, each with its rows, to a rater's order, shuffled among themselves. Returns the number of rows.
    fn append(&mut self, rater: UserId, units: &[(Unit, Vec<usize>)], draw: u64) -> u64 {
        let tasks: Vec<i64> = units.iter().map(|(unit, _)| unit.task).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(draw ^ rater.0.unsigned_abs());
        let last = self.last_place(rater);
        let mut moved = 0;
        for (place, at) in (last + 1..).zip(spread(&tasks, draw, &mut rng)) {
            for row in units.get(at).map(|(_, rows)| rows.as_slice()).unwrap_or_default() {
                self.give(*row, Some(rater), Some(place));
                moved += 1;
            }
        }
        moved
    }

    /// Assigns rows without a rater; those that no rater may get stay unassigned. Returns the manual shares that rise.
    fn share_out(&mut self, free: &[usize], draw: u64) -> Vec<(UserId, u32)> {
        // Additional work raises manual shares.
        let raters = self.raters.iter().map(|member| Rater { share: None, ..rater(member) });
        let mut standings = self.standings(raters);
        let known: HashMap<i64, Unit> =
            self.rows.iter().map(|row| self.unit(row)).map(|unit| (unit.id, unit)).collect();
        // A unit once for each rater it lacks, with its planned ratings.
        let mut wants: Vec<(Unit, Vec<usize>)> = Vec::new();
        let mut copies: HashMap<OutputId, usize> = HashMap::new();
        let mut groups: HashMap<(i64, usize), usize> = HashMap::new();
        for at in free {
            let Some(row) = self.rows.get(*at) else { continue };
            let unit = self.unit(row);
            // The n-th free rating of an output belongs to the n-th rater that its unit lacks.
            let copy = copies.entry(row.of.output).or_default();
            let group = *groups.entry((unit.id, *copy)).or_insert_with(|| {
                wants.push((unit, Vec::new()));
                wants.len() - 1
            });
            *copy += 1;
            if let Some((_, rows)) = wants.get_mut(group) {
                rows.push(*at);
            }
        }
        let units: Vec<Unit> = wants.iter().map(|(unit, _)| *unit).collect();
        let mut by_rater: BTreeMap<i64, Vec<(Unit, Vec<usize>)>> = BTreeMap::new();
        for (rater, want) in share_out(&units, &known, &mut standings, draw).into_iter().zip(wants) {
            if let Some(rater) = rater {
                by_rater.entry(rater).or_default().push(want);
            }
        }
        let mut raised = Vec::new();
        for (rater, units) in by_rater {
            let rater = UserId(rater);
            self.append(rater, &units, draw);
            raised.extend(self.raised_share(rater));
        }
        raised
    }

    /// A manual share is never below the rater's present number of units.
    fn raised_share(&self, rater: UserId) -> Option<(UserId, u32)> {
        if self.sharing != Sharing::Hand {
            return None;
        }
        let theirs = self.rows.iter().filter(|row| row.rater == Some(rater));
        let has = theirs.map(|row| self.unit(row).id).collect::<HashSet<_>>().len();
        let has = u32::try_from(has).unwrap_or(u32::MAX);
        let share = self.raters.iter().find(|(id, ..)| *id == rater).and_then(|(.., share)| *share);
        share.filter(|share| *share < has).map(|_| (rater, has))
    }

    /// The differences of `after`.
    fn change(&self, after: &Current, unless_started: bool) -> Change {
        let before: HashMap<i64, &Row> = self.rows.iter().filter_map(|row| Some((row.assignment?, row))).collect();
        let mut change = Change::default();
        // The move of each unit, by its rater before and after.
        let mut at = HashMap::new();
        for row in &after.rows {
            let old = row.assignment.and_then(|id| Some((id, *before.get(&id)?)));
            let Some((assignment, old)) = old else {
                change.added.push(Planned {
                    output: row.of.output,
                    slot: row.slot,
                    rater: row.rater,
                    place: row.place,
                });
                continue;
            };
            if (row.rater, row.place) == (old.rater, old.place) {
                continue;
            }
            let whose = (self.unit(row).id, old.rater, row.rater, row.place);
            let of = *at.entry(whose).or_insert_with(|| {
                change.moves.push(Move {
                    assignments: Vec::new(),
                    from: old.rater,
                    to: row.rater,
                    place: row.place,
                    unless_started,
                });
                change.moves.len() - 1
            });
            if let Some(of) = change.moves.get_mut(of) {
                of.assignments.push(assignment);
            }
        }
        change
    }
}

/// A rater is removed: what they have not rated goes to others.
pub fn leave(current: &Current, user: UserId) -> Change {
    let mut after = current.clone();
    after.raters.retain(|(id, ..)| *id != user);
    let theirs = |row: &Row| row.rater == Some(user) && !row.rated;
    let free: Vec<usize> = (0..).zip(&current.rows).filter(|(_, row)| theirs(row)).map(|(at, _)| at).collect();
    for row in &free {
        after.give(*row, None, None);
    }
    let shares = after.share_out(&free, current.draw(1));
    Change { shares, ratings: free.len() as u64, ..current.change(&after, false) }
}

/// A rater is added, and takes over unassigned work, then what others have not started.
pub fn join(current: &Current, member: Member) -> Change {
    let user = member.0;
    let mut after = current.clone();
    after.raters.push(member);
    // Units that their rater has not started; of unassigned work, one rating per output.
    let mut units: Vec<(Unit, Option<UserId>, Vec<usize>, bool)> = Vec::new();
    let mut at: HashMap<(i64, Option<UserId>), usize> = HashMap::new();
    for (index, row) in current.rows.iter().enumerate() {
        let unit = current.unit(row);
        let place = *at.entry((unit.id, row.rater)).or_insert_with(|| {
            units.push((unit, row.rater, Vec::new(), true));
            units.len() - 1
        });
        if let Some((_, whose, list, fresh)) = units.get_mut(place) {
            *fresh &= !row.begun && !row.rated;
            let same = |other: &usize| current.rows.get(*other).is_some_and(|other| other.of.output == row.of.output);
            if whose.is_some() || !list.iter().any(same) {
                list.push(index);
            }
        }
    }
    units.retain(|(.., fresh)| *fresh);
    let waiting: Vec<(Unit, Option<i64>)> =
        units.iter().map(|(unit, whose, ..)| (*unit, whose.map(|id| id.0))).collect();
    let others = current.standings(current.raters.iter().map(rater));
    let open: HashMap<i64, u64> = others.iter().map(|standing| (standing.rater.id, standing.open)).collect();
    let draw = current.draw(0);
    let mut lost: HashMap<UserId, u32> = HashMap::new();
    let mut lists: Vec<(Unit, Vec<usize>)> = Vec::new();
    for standing in current.standings(std::iter::once(rater(&member))) {
        for at in newcomer(&waiting, &open, &standing, draw) {
            let Some((unit, whose, rows, _)) = units.get(at) else { continue };
            if let Some(whose) = whose {
                *lost.entry(*whose).or_default() += 1;
            }
            lists.push((*unit, rows.clone()));
        }
    }
    let ratings = after.append(user, &lists, draw);
    let mut shares = Vec::new();
    if current.sharing == Sharing::Hand {
        // Work that was passed on cannot be passed on again by the same rater.
        for (id, _, share) in &current.raters {
            if let (Some(share), Some(lost)) = (share, lost.get(id)) {
                shares.push((*id, share.saturating_sub(*lost)));
            }
        }
    }
    Change { shares, ratings, ..current.change(&after, true) }
}

/// The study grows from `raters_per_output.0` to `raters_per_output.1` raters per output, and to these outputs: what is new is shared out.
pub fn extend(current: &Current, raters_per_output: (u32, u32), outputs: &[Gradable]) -> Change {
    let there: HashSet<OutputId> = current.rows.iter().map(|row| row.of.output).collect();
    let kept: BTreeSet<TaskRevisionId> = current.rows.iter().map(|row| row.of.task).collect();
    let mut added = Vec::new();
    for output in outputs {
        let from = if there.contains(&output.output) { raters_per_output.0 } else { 0 };
        added.extend((from..raters_per_output.1).map(|slot| Row {
            assignment: None,
            of: *output,
            rater: None,
            place: None,
            begun: false,
            rated: false,
            slot,
        }));
    }
    let ratings = added.len() as u64;
    let mut after = current.clone();
    // Behind the other unassigned ones.
    let end = after.rows.iter().take_while(|row| row.rater.is_none() && row.place.is_none()).count();
    let new = end..end + added.len();
    drop(after.rows.splice(end..end, added));
    if current.presentation == Presentation::SideBySide {
        same_raters(&mut after, &kept);
    }
    let free: Vec<usize> = new.filter(|at| after.rows.get(*at).is_some_and(|row| row.rater.is_none())).collect();
    let shares = after.share_out(&free, current.draw(1));
    Change { shares, ratings, ..current.change(&after, false) }
}

/// Assigns new outputs of side-by-side tasks to the raters who have the task.
fn same_raters(after: &mut Current, tasks: &BTreeSet<TaskRevisionId>) {
    let active: BTreeSet<UserId> = after.raters.iter().map(|(id, ..)| *id).collect();
    let mut people: BTreeMap<TaskRevisionId, BTreeSet<UserId>> = BTreeMap::new();
    let mut of: BTreeMap<(TaskRevisionId, OutputId), Vec<usize>> = BTreeMap::new();
    for (at, row) in after.rows.iter().enumerate().filter(|(_, row)| tasks.contains(&row.of.task)) {
        if let Some(rater) = row.rater.filter(|id| active.contains(id)) {
            people.entry(row.of.task).or_default().insert(rater);
        }
        of.entry((row.of.task, row.of.output)).or_default().push(at);
    }
    let mut last: BTreeMap<UserId, i64> = active.iter().map(|id| (*id, after.last_place(*id))).collect();
    for ((task, _), rows) in &of {
        let mut lacking = people.get(task).cloned().unwrap_or_default();
        let mut free = Vec::new();
        for at in rows {
            match after.rows.get(*at).and_then(|row| row.rater) {
                Some(rater) => {
                    lacking.remove(&rater);
                }
                None => free.push(*at),
            }
        }
        for (row, rater) in free.into_iter().zip(lacking) {
            let last = last.entry(rater).or_default();
            *last += 1;
            after.give(row, Some(rater), Some(*last));
        }
    }
}

/// Whether every output will have `raters_per_output` planned ratings after the change.
pub fn is_whole(current: &Current, change: &Change, raters_per_output: u32) -> bool {
    let mut planned: HashMap<OutputId, u32> = HashMap::new();
    let there = current.rows.iter().map(|row| (row.of.output, row.slot));
    for (output, _) in
        there.chain(change.added.iter().map(|new| (new.output, new.slot))).filter(|(_, slot)| *slot < FIRST_EXTRA)
    {
        *planned.entry(output).or_default() += 1;
    }
    planned.values().all(|count| *count == raters_per_output)
}
