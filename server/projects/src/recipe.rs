//! The recipe: where the projects come from.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use benchmarks::place::{Code, Place};
use serde::{Deserialize, Serialize};

use crate::{Error, Lines, sha256};

/// Projects and their environments.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub(crate) environments: BTreeMap<String, Environment>,
    pub(crate) projects: BTreeMap<String, Project>,
}

/// A virtual environment, which several projects can share.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Environment {
    /// The version of Python, such as `3.9`.
    pub python: String,
    /// `NAME==VERSION SHA256`, for Linux on x86-64.
    pub wheels: Vec<String>,
    /// Packages in plain Python of which there is no wheel.
    #[serde(default)]
    pub sdists: Vec<Modules>,
}

/// Modules in the release of a package.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modules {
    #[serde(flatten)]
    pub release: Release,
    /// Files and folders at the top of the release.
    pub take: Vec<PathBuf>,
}

/// The source release of a package.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Release {
    /// `NAME==VERSION`.
    pub package: String,
    pub sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    pub environment: String,
    /// A release that has the project's tests.
    #[serde(default)]
    pub sdist: Option<Release>,
    #[serde(default)]
    pub git: Option<Commit>,
    /// Why there is neither.
    #[serde(default)]
    pub missing: Option<String>,
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The SHA-256 of files after the changes: those of the tasks, and those with the tests of base prompts.
    #[serde(default)]
    pub files: BTreeMap<PathBuf, String>,
    pub tasks: Vec<Task>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Commit {
    /// `OWNER/NAME`.
    pub repository: String,
    pub commit: String,
    /// Large files that no test needs.
    #[serde(default)]
    pub leave_out: Vec<String>,
}

/// A change to a file of the sources, after which it is the file from which the authors made their tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    pub file: PathBuf,
    /// The task whose context in the benchmark's files is the whole file, with its code in the function's place.
    #[serde(default)]
    pub whole: Option<String>,
    /// Blank lines to insert: before which line, from 1, and how many.
    #[serde(default)]
    pub blank: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    namespace: String,
    file: String,
    first: u32,
    last: u32,
    code: Code,
}

/// The recipe that is part of the program.
///
/// # Panics
/// Never: a test reads it.
pub fn recipe() -> &'static Recipe {
    static RECIPE: LazyLock<Recipe> =
        LazyLock::new(|| serde_json::from_str(include_str!("../recipe.json")).unwrap_or_default());
    &RECIPE
}

impl Recipe {
    /// The lines and codes of all tasks.
    pub fn tasks(&self) -> Vec<Lines> {
        self.projects.keys().flat_map(|name| self.tasks_of(name)).collect()
    }

    pub(crate) fn tasks_of(&self, name: &str) -> Vec<Lines> {
        let lines = |task: &Task| {
            let place = Place {
                project: name.to_owned(),
                file: task.file.clone(),
                first_line: task.first,
                last_line: task.last,
                indent: 0,
            };
            (place, task.code.clone())
        };
        self.projects.get(name).into_iter().flat_map(|project| &project.tasks).map(lines).collect()
    }

    /// A hash of all that decides about a project's files.
    pub(crate) fn fingerprint(&self, name: &str) -> String {
        /// Increase when files are made differently from the same recipe.
        const GENERATION: u32 = 1;
        let project = serde_json::to_string(&self.projects.get(name)).unwrap_or_default();
        sha256(format!("{GENERATION} {name} {project}").as_bytes())
    }
}

impl Project {
    /// Checks the recorded hashes.
    pub(crate) fn verify(&self, folder: &Path) -> Result<(), Error> {
        for (file, expected) in &self.files {
            let found = std::fs::read(folder.join(file)).map(|bytes| sha256(&bytes));
            let found = found.map_err(|e| Error(format!("{} cannot be read: {e}", file.display())))?;
            if found != *expected {
                return Err(Error(format!(
                    "{} has the SHA-256 {found} and not {expected}: the source is not the recorded one. Use another \
                     source, or name a folder with the project with --from",
                    file.display()
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_is_complete() {
        // Read here, because `recipe` hides an error.
        let recipe: Recipe = serde_json::from_str(include_str!("../recipe.json")).unwrap();
        assert_eq!((recipe.projects.len(), recipe.tasks().len()), (42, 74));
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        for (name, environment) in &recipe.environments {
            for wheel in &environment.wheels {
                let (package, hash) = wheel.split_once(' ').unwrap();
                assert!(package.contains("==") && is_hash(hash), "{name}: {wheel}");
            }
            assert!(environment.sdists.iter().all(|sdist| is_hash(&sdist.release.sha256) && !sdist.take.is_empty()));
            assert!(environment.wheels.iter().any(|wheel| wheel.starts_with("pytest==7.4.0 ")), "{name}");
        }
        for (name, project) in &recipe.projects {
            assert!(recipe.environments.contains_key(&project.environment), "{name}");
            let has_source = project.sdist.is_some() || project.git.is_some();
            assert_eq!(has_source, project.missing.is_none(), "{name}");
            assert!(project.sdist.iter().all(|release| is_hash(&release.sha256)), "{name}");
            assert!(project.git.iter().all(|git| git.commit.len() == 40), "{name}");
            assert!(project.files.values().all(|hash| is_hash(hash)), "{name}");
            let known = |task: &Task| project.files.contains_key(Path::new(&task.file)) || !has_source;
            assert!(!project.tasks.is_empty() && project.tasks.iter().all(known), "{name}");
            assert!(project.changes.iter().all(|change| change.whole.is_some() == change.blank.is_empty()), "{name}");
        }
    }

    #[test]
    fn another_recipe_has_another_fingerprint() {
        let recipe = recipe();
        let mut other = recipe.clone();
        let name = "Utilities/pytube";
        assert_eq!(recipe.fingerprint(name), other.fingerprint(name));
        other.projects.get_mut(name).unwrap().changes.push(Change {
            file: "f".into(),
            whole: None,
            blank: vec![(1, 1)],
        });
        assert_ne!(recipe.fingerprint(name), other.fingerprint(name));
    }
}
