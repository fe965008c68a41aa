//! Names the temporary folders of a process, and removes those that a killed process left behind.
//!
//! Several processes share a data folder (the server and the command line), so a folder's name contains the ID and the
//! start time of its process. The start time is needed because IDs are reused.

use std::{fs, path::Path};

/// The prefix of all names.
const PREFIX: &str = "run-";

/// The prefix of the names of this process's folders.
pub fn prefix() -> String {
    let number = std::process::id();
    format!("{PREFIX}{number}-{}-", started(number).unwrap_or_default())
}

/// Removes the folders of processes that have ended. Folders that cannot be removed remain.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(PREFIX) && !is_in_use(&name) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a folder's process still runs. A name without a process counts as unused.
fn is_in_use(name: &str) -> bool {
    let mut parts = name.trim_start_matches(PREFIX).split('-');
    let number = parts.next().and_then(|number| number.parse().ok());
    number.is_some_and(|number| started(number).as_deref() == parts.next() && parts.next().is_some())
}

/// The start time of a running process, in clock ticks since boot; `None` if there is no such process.
fn started(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The process name before it can contain any character and ends with the last bracket.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_folders_of_ended_processes() {
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
