//! Our engine: a data folder with submissions, and `aixgrade run` over them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::languages::Benchmark;
use crate::{
    toolchains, tools,
    usage::{self, Used},
};

/// Folder of the published classes in a checkout.
pub const PACKAGED: &str = "src/main/java/com/aixcode/autoTest/generate/aixcoder";

/// Their name before the task's number.
pub const PACKAGED_PREFIX: &str = "AixcoderOld";

/// A data folder with submissions to run.
pub struct Ours {
    /// The program measured.
    pub binary: PathBuf,
    /// Deleted when this value is dropped.
    folder: TempDir,
    /// The dataset that outputs are uploaded for.
    dataset: &'static str,
    /// The submissions.
    pub submissions: Vec<Submission>,
    /// The folder with what other languages than Java need.
    toolchains: Option<PathBuf>,
    /// A submission so long that the start does not matter, if the others are short.
    pub long: Option<Submission>,
}

/// A submission in the data folder.
pub struct Submission {
    /// Description of its content.
    pub what: String,
    number: String,
    /// The short name of its dataset.
    dataset: &'static str,
}

/// An output: its task and its sample.
pub type Named = (String, u64);

/// Result of an output: verdict, cases passed, cases in total.
pub type OutputResult = (String, u64, u64);

/// Resource usage of a run.
pub struct Ran {
    /// From the program's start to its end.
    pub wall: Duration,
    /// CPU time including the sandboxes.
    pub cpu: Duration,
    /// Number of outputs with a verdict.
    pub outputs: usize,
}

impl Ran {
    /// Outputs per second.
    pub fn per_second(&self) -> f64 {
        self.outputs as f64 / self.wall.as_secs_f64()
    }

    /// Outputs per second of CPU time.
    pub fn per_core_second(&self) -> f64 {
        self.outputs as f64 / self.cpu.as_secs_f64()
    }
}

impl Ours {
    /// Imports the dataset and the submissions, then runs each once: the first run creates the Java images
    /// and compiles the tests, which happens once per data folder.
    pub fn prepare(binary: &Path, checkout: Option<&Path>) -> Result<Ours> {
        let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
        let dataset = if checkout.is_some() { "aixbench-auto" } else { "starter" };
        let mut ours = Ours {
            binary: binary.to_path_buf(),
            folder,
            dataset,
            submissions: Vec::new(),
            toolchains: None,
            long: None,
        };
        tools::say_aside("Preparing a data folder");
        match checkout {
            Some(checkout) => {
                ours.quietly(&["import", "aixbench", &checkout.to_string_lossy()])?;
                let packaged = packaged(checkout)?;
                let taken = ours.take("the packaged classes", &packaged)?;
                ours.submissions.push(taken);
                let published = checkout.join("src/main/resources/prediction.jsonl");
                let outputs = lines(&fs::read_to_string(&published).context("the checkout has no prediction.jsonl")?)?;
                let taken = ours.take("prediction.jsonl", &outputs)?;
                ours.submissions.push(taken);
                let thrice: Vec<Value> = packaged.iter().flat_map(|line| samples(line, "code", 3)).collect();
                ours.long = Some(ours.take("the packaged classes, three times", &thrice)?);
            }
            None => {
                let starter = tools::root().join("datasets/starter");
                ours.quietly(&["import", "dataset", &starter.to_string_lossy()])?;
                let taken = ours.take("the starter's reference solutions, eight times", &references(&starter)?)?;
                ours.submissions.push(taken);
            }
        }
        for submission in &ours.submissions {
            ours.run(submission, &[])?;
        }
        Ok(ours)
    }

    /// A data folder with the engine's own fixtures, each a task with one output, strict and fast.
    pub fn fixtures(binary: &Path) -> Result<Ours> {
        const PACKAGE: &str = "aixgrade.fixture";
        let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
        let fixtures = tools::root().join("java-harness/fixtures");
        let dataset = folder.path().join("fixtures");
        fs::create_dir_all(dataset.join("tests"))?;
        for entry in fs::read_dir(fixtures.join("tests"))? {
            let entry = entry?;
            fs::copy(entry.path(), dataset.join("tests").join(entry.file_name()))?;
        }
        let (mut tasks, mut outputs) = (String::new(), Vec::new());
        for entry in fs::read_dir(fixtures.join("outputs"))? {
            let file = entry?.path();
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let code = fs::read_to_string(&file)?;
            let named = code.lines().find_map(|line| line.strip_prefix("// test: "));
            let tests = named.and_then(|class| class.rsplit('.').next()).unwrap_or("SumTest");
            let signature = "public int sum(int[] numbers)";
            let task = json!({
                "task_id": name, "raw_nl": "A fixture.", "signature": signature, "checks": ["tests"], "tests": tests,
            });
            tasks.push_str(&format!("{task}\n"));
            outputs.push(json!({ "task_id": name, "completion": format!("```java\n{code}\n```") }));
        }
        let header = json!({ "format": 1, "slug": "fixtures", "name": { "en": "Fixtures" }, "tests_package": PACKAGE });
        fs::write(dataset.join("dataset.json"), header.to_string())?;
        fs::write(dataset.join("tasks.jsonl"), tasks)?;
        let binary = binary.to_path_buf();
        let mut ours =
            Ours { binary, folder, dataset: "fixtures", submissions: Vec::new(), toolchains: None, long: None };
        ours.quietly(&["import", "dataset", &dataset.to_string_lossy()])?;
        let taken = ours.take("the engine's fixtures", &outputs)?;
        ours.submissions.push(taken);
        Ok(ours)
    }

    /// A data folder for languages of HumanEval-X.
    pub fn languages(binary: &Path) -> Result<Ours> {
        let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
        let (binary, toolchains) = (binary.to_path_buf(), Some(toolchains::prepared()));
        Ok(Ours { binary, folder, dataset: "", submissions: Vec::new(), toolchains, long: None })
    }

    /// Adds a language and its canonical solutions: once, to prepare what is made once, and several times, each with a
    /// comment of its own. Only the latter become a submission in the list.
    pub fn add_language(&mut self, file: &Path, language: &'static Benchmark) -> Result<()> {
        self.dataset = language.dataset;
        self.quietly(&["import", "humaneval-x", &file.to_string_lossy()])?;
        let outputs = |count: usize| -> Result<Vec<Value>> {
            let mut outputs = Vec::new();
            for task in language.tasks(file)? {
                let solution = task["canonical_solution"].as_str().unwrap_or_default();
                outputs.extend((0..count).map(|copy| {
                    let generation = format!("{solution}{}{copy}\n", language.comment);
                    json!({ "task_id": task["task_id"], "generation": generation })
                }));
            }
            Ok(outputs)
        };
        let once = self.take("the canonical solutions", &outputs(1)?)?;
        self.run(&once, &[])?;
        let taken = self.take("the canonical solutions, several times", &outputs(language.copies)?)?;
        self.submissions.push(taken);
        Ok(())
    }

    /// The fastest of several runs: other load only makes a run slower.
    pub fn best_of(&self, times: usize, submission: &Submission, options: &[&str]) -> Result<Ran> {
        tools::say_aside(format!("Running {} {}", submission.what, options.join(" ")));
        let mut runs = (0..times.max(1)).map(|_| self.run(submission, options)).collect::<Result<Vec<_>>>()?;
        runs.sort_by_key(|ran| ran.wall);
        Ok(runs.swap_remove(0))
    }

    /// Runs everything without the cache. Returns the result of each task's sample (verdict, passed, total),
    /// `None` for an engine error.
    pub fn verdicts(&self, submission: &Submission, options: &[&str]) -> Result<Vec<(Named, Option<OutputResult>)>> {
        let mut command = self.run_command(submission, &[&["--fresh"][..], options].concat());
        let output = command.stdin(std::process::Stdio::null()).output()?;
        // Exit code 1 means that an output has no verdict, which the lines show, too.
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let all = lines(&stdout)?;
        let items: Vec<_> = all.iter().filter(|line| line.get("task_id").is_some()).collect();
        if items.is_empty() {
            bail!("the run over {} said nothing: {}", submission.what, String::from_utf8_lossy(&output.stderr).trim());
        }
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let told = |line: &Value| {
            let output = (line["task_id"].as_str().unwrap_or_default().to_owned(), number(&line["sample"]));
            let verdict = line["verdict"].as_str().map(str::to_owned);
            (output, verdict.map(|verdict| (verdict, number(&line["passed"]), number(&line["total"]))))
        };
        Ok(items.into_iter().map(told).collect())
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// `aixgrade run` over a submission.
    pub fn run_command(&self, submission: &Submission, options: &[&str]) -> Command {
        let mut command = self.command(&["--json", "run", "--dataset", submission.dataset]);
        command.args(["--submission", &submission.number]).args(options);
        command
    }

    fn run(&self, submission: &Submission, options: &[&str]) -> Result<Ran> {
        let mut command = self.run_command(submission, options);
        let Used { wall, cpu, stdout } = usage::measure(&mut command)?;
        // A line per output, and the figures.
        let outputs = lines(&stdout)?.iter().filter(|line| line["verdict"].is_string()).count();
        if outputs == 0 {
            bail!("the run over {} gave no verdict", submission.what);
        }
        Ok(Ran { wall, cpu, outputs })
    }

    fn take(&self, what: &str, outputs: &[Value]) -> Result<Submission> {
        let file = self.folder.path().join("outputs.jsonl");
        let text: String = outputs.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&file, text)?;
        let stdout = self.quietly(&[
            "--json",
            "submissions",
            "upload",
            "--dataset",
            self.dataset,
            "--model",
            what,
            &file.to_string_lossy(),
        ])?;
        let taken: Value = serde_json::from_str(stdout.trim())?;
        let number = taken["submission"].as_i64().context("the upload was not imported")?.to_string();
        let preview = &taken["preview"];
        let kept = preview["matched"].as_u64().zip(preview["duplicate_count"].as_u64());
        let kept = kept.and_then(|(matched, repeated)| matched.checked_sub(repeated));
        if kept != u64::try_from(outputs.len()).ok() {
            bail!("of {} outputs of {what} {kept:?} were imported", outputs.len());
        }
        Ok(Submission { what: what.to_owned(), number, dataset: self.dataset })
    }

    fn quietly(&self, args: &[&str]) -> Result<String> {
        tools::run_quietly(&mut self.command(args))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = tools::command(&self.binary);
        command.arg("--data").arg(self.data()).args(args);
        command.envs(self.environment());
        command
    }

    /// The environment variables of the program measured.
    pub fn environment(&self) -> Option<(&'static str, &Path)> {
        self.toolchains.as_deref().map(|folder| (toolchains::VARIABLE, folder))
    }
}

/// The numbers of the tasks that have tests.
pub fn tasks(checkout: &Path) -> Result<Vec<String>> {
    Ok(task_lines(checkout)?.iter().map(|task| task["task_id"].to_string()).collect())
}

fn task_lines(checkout: &Path) -> Result<Vec<Value>> {
    let tasks = fs::read_to_string(checkout.join("src/main/resources/dataset_autotest_nl.jsonl"))
        .context("the checkout has no dataset_autotest_nl.jsonl")?;
    lines(&tasks)
}

/// The packaged classes as outputs.
fn packaged(checkout: &Path) -> Result<Vec<Value>> {
    task_lines(checkout)?
        .iter()
        .map(|task| {
            let id = task["task_id"].as_i64().context("a task without a number")?;
            let file = checkout.join(PACKAGED).join(format!("{PACKAGED_PREFIX}{id}.java"));
            let code = fs::read_to_string(&file).with_context(|| format!("{} not found", file.display()))?;
            Ok(json!({ "task_id": id, "raw_nl": task["raw_nl"], "code": code }))
        })
        .collect()
}

/// The starter's reference solutions as outputs, several samples a task.
fn references(starter: &Path) -> Result<Vec<Value>> {
    let mut outputs = Vec::new();
    for entry in fs::read_dir(starter.join("reference"))? {
        let file = entry?.path();
        let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let code = fs::read_to_string(&file)?;
        outputs.extend(samples(&json!({ "task_id": id, "completion": code }), "completion", 8));
    }
    Ok(outputs)
}

/// Several copies of an output, each with a different comment in the code, because identical lines are one
/// output.
fn samples<'a>(line: &'a Value, code: &'a str, count: usize) -> impl Iterator<Item = Value> + 'a {
    (0..count).map(move |sample| {
        let mut line = line.clone();
        line[code] = format!("{}\n// {sample}\n", line[code].as_str().unwrap_or_default()).into();
        line
    })
}

fn lines(text: &str) -> Result<Vec<Value>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
}
