//! What the preparation needs of the benchmark's data files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, at};

/// A task of a data file.
#[derive(Debug, Deserialize)]
pub struct Task {
    pub namespace: String,
    pub project_path: String,
    #[serde(default)]
    pub code: String,
    /// The text around the function; at level 2 a class or a file, at level 3 a file.
    #[serde(default, alias = "intra_context")]
    pub context: String,
    #[serde(default)]
    requirements: BTreeMap<String, Requirement>,
}

#[derive(Debug, Deserialize)]
struct Requirement {
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    unit_test: Value,
}

/// A test of an instruction.
#[derive(Debug)]
pub struct Test<'t> {
    pub kind: &'t str,
    pub id: &'t str,
    pub text: String,
}

impl Task {
    /// The tests of the instructions.
    pub fn tests(&self) -> impl Iterator<Item = Test<'_>> {
        self.requirements.iter().filter_map(|(kind, requirement)| {
            let text = match &requirement.unit_test {
                Value::String(text) => text.clone(),
                Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
                _ => return None,
            };
            Some(Test { kind, id: requirement.test.as_deref()?, text })
        })
    }

    /// The file around the function, with the function in its place.
    pub fn file(&self) -> Option<String> {
        let name = self.namespace.rsplit('.').next()?;
        let mark = format!("###The function: {name}###\n");
        let (before, after) = self.context.split_once(&mark)?;
        Some(format!("{before}{}{after}", self.code))
    }
}

/// The folders of a checkout that have data files of repository level.
const FOLDERS: [&str; 3] = ["", "repo", "data"];

/// Reads the tasks of repository level, each once.
pub fn read(checkout: &Path) -> Result<Vec<Task>, Error> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut known = BTreeSet::new();
    for file in FOLDERS.iter().flat_map(|folder| data_files(&checkout.join(folder))) {
        let text = fs::read_to_string(&file).map_err(at(&file))?;
        let read = text.lines().filter_map(|line| serde_json::from_str::<Task>(line).ok());
        tasks.extend(read.filter(|task| known.insert(task.namespace.clone())));
    }
    if tasks.is_empty() {
        return Err(Error(format!(
            "{} has no tasks of CodeIF-Bench at repository level. Name a checkout of the benchmark, which has \
             repo/L_1_part_2.jsonl, with --benchmark",
            checkout.display()
        )));
    }
    Ok(tasks)
}

fn data_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file()).collect();
    files.sort();
    files
}
