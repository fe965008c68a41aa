//! Folders with copies of the parts of a toolchain that the sandbox needs, built once and mounted read-only.
//!
//! A copy contains only what we chose of a toolchain, and does not change when the host's packages do.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    num::NonZeroU64,
    path::{Path, PathBuf},
};

use engine::toolchain;
use sandbox::{bubblewrap, tool};

/// The image `name` of an engine whose files are in `folder`; `make` fills it if it does not exist yet.
///
/// # Errors
/// Fails if the disk is full or a tool fails.
pub fn prepared(folder: &Path, name: &str, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    prepared_in(&toolchain::images(folder), folder, name, make)
}

/// The same with the folder of images.
fn prepared_in(
    images: &Path,
    folder: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let place = toolchain::image(images, name, make)?;
    note_current(folder, name)?;
    Ok(place)
}

/// The suffix of the folder with the programs that a language builds once for each task, beside its image.
const PROGRAMS: &str = "-judges";

/// The folder of the programs that a language builds once for each task with the image `name`.
pub fn programs(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{PROGRAMS}"))
}

/// Splits the name of an image, `KIND-DIGEST`.
fn kind(name: &str) -> Option<&str> {
    let (kind, digest) = name.rsplit_once('-')?;
    (digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit())).then_some(kind)
}

fn current(folder: &Path, kind: &str) -> PathBuf {
    folder.join(format!("{kind}.current"))
}

/// Notes that `name` is the image of its kind in use.
fn note_current(folder: &Path, name: &str) -> io::Result<()> {
    let Some(kind) = kind(name) else { return Ok(()) };
    let note = current(folder, kind);
    if fs::read_to_string(&note).is_ok_and(|noted| noted == name) {
        return Ok(());
    }
    // The images may be in another folder.
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(name.as_bytes())?;
    file.persist(note)?;
    Ok(())
}

/// Whether an entry of `folder` is an image, or the programs built with one, that a later image of its kind has
/// replaced. False if the folder does not say which image is in use.
pub fn is_replaced(folder: &Path, entry: &str) -> bool {
    let name = entry.strip_suffix(PROGRAMS).unwrap_or(entry);
    kind(name).is_some_and(|kind| fs::read_to_string(current(folder, kind)).is_ok_and(|noted| noted != name))
}

/// A mount on the host and its path in the sandbox.
type Mounts = Vec<(PathBuf, String)>;

/// The files of a toolchain that processes see, in copies of which a process sees one, by what it knows. The kernel keeps
/// state of each file that survives a process (which pages are in memory, which names were looked up), so two processes
/// that open the same file can pass on what they know.
#[derive(Clone, Debug)]
pub struct Copies {
    /// For processes with tests: judges, and programs as published.
    pub judging: Mounts,
    /// For processes with a sample only: solvers.
    pub solving: Mounts,
    /// For solvers that receive the tests afterwards, which only languages with [`super::Toolchain::both_verdicts`] have.
    pub both: Mounts,
}

const SOLVING: &str = "-solving";
const BOTH: &str = "-both";

/// The copy of a folder, next to it.
fn copy_of(folder: &Path, suffix: &str) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    folder.with_file_name(name)
}

/// Copies a folder for [`Copies`], with the times of its files, which Java's class archive checks. The copies are next
/// to `place`, which is the folder itself or one that need not exist.
///
/// # Errors
/// Fails if the disk is full.
pub fn duplicate(folder: &Path, place: &Path) -> io::Result<()> {
    [SOLVING, BOTH].iter().try_for_each(|suffix| copy_with_times(folder, &copy_of(place, suffix)))
}

fn copy_with_times(folder: &Path, copy: &Path) -> io::Result<()> {
    copy_tree(folder, copy, &|_| true)?;
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let path = inside.join(entry?.file_name());
            let found = fs::metadata(folder.join(&path))?;
            if found.is_dir() {
                folders.push(path);
            } else if found.is_file() {
                fs::File::open(copy.join(path))?.set_modified(found.modified()?)?;
            }
        }
    }
    Ok(())
}

impl Copies {
    /// The mounts of a folder and of its copies next to `place` ([`duplicate`]). `mounts` has those of a copy, such as
    /// [`mounts`] or [`files`], and `of_both` those of the copy for both verdicts.
    ///
    /// # Errors
    /// Fails if a folder cannot be read.
    pub fn of(
        folder: &Path,
        place: &Path,
        mounts: impl Fn(&Path) -> io::Result<Mounts>,
        of_both: impl Fn(&Path) -> io::Result<Mounts>,
    ) -> io::Result<Copies> {
        let (solving, both) = (mounts(&copy_of(place, SOLVING))?, of_both(&copy_of(place, BOTH))?);
        Ok(Copies { judging: mounts(folder)?, solving, both })
    }

    /// Adds the mounts of other files.
    pub fn extend(&mut self, more: Copies) {
        self.judging.extend(more.judging);
        self.solving.extend(more.solving);
        self.both.extend(more.both);
    }
}

/// How much of a file the kernel is asked for at a time: it reads no more ahead.
const READ_AHEAD: u64 = 128 << 10;

/// Asks the kernel to load the files of mounts that are not in memory. A process that has tests and sees these files then finds no page
/// that it could load and thereby mark for another one. The kernel may drop pages again when memory runs short.
pub fn load(mounts: &[(PathBuf, String)]) {
    let mut paths: Vec<PathBuf> = mounts.iter().map(|(path, _)| path.clone()).collect();
    while let Some(path) = paths.pop() {
        // What cannot be read here is not mounted either.
        let Ok(data) = fs::symlink_metadata(&path) else { continue };
        if data.is_dir() {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if data.is_file() {
            load_file(&path, data.len());
        }
    }
}

fn load_file(path: &Path, size: u64) {
    let Ok(file) = fs::File::open(path) else { return };
    for at in (0..size).step_by(usize::try_from(READ_AHEAD).unwrap_or(usize::MAX)) {
        // On a file system without advice, pages are loaded when they are first used.
        let _ = rustix::fs::fadvise(&file, at, NonZeroU64::new(READ_AHEAD), rustix::fs::Advice::WillNeed);
    }
}

/// A mount for each file below a prepared folder, for images of few files: then the folders inside belong to one sandbox,
/// and only the content of files is shared.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn files(place: &Path) -> io::Result<Mounts> {
    let (mut found, mut folders) = (Vec::new(), vec![place.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inside = format!("/{}", path.strip_prefix(place).unwrap_or(&path).display());
                found.push((path, inside));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a folder and everything below it for whose path, relative to `from`, `wanted` is true. Follows links.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    copy_below(from, from, to, wanted)
}

fn copy_below(root: &Path, from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let (Some(name), Ok(relative)) = (path.file_name(), path.strip_prefix(root)) else { continue };
        if !wanted(relative) {
            continue;
        }
        let target = to.join(name);
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => copy_below(root, &path, &target, wanted)?,
            Ok(data) if data.is_file() => drop(fs::copy(&path, &target)?),
            // A dangling link, a socket.
            _ => {}
        }
    }
    Ok(())
}

/// All shared libraries that these programs and libraries link to, by the paths at which the loader looks for them.
///
/// # Errors
/// Fails if `ldd` is missing.
pub fn libraries(programs: &[PathBuf]) -> io::Result<BTreeSet<PathBuf>> {
    let ldd = bubblewrap::find("ldd").ok_or_else(|| io::Error::other("`ldd` is missing (package libc-bin)"))?;
    let mut wanted = BTreeSet::new();
    for program in programs {
        // `ldd` fails on a program that links to nothing.
        let Ok(text) = tool::run(&ldd, [program]) else { continue };
        for line in text.lines() {
            // Either `libz.so.1 => /lib/…/libz.so.1 (0x…)` or, for the loader, `/lib64/ld-….so.2 (0x…)`.
            let path = line.split("=>").last().unwrap_or_default().split_whitespace().next().unwrap_or_default();
            if path.starts_with('/') {
                wanted.insert(PathBuf::from(path));
            }
        }
    }
    Ok(wanted)
}

/// Copies libraries to their own paths below `to`.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_libraries(libraries: &BTreeSet<PathBuf>, to: &Path) -> io::Result<()> {
    for path in libraries {
        let target = to.join(path.strip_prefix("/").unwrap_or(path));
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(path, target)?;
    }
    Ok(())
}

/// The mounts of a prepared folder: each of its top-level entries appears in the sandbox's root.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn mounts(place: &Path) -> io::Result<Mounts> {
    let entries = fs::read_dir(place)?.map(|entry| {
        let entry = entry?;
        Ok((entry.path(), format!("/{}", entry.file_name().to_string_lossy())))
    });
    let mut mounts = entries.collect::<io::Result<Vec<_>>>()?;
    mounts.sort();
    Ok(mounts)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn copies_have_the_same_files_with_the_same_times_and_none_in_common() {
        let temporary = tempfile::tempdir().unwrap();
        let place = temporary.path().join("run");
        fs::create_dir_all(place.join("lib/inner")).unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        for name in ["program", "lib/a.so", "lib/inner/b.so"] {
            fs::write(place.join(name), name).unwrap();
            fs::File::open(place.join(name)).unwrap().set_modified(old).unwrap();
        }
        duplicate(&place, &place).unwrap();
        let Copies { judging, solving, both } = Copies::of(&place, &place, files, files).unwrap();
        let inside = |mounts: &[(PathBuf, String)]| mounts.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>();
        assert_eq!(inside(&judging), ["/lib/a.so", "/lib/inner/b.so", "/program"]);
        for (one, other) in [(&judging, &solving), (&judging, &both), (&solving, &both)] {
            assert_eq!(inside(one), inside(other));
            for ((one, _), (other, _)) in one.iter().zip(other) {
                let (first, second) = (fs::metadata(one).unwrap(), fs::metadata(other).unwrap());
                assert_ne!(first.ino(), second.ino());
                assert_eq!((first.modified().unwrap(), fs::read(one).unwrap()), (old, fs::read(other).unwrap()));
                assert_eq!(second.modified().unwrap(), old);
            }
        }
        let Copies { judging, solving, both } = Copies::of(&place, &place, mounts, mounts).unwrap();
        for mounts in [judging, solving, both] {
            assert_eq!(inside(&mounts), ["/lib", "/program"]);
        }
    }

    /// Reads what is in memory only.
    fn is_in_memory(file: &fs::File, at: u64) -> bool {
        let mut byte = [0];
        let buffers = &mut [io::IoSliceMut::new(&mut byte)];
        rustix::io::preadv2(file, buffers, at, rustix::io::ReadWriteFlags::NOWAIT) == Ok(1)
    }

    #[test]
    fn files_are_loaded_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let pages = 1_000;
        fs::write(&path, vec![7; pages * 4096]).unwrap();
        let file = fs::File::open(&path).unwrap();
        file.sync_all().unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let cold = || (0..pages as u64).filter(|page| !is_in_memory(&file, page * 4096)).count();
        let has_disk = if cold() == pages { Ok(()) } else { Err("temporary files are in memory only") };
        if prerequisites::host(has_disk).is_none() {
            return;
        }
        load(&[(folder.path().to_path_buf(), String::new())]);
        let start = std::time::Instant::now();
        while cold() > 0 {
            assert!(start.elapsed() < std::time::Duration::from_secs(60), "{} pages are not loaded", cold());
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_image_that_several_need_at_once_is_made_once() {
        let temporary = tempfile::tempdir().unwrap();
        let (folder, name) = (temporary.path(), "cpp-0123456789abcdef");
        let made = std::sync::atomic::AtomicU32::new(0);
        let make = |place: &Path| {
            made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            // All others wait by now, or come to a finished image.
            std::thread::sleep(std::time::Duration::from_millis(50));
            fs::write(place.join("file"), name)
        };
        let places: Vec<PathBuf> = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| prepared_in(folder, folder, name, make).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(made.into_inner(), 1);
        assert!(places.iter().all(|place| fs::read_to_string(place.join("file")).unwrap() == name));
        let left: BTreeSet<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, BTreeSet::from(["cpp-0123456789abcdef".into(), "cpp.current".into()]));
        // One that failed is made again by the next.
        prepared_in(folder, folder, "cpp-fedcba9876543210", |_| Err(io::Error::other("no compiler"))).unwrap_err();
        prepared_in(folder, folder, "cpp-fedcba9876543210", |place| fs::write(place.join("file"), "")).unwrap();
    }

    #[test]
    fn images_and_programs_of_earlier_toolchains_are_replaced_ones() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let (old, new) = ("cpp-0123456789abcdef", "cpp-fedcba9876543210");
        for name in [old, new] {
            prepared_in(folder, folder, name, |place| fs::write(place.join("file"), name)).unwrap();
        }
        for (entry, expected) in [
            (old, true),
            ("cpp-0123456789abcdef-judges", true),
            (new, false),
            ("cpp-fedcba9876543210-judges", false),
            ("cpp.current", false),
            // Nothing says which Go image is in use.
            ("go-0123456789abcdef", false),
            ("suites", false),
        ] {
            assert_eq!(is_replaced(folder, entry), expected, "{entry}");
        }
        // Back to the earlier toolchain.
        prepared_in(folder, folder, old, |_| panic!("built again")).unwrap();
        assert!(is_replaced(folder, new) && !is_replaced(folder, old));
    }
}
