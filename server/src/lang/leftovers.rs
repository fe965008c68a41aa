//! Folders for the files of one process, and removing those of a server that was killed.
//!
//! Several processes share a data folder (the server and the command line), so a folder's name says whose it is: by
//! process number and start time, because numbers are used again.

use std::{fs, path::Path};

/// What the names begin with.
const PREFIX: &str = "run-";

/// What the names of this process's folders begin with.
pub fn prefix() -> String {
    let number = std::process::id();
    format!("{PREFIX}{number}-{}-", started(number).unwrap_or_default())
}

/// Removes the folders of processes that have ended. What cannot be removed is left.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(PREFIX) && !is_in_use(&name) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder's process still runs. A name of another form is of a version that did not say.
fn is_in_use(name: &str) -> bool {
    let mut parts = name.trim_start_matches(PREFIX).split('-');
    let number = parts.next().and_then(|number| number.parse().ok());
    number.is_some_and(|number| started(number).as_deref() == parts.next() && parts.next().is_some())
}

/// When a running process was started, in ticks since the machine was; nothing if there is none.
fn started(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name before may have anything in it, and ends with the last bracket.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_processes_that_have_ended_go() {
        let folder = tempfile::tempdir().unwrap();
        let own = format!("{}x1", prefix());
        let other_start = format!("run-{}-1-x2", std::process::id());
        // Above Linux's maximum process ID.
        let names = [own.as_str(), &other_start, "run-4194305-7-x3", "run-AbCdEf", "something"];
        for name in names {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("test.js"), "").unwrap();
        }
        sweep(folder.path());
        let left = names.map(|name| folder.path().join(name).exists());
        assert_eq!(left, [true, false, false, false, true]);
    }
}
