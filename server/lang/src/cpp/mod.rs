//! C++: `g++` builds a program in one sandbox, with the nine helper headers precompiled; the program runs in another
//! one.
//!
//! A sample that is only the body of its function ([`body`]) is compiled once for both verdicts, to a shared object
//! without tests. Two programs load the shared object: one with the tests, for the published verdict, and the solver.
//! Both are built once for each task.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use model::{code_lang::CodeLang, run::Verdict};
use sha2::{Digest, Sha256};
use signature::Signature;

use super::{
    Judged, Language, Places, PublishedProgram, RunContext, Toolchain, image,
    native::{self, Built, BuiltSamples, TaskPrograms},
    process::{Ended, Running},
};
use benchmarks::humaneval::{self, CPP_INCLUDES, Task};
use engine::EngineError;
use sandbox::{Profile, bubblewrap, tool};
use toolchains::system;

mod body;
mod failures;
mod signature;
mod templates;
mod trials;

const VALUES: &str = include_str!("values.h");
const JUDGE: &str = include_str!("judge.h");

/// Increase when images are built differently.
const GENERATION: u32 = 3;

/// C++'s entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::Cpp,
    look: |places| locate(places).map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

struct Cpp {
    version: String,
    /// The files that the compiler sees.
    build: Vec<(PathBuf, String)>,
    /// The files that a program sees: the libraries that programs link to.
    run: image::Copies,
    task_programs: TaskPrograms,
    linker: &'static [&'static str],
    /// Whether the image has the header and the template library that bodies are compiled with.
    has_bodies: bool,
    /// The solver's copies of shared objects of samples, until their solvers start.
    built_samples: BuiltSamples<tempfile::TempDir>,
}

/// Finds `g++` on the path, with the headers of Boost and OpenSSL that two tasks need.
///
/// # Errors
/// Fails if the compiler or headers are missing.
fn locate(places: &Places) -> io::Result<PathBuf> {
    for need in [&system::GXX, &system::BOOST, &system::OPENSSL] {
        if !need.is_met(&places.folders) {
            return Err(places.missing("cpp", &format!("{} was not found", need.what)));
        }
    }
    bubblewrap::find("g++").ok_or_else(|| places.missing("cpp", "g++ was not found"))
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let compiler = locate(places)?;
    let version = tool::run(&compiler, ["--version"])?.lines().next().unwrap_or_default().to_owned();
    let machine = tool::run(&compiler, ["-dumpmachine"])?.trim().to_owned();
    let linker: &[&str] = if bubblewrap::find("ld.gold").is_some() { &["-fuse-ld=gold"] } else { &[] };
    let digest = Sha256::digest(format!("{GENERATION} {version} {machine} {linker:?} {CPP_INCLUDES:?}"));
    let name = format!("cpp-{}", &hex::encode(digest)[..16]);
    let place = image::prepared(folder, &name, |place| prepare(&compiler, place))?;
    let mut build = vec![(place.join("cpp"), "/cpp".to_owned())];
    let has_bodies = place.join("cpp").join(BODY_HEADER).with_extension("h.gch").is_file();
    if has_bodies {
        build.push((place.join("run/aixgrade"), "/aixgrade".to_owned()));
    }
    let folders = ["/usr/include", "/usr/lib/gcc", "/usr/libexec/gcc", "/usr/lib64", "/lib64"].map(str::to_owned);
    let triplet = [format!("/usr/lib/{machine}"), format!("/lib/{machine}")];
    let programs = ["g++", "as", "ld", "ld.gold"].map(|name| format!("/usr/bin/{name}"));
    let seen = folders.into_iter().chain(triplet).chain(programs).filter(|path| Path::new(path).exists());
    build.extend(seen.map(|path| (PathBuf::from(&path), path)));
    let run = place.join("run");
    let run = image::Copies::of(&run, &run, image::files, image::files)?;
    let task_programs = TaskPrograms::new(image::programs(folder, &name))?;
    Ok(Arc::new(Cpp { version, build, run, task_programs, linker, has_bodies, built_samples: BuiltSamples::default() }))
}

/// Precompiles the helper headers, and copies the libraries that programs link to.
fn prepare(compiler: &Path, place: &Path) -> io::Result<()> {
    let (headers, run) = (place.join("cpp"), place.join("run"));
    fs::create_dir_all(&headers)?;
    let header = headers.join("helpers.h");
    fs::write(&header, CPP_INCLUDES.join("\n") + "\n")?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let out = text(&headers.join("helpers.h.gch"));
    tool::run(compiler, ["-std=c++11", "-x", "c++-header", &text(&header), "-o", &out])?;
    let (source, probe) = (place.join("probe.cpp"), place.join("probe"));
    fs::write(&source, "#include <iostream>\n#include <boost/any.hpp>\n#include <openssl/md5.h>\nint main() {}\n")?;
    let libraries = ["-Wl,--no-as-needed", "-lcrypto", "-lssl", "-lm"];
    let arguments = ["-std=c++11".to_owned(), text(&source), "-o".to_owned(), text(&probe)];
    tool::run(compiler, arguments.into_iter().chain(libraries.map(str::to_owned)))?;
    image::copy_libraries(&image::libraries(std::slice::from_ref(&probe))?, &run)?;
    fs::remove_file(source)?;
    fs::remove_file(probe)?;
    if let Err(e) = prepare_bodies(compiler, &headers, &run.join("aixgrade")) {
        tracing::warn!(cause = %e, "every C++ sample is compiled with its tests");
        let _ = fs::remove_file(headers.join(BODY_HEADER).with_extension("h.gch"));
    }
    image::duplicate(&run, &run)
}

/// Precompiles the helper headers as position-independent code, and compiles common instantiations of their templates
/// to a library.
fn prepare_bodies(compiler: &Path, headers: &Path, run: &Path) -> io::Result<()> {
    fs::create_dir_all(run)?;
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let includes = CPP_INCLUDES.join("\n") + "\n";
    let making = tempfile::tempdir()?;
    let templates = making.path().join("templates.cpp");
    fs::write(&templates, format!("{includes}{}", templates::instantiations("template")))?;
    let name = format!("-Wl,-soname,{TEMPLATE_LIBRARY}");
    let flags = ["-std=c++11", "-fPIC", "-shared", "-s", "-Wl,-Bsymbolic-functions", &name, &text(templates), "-o"];
    tool::run(compiler, flags.map(str::to_owned).into_iter().chain([text(run.join(TEMPLATE_LIBRARY))]))?;
    let header = headers.join(BODY_HEADER);
    fs::write(&header, format!("{includes}{}", templates::instantiations("extern template")))?;
    let out = text(header.with_extension("h.gch"));
    tool::run(compiler, ["-std=c++11", "-fPIC", "-x", "c++-header", &text(header), "-o", &out]).map(drop)
}

/// The header that bodies are compiled with, in `/cpp`.
const BODY_HEADER: &str = "bodies.h";

/// The library of template instantiations, in `/aixgrade`.
const TEMPLATE_LIBRARY: &str = "libaixgrade-templates.so";

/// The shared object of a sample, in `/program`.
const SAMPLE_LIBRARY: &str = "libsample.so";

impl Cpp {
    /// Compiles and links one text as the published command does, with an object file if there is one.
    fn build(
        &self,
        context: &RunContext,
        task: &Task,
        text: &str,
        object: Option<&Path>,
    ) -> Result<Built, EngineError> {
        let mut arguments = COMPILER.to_vec();
        arguments.extend(self.linker);
        arguments.push("/program/test.cpp");
        let mut seen = self.build.clone();
        if let Some(object) = object {
            arguments.push("/caller/caller.o");
            seen.push((object.to_path_buf(), "/caller/caller.o".to_owned()));
        }
        arguments.extend(task_libraries(task));
        native::build(context, &arguments, &seen, &[("test.cpp", text)])
    }

    /// The object file that answers calls of a task's function, compiled once per task; `None` if it does not compile
    /// apart from a sample.
    fn caller(&self, context: &RunContext, task: &Task) -> Result<Option<PathBuf>, EngineError> {
        let text = caller_text(task)?;
        let arguments = [&COMPILER[..], &["-c", "-o", "/work/a.out", "/program/test.cpp"]].concat();
        let build = || native::build(context, &arguments, &self.build, &[("test.cpp", &text)]);
        self.task_programs.program_if_built(context, task, &text, build)
    }

    /// The solver program of a task, which answers calls with the function in a sample's shared object. `None` as for
    /// [`Self::program_for_samples`].
    fn solver_program(&self, context: &RunContext, task: &Task) -> Result<Option<PathBuf>, EngineError> {
        self.program_for_samples(context, task, &caller_text(task)?)
    }

    /// The program with a task's tests, which call the function in a sample's shared object. `None` as for
    /// [`Self::program_for_samples`], or if the prompt is not just a function ([`body::declaration`]).
    fn tests_program(&self, context: &RunContext, task: &Task) -> Result<Option<PathBuf>, EngineError> {
        let Some(declaration) = body::declaration(&task.prompt) else { return Ok(None) };
        self.program_for_samples(context, task, &format!("{}\n{declaration}{}", CPP_INCLUDES.join("\n"), task.test))
    }

    /// A program that loads a sample's shared object, built once for its text. It is linked to a stub, whose function
    /// only stops the program; the loader uses the sample's object instead. `None` if the program or the stub does not
    /// build, for example because the text calls a function that the stub does not define.
    fn program_for_samples(
        &self,
        context: &RunContext,
        task: &Task,
        text: &str,
    ) -> Result<Option<PathBuf>, EngineError> {
        let stub = humaneval::solution(CodeLang::Cpp, task, None, "\n    __builtin_trap();\n}\n");
        let build = || self.build_body(context, task, &stub);
        let Some(stub) = self.task_programs.program_if_built(context, task, &format!("shared\0{stub}"), build)? else {
            return Ok(None);
        };
        let sample = (stub, format!("/sample/{SAMPLE_LIBRARY}"));
        let link = ["-Wl,-z,now", "/sample/libsample.so"];
        self.program_with_templates(context, task, &format!("calls\0{text}"), text, &[sample], &link)
    }

    /// A program without a sample's code that is linked to the template library, built once for `key`. `more` are
    /// further files that the compiler sees, `link` further arguments. `None` if it does not build, or if the image has
    /// no template library.
    fn program_with_templates(
        &self,
        context: &RunContext,
        task: &Task,
        key: &str,
        text: &str,
        more: &[(PathBuf, String)],
        link: &[&str],
    ) -> Result<Option<PathBuf>, EngineError> {
        if !self.has_bodies {
            return Ok(None);
        }
        // The program must itself depend on the library: a sample's shared object needs it, but has no path to find it.
        let templates = [
            "/program/test.cpp",
            "-Wl,--no-as-needed",
            "/aixgrade/libaixgrade-templates.so",
            "-Wl,-rpath,/program:/aixgrade",
        ];
        let arguments = [&BODY_COMPILER[..], self.linker, &templates, link, task_libraries(task)].concat();
        let seen = [&self.build[..], more].concat();
        let build = || native::build(context, &arguments, &seen, &[("test.cpp", text)]);
        self.task_programs.program_if_built(context, task, key, build)
    }

    /// A sample that is a body, with the program that has its task's tests. `None` if the sample must be compiled with the
    /// tests: it is not a body, or something could not be built.
    fn published_body(
        &self,
        context: &RunContext,
        task: &Task,
        program: &str,
    ) -> Result<Option<(PathBuf, tempfile::TempDir)>, EngineError> {
        let solution =
            humaneval::without_tests(CodeLang::Cpp, task, program).filter(|solution| is_body(task, solution));
        let Some(solution) = solution.filter(|_| self.has_bodies) else { return Ok(None) };
        let Some(tests) = self.tests_program(context, task)? else { return Ok(None) };
        let Built::Program(files) = self.build_body(context, task, solution)? else { return Ok(None) };
        let copy = context.temporary()?;
        fs::copy(files.path().join(native::PROGRAM), copy.path().join(native::PROGRAM))?;
        self.built_samples.put(solution, copy);
        Ok(Some((tests, files)))
    }

    /// Compiles a program with the sample and the tests, and runs it.
    fn published_whole(&self, context: &RunContext, task: &Task, program: &str) -> Result<Judged, EngineError> {
        match self.build(context, task, program, None)? {
            Built::Program(files) => {
                Ok(judged(&native::run_once(context, files, &[], &self.run.judging, Profile::Run)?.end()?))
            }
            Built::Refused(ended) => native::refused(ended, first_error),
        }
    }

    /// Compiles a sample that is a body to a shared object. As in a program, undefined names are an error.
    fn build_body(&self, context: &RunContext, task: &Task, solution: &str) -> Result<Built, EngineError> {
        let mut arguments =
            vec!["/usr/bin/g++", "-std=c++11", "-include", "/cpp/bodies.h", "-fPIC", "-shared", "-pipe"];
        arguments.extend(self.linker);
        arguments.extend([
            "-Wl,-z,defs",
            "-Wl,-soname,libsample.so",
            "/program/test.cpp",
            "/aixgrade/libaixgrade-templates.so",
        ]);
        arguments.extend(task_libraries(task));
        native::build(context, &arguments, &self.build, &[("test.cpp", solution)])
    }

    /// Starts a program of [`Self::program_for_samples`] with a sample's shared object, which is in the folder `files`.
    fn run_with_sample(
        &self,
        context: &RunContext,
        program: &Path,
        files: &Path,
        arguments: &[&str],
        libraries: &[(PathBuf, String)],
    ) -> Result<Running, EngineError> {
        let mut seen = libraries.to_vec();
        seen.push((files.join(native::PROGRAM), format!("/program/{SAMPLE_LIBRARY}")));
        native::run(context, program, arguments, &seen, Profile::Run)
    }
}

/// The libraries that the published command adds for a task.
fn task_libraries(task: &Task) -> &'static [&'static str] {
    if task.task_id.contains("162") { &["-lcrypto", "-lssl"] } else { &[] }
}

fn judged(ended: &Ended) -> Judged {
    native::judged(ended, |printed| {
        let asserted = printed.contains("Assertion `");
        (if asserted { Verdict::Failed } else { Verdict::Crashed }, last_line(printed))
    })
}

/// The published command, with the helper headers precompiled.
const COMPILER: [&str; 5] = ["/usr/bin/g++", "-std=c++11", "-include", "/cpp/helpers.h", "-pipe"];

/// The published command for position-independent code, with the header for bodies precompiled.
const BODY_COMPILER: [&str; 6] = ["/usr/bin/g++", "-std=c++11", "-include", "/cpp/bodies.h", "-fPIC", "-pipe"];

impl Toolchain for Cpp {
    fn lang(&self) -> CodeLang {
        CodeLang::Cpp
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
        if let Some((tests, files)) = self.published_body(context, task, program)? {
            return Ok(PublishedProgram::ready(move || {
                let running = self.run_with_sample(context, &tests, files.path(), &[], &self.run.judging)?;
                let ended = running.end()?;
                // The loader did not find a name, for example because the sample does not define the function that the
                // tests call.
                if ended.report.code == Some(127) && ended.printed.contains("symbol lookup error") {
                    return self.published_whole(context, task, program);
                }
                Ok(judged(&ended))
            }));
        }
        Ok(PublishedProgram::ready(move || self.published_whole(context, task, program)))
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        if let Some(files) = self.built_samples.take(solution)
            && let Some(caller) = self.solver_program(context, task)?
        {
            let running = self.run_with_sample(context, &caller, files.path(), &["{control}"], &self.run.solving)?;
            return Ok(Ok(running.with_files(files)));
        }
        // Compiling the code that answers calls together with the sample takes as long as the sample itself. A body was
        // compiled before, and refused.
        let was_refused = self.has_bodies && is_body(task, solution);
        if !was_refused
            && is_apart(task, solution)
            && let Some(caller) = self.caller(context, task)?
            && let Built::Program(files) = self.build(context, task, solution, Some(&caller))?
        {
            return Ok(Ok(native::run_once(context, files, &["{control}"], &self.run.solving, Profile::Run)?));
        }
        Ok(match self.build(context, task, &solver_text(task, solution)?, None)? {
            Built::Program(files) => {
                Ok(native::run_once(context, files, &["{control}"], &self.run.solving, Profile::Run)?)
            }
            Built::Refused(ended) => Err(first_error(&ended.printed)),
        })
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        let text = judge_text(task)?;
        let program = match self.program_with_templates(context, task, &format!("judge\0{text}"), &text, &[], &[])? {
            Some(program) => program,
            None => self.task_programs.program(context, task, &text, || self.build(context, task, &text, None))?,
        };
        native::run(context, &program, &["{control}"], &self.run.judging, Profile::Run)
    }

    fn forget(&self, solution: &str) {
        self.built_samples.take(solution);
    }
}

fn signature(task: &Task) -> Result<Signature, EngineError> {
    let read = Signature::read(&task.prompt);
    read.ok_or_else(|| EngineError::Tests(format!("no function signature found in the prompt of {}", task.task_id)))
}

/// The reader and writer of values, with `boost::any` for the tasks that use it.
fn values(task: &Task) -> String {
    let any =
        if task.prompt.contains("boost/any.hpp") { "#include <boost/any.hpp>\n#define AIXGRADE_ANY\n" } else { "" };
    format!("{any}{VALUES}")
}

/// Whether a sample consists of helper headers, the task's own prompt, and the body of the task's function.
fn is_body(task: &Task, solution: &str) -> bool {
    let is_include = |line: &str| line.trim().is_empty() || CPP_INCLUDES.contains(&line);
    let parts = solution.split_once(&task.prompt).filter(|_| !task.prompt.is_empty());
    parts.is_some_and(|(before, after)| before.lines().all(is_include) && body::is_body(after))
}

/// Whether the code that answers calls can be compiled apart from a sample: the sample's function has the task's own
/// signature, and nothing in the sample could change the meaning of the text after it.
fn is_apart(task: &Task, solution: &str) -> bool {
    let behind = solution.split_once(&task.prompt).map(|(_, behind)| behind);
    behind.is_some_and(|behind| {
        !["#", "%:", "??", "main", "aixgrade", "_Pragma"].iter().any(|word| behind.contains(word))
    })
}

/// The program that answers calls, for a function that is linked to it.
fn caller_text(task: &Task) -> Result<String, EngineError> {
    let Signature { result, name, parameters } = signature(task)?;
    let includes: String = task
        .prompt
        .lines()
        .filter(|line| line.trim_start().starts_with("#include"))
        .map(|line| format!("{line}\n"))
        .collect();
    let kinds: Vec<&str> = parameters.iter().map(|(kind, _)| kind.as_str()).collect();
    let declaration = format!("{includes}using namespace std;\n{result} {name}({});\n", kinds.join(", "));
    solver_text(task, &declaration)
}

/// The sample, followed by a program that answers calls.
fn solver_text(task: &Task, solution: &str) -> Result<String, EngineError> {
    let Signature { name, parameters, .. } = signature(task)?;
    let declared: String = parameters
        .iter()
        .enumerate()
        .map(|(at, (kind, _))| {
            format!(
                "        std::decay<{kind}>::type a{at} = std::decay<{kind}>::type();\n        aixgrade::get(a{at});\n"
            )
        })
        .collect();
    let given: Vec<String> = (0..parameters.len()).map(|at| format!("a{at}")).collect();
    Ok(format!(
        "{solution}\n{}
int main(int, char** arguments) {{
    aixgrade::descriptor = std::atoi(arguments[1]);
    for (;;) {{
        aixgrade::receive();
{declared}        auto answer = {name}({});
        aixgrade::out.clear();
        aixgrade::forget();
        aixgrade::put(answer);
        aixgrade::send_answer();
    }}
}}
",
        values(task),
        given.join(", ")
    ))
}

/// The prompt, with a function that calls the solver, and the tests.
fn judge_text(task: &Task) -> Result<String, EngineError> {
    let Signature { result, parameters, .. } = signature(task)?;
    let given: Vec<&str> = parameters.iter().map(|(_, name)| name.as_str()).collect();
    let body = format!("\n    return aixgrade::call<{result}>({});\n}}\n", given.join(", "));
    let empty = humaneval::solution(CodeLang::Cpp, task, None, &body);
    Ok(format!("{}{JUDGE}{empty}{}", values(task), task.test))
}

fn first_error(printed: &str) -> String {
    let error = printed.lines().find(|line| line.contains("error:") || line.contains("undefined reference"));
    error.or_else(|| printed.lines().next()).unwrap_or_default().chars().take(300).collect()
}

fn last_line(printed: &str) -> String {
    printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(300).collect()
}
