//! The space that a data folder needs.

use std::{fs, path::Path};

use model::server::Disk;
use nix::sys::statvfs::statvfs;

/// Sizes that cost a request to the operating system each: the disk and the database's files.
pub fn quick(data: &Path) -> Disk {
    let size = |ending: &str| fs::metadata(data.join(format!("{}{ending}", db::FILE))).map_or(0, |file| file.len());
    let space = statvfs(data).ok().map(|disk| {
        let unit = disk.fragment_size();
        (disk.blocks_available() * unit, disk.blocks() * unit)
    });
    Disk { space, database: size(""), write_ahead_log: size("-wal"), ..Disk::default() }
}

/// The same, with the sizes of the folders. Reads the metadata of every file in them.
pub(super) fn whole(data: &Path) -> Disk {
    let size = |folder: &str| size(&data.join(folder));
    Disk { uploads: size("uploads"), engine: size("engine"), toolchains: size("toolchains"), ..quick(data) }
}

/// The size of a file or of a folder's files. What vanishes meanwhile counts nothing.
fn size(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_with_all_their_files() {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir_all(data.path().join("engine/suites")).unwrap();
        fs::write(data.path().join("engine/suites/a"), b"12345").unwrap();
        fs::write(data.path().join("engine/b"), b"123").unwrap();
        fs::write(data.path().join(db::FILE), b"12").unwrap();
        let disk = whole(data.path());
        assert_eq!((disk.engine, disk.database, disk.uploads, disk.toolchains), (8, 2, 0, 0));
        assert!(disk.space.is_some_and(|(free, size)| free <= size && size > 0), "{disk:?}");
    }
}
