//! A dataset's compiled tests, ready to be sent to JVMs.
//!
//! Tests have one of two formats: `aixgrade`, our own (a test class with `cases`), and `aixbench`, the published one
//! (`EvaluationN` with its base class, helpers, resources and jars). A JVM receives the classes that all tests share
//! and, with its job, the test classes of one task. It never receives other tasks' tests, and no test class is a file
//! in the sandbox, so a solution cannot read the expected answers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use model::reason::Reason;
use sha2::{Digest, Sha256};

use super::{
    EngineError, arguments, classfile,
    compiler::{Compiled, Compiler, Request},
    edit::{self, Code, Names, Original},
    runner::{AnswerRecord, Job},
    shareable,
    toolchain::Toolchain,
    wire::{Files, Frame, Reader},
};
use crate::assemble::seal;

/// Increase when suites are built differently.
const GENERATION: u32 = 3;

/// The package of published solutions. It contains no tests.
pub const SOLUTION_PACKAGE: &str = "com.aixcode.autoTest.generate.solution";

/// The base class of published solutions, without its package.
pub const SOLUTION_BASE: &str = "GenerateMethodBase";

/// The class name of published solutions, without the task's number.
pub const SOLUTION_PREFIX: &str = "Solution";

/// The format of a dataset's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// Our own format.
    Aixgrade,
    /// The format of the published benchmark.
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

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<TestKind> {
        [TestKind::Aixgrade, TestKind::Aixbench].into_iter().find(|k| k.name() == name)
    }
}

/// A dataset version's tests as stored: contents by relative path, with forward slashes.
pub type TestTree = BTreeMap<String, Vec<u8>>;

/// Compiled tests, ready to run.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Their format.
    pub kind: TestKind,
    /// A hash of the tests, the Java build and the harness.
    pub fingerprint: String,
    /// The dataset's jars: path on the host, path in the sandbox.
    pub jars: Vec<(PathBuf, String)>,
    /// The frame that a JVM receives before its first job.
    pub preparation: Vec<u8>,
    /// The classes that solutions are compiled against.
    pub library: Files,
    /// The names of those that are as harmless as a solution's own class, with empty contents.
    pub harmless: Files,
    /// The tests' sources by path. Outputs are assembled to fit them.
    pub sources: BTreeMap<String, String>,
    tests: BTreeMap<String, TaskTests>,
}

/// One task's tests.
#[derive(Clone, Debug)]
pub struct TaskTests {
    /// The test class.
    pub class: String,
    /// The test class and its nested classes, by name.
    pub classes: Files,
}

impl Suite {
    /// Compiles a tree, or loads its compiled classes from `folder`. `classes` are the test classes that the dataset's
    /// tasks name.
    ///
    /// # Errors
    /// [`EngineError::Tests`] or [`EngineError::TestsNotCompiled`] if the tests do not compile; other engine errors.
    pub fn prepare(
        kind: TestKind,
        tree: &TestTree,
        classes: &BTreeSet<String>,
        toolchain: &Toolchain,
        folder: &Path,
        compiler: impl FnOnce(&[(PathBuf, String)]) -> Compiler,
    ) -> Result<Suite, EngineError> {
        let fingerprint = fingerprint(kind, tree, classes, &toolchain.fingerprint);
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
        let harmless = match kind {
            TestKind::Aixbench => shareable::harmless(&library),
            // The author's own types, without the cases, which `seal` leaves out.
            TestKind::Aixgrade => library.keys().map(|name| (name.clone(), Vec::new())).collect(),
        };
        Ok(Suite { kind, fingerprint, jars, preparation, library, harmless, sources, tests })
    }

    /// An empty suite, for tests that replace the Java side.
    #[cfg(test)]
    pub fn bare() -> Suite {
        Suite {
            kind: TestKind::Aixgrade,
            fingerprint: String::new(),
            jars: Vec::new(),
            preparation: Frame::new(b'T').done(),
            library: Files::new(),
            harmless: Files::new(),
            sources: BTreeMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// The tests of a task, by test class.
    pub fn tests(&self, class: &str) -> Option<&TaskTests> {
        self.tests.get(class)
    }

    /// The frame that sends a job to a JVM. `watch`: whether the JVM compares its defaults before and after the tests.
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

/// The classes to compile published solutions against, and those to run: of these, the tests run once, and give solutions
/// copies of their arguments.
fn published(mut run: Files, has_tests: impl Fn(&str) -> bool) -> Result<(Files, Files), EngineError> {
    let library =
        |run: &Files| run.iter().filter(|(name, _)| !has_tests(name)).map(|(n, b)| (n.clone(), b.clone())).collect();
    let Some(base) = solution_base(&run).cloned() else { return Ok((library(&run), run)) };
    let unreadable = || EngineError::Tests(format!("the compiled tests of solutions of {base} cannot be read"));
    leave_out_runners(&mut run, &base).ok_or_else(unreadable)?;
    let library = library(&run);
    let mut run = arguments::protect(run, &base, &has_tests).ok_or_else(unreadable)?;
    for (_, class) in run.iter_mut().filter(|(name, _)| has_tests(name)) {
        let is_evaluation = |name: &str, kind: &str| (name, kind) == ("evaluation", "()[I");
        // A nested class has none.
        if let Some(guarded) = edit::in_front(class, ONCE, is_evaluation, once) {
            *class = guarded;
        }
    }
    Ok((library, run))
}

/// Ends the names of methods in front of which [`once`] stands.
const ONCE: &str = "$once";

/// `Once.enter(this); return original();`
fn once(names: &mut Names, of: &Original<'_>) -> Option<Code> {
    let class = names.class("aixgrade/api/Once")?;
    let (name, descriptor) = (names.text("enter")?, names.text("(Ljava/lang/Object;)V")?);
    let [high, low] = names.method(class, name, descriptor)?.to_be_bytes();
    let [original_high, original_low] = of.entry.to_be_bytes();
    // aload 0, invokestatic, aload 0, invokespecial, areturn.
    let bytes = vec![0x2a, 0xb8, high, low, 0x2a, 0xb7, original_high, original_low, 0xb0];
    Some(Code { stack: 1, locals: 1, bytes })
}

/// Removes the classes of the base class's package that no test and no helper needs: programs that run tests, which a
/// solution could run as well. `None` if a class is damaged.
fn leave_out_runners(run: &mut Files, base: &str) -> Option<()> {
    let top = |name: &str| name.split('$').next().unwrap_or_default().to_owned();
    let is_optional = |name: &str| package(name) == package(base) && top(name) != base;
    let mut needed: BTreeSet<String> = BTreeSet::new();
    let mut waiting: Vec<String> = run.keys().filter(|name| !is_optional(name)).cloned().collect();
    while let Some(name) = waiting.pop() {
        let pool = classfile::Pool::read(run.get(&name)?)?;
        let named = pool.entries.iter().filter_map(|entry| match entry {
            classfile::Entry::Class(name) => pool.text(*name),
            _ => None,
        });
        for found in named.map(|found| top(&found.replace('/', "."))) {
            if is_optional(&found) && needed.insert(found.clone()) {
                waiting.extend(run.keys().filter(|name| top(name) == found).cloned());
            }
        }
    }
    run.retain(|name, _| !is_optional(name) || needed.contains(&top(name)));
    Some(())
}

/// The name of the class that published solutions extend.
pub fn solution_base(library: &Files) -> Option<&String> {
    library.keys().find(|name| name.rsplit_once('.').is_some_and(|(_, class)| class == SOLUTION_BASE))
}

/// Whether this top-level class contains a task's tests.
fn is_test(kind: TestKind, class: &str, classes: &BTreeSet<String>) -> bool {
    // The published sources contain more test classes than there are tasks. No other task may see them.
    let published = || class.rsplit_once(".Evaluation").is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    classes.contains(class) || kind == TestKind::Aixbench && published()
}

/// The file name of compiled tests in the `suites` folder: a hash of everything that they are built from.
/// `toolchain` is [`super::toolchain::fingerprint`].
pub fn fingerprint(kind: TestKind, tree: &TestTree, classes: &BTreeSet<String>, toolchain: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{GENERATION} {} {toolchain} {classes:?}\n", kind.name()));
    for (path, bytes) in tree {
        hash.update(format!("{path}\0{}\0", bytes.len()));
        hash.update(bytes);
    }
    hex::encode(hash.finalize())
}

/// The file names of a tree's jars in the `jars` folder.
pub fn jar_names(tree: &TestTree) -> impl Iterator<Item = String> {
    tree.iter().filter(|(path, _)| path.ends_with(".jar")).map(|(_, bytes)| jar_name(bytes))
}

fn jar_name(bytes: &[u8]) -> String {
    format!("{}.jar", hex::encode(Sha256::digest(bytes)))
}

/// Writes the tree's jars to `folder`, each under its checksum, so that they can be mounted.
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

/// The classes to compile solutions against, and the classes to run. Neither reveals what the tests expect: tests in
/// our own format are rewritten by [`seal`], and published solutions are compiled without the test classes.
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
            published(run, |name| is_test(kind, name.split('$').next().unwrap_or_default(), tests))
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
            // Checks the compiled class, so that a test class that `seal` did not recognize never runs unprotected.
            match tests.iter().find(|class| run.get(*class).is_some_and(|bytes| classfile::is_public(bytes))) {
                Some(class) => Err(EngineError::Tests(format!("cannot hide the test class {class}: no `cases` found"))),
                None => Ok((library, run)),
            }
        }
    }
}

/// The frame with everything that does not depend on the job: packages and their visibility, shared classes, classes to
/// preload, and the files of the working folder.
fn preparation(kind: TestKind, shared: &Files, tests: &BTreeMap<String, TaskTests>, tree: &TestTree) -> Vec<u8> {
    let test_packages: BTreeSet<&str> = tests.keys().map(|class| package(class)).collect();
    let all: BTreeSet<&str> = shared.keys().map(|class| package(class)).chain(test_packages.iter().copied()).collect();
    let mut frame = Frame::new(b'T').number(all.len());
    for name in all {
        let access = match kind {
            TestKind::Aixgrade => "exported",
            TestKind::Aixbench if test_packages.contains(name) => "hidden",
            // Tests inspect helpers by reflection (annotations, private fields), so the helpers' packages are open. The
            // package of the base classes only needs to be exported.
            TestKind::Aixbench if test_packages.iter().any(|tests| package(tests) == name) => "exported",
            TestKind::Aixbench => "open",
        };
        frame = frame.string(name).string(access);
    }
    let warm: Vec<&str> = match kind {
        TestKind::Aixgrade => Vec::new(),
        TestKind::Aixbench => {
            let bases = [SOLUTION_BASE, "AbstractBaseEvaluation"];
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

/// Whether the published tests expect this file in their working folder: resources, and the sources that some tests
/// read, but not the tests' own sources, which contain the answers.
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
    // `load` reads the content without length and kind.
    write_whole(file, &bytes[5..])
}

/// Writes a file atomically and makes it readable to all users.
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
