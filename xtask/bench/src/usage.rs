//! Resource usage of a command: wall time and CPU time, including its children.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use nix::sys::{
    resource::{Usage, UsageWho, getrusage},
    time::TimeValLike,
};

use crate::tools;

/// Usage and output of a command.
pub struct Used {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of the command and its descendants that were waited for, as added up by the kernel.
    pub cpu: Duration,
    /// Its standard output.
    pub stdout: String,
}

/// Runs a command to its end; shows its standard error only if it fails. Commands must not be measured at
/// the same time, because the kernel adds up the CPU time of all children.
pub fn measure(command: &mut Command) -> Result<Used> {
    let before = cpu()?;
    let begun = Instant::now();
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", tools::shown(command)))?;
    let wall = begun.elapsed();
    let cpu = cpu()?.saturating_sub(before);
    if !output.status.success() {
        bail!(
            "`{}` failed ({}):\n{}",
            tools::shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(Used { wall, cpu, stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
}

fn cpu() -> Result<Duration> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}
