//! `cargo xtask bench engine --languages`: the canonical solutions of HumanEval-X, compared with the published
//! evaluator's way, which starts each program's tools and processes afresh.
//!
//! The published way runs inside one bubblewrap for all its programs, which protects the machine and is not part of
//! its figures; ours has a sandbox for each process, and two verdicts.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use serde_json::Value;

use super::{memory, ours::Ours, people};
use crate::{Report, Target, toolchains, tools, usage};

/// A language of the benchmark.
pub struct Benchmark {
    /// In the names of files and on the command line.
    name: &'static str,
    /// The dataset's short name.
    pub dataset: &'static str,
    /// Begins a comment line, which changes nothing after a solution.
    pub comment: &'static str,
    /// The file that a program is written to.
    file: &'static str,
    /// Builds and runs `$file` in `$folder`; ends without an error if the program passes.
    script: &'static str,
    /// How often each solution is run, so that the start of the command weighs little.
    pub copies: usize,
    /// CPU time per sample asked for, in milliseconds, and samples per second.
    asked: (f64, f64),
}

const LANGUAGES: [Benchmark; 5] = [
    Benchmark {
        name: "python",
        dataset: "humaneval-x-python",
        comment: "    # ",
        file: "test.py",
        script: "LD_LIBRARY_PATH=$tool/lib PYTHONPATH=$tool/python/site $tool/python/bin/python3 $folder/$file",
        copies: 6,
        asked: (12.0, 120.0),
    },
    Benchmark {
        name: "js",
        dataset: "humaneval-x-js",
        comment: "// ",
        file: "test.js",
        script: "test -z \"$(NODE_PATH=$tool/node/modules $tool/node/bin/node $folder/$file 2>&1)\"",
        copies: 6,
        asked: (40.0, 40.0),
    },
    Benchmark {
        name: "go",
        dataset: "humaneval-x-go",
        comment: "// ",
        file: "main_test.go",
        script: "cp $folder/$file module/ && (cd module && go test -timeout=60s $file)",
        copies: 2,
        asked: (60.0, 30.0),
    },
    Benchmark {
        name: "cpp",
        dataset: "humaneval-x-cpp",
        comment: "// ",
        file: "test.cpp",
        script: "g++ -std=c++11 $folder/$file -lcrypto -lssl && ./a.out",
        copies: 2,
        asked: (130.0, 14.0),
    },
    Benchmark {
        name: "java",
        dataset: "humaneval-x-java",
        comment: "// ",
        file: "Main.java",
        script: "javac -d classes $folder/$file && java -cp classes Main",
        copies: 2,
        asked: (75.0, 27.0),
    },
];

/// Runs each program once uncounted where the tools keep something (Go's cache), then prints what people::measure
/// prints.
const SCRIPT: &str = r#"cd /work
export HOME=/work GOCACHE=/work/cache GOFLAGS=-mod=vendor GOPROXY=off GOTOOLCHAIN=local GO111MODULE=on CGO_ENABLED=0
if [ -d /module ]; then cp -r /module module; fi
one() { SCRIPT_HERE; }
if [ -d module ]; then folder=/programs/0; one > /dev/null 2>&1; fi
passed=0
times > before
for folder in /programs/*; do
    if one > log 2>&1; then passed=$((passed + 1)); fi
done
times > after
tail -n 1 before
tail -n 1 after
echo $passed
"#;

impl Benchmark {
    /// The tasks of its file.
    pub fn tasks(&self, file: &Path) -> Result<Vec<Value>> {
        let mut text = String::new();
        let packed = fs::File::open(file).with_context(|| format!("there is no {}", file.display()))?;
        GzDecoder::new(packed).read_to_string(&mut text)?;
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// A task's program with its canonical solution, as the published evaluator assembles it.
    fn program(&self, task: &Value) -> String {
        let field = |name: &str| task[name].as_str().unwrap_or_default().to_owned();
        let (prompt, solution, test) = (field("prompt"), field("canonical_solution"), field("test"));
        match self.name {
            "python" => format!(
                "import math, re, sys, copy, datetime, itertools, collections, heapq, statistics\n\
                import functools, hashlib, numpy, string\nimport numpy as np\nfrom typing import *\n\
                from collections import *\n{prompt}{solution}\n{test}\n"
            ),
            "cpp" => {
                let headers = [
                    "stdlib.h",
                    "algorithm",
                    "math.h",
                    "stdio.h",
                    "vector",
                    "string",
                    "climits",
                    "cstring",
                    "iostream",
                ];
                let includes: String = headers.iter().map(|header| format!("#include<{header}>\n")).collect();
                format!("{includes}\n{prompt}{solution}\n{test}")
            }
            "go" => {
                let setup = field("test_setup");
                let packages =
                    ["math", "strings", "fmt", "strconv", "time", "bytes", "regexp", "sort", "math/rand", "crypto/md5"];
                let used = packages.iter().filter(|package| {
                    let name = package.rsplit('/').next().unwrap_or(package);
                    !setup.contains(**package) && solution.contains(&format!("{name}."))
                });
                let imports: String = used.map(|package| format!("import \"{package}\"\n")).collect();
                format!("{setup}\n{imports}{}{solution}\n{test}", prompt.replace(&field("import"), ""))
            }
            _ => format!("{prompt}{solution}\n{test}"),
        }
    }
}

/// Measures these languages, or all.
pub fn run(binary: &Path, wanted: &[String], each: usize, best_of: usize) -> Result<Report> {
    if let Some(unknown) = wanted.iter().find(|name| LANGUAGES.iter().all(|language| language.name != **name)) {
        bail!("there is no language `{unknown}`");
    }
    let data = data()?;
    let folder = toolchains::prepared();
    let mut report = Report::new("languages");
    let mut ours = Ours::languages(binary)?;
    for language in LANGUAGES.iter().filter(|one| wanted.is_empty() || wanted.iter().any(|name| name == one.name)) {
        let file = data.join(format!("humaneval_{}.jsonl.gz", language.name));
        tools::say_aside(format!("Preparing {}", language.name));
        ours.add_language(&file, language)?;
        let Some(submission) = ours.submissions.last() else { continue };
        let ran = ours.best_of(best_of, submission, &["--fresh"])?;
        let cpu_ms = ran.cpu.as_secs_f64() * 1000.0 / ran.outputs as f64;
        let (asked_ms, asked_rate) = language.asked;
        let name = language.name;
        report.promised(format!("{name}, samples, both verdicts"), ran.per_second(), "/s", Target::AtLeast(asked_rate));
        report.promised(format!("{name}, a sample"), cpu_ms, "ms of CPU time", Target::AtMost(asked_ms));
        tools::say_aside(format!("Running {name} in the published way"));
        let published = published(&ours.data(), &folder, language, &file, each)?;
        report.figure(format!("{name}, a sample in the published way"), published, "ms of CPU time");
        report.figure(format!("{name}, the published way compared with ours"), published / cpu_ms, "times");
    }
    tools::say_aside("Measuring the server's memory");
    let held = memory::held(&ours, &ours.submissions)?;
    if let Some(working) = held.working {
        report.figure("memory during runs in these languages, server and sandboxes", working, "MiB");
    }
    let (joined, all) = (held.joined, ours.submissions.len());
    report.promised("memory of the idle engine after these runs", held.idle, "MiB", Target::AtMost(300.0));
    report.note(format!(
        "Memory: the sum of the proportional set sizes of a server and its processes. The command line started a run in \
         each language; the server took part in {joined} of {all}."
    ));
    report.note(format!(
        "Canonical solutions. Ours: a whole `aixgrade run`, its start, its sandbox checks and its database included, \
         the best of {best_of}; as published and guarded. The published way: {each} tasks, one process or \
         compilation after the other, one verdict, without a sandbox for each."
    ));
    Ok(report)
}

/// CPU time of a sample in milliseconds, where a few programs are run one after the other.
fn published(data: &Path, toolchains: &Path, language: &Benchmark, file: &Path, each: usize) -> Result<f64> {
    let place = people::folder()?;
    let tasks = language.tasks(file)?;
    let step = (tasks.len() / each.max(1)).max(1);
    let programs = place.path().join("programs");
    let mut count = 0;
    for task in tasks.iter().step_by(step) {
        let folder = programs.join(count.to_string());
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(language.file), language.program(task))?;
        count += 1;
    }
    fs::write(place.path().join("measure.sh"), SCRIPT.replace("SCRIPT_HERE", language.script))?;
    let mut tool = PathBuf::from("/usr");
    if let "python" | "js" = language.name {
        // The engine's own copy of the interpreter, which an ordinary user can read.
        tool = place.path().join("tool");
        let image = image(data, if language.name == "js" { "node-" } else { "python-" })?;
        tools::run_quietly(tools::command("cp").arg("-r").arg(image).arg(&tool))?;
    }
    if language.name == "go" {
        tool =
            people::which("go")?.canonicalize()?.ancestors().nth(2).context("`go` is not in a GOROOT")?.to_path_buf();
    }
    if language.name == "java" {
        tool = people::jdk()?;
    }
    let mut command = people::isolated(&tool)?;
    if let "python" | "js" = language.name {
        // The copy is below /tmp, which the programs have one of their own of.
        command.arg("--ro-bind").arg(&tool).arg("/tool");
        tool = PathBuf::from("/tool");
    }
    command.arg("--ro-bind").arg(place.path().join("programs")).arg("/programs");
    command.arg("--ro-bind").arg(place.path().join("measure.sh")).arg("/measure.sh");
    if language.name == "go" {
        let module = place.path().join("module");
        tools::run_quietly(tools::command("cp").arg("-r").arg(toolchains.join("go-module")).arg(&module))?;
        command.arg("--ro-bind").arg(&module).arg("/module");
    }
    let path = format!("{}:/usr/bin:/bin", tool.join("bin").display());
    command.args(["--clearenv", "--setenv", "PATH", &path, "--setenv", "LC_ALL", "C.UTF-8"]);
    command.args(["--setenv", "file", language.file, "--setenv", "tool"]).arg(&tool);
    command.args(["--", "sh", "/measure.sh"]);
    let stdout = usage::measure(&mut command)?.stdout;
    let lines: Vec<&str> = stdout.lines().collect();
    let [before, after, passed] = lines.as_slice() else { bail!("the published way said {stdout:?}") };
    // Two of JavaScript's canonical solutions fail as published.
    let passed: usize = passed.trim().parse()?;
    if passed + 2 < count {
        bail!("{passed} of {count} canonical solutions pass in the published way");
    }
    let used = people::children(after)?.saturating_sub(people::children(before)?);
    Ok(used.as_secs_f64() * 1000.0 / count as f64)
}

/// The engine's image whose name begins so.
fn image(data: &Path, prefix: &str) -> Result<PathBuf> {
    let mut made = fs::read_dir(data.join("engine"))?.flatten();
    let is_it = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(prefix) && !name.ends_with("-judges")
    };
    made.find(is_it).map(|entry| entry.path()).with_context(|| format!("the engine has made no {prefix} image"))
}

/// The folder with the benchmark's files.
fn data() -> Result<PathBuf> {
    let named = std::env::var_os("AIXGRADE_TEST_HUMANEVAL_X").map(PathBuf::from);
    let shared = tools::root().parent().map(|parent| parent.join("shared/data/humaneval-x"));
    named.or(shared).filter(|data| data.is_dir()).context("the published files of HumanEval-X are not here")
}
