//! Runs of a dataset's tests over a submission, and the result of every output.
//!
//! What a model's code did is a [`Verdict`]; an engine error is [`ItemState::Failed`] and never a verdict.

use serde::{Deserialize, Serialize};

use super::{
    code::Line,
    code_lang::CodeLang,
    conversation::{TestProfile, TurnCheck},
    failure_class::FailureClass,
    ids::{OutputId, RunId, SubmissionId},
    names::names,
    published::{AsPublished, Difference},
    ratings::Interval,
    reason::{Change, FailedCheck, Fault, Flag, Reason, Sign},
    time::Timestamp,
    usual_failure::UsualFailure,
};

names! {
    /// The result of one output's tests.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict as name {
        /// Every test case passed.
        Passed = "passed",
        /// At least one test case failed.
        Failed = "failed",
        /// No class could be assembled, or the compiler rejected it.
        CompileError = "compile_error",
        /// It used up its CPU time or waited too long.
        Timeout = "timeout",
        /// It used up its memory or its threads.
        OutOfMemory = "out_of_memory",
        /// An error ended the tests or the whole JVM, or the output printed without end.
        Crashed = "crashed",
        /// The JVM exited normally without a result: the code called `exit` or `halt`.
        NoResult = "no_result",
        /// The code changed settings that the tests rely on, or a false message arrived on the control socket.
        Tampered = "tampered",
        /// The tests reported an impossible result: more passes than cases, or no case at all.
        Anomaly = "anomaly",
    }
}

names! {
    /// The limit that an output exceeded.
    pub enum LimitHit as name {
        /// CPU time.
        Cpu = "cpu",
        /// Waiting: time in which it neither ran nor was ready to run.
        Wait = "wait",
        /// The heap, or memory outside it.
        Heap = "heap",
        /// The number of threads.
        Threads = "threads",
        /// The amount of printed output.
        Printed = "printed",
        /// The compiler's stack.
        Stack = "stack",
        /// The steps of reading and assembling a text.
        Steps = "steps",
    }
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// The line of the model's own text, from 1; absent if the message concerns added text.
    pub line: Option<u32>,
    /// The compiler's own text.
    pub message: String,
}

/// The result of one test case, if the tests report cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// The reason of the failure; empty if it passed.
    pub detail: String,
}

names! {
    /// Verdict of the evaluator that was published with a benchmark. The [`Verdict`] is the one that counts.
    pub enum PublishedVerdict as name {
        /// It passes.
        Passed = "passed",
        /// It fails, for any reason.
        Failed = "failed",
        /// It exceeds the evaluator's time limit.
        Timeout = "timeout",
    }
}

/// A [`PublishedVerdict`] with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Published {
    pub verdict: PublishedVerdict,
    /// The reason in a sentence; empty if it passes.
    pub reason: String,
    /// The class of the failure, as the benchmark's authors count them; absent if it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureClass>,
}

/// Everything stored about running one output's tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Outcome {
    pub verdict: Verdict,
    /// The limit that was exceeded, if any.
    pub limit: Option<LimitHit>,
    /// Test cases passed, as reported by the tests.
    pub passed: u32,
    /// Test cases, as reported; 0 if the tests did not get that far.
    pub total: u32,
    /// CPU time in milliseconds, including the start of its JVM.
    pub cpu_ms: u32,
    /// Wall time in milliseconds, from sending the code to its end.
    pub wall_ms: u32,
    /// Peak resident memory in KiB, including the JVM's own.
    pub memory_kib: u32,
    /// Why the engine reached the verdict; absent if the counts of cases explain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The text of the program, its tests or the compiler; may be empty.
    pub message: String,
    /// Printed output, shortened if it is long.
    pub printed: String,
    /// The source that was compiled.
    pub source: String,
    /// The changes made to the model's text.
    pub changes: Vec<Change>,
    /// The compiler's messages, if it rejected the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The warnings.
    pub flags: Vec<Flag>,
    /// The test cases, if the tests report them.
    pub cases: Vec<CaseResult>,
    /// Verdict of the published evaluator, if the benchmark has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// In a conversation of all turns: whether the answer fulfils its own turn and, if it failed, the earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnCheck>,
}

impl Outcome {
    /// An outcome with only a verdict.
    pub fn new(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            limit: None,
            passed: 0,
            total: 0,
            cpu_ms: 0,
            wall_ms: 0,
            memory_kib: 0,
            reason: None,
            message: String::new(),
            printed: String::new(),
            source: String::new(),
            changes: Vec::new(),
            diagnostics: Vec::new(),
            flags: Vec::new(),
            cases: Vec::new(),
            published: None,
            turns: Vec::new(),
        }
    }
}

/// The state of one output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Waiting.
    Waiting,
    /// Leased by a worker.
    Leased,
    /// Finished, with its verdict.
    Done,
    /// The engine failed on it, twice.
    Failed,
}

names! {
    /// The state of a run.
    pub enum RunStatus as name {
        /// Waiting for the engine, or in progress.
        Running = "running",
        /// Every output is finished.
        Finished = "finished",
        /// Stopped by a person; finished outputs keep their verdicts.
        Stopped = "stopped",
    }
}

/// The conditions that were the same for every output of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Environment {
    /// The versions of the toolchains that ran the code: a Java build, or one per language.
    pub java: String,
    /// The time zone.
    pub time_zone: String,
    /// The locale.
    pub locale: String,
    /// The default charset.
    pub encoding: String,
    /// Limits, options and isolation layers.
    pub conditions: Conditions,
    /// A checksum of everything that determines verdicts: tests, harness, Java build, options.
    pub fingerprint: String,
    /// The same for each language or toolchain alone, as the outputs in it have it; empty if there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Environment {
    /// Whether an output with this checksum ran under these conditions.
    pub fn covers(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.parts.iter().any(|part| part == fingerprint)
    }
}

/// Limits, options and isolation layers of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Conditions {
    /// CPU time of one output in seconds. It decides.
    pub cpu_s: u64,
    /// Waiting limit of one output in seconds: time in which it neither ran nor was ready to run.
    pub wait_s: u64,
    /// Java heap in MiB.
    pub heap_mib: u64,
    /// Threads of its own.
    pub threads: u64,
    /// Whether harmless outputs shared a JVM.
    pub fast: bool,
    /// The name of the dates that they saw, such as `june-2022`; absent for the current date.
    pub dates: Option<String>,
    /// Whether Landlock was available.
    pub landlock: bool,
    /// The totals that control groups limited over all processes of a sandbox; absent if none.
    pub groups: Option<Sums>,
    /// The failed sandbox checks that the operator allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_checks: Vec<FailedCheck>,
}

/// The resources that control groups limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sums {
    /// Memory, scratch included.
    Memory,
    /// The number of threads.
    Threads,
    /// Both.
    MemoryAndThreads,
}

/// The figures of one run. All cover every task of the dataset that has tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Metrics {
    /// Tasks of the dataset that have tests.
    pub tasks: u32,
    /// Tasks with at least one verdict; the others count 0.
    pub answered: u32,
    /// Tasks whose first sample passed every case.
    pub solved: u32,
    /// Share of tasks solved, unbiased for several samples: `pass@1`.
    pub pass_at_1: f64,
    /// Sum of the tasks' pass ratios, as reported by the tests.
    pub ratio_sum: f64,
    /// The same divided by the number of tasks: `AvgPassRatio`.
    pub ratio_mean: f64,
    /// The sum with no ratio counting for more than 1.
    pub ratio_sum_clamped: f64,
    /// The mean with no ratio counting for more than 1.
    pub ratio_mean_clamped: f64,
    /// Outputs that count in none of these figures, because a defect of the benchmark's data prevents a verdict. Tasks
    /// with only such outputs do not count either.
    #[serde(default)]
    pub not_counted: u32,
}

impl Metrics {
    /// Whether any task counts. Without one, the shares say nothing.
    pub fn has_tasks(&self) -> bool {
        self.tasks > 0
    }
}

/// `pass@k` for one k.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PassAtK {
    /// Number of samples.
    pub k: u32,
    /// The probability that one of them passes, mean over all tasks.
    pub value: f64,
    /// Its 95 % interval, by bootstrap over tasks.
    pub interval: Option<Interval>,
}

/// A row of the list of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Its submission.
    pub submission: SubmissionId,
    /// Its model.
    pub model_name: String,
    /// Short name of the dataset.
    pub dataset: String,
    /// The dataset's version.
    pub number: u32,
    pub status: RunStatus,
    /// As in [`RunProgress`].
    pub lacks_sources: bool,
    /// Total number of outputs.
    pub items: u32,
    /// Finished outputs.
    pub done: u32,
    /// Of these, engine errors.
    pub failed: u32,
    /// Start time.
    pub created_at: Timestamp,
    /// End time.
    pub finished_at: Option<Timestamp>,
    /// Whether the tasks are conversations: each turn of a task then counts as a task in the figures.
    pub conversations: bool,
    /// The figures so far.
    pub metrics: Metrics,
    /// The figures by the verdicts of the evaluator published with the benchmark, if it has one.
    pub published: Option<AsPublished>,
}

names! {
    /// A date that outputs and tests can see in place of today's.
    pub enum Dates as name {
        /// 15 June 2022, 12:34:56, when an output's JVM starts: the month of the benchmark's publication.
        June2022 = "june-2022",
    }
}

/// A run to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewRun {
    /// ID of the submission.
    pub submission: SubmissionId,
    /// Whether to ignore cached results, so that everything runs.
    #[serde(default)]
    pub fresh: bool,
    /// Whether outputs without visible side effects share a JVM.
    #[serde(default)]
    pub fast: bool,
    /// The date that outputs and tests see; absent for today's.
    #[serde(default)]
    pub dates: Option<Dates>,
    /// Copy this run's options; overrides `fast`, `dates` and `profile`.
    #[serde(default)]
    pub like: Option<RunId>,
    /// CodeIF-Bench only: which form of its tests to use; absent for `as-run`.
    #[serde(default)]
    pub profile: Option<TestProfile>,
}

impl NewRun {
    /// A run of this submission with the default options.
    pub fn of(submission: SubmissionId) -> NewRun {
        NewRun { submission, fresh: false, fast: false, dates: None, like: None, profile: None }
    }

    /// The same, ignoring cached results.
    pub fn fresh(self) -> NewRun {
        NewRun { fresh: true, ..self }
    }
}

/// Selects the outputs of a run to run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rerun {
    /// This one, ignoring the cache.
    Output(OutputId),
    /// Those of these tasks, by external id, ignoring the cache.
    Tasks(Vec<String>),
    /// Engine errors.
    Failed,
    /// What workers on other machines reported that an admin has removed since.
    OfRemovedWorkers,
    /// Outputs whose result could differ today: the engine, its limits or the Java build have changed.
    Changed,
    /// The rest of a stopped run.
    Rest,
}

/// A run's progress, as sent to the browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RunProgress {
    /// The state.
    pub status: RunStatus,
    /// Total number of outputs.
    pub items: u32,
    /// Finished outputs.
    pub done: u32,
    /// Of these, engine errors.
    pub failed: u32,
    /// Number of outputs per verdict so far; only verdicts that occur.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Whether the engine has started the run: first it prepares itself, which can take a while.
    pub begun: bool,
    /// The run that must end before this one starts.
    pub behind: Option<RunId>,
    /// Whether no process works on it and this one does not, because it has no sources of the projects that the tests need.
    pub lacks_sources: bool,
    /// Estimated seconds left; absent until there is enough data.
    pub left_s: Option<u32>,
}

/// One run without its outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RunDetail {
    pub row: RunRow,
    /// The conditions that were the same for every output.
    pub environment: Environment,
    /// `pass@k` for k = 1, 10 and 100 as far as there are samples, or for every k below ten samples.
    pub pass_at: Vec<PassAtK>,
    /// The same by the verdicts as published; empty if the benchmark has no evaluator.
    pub published_pass_at: Vec<PassAtK>,
    /// Tasks that count in the figures as published: not the turns of conversations that the evaluator does not judge.
    pub published_tasks: u32,
    /// Outputs that pass as published and not guarded, by reason, the most frequent first.
    pub differences: Vec<Difference>,
    /// Why the run failed as a whole, if it did.
    pub fault: Option<Fault>,
    /// The most frequent way to fail, where no output of a finished run passes, or nearly all failures are alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_failure: Option<UsualFailure>,
    /// Number of outputs per verdict, in the verdicts' order.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Number of outputs answered from the cache.
    pub cached: u32,
    /// Number of outputs taken over from a worker that stopped silently, for example when it was killed.
    /// Each counts once.
    pub taken_over: u32,
    /// Number of outputs run with another engine, Java build or limits than the run's conditions.
    pub mixed: u32,
    /// Tasks with tests but without an output, in the dataset's order; they count 0.
    pub missing: Vec<MissingTask>,
    /// How its verdicts compare with those that came with the outputs.
    #[serde(default)]
    pub theirs: Agreement,
    /// The tasks whose tests accept a constant; absent unless all tasks' tests were tried.
    #[serde(default)]
    pub lenient_tests: Option<Vec<LenientTests>>,
}

/// A task whose tests accept a constant or another degenerate answer, by the verdict that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LenientTests {
    pub task_id: String,
    /// The answers that pass, as expressions in the task's language, or, for AixBench, as statements, which end with `;`.
    pub answers: Vec<String>,
}

/// A filter for the outputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemFilter {
    /// Words that id or description of the task contain; empty for all.
    #[serde(default)]
    pub words: String,
    /// The state or verdict of the outputs.
    #[serde(default)]
    pub result: Option<ItemResult>,
    /// Whether only outputs with a warning or an anomaly.
    #[serde(default)]
    pub flagged: bool,
}

/// The state or verdict of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemResult {
    /// This verdict.
    Verdict(Verdict),
    /// It passes as published and not guarded.
    Differs,
    /// It passes by the verdict that came with it, and not by ours.
    TheirsOnly,
    /// It passes by our verdict, and not by the one that came with it.
    OursOnly,
    /// An engine error.
    EngineFailed,
    /// Nothing yet.
    Waiting,
    /// The task has no output.
    NoOutput,
}

impl ItemResult {
    /// The name in addresses.
    pub fn name(self) -> &'static str {
        match self {
            ItemResult::Verdict(verdict) => verdict.name(),
            ItemResult::Differs => "differs",
            ItemResult::TheirsOnly => "theirs_only",
            ItemResult::OursOnly => "ours_only",
            ItemResult::EngineFailed => "engine_failed",
            ItemResult::Waiting => "waiting",
            ItemResult::NoOutput => "no_output",
        }
    }

    /// The value of that name.
    pub fn from_name(name: &str) -> Option<ItemResult> {
        let others = [
            ItemResult::Differs,
            ItemResult::TheirsOnly,
            ItemResult::OursOnly,
            ItemResult::EngineFailed,
            ItemResult::Waiting,
            ItemResult::NoOutput,
        ];
        Verdict::ALL.map(ItemResult::Verdict).into_iter().chain(others).find(|value| value.name() == name)
    }
}

/// A task without an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct MissingTask {
    /// The source's `task_id`.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
}

/// One output of a run in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ItemRow {
    /// The output.
    pub output: OutputId,
    /// The task's external id.
    pub task_id: String,
    /// The sample, from 0.
    pub sample: u32,
    /// The beginning of the description, with a mark if it is cut.
    pub raw_nl: String,
    pub state: ItemState,
    /// The verdict, once it is finished.
    pub verdict: Option<Verdict>,
    /// The limit that was exceeded.
    pub limit: Option<LimitHit>,
    /// Why the engine reached the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// CPU time in milliseconds.
    pub cpu_ms: u32,
    /// Wall time in milliseconds.
    pub wall_ms: u32,
    /// The verdict as published, if the benchmark has an evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedVerdict>,
    /// Whether it passes by the verdict that came with it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<bool>,
    /// Number of warnings.
    pub flags: u32,
    /// Whether the result came from the cache.
    pub cached: bool,
}

/// How a run's verdicts compare with those that came with the outputs. Outputs without either verdict, and those that a
/// defect of the benchmark's data leaves without one, do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[cfg_attr(not(target_arch = "wasm32"), schema(as = VerdictAgreement))]
pub struct Agreement {
    /// Outputs that pass by both or by neither.
    pub agree: u32,
    /// Outputs that pass by theirs alone.
    pub theirs_only: u32,
    /// Outputs that pass by ours alone.
    pub ours_only: u32,
}

impl Agreement {
    /// Number of outputs with both verdicts.
    pub fn compared(&self) -> u32 {
        self.agree + self.theirs_only + self.ours_only
    }
}

/// One output of a run with all details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ItemDetail {
    pub row: ItemRow,
    /// The run.
    pub run: RunId,
    /// Its model.
    pub model_name: String,
    /// Its submission.
    pub submission: SubmissionId,
    /// Short name of the dataset.
    pub dataset: String,
    /// The task's whole description.
    pub raw_nl: String,
    pub signature: Option<String>,
    /// The programming language asked for.
    pub code_lang: CodeLang,
    /// The model's own text.
    pub code: String,
    /// The original code as highlighted lines.
    pub text: Vec<Line>,
    /// The outcome; absent until it is finished.
    pub outcome: Option<Outcome>,
    /// The compiled source next to the model's text; empty if there is none.
    pub listing: Vec<SourceLine>,
    /// Why the engine failed, if it did.
    pub fault: Option<Fault>,
    /// Whether it was run with another engine, Java build or limits than the run's conditions.
    pub mixed: bool,
    /// The previous output in the run.
    pub previous: Option<Neighbor>,
    /// The next output.
    pub next: Option<Neighbor>,
}

/// A neighbouring output in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Neighbor {
    /// The output.
    pub output: OutputId,
    /// The task's external id.
    pub task_id: String,
}

/// A line of the compiled source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SourceLine {
    /// The line.
    pub code: Line,
    /// Its origin.
    pub origin: Origin,
    /// The compiler's messages on it.
    pub messages: Vec<String>,
    /// The warnings on it.
    pub flags: Vec<Sign>,
}

/// The origin of a line of the compiled source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Added by us.
    Added,
    /// The model's line with this number, from 1.
    Same(u32),
    /// The model's line with this number, changed.
    Changed(u32, String),
}

/// A prerequisite of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineNeed {
    /// A JDK 17 or newer with `jlink` and its modules.
    Jdk,
    /// bubblewrap, which isolates sandboxes.
    Bubblewrap,
    /// libfaketime, for runs that see another date.
    Libfaketime,
}

/// Whether this machine has the engine's prerequisites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineReadiness {
    /// Missing prerequisites; runs fail unless this is empty.
    pub missing: Vec<EngineNeed>,
    /// The command that installs them, if the distribution is known.
    pub install: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_names_are_unique() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_name(verdict.name()), Some(verdict));
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
        assert_eq!(Verdict::from_name("fine"), None);
    }
}
