//! Reasons of verdicts, changes to outputs, warnings and faults of the engine, as values.
//!
//! They are stored and sent as JSON with a `code` or `kind` and its values; `texts::reasons` puts them into
//! words. Texts of other programs (exceptions, compiler messages, errors of the operating system) stay texts, in
//! fields of their own. Nothing here is particular to one programming language unless its name says so.

use serde::{Deserialize, Serialize};

use super::{code_lang::CodeLang, run::Verdict};

/// Why the engine gave an output its verdict. What the program, its tests or the compiler said is in the outcome's
/// `message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// The output has more bytes than are read.
    OutputTooLong {
        /// How many are read.
        limit_bytes: u64,
    },
    /// Nothing in the output is code.
    NoCode,
    /// The output nests brackets too deep, or leaves too many `<` open.
    NestedTooDeep {
        /// Brackets that may be open at once.
        brackets: u32,
        /// `<` that may be open at once.
        angles: u32,
    },
    /// Parsing the output reached its limit of CPU time.
    ParsingCost,
    /// Parsing and assembling the output took too many steps for its length.
    ParsingSteps,
    /// The compiler refused the code; the outcome's `message` is the first of its messages.
    CompilerError {
        /// The line of the model's text, counted from 1, where the message is about one.
        line: Option<u32>,
    },
    /// The compiler refused the code without a message.
    CompilerSilent,
    /// The compiler reached its limit of CPU time.
    CompilerCpu,
    /// The compiler ran out of stack.
    CompilerStack,
    /// The compiler ran out of memory.
    CompilerMemory,
    /// The compiler crashed.
    CompilerCrash,
    /// The program reached its limit of CPU time.
    CpuTime {
        /// The limit in milliseconds.
        limit_ms: u64,
    },
    /// The program reached its limit of waiting time.
    WaitingTime {
        /// The limit in milliseconds.
        limit_ms: u64,
    },
    /// The program's processes used more memory than the sandbox has.
    SandboxMemory,
    /// The program printed more than is accepted.
    PrintedTooMuch,
    /// The program ended before there was a result.
    EndedEarly {
        /// The exit code, which the program chooses; absent if the helper reported none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
    },
    /// A signal ended the program.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// A defect of the benchmark's data: its tests cannot judge this answer. Guarded figures leave it out.
    CannotJudge {
        /// The defect.
        defect: DataDefect,
    },
    /// The program is gone, and how it ended is unknown.
    Lost,
    /// Something other than a frame came over the control socket.
    NotAFrame,
    /// A frame came over the control socket that is no genuine result.
    FalseResult,
    /// The program changed process-wide settings that tests rely on.
    ChangedSettings {
        /// Which.
        settings: Vec<Setting>,
    },
    /// The program reported a pass that its own recorded answers do not support.
    Unconfirmed,
    /// The tests, in a process of their own, do not accept what the code answered; the outcome's `message` says which
    /// assertion failed.
    AnswersRefused,
    /// The code answered with an object that cannot be sent to another process.
    AnswerNotPlain,
    /// The tests do not accept what the code answered, and it changed arguments that the dataset's own solution does not
    /// change. The tests see such arguments unchanged.
    ChangesRefused,
    /// The code is right, but the benchmark's published evaluator reads the file's text as it stands, with its code fence,
    /// and fails it. The only reason of a verdict that passed.
    PublishedReadsFences,
    /// An answer contains NaN, and that of the dataset's own solution does not.
    AnswerNan,
    /// An answer contains an infinity or the smallest integer of its type, and that of the dataset's own solution does
    /// not.
    AnswerInfinite,
    /// An answer contains a number that is far larger than those of the dataset's own solution.
    AnswerFarOff,
    /// An answer has values of another type than that of the dataset's own solution, and the tests convert them to
    /// numbers.
    AnswerOfAnotherType,
    /// An answer is far larger than that of the dataset's own solution.
    AnswerTooLarge,
    /// The code's process ended, or raised an error, before it answered the tests.
    NoAnswer,
    /// The test class returned something other than the numbers of passed and of all cases.
    NoCounts,
    /// The tests reported numbers of cases that cannot be.
    ImpossibleCounts {
        /// Cases passed, as reported.
        passed: i32,
        /// Cases in all, as reported.
        total: i32,
    },
}

/// A process-wide setting that tests rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// The locale.
    Locale,
    /// The time zone.
    TimeZone,
    /// Standard input.
    StandardInput,
    /// Standard output.
    StandardOutput,
    /// Standard error.
    StandardError,
    /// Java's system properties.
    SystemProperties,
    /// Java's security properties and providers.
    SecurityProperties,
    /// Java's default handler of uncaught exceptions.
    ExceptionHandler,
}

impl Setting {
    /// All of them, with the names that the harness sends.
    pub const ALL: [(Setting, &'static str); 8] = [
        (Setting::Locale, "locale"),
        (Setting::TimeZone, "time zone"),
        (Setting::StandardInput, "System.in"),
        (Setting::StandardOutput, "System.out"),
        (Setting::StandardError, "System.err"),
        (Setting::SystemProperties, "system properties"),
        (Setting::SecurityProperties, "security properties"),
        (Setting::ExceptionHandler, "uncaught exception handler"),
    ];

    /// The setting that the harness calls so.
    pub fn from_harness(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|(_, called)| *called == name).map(|(setting, _)| setting)
    }
}

/// A warning about an output for a person to check. It decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Flag {
    /// The line of the model's own text, from 1, if it is in the text.
    pub line: Option<u32>,
    #[serde(flatten)]
    pub sign: Sign,
}

/// The subject of a [`Flag`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Sign {
    /// Ends the program.
    Exit,
    /// Starts a process.
    Process,
    /// Uses native code.
    Native,
    /// Inspects the environment that it runs in by reflection.
    Reflection,
    /// Uses file descriptors.
    Descriptor,
    /// Accesses files of the host.
    Host,
    /// Opens sockets.
    Network,
    /// Changes process-wide defaults.
    Defaults,
    /// Has an equality of its own, which a test might trust.
    Equals,
    /// Starts threads.
    Threads,
    /// Threads still ran when the tests were over.
    ThreadsLeft {
        /// How many.
        count: u32,
    },
    /// The pass could not be repeated outside of the program's process.
    Unconfirmed,
}

/// A change made to the model's text so that it compiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// Only one fenced block of code was used.
    Fence {
        /// Its first line, counted from 1.
        first: u32,
        /// Its last line.
        last: u32,
    },
    /// The package declaration was removed.
    Package {
        /// The declaration.
        declaration: String,
    },
    /// The task's signature and a class were put around a bare body.
    WrapBody,
    /// A class was put around the method.
    Wrap {
        /// The class.
        class: String,
    },
    /// The class was renamed.
    Rename { from: String, to: String },
    /// A class is no longer public, because only one of a file may be.
    OnePublicClass,
    /// A method was made public.
    Public {
        method: String,
        /// The modifier that it had.
        was: String,
    },
    /// The constructor was made public.
    Constructor,
    /// The class is no longer abstract.
    Abstract,
    /// The class extends a base class that it did not extend.
    Extends {
        base: String,
        /// The base class that it had, where it had one.
        was: Option<String>,
    },
    /// The class implements an interface that it did not implement.
    Implements { interface: String },
    /// A method is no longer static, because it overrides an instance method.
    Static { method: String },
    /// A member is no longer static, because it calls a method that is not.
    StaticCaller {
        /// The member; absent where it has no name.
        member: Option<String>,
        /// The method that it calls.
        calls: String,
    },
    /// An import was added.
    Import { name: String },
    /// An unused import of something that does not exist was removed.
    ImportLeftOut { name: String },
}

/// Why the engine could not run an output, or a run at all. It says nothing about the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Fault {
    /// The sandbox could not be started.
    Sandbox {
        /// The message of the sandbox or the operating system.
        detail: String,
    },
    /// A compiler or a library that tests need is not installed.
    Toolchain {
        /// What is missing, and how to install it.
        detail: String,
    },
    /// The harness inside the sandbox did not answer as it should.
    Harness {
        /// The fault.
        detail: String,
    },
    /// The host gave a process too little CPU time for a verdict.
    Busy {
        /// How little.
        detail: String,
    },
    /// The dataset's tests do not compile or are incomplete.
    Tests {
        /// Why the compiler could not compile them, where it said nothing itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// The first problem; may be empty.
        detail: String,
    },
    /// The dataset has no tests.
    NoTests,
    /// The tests need the sources of projects, and the operator has named no folder with them.
    NoRepositories,
    /// A project that the operator supplies cannot be used, so the tests of its tasks cannot run.
    Project {
        /// Its folder below `Source_Code`.
        project: String,
        /// Why.
        problem: ProjectProblem,
    },
    /// Sandbox checks failed, so nothing was run.
    FailedChecks {
        /// Those that failed.
        checks: Vec<FailedCheck>,
    },
    /// The disk is full.
    DiskFull {
        /// The folder that the engine writes to.
        folder: String,
    },
    /// Every worker that got the output stopped without a result, as if the output had killed it.
    WorkersLost {
        /// How many.
        times: u32,
    },
    /// The operating system or the database refused something.
    System {
        /// Its message.
        detail: String,
    },
}

/// Why a project cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProjectProblem {
    /// Its folder is missing.
    Missing,
    /// It has no Python environment with pytest.
    Environment {
        /// What is missing, and how to install it.
        detail: String,
    },
    /// A file is not the one that the dataset was made from: the task's lines do not have the task's code.
    OtherVersion {
        /// The file, relative to the project.
        file: String,
        /// The line at which the code should begin, from 1.
        line: u32,
        /// How many lines further down the file has the code, up if negative; absent if it does not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<i32>,
    },
    /// A test does not run, or does not pass, with the project's own code.
    OwnCode {
        /// The test's ID.
        test: String,
        /// What pytest said; may be empty.
        detail: String,
    },
    /// Its files cannot be copied.
    Unreadable {
        /// The message of the operating system.
        detail: String,
    },
}

/// A defect of a benchmark's data, because of which its tests cannot judge answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DataDefect {
    /// Answers get another indentation than the code that they replace.
    Indent {
        /// Spaces before each line of an answer.
        answer: u32,
        /// Spaces before the code.
        code: u32,
    },
    /// The lines that an answer replaces begin before the function and end before its end.
    EarlyLines {
        /// How many lines early they begin.
        lines: u32,
    },
    /// Several tests have the same ID, of which a file can have only one.
    SharedTest {
        /// The test's ID.
        test: String,
        /// A task with another test of this ID.
        task: String,
    },
    /// The ID of a test begins with a quotation mark, so it names no file.
    QuotedTest {
        /// The test's ID.
        test: String,
    },
    /// The text of a test is not valid Python.
    InvalidTest {
        /// The test's ID.
        test: String,
    },
}

/// A check of the sandbox: a program that tries to break one isolation layer, and the verdict that it must get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SandboxCheck {
    RightCode,
    WrongCode,
    HostFiles,
    Writes,
    ScratchSize,
    ScratchCode,
    OwnMemory,
    Sockets,
    Processes,
    SharedState,
    UnsafeMemory,
    NativeBinding,
    Libraries,
    BorrowedAccess,
    ForeignMemory,
    DescriptorByReflection,
    DescriptorByNumber,
    ForgedResults,
    ExpectedValues,
    Confirmation,
    EarlyExit,
    ChangedDefaults,
    LyingEquality,
}

/// A sandbox check with an unexpected verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FailedCheck {
    pub check: SandboxCheck,
    /// The language whose toolchain was checked; absent for the Java engine of test classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<CodeLang>,
    /// The verdict that shows the isolation layer to work.
    pub expected: Verdict,
    pub found: Verdict,
    /// Why the engine reached the verdict.
    pub reason: Option<Reason>,
    /// The program's message; may be empty.
    pub message: String,
}
