//! A dataset's tests, compiled and ready to be handed to JVMs.
//!
//! Two kinds: `aixgrade`, our own format (a test class with `cases`), and `aixbench`, the published
//! one (`EvaluationN` with its base class, helpers, resources and jars). A JVM is given the classes
//! that all tests share, and with its job those of one task; other tasks' tests never get there, and
//! none is a file inside, so that a solution cannot read the answers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use app::model::reason::Reason;
use sha2::{Digest, Sha256};

use super::{
    EngineError, classfile,
    compiler::{Compiled, Compiler, Request},
    runner::{AnswerRecord, Job},
    toolchain::Toolchain,
    wire::{Files, Frame, Reader},
};
use crate::assemble::seal;

/// Raised when the way suites are made changes.
const GENERATION: u32 = 3;

/// The package that published solutions are put into; no test lies in it.
pub const SOLUTION_PACKAGE: &str = "com.aixcode.autoTest.generate.solution";

/// What published solutions are called, before the task's number.
pub const SOLUTION_PREFIX: &str = "Solution";

/// How a dataset's tests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// Our own format.
    Aixgrade,
    /// The published benchmark's.
    Aixbench,
}

impl TestKind {
    /// The name in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            TestKind::Aixgrade => "aixgrade",
            TestKind::Aixbench => "aixbench",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<TestKind> {
        [TestKind::Aixgrade, TestKind::Aixbench].into_iter().find(|k| k.name() == name)
    }
}

/// A dataset version's tests as they are stored: relative paths with forward slashes, and bytes.
pub type TestTree = BTreeMap<String, Vec<u8>>;

/// Tests ready to run.
#[derive(Clone, Debug)]
pub struct Suite {
    /// How they are written.
    pub kind: TestKind,
    /// Stands for their content, the Java build and the harness.
    pub fingerprint: String,
    /// The dataset's jars: the host's path, the path inside.
    pub jars: Vec<(PathBuf, String)>,
    /// The frame that a JVM is given before there is a job.
    pub preparation: Vec<u8>,
    /// What solutions are compiled against.
    pub library: Files,
    /// The tests' sources by path: what a solution's text is fitted to.
    pub sources: BTreeMap<String, String>,
    tests: BTreeMap<String, TaskTests>,
}

/// One task's tests.
#[derive(Clone, Debug)]
pub struct TaskTests {
    /// The test class.
    pub class: String,
    /// Its classes, nested ones included.
    pub classes: Files,
}

impl Suite {
    /// Compiles a tree, or takes what was compiled before from `folder`. `classes` are the test
    /// classes that the dataset's tasks name.
    ///
    /// # Errors
    /// [`EngineError::Tests`] where the tests do not compile.
    pub fn prepare(
        kind: TestKind,
        tree: &TestTree,
        classes: &BTreeSet<String>,
        toolchain: &Toolchain,
        folder: &Path,
        compiler: impl FnOnce(&[(PathBuf, String)]) -> Compiler,
    ) -> Result<Suite, EngineError> {
        let fingerprint = fingerprint(kind, tree, classes, toolchain);
        let jars = lay_out_jars(tree, &folder.join("jars"))?;
        let sources = java_sources(tree);
        let cached = folder.join("suites").join(&fingerprint);
        let (library, run) = match load(&cached) {
            Some(pair) => pair,
            None => {
                let pair = compile(kind, &sources, classes, &jars, &mut compiler(&jars))?;
                save(&cached, &pair)?;
                pair
            }
        };
        let (mut shared, mut tests) = (Files::new(), BTreeMap::new());
        for (name, bytes) in run {
            let top = name.split('$').next().unwrap_or_default();
            if is_test(kind, top, classes) {
                let entry = || TaskTests { class: top.to_owned(), classes: Files::new() };
                tests.entry(top.to_owned()).or_insert_with(entry).classes.insert(name, bytes);
            } else {
                shared.insert(name, bytes);
            }
        }
        let preparation = preparation(kind, &shared, &tests, tree);
        Ok(Suite { kind, fingerprint, jars, preparation, library, sources, tests })
    }

    /// A suite with nothing in it, for tests that play the Java side.
    #[cfg(test)]
    pub fn bare() -> Suite {
        Suite {
            kind: TestKind::Aixgrade,
            fingerprint: String::new(),
            jars: Vec::new(),
            preparation: Frame::new(b'T').done(),
            library: Files::new(),
            sources: BTreeMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// One task's tests, by their class.
    pub fn tests(&self, class: &str) -> Option<&TaskTests> {
        self.tests.get(class)
    }

    /// The frame that hands a job to a JVM; `watch` has it compare the JVM's defaults before and after.
    pub fn job(&self, job: Job<'_>, watch: bool) -> Vec<u8> {
        let files = |frame: Frame, files: &Files| frame.files(files.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
        let frame = Frame::new(b'J')
            .string(self.kind.name())
            .string(&job.tests.class)
            .string(SOLUTION_PACKAGE)
            .string(job.prefix)
            .string(job.class)
            .number(usize::from(watch));
        let frame = match job.answer_record {
            AnswerRecord::Off => frame.number(0).bytes(&[]),
            AnswerRecord::Record => frame.number(1).bytes(&[]),
            AnswerRecord::Replay(answers) => frame.number(2).bytes(answers),
        };
        files(files(frame, &job.tests.classes), job.classes).done()
    }
}

/// Whether this top-level class holds a task's tests.
fn is_test(kind: TestKind, class: &str, classes: &BTreeSet<String>) -> bool {
    // The published sources hold more test classes than there are tasks; none is for other tasks.
    let published = || class.rsplit_once(".Evaluation").is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    classes.contains(class) || kind == TestKind::Aixbench && published()
}

/// The name of the compiled tests in the folder of suites: a checksum over everything that they are made of.
pub fn fingerprint(kind: TestKind, tree: &TestTree, classes: &BTreeSet<String>, toolchain: &Toolchain) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{GENERATION} {} {} {classes:?}\n", kind.name(), toolchain.fingerprint));
    for (path, bytes) in tree {
        hash.update(format!("{path}\0{}\0", bytes.len()));
        hash.update(bytes);
    }
    hex::encode(hash.finalize())
}

/// The names of a tree's jars in the folder of jars.
pub fn jar_names(tree: &TestTree) -> impl Iterator<Item = String> {
    tree.iter().filter(|(path, _)| path.ends_with(".jar")).map(|(_, bytes)| jar_name(bytes))
}

fn jar_name(bytes: &[u8]) -> String {
    format!("{}.jar", hex::encode(Sha256::digest(bytes)))
}

/// Writes the tree's jars where they can be mounted from, each under its checksum.
fn lay_out_jars(tree: &TestTree, folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut jars = Vec::new();
    for (path, bytes) in tree.iter().filter(|(path, _)| path.ends_with(".jar")) {
        let file = folder.join(jar_name(bytes));
        if !file.is_file() {
            write_whole(&file, bytes)?;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        jars.push((file, format!("/libs/{}-{name}", jars.len())));
    }
    Ok(jars)
}

fn java_sources(tree: &TestTree) -> BTreeMap<String, String> {
    let java = tree.iter().filter(|(path, _)| path.ends_with(".java"));
    java.map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).into_owned())).collect()
}

/// The classes to compile solutions against, and those to run. Neither shows a solution what the tests expect: see
/// [`seal`] for our own format; of the published one solutions are compiled without the test classes.
fn compile(
    kind: TestKind,
    sources: &BTreeMap<String, String>,
    tests: &BTreeSet<String>,
    jars: &[(PathBuf, String)],
    compiler: &mut Compiler,
) -> Result<(Files, Files), EngineError> {
    let jars: Vec<String> = jars.iter().map(|(_, inside)| inside.clone()).collect();
    let nothing = Files::new();
    let mut compile = |sources: &BTreeMap<String, String>| {
        let sources = sources.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        match compiler.compile(&Request { library: ("", &nothing), jars: &jars, sources })? {
            Compiled::Classes(classes) => Ok(classes),
            Compiled::Exceeded(exceeded) => Err(EngineError::TestsNotCompiled(exceeded.reason())),
            Compiled::Refused(messages) => {
                let first = messages.first();
                let at = first.map(|m| format!("{}, line {}: {}", m.file, m.line.unwrap_or(0), m.text));
                Err(at.map_or(EngineError::TestsNotCompiled(Reason::CompilerSilent), EngineError::Tests))
            }
        }
    };
    match kind {
        TestKind::Aixbench => {
            let run = compile(sources)?;
            let mut library = run.clone();
            library.retain(|name, _| !is_test(kind, name.split('$').next().unwrap_or_default(), tests));
            Ok((library, run))
        }
        TestKind::Aixgrade => {
            let mut sealed = |seal: fn(&str) -> Option<String>| {
                let texts = sources.iter().map(|(path, text)| {
                    let text =
                        seal(text).ok_or_else(|| EngineError::Tests(format!("{path} cannot be read as Java")))?;
                    Ok((path.clone(), text))
                });
                compile(&texts.collect::<Result<_, EngineError>>()?)
            };
            let (library, run) = (sealed(seal::for_compiling)?, sealed(seal::for_running)?);
            // Asked of the result, so that a test class which the sealing did not recognise never runs open.
            match tests.iter().find(|class| run.get(*class).is_some_and(|bytes| classfile::is_public(bytes))) {
                Some(class) => {
                    Err(EngineError::Tests(format!("{class} has no `cases` that could be found and hidden")))
                }
                None => Ok((library, run)),
            }
        }
    }
}

/// The frame with all that does not depend on the job: packages and what may be seen of them, shared
/// classes, classes to load ahead, and the files of the working folder.
fn preparation(kind: TestKind, shared: &Files, tests: &BTreeMap<String, TaskTests>, tree: &TestTree) -> Vec<u8> {
    let test_packages: BTreeSet<&str> = tests.keys().map(|class| package(class)).collect();
    let all: BTreeSet<&str> = shared.keys().map(|class| package(class)).chain(test_packages.iter().copied()).collect();
    let mut frame = Frame::new(b'T').number(all.len());
    for name in all {
        let access = match kind {
            TestKind::Aixgrade => "exported",
            TestKind::Aixbench if test_packages.contains(name) => "hidden",
            // What tests look at by reflection (annotations, private fields) is in the helpers; the
            // package with the base classes need only be seen.
            TestKind::Aixbench if test_packages.iter().any(|tests| package(tests) == name) => "exported",
            TestKind::Aixbench => "open",
        };
        frame = frame.string(name).string(access);
    }
    let warm: Vec<&str> = match kind {
        TestKind::Aixgrade => Vec::new(),
        TestKind::Aixbench => {
            let bases = ["GenerateMethodBase", "AbstractBaseEvaluation"];
            let named = |class: &&String| bases.iter().any(|base| class.rsplit('.').next() == Some(base));
            shared.keys().filter(named).map(String::as_str).collect()
        }
    };
    let files: Vec<(&str, &[u8])> = match kind {
        TestKind::Aixgrade => Vec::new(),
        TestKind::Aixbench => tree.iter().filter(|(p, _)| is_working_file(p)).map(|(p, b)| (&**p, &**b)).collect(),
    };
    let frame = frame.files(shared.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
    frame.strings(warm.into_iter()).files(files.into_iter()).done()
}

/// What the published tests find in their working folder: resources, and the sources that some look
/// at; but not the tests' own sources, which hold the answers.
fn is_working_file(path: &str) -> bool {
    path.starts_with("src/") && !path.contains("/evaluation/") && !path.ends_with(".jsonl")
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

fn load(file: &Path) -> Option<(Files, Files)> {
    let mut reader = Reader::over(fs::read(file).ok()?);
    let pair = (reader.files().ok()?, reader.files().ok()?);
    reader.is_done().then_some(pair)
}

fn save(file: &Path, (library, run): &(Files, Files)) -> io::Result<()> {
    let files = |frame: Frame, files: &Files| frame.files(files.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
    let bytes = files(files(Frame::new(b'-'), library), run).done();
    // A frame without its length and kind is what `load` reads.
    write_whole(file, &bytes[5..])
}

/// Writes a file so that it is there whole or not at all, for everybody to read.
pub(super) fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    temporary.persist(file).map_err(|e| e.error)?;
    Ok(())
}
