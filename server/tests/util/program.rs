//! The program under test as a process, and the images of Java that its sandboxes need.

use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::Command,
};

use super::TestApp;

/// The program's file.
pub fn path() -> PathBuf {
    // A build folder that several checkouts share may contain another's program.
    std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into()).into()
}

/// The program with `args`, over the app's data.
pub fn program(app: &TestApp, args: &[&str]) -> Command {
    let mut command = program_over(&app.services.folder);
    command.args(args);
    command
}

/// The program over a data folder.
#[allow(clippy::disallowed_methods, reason = "the program under test is a process")]
pub fn program_over(data: &Path) -> Command {
    link_images(&shared(), &data.join("engine"));
    let mut command = Command::new(path());
    command.arg("--data").arg(data);
    command
}

/// When dropped, passes the images of Java that were made in a data folder on to the other tests: each takes a dozen seconds
/// of CPU time, and all are the same.
pub struct SharedImages(pub PathBuf);

impl Drop for SharedImages {
    fn drop(&mut self) {
        link_images(&self.0.join("engine"), &shared());
    }
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("it")
}

/// Links every image of a folder that the other folder does not have.
#[allow(clippy::disallowed_methods, reason = "the standard library does not link folders")]
fn link_images(from: &Path, to: &Path) {
    // Programs make their data folder themselves, for themselves alone.
    if !to.parent().is_some_and(Path::exists) {
        return;
    }
    // An image that is being made has another name.
    let is_image = |name: &str| name.strip_prefix("java-").is_some_and(|key| key.len() == 16);
    let names = fs::read_dir(from).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| is_image(name) && !to.join(name).exists()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(to).unwrap();
        let part = tempfile::tempdir_in(to).unwrap();
        let copy = |how: &str| Command::new("cp").arg(how).arg(from.join(&name)).arg(part.path()).status();
        // Between file systems, links are not possible.
        if copy("-al").is_ok_and(|status| status.success()) || copy("-a").is_ok_and(|status| status.success()) {
            // Another test may have been faster.
            let _first = fs::rename(part.path().join(&name), to.join(&name));
        }
    }
}
