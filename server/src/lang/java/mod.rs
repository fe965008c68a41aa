//! Java for tests that are programs: the Java engine's warm compiler compiles each program, and a fresh JVM runs it.
//! Datasets with test classes run in [`crate::engine`].

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use app::model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Verdict},
};
use sha2::{Digest, Sha256};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    Judged, Language, Places, RunContext, Toolchain, command,
    humaneval::{self, Task},
    image,
    native::{self, Built, TaskPrograms},
    process::{Budget, Running},
};
use crate::{
    engine::{
        EngineError,
        compiler::{Compiled, Compiler, Message, Pool, Request},
        toolchain,
        wire::Files,
    },
    sandbox::{Profile, tool},
};

pub mod display;
mod failures;
mod trials;

/// The sandbox's programs besides a sample, compiled once per JDK.
const PROGRAMS: [(&str, &str); 3] = [
    ("Values.java", include_str!("Values.java")),
    ("Solver.java", include_str!("Solver.java")),
    ("Judge.java", include_str!("Judge.java")),
];

/// Java's entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::Java,
    look: |_| toolchain::find_jdk().map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

struct Java {
    version: String,
    /// The image that runs programs, with our own programs.
    run: Vec<(PathBuf, String)>,
    images: Arc<toolchain::Toolchain>,
    /// Compilers, which stay warm while the toolchain is in use.
    compilers: OnceLock<Pool>,
    /// The classes that judges are compiled against.
    values: Files,
    judges: TaskPrograms,
}

fn find(_places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let images = toolchain::Toolchain::prepare(folder)?;
    let mut digest = Sha256::new();
    digest.update(&images.fingerprint);
    for (name, text) in PROGRAMS {
        digest.update(format!("{name} {}\n{text}", text.len()));
    }
    let name = format!("programs-{}", &hex::encode(digest.finalize())[..16]);
    let place = image::prepared(folder, &name, |place| {
        let sources = tempfile::tempdir()?;
        let mut arguments = vec!["-encoding".to_owned(), "UTF-8".to_owned(), "-d".to_owned()];
        arguments.push(place.join("programs").to_string_lossy().into_owned());
        for (name, text) in PROGRAMS {
            let file = sources.path().join(name);
            fs::write(&file, text)?;
            arguments.push(file.to_string_lossy().into_owned());
        }
        tool::run(&toolchain::find_jdk()?.join("bin/javac"), arguments).map(drop)
    })?;
    let mut run = toolchain::mounts(&images.run)?;
    run.extend(image::mounts(&place)?);
    let mut values = Files::new();
    for name in ["Values", "Values$NotPlain"] {
        let class = place.join("programs/aixgrade/programs").join(name).with_extension("class");
        values.insert(format!("aixgrade.programs.{name}"), fs::read(class)?);
    }
    let judges = TaskPrograms::new(folder.join(format!("{name}-judges")))?;
    let version = format!("Java {}", images.java);
    Ok(Arc::new(Java { version, run, images: Arc::new(images), compilers: OnceLock::new(), values, judges }))
}

/// Options of short-lived JVMs, where start time matters more than speed. `engine::runner` has the reason for each.
const JVM: [&str; 15] = [
    "/java/bin/java",
    "-XX:TieredStopAtLevel=1",
    "-XX:CompileThresholdScaling=10",
    "-XX:G1ConcRefinementThreads=0",
    "-XX:-UseAES",
    "-XX:-UseSHA",
    "-XX:StringTableSize=4096",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:SymbolTableSize=4096",
    "-XX:-UsePerfData",
    "-XX:-UseContainerSupport",
    "-XX:+DisableAttachMechanism",
    "-Xshare:auto",
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
];

/// Where a JVM's loader finds its own libraries.
const LIBRARIES: (&str, &str) = ("LD_LIBRARY_PATH", "/java/lib/server:/java/lib");

impl Java {
    /// Compiles a text, with or without the package `aixgrade.programs` on its class path.
    fn compile(&self, context: &RunContext, text: &str, with_values: bool) -> Result<Compilation, EngineError> {
        let compilers = self.compilers.get_or_init(|| {
            let (sandbox, images) = (Arc::clone(&context.sandbox), Arc::clone(&self.images));
            Pool::new(1, move || Compiler::new(Arc::clone(&sandbox), Arc::clone(&images), Vec::new()))
        });
        let none = Files::new();
        let library = if with_values { ("values", &self.values) } else { ("none", &none) };
        let request = Request { library, jars: &[], sources: vec![("Main.java", text)] };
        let refused = |outcome: Outcome| Ok(Compilation::Refused(Box::new(outcome)));
        match compilers.compile(&request, &context.cancelled)? {
            Compiled::Classes(classes) => {
                let files = context.temporary()?;
                archive(&files.path().join(native::PROGRAM), &classes)?;
                Ok(Compilation::Program(files))
            }
            Compiled::Refused(messages) => refused(Outcome {
                reason: Some(Reason::CompilerError { line: None }),
                message: messages.first().map(shown).unwrap_or_default(),
                printed: messages.iter().map(|message| shown(message) + "\n").collect(),
                ..Outcome::new(Verdict::CompileError)
            }),
            Compiled::Exceeded(exceeded) => refused(Outcome {
                limit: exceeded.limit(),
                reason: Some(exceeded.reason()),
                ..Outcome::new(Verdict::CompileError)
            }),
        }
    }

    /// Starts a main class from an archive of classes. The guard's programs get the control socket as standard input:
    /// to open a descriptor by its number, Java needs an option that slows its start.
    fn run(&self, context: &RunContext, classes: &Path, main: &[&str], guarded: bool) -> Result<Running, EngineError> {
        let mut mounts = self.run.clone();
        mounts.push((classes.to_path_buf(), "/program/classes.jar".to_owned()));
        let heap = context.budget.data_mib.max(512);
        let budget = Budget { data_mib: heap + 768, threads: context.budget.threads + 32, ..context.budget };
        let heap = format!("-Xmx{heap}m");
        let rest = ["-Xms32m", "-XX:+UseG1GC", "-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1", &heap];
        let arguments: Vec<&str> = JVM.iter().chain(&toolchain::IN_PLACE).chain(&rest).chain(main).copied().collect();
        let mut command = command(&arguments, mounts, budget, Profile::Run);
        command.env.push((LIBRARIES.0.to_owned(), LIBRARIES.1.to_owned()));
        command.control_is_input = guarded;
        context.start(&command, budget)
    }
}

/// Classes in an archive in a temporary folder, or the outcome if there are none.
enum Compilation {
    Program(tempfile::TempDir),
    Refused(Box<Outcome>),
}

/// A compiler message in the format of `javac`.
fn shown(message: &Message) -> String {
    match message.line {
        Some(line) => format!("{}:{line}: {}", message.file, message.text),
        None => message.text.clone(),
    }
}

/// Writes classes, by their binary names, to an archive for the class path.
fn archive(file: &Path, classes: &Files) -> io::Result<()> {
    let mut zip = ZipWriter::new(fs::File::create(file)?);
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in classes {
        zip.start_file(format!("{}.class", name.replace('.', "/")), stored)?;
        zip.write_all(bytes)?;
    }
    zip.finish()?;
    Ok(())
}

/// The guard's class path. Its own programs come first, so that a sample cannot replace them.
const GUARDED: &str = "/programs:/program/classes.jar";

impl Toolchain for Java {
    fn version(&self) -> &str {
        &self.version
    }

    fn published(&self, context: &RunContext, _task: &Task, program: &str) -> Result<Judged, EngineError> {
        match self.compile(context, program, false)? {
            Compilation::Program(files) => {
                let classes = files.path().join(native::PROGRAM);
                let ended = self.run(context, &classes, &["-cp", "/program/classes.jar", "Main"], false)?.end()?;
                Ok(native::judged(&ended, |printed| {
                    let asserted = printed.contains("AssertionError");
                    (if asserted { Verdict::Failed } else { Verdict::Crashed }, first_line(printed))
                }))
            }
            Compilation::Refused(outcome) => {
                Ok(Judged { passed: false, result: "failed: compilation error".to_owned(), outcome: *outcome })
            }
        }
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let Signature { name, .. } = signature(task)?;
        Ok(match self.compile(context, solution, false)? {
            Compilation::Program(files) => {
                let classes = files.path().join(native::PROGRAM);
                let main = ["-cp", GUARDED, "aixgrade.programs.Solver", &name];
                Ok(self.run(context, &classes, &main, true)?.with_files(files))
            }
            Compilation::Refused(outcome) => Err(outcome.message),
        })
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let text = judge_text(task)?;
        let program = self.judges.program(task, &text, || match self.compile(context, &text, true)? {
            Compilation::Program(files) => Ok(Built::Program(files)),
            Compilation::Refused(outcome) => {
                let (id, printed) = (&task.task_id, outcome.printed);
                Err(EngineError::Tests(format!("the judge of {id} does not compile: {printed}")))
            }
        })?;
        self.run(context, &program, &["-cp", GUARDED, "aixgrade.programs.Judge"], true)
    }
}

/// The prompt, with a method that calls the solver, and the tests.
fn judge_text(task: &Task) -> Result<String, EngineError> {
    let Signature { result, parameters, .. } = signature(task)?;
    let given = parameters.join(", ");
    let body = format!("\n        return ({result}) aixgrade.programs.Values.call({given});\n    }}\n}}\n");
    Ok(format!("{}{}", humaneval::solution(CodeLang::Java, task, None, &body), task.test))
}

/// A method's signature.
#[derive(Debug, PartialEq, Eq)]
struct Signature {
    result: String,
    name: String,
    parameters: Vec<String>,
}

/// The method that a task asks for: the last one that its prompt begins.
fn signature(task: &Task) -> Result<Signature, EngineError> {
    let read = read_signature(&task.prompt);
    read.ok_or_else(|| EngineError::Tests(format!("no method signature found in the prompt of {}", task.task_id)))
}

fn read_signature(prompt: &str) -> Option<Signature> {
    let line = prompt.lines().rev().find_map(|line| line.trim().strip_prefix("public "))?;
    let (head, rest) = line.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    let (result, name) = head.trim().rsplit_once(' ')?;
    let (mut parameters, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parameters.extend(inside.get(start..at)?.split_whitespace().last().map(str::to_owned));
                start = at + 1;
            }
            _ => {}
        }
    }
    Some(Signature { result: result.trim().to_owned(), name: name.to_owned(), parameters })
}

fn first_line(printed: &str) -> String {
    printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_last_signature_of_a_prompt() {
        let check = |prompt: &str, result: &str, name: &str, parameters: &[&str]| {
            let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
            let expected = Signature { result: result.into(), name: name.into(), parameters };
            assert_eq!(read_signature(prompt), Some(expected), "{prompt}");
        };
        check("class Solution {\n    public int f() {\n", "int", "f", &[]);
        let generic = "    public Optional<String> g(Map<Object, Object> dict, int n) throws Exception {\n    /* x */";
        check(generic, "Optional<String>", "g", &["dict", "n"]);
        assert_eq!(read_signature("class A {"), None);
    }
}
