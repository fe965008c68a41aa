//! Comparison of two runs of one dataset, task by task.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    ids::OutputId,
    page::{PageOf, Paged, Which, holds},
    reason::{Fault, Reason},
    run::{ItemRow, ItemState, RunRow, Verdict},
};

/// Comparison of two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RunPair {
    pub a: RunRow,
    pub b: RunRow,
    /// Number of tasks by which run passes them.
    pub passes: Passes,
    /// The mid-p value of McNemar's test on them; absent without tasks.
    pub p: Option<f64>,
    /// Tasks with tests in at least one run, in the dataset's order.
    pub tasks: Vec<PairTask>,
    /// The selected task with both outputs' code.
    pub focus: Option<PairFocus>,
}

/// A comparison as its page shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPairPage {
    /// The comparison without its tasks.
    pub pair: RunPair,
    /// A page of the tasks, those that differ first; of the selected task only, if one is selected.
    pub tasks: Paged<PairTask>,
}

impl RunPair {
    /// One page of the comparison. Its lists' filter `show` selects the tasks that `differ`, or that `only_a` or
    /// `only_b` passes; without, all tasks.
    pub fn page(mut self, of: &PageOf) -> RunPairPage {
        let mut tasks = std::mem::take(&mut self.tasks);
        if let Some(focus) = &self.focus {
            tasks.retain(|task| task.task_id == focus.task_id);
            return RunPairPage { pair: self, tasks: Paged { rows: tasks, ..Paged::default() } };
        }
        RunPairPage { pair: self, tasks: page_of(tasks, of) }
    }
}

fn page_of(mut tasks: Vec<PairTask>, of: &PageOf) -> Paged<PairTask> {
    tasks.retain(|task| task.matches(&of.which));
    // A stable sort keeps the dataset's order among equals.
    tasks.sort_by_key(|task| !task.differs());
    Paged::of_all(tasks, of)
}

/// Number of tasks by which run passes them, by first samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Passes {
    /// Both pass.
    pub both: u32,
    /// Only the left run passes.
    pub only_a: u32,
    /// Only the right run passes.
    pub only_b: u32,
    /// Neither.
    pub neither: u32,
    /// Tasks that do not count, because a defect of the benchmark's data prevents a verdict.
    #[serde(default)]
    pub not_counted: u32,
}

/// A task in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PairTask {
    /// The source's `task_id`.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    /// The left run's samples in order; empty without an output.
    pub a: Vec<PairOutput>,
    /// The right run's.
    pub b: Vec<PairOutput>,
}

/// Summary of an output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PairOutput {
    /// The output.
    pub output: OutputId,
    pub state: ItemState,
    /// The outcome.
    pub verdict: Option<Verdict>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// Whether a defect of the benchmark's data prevents a verdict.
    #[serde(default)]
    pub cannot_judge: bool,
}

impl PairOutput {
    /// Summarises an item.
    pub fn of(item: &ItemRow) -> Self {
        PairOutput {
            output: item.output,
            state: item.state,
            verdict: item.verdict,
            passed: item.passed,
            total: item.total,
            cannot_judge: item.cannot_judge(),
        }
    }

    fn result(&self) -> (bool, Option<Verdict>, u32, u32) {
        (self.state == ItemState::Failed, self.verdict, self.passed, self.total)
    }
}

/// A side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left run.
    A,
    /// The right run.
    B,
}

impl PairTask {
    /// A side's samples.
    pub fn side(&self, side: Side) -> &[PairOutput] {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// Whether the task counts in figures: both sides' first samples can be judged.
    pub fn counts(&self) -> bool {
        [Side::A, Side::B].iter().all(|side| self.side(*side).first().is_none_or(|first| !first.cannot_judge))
    }

    /// Whether the side's first sample passes every test case.
    pub fn passes(&self, side: Side) -> bool {
        self.side(side).first().is_some_and(|o| o.verdict == Some(Verdict::Passed))
    }

    /// Whether the two differ: in the verdict, the counts, or the number of samples.
    pub fn differs(&self) -> bool {
        self.a.len() != self.b.len() || self.a.iter().zip(&self.b).any(|(a, b)| a.result() != b.result())
    }

    fn matches(&self, which: &Which) -> bool {
        let passes = (self.passes(Side::A), self.passes(Side::B));
        let shown = match which.filter("show") {
            Some("differ") => self.differs(),
            Some("only_a") => self.counts() && passes == (true, false),
            Some("only_b") => self.counts() && passes == (false, true),
            _ => true,
        };
        shown && holds(&format!("{} {}", self.task_id, self.raw_nl), &which.search)
    }
}

impl Passes {
    /// Counts tasks.
    pub fn of(tasks: &[PairTask]) -> Passes {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let count = |a, b| {
            let is_it = |t: &&PairTask| t.counts() && (t.passes(Side::A), t.passes(Side::B)) == (a, b);
            number(tasks.iter().filter(is_it).count())
        };
        Passes {
            both: count(true, true),
            only_a: count(true, false),
            only_b: count(false, true),
            neither: count(false, false),
            not_counted: number(tasks.iter().filter(|task| !task.counts()).count()),
        }
    }
}

/// A task with both runs' code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PairFocus {
    /// The source's `task_id`.
    pub task_id: String,
    /// The whole description.
    pub raw_nl: String,
    pub signature: Option<String>,
    /// The left run's first sample.
    pub a: Option<PairCode>,
    /// The right run's.
    pub b: Option<PairCode>,
    /// Previous task on which the runs differ.
    pub previous: Option<String>,
    /// Next task on which the runs differ.
    pub next: Option<String>,
}

/// An output's code and outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PairCode {
    /// The output.
    pub output: OutputId,
    /// Its code.
    pub code: CodeView,
    /// Why the engine reached the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The message of the program, its tests or the compiler; may be empty.
    pub message: String,
    /// Why the engine could not run it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(a: &[(Verdict, u32, u32)], b: &[(Verdict, u32, u32)]) -> PairTask {
        let side = |side: &[(Verdict, u32, u32)]| {
            let one = |(verdict, passed, total): &(Verdict, u32, u32)| PairOutput {
                output: OutputId(1),
                state: ItemState::Done,
                verdict: Some(*verdict),
                passed: *passed,
                total: *total,
                cannot_judge: *verdict == Verdict::Anomaly,
            };
            side.iter().map(one).collect()
        };
        PairTask { task_id: "1".into(), raw_nl: String::new(), a: side(a), b: side(b) }
    }

    #[test]
    fn tasks_differ_in_verdict_counts_or_samples() {
        use Verdict::{Failed, Passed, Timeout};
        let check = |a: &[_], b: &[_], differs, passes| {
            let task = task(a, b);
            assert_eq!((task.differs(), (task.passes(Side::A), task.passes(Side::B))), (differs, passes), "{task:?}");
        };
        check(&[(Passed, 3, 3)], &[(Passed, 3, 3)], false, (true, true));
        check(&[(Failed, 1, 3)], &[(Failed, 2, 3)], true, (false, false));
        check(&[(Failed, 0, 0)], &[(Timeout, 0, 0)], true, (false, false));
        check(&[], &[(Passed, 3, 3)], true, (false, true));
        check(&[(Passed, 3, 3), (Failed, 1, 3)], &[(Passed, 3, 3)], true, (true, true));
        check(&[(Failed, 1, 3), (Passed, 3, 3)], &[(Failed, 1, 3), (Passed, 3, 3)], false, (false, false));
        check(&[], &[], false, (false, false));
    }

    #[test]
    fn a_page_has_the_tasks_that_differ_first_and_only_those_asked_for() {
        use Verdict::{Failed, Passed};
        let (yes, no) = ([(Passed, 1, 1)], [(Failed, 0, 1)]);
        let named = |id: &str, text: &str, task: PairTask| PairTask { task_id: id.into(), raw_nl: text.into(), ..task };
        let tasks = vec![
            named("1", "Sort a list", task(&yes, &yes)),
            named("2", "Sort a map", task(&yes, &no)),
            named("3", "Join texts", task(&no, &no)),
            named("4", "Split a text", task(&no, &yes)),
        ];
        let shown = |of: PageOf| {
            let page = page_of(tasks.clone(), &of);
            (page.rows.into_iter().map(|task| task.task_id).collect::<Vec<_>>(), page.next)
        };
        let only = |show: &str, search: &str| {
            let which = Which { search: search.into(), ..Which::only("show", show) };
            shown(PageOf { which, ..PageOf::default() }).0
        };
        assert_eq!(shown(PageOf::first(3)), (["2", "4", "1"].map(String::from).to_vec(), Some("3".into())));
        assert_eq!(only("", ""), ["2", "4", "1", "3"]);
        assert_eq!(only("differ", ""), ["2", "4"]);
        assert_eq!(only("only_a", ""), ["2"]);
        assert_eq!(only("only_b", ""), ["4"]);
        assert_eq!(only("", "SORT a"), ["2", "1"]);
        assert_eq!(only("differ", "text"), ["4"]);
    }

    #[test]
    fn every_task_is_counted_once() {
        use Verdict::{Failed, Passed};
        let (yes, no) = ([(Passed, 1, 1)], [(Failed, 0, 1)]);
        let tasks =
            [task(&yes, &yes), task(&yes, &no), task(&yes, &[]), task(&no, &yes), task(&no, &no), task(&[], &[])];
        assert_eq!(Passes::of(&tasks), Passes { both: 1, only_a: 2, only_b: 1, neither: 2, not_counted: 0 });
    }

    #[test]
    fn a_task_that_one_side_cannot_be_judged_on_does_not_count() {
        use Verdict::{Anomaly, Passed};
        let (yes, unjudged) = ([(Passed, 1, 1)], [(Anomaly, 0, 1)]);
        let tasks = [task(&yes, &unjudged), task(&unjudged, &unjudged), task(&yes, &yes)];
        assert_eq!(Passes::of(&tasks), Passes { both: 1, not_counted: 2, ..Passes::default() });
        let which = Which::only("show", "only_a");
        assert!(!tasks[0].matches(&which) && !tasks[2].matches(&which));
    }
}
