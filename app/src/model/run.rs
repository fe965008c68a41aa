//! Runs of a dataset's tests over a submission, and what came of every output.
//!
//! What a model's code did is a [`Verdict`]; what went wrong in our own machinery is a
//! [`ItemState::Failed`] and never a verdict.

use serde::{Deserialize, Serialize};

use super::{
    code::Line,
    ids::{OutputId, RunId, SubmissionId},
    time::Timestamp,
};

/// What came of running one output's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every test case passed.
    Passed,
    /// Some test case did not.
    Failed,
    /// No class could be made of it, or the compiler refused the class.
    CompileError,
    /// It used up its processor time or, waiting for something, its wall time.
    Timeout,
    /// It used up its heap or its threads.
    OutOfMemory,
    /// An error ended the tests or the whole JVM, or it was ended for printing without end.
    Crashed,
    /// The JVM ended in good order and without a result: the code called `exit` or `halt`.
    NoResult,
    /// The code changed what the tests rest on, or something false came over the control socket.
    Tampered,
    /// The tests reported something that cannot be: more passes than cases, or no case at all.
    Anomaly,
}

impl Verdict {
    /// All of them, in the order in which charts and tables show them.
    pub const ALL: [Verdict; 9] = [
        Verdict::Passed,
        Verdict::Failed,
        Verdict::CompileError,
        Verdict::Timeout,
        Verdict::OutOfMemory,
        Verdict::Crashed,
        Verdict::NoResult,
        Verdict::Tampered,
        Verdict::Anomaly,
    ];

    /// The name in data files, on the command line and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::CompileError => "compile_error",
            Verdict::Timeout => "timeout",
            Verdict::OutOfMemory => "out_of_memory",
            Verdict::Crashed => "crashed",
            Verdict::NoResult => "no_result",
            Verdict::Tampered => "tampered",
            Verdict::Anomaly => "anomaly",
        }
    }

    /// The verdict of that name.
    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|v| v.name() == name)
    }
}

/// Which limit an output ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitHit {
    /// Processor time.
    Cpu,
    /// Waiting: time in which it neither ran nor was ready to run.
    Wall,
    /// The heap, or memory beside it.
    Heap,
    /// The number of threads.
    Threads,
    /// The amount printed.
    Printed,
    /// The compiler's stack.
    Stack,
    /// The steps in which a text is read, assembled and checked before it is compiled.
    Steps,
}

/// Something about an output that a person should look at. It decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Flag {
    /// A short name from a closed list: `exit`, `reflection`, `native`, `process`, `equals`, …
    pub kind: String,
    /// The line of the model's own text, counted from 1, where it is in the text.
    pub line: Option<u32>,
    /// What was seen, for people.
    pub detail: String,
}

/// A change that was made to the model's text so that it compiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Change {
    /// A short name from a closed list: `fence`, `wrap`, `static`, `import`, `import_left_out`, `rename`, `package`, …
    pub kind: String,
    /// What was changed, for people, in English.
    pub detail: String,
    /// The names and figures in it, in the order in which a sentence in another language takes them; absent in what
    /// was noted before there were any.
    #[serde(default)]
    pub names: Vec<String>,
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// The line of the model's own text, counted from 1; absent where the message is about what was
    /// put around it.
    pub line: Option<u32>,
    /// The compiler's own words.
    pub message: String,
}

/// One test case's outcome, where the tests tell of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// Why not; empty where it did.
    pub detail: String,
}

/// All that is known of running one output's tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// The outcome.
    pub verdict: Verdict,
    /// Which limit was hit, where one was.
    pub limit: Option<LimitHit>,
    /// Test cases passed, as the tests reported it.
    pub passed: u32,
    /// Test cases, as the tests reported it; 0 where they never got so far.
    pub total: u32,
    /// Processor time in milliseconds, with the start of its JVM.
    pub cpu_ms: u32,
    /// Time on the clock in milliseconds, from handing over the code to its end.
    pub wall_ms: u32,
    /// The most memory resident at once, in KiB, the JVM's own included.
    pub memory_kib: u32,
    /// Explanation of the outcome in a sentence; may be empty.
    pub message: String,
    /// What it printed, cut where it is long.
    pub printed: String,
    /// The source that was compiled.
    pub source: String,
    /// What was changed in the model's text to get there.
    pub changes: Vec<Change>,
    /// What the compiler said, where it refused.
    pub diagnostics: Vec<Diagnostic>,
    /// What a person should look at.
    pub flags: Vec<Flag>,
    /// The test cases, where the tests tell of each.
    pub cases: Vec<CaseResult>,
}

impl Outcome {
    /// An outcome with nothing in it but its verdict.
    pub fn new(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            limit: None,
            passed: 0,
            total: 0,
            cpu_ms: 0,
            wall_ms: 0,
            memory_kib: 0,
            message: String::new(),
            printed: String::new(),
            source: String::new(),
            changes: Vec::new(),
            diagnostics: Vec::new(),
            flags: Vec::new(),
            cases: Vec::new(),
        }
    }
}

/// How far one output of a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Nobody has it.
    Waiting,
    /// A worker has it.
    Leased,
    /// It has its verdict.
    Done,
    /// Our own machinery failed on it, twice.
    Failed,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It waits for the engine, or the engine is at it.
    Running,
    /// Every output has come to its end.
    Finished,
    /// Somebody stopped it; what was done stays.
    Cancelled,
}

impl RunStatus {
    /// The name in the database and in data files.
    pub fn name(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Finished => "finished",
            RunStatus::Cancelled => "cancelled",
        }
    }

    /// The status of that name.
    pub fn from_name(name: &str) -> Option<RunStatus> {
        [RunStatus::Running, RunStatus::Finished, RunStatus::Cancelled].into_iter().find(|s| s.name() == name)
    }
}

/// What was the same for every output of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Environment {
    /// The Java build that ran the code.
    pub java: String,
    /// The time zone.
    pub time_zone: String,
    /// The locale.
    pub locale: String,
    /// The default charset.
    pub encoding: String,
    /// Limits and switches, as one line for people.
    pub limits: String,
    /// The same as values; absent in runs of before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// A checksum over everything that decides: tests, harness, Java build, switches.
    pub fingerprint: String,
}

/// What the engine itself says of an output's end. Kept in English with the outcome, and shown in the visitor's words.
pub mod said {
    /// Something else than a frame came over the control socket.
    pub const NO_FRAME: &str = "something that is no frame came over the control socket";
    /// A frame came that is no true result.
    pub const FALSE_RESULT: &str = "a false result came over the control socket";
    /// It reached the limit of what may be printed.
    pub const PRINTED: &str = "it printed without end";
    /// It reached the limit of processor time.
    pub const CPU: &str = "it used up its processor time";
    /// It reached the limit of memory that its processes have together.
    pub const MEMORY: &str = "it used more memory than the sandbox has";
    /// It reached the limit of waiting.
    pub const WALL: &str = "it waited until its wall time was over";
    /// The JVM ended by itself, early.
    pub const LEFT: &str = "the JVM ended before there was a result";
    /// Nobody knows how the JVM ended.
    pub const LOST: &str = "the JVM was lost";
    /// Before the number of the signal that ended the JVM.
    pub const SIGNAL: &str = "the JVM was ended by signal ";
    /// Before the names of what was changed, with commas.
    pub const CHANGED: &str = "it changed what the tests rest on: ";
    /// The compiler reached the limit of processor time on this source.
    pub const COMPILER_CPU: &str = "the compiler used up its CPU time on this source";
    /// The source nests so deep that the compiler ran out of stack.
    pub const COMPILER_STACK: &str = "the compiler ran out of stack on this source";
    /// The compiler reached the limit of memory on this source.
    pub const COMPILER_MEMORY: &str = "the compiler ran out of memory on this source";
    /// The compiler's JVM ended by itself.
    pub const COMPILER_CRASH: &str = "the compiler crashed on this source";
    /// The compiler refused a source without a message.
    pub const NO_MESSAGE: &str = "the compiler refused this source and gave no message";
    /// The text of an output has too many brackets open to be read.
    pub const TOO_DEEP: &str = "the output nests brackets more than 256 deep, or leaves more than 2,000 `<` open";
    /// Reading an output reached the limit of CPU time.
    pub const PARSER_CPU: &str = "reading the output as Java used up its CPU time";
    /// Reading an output and making a class of it took too many steps.
    pub const TOO_MANY_STEPS: &str = "reading the output as Java took more steps than are allowed for its length";
    /// An output without code.
    pub const NO_CODE: &str = "the output holds no code";
    /// An output longer than the server reads.
    pub const TOO_LONG: &str = "the output is longer than 1 MiB";
    /// Of the harness: the published test class returned something else than passed and total.
    pub const NO_PAIR: &str = "the test class returned no pair of numbers";
}

/// Under which limits and behind which walls a run's outputs ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Conditions {
    /// Processor time of one output in seconds. It decides.
    pub cpu_s: u64,
    /// How long one output may wait, in seconds: time in which it neither ran nor was ready to run.
    pub wall_s: u64,
    /// Java heap in MiB.
    pub heap_mib: u64,
    /// Threads of its own.
    pub threads: u64,
    /// Whether outputs that keep to themselves shared a JVM.
    pub fast: bool,
    /// The name of the dates that they saw, such as `june-2022`; absent where it was the day's own.
    pub dates: Option<String>,
    /// Whether Landlock stood beside the other walls.
    pub landlock: bool,
    /// What control groups held as one sum over all processes of a sandbox; absent where nothing.
    pub groups: Option<Sums>,
    /// Why the operator let it run although walls had fallen; absent where all stood.
    pub fallen: Option<String>,
}

/// What control groups bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sums {
    /// Memory, scratch included.
    Memory,
    /// The number of threads.
    Threads,
    /// Both.
    MemoryAndThreads,
}

/// The figures of one run. All are over every task of the dataset that has tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Metrics {
    /// Tasks of the dataset that have tests.
    pub tasks: u32,
    /// Tasks that are answered by at least one output.
    pub answered: u32,
    /// Tasks whose first sample passed every case.
    pub solved: u32,
    /// Share of tasks solved, unbiased where there are several samples: `pass@1`.
    pub pass_at_1: f64,
    /// Sum of the tasks' pass ratios, as the tests reported them.
    pub ratio_sum: f64,
    /// The same divided by the number of tasks: `AvgPassRatio`.
    pub ratio_mean: f64,
    /// The sum where no ratio counts for more than 1.
    pub ratio_sum_clamped: f64,
    /// The mean where no ratio counts for more than 1.
    pub ratio_mean_clamped: f64,
}

/// `pass@k` for one k.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct PassAtK {
    /// How many samples may be tried.
    pub k: u32,
    /// The chance that one of them passes, mean over all tasks.
    pub value: f64,
}

/// A row of the list of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// What it ran.
    pub submission: SubmissionId,
    /// Whose outputs they are.
    pub model_name: String,
    /// Short name of the dataset.
    pub dataset: String,
    /// The dataset's version.
    pub number: u32,
    pub status: RunStatus,
    /// Outputs in all.
    pub items: u32,
    /// Outputs that came to their end.
    pub done: u32,
    /// Of these, where our own machinery failed.
    pub failed: u32,
    /// Begun when.
    pub created_at: Timestamp,
    /// Ended when.
    pub finished_at: Option<Timestamp>,
    /// The figures so far.
    pub metrics: Metrics,
}

/// How a run is to be done, beyond what it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartHow {
    /// Whether earlier outcomes are left alone.
    pub fresh: bool,
    /// Whether outputs that keep to themselves share a JVM.
    pub fast: bool,
    /// Whether outputs and tests see June 2022 and not today.
    pub june_2022: bool,
    /// A run in whose way it is to be done, whatever the two above say.
    pub like: Option<RunId>,
}

/// Which of a run's outputs are to be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// This one, whatever is known of it.
    Output(OutputId),
    /// Those of these tasks, by the source's ids, whatever is known of them.
    Tasks(Vec<String>),
    /// Those on which our own machinery failed.
    Failed,
    /// Those that could come to something else today: the engine, its limits or the Java build are
    /// others than they were run with.
    Changed,
    /// What was left when the run was stopped.
    Rest,
}

/// How far a run is, as the browser hears it while it works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunProgress {
    /// How far.
    pub status: RunStatus,
    /// Outputs in all.
    pub items: u32,
    /// Outputs that came to their end.
    pub done: u32,
    /// Of these, where our own machinery failed.
    pub failed: u32,
    /// How many came to each verdict so far; only verdicts that occur.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Whether the engine has begun with it: at first it makes itself ready, which can take a while.
    pub begun: bool,
    /// The run that has to come to its end before this one's turn.
    pub behind: Option<RunId>,
    /// Seconds that are left if the rest goes as what was run so far; absent until that can be said.
    pub left_s: Option<u32>,
}

/// One run with all its outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunDetail {
    pub row: RunRow,
    /// What was the same for every output.
    pub environment: Environment,
    /// `pass@k` for every k up to the smallest number of samples, where there is more than one.
    pub pass_at: Vec<PassAtK>,
    /// Why the engine could not do it at all, where it could not.
    pub fault: Option<String>,
    /// How many outputs came to each verdict, all verdicts in their order.
    pub verdicts: Vec<(Verdict, u32)>,
    /// How many were answered from the cache.
    pub cached: u32,
    /// How many were taken over from a worker that stopped without a word, as in a kill. Each counts
    /// once all the same.
    pub taken_over: u32,
    /// How many were run with another engine, Java build or limits than the environment names.
    pub mixed: u32,
    /// Every output, in the dataset's order.
    pub items: Vec<ItemRow>,
    /// Tasks with tests that have no output, in the dataset's order; they count 0.
    pub missing: Vec<MissingTask>,
}

/// A task that nothing answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct MissingTask {
    /// The source's `task_id`.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
}

/// One output of a run in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ItemRow {
    /// The output.
    pub output: OutputId,
    /// The source's id of its task.
    pub task_id: String,
    /// Counts from 0 where a task has several samples.
    pub sample: u32,
    /// The description's beginning, with a mark where it goes on.
    pub raw_nl: String,
    pub state: ItemState,
    /// What came of it, once it is done.
    pub verdict: Option<Verdict>,
    /// Which limit was hit.
    pub limit: Option<LimitHit>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// Processor time in milliseconds.
    pub cpu_ms: u32,
    /// Time on the clock in milliseconds.
    pub wall_ms: u32,
    /// How many flags it has.
    pub flags: u32,
    /// Whether the result came from the cache.
    pub cached: bool,
}

/// One output of a run with all that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ItemDetail {
    pub row: ItemRow,
    /// The run.
    pub run: RunId,
    /// Whose output it is.
    pub model_name: String,
    /// The submission that it came with.
    pub submission: SubmissionId,
    /// Short name of the dataset.
    pub dataset: String,
    /// The task's whole description.
    pub raw_nl: String,
    pub signature: Option<String>,
    /// The model's own text.
    pub code: String,
    /// The same in lines, highlighted, as it came.
    pub text: Vec<Line>,
    /// What came of it; absent until it is done.
    pub outcome: Option<Outcome>,
    /// The source that was compiled, beside the model's text; empty where there is none.
    pub listing: Vec<SourceLine>,
    /// Why our own machinery failed, where it did.
    pub fault: Option<String>,
    /// Whether it was run with another engine, Java build or limits than the run's environment names.
    pub mixed: bool,
    /// The output before it in the run.
    pub previous: Option<Neighbour>,
    /// The output after it.
    pub next: Option<Neighbour>,
}

/// The output beside another in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Neighbour {
    /// The output.
    pub output: OutputId,
    /// The source's id of its task.
    pub task_id: String,
}

/// A line of the source that was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SourceLine {
    /// The line.
    pub code: Line,
    /// Where it comes from.
    pub origin: Origin,
    /// What the compiler said of it.
    pub messages: Vec<String>,
    /// What a person should look at in it.
    pub flags: Vec<String>,
}

/// Where a line of the compiled source comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// We put it there.
    Added,
    /// It is the model's line with this number, counted from 1.
    Same(u32),
    /// It is the model's line with this number, which was other than it is here.
    Changed(u32, String),
}

/// What the engine needs from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineNeed {
    /// A JDK 17 or newer with `jlink` and its modules.
    Jdk,
    /// bubblewrap, which isolates sandboxes.
    Bubblewrap,
}

/// Whether this machine has what the engine needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineReadiness {
    /// What it lacks; runs fail unless this is empty.
    pub missing: Vec<EngineNeed>,
    /// The command that installs it, where the distribution is known.
    pub install: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_name_of_its_own() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_name(verdict.name()), Some(verdict));
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
        assert_eq!(Verdict::from_name("fine"), None);
    }
}
