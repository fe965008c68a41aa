//! Runs answers to the turns of CodeIF-Bench's conversations.
//!
//! The texts equal those of the benchmark's `evaluation.py` exactly: what is removed from an answer, which tests stand after
//! it, and how they are joined. See docs/engine.md.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use model::{
    code_lang::CodeLang,
    conversation::{InstructionKind, TestProfile, TurnCheck, Way},
    ids::TaskRevisionId,
    reason::{FailedCheck, Reason},
    run::{Environment, LimitHit, Outcome, Published, PublishedVerdict, Verdict},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Places, RunContext, Toolchain,
    grader::LONGEST_TEXT,
    language, leftovers,
    process::Budget,
    python::scripts::{self, ScriptEnd, Scripts},
    suite, trials,
};
use engine::{EngineError, runner::Allowance, self_test::CheckResult};
use sandbox::Sandbox;

/// Increase when the same answer can get another outcome.
const GENERATION: u32 = 1;

/// What stands for tests that did not parse when the authors ran them: any text that does not parse gives the published
/// verdicts.
const UNPARSABLE: &str = "try: pass except Exception: pass";

/// The tests of a task.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Task {
    pub turns: Vec<Turn>,
}

/// The tests of a turn.
#[derive(Clone, Debug, Deserialize)]
pub struct Turn {
    pub kind: InstructionKind,
    /// Whether the turn is judged in a conversation of all turns.
    pub judged: bool,
    pub tests: Vec<String>,
    #[serde(default)]
    pub unparsable_as_run: bool,
}

/// An answer: the code as the evaluator cuts it out of a response.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub code: &'a str,
    pub way: Way,
    pub turn: u32,
    /// The earlier turns that the same conversation answers; all without a list. The tests of others do not judge it.
    pub answered: Option<&'a [u32]>,
}

impl<'a> Answer<'a> {
    /// An answer of a conversation that answers all turns.
    pub fn new(code: &'a str, way: Way, turn: u32) -> Answer<'a> {
        Answer { code, way, turn, answered: None }
    }

    /// Whether a turn belongs to the conversation. The base prompt begins each.
    pub(crate) fn includes(&self, turn: u32) -> bool {
        turn == 0 || turn == self.turn || self.answered.is_none_or(|answered| answered.contains(&turn))
    }
}

impl Task {
    fn turn(&self, turn: u32) -> Option<&Turn> {
        self.turns.get(usize::try_from(turn).ok()?)
    }

    /// A turn's own tests.
    pub fn own(&self, turn: u32, profile: TestProfile) -> Vec<&str> {
        match self.turn(turn) {
            Some(of) if of.unparsable_as_run && profile == TestProfile::AsRun => vec![UNPARSABLE],
            Some(of) => of.tests.iter().map(String::as_str).collect(),
            None => Vec::new(),
        }
    }

    /// The turns that a conversation asks for, in order.
    fn asked(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.turns).filter(|(_, turn)| turn.judged).map(|(number, _)| number)
    }

    /// Whether the published evaluator gives the answer a verdict.
    pub fn is_judged(&self, way: Way, turn: u32) -> bool {
        way != Way::N || self.turn(turn).is_some_and(|turn| turn.judged)
    }

    /// The tests by which the published evaluator judges the answer to a turn. Those of an answer that it does not judge
    /// are the turn's own.
    pub fn tests(&self, answer: Answer<'_>, profile: TestProfile) -> Vec<&str> {
        let Answer { way, turn, .. } = answer;
        let own = || self.own(turn, profile);
        let base = || self.own(0, profile);
        let extends = self.turn(turn).is_some_and(|turn| turn.kind == InstructionKind::FunctionalityExtension);
        match way {
            _ if turn == 0 => base(),
            Way::Dynamic => own(),
            Way::N if !self.is_judged(way, turn) => own(),
            Way::N => {
                let earlier = (1..=turn).filter(|turn| self.is_judged(way, *turn) && answer.includes(*turn));
                base().into_iter().chain(earlier.flat_map(|turn| self.own(turn, profile))).collect()
            }
            // An extension changes what the base tests test.
            Way::Base | Way::Single | Way::Multi if extends || profile == TestProfile::V1 => own(),
            Way::Base | Way::Single | Way::Multi => base().into_iter().chain(own()).collect(),
        }
    }
}

/// The program that the evaluator writes for an answer and tests.
pub fn program(code: &str, way: Way, tests: &[&str]) -> String {
    let code = match way {
        Way::Base => code.to_owned(),
        Way::Single | Way::Multi | Way::N => without_blank_lines(&without_docstrings(code)),
        Way::Dynamic => without_blank_lines(code) + "\n",
    };
    format!("{code}\n{}\n", tests.join("\n"))
}

/// Removes every text from four blanks, three quotes and a line break to the next three quotes.
fn without_docstrings(code: &str) -> String {
    const OPENING: &str = "    \"\"\"";
    const QUOTES: &str = "\"\"\"";
    let (mut rest, mut kept) = (code, String::new());
    loop {
        let opening = rest.match_indices(OPENING).find_map(|(at, _)| {
            let after = &rest[at + OPENING.len()..];
            Some((at, after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'))?))
        });
        match opening.and_then(|(at, body)| Some((at, body.split_once(QUOTES)?.1))) {
            Some((at, after)) => {
                kept.push_str(&rest[..at]);
                rest = after;
            }
            None => {
                kept.push_str(rest);
                return kept;
            }
        }
    }
}

/// Joins the lines that are not blank. Lines and blanks are Python's, which differ from Rust's.
fn without_blank_lines(text: &str) -> String {
    let is_break =
        |c: char| matches!(c, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_blank = |line: &&str| line.chars().all(|c| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c));
    // The empty line between a carriage return and a line feed is blank.
    let lines: Vec<&str> = text.split(is_break).filter(|line| !is_blank(line)).collect();
    lines.join("\n")
}

/// Runs the outputs of one dataset version. Shared by all workers.
pub struct Conversations {
    sandbox: Arc<dyn Sandbox>,
    scripts: Scripts,
    /// Runs the sandbox checks.
    python: Arc<dyn Toolchain>,
    tests: BTreeMap<TaskRevisionId, Task>,
    context: RunContext,
    profile: TestProfile,
}

impl Conversations {
    /// Reads the tests and finds Python with its packages. `folder` stores what is built for later runs.
    ///
    /// # Errors
    /// Fails if Python or a package is missing or tests cannot be read; other engine errors.
    pub fn prepare(
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        tests: &[(TaskRevisionId, CodeLang, String)],
        allowance: Allowance,
        profile: TestProfile,
    ) -> Result<Conversations, EngineError> {
        let read = tests.iter().map(|(revision, _, text)| {
            let task = serde_json::from_str(text).map_err(|e| EngineError::Tests(e.to_string()))?;
            Ok((*revision, task))
        });
        let tests = read.collect::<Result<_, EngineError>>()?;
        let places = Places::of_images(folder);
        let missing = |e: std::io::Error| EngineError::Toolchain(format!("Python: {e}"));
        let scripts = Scripts::find(&places, folder).map_err(missing)?;
        let python =
            language(CodeLang::Python).ok_or_else(|| EngineError::Toolchain("Python is not supported".into()))?;
        let python = (python.find)(&places, folder).map_err(missing)?;
        let mut context = suite::context(Arc::clone(&sandbox), folder, allowance);
        context.budget = scripts::budget(context.budget);
        leftovers::sweep(&context.folder);
        Ok(Conversations { sandbox, scripts, python, tests, context, profile })
    }

    /// The conditions that all outputs share.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        let (layers, budget) = (self.sandbox.optional_layers(), self.context.budget);
        suite::environment(layers, budget, self.versions(), self.fingerprint(), failed_checks)
    }

    /// The versions of the interpreter and its packages.
    pub fn versions(&self) -> String {
        self.scripts.version().to_owned()
    }

    /// A hash of everything besides the output and its task that can affect an outcome.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.versions(), self.context.budget, self.profile)
    }

    /// Runs the sandbox checks.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn trials(&self) -> Result<Vec<CheckResult>, EngineError> {
        trials::run(CodeLang::Python, &*self.python, &self.context)
    }

    /// Runs an answer with the tests by which the published evaluator judges it and, in a conversation of all turns, with
    /// the tests of single turns: its own and, if it failed, those of the earlier turns, to see which it forgot. In a
    /// dynamic conversation, with the tests of every turn that the conversation can ask for.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn grade(
        &self,
        revision: TaskRevisionId,
        answer: Answer<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError> {
        let missing = || EngineError::Tests("the task has no tests".to_owned());
        let task = self.tests.get(&revision).ok_or_else(missing)?;
        let context = self.context.attempt(cancelled);
        let begun = Instant::now();
        let Answer { code, way, turn, .. } = answer;
        // The published program that converses ran the tests as released.
        let profile = if way == Way::Dynamic { TestProfile::V1 } else { self.profile };
        let source = program(code, way, &task.tests(answer, profile));
        let end = self.scripts.run(&context, &source)?;
        let is_judged = task.is_judged(way, turn);
        let mut outcome = judged(&end, is_judged);
        outcome.source = source;
        for turn in alone(task, answer, end.passed) {
            let alone = program(code, way, &task.own(turn, profile));
            let other = if alone == outcome.source { None } else { Some(self.scripts.run(&context, &alone)?) };
            outcome.cpu_ms = outcome.cpu_ms.saturating_add(other.as_ref().map_or(0, cpu_ms));
            let check = other.as_ref().unwrap_or(&end);
            outcome.turns.push(TurnCheck { turn, published: check.passed, guarded: check.passed && check.finished });
        }
        outcome.wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        Ok(outcome)
    }
}

/// The turns whose tests run alone: in a conversation of all turns the answer's own and, unless it passed, the earlier
/// ones; in a dynamic conversation, all that it can ask for.
pub fn alone(task: &Task, answer: Answer<'_>, passed: bool) -> impl Iterator<Item = u32> {
    let Answer { way, turn, .. } = answer;
    let is_tested = |turn: &u32| !passed && task.is_judged(way, *turn) && answer.includes(*turn);
    let turns: Vec<u32> = match way {
        Way::Base | Way::Single | Way::Multi => Vec::new(),
        Way::N => (0..turn).filter(is_tested).chain([turn]).collect(),
        Way::Dynamic => task.asked().collect(),
    };
    turns.into_iter()
}

/// The limits of a script.
pub fn budget(allowance: Allowance) -> Budget {
    scripts::budget(suite::budget(allowance))
}

/// [`Conversations::fingerprint`] of an interpreter and packages of these versions.
pub fn fingerprint(versions: &str, budget: Budget, profile: TestProfile) -> String {
    suite::digest(&format!("{GENERATION} {versions} {budget:?} {}", profile.name()))
}

/// The cache key of an answer. `basis` is [`Conversations::fingerprint`], and `digest` names the tests ([`suite::digest`]).
pub fn key(basis: &str, digest: &str, Answer { code, way, turn, answered }: Answer<'_>) -> String {
    let answered = answered.map_or_else(String::new, |answered| format!("{answered:?}"));
    hex::encode(Sha256::digest(format!("{basis}\0{digest}\0{}\0{turn}{answered}\0{code}", way.name())))
}

fn cpu_ms(end: &ScriptEnd) -> u32 {
    u32::try_from(end.ended.report.cpu_us / 1000).unwrap_or(u32::MAX)
}

/// The outcome of one run: the exit code decides as published; the guarded verdict also asks whether the tests ran to their
/// end.
pub fn judged(end: &ScriptEnd, is_judged: bool) -> Outcome {
    let ScriptEnd { passed, finished, message, ended, .. } = end;
    let limited = ended.limited();
    let (verdict, reason) = match (passed, finished, &limited) {
        (true, true, _) => (Verdict::Passed, None),
        (_, _, Some((verdict, reason))) => (*verdict, Some(reason.clone())),
        // Every test was skipped.
        (true, false, _) if end.verdict == Verdict::Anomaly => (Verdict::Anomaly, None),
        (true, false, _) => (Verdict::NoResult, Some(Reason::EndedEarly { exit_code: ended.report.code })),
        // It ended well and failed afterwards: in a thread, an exit handler, or by its output.
        (false, true, _) => (Verdict::Crashed, None),
        (false, false, _) => (end.verdict, None),
    };
    let published_verdict = match (passed, ended.limit) {
        (true, _) => PublishedVerdict::Passed,
        (false, Some(LimitHit::Cpu | LimitHit::Wait)) => PublishedVerdict::Timeout,
        (false, _) => PublishedVerdict::Failed,
    };
    let message: String = message.chars().take(LONGEST_TEXT).collect();
    Outcome {
        reason,
        total: 1,
        passed: u32::from(verdict == Verdict::Passed),
        published: is_judged.then(|| published(published_verdict, &message)),
        message,
        ..ended.outcome(verdict)
    }
}

/// The outcome of an answer that the published evaluator refuses without running it.
pub fn refused(why: &str, is_judged: bool) -> Outcome {
    Outcome {
        total: 1,
        message: why.to_owned(),
        published: is_judged.then(|| published(PublishedVerdict::Failed, why)),
        ..Outcome::new(Verdict::Failed)
    }
}

fn published(verdict: PublishedVerdict, message: &str) -> Published {
    let reason = match verdict {
        PublishedVerdict::Passed => String::new(),
        PublishedVerdict::Timeout => "timed out".to_owned(),
        PublishedVerdict::Failed => format!("failed: {message}"),
    };
    Published { verdict, reason, failure: None }
}

#[cfg(test)]
#[path = "codeif_test.rs"]
mod tests;
