//! JavaScript: a fresh Node.js process for each program.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use app::model::{
    code_lang::CodeLang,
    run::{Outcome, Verdict},
};
use sha2::{Digest, Sha256};

use super::{
    Bench, Judged, Language, Places, Toolchain, command,
    guard::{Judges, Lasting, Luck},
    humaneval::{self, Task},
    image,
    process::{Budget, Running},
};
use crate::{
    engine::EngineError,
    sandbox::{Profile, tool},
};

pub mod display;
mod failures;
mod trials;

/// The code that follows the code of the guard's processes.
const FRAMES: &str = include_str!("frames.js");
const VALUES: &str = include_str!("values.js");
/// What judges that wait run.
const JUDGES: &str = concat!(include_str!("frames.js"), include_str!("judges.js"));
/// A solver that runs the published program after the last call.
const BOTH: &str = concat!("'use strict';\n", include_str!("frames.js"), include_str!("both.js"));

/// V8 computes new hash seeds at each start otherwise, and all hashes of its snapshot again: a seventh of a start. What
/// the seed protects, a server's tables of others' keys, is not here.
const QUICK_START: &str = "--no-rehash-snapshot";

/// Increase when images are built differently.
const GENERATION: u32 = 1;

/// JavaScript's entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::JavaScript,
    look: |places| locate(places).map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

struct JavaScript {
    version: String,
    mounts: Vec<(PathBuf, String)>,
    /// Node.js, and options that it knows.
    node: Vec<&'static str>,
    judges: Judges,
    luck: Luck,
}

/// Finds `node/bin/node` in the operator's folder or `node` on the path, and the module `js-md5` in the operator's
/// `node/node_modules` or where `NODE_PATH` says.
///
/// # Errors
/// Fails if Node.js or the module is missing.
fn locate(places: &Places) -> io::Result<(PathBuf, PathBuf)> {
    let missing = |text: String| io::Error::new(io::ErrorKind::NotFound, text);
    let program = places.program("node/bin/node", "node").ok_or_else(|| {
        missing(
            "no node was found on the path. Install the package `nodejs`; the benchmark names Node.js 16.14.0".into(),
        )
    })?;
    let named = std::env::var_os("NODE_PATH").map(PathBuf::from).map(|path| path.join("js-md5"));
    let module = places.own("node/node_modules/js-md5").or(named.filter(|path| path.is_dir())).ok_or_else(|| {
        let (shown, hint) = (places.shown(), places.hint());
        missing(format!("the module js-md5 was not found. Run `npm install --prefix {shown}/node js-md5@0.7.3`{hint}"))
    })?;
    Ok((program, module))
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let (program, module) = locate(places)?;
    let said = tool::run(&program, ["--version"])?;
    let package: serde_json::Value = serde_json::from_slice(&fs::read(module.join("package.json"))?)?;
    let package = package.get("version").and_then(serde_json::Value::as_str).unwrap_or("?");
    let version = format!("Node.js {}, js-md5 {package}", said.trim().trim_start_matches('v'));
    let program = program.canonicalize()?;
    let digest = Sha256::digest(format!("{GENERATION} {version} {program:?}"));
    let place = image::prepared(folder, &format!("node-{}", &hex::encode(digest)[..16]), |place| {
        fs::create_dir_all(place.join("node/bin"))?;
        fs::copy(&program, place.join("node/bin/node"))?;
        image::copy_tree(&module, &place.join("node/modules/js-md5"), &|_| true)?;
        image::copy_libraries(&image::libraries(std::slice::from_ref(&program))?, place)
    })?;
    let mounts = image::mounts(&place)?;
    let mut node = vec!["/node/bin/node"];
    if tool::run(&program, [QUICK_START, "--version"]).is_ok() {
        node.push(QUICK_START);
    }
    Ok(Arc::new(JavaScript { version, mounts, node, judges: Judges::default(), luck: Luck::default() }))
}

impl JavaScript {
    /// Starts Node.js with a text as the published command does, with additional arguments.
    fn start(&self, bench: &Bench, budget: Budget, program: &str, more: &[&str]) -> Result<Running, EngineError> {
        let files = bench.temporary()?;
        let file = files.path().join("test.js");
        fs::write(&file, program)?;
        let mut mounts = self.mounts.clone();
        mounts.push((file, "/program/test.js".to_owned()));
        let arguments = self.node.iter().chain(&["/program/test.js"]).chain(more);
        let arguments: Vec<&str> = arguments.copied().collect();
        let mut command = command(&arguments, mounts, budget, Profile::Run);
        command.env.push(("NODE_PATH".into(), "/node/modules".into()));
        Ok(bench.start(&command, budget)?.with_files(files))
    }
}

/// The limits of a process. The collector and the compiler have threads of their own.
fn budget(bench: &Bench) -> Budget {
    Budget { data_mib: bench.budget.data_mib.max(2048), threads: bench.budget.threads + 32, ..bench.budget }
}

/// What code could wait for, find or change outside of its realm.
const SHARED: [&str; 24] = [
    "__",
    "async",
    "await",
    "Buffer",
    "catch",
    "crypto",
    "eval(",
    "exports",
    "fetch",
    "Finalization",
    "Function",
    "global",
    "import",
    "module",
    "performance",
    "process",
    "Promise",
    "queueMicrotask",
    "require",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "then(",
    "WeakRef",
];

/// What else a sample could use to look around in its process. Tests print and have no reason to look.
const INSIDE: [&str; 4] = ["caller", "console", "constructor", "prepareStackTrace"];

/// Whether a judge that has run other tests decides about these as a fresh one would.
fn is_plain(task: &Task) -> bool {
    !names_any(&SHARED, &task.prompt) && !names_any(&SHARED, &task.test)
}

fn names_any(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| text.contains(word))
}

impl Toolchain for JavaScript {
    fn version(&self) -> &str {
        &self.version
    }

    fn is_warm(&self) -> bool {
        self.judges.is_warm()
    }

    fn published(&self, bench: &Bench, _task: &Task, program: &str) -> Result<Judged, EngineError> {
        self.published_by(self.start(bench, budget(bench), program, &[])?)
    }

    fn published_by(&self, running: Running) -> Result<Judged, EngineError> {
        let ended = running.end()?;
        let printed = &ended.printed;
        let failed = || format!("failed: {printed}");
        // The published evaluator ignores the exit code.
        let (verdict, reason, message, result) = match ended.limited() {
            Some((verdict, reason)) => {
                let result = if verdict == Verdict::Timeout { "timed out".to_owned() } else { failed() };
                (verdict, Some(reason), String::new(), result)
            }
            None if printed.is_empty() => (Verdict::Passed, None, String::new(), "passed".to_owned()),
            None if ended.report.code == Some(0) => (Verdict::Failed, None, first_line(printed), failed()),
            None if printed.lines().any(|line| line.starts_with("SyntaxError:")) => {
                (Verdict::CompileError, None, error_line(printed), failed())
            }
            None => (Verdict::Crashed, None, error_line(printed), failed()),
        };
        let outcome = Outcome { reason, message, ..ended.outcome(verdict) };
        Ok(Judged { passed: verdict == Verdict::Passed, result, outcome })
    }

    fn solver(&self, bench: &Bench, task: &Task, solution: &str) -> Result<Result<Running, String>, EngineError> {
        let entry = entry(task)?;
        Ok(Ok(self.start(
            bench,
            budget(bench),
            &format!("{solution}\n;(() => {{\n{FRAMES}{VALUES}\nserve({entry});\n}})();\n"),
            &["{control}"],
        )?))
    }

    fn judge(&self, bench: &Bench, task: &Task) -> Result<Running, EngineError> {
        let (empty, Task { test, .. }) = (unsolved(task), task);
        let entry = entry(task)?;
        // Inside the inner function, the task's own name refers to `call`.
        let tests = format!("(({entry}) => {{\n{test}\n}})(call);");
        let text = format!("{empty}\n;(() => {{\n{FRAMES}{VALUES}\n;{tests}\nfinish();\n}})();\n");
        self.start(bench, budget(bench), &text, &["{control}"])
    }

    fn lasting_judge(&self, bench: &Bench, task: &Task) -> Result<Option<Lasting<'_>>, EngineError> {
        if !is_plain(task) {
            return Ok(None);
        }
        let (empty, Task { test, .. }) = (unsolved(task), task);
        let entry = entry(task)?;
        let start = || self.start(bench, budget(bench), JUDGES, &["{control}"]);
        let mut judge = self.judges.take(bench, budget(bench), start)?;
        let tests = format!("(({entry}) => {{\n{test}\n}})(call);");
        let text = format!(
            "(function ($receive, $send, Buffer) {{\n{empty}\n\
             ;((receive, send) => {{\n{VALUES}\n;{tests}\n}})($receive, $send);\n}})"
        );
        judge.give(&text);
        Ok(Some(judge))
    }

    /// The published program gets the process's own realm. The sample's first run has another, without Node.js, and the
    /// sample names nothing that leads from one to the other, so that its first run leaves nothing for the second.
    fn both(&self, bench: &Bench, task: &Task, solution: &str) -> Result<Option<Running>, EngineError> {
        if !is_plain(task) || names_any(&SHARED, solution) || names_any(&INSIDE, solution) || !self.luck.pays() {
            return Ok(None);
        }
        let entry = entry(task)?;
        let mut running = self.start(bench, budget(bench).of_a_try(), BOTH, &["{control}"])?;
        let text = format!(
            "(function ($receive, $send, Buffer) {{\n{solution}\n\
             ;return ((receive, send) => {{'use strict';\n{VALUES}\nreturn serve({entry});\n}})($receive, $send);\n}})"
        );
        running.send(b'G', text.as_bytes());
        Ok(Some(running))
    }

    fn tell(&self, passed: bool) {
        self.luck.tell(passed);
    }
}

/// What a judge has in place of a solution.
fn unsolved(task: &Task) -> String {
    humaneval::solution(CodeLang::JavaScript, task, None, "\n}\n")
}

/// The function that a task asks for: the last one that its prompt begins.
fn entry(task: &Task) -> Result<String, EngineError> {
    let name = |line: &str| Some(line.strip_prefix("const ")?.split('=').next()?.trim().to_owned());
    let last = task.prompt.lines().rev().find_map(name);
    last.ok_or_else(|| EngineError::Tests(format!("no function signature found in the prompt of {}", task.task_id)))
}

fn first_line(printed: &str) -> String {
    printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(300).collect()
}

/// The line that names the error; Node.js prints its location before it.
fn error_line(printed: &str) -> String {
    let named = printed.lines().find(|line| line.split(':').next().is_some_and(|name| name.ends_with("Error")));
    named.map_or_else(|| first_line(printed), |line| line.chars().take(300).collect())
}
