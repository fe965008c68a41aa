//! Control groups, if the host allows them: limits on a sandbox's total memory and threads, and
//! a way to end everything in it at once.
//!
//! Root can create them below the server's own group, in version 1 (one tree per controller) and
//! version 2; an ordinary user needs a delegated one (`Delegate=yes` in a systemd unit). If none can
//! be created, only the per-process limits apply. Called by `bubblewrap`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use model::run::Sums;

/// Prefix of our groups' names, followed by the ID of the process that created them.
const PREFIX: &str = "aixgrade-";

/// A group in which groups can be created.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders of our own group, one per tree.
    folders: Vec<PathBuf>,
    memory: bool,
    pids: bool,
}

/// One sandbox's groups, removed on drop.
#[derive(Debug)]
pub struct Groups {
    /// One folder per tree.
    pub folders: Vec<PathBuf>,
}

impl Places {
    /// Finds where groups can be created, by creating and removing one.
    pub fn find() -> Places {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut places = Places::default();
        for folder in candidates(&mounts, &own) {
            sweep(&folder);
            let trial = folder.join(format!("{PREFIX}{}-trial", std::process::id()));
            if fs::create_dir(&trial).is_err() {
                continue;
            }
            let has = |file: &str| trial.join(file).is_file();
            let (memory, pids) = (has("memory.max") || has("memory.limit_in_bytes"), has("pids.max"));
            let of_use = memory || pids || has("cgroup.kill");
            let _ = fs::remove_dir(&trial);
            if of_use {
                places.memory |= memory;
                places.pids |= pids;
                places.folders.push(folder);
            }
        }
        places
    }

    /// The totals that groups limit on this host; `None` if none.
    pub fn held(&self) -> Option<Sums> {
        match (self.memory, self.pids) {
            (true, true) => Some(Sums::MemoryAndThreads),
            (true, false) => Some(Sums::Memory),
            (false, true) => Some(Sums::Threads),
            (false, false) => None,
        }
    }

    /// Creates a sandbox's groups as far as possible. `number` is unique within this process.
    pub fn make(&self, number: u32, memory_bytes: u64, threads: u64) -> Groups {
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let mut groups = Groups { folders: Vec::new() };
        for folder in &self.folders {
            let group = folder.join(&name);
            // In a container, an earlier server had the same process ID and may have left its group behind.
            let made = fs::create_dir(&group).or_else(|_| fs::remove_dir(&group).and_then(|()| fs::create_dir(&group)));
            if made.is_err() {
                continue;
            }
            let limit = |file: &str, value: u64| {
                let file = group.join(file);
                if file.is_file() {
                    // If a limit cannot be set, the process limits still apply.
                    let _ = fs::write(file, value.to_string());
                }
            };
            limit("memory.limit_in_bytes", memory_bytes);
            limit("memory.max", memory_bytes);
            limit("memory.swap.max", 0);
            limit("pids.max", threads);
            groups.folders.push(group);
        }
        groups
    }
}

impl Groups {
    /// How many processes the kernel has killed because of the memory limit.
    pub fn out_of_memory(&self) -> u64 {
        let counted = |file: PathBuf| -> u64 {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.lines().filter_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok()).sum()
        };
        self.folders
            .iter()
            .map(|group| counted(group.join("memory.events")) + counted(group.join("memory.oom_control")))
            .sum()
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for group in &self.folders {
            end(group);
        }
    }
}

/// Kills what is left in a group, and removes it.
fn end(group: &Path) {
    let _ = fs::write(group.join("cgroup.kill"), "1");
    // Groups with processes that are still ending are removed at the next start.
    let _ = fs::remove_dir(group);
}

/// Removes groups that a killed server left behind.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let maker = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        if let Some(maker) = maker.and_then(|number| number.parse::<u32>().ok())
            && !Path::new("/proc").join(maker.to_string()).is_dir()
        {
            end(&entry.path());
        }
    }
}

/// The folders of this process's groups: in version 1 those of the two relevant controllers, in
/// version 2 its own and its parent, where a unit with `DelegateSubgroup` can create groups.
fn candidates(mounts: &str, own: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in mounts.lines() {
        let mut parts = line.split(' ').skip(1);
        let (Some(place), Some(kind), Some(options)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let path = |controller: &str| {
            own.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':').skip(1);
                let (names, path) = (parts.next()?, parts.next()?);
                names.split(',').any(|name| name == controller).then(|| path.trim_start_matches('/').to_owned())
            })
        };
        match kind {
            "cgroup" => {
                for controller in ["memory", "pids"] {
                    if options.split(',').any(|option| option == controller) {
                        // In a container the path may be the host's; then the mount is our group.
                        let group = Path::new(place).join(path(controller).unwrap_or_default());
                        folders.push(if group.is_dir() { group } else { place.into() });
                    }
                }
            }
            "cgroup2" => {
                let group = Path::new(place).join(path("").unwrap_or_default());
                match group.parent() {
                    Some(above) if group != Path::new(place) && writable(above) => folders.push(above.to_path_buf()),
                    _ => folders.push(group),
                }
            }
            _ => {}
        }
    }
    folders
}

/// Whether controllers can be enabled below a version 2 group, by trying it.
fn writable(group: &Path) -> bool {
    fs::write(group.join("cgroup.subtree_control"), "+memory +pids").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_own_groups_of_both_versions() {
        let mounts = "tmpfs /nowhere/c tmpfs rw 0 0\n\
            cgroup /nowhere/c/memory cgroup rw,relatime,memory 0 0\n\
            cgroup /nowhere/c/cpu cgroup rw,relatime,cpu 0 0\n\
            cgroup2 /nowhere/c/unified cgroup2 rw,relatime 0 0\n";
        let own = "4:memory:/a/b\n1:cpu:/\n0::/x\n";
        let found = candidates(mounts, own);
        assert_eq!(found, [PathBuf::from("/nowhere/c/memory"), PathBuf::from("/nowhere/c/unified/x")]);
    }

    #[test]
    fn groups_have_their_limits_and_are_removed() {
        let places = Places::find();
        let possible = places.held().ok_or("no control group can be created on this machine");
        let Some(held) = prerequisites::host(possible) else { return };
        let groups = places.make(1_000_000, 64 << 20, 16);
        let folders = groups.folders.clone();
        assert_eq!(folders.len(), places.folders.len());
        let limits = |names: &[&str]| -> Vec<String> {
            let files = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
            files.filter_map(|file| fs::read_to_string(file).ok()).map(|text| text.trim().to_owned()).collect()
        };
        let memory = limits(&["memory.max", "memory.limit_in_bytes"]);
        let threads = limits(&["pids.max"]);
        let expected = |limit: &str, has: bool| if has { vec![limit.to_owned()] } else { Vec::new() };
        assert_eq!(memory, expected("67108864", held != Sums::Threads));
        assert_eq!(threads, expected("16", held != Sums::Memory));
        assert_eq!(groups.out_of_memory(), 0);
        drop(groups);
        assert!(folders.iter().all(|folder| !folder.exists()), "{folders:?}");
    }

    #[test]
    fn processes_killed_by_the_kernel_count_as_out_of_memory() {
        let folder = tempfile::tempdir().unwrap();
        let check = |file: &str, text: &str, expected: u64| {
            fs::write(folder.path().join(file), text).unwrap();
            let groups = Groups { folders: vec![folder.path().to_path_buf()] };
            assert_eq!(groups.out_of_memory(), expected, "{file}: {text}");
            // Not a real group: dropping it would write into it.
            std::mem::forget(groups);
            fs::remove_file(folder.path().join(file)).unwrap();
        };
        check("memory.events", "oom 1\noom_kill 0\n", 0);
        check("memory.events", "oom 1\noom_kill 2\n", 2);
        check("memory.oom_control", "under_oom 0\noom_kill 1\n", 1);
    }
}
