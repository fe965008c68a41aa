//! Java for tests that are programs: the Java engine's warm compiler compiles each program, and a fresh JVM runs it.
//! Datasets with test classes run in [`engine`].
//!
//! There are two exceptions for samples that pass: a judge process serves up to 100 samples, and one process can
//! determine both verdicts of a sample ([`super::guard`]).

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Verdict},
};
use sha2::{Digest, Sha256};

use super::{
    Judged, Language, Places, PublishedProgram, RunContext, Toolchain, command,
    guard::{JudgePool, PooledJudge},
    image,
    native::{self, Built, TaskPrograms},
    process::{Budget, Running},
};
use benchmarks::humaneval::{self, Task};
use engine::{
    EngineError,
    compiler::{Compiled, Compiler, Message, Pool, Request},
    runner, shareable, toolchain,
    wire::Files,
};
use sandbox::{Profile, tool};

mod archive;
mod failures;
mod sample;
mod signature;
mod trials;

use archive::{archived, frame, read_archive};
use signature::{Signature, signature};

/// The sandbox's programs in addition to a sample, compiled once per JDK.
const PROGRAMS: [(&str, &str); 5] = [
    ("Values.java", include_str!("Values.java")),
    ("Classes.java", include_str!("Classes.java")),
    ("Solver.java", include_str!("Solver.java")),
    ("Judge.java", include_str!("Judge.java")),
    ("Judges.java", include_str!("Judges.java")),
];

/// Increase when images are built differently.
const GENERATION: u32 = 3;

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
    run: image::Copies,
    images: Arc<toolchain::Toolchain>,
    /// Compilers, which stay warm while the toolchain is in use.
    compilers: OnceLock<Pool>,
    /// The classes that judges are compiled against.
    values: Files,
    judges: TaskPrograms,
    pooled_judges: JudgePool,
    /// The last programs that were compiled with their tests, so that [`Toolchain::both_verdicts`] does not compile them
    /// again: a hash of the text, and the result.
    compiled: Mutex<VecDeque<([u8; 32], CompilerResult)>>,
}

/// The classes of a text by their binary names, or the outcome if the compiler rejects it.
type CompilerResult = Result<Files, Box<Outcome>>;

/// Number of compiled programs that are kept. Each worker needs its last one.
const MOST_COMPILED: usize = 16;

fn find(_places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let images = toolchain::Toolchain::prepare(folder)?;
    let mut digest = Sha256::new();
    digest.update(format!("{GENERATION} {}", images.fingerprint));
    for (name, text) in PROGRAMS {
        digest.update(format!("{name} {}\n{text}", text.len()));
    }
    let name = format!("programs-{}", &hex::encode(digest.finalize())[..16]);
    let place = image::prepared(folder, &name, |place| {
        let image = place.join("image");
        let sources = tempfile::tempdir()?;
        let mut arguments = vec!["-encoding".to_owned(), "UTF-8".to_owned(), "-d".to_owned()];
        arguments.push(image.join("programs").to_string_lossy().into_owned());
        for (name, text) in PROGRAMS {
            let file = sources.path().join(name);
            fs::write(&file, text)?;
            arguments.push(file.to_string_lossy().into_owned());
        }
        tool::run(&toolchain::find_jdk()?.join("bin/javac"), arguments)?;
        image::duplicate(&image, &image)?;
        image::duplicate(&images.run, &place.join("java"))
    })?;
    let image = place.join("image");
    // Processes with both verdicts have the tests in the end. With a folder, the kernel remembers which files were looked for
    // in it, so they get each file alone.
    let mut run = image::Copies::of(&image, &image, image::mounts, image::files)?;
    run.extend(image::Copies::of(&images.run, &place.join("java"), toolchain::mounts, files_of_java)?);
    image::load(&run.both);
    let mut values = Files::new();
    for name in ["Values", "Values$NotPlain", "Values$Unanswered"] {
        let class = place.join("image/programs/aixgrade/programs").join(name).with_extension("class");
        values.insert(format!("aixgrade.programs.{name}"), fs::read(class)?);
    }
    let judges = TaskPrograms::new(image::programs(folder, &name))?;
    let version = format!("Java {}", images.java);
    Ok(Arc::new(Java {
        version,
        run,
        images: Arc::new(images),
        compilers: OnceLock::new(),
        values,
        judges,
        pooled_judges: JudgePool::default(),
        compiled: Mutex::default(),
    }))
}

/// A mount for each file of a copy of the Java image that a JVM may open.
fn files_of_java(image: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let files = image::files(image)?.into_iter().filter(|(_, inside)| !inside.starts_with("/java/legal/"));
    // As in `toolchain::mounts`: the system's libraries are in the root.
    Ok(files.map(|(file, inside)| (file, inside.strip_prefix("/sys").map_or(inside.clone(), str::to_owned))).collect())
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

/// The folder in which a JVM's loader finds its own libraries.
const LIBRARIES: (&str, &str) = ("LD_LIBRARY_PATH", "/java/lib/server:/java/lib");

impl Java {
    /// Compiles a text, with or without the package `aixgrade.programs` on its class path.
    fn compile(&self, context: &RunContext, text: &str, with_values: bool) -> Result<CompilerResult, EngineError> {
        let compilers = self.compilers.get_or_init(|| {
            let (sandbox, images) = (Arc::clone(&context.sandbox), Arc::clone(&self.images));
            Pool::new(1, move || Compiler::new(Arc::clone(&sandbox), Arc::clone(&images), Vec::new()))
        });
        let none = Files::new();
        let library = if with_values { ("values", &self.values) } else { ("none", &none) };
        let request = Request { library, jars: &[], sources: vec![("Main.java", text)] };
        Ok(match compilers.compile(&request, &context.stop)? {
            Compiled::Classes(classes) => Ok(classes),
            Compiled::Refused(messages) => Err(Box::new(Outcome {
                reason: Some(Reason::CompilerError { line: None }),
                message: messages.first().map(shown).unwrap_or_default(),
                printed: messages.iter().map(|message| shown(message) + "\n").collect(),
                ..Outcome::new(Verdict::CompileError)
            })),
            Compiled::Exceeded(exceeded) => Err(Box::new(Outcome {
                limit: exceeded.limit(),
                reason: Some(exceeded.reason()),
                ..Outcome::new(Verdict::CompileError)
            })),
        })
    }

    /// Compiles a program with its tests, unless it is one of the last that were.
    fn compiled(&self, context: &RunContext, program: &str) -> Result<CompilerResult, EngineError> {
        let key: [u8; 32] = Sha256::digest(program).into();
        let kept = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, result)) = kept().iter().find(|(of, _)| *of == key) {
            return Ok(result.clone());
        }
        let result = self.compile(context, program, false)?;
        let mut kept = kept();
        kept.truncate(MOST_COMPILED - 1);
        kept.push_front((key, result.clone()));
        Ok(result)
    }

    /// Starts a main class from an archive of classes. The guard's programs get the control socket as standard input:
    /// to open a descriptor by its number, Java needs an option that slows its start.
    fn run(
        context: &RunContext,
        image: &[(PathBuf, String)],
        classes: &Path,
        main: &[&str],
        guarded: bool,
    ) -> Result<Running, EngineError> {
        let mut mounts = image.to_vec();
        mounts.push((classes.to_path_buf(), "/program/classes.jar".to_owned()));
        Java::start(context, mounts, main, guarded, budget(context))
    }

    /// Starts one of the guard's programs, which receives classes in frames.
    fn run_own(
        context: &RunContext,
        image: &[(PathBuf, String)],
        main: &[&str],
        budget: Budget,
    ) -> Result<Running, EngineError> {
        let arguments: Vec<&str> = ["-cp", "/programs"].iter().chain(main).copied().collect();
        Java::start(context, image.to_vec(), &arguments, true, budget)
    }

    fn start(
        context: &RunContext,
        mounts: Vec<(PathBuf, String)>,
        main: &[&str],
        guarded: bool,
        budget: Budget,
    ) -> Result<Running, EngineError> {
        let heap = format!("-Xmx{}m", heap_mib(context));
        let rest = ["-Xms32m", "-XX:+UseG1GC", "-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1", &heap];
        let avx = runner::has_avx512().then_some("-XX:UseAVX=2");
        let options = JVM.iter().chain(&toolchain::IN_PLACE).chain(&avx).chain(&rest);
        let arguments: Vec<&str> = options.chain(main).copied().collect();
        let mut command = command(&arguments, mounts, budget, Profile::EventLoop);
        command.env.push((LIBRARIES.0.to_owned(), LIBRARIES.1.to_owned()));
        command.control_is_input = guarded;
        context.start(&command, budget)
    }

    /// The archive with a task's judge, compiled once.
    fn judge_classes(&self, context: &RunContext, task: &Task) -> Result<PathBuf, EngineError> {
        let text = judge_text(task)?;
        self.judges.program(context, task, &text, || match self.compile(context, &text, true)? {
            Ok(classes) => Ok(Built::Program(archived(context, &classes)?)),
            Err(outcome) => {
                let (id, printed) = (&task.task_id, outcome.printed);
                Err(EngineError::Tests(format!("the judge of {id} does not compile: {printed}")))
            }
        })
    }

    /// The classes of a task's judge; `None` if they name anything but harmless classes, through which they could
    /// change or observe state that they share with other tests in a process.
    fn pooled_judge_classes(&self, context: &RunContext, task: &Task) -> Result<Option<Files>, EngineError> {
        let classes = read_archive(&self.judge_classes(context, task)?)?;
        Ok(shareable::are_shareable(&classes, &[&classes, &self.values]).then_some(classes))
    }
}

/// The maximum heap of a JVM in MiB.
fn heap_mib(context: &RunContext) -> u64 {
    context.budget.data_mib.max(512)
}

/// The limits of a JVM, which needs memory and threads in addition to those of its program.
fn budget(context: &RunContext) -> Budget {
    Budget { data_mib: heap_mib(context) + 768, threads: context.budget.threads + 32, ..context.budget }
}

/// A compiler message in the format of `javac`.
fn shown(message: &Message) -> String {
    match message.line {
        Some(line) => format!("{}:{line}: {}", message.file, message.text),
        None => message.text.clone(),
    }
}

/// The guard's class path. Its own programs come first, so that a sample cannot replace them.
const GUARDED: &str = "/programs:/program/classes.jar";

impl Toolchain for Java {
    fn lang(&self) -> CodeLang {
        CodeLang::Java
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn is_warm(&self) -> bool {
        self.pooled_judges.is_warm()
    }

    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        _task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        Ok(match self.compiled(context, program)? {
            Ok(classes) => PublishedProgram::ready(move || {
                let files = archived(context, &classes)?;
                let classes = files.path().join(native::PROGRAM);
                let main = ["-cp", "/program/classes.jar", "Main"];
                self.published_by(Java::run(context, &self.run.judging, &classes, &main, false)?)
            }),
            Err(outcome) => PublishedProgram::refused(Judged {
                passed: false,
                result: "failed: compilation error".to_owned(),
                outcome: *outcome,
            }),
        })
    }

    fn published_by(&self, running: Running) -> Result<Judged, EngineError> {
        Ok(native::judged(&running.end()?, |printed| {
            let asserted = printed.contains("AssertionError");
            (if asserted { Verdict::Failed } else { Verdict::Crashed }, first_line(printed))
        }))
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let Signature { name, .. } = signature(task)?;
        Ok(match self.compile(context, solution, false)? {
            Ok(classes) => {
                let files = archived(context, &classes)?;
                let classes = files.path().join(native::PROGRAM);
                let main = ["-cp", GUARDED, "aixgrade.programs.Solver", &name];
                Ok(Java::run(context, &self.run.solving, &classes, &main, true)?.with_files(files))
            }
            Err(outcome) => Err(outcome.message),
        })
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let classes = self.judge_classes(context, task)?;
        Java::run(context, &self.run.judging, &classes, &["-cp", GUARDED, "aixgrade.programs.Judge"], true)
    }

    fn pooled_judge(&self, context: &RunContext, task: &Task) -> Result<Option<PooledJudge<'_>>, EngineError> {
        let Some(classes) = self.pooled_judge_classes(context, task)? else { return Ok(None) };
        let budget = budget(context);
        let start = || Java::run_own(context, &self.run.judging, &["aixgrade.programs.Judges"], budget);
        let mut judge = self.pooled_judges.take(context, budget, start)?;
        judge.send_tests(&frame(&classes));
        Ok(Some(judge))
    }

    /// The program is compiled once. The solver first receives the sample's classes, and after the last call those of
    /// the tests.
    fn both_verdicts(
        &self,
        context: &RunContext,
        task: &Task,
        program: &str,
        solution: &str,
    ) -> Result<Option<(Running, Vec<u8>)>, EngineError> {
        let compiled = self.compiled(context, program)?;
        let Some(sample::Program { sample, tests }) = compiled.ok().and_then(|all| sample::split(task, solution, all))
        else {
            return Ok(None);
        };
        if self.pooled_judge_classes(context, task)?.is_none() {
            return Ok(None);
        }
        let Signature { name, .. } = signature(task)?;
        let main = ["aixgrade.programs.Solver", &name, "both"];
        let budget = budget(context).for_quick_path();
        let mut running = Java::run_own(context, &self.run.both, &main, budget)?;
        running.send(b'G', &frame(&sample));
        Ok(Some((running, frame(&tests))))
    }
}

/// The prompt, with a method that calls the solver, and the tests.
fn judge_text(task: &Task) -> Result<String, EngineError> {
    let Signature { result, parameters, .. } = signature(task)?;
    let given = parameters.join(", ");
    let body = format!("\n        return ({result}) aixgrade.programs.Values.call({given});\n    }}\n}}\n");
    Ok(format!("{}{}", humaneval::solution(CodeLang::Java, task, None, &body), task.test))
}

fn first_line(printed: &str) -> String {
    printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(300).collect()
}
