//! Go: compiled, vetted and linked in one sandbox with the steps of `go test`; the program runs in another one.
//!
//! Linking is most of the work, so samples are linked in batches ([`batch`]). A sample joins a batch only if it could
//! neither affect nor observe the others (`mayJoin` in `builder.go`), and only with samples of other tasks. Each sample
//! still runs in its own process and sandbox, but one sandbox compiles the batch, and its samples are in the same program
//! files.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use batch::Batches;
use model::{code_lang::CodeLang, run::Verdict};
use sha2::{Digest, Sha256};

use super::{
    Judged, Language, Places, PublishedProgram, RunContext, Toolchain, image,
    native::{self, Built, BuiltSamples, TaskPrograms},
    process::{Ended, Running},
};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;
use sandbox::{Profile, tool};

mod batch;
mod failures;
mod trials;

const BUILDER: &str = include_str!("builder.go");
const VALUES: &str = include_str!("values.go");
const JUDGING: &str = include_str!("judging.go");

/// Increase when images are built differently.
const GENERATION: u32 = 1;

/// The assertion package that the tests use.
const ASSERT: &str = "github.com/stretchr/testify/assert";

/// The packages that programs can import: those that prompts and the evaluator name, those of the generated main
/// packages, and common ones that a sample's own prompt may ask for. Their dependencies are included.
const PACKAGES: &[&str] = &[
    ASSERT,
    "testing",
    "testing/internal/testdeps",
    "bufio",
    "bytes",
    "container/heap",
    "container/list",
    "crypto/md5",
    "crypto/sha256",
    "encoding/binary",
    "encoding/hex",
    "encoding/json",
    "errors",
    "flag",
    "fmt",
    "io",
    "math",
    "math/big",
    "math/bits",
    "math/cmplx",
    "math/rand",
    "net",
    "os",
    "os/exec",
    "reflect",
    "regexp",
    "sort",
    "strconv",
    "strings",
    "sync",
    "time",
    "unicode",
    "unicode/utf8",
];

/// No C compiler is needed, nothing is downloaded, and the operator's own settings have no effect.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("CGO_ENABLED", "0"),
    ("GOFLAGS", "-mod=vendor"),
    ("GOWORK", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOPROXY", "off"),
    ("GO111MODULE", "on"),
];

/// Go's entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::Go,
    look: |places| locate(places).map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

/// Runs the go command in a folder and returns its standard output and error.
type Command<'a> = dyn Fn(&Path, &[&str]) -> io::Result<(String, String)> + 'a;

struct Go {
    version: String,
    /// The image: tools, packages and the builder.
    build: Vec<(PathBuf, String)>,
    /// The compiler's `-lang` option, such as `go1.26`.
    lang: String,
    /// The linker's value of `runtime.godebugDefault`, which depends on the module's `go` line.
    debug: String,
    judges: TaskPrograms,
    batches: Arc<Batches<Sample, InBatch>>,
    /// Samples of batches, until their solvers start.
    built_samples: BuiltSamples<InBatch>,
}

/// A sample that is to be built in a batch.
struct Sample {
    /// The sample's text, followed by the tests.
    program: String,
    /// Length of the sample's text in bytes: where the tests begin.
    end: usize,
    /// The function that the tests call.
    name: String,
}

/// A batch, and a sample's number in it, which the programs take as their first argument.
#[derive(Clone)]
struct InBatch(Arc<Batch>, usize);

/// The two programs of a batch: one contains the tests, the other is the solver. Their folder is deleted when no sample
/// needs it any more.
struct Batch {
    files: tempfile::TempDir,
}

impl Batch {
    const TESTS: &str = "tests";
    const SOLVERS: &str = "solvers";

    /// Reads the builder's result: for each of `count` samples whether it was built, and the two programs (`pack` in
    /// `builder.go`).
    fn unpack(files: tempfile::TempDir, count: usize) -> io::Result<(Batch, Vec<bool>)> {
        let packed = fs::read(files.path().join(native::PROGRAM))?;
        let short = || io::Error::other("the Go builder's result is cut short");
        let (built, mut left) = packed.split_at_checked(count).ok_or_else(short)?;
        for name in [Batch::TESTS, Batch::SOLVERS] {
            let (length, rest) = left.split_first_chunk().ok_or_else(short)?;
            let length = usize::try_from(u64::from_be_bytes(*length)).map_err(io::Error::other)?;
            let (program, rest) = rest.split_at_checked(length).ok_or_else(short)?;
            let file = files.path().join(name);
            fs::write(&file, program)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
            left = rest;
        }
        fs::remove_file(files.path().join(native::PROGRAM))?;
        let built = built.iter().map(|&built| built == 1).collect();
        Ok((Batch { files }, built))
    }
}

/// Finds `go/bin/go` in a folder with toolchains or `go` on the path, and the published module with its vendored
/// packages, `go-module`.
///
/// # Errors
/// Fails if Go or the module is missing.
fn locate(places: &Places) -> io::Result<(PathBuf, PathBuf)> {
    let missing = |what: &str| places.missing("go", what);
    let program = places.program("go/bin/go", "go");
    let program = program.ok_or_else(|| missing("no go was found on the path; the benchmark names Go 1.18.4"))?;
    let module = places.own("go-module").filter(|module| module.join("vendor/modules.txt").is_file());
    let module = module.ok_or_else(|| missing("the Go module testify was not found"))?;
    Ok((program, module))
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let (program, module) = locate(places)?;
    let go = |folder: &Path, arguments: &[&str]| tool::run_in(folder, ENVIRONMENT, &program, arguments);
    let (printed, _) = go(&module, &["env", "GOVERSION", "GOTOOLDIR"])?;
    let mut lines = printed.lines();
    let (version, tools) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let digest = Sha256::new()
        .chain_update(format!("{GENERATION} {version} {PACKAGES:?}"))
        .chain_update(fs::read(module.join("vendor/modules.txt"))?)
        .chain_update(fs::read(module.join("go.mod"))?)
        .chain_update(BUILDER)
        .chain_update(VALUES)
        .chain_update(JUDGING);
    let name = format!("go-{}", &hex::encode(digest.finalize())[..16]);
    let place = image::prepared(folder, &name, |place| prepare(&go, &module, Path::new(tools), place))?;
    let text = |name: &str| fs::read_to_string(place.join("go").join(name));
    let version = format!("Go {}", version.trim_start_matches("go"));
    let judges = TaskPrograms::new(image::programs(folder, &name))?;
    Ok(Arc::new(Go {
        version,
        build: image::mounts(&place)?,
        lang: text("lang")?,
        debug: text("debug")?,
        judges,
        batches: Batches::new(thread::available_parallelism().map_or(1, usize::from)),
        built_samples: BuiltSamples::default(),
    }))
}

fn prepare(go: &Command<'_>, module: &Path, tools: &Path, place: &Path) -> io::Result<()> {
    let root = place.join("go");
    for folder in ["tool", "pkg"] {
        fs::create_dir_all(root.join(folder))?;
    }
    for name in ["compile", "link", "vet"] {
        fs::copy(tools.join(name), root.join("tool").join(name))?;
    }
    // A copy of the module with a test, for which the go command prints the commands that would build it.
    let making = tempfile::tempdir()?;
    let copy = making.path().join("module");
    image::copy_tree(module, &copy, &|_| true)?;
    fs::write(copy.join("main_test.go"), "package main\nimport \"testing\"\nfunc TestX(t *testing.T) {}\n")?;
    settings(&go(&copy, &["test", "-n", "main_test.go"])?.1, &root)?;
    let format = "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}";
    let arguments: Vec<&str> = ["list", "-export", "-deps", "-f", format].iter().chain(PACKAGES).copied().collect();
    let mut config = String::new();
    for (number, line) in go(&copy, &arguments)?.0.lines().filter(|line| !line.is_empty()).enumerate() {
        let Some((path, file)) = line.split_once('=') else { continue };
        fs::copy(file, root.join(format!("pkg/{number}.a")))?;
        config.push_str(&format!("packagefile {path}=/go/pkg/{number}.a\n"));
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    // The packages are not at their final paths yet.
    let here = making.path().join("importcfg");
    let compile = |config: &str, package: &str, name: &str, sources: &[String]| -> io::Result<String> {
        fs::write(&here, config.replace("=/go/", &format!("={}/", root.display())))?;
        let (out, here) = (text(&root.join("pkg").join(name)), text(&here));
        let arguments = ["-p", package, "-complete", "-pack", "-importcfg", &here, "-o", &out];
        tool::run(&tools.join("compile"), arguments.into_iter().chain(sources.iter().map(String::as_str)))?;
        Ok(format!("packagefile {package}=/go/pkg/{name}\n"))
    };
    for (name, source) in [("values", VALUES), ("judging", JUDGING)] {
        let file = making.path().join(name).with_extension("go");
        fs::write(&file, source)?;
        let line = compile(&config, &format!("aixgrade/{name}"), &format!("{name}.a"), &[text(&file)])?;
        config.push_str(&line);
    }
    fs::write(root.join("pkg/importcfg"), &config)?;
    fs::write(copy.join("builder.go"), BUILDER)?;
    let builder = root.join("builder");
    go(&copy, &["build", "-o", &text(&builder), "builder.go"])?;
    // A second importcfg, with a testify without the functions that few programs need but every program would link.
    let slim = making.path().join("slim");
    fs::create_dir(&slim)?;
    let listed = go(&copy, &["list", "-f", "{{.Dir}}{{range .GoFiles}} {{.}}{{end}}", ASSERT])?.0;
    let mut names = listed.split_whitespace();
    let folder = PathBuf::from(names.next().unwrap_or_default());
    let names: Vec<&str> = names.filter(|name| !name.starts_with("http_")).collect();
    let sources: Vec<String> = names.iter().map(|name| text(&folder.join(name))).collect();
    let arguments = ["", "prune", "", &text(&slim)].map(str::to_owned);
    tool::run(&builder, arguments.iter().chain(&sources))?;
    let kept: Vec<String> = names.iter().map(|name| text(&slim.join(name))).collect();
    let line = compile(&config, ASSERT, "slim.a", &kept)?;
    let is_assert = |line: &&str| line.starts_with(&format!("packagefile {ASSERT}="));
    let others = config.lines().filter(|line| !is_assert(line)).map(|line| format!("{line}\n"));
    fs::write(root.join("pkg/importcfg.slim"), others.collect::<String>() + &line)
}

/// Reads from the output of `go test -n` how this version builds and vets a test.
fn settings(commands: &str, root: &Path) -> io::Result<()> {
    // The last match; earlier ones are for the packages that the test imports.
    let of = |tool: &str, with: &str| {
        let tool = format!("/{tool} ");
        commands.lines().rev().find(|line| line.contains(&tool) && line.contains(with)).unwrap_or_default()
    };
    let word = |line: &str, start: &str| {
        line.split_whitespace().find_map(|word| word.strip_prefix(start)).unwrap_or_default().to_owned()
    };
    let compile = of("compile", "-p command-line-arguments");
    let mut lang = word(compile, "-lang=");
    if lang.is_empty() {
        // Go 1.18 compiles a package without a module of its own as its own version, `go1.18` of `-goversion go1.18.4`.
        let version = compile.split_whitespace().skip_while(|word| *word != "-goversion").nth(1).unwrap_or_default();
        lang = version.split('.').take(2).collect::<Vec<_>>().join(".");
    }
    if lang.is_empty() {
        return Err(io::Error::other("`go test -n` prints no language version"));
    }
    fs::write(root.join("lang"), lang)?;
    fs::write(root.join("debug"), word(of("link", "main.test"), "-X=runtime.godebugDefault="))?;
    let flags = of("vet", "vet.cfg").split_whitespace().filter(|word| word.starts_with('-'));
    fs::write(root.join("vetflags"), flags.collect::<Vec<_>>().join(" "))
}

impl Go {
    /// Runs the builder over texts; `more` are additional arguments.
    fn build(
        &self,
        context: &RunContext,
        mode: &str,
        texts: &[(&str, &str)],
        more: &[&str],
    ) -> Result<Built, EngineError> {
        let files: Vec<String> = texts.iter().map(|(name, _)| format!("/program/{name}")).collect();
        let mut arguments = vec!["/go/builder", &self.lang, mode, &self.debug];
        arguments.extend(files.iter().map(String::as_str).chain(more.iter().copied()));
        let built = native::build(context, &arguments, &self.build, texts)?;
        match &built {
            // The builder itself failed, not the compiler.
            Built::Refused(ended) if ended.limit.is_none() && ended.report.code == Some(2) => {
                Err(EngineError::Harness(format!("the Go builder failed: {}", ended.printed)))
            }
            _ => Ok(built),
        }
    }

    /// Builds samples in one batch. A sample that must be built alone is `None`; the result is empty if all must be.
    fn build_batch(&self, context: &RunContext, samples: &[Sample]) -> Result<Vec<Option<InBatch>>, EngineError> {
        let names: Vec<String> = (0..samples.len()).map(|number| format!("{number}/main_test.go")).collect();
        let texts: Vec<(&str, &str)> =
            names.iter().zip(samples).map(|(name, sample)| (name.as_str(), sample.program.as_str())).collect();
        let mut arguments: Vec<String> = ["/go/builder", &self.lang, "batch", &self.debug].map(str::to_owned).into();
        for (name, Sample { end, name: function, .. }) in names.iter().zip(samples) {
            arguments.extend([format!("/program/{name}"), end.to_string(), function.clone()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let Built::Program(files) = native::build(context, &arguments, &self.build, &texts)? else {
            return Ok(Vec::new());
        };
        let (batch, built) = Batch::unpack(files, samples.len())?;
        let batch = Arc::new(batch);
        let place = |(number, built): (usize, bool)| built.then(|| InBatch(Arc::clone(&batch), number));
        Ok(built.into_iter().enumerate().map(place).collect())
    }

    /// Starts one of the two programs of a batch for one sample.
    fn run_in_batch(
        context: &RunContext,
        InBatch(batch, number): &InBatch,
        program: &str,
        arguments: &[&str],
    ) -> Result<Running, EngineError> {
        let number = number.to_string();
        let arguments: Vec<&str> = [number.as_str()].iter().chain(arguments).copied().collect();
        native::run(context, &batch.files.path().join(program), &arguments, &[], Profile::EventLoop)
    }

    /// Builds a sample in a batch; `None` if it must be built alone.
    fn built_in_batch(&self, context: &RunContext, task: &Task, program: &str) -> Result<Option<InBatch>, EngineError> {
        let Some(solution) = humaneval::without_tests(CodeLang::Go, task, program) else { return Ok(None) };
        let Ok(Signature { name, .. }) = signature(task) else { return Ok(None) };
        let sample = Sample { program: program.to_owned(), end: solution.len(), name };
        // Tasks with the same tests ask for the same answers.
        let built = self
            .batches
            .build(&context.stop, task.test.clone(), sample, |samples| self.build_batch(context, samples))?;
        if let Some(built) = &built {
            self.built_samples.put(solution, built.clone());
        }
        Ok(built)
    }

    fn judge_texts(task: &Task) -> Result<[String; 3], EngineError> {
        let Signature { result, parameters, .. } = signature(task)?;
        let given: String = parameters.iter().map(|name| format!(", &{name}")).collect();
        // Names the packages that the prompt's helpers and the tests use, so that they are imported.
        let body = format!(
            "\n    var aixgradeAnswer {result}\n    aixgradeCall(&aixgradeAnswer{given})\n    return aixgradeAnswer\n}}\n// {}\n",
            humaneval::go_mentions(&format!("{}{}", task.prompt, task.test))
        );
        let empty = humaneval::solution(CodeLang::Go, task, None, &body);
        let text = format!("{empty}\n{}", task.test);
        let call = "package main\n\nimport \"aixgrade/values\"\n\nfunc aixgradeCall(answer interface{}, given \
                    ...interface{}) {\n\tvalues.Call(answer, given...)\n}\n";
        let named = task.test.lines().filter_map(|line| line.strip_prefix("func ")?.split('(').next());
        let tests: String = named
            .filter(|name| name.starts_with("Test"))
            .map(|name| format!("\t\t{name:?}: sample.{name},\n"))
            .collect();
        let main = format!(
            "package main\n\nimport (\n\t\"aixgrade/judging\"\n\tsample \"sample\"\n\t\"testing\"\n)\n\nfunc main() \
             {{\n\tjudging.Judge(map[string]func(*testing.T){{\n{tests}\t}})\n}}\n"
        );
        Ok([text, main, call.to_owned()])
    }
}

impl Toolchain for Go {
    fn lang(&self) -> CodeLang {
        CodeLang::Go
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn workers(&self, processors: usize) -> usize {
        (processors * batch::MAX_SAMPLES).min(MOST_WORKERS)
    }

    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        if let Some(built) = self.built_in_batch(context, task, program)? {
            return Ok(PublishedProgram::ready(move || {
                let _slot = self.batches.slot(&context.stop)?;
                Ok(judged(&Self::run_in_batch(context, &built, Batch::TESTS, &TEST_FLAGS)?.end()?))
            }));
        }
        Ok(PublishedProgram::ready(move || {
            let _slot = self.batches.slot(&context.stop)?;
            match self.build(context, "test", &[("main_test.go", program)], &[])? {
                Built::Program(files) => {
                    let running = native::run_once(context, files, &TEST_FLAGS, &[], Profile::EventLoop)?;
                    Ok(judged(&running.end()?))
                }
                Built::Refused(ended) => native::refused(ended, error_line),
            }
        }))
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        // One slot for the solver and its judge, until the solver ends: only one of them computes at a time.
        let slot = self.batches.slot(&context.stop)?;
        if let Some(built) = self.built_samples.take(solution) {
            let running = Self::run_in_batch(context, &built, Batch::SOLVERS, &["{control}"])?;
            return Ok(Ok(running.with_resource((built, slot))));
        }
        Ok(self.own_solver(context, task, solution)?.map(|solver| solver.with_resource(slot)))
    }

    /// Reserves no slot: the sample's solver, which waits for this one, has one.
    fn own_solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let name = signature(task)?.name;
        Ok(match self.build(context, "solver", &[("sample.go", solution)], &[&name])? {
            Built::Program(files) => Ok(native::run_once(context, files, &["{control}"], &[], Profile::EventLoop)?),
            Built::Refused(ended) => Err(error_line(&ended.printed)),
        })
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let [text, main, call] = Go::judge_texts(task)?;
        let texts = [("tests.go", text.as_str()), ("main.go", &main), ("call.go", &call)];
        let whole = format!("{text}\0{main}\0{call}");
        let program = self.judges.program(context, task, &whole, || self.build(context, "program", &texts, &[]))?;
        native::run(context, &program, &["{control}"], &[], Profile::EventLoop)
    }

    fn forget(&self, solution: &str) {
        self.built_samples.take(solution);
    }
}

/// Maximum number of outputs to work on at once. Most of them wait for a batch or a processor.
const MOST_WORKERS: usize = 256;

/// The arguments that `go test` passes to the test program.
const TEST_FLAGS: [&str; 2] = ["-test.paniconexit0", "-test.timeout=10m0s"];

fn judged(ended: &Ended) -> Judged {
    native::judged(ended, |printed| match printed.lines().find(|line| line.starts_with("panic:")) {
        Some(panic) => (Verdict::Crashed, shortened(panic)),
        None if printed.contains("--- FAIL") => (Verdict::Failed, error_line(printed)),
        None => (Verdict::Crashed, error_line(printed)),
    })
}

/// A function's signature.
#[derive(Debug, PartialEq, Eq)]
struct Signature {
    name: String,
    parameters: Vec<String>,
    result: String,
}

/// The function that a task asks for: the last one that its prompt begins.
fn signature(task: &Task) -> Result<Signature, EngineError> {
    let read = read_signature(&task.prompt);
    read.ok_or_else(|| EngineError::Tests(format!("no function signature found in the prompt of {}", task.task_id)))
}

fn read_signature(prompt: &str) -> Option<Signature> {
    let line = prompt.lines().rev().find_map(|line| line.strip_prefix("func "))?;
    let (name, rest) = line.split_once('(')?;
    let (inside, result) = rest.split_once(')')?;
    let names = inside.split(',').filter_map(|parameter| parameter.split_whitespace().next());
    Some(Signature {
        name: name.trim().to_owned(),
        parameters: names.map(str::to_owned).collect(),
        result: result.trim().strip_suffix('{')?.trim().to_owned(),
    })
}

fn shortened(line: &str) -> String {
    line.trim().chars().take(300).collect()
}

/// The line of the compiler, vet or a failed assertion that names the error.
fn error_line(printed: &str) -> String {
    let at = |line: &&str| line.starts_with("./") || line.trim_start().starts_with("Error:") && line.len() > 25;
    let line = printed.lines().find(at).or_else(|| printed.lines().find(|line| !line.trim().is_empty()));
    shortened(line.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_last_signature_of_a_prompt() {
        let check = |prompt: &str, name: &str, parameters: &[&str], result: &str| {
            let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
            let expected = Signature { name: name.into(), parameters, result: result.into() };
            assert_eq!(read_signature(prompt), Some(expected), "{prompt}");
        };
        check("func A() int {\n}\n// x\nfunc Any(x, y interface{}) interface{}{\n", "Any", &["x", "y"], "interface{}");
        check("func F(dict map[interface{}]interface{}, l []int) [2]int {", "F", &["dict", "l"], "[2]int");
        assert_eq!(read_signature("package main"), None);
    }

    #[test]
    fn reads_how_the_go_command_builds_a_test() {
        let folder = tempfile::tempdir().unwrap();
        let commands = "/tool/compile -o x -p fmt -lang=go1.1\n/tool/compile -p command-line-arguments -lang=go1.26 \
                        -complete\n/tool/vet -unsafeptr=false $WORK/b1/vet.cfg\nTERM='dumb' /tool/vet -atomic -bool $WORK/vet.cfg\n/tool/link -o $WORK/main.test \
                        -X=runtime.godebugDefault=a=1,b=0 -buildmode=exe\n";
        settings(commands, folder.path()).unwrap();
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            (text("lang"), text("debug"), text("vetflags")),
            ("go1.26".into(), "a=1,b=0".into(), "-atomic -bool".into())
        );
        assert!(settings("", folder.path()).is_err());
    }
}
