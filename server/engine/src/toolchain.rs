//! Builds the Java images of the sandbox: two small images, made from the host's JDK by `jlink`.
//!
//! The `run` image executes outputs. It has Java's ordinary modules, without those that reach into the JVM's internals
//! (`jdk.unsupported` with its `Unsafe`, `jdk.attach`, instrumentation, nonstandard management) and without a compiler.
//! The `compile` image compiles. Both contain our harness and copies of the few system libraries that the JVM links to,
//! so nothing else of the host is mounted.
//!
//! Images are built once per JDK and harness, in a few seconds, and kept in the data folder, or in the folder that
//! `AIXGRADE_IMAGES` names, under a name derived from both. [`image`] does this for the images of every language.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{native_gate, patched_base};
use sandbox::{bubblewrap, tool};

/// The binary contains the harness's sources, so a JDK is all that is needed to build them.
const HARNESS: &[(&str, &str)] = &[
    ("aixgrade.api/module-info.java", include_str!("../../../java-harness/src/aixgrade.api/module-info.java")),
    (
        "aixgrade.api/aixgrade/api/Cases.java",
        include_str!("../../../java-harness/src/aixgrade.api/aixgrade/api/Cases.java"),
    ),
    (
        "aixgrade.api/aixgrade/api/Copies.java",
        include_str!("../../../java-harness/src/aixgrade.api/aixgrade/api/Copies.java"),
    ),
    (
        "aixgrade.api/aixgrade/api/Once.java",
        include_str!("../../../java-harness/src/aixgrade.api/aixgrade/api/Once.java"),
    ),
    (
        "aixgrade.api/aixgrade/api/Tape.java",
        include_str!("../../../java-harness/src/aixgrade.api/aixgrade/api/Tape.java"),
    ),
    ("aixgrade.root/module-info.java", include_str!("../../../java-harness/src/aixgrade.root/module-info.java")),
    (
        "aixgrade.root/aixgrade/root/Root.java",
        include_str!("../../../java-harness/src/aixgrade.root/aixgrade/root/Root.java"),
    ),
    ("aixgrade.wire/module-info.java", include_str!("../../../java-harness/src/aixgrade.wire/module-info.java")),
    (
        "aixgrade.wire/aixgrade/wire/Control.java",
        include_str!("../../../java-harness/src/aixgrade.wire/aixgrade/wire/Control.java"),
    ),
    ("aixgrade.harness/module-info.java", include_str!("../../../java-harness/src/aixgrade.harness/module-info.java")),
    (
        "aixgrade.harness/aixgrade/harness/Runner.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Runner.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/Published.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Published.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/Collector.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Collector.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/Same.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Same.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/Defaults.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Defaults.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/Rehearsal.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/Rehearsal.java"),
    ),
    (
        "aixgrade.harness/aixgrade/harness/TestLoader.java",
        include_str!("../../../java-harness/src/aixgrade.harness/aixgrade/harness/TestLoader.java"),
    ),
    (
        "aixgrade.compiler/module-info.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/module-info.java"),
    ),
    (
        "aixgrade.compiler/aixgrade/compiler/Server.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/aixgrade/compiler/Server.java"),
    ),
    (
        "aixgrade.compiler/aixgrade/compiler/Library.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/aixgrade/compiler/Library.java"),
    ),
    (
        "aixgrade.compiler/aixgrade/compiler/Memory.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/aixgrade/compiler/Memory.java"),
    ),
    (
        "aixgrade.compiler/aixgrade/compiler/Rehearsal.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/aixgrade/compiler/Rehearsal.java"),
    ),
    (
        "aixgrade.compiler/aixgrade/compiler/Index.java",
        include_str!("../../../java-harness/src/aixgrade.compiler/aixgrade/compiler/Index.java"),
    ),
];

/// The class that the image's `java.base` asks before it binds native code.
const GATE: &str = include_str!("../../../java-harness/patch/jdk/internal/loader/NativeGate.java");

/// The Java modules that outputs may use.
const MODULES: &[&str] = &[
    "java.base",
    "java.datatransfer",
    "java.desktop",
    "java.logging",
    "java.management",
    "java.naming",
    "java.net.http",
    "java.prefs",
    "java.scripting",
    "java.sql",
    "java.transaction.xa",
    "java.xml",
    "jdk.charsets",
    "jdk.crypto.ec",
    "jdk.localedata",
    "jdk.zipfs",
];

/// Maps the class archive at the address that it was created for. By default Java relocates it, which touches each of
/// its pages and causes nearly half of all page faults of a JVM that lives for 100 ms. The option is a diagnostic one,
/// so a Java version that lacks it must be allowed to ignore it.
pub const IN_PLACE: [&str; 3] =
    ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0"];

/// Packages of `java.base` that are open to one of our modules and to no other: to open a file descriptor by its
/// number, and to create modules.
const OPENED: &[(&str, &str)] = &[("java/io", "aixgrade.wire"), ("jdk/internal/access", "aixgrade.harness")];

/// The collector of JVMs that run outputs: the only one of Java 17 that can load objects from an archive, such as
/// modules and class mirrors. Computing these takes a third of a JVM's start.
pub(super) const RUN_COLLECTOR: &str = "-XX:+UseG1GC";

/// The collector of JVMs that compile: the one with the best throughput.
pub(super) const COMPILE_COLLECTOR: &str = "-XX:+UseSerialGC";

/// Files that outputs do not need: libraries of the desktop module for display and sound, and the helper that starts
/// processes. Without them and what they link to, the image is smaller. Classes such as `java.awt.Point` work without
/// them.
const LEFT_OUT: &[&str] = &["libawt_xawt.so", "libjawt.so", "libsplashscreen.so", "libjsound.so", "jspawnhelper"];

/// Increase when images are built differently.
const GENERATION: u32 = 1;

/// The images, ready to be mounted.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The image that runs outputs.
    pub run: PathBuf,
    /// The image that compiles.
    pub compile: PathBuf,
    /// The JDK's full version and its vendor.
    pub java: String,
    /// A hash of JDK, harness and image recipe.
    pub fingerprint: String,
}

impl Toolchain {
    /// Finds the images for this host's JDK in `folder`, and builds them if they do not exist.
    ///
    /// # Errors
    /// Fails if there is no JDK 17 or newer with `jlink` and its modules, or if the disk is full.
    pub fn prepare(folder: &Path) -> io::Result<Toolchain> {
        let jdk = find_jdk()?;
        let toolchain = Toolchain::of(&jdk, folder)?;
        image(&images(folder), &image_name(&toolchain.fingerprint), |place| build(&jdk, place))?;
        Ok(toolchain)
    }

    /// The images that [`Toolchain::prepare`] finds or builds, whether they exist or not.
    ///
    /// # Errors
    /// There is no suitable JDK.
    pub fn expected(folder: &Path) -> io::Result<Toolchain> {
        Toolchain::of(&find_jdk()?, folder)
    }

    fn of(jdk: &Path, folder: &Path) -> io::Result<Toolchain> {
        let java = release(&fs::read_to_string(jdk.join("release"))?)?;
        let fingerprint = fingerprint(&java);
        let place = images(folder).join(image_name(&fingerprint));
        Ok(Toolchain { run: place.join("run"), compile: place.join("compile"), java, fingerprint })
    }
}

/// The name of the folder with both images of a toolchain.
fn image_name(fingerprint: &str) -> String {
    format!("java-{}", &fingerprint[..16])
}

/// Environment variable that names a folder in which several servers of a machine share the images of all languages.
pub const IMAGES: &str = "AIXGRADE_IMAGES";

/// The folder of images of an engine whose files are in `folder`: the one that [`IMAGES`] names, otherwise the same.
pub fn images(folder: &Path) -> PathBuf {
    let named = std::env::var_os(IMAGES).filter(|named| !named.is_empty());
    named.map_or_else(|| folder.to_owned(), PathBuf::from)
}

/// The image `name` in the folder `images`. If it does not exist, `make` fills its folder, while other processes that need
/// the same image wait.
///
/// # Errors
/// Fails if the disk is full or a tool fails.
pub fn image(images: &Path, name: &str, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let place = images.join(name);
    if place.is_dir() {
        return Ok(place);
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(images)?;
    let lock = images.join(format!("{name}.lock"));
    let _making = locked(&lock)?;
    if !place.is_dir() {
        // Built in a temporary folder and renamed, so that an incomplete image is never used.
        let making = tempfile::Builder::new().prefix("making-").tempdir_in(images)?;
        make(making.path())?;
        readable(making.path())?;
        match fs::rename(making.path(), &place) {
            Ok(()) => drop(making.keep()),
            // Another process was faster, on a file system without locks.
            Err(_) if place.is_dir() => {}
            Err(e) => return Err(e),
        }
        // Processes that wait for the lock find the image.
        let _ = fs::remove_file(lock);
    }
    Ok(place)
}

/// The file, locked until it is dropped, where the file system has locks.
fn locked(file: &Path) -> io::Result<fs::File> {
    let file = fs::File::create(file)?;
    match file.lock() {
        Err(e) if e.kind() != io::ErrorKind::Unsupported => Err(e),
        _ => Ok(file),
    }
}

/// The mounts of an image: path on the host, path in the sandbox.
pub fn mounts(image: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut mounts = vec![(image.join("java"), "/java".to_owned())];
    for entry in fs::read_dir(image.join("sys"))? {
        let entry = entry?;
        mounts.push((entry.path(), format!("/{}", entry.file_name().to_string_lossy())));
    }
    mounts.sort();
    Ok(mounts)
}

/// The JDK from which images are built.
///
/// # Errors
/// Fails if no JDK has `jlink` and its modules.
pub fn find_jdk() -> io::Result<PathBuf> {
    toolchains::system::jdk().ok_or_else(|| {
        let remedy = toolchains::language("java").map(|java| java.remedy(&[], None)).unwrap_or_default();
        let what = "no JDK with javac, jlink and jmods was found on the path";
        let text = format!("{what}. {remedy}, or name a JDK's folder in AIXGRADE_JDK");
        io::Error::new(io::ErrorKind::NotFound, text)
    })
}

/// The full version and vendor from a JDK's `release` file. Versions below 17 are rejected.
fn release(text: &str) -> io::Result<String> {
    let value = |key: &str| {
        text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(|v| v.trim_matches('"').to_owned())
    };
    let version = value("JAVA_RUNTIME_VERSION").or_else(|| value("JAVA_VERSION")).unwrap_or_default();
    let major = version.split(['.', '+']).next().and_then(|m| m.parse::<u32>().ok()).unwrap_or(0);
    if major < 17 {
        return Err(io::Error::other(format!("the JDK is {version:?}; 17 or newer is needed")));
    }
    Ok(match value("IMPLEMENTOR") {
        Some(maker) => format!("{version} ({maker})"),
        None => version,
    })
}

/// A hash of everything that images of a Java build contain, in this build of the program.
pub fn fingerprint(java: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{GENERATION}\n{java}\n{MODULES:?}\n{}\n{GATE}\n", std::env::consts::ARCH));
    for (path, text) in HARNESS {
        hash.update(format!("{path} {}\n{text}", text.len()));
    }
    hex::encode(hash.finalize())
}

#[allow(clippy::too_many_lines, reason = "the steps of one build, in order")]
fn build(jdk: &Path, place: &Path) -> io::Result<()> {
    let (source, modules) = (place.join("src"), place.join("modules"));
    for (path, text) in HARNESS {
        let file = source.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&source))?;
        fs::write(file, text)?;
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    tool::run(
        &jdk.join("bin/javac"),
        [
            "-encoding",
            "UTF-8",
            "-g:none",
            // Concatenates strings by plain calls. By default they are linked at run time, which takes longer than
            // everything else in a JVM that lives for 100 ms.
            "-XDstringConcat=inline",
            "--add-exports",
            "java.base/jdk.internal.access=aixgrade.harness",
            "-d",
            &text(&modules),
            "--module-source-path",
            &text(&source),
            "-m",
            "aixgrade.api,aixgrade.root,aixgrade.wire,aixgrade.harness,aixgrade.compiler",
        ],
    )?;
    // Not in the folder of our modules, because the compiler treats everything in this folder as part of `java.base`.
    let patch = place.join("patch");
    let gate_source = patch.join(native_gate::GATE).with_extension("java");
    fs::create_dir_all(gate_source.parent().unwrap_or(&patch))?;
    fs::write(&gate_source, GATE)?;
    tool::run(
        &jdk.join("bin/javac"),
        [
            "-encoding",
            "UTF-8",
            "-g:none",
            "-XDstringConcat=inline",
            "--patch-module",
            &format!("java.base={}", text(&patch)),
            "-d",
            &text(&patch),
            &text(&gate_source),
        ],
    )?;
    // Our `java.base` comes before the JDK's: `jlink` uses the first module with a name.
    let base = modules.join("java.base.jmod");
    let gate = fs::read(patch.join(native_gate::GATE).with_extension("class"))?;
    patched_base::copy(&jdk.join("jmods/java.base.jmod"), &base, OPENED, &gate)?;
    fs::remove_dir_all(patch)?;
    let path = [&base, &modules, &jdk.join("jmods")].map(|path| text(path)).join(":");
    let modules_of = |ours: &str| format!("aixgrade.api,{ours},{}", MODULES.join(","));
    let images = [
        ("run", "aixgrade.root", RUN_COLLECTOR, &["aixgrade.harness.Rehearsal"][..]),
        (
            "compile",
            "aixgrade.compiler,java.compiler,jdk.compiler",
            COMPILE_COLLECTOR,
            &["-m", "aixgrade.compiler/aixgrade.compiler.Rehearsal"],
        ),
    ];
    for (name, ours, collector, rehearsal) in images {
        let image = place.join(name);
        fs::create_dir_all(&image)?;
        let java = image.join("java");
        tool::run(
            &jdk.join("bin/jlink"),
            [
                "--module-path",
                &path,
                "--add-modules",
                &modules_of(ours),
                "--strip-native-commands",
                "--no-header-files",
                "--no-man-pages",
                "--output",
                &text(&java),
            ],
        )?;
        // `--strip-native-commands` removes all JDK tools; only the launcher is restored.
        fs::create_dir_all(java.join("bin"))?;
        fs::copy(jdk.join("bin/java"), java.join("bin/java"))?;
        for library in LEFT_OUT {
            let _ = fs::remove_file(java.join("lib").join(library));
        }
        archive(&java, collector, rehearsal)?;
        copy_libraries(&java, &image.join("sys"))?;
    }
    fs::remove_dir_all(source)?;
    fs::remove_dir_all(modules)
}

/// Creates the archive of loaded classes, which halves a JVM's start time. It contains the JDK's default class list and
/// the classes that the program `rehearsal` loads.
fn archive(java: &Path, collector: &str, rehearsal: &[&str]) -> io::Result<()> {
    let program = java.join("bin/java");
    let mut list = fs::read_to_string(java.join("lib/classlist")).unwrap_or_default();
    let own = java.join("lib/rehearsal");
    let scratch = tempfile::tempdir()?;
    let option = format!("-XX:DumpLoadedClassList={}", own.display());
    let folder = scratch.path().to_string_lossy();
    let mut args = vec![option.as_str(), collector];
    args.extend(rehearsal);
    args.push(&folder);
    tool::run(&program, args)?;
    list.push_str(&fs::read_to_string(&own)?);
    fs::write(&own, list)?;
    let option = format!("-XX:SharedClassListFile={}", own.display());
    // Archived objects keep their addresses, at the end of a small heap as in later runs. A larger heap encodes
    // addresses differently, and every start would have to rewrite them.
    tool::run(&program, ["-Xshare:dump", collector, "-Xmx128m", &option])?;
    fs::remove_file(own)
}

/// Copies the libraries outside the image that its programs link to, to the same paths below `sys`.
fn copy_libraries(java: &Path, sys: &Path) -> io::Result<()> {
    let ldd = bubblewrap::find("ldd").ok_or_else(|| io::Error::other("`ldd` is missing (package libc-bin)"))?;
    let mut programs = vec![java.join("bin/java")];
    for folder in ["lib", "lib/server"] {
        for entry in fs::read_dir(java.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "so") {
                programs.push(path);
            }
        }
    }
    let mut wanted = BTreeSet::new();
    for program in programs {
        for line in tool::run(&ldd, [&program])?.lines() {
            // Either `libz.so.1 => /lib/…/libz.so.1 (0x…)` or, for the loader, `/lib64/ld-….so.2 (0x…)`.
            let path = line.split("=>").last().unwrap_or_default().split_whitespace().next().unwrap_or_default();
            if path.starts_with('/') && !Path::new(path).starts_with(java) {
                wanted.insert(path.to_owned());
            }
        }
    }
    fs::create_dir_all(sys)?;
    for path in wanted {
        let target = sys.join(path.trim_start_matches('/'));
        fs::create_dir_all(target.parent().unwrap_or(sys))?;
        fs::copy(&path, target)?;
    }
    Ok(())
}

/// Makes everything below a folder readable to all users, whatever this process's umask is.
///
/// # Errors
/// Permissions cannot be read or changed.
pub fn readable(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o755))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            readable(&entry.path())?;
        } else if kind.is_file() {
            let mode = entry.metadata()?.permissions().mode();
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode | 0o444))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_release_file() {
        let check = |text: &str| release(text).ok();
        assert_eq!(
            check("IMPLEMENTOR=\"Debian\"\nJAVA_RUNTIME_VERSION=\"17.0.21+9\"\n").as_deref(),
            Some("17.0.21+9 (Debian)")
        );
        assert_eq!(check("JAVA_VERSION=\"21.0.1\"\n").as_deref(), Some("21.0.1"));
        assert_eq!(check("JAVA_VERSION=\"11.0.2\"\n"), None);
        assert_eq!(check(""), None);
    }
}
