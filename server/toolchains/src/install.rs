//! Installs parts into a folder, one after the other.
//!
//! A part is made in `.partial-NAME-PROCESS` and renamed last, so it can be stopped at any time and started again: the next
//! installation uses another name, because a package manager of a killed one may still write. What is complete and has
//! the fingerprint of this version's lock files is left as it is. One installation works in a folder at a time.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    Error, at,
    list::{Language, Part},
    system::Need,
};

/// Increase when parts are made differently from the same lock files.
const GENERATION: u32 = 1;

/// The file with a part's fingerprint, written last.
pub const COMPLETE: &str = "complete";

/// The beginning of the name of a folder into which a process unpacks a pack; its number follows.
pub(crate) const UNPACKED: &str = ".unpacked-";

/// What happens to a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another installation works in the folder; this one waits.
    Waiting,
    /// Its installation begins.
    Installing,
    /// It was installed.
    Installed,
    /// It was there.
    Unchanged,
    /// It cannot be installed.
    Failed(String),
}

/// Receives the steps of an installation.
pub type Note<'a> = &'a mut dyn FnMut(&'static Part, &Step);

/// What an installation came to for a language.
#[derive(Debug)]
pub struct Installed {
    pub language: &'static Language,
    /// The last step of each part.
    pub parts: Vec<(&'static Part, Step)>,
    /// What root must install: for outputs, and for parts that are not there.
    pub missing: Vec<&'static Need>,
}

impl Installed {
    /// Whether the language has all that it needs from this list.
    pub fn is_ready(&self) -> bool {
        let failed = |(part, step): &(&Part, Step)| !part.is_optional && matches!(step, Step::Failed(_));
        self.missing.is_empty() && !self.parts.iter().any(failed)
    }
}

/// Installs the parts of languages into a folder. `note` receives every step.
///
/// # Errors
/// The folder cannot be written. A part that cannot be installed is no error: its last step says why.
pub fn install(folder: &Path, languages: &[&'static Language], note: Note<'_>) -> Result<Vec<Installed>, Error> {
    let fetched = |part: &'static Part, place: &Path| (part.fetch)(part, place);
    fill(folder, languages, &fetched, note)
}

/// The same from files that `provide` puts into the folder of a part.
pub(crate) fn fill(
    folder: &Path,
    languages: &[&'static Language],
    provide: &dyn Fn(&'static Part, &Path) -> Result<(), Error>,
    note: Note<'_>,
) -> Result<Vec<Installed>, Error> {
    let folder = absolute(folder)?;
    let mut lock = None;
    let mut done: Vec<(&'static Part, Step)> = Vec::new();
    for part in languages.iter().flat_map(|language| language.parts) {
        if done.iter().any(|(known, _)| known.name == part.name) {
            continue;
        }
        let step = if is_current(&folder, part) {
            Step::Unchanged
        } else {
            if lock.is_none() {
                lock = Some(locked(&folder, part, note)?);
            }
            // The process that had the lock may have installed it.
            if is_current(&folder, part) { Step::Unchanged } else { make(&folder, part, provide, note) }
        };
        note(part, &step);
        done.push((part, step));
    }
    let installed = languages.iter().map(|language| {
        let of = |part: &&'static Part| done.iter().find(|(known, _)| known.name == part.name).cloned();
        let parts: Vec<_> = language.parts.iter().filter_map(of).collect();
        Installed { language, missing: missing(std::slice::from_ref(&folder), language), parts }
    });
    Ok(installed.collect())
}

/// What root must install so that a language's outputs can be run with these folders, and so that its parts can be
/// installed where none of the folders has them.
pub fn missing(folders: &[PathBuf], language: &Language) -> Vec<&'static Need> {
    let absent = language.parts.iter().filter(|part| !part.is_optional && !is_there(folders, part));
    let needs = language.needs.iter().chain(absent.flat_map(|part| part.needs)).copied();
    let mut missing: Vec<&'static Need> = Vec::new();
    for need in needs {
        if !missing.iter().any(|known| std::ptr::eq(*known, need)) && !need.is_met(folders) {
            missing.push(need);
        }
    }
    missing
}

/// Whether one of the folders has a part, of whichever version.
pub fn is_there(folders: &[PathBuf], part: &Part) -> bool {
    folders.iter().any(|folder| folder.join(part.name).join(part.proof).exists())
}

/// Whether a part is complete, and made of this version's lock files.
pub fn is_current(folder: &Path, part: &Part) -> bool {
    let recorded = fs::read_to_string(folder.join(part.name).join(COMPLETE));
    recorded.is_ok_and(|recorded| recorded == fingerprint(part))
}

/// A hash of what decides about a part's content.
pub(crate) fn fingerprint(part: &Part) -> String {
    let mut hash = Sha256::new();
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    hash.update(format!("{GENERATION} {} {os} {arch} {}\n", part.name, (part.depends)()));
    for (name, text) in part.locks {
        hash.update(format!("{name} {}\n{text}", text.len()));
    }
    hex(&hash.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder with all of its path, created if it does not exist: commands run in other folders.
pub(crate) fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    folder.canonicalize().map_err(at(folder))
}

/// Waits until no other installation works in the folder. The lock ends with the process.
fn locked(folder: &Path, part: &'static Part, note: Note<'_>) -> Result<File, Error> {
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            note(part, &Step::Waiting);
            file.lock().map_err(at(&path))?;
        }
        Err(TryLockError::Error(e)) => return Err(at(&path)(e)),
    }
    clear(folder);
    Ok(file)
}

/// Removes what killed installations left. What cannot be removed yet, the next installation removes.
fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Packs are unpacked without the lock.
        let process = name.strip_prefix(UNPACKED);
        let is_unpacked = process.is_some_and(|process| !Path::new("/proc").join(process).exists());
        if name.starts_with(".partial-") || name.starts_with(".replaced-") || is_unpacked {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn make(
    folder: &Path,
    part: &'static Part,
    provide: &dyn Fn(&'static Part, &Path) -> Result<(), Error>,
    note: Note<'_>,
) -> Step {
    note(part, &Step::Installing);
    let place = folder.join(format!(".partial-{}-{}", part.name, std::process::id()));
    let made = fs::create_dir(&place)
        .map_err(at(&place))
        .and_then(|()| provide(part, &place))
        .and_then(|()| (part.build)(part, &place))
        .and_then(|()| finish(folder, part, &place));
    match made {
        Ok(()) => Step::Installed,
        Err(why) => {
            // The next installation removes what remains.
            let _ = fs::remove_dir_all(&place);
            Step::Failed(why.to_string())
        }
    }
}

/// Gives a part its name.
fn finish(folder: &Path, part: &Part, place: &Path) -> Result<(), Error> {
    if !place.join(part.proof).exists() {
        return Err(Error(format!("{} is missing after the installation", part.proof)));
    }
    let complete = place.join(COMPLETE);
    fs::write(&complete, fingerprint(part)).map_err(at(&complete))?;
    let replaced = folder.join(format!(".replaced-{}-{}", part.name, std::process::id()));
    let named = folder.join(part.name);
    if named.exists() {
        fs::rename(&named, &replaced).map_err(at(&named))?;
    }
    fs::rename(place, &named).map_err(at(&named))?;
    let _ = fs::remove_dir_all(&replaced);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch;

    fn part(fetch: fn(&Part, &Path) -> Result<(), Error>) -> Part {
        Part {
            name: "tool",
            what: "a tool",
            source: "here",
            locks: &[("lock", "1")],
            needs: &[],
            is_optional: false,
            proof: "proof",
            packed: &[],
            depends: String::new,
            fetch,
            build: fetch::nothing,
        }
    }

    fn of(part: Part) -> &'static Language {
        let part: &'static Part = Box::leak(Box::new(part));
        let parts: &'static [&'static Part] = Box::leak(Box::new([part]));
        Box::leak(Box::new(Language { code: "tool", name: "Tool", parts, needs: &[] }))
    }

    fn write_proof(part: &Part, place: &Path) -> Result<(), Error> {
        fs::write(place.join(part.proof), part.locks[0].1)?;
        Ok(())
    }

    fn fails(_: &Part, place: &Path) -> Result<(), Error> {
        fs::write(place.join("half"), "")?;
        Err(Error("no network".into()))
    }

    /// The names in a folder.
    fn left(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    }

    /// The steps of an installation.
    fn steps(folder: &Path, language: &'static Language) -> Vec<Step> {
        let mut steps = Vec::new();
        let installed = install(folder, &[language], &mut |_, step| steps.push(step.clone())).unwrap();
        assert_eq!(installed[0].is_ready(), !matches!(steps.last(), Some(Step::Failed(_))));
        steps
    }

    #[test]
    fn a_complete_part_is_left_and_another_version_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = of(part(write_proof));
        assert_eq!(steps(folder.path(), first), [Step::Installing, Step::Installed]);
        assert_eq!(steps(folder.path(), first), [Step::Unchanged]);
        let second = of(Part { locks: &[("lock", "2")], ..part(write_proof) });
        assert_eq!(steps(folder.path(), second), [Step::Installing, Step::Installed]);
        assert_eq!(fs::read_to_string(folder.path().join("tool/proof")).unwrap(), "2");
        assert_eq!(left(folder.path()), [".lock", "tool"]);
    }

    #[test]
    fn a_part_that_fails_leaves_the_earlier_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        steps(folder.path(), of(part(write_proof)));
        let failing = of(Part { locks: &[("lock", "2")], ..part(fails) });
        let failed = Step::Failed("no network".into());
        assert_eq!(steps(folder.path(), failing), [Step::Installing, failed]);
        assert_eq!(fs::read_to_string(folder.path().join("tool/proof")).unwrap(), "1");
        assert_eq!(left(folder.path()), [".lock", "tool"]);
        // It has nothing to show for itself.
        let empty = of(Part { locks: &[("lock", "3")], ..part(fetch::nothing) });
        assert!(matches!(&steps(folder.path(), empty)[1], Step::Failed(why) if why.contains("proof")));
    }

    #[test]
    fn a_stopped_installation_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        // What a killed process leaves: files in the folders of a partial part and of a pack, and the lock's file. The
        // last process exists.
        let own = format!("{UNPACKED}{}", std::process::id());
        for name in [".partial-tool-1", ".unpacked-none", own.as_str()] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("half"), "").unwrap();
        }
        fs::write(folder.path().join(".lock"), "").unwrap();
        let language = of(part(write_proof));
        assert!(!is_there(&[folder.path().to_owned()], language.parts[0]));
        assert_eq!(steps(folder.path(), language), [Step::Installing, Step::Installed]);
        assert!(!folder.path().join("tool/half").exists());
        assert_eq!(left(folder.path()), [".lock", own.as_str(), "tool"]);
        // Killed between the two renames.
        fs::rename(folder.path().join("tool"), folder.path().join(".replaced-tool-1")).unwrap();
        assert_eq!(steps(folder.path(), language), [Step::Installing, Step::Installed]);
        assert_eq!(left(folder.path()), [".lock", own.as_str(), "tool"]);
    }

    #[test]
    fn two_installations_at_once_install_once() {
        let folder = tempfile::tempdir().unwrap();
        let language = of(part(write_proof));
        let of_threads: Vec<Vec<Step>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| steps(folder.path(), language))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let installed = of_threads.iter().filter(|steps| steps.contains(&Step::Installed)).count();
        assert_eq!(installed, 1, "{of_threads:?}");
        assert!(of_threads.iter().all(|steps| !matches!(steps.last(), Some(Step::Failed(_)))));
    }

    #[test]
    fn an_optional_part_that_fails_leaves_the_language_ready() {
        let folder = tempfile::tempdir().unwrap();
        let language = of(Part { is_optional: true, ..part(fails) });
        let installed = install(folder.path(), &[language], &mut |_, _| {}).unwrap();
        assert!(installed[0].is_ready() && matches!(installed[0].parts[0].1, Step::Failed(_)));
    }
}
