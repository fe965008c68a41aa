//! Work that is done when this program has ended, whatever ends it: its end, an error, Ctrl-C, a signal.

use std::{
    ffi::OsStr,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};

/// A shell script that runs when this value is dropped or this program ends.
///
/// A shell of its own waits until the pipe from this program closes. It is in a process group of its own, so that Ctrl-C
/// does not reach it.
pub struct After(Child);

impl After {
    /// Prepares a script, with its arguments `$1`, `$2` and so on.
    pub fn run<T: AsRef<OsStr>>(script: &str, arguments: &[T]) -> Result<After> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("while read -r _; do :; done; {script}"), "sh"]).args(arguments);
        shell.stdin(Stdio::piped()).process_group(0);
        Ok(After(shell.spawn().context("cannot start `sh`")?))
    }

    /// Runs the script now; fails if it does.
    pub fn now(mut self) -> Result<()> {
        let status = self.end().context("the script was not waited for")?;
        anyhow::ensure!(status.success(), "what had to be done at the end failed ({status})");
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<std::process::ExitStatus> {
        drop(self.0.stdin.take());
        self.0.wait()
    }
}

impl Drop for After {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::PathBuf};

    use super::*;

    #[test]
    fn a_script_runs_at_the_end_of_its_value() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("made");
        let after = After::run("touch \"$1\"", &[&file]).unwrap();
        assert!(!file.exists());
        drop(after);
        assert!(file.exists());
        After::run("rm \"$1\"", &[&file]).unwrap().now().unwrap();
        assert!(!file.exists());
        assert!(After::run("exit 3", &[""; 0]).unwrap().now().is_err());
    }

    /// Names a file to the program that [`a_script_runs_when_its_program_is_killed`] starts: itself.
    const FILE: &str = "XTASK_TEST_AFTER";

    #[test]
    fn a_script_runs_when_its_program_is_killed() {
        if let Some(file) = env::var_os(FILE).map(PathBuf::from) {
            let _after = After::run("touch \"$1\"", &[file]).unwrap();
            std::process::abort();
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("made");
        let mut program = Command::new(env::current_exe().unwrap());
        program.args(["--exact", "after::tests::a_script_runs_when_its_program_is_killed"]).env(FILE, &file);
        // Waits until nobody can write to its output any more, so for the shell, too.
        let output = program.output().unwrap();
        assert!(!output.status.success());
        assert!(fs::exists(&file).unwrap());
    }
}
