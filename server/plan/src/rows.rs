//! The parts of a plan: the outputs of a study, the units that raters get, and planned ratings.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    ids::{ModelId, OutputId, TaskRevisionId, UserId},
    lang::Lang,
    plan::{Presentation, Reads},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Impossible, Rater, Unit, make};

/// An output that people can grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gradable {
    pub output: OutputId,
    /// Its task revision.
    pub task: TaskRevisionId,
    /// Its model.
    pub model: ModelId,
    /// The description's language.
    pub nl_lang: Lang,
}

/// A planned rating with the fields that decide who may get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number in the database; absent until it is stored.
    pub assignment: Option<i64>,
    /// Its output.
    pub of: Gradable,
    /// The assigned rater.
    pub rater: Option<UserId>,
    /// The position in that rater's order.
    pub place: Option<i64>,
    /// Whether it is leased.
    pub begun: bool,
    /// Whether it is rated.
    pub rated: bool,
    /// Number among the output's ratings, from 0; from [`FIRST_EXTRA`] on for extra ratings.
    pub slot: u32,
}

/// First slot of extra ratings (the schema enforces the number of raters per output for lower slots).
pub const FIRST_EXTRA: u32 = 1000;

/// A rating to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Its output.
    pub output: OutputId,
    /// Number among the output's ratings, from 0.
    pub slot: u32,
    /// The rater; absent if nobody may get it.
    pub rater: Option<UserId>,
    /// The position in that rater's order.
    pub place: Option<i64>,
}

/// A rater as the database stores them: the languages that they read, and their manual share.
pub type Member = (UserId, Reads, Option<u32>);

/// A member as the rules see them.
pub fn rater(&(id, reads, share): &Member) -> Rater {
    Rater { id: id.0, reads, share }
}

/// The unit that an output belongs to.
pub fn unit(presentation: Presentation, output: &Gradable) -> Unit {
    match presentation {
        Presentation::One => {
            Unit { id: output.output.0, task: output.task.0, model: output.model.0, nl_lang: output.nl_lang }
        }
        // Every rater of a task rates all its models, so there is no model to balance.
        Presentation::SideBySide => Unit { id: output.task.0, task: output.task.0, model: 0, nl_lang: output.nl_lang },
    }
}

/// The outputs that a study grades: all, or for a pilot those of a number of tasks. `kept` tasks come first, then
/// others in an order drawn by the seed, which does not change when tasks or submissions are added.
pub fn chosen(
    mut outputs: Vec<Gradable>,
    tasks: Option<u32>,
    seed: u64,
    kept: &BTreeSet<TaskRevisionId>,
) -> Vec<Gradable> {
    if let Some(most) = tasks {
        let rank = |task: TaskRevisionId| {
            let mut hash = Sha256::new();
            hash.update(seed.to_be_bytes());
            hash.update(task.0.to_be_bytes());
            (!kept.contains(&task), first_bytes(&hash.finalize()), task)
        };
        let mut tasks: Vec<_> = outputs.iter().map(|o| o.task).collect::<BTreeSet<_>>().into_iter().map(rank).collect();
        tasks.sort_unstable();
        tasks.truncate(most as usize);
        let tasks: BTreeSet<TaskRevisionId> = tasks.into_iter().map(|(.., task)| task).collect();
        outputs.retain(|output| tasks.contains(&output.task));
    }
    outputs
}

/// The plan of a study that has not begun.
///
/// # Errors
/// [`Impossible`] if no plan satisfies the request.
pub fn whole(
    presentation: Presentation,
    raters_per_output: u32,
    seed: u64,
    outputs: &[Gradable],
    members: &[Member],
) -> Result<Vec<Planned>, Impossible> {
    let mut outputs_of: BTreeMap<i64, Vec<OutputId>> = BTreeMap::new();
    let mut units: BTreeMap<i64, Unit> = BTreeMap::new();
    for output in outputs {
        let unit = unit(presentation, output);
        outputs_of.entry(unit.id).or_default().push(output.output);
        units.insert(unit.id, unit);
    }
    let units: Vec<Unit> = units.into_values().collect();
    let raters: Vec<Rater> = members.iter().map(rater).collect();
    let given = make(&units, &raters, raters_per_output, seed)?;
    let planned = given.into_iter().flat_map(|one| {
        outputs_of.get(&one.unit).into_iter().flatten().map(move |output| Planned {
            output: *output,
            slot: one.slot,
            rater: Some(UserId(one.rater)),
            place: Some(one.place),
        })
    });
    Ok(planned.collect())
}

/// Random numbers for the event of a study's plan that follows `events` events and `taken` reassignments of single
/// outputs: the seed and the recorded events reproduce every change.
pub fn draw(seed: u64, events: u64, taken: u64) -> u64 {
    let mut hash = Sha256::new();
    for part in [seed, events, taken] {
        hash.update(part.to_be_bytes());
    }
    first_bytes(&hash.finalize())
}

fn first_bytes(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}
