//! Rust: `rustc` checks and builds a program in one sandbox; the program runs in another one.
//!
//! The published evaluator runs `cargo check` and `cargo test` in a package with three crates. Here the crates are
//! built once, with the image, and `rustc` is started as cargo starts it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use model::{code_lang::CodeLang, run::Verdict};
use sha2::{Digest, Sha256};
use text::{Function, Tests};

use super::{
    Language, Places, PublishedProgram, RunContext, Toolchain, image,
    native::{self, Built, TaskPrograms},
    process::{Ended, Running},
};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;
use sandbox::{Profile, bubblewrap, tool};

mod failures;
mod text;
mod trials;

const VALUES: &str = include_str!("values.rs");

/// Increase when images are built differently.
const GENERATION: u32 = 3;

/// The crates that every program may use: those of the published package.
const CRATES: [&str; 3] = ["rand", "regex", "md5"];

/// A program that uses every crate and the C library's mathematics. It is built with the image, to build the crates and
/// to find the libraries that programs link to.
const PROBE: &str = "fn main() {
    let _ = (rand::random::<u8>(), regex::Regex::new(\"\"), md5::compute(\"\"));
    std::process::exit(std::hint::black_box(2.0_f64).powf(std::hint::black_box(0.5)) as i32);
}
";

/// Rust's entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::Rust,
    look: |places| locate(places).map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

struct Rust {
    version: String,
    /// The files that the compiler sees.
    build: Vec<(PathBuf, String)>,
    /// The files that a program sees: the libraries that programs link to.
    run: image::Copies,
    /// The options that name the crates.
    externs: Vec<String>,
    judges: TaskPrograms,
}

/// The requirements for the host.
struct Located {
    rustc: PathBuf,
    cargo: PathBuf,
    /// The C compiler, which links.
    linker: PathBuf,
    /// The package with the vendored crates.
    package: PathBuf,
}

/// Finds `rustc`, `cargo` and a C compiler, and the package with the vendored crates, `rust-crate`.
///
/// # Errors
/// Fails if one of them is missing.
fn locate(places: &Places) -> io::Result<Located> {
    let missing = |what: &str| places.missing("rust", what);
    let program = |name: &str| {
        let found = places.program(&format!("rust/bin/{name}"), name);
        found.ok_or_else(|| missing(&format!("no {name} was found on the path (https://rustup.rs)")))
    };
    let (rustc, cargo) = (program("rustc")?, program("cargo")?);
    let linker = bubblewrap::find("gcc");
    let linker = linker.ok_or_else(|| missing("no gcc was found on the path, which links programs"))?;
    let is_whole = |package: &PathBuf| CRATES.iter().all(|name| package.join("vendor").join(name).is_dir());
    let package = places.own("rust-crate").filter(is_whole);
    let package =
        package.ok_or_else(|| missing("the crates rand, regex and md5 were not found, which every program names"))?;
    Ok(Located { rustc, cargo, linker, package })
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let located = locate(places)?;
    let verbose = tool::run_in(Path::new("/"), &[], &located.rustc, ["-vV"])?.0;
    let version = verbose.lines().next().unwrap_or_default().to_owned();
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
    let machine = tool::run(&located.linker, ["-dumpmachine"])?.trim().to_owned();
    let linker = tool::run(&located.linker, ["-dumpfullversion"])?.trim().to_owned();
    let digest = Sha256::new()
        .chain_update(format!("{GENERATION} {verbose} {machine} {linker} {PROBE}"))
        .chain_update(fs::read(located.package.join("Cargo.lock"))?)
        .finalize();
    let name = format!("rust-{}", &hex::encode(digest)[..16]);
    let place = image::prepared(folder, &name, |place| prepare(&located, &host, place))?;
    let mut build = vec![(place.join("rust"), "/rust".to_owned())];
    let folders = ["/usr/lib/gcc", "/usr/libexec/gcc", "/usr/lib64", "/lib64"].map(str::to_owned);
    let triplet = [format!("/usr/lib/{machine}"), format!("/lib/{machine}")];
    let programs = ["gcc", "ld"].map(|name| format!("/usr/bin/{name}"));
    let seen = folders.into_iter().chain(triplet).chain(programs).filter(|path| Path::new(path).exists());
    build.extend(seen.map(|path| (PathBuf::from(&path), path)));
    let run = place.join("run");
    let run = image::Copies::of(&run, &run, image::files, image::files)?;
    let externs = CRATES.iter().map(|name| extern_option(&place, name)).collect::<io::Result<_>>()?;
    let judges = TaskPrograms::new(image::programs(folder, &name))?;
    Ok(Arc::new(Rust { version, build, run, externs, judges }))
}

/// Copies the compiler with its libraries, builds the crates, and copies the libraries that programs link to.
fn prepare(located: &Located, host: &str, place: &Path) -> io::Result<()> {
    let root = tool::run_in(Path::new("/"), &[], &located.rustc, ["--print", "sysroot"])?.0;
    let (from, to) = (PathBuf::from(root.trim()), place.join("rust"));
    let is_library = |path: &Path| path.extension().is_some_and(|end| end == "rlib" || end == "rmeta");
    let target = format!("lib/rustlib/{host}");
    fs::create_dir_all(to.join("bin"))?;
    fs::copy(from.join("bin/rustc"), to.join("bin/rustc"))?;
    // Only the files: the folder of the standard libraries is below.
    image::copy_tree(&from.join("lib"), &to.join("lib"), &|path| path.to_string_lossy().contains(".so"))?;
    image::copy_tree(&from.join(&target).join("lib"), &to.join(&target).join("lib"), &is_library)?;
    let linker = from.join(&target).join("bin/rust-lld");
    if linker.is_file() {
        // The program that is usually here starts rust-lld, which it finds by `/proc`.
        let place = to.join(&target).join("bin/gcc-ld");
        fs::create_dir_all(&place)?;
        fs::copy(linker, place.join("ld.lld"))?;
    }
    let making = tempfile::tempdir()?;
    let package = making.path().join("package");
    image::copy_tree(&located.package, &package, &|path| path.starts_with("vendor") || path.extension().is_some())?;
    fs::create_dir_all(package.join("src/bin"))?;
    fs::write(package.join("src/bin/probe.rs"), PROBE)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (compiler, built) = (text(&from.join("bin/rustc")), text(&making.path().join("built")));
    // The operator's own settings have no effect.
    let environment = [
        ("RUSTC", compiler.as_str()),
        ("CARGO_TARGET_DIR", built.as_str()),
        ("CARGO_ENCODED_RUSTFLAGS", ""),
        ("RUSTC_WRAPPER", ""),
        ("CARGO_PROFILE_DEV_DEBUG", "0"),
        ("CARGO_INCREMENTAL", "0"),
    ];
    let vendored = ["source.crates-io.replace-with='vendored'", "source.vendored.directory='vendor'"];
    let arguments =
        ["build", "--offline", "--locked", "--bin", "probe", "--config", vendored[0], "--config", vendored[1]];
    tool::run_in(&package, &environment, &located.cargo, arguments)?;
    let built = Path::new(&built).join("debug");
    image::copy_tree(&built.join("deps"), &to.join("deps"), &is_library)?;
    let run = place.join("run");
    image::copy_libraries(&image::libraries(&[built.join("probe")])?, &run)?;
    image::duplicate(&run, &run)
}

/// The option that names a crate's file in the sandbox.
fn extern_option(place: &Path, name: &str) -> io::Result<String> {
    let begin = format!("lib{name}-");
    let files = fs::read_dir(place.join("rust/deps"))?.flatten().map(|entry| entry.file_name());
    let file = files
        .filter_map(|file| file.into_string().ok())
        .find(|file| file.starts_with(&begin) && file.ends_with(".rlib"))
        .ok_or_else(|| io::Error::other(format!("cargo built no library for the crate {name}")))?;
    Ok(format!("{name}=/rust/deps/{file}"))
}

impl Rust {
    /// Runs the compiler over a text, with the options that cargo passes and further ones.
    fn build(&self, context: &RunContext, task: &Task, more: &[&str], text: &str) -> Result<Built, EngineError> {
        // As the evaluator names the file, and cargo the crate after it.
        let name = task.task_id.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let mut arguments = COMPILER.to_vec();
        arguments.extend(["--crate-name", &name]);
        arguments.extend(self.externs.iter().flat_map(|option| ["--extern", option]));
        arguments.extend(more);
        native::build_with(context, &arguments, &[("LD_LIBRARY_PATH", "/rust/lib")], &self.build, &[("main.rs", text)])
    }
}

/// The compiler with the options of every build. Warnings that every program causes by its imports are left out of what
/// is printed. `strip` leaves out the tables for debuggers.
const COMPILER: [&str; 15] = [
    "/rust/bin/rustc",
    "--sysroot",
    "/rust",
    "--edition",
    "2021",
    "--crate-type",
    "bin",
    "-Ccodegen-units=1",
    "-Cstrip=debuginfo",
    "-Clinker=/usr/bin/gcc",
    "-Aunused",
    "-Adeprecated",
    "-Anonstandard_style",
    "-Ldependency=/rust/deps",
    "/program/main.rs",
];

/// Only checks a program. Metadata of a program are empty; what a build leaves must not be, so the list of its sources
/// takes its place.
const CHECK: [&str; 1] = ["--emit=metadata=/work/program.rmeta,dep-info=/work/a.out"];
/// Builds a program.
const PROGRAM: [&str; 2] = ["-o", "/work/a.out"];
/// Builds a program that runs its tests.
const TESTS: [&str; 3] = ["--test", "-o", "/work/a.out"];

impl Toolchain for Rust {
    fn lang(&self) -> CodeLang {
        CodeLang::Rust
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        Ok(PublishedProgram::ready(move || {
            // `cargo check`: without the tests.
            if let Built::Refused(ended) = self.build(context, task, &CHECK, program)? {
                return native::refused(ended, first_error);
            }
            match self.build(context, task, &TESTS, program)? {
                Built::Program(files) => {
                    let running = native::run_once(context, files, &[], &self.run.judging, Profile::Run)?;
                    Ok(judged(&running.end()?))
                }
                Built::Refused(ended) => native::refused(ended, first_error),
            }
        }))
    }

    fn has_tests(&self, task: &Task) -> bool {
        text::tests(&task.test).is_none_or(|tests| !tests.paths.is_empty())
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        Ok(match self.build(context, task, &PROGRAM, &solver_text(task, solution)?)? {
            Built::Program(files) => {
                Ok(native::run_once(context, files, &["{control}"], &self.run.solving, Profile::Run)?)
            }
            Built::Refused(ended) => Err(first_error(&ended.printed)),
        })
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let text = judge_text(task)?;
        let program = self.judges.program(context, task, &text, || self.build(context, task, &PROGRAM, &text))?;
        native::run(context, &program, &["{control}"], &self.run.judging, Profile::Run)
    }
}

/// The function that a task asks for.
fn function(task: &Task) -> Result<Function, EngineError> {
    let read = text::function(&format!("{}{}", task.declaration, task.prompt));
    read.ok_or_else(|| EngineError::Tests(format!("no function signature found in the prompt of {}", task.task_id)))
}

/// The items that only the dataset's own solution has, and the code that sends the function's result if one of them is
/// its type. A task of our own format has none: its solution does not continue the prompt.
fn items<'a>(task: &'a Task, Function { name, result, .. }: &Function) -> (&'a str, Option<text::Returned>) {
    if task.setup.is_some() {
        return ("", None);
    }
    let items = text::items_behind(&format!("{}{}", task.declaration, task.prompt), &task.canonical_solution, name);
    (items, text::returned(items, result, &task.test))
}

/// A program that answers calls, followed by the sample. The sample's own `main` has no effect.
fn solver_text(task: &Task, solution: &str) -> Result<String, EngineError> {
    let function = function(task)?;
    let (_, returned) = items(task, &function);
    let writer = returned.map_or_else(String::new, |returned| returned.writer(&function.result));
    let given = vec!["Get::get(input)"; function.parameters.len()].join(", ");
    Ok(format!(
        "#![no_main]
{VALUES}
mod aixgrade_solver {{
    use super::aixgrade::{{serve, Get, Put}};

    #[no_mangle]
    pub extern \"C\" fn main() -> i32 {{
        serve(|input, out| Put::put(&super::{}({given}), out))
    }}
}}
{solution}{writer}",
        function.name
    ))
}

/// The prompt, with a function that calls the solver, and the tests.
fn judge_text(task: &Task) -> Result<String, EngineError> {
    let function = function(task)?;
    let unsupported = || EngineError::Tests(format!("the tests of {} cannot be called one by one", task.task_id));
    let Tests { text, paths } = text::tests(&task.test).ok_or_else(unsupported)?;
    let (items, returned) = items(task, &function);
    let reader = returned.map_or_else(String::new, |returned| returned.reader(&function.result));
    let put: String = function
        .parameters
        .iter()
        .map(|name| format!("    aixgrade::Put::put(&{name}, &mut aixgrade_arguments);\n"))
        .collect();
    let body =
        format!("\n    let mut aixgrade_arguments = Vec::new();\n{put}    aixgrade::call(&aixgrade_arguments)\n}}\n");
    let empty = humaneval::solution(CodeLang::Rust, task, None, &body);
    let called: Vec<String> = paths.iter().map(|path| format!("crate::{path}")).collect();
    // Text that tests print would be taken for a failure.
    Ok(format!(
        "#![no_main]
{VALUES}
mod aixgrade_judge {{
    #[no_mangle]
    pub extern \"C\" fn main() -> i32 {{
        super::aixgrade::judge(&[{}])
    }}
}}
#[allow(unused_macros)]
macro_rules! print {{ ($($text:tt)*) => {{{{ let _ = format!($($text)*); }}}} }}
#[allow(unused_macros)]
macro_rules! println {{ () => {{}}; ($($text:tt)*) => {{{{ let _ = format!($($text)*); }}}} }}
{empty}{items}{reader}{text}",
        called.join(", ")
    ))
}

fn judged(ended: &Ended) -> super::Judged {
    native::judged(ended, |printed| match panic(printed) {
        Some(text) if text.starts_with("assertion") => (Verdict::Failed, text),
        Some(text) => (Verdict::Crashed, text),
        None => (Verdict::Crashed, shortened(printed.lines().rev().find(|line| !line.trim().is_empty()))),
    })
}

/// The first panic's message: the line after the one with its location.
fn panic(printed: &str) -> Option<String> {
    let mut lines =
        printed.lines().skip_while(|line| !line.contains("' panicked at ") && !line.contains(") panicked at "));
    lines.next()?;
    Some(shortened(lines.next()))
}

/// The compiler's first error.
fn first_error(printed: &str) -> String {
    let error = printed.lines().find(|line| line.starts_with("error"));
    shortened(error.or_else(|| printed.lines().next()))
}

fn shortened(line: Option<&str>) -> String {
    line.unwrap_or_default().trim().chars().take(300).collect()
}
