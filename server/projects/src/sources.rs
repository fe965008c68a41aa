//! Fills a folder with a project's sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lang::{
    python::projects::copy_sources,
    repositories::{self, SOURCES},
};

use crate::{
    Error, Work, archive, at, benchmark, environments, git, insert,
    recipe::{Change, Project},
    sha256, words, write,
};

/// Fills a folder: from the operator's folders and archives, else from a release or a commit. Returns the instructions
/// whose tests the files do not have.
pub(crate) fn fill(
    work: &Work<'_>,
    name: &str,
    project: &Project,
    environment: &Path,
    place: &Path,
) -> Result<Vec<String>, Error> {
    let lines = work.recipe.tasks_of(name);
    let check = || repositories::check(place, &lines).map_err(|problem| Error(words(name, &problem)));
    if from_operator(&work.request.from, name, place)? {
        // The authors' files need no change, those of a release may.
        if check().is_err() {
            for change in &project.changes {
                apply(change, place, work)?;
            }
        }
    } else {
        fetch(work, project, environment, place)?;
        for change in &project.changes {
            apply(change, place, work)?;
        }
        project.verify(place)?;
    }
    check()?;
    let tasks: Vec<&benchmark::Task> = work.tasks_of(name).collect();
    insert::tests(&environment.join("bin/python"), place, &tasks)
}

/// Copies the project from the first folder or archive that has it.
fn from_operator(from: &[PathBuf], name: &str, place: &Path) -> Result<bool, Error> {
    for source in from {
        if source.is_dir() {
            let folders = [source.join(SOURCES).join(name), source.join(name)];
            if let Some(folder) = folders.iter().find(|folder| folder.is_dir()) {
                copy_sources(folder, place).map_err(at(folder))?;
                return Ok(true);
            }
        } else if archive::unpack(source, place, &|path| below(path, name))? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The rest of a path below `TOPIC/PROJECT`, wherever in the path that is.
fn below(path: &Path, name: &str) -> Option<PathBuf> {
    const LEFT_OUT: [&str; 3] = [".git", ".venv", "__pycache__"];
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let (topic, project) = name.split_once('/')?;
    let at = parts.windows(2).position(|pair| pair[0] == topic && pair[1] == project)?;
    let rest = parts.get(at + 2..)?;
    let is_wanted = !rest.is_empty() && rest.iter().all(|part| !LEFT_OUT.contains(&&**part));
    is_wanted.then(|| rest.iter().map(|part| &**part).collect())
}

/// Fetches a release with pip, or a commit with git.
fn fetch(work: &Work<'_>, project: &Project, environment: &Path, place: &Path) -> Result<(), Error> {
    if let Some(why) = &project.missing {
        return Err(Error(why.clone()));
    }
    let mut failed = Vec::new();
    if let Some(release) = &project.sdist {
        match environments::release(work, &environment.join("bin/python"), release, place.with_extension("release")) {
            Ok(downloaded) => {
                archive::unpack(&downloaded.file, place, &archive::below_first)?;
                return Ok(());
            }
            Err(why) => failed.push(why.to_string()),
        }
    }
    if let Some(commit) = &project.git {
        match &work.request.git {
            Some(base) => return git::fetch(base, commit, place).map_err(|why| {
                failed.push(why.to_string());
                Error(failed.join("; "))
            }),
            None => failed.push(format!(
                "its tests are in the repository {} only. Name the address or folder below which it is with --git, or a \
                 folder with the project with --from",
                commit.repository
            )),
        }
    }
    Err(Error(failed.join("; ")))
}

/// Changes a file.
fn apply(change: &Change, place: &Path, work: &Work<'_>) -> Result<(), Error> {
    let file = inside(place, &change.file)?;
    let old = fs::read_to_string(&file).map_err(at(&file))?;
    let new = match &change.whole {
        Some(namespace) => {
            let task = work.tasks.iter().find(|task| task.namespace == *namespace);
            task.and_then(benchmark::Task::file).ok_or_else(|| {
                Error(format!(
                    "the benchmark's files have no task {namespace} with the file {}. Use the published data files",
                    change.file.display()
                ))
            })?
        }
        None => with_blank_lines(&old, &change.blank),
    };
    write(&file, new.as_bytes())
}

/// Inserts blank lines: before which line, from 1, and how many.
fn with_blank_lines(text: &str, blank: &[(usize, usize)]) -> String {
    let mut new = String::with_capacity(text.len() + 64);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let count = blank.iter().filter(|(before, _)| *before == number).map(|(_, count)| count).sum();
        new.push_str(&"\n".repeat(count));
        new.push_str(line);
    }
    new
}

/// A file of the project, which no link leads out of it.
pub(crate) fn inside(place: &Path, file: &Path) -> Result<PathBuf, Error> {
    let path = place.join(file);
    let folder = path.parent().unwrap_or(place);
    let real = folder.canonicalize().map_err(at(folder))?;
    let root = place.canonicalize().map_err(at(place))?;
    if !real.starts_with(&root) || path.is_symlink() {
        return Err(Error(format!("{} is a link in the source, or in a folder that is one", file.display())));
    }
    Ok(path)
}

/// Whether a downloaded file is the recorded one.
pub(crate) fn verify(what: &str, file: &Path, expected: &str) -> Result<(), Error> {
    let found = sha256(&fs::read(file).map_err(at(file))?);
    match found == expected {
        true => Ok(()),
        false => Err(Error(format!(
            "{what} has the SHA-256 {found} and not {expected}, so it is not used. Check the index that pip is set to"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_archives_are_found_below_any_folder() {
        for (path, expected) in [
            ("Source_Code/Text/shapes/a/b.py", Some("a/b.py")),
            ("Text/shapes/a.py", Some("a.py")),
            ("Text/shapes", None),
            ("Text/other/a.py", None),
            ("x/Text/shapes/.git/HEAD", None),
            ("Text/shapes/a/__pycache__/b.pyc", None),
        ] {
            assert_eq!(below(Path::new(path), "Text/shapes"), expected.map(PathBuf::from), "{path}");
        }
    }

    #[test]
    fn blank_lines_are_inserted_before_lines() {
        assert_eq!(with_blank_lines("a\nb\nc", &[(1, 1), (3, 2)]), "\na\nb\n\n\nc");
        assert_eq!(with_blank_lines("a\r\n", &[(9, 1)]), "a\r\n");
    }

    #[test]
    fn files_behind_links_are_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("project");
        fs::create_dir_all(place.join("a")).unwrap();
        fs::write(folder.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink("..", place.join("out")).unwrap();
        std::os::unix::fs::symlink("../../secret", place.join("a/link")).unwrap();
        assert!(inside(&place, Path::new("a/new")).is_ok());
        for file in ["out/secret", "a/link"] {
            assert!(inside(&place, Path::new(file)).is_err(), "{file}");
        }
    }
}
