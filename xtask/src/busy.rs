//! Endless loops that keep processors busy, to see what else holds beside them.

use std::process::{Child, Stdio};

use anyhow::{Context, Result};

use crate::tools;

/// Busy processes; dropping this value ends them, and so does the end of this program, whatever ends it.
///
/// Each has its own session: Linux shares a processor between sessions first (autogroup), so busy threads of this program
/// would only take time from this program.
pub struct Busy(Vec<Child>);

impl Busy {
    /// Starts this many.
    pub fn start(count: usize) -> Result<Busy> {
        Busy::beside(count, std::process::id())
    }

    /// Starts this many, which end when the process `beside` has ended.
    fn beside(count: usize, beside: u32) -> Result<Busy> {
        let work = "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; done";
        let mut busy = Busy(Vec::new());
        for _ in 0..count {
            let mut command = tools::command("setsid");
            command.args(["sh", "-c", work, &beside.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
            busy.0.push(command.spawn().context("`setsid` (package util-linux) cannot be started")?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn loops_run_until_they_are_dropped() {
        let mut busy = Busy::start(2).unwrap();
        let ids: Vec<u32> = busy.0.iter().map(Child::id).collect();
        assert!(busy.0.iter_mut().all(|process| process.try_wait().unwrap().is_none()));
        drop(busy);
        let lives = |id: &u32| std::path::Path::new(&format!("/proc/{id}")).exists();
        assert!(ids.len() == 2 && !ids.iter().any(lives));
    }

    #[test]
    fn loops_end_with_the_program_that_started_them() {
        let mut program = Command::new("sleep").arg("600").spawn().unwrap();
        let mut busy = Busy::beside(1, program.id()).unwrap();
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(busy.0[0].wait().unwrap().success());
    }
}
