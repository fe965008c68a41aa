//! What tests of languages share: where they run, and what of the languages' toolchains this machine has.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use benchmarks::humaneval::Task;
use engine::stop::Stop;
use lang::{Places, RunContext, Toolchain, process::Budget};
use model::code_lang::CodeLang;
use sandbox::bubblewrap::Bubblewrap;

const BUDGET: Budget = Budget { cpu_s: 10, wait_s: 5, data_mib: 512, threads: 64 };

pub fn context() -> RunContext {
    context_with(BUDGET)
}

/// For programs that use up what they get: every second of the limit is a second of the test.
#[allow(dead_code, reason = "not every test program has such programs")]
pub fn short_context() -> RunContext {
    context_with(Budget { cpu_s: 3, ..BUDGET })
}

fn context_with(budget: Budget) -> RunContext {
    let program = prerequisites::program();
    let sandbox = Arc::new(Bubblewrap::new(program).unwrap());
    let (stop, own_answers) = (Stop::default(), Arc::default());
    RunContext { sandbox, folder: folder().join("runs"), stop, budget, own_answers }
}

/// A folder that lasts from one test run to the next: images take a while to make.
pub fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lang");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The language's toolchain on this machine; without it the test is skipped by name.
pub fn toolchain(lang: CodeLang) -> Option<Arc<dyn Toolchain>> {
    let (language, places) = (lang::language(lang).unwrap(), Places::from_environment());
    prerequisites::toolchain(lang.code(), (language.look)(&places))?;
    Some((language.find)(&places, &folder()).unwrap())
}

/// The language in the names of HumanEval-X's files.
#[allow(dead_code, reason = "not every test program uses HumanEval-X")]
pub fn short(lang: CodeLang) -> &'static str {
    if lang == CodeLang::JavaScript { "js" } else { lang.code() }
}

/// The tasks of HumanEval-X in a language, by their IDs.
#[allow(dead_code, reason = "not every test program uses HumanEval-X")]
pub fn tasks(data: &Path, lang: CodeLang) -> BTreeMap<String, Task> {
    let file = fs::File::open(data.join(format!("humaneval_{}.jsonl.gz", short(lang)))).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let tasks = text.lines().map(|line| serde_json::from_str::<Task>(line).unwrap());
    tasks.map(|task| (task.task_id.clone(), task)).collect()
}
