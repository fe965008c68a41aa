//! Fetches a commit with the operator's git.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolchains::run_with;

use crate::{Error, at, recipe::Commit};

/// Nobody can answer a question, hooks and filters of the machine do not run, and files get the content that the
/// commit has.
const SETTINGS: [(&str, &str); 1] = [("GIT_TERMINAL_PROMPT", "0")];
const OPTIONS: [&str; 12] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.autocrlf=false",
    "-c",
    "filter.lfs.smudge=",
    "-c",
    "filter.lfs.process=",
    "-c",
    "filter.lfs.required=false",
    "-c",
    "advice.detachedHead=false",
];

/// Fills a folder with the files of a commit. The repository is `base/OWNER/NAME`, where `base` is an address or a
/// folder; git verifies that the commit has its name.
pub(crate) fn fetch(base: &str, commit: &Commit, place: &Path) -> Result<(), Error> {
    let clone = place.with_extension("git");
    if clone.exists() {
        fs::remove_dir_all(&clone).map_err(at(&clone))?;
    }
    let fetched = checkout(base, commit, &clone, place);
    if clone.exists() {
        fs::remove_dir_all(&clone).map_err(at(&clone))?;
    }
    fetched
}

fn checkout(base: &str, commit: &Commit, clone: &Path, place: &Path) -> Result<(), Error> {
    let Commit { repository, commit, leave_out } = commit;
    let shown = clone.to_string_lossy();
    match local(base, repository) {
        Some(local) => {
            // Its objects are used where they are.
            let local = local.canonicalize().map_err(at(&local))?;
            let local = local.to_string_lossy();
            git(Path::new("/"), &["clone", "--quiet", "--shared", "--no-checkout", "--", &local, &shown])?;
        }
        None => {
            let address = format!("{}/{repository}", base.trim_end_matches('/'));
            git(Path::new("/"), &["init", "--quiet", "--", &shown])?;
            git(clone, &["fetch", "--quiet", "--depth", "1", "--no-tags", "--", &address, commit])?;
        }
    }
    let found = git(clone, &["rev-parse", "--verify", &format!("{commit}^{{commit}}")])?;
    if found.trim() != commit {
        return Err(Error(format!("{repository} has no commit {commit}")));
    }
    git(clone, &["read-tree", commit])?;
    if !leave_out.is_empty() {
        let mut arguments = vec!["update-index", "--force-remove", "--"];
        arguments.extend(leave_out.iter().map(String::as_str));
        git(clone, &arguments)?;
    }
    git(clone, &["checkout-index", "--all", "--force", &format!("--prefix={}/", place.to_string_lossy())])?;
    Ok(())
}

/// The repository below a folder.
fn local(base: &str, repository: &str) -> Option<PathBuf> {
    let base = Path::new(base);
    let names = [base.join(repository), base.join(format!("{repository}.git"))];
    names.into_iter().find(|folder| folder.is_dir())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, Error> {
    let arguments: Vec<&str> = OPTIONS.iter().chain(arguments).copied().collect();
    run_with(folder, &SETTINGS, "git", &arguments)
}
