//! JavaScript: a fresh Node.js process for each program.
//!
//! There are two exceptions for samples that pass: a judge process serves up to 100 samples, and one process can
//! determine both verdicts of a sample ([`super::guard`]).

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use model::{
    code_lang::CodeLang,
    run::{Outcome, Verdict},
};
use sha2::{Digest, Sha256};

use super::{
    Judged, Language, Places, PublishedProgram, RunContext, Toolchain, command,
    guard::{JudgePool, PooledJudge},
    image,
    process::{Budget, Running},
};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;
use sandbox::{Profile, tool};

mod failures;
mod trials;

/// The code that follows the code of the guard's processes.
const FRAMES: &str = include_str!("frames.js");
const VALUES: &str = include_str!("values.js");
/// The program of a pooled judge.
const POOLED_JUDGE: &str = concat!(include_str!("frames.js"), include_str!("judges.js"));
/// The program of a process for both verdicts: a solver that runs the published program after the last call.
const BOTH_VERDICTS: &str = concat!("'use strict';\n", include_str!("frames.js"), include_str!("both.js"));

/// Without this option, V8 chooses a new hash seed at each start and computes all hashes of its snapshot again, which
/// takes a seventh of the start-up time. The seed protects servers from chosen keys; a process that runs one program
/// does not need it.
const NO_REHASH: &str = "--no-rehash-snapshot";

/// Increase when images are built differently.
const GENERATION: u32 = 3;

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
    mounts: image::Copies,
    /// The path of Node.js, and the options that this version supports.
    node: Vec<&'static str>,
    judges: JudgePool,
}

/// Finds `node/bin/node` in a folder with toolchains or `node` on the path, and the module `js-md5` in
/// `node/node_modules` or where `NODE_PATH` says.
///
/// # Errors
/// Fails if Node.js or the module is missing.
fn locate(places: &Places) -> io::Result<(PathBuf, PathBuf)> {
    let missing = |what: &str| places.missing("javascript", what);
    let program = places.program("node/bin/node", "node");
    let program =
        program.ok_or_else(|| missing("no node was found on the path; the benchmark names Node.js 16.14.0"))?;
    let named = std::env::var_os("NODE_PATH").map(PathBuf::from).map(|path| path.join("js-md5"));
    let module = places.own("node/node_modules/js-md5").or(named.filter(|path| path.is_dir()));
    let module = module.ok_or_else(|| missing("the module js-md5 was not found"))?;
    Ok((program, module))
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let (program, module) = locate(places)?;
    let printed = tool::run(&program, ["--version"])?;
    let package: serde_json::Value = serde_json::from_slice(&fs::read(module.join("package.json"))?)?;
    let package = package.get("version").and_then(serde_json::Value::as_str).unwrap_or("?");
    let version = format!("Node.js {}, js-md5 {package}", printed.trim().trim_start_matches('v'));
    let program = program.canonicalize()?;
    let digest = Sha256::digest(format!("{GENERATION} {version} {program:?}"));
    let place = image::prepared(folder, &format!("node-{}", &hex::encode(digest)[..16]), |place| {
        let image = place.join("image");
        fs::create_dir_all(image.join("node/bin"))?;
        fs::copy(&program, image.join("node/bin/node"))?;
        // Without the module's own tests and documents: each file is a mount.
        let is_needed = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "js" || end == "json");
        image::copy_tree(&module, &image.join("node/modules/js-md5"), &|path| is_needed(&module.join(path)))?;
        image::copy_libraries(&image::libraries(std::slice::from_ref(&program))?, &image)?;
        image::duplicate(&image, &image)
    })?;
    let image = place.join("image");
    let mounts = image::Copies::of(&image, &image, image::files, image::files)?;
    // These processes have the tests in the end.
    image::load(&mounts.both);
    let mut node = vec!["/node/bin/node"];
    if tool::run(&program, [NO_REHASH, "--version"]).is_ok() {
        node.push(NO_REHASH);
    }
    Ok(Arc::new(JavaScript { version, mounts, node, judges: JudgePool::default() }))
}

impl JavaScript {
    /// Starts Node.js with a program as the published command does. `mounts` are those of the process's kind, `more`
    /// additional arguments.
    fn start(
        &self,
        context: &RunContext,
        mounts: &[(PathBuf, String)],
        budget: Budget,
        program: &str,
        more: &[&str],
    ) -> Result<Running, EngineError> {
        let files = context.temporary()?;
        let file = files.path().join("test.js");
        fs::write(&file, program)?;
        let mut mounts = mounts.to_vec();
        mounts.push((file, "/program/test.js".to_owned()));
        let arguments = self.node.iter().chain(&["/program/test.js"]).chain(more);
        let arguments: Vec<&str> = arguments.copied().collect();
        let mut command = command(&arguments, mounts, budget, Profile::EventLoop);
        command.env.push(("NODE_PATH".into(), "/node/modules".into()));
        Ok(context.start(&command, budget)?.with_files(files))
    }
}

/// The limits of a process. V8's garbage collector and compiler need additional threads.
fn budget(context: &RunContext) -> Budget {
    Budget { data_mib: context.budget.data_mib.max(2048), threads: context.budget.threads + 32, ..context.budget }
}

/// Words with which code could reach something outside its realm, or wait. Tests that contain one get a fresh judge,
/// and samples that contain one get fresh processes.
const SHARED_STATE_WORDS: [&str; 24] = [
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

/// Further words, with which a sample could inspect its process. They are allowed in tests, which come from the dataset
/// and use `console`.
const INTROSPECTION_WORDS: [&str; 4] = ["caller", "console", "constructor", "prepareStackTrace"];

/// Whether a pooled judge can run a task's tests: they contain no word with which they could depend on earlier tests.
fn can_use_pooled_judge(task: &Task) -> bool {
    !names_any(&SHARED_STATE_WORDS, &task.prompt) && !names_any(&SHARED_STATE_WORDS, &task.test)
}

fn names_any(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| text.contains(word))
}

impl Toolchain for JavaScript {
    fn lang(&self) -> CodeLang {
        CodeLang::JavaScript
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn is_warm(&self) -> bool {
        self.judges.is_warm()
    }

    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        Ok(PublishedProgram::ready(move || {
            let running = self.start(context, &self.mounts.judging, budget(context), program, &[])?;
            let judged = self.published_by(running)?;
            // "Nothing is printed" is the published evaluator's rule. Outputs of our own format may print; the guard, whose
            // judge prints nothing but failed assertions, decides about them.
            if task.setup.is_some() && judged.outcome.verdict == Verdict::Failed {
                let outcome = Outcome { message: String::new(), verdict: Verdict::Passed, ..judged.outcome };
                return Ok(Judged { passed: true, result: "passed".to_owned(), outcome });
            }
            Ok(judged)
        }))
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

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let entry = entry(task)?;
        Ok(Ok(self.start(
            context,
            &self.mounts.solving,
            budget(context),
            &format!("{solution}\n;(() => {{\n{FRAMES}{VALUES}\nserve({entry});\n}})();\n"),
            &["{control}"],
        )?))
    }

    fn coerces_answers(&self, task: &Task) -> bool {
        compares_by_order(&task.test)
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let (empty, Task { test, .. }) = (unsolved_prompt(task), task);
        let entry = entry(task)?;
        // Inside the inner function, the task's own name refers to `call`.
        let tests = format!("(({entry}) => {{\n{test}\n}})(call);");
        let text = format!("{empty}\n;(() => {{\n{FRAMES}{VALUES}\n;{tests}\nfinish();\n}})();\n");
        self.start(context, &self.mounts.judging, budget(context), &text, &["{control}"])
    }

    fn pooled_judge(&self, context: &RunContext, task: &Task) -> Result<Option<PooledJudge<'_>>, EngineError> {
        if !can_use_pooled_judge(task) {
            return Ok(None);
        }
        let (empty, Task { test, .. }) = (unsolved_prompt(task), task);
        let entry = entry(task)?;
        let start = || self.start(context, &self.mounts.judging, budget(context), POOLED_JUDGE, &["{control}"]);
        let mut judge = self.judges.take(context, budget(context), start)?;
        let tests = format!("(({entry}) => {{\n{test}\n}})(call);");
        let text = format!(
            "(function ($receive, $send, Buffer) {{\n{empty}\n\
             ;((receive, send) => {{\n{VALUES}\n;{tests}\n}})($receive, $send);\n}})"
        );
        judge.send_tests(text.as_bytes());
        Ok(Some(judge))
    }

    /// The sample first runs in a separate realm without Node.js; the published program then runs in the main realm.
    /// The words in the sample's text are checked so that the first run does not affect the second.
    fn both_verdicts(
        &self,
        context: &RunContext,
        task: &Task,
        program: &str,
        solution: &str,
    ) -> Result<Option<(Running, Vec<u8>)>, EngineError> {
        if !can_use_pooled_judge(task)
            || names_any(&SHARED_STATE_WORDS, solution)
            || names_any(&INTROSPECTION_WORDS, solution)
        {
            return Ok(None);
        }
        let entry = entry(task)?;
        let budget = budget(context).for_quick_path();
        let mut running = self.start(context, &self.mounts.both, budget, BOTH_VERDICTS, &["{control}"])?;
        let text = format!(
            "(function ($receive, $send, Buffer) {{\n{solution}\n\
             ;return ((receive, send) => {{'use strict';\n{VALUES}\nreturn serve({entry});\n}})($receive, $send);\n}})"
        );
        running.send(b'G', text.as_bytes());
        Ok(Some((running, program.as_bytes().to_vec())))
    }
}

/// The task's prompt with an empty function body. A judge runs it in place of a solution.
fn unsolved_prompt(task: &Task) -> String {
    humaneval::solution(CodeLang::JavaScript, task, None, "\n}\n")
}

/// Whether tests compare by order or by a distance. Such a comparison converts all values to numbers, and is false if
/// one is NaN. The headers of loops and text in quotes are not counted.
fn compares_by_order(test: &str) -> bool {
    let lines = test.lines().filter(|line| !line.trim_start().starts_with("for "));
    let mut code = lines.flat_map(|line| line.split(['\'', '"', '`']).step_by(2)).map(|code| code.replace("=>", ""));
    code.any(|code| code.contains(['<', '>']) || code.contains("Math.abs"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_compare_by_order_are_found() {
        for test in ["console.assert(f(1) < 2)", "if (f(1) - 2 >= e) fail()", "x(Math.abs(f(1)) === 1)"] {
            assert!(compares_by_order(test), "{test}");
        }
        for test in ["const t = () => {\n  for (let i = 0; i < 3; i++) {", "console.assert(f('<>') === \"<\")", ""] {
            assert!(!compares_by_order(test), "{test}");
        }
    }
}
