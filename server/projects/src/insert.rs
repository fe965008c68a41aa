//! Inserts the tests of instructions into a project's files, as the authors' archive has them: the text of the
//! instruction's test, under the name that its ID has.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;
use toolchains::run_with;

use crate::{Error, benchmark, sources};

const SCRIPT: &str = include_str!("insert.py");

#[derive(Serialize)]
struct Order<'t> {
    file: PathBuf,
    scopes: Vec<&'t str>,
    name: &'t str,
    text: &'t str,
}

/// Inserts the tests of tasks that the files do not have. Returns the instructions whose tests they do not have then,
/// with the reason.
pub(crate) fn tests(python: &Path, place: &Path, tasks: &[&benchmark::Task]) -> Result<Vec<String>, Error> {
    let tests: Vec<_> = tasks.iter().flat_map(|task| task.tests().map(|test| (&*task.namespace, test))).collect();
    let (mut left_out, mut orders, mut of) = (Vec::new(), Vec::new(), Vec::new());
    // Each ID belongs to the first task that has it.
    let mut owners = BTreeMap::new();
    for (namespace, test) in &tests {
        let what = format!("{namespace}, {}", test.kind);
        if *owners.entry(test.id).or_insert(*namespace) != *namespace {
            left_out.push(format!("{what}: the test ID {} is also that of another task", test.id));
            continue;
        }
        let mut parts = test.id.split("::");
        let file = parts.next().and_then(|file| sources::inside(place, Path::new(file)).ok());
        let mut scopes: Vec<&str> = parts.collect();
        match (file.filter(|file| file.is_file()), scopes.pop()) {
            (Some(file), Some(name)) => {
                orders.push(Order { file, scopes, name, text: &test.text });
                of.push(what);
            }
            _ => left_out.push(format!("{what}: the test ID {} names no file of the project", test.id)),
        }
    }
    // One order at a time: the texts together can be longer than an argument may be.
    for (order, what) in orders.iter().zip(of) {
        let order = serde_json::to_string(&[order]).map_err(|e| Error(e.to_string()))?;
        let said = run_with(place, &[], python, &["-I", "-S", "-c", SCRIPT, &order])?;
        let answers: Vec<Option<String>> =
            serde_json::from_str(&said).map_err(|e| Error(format!("the test of {what} was not inserted: {e}")))?;
        left_out.extend(answers.into_iter().flatten().map(|why| format!("{what}: {why}")));
    }
    Ok(left_out)
}
