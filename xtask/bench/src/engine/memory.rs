//! Memory of the engine: a server during a run, and the same server afterwards.

use std::{
    collections::BTreeMap,
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use super::ours::{Ours, Submission};
use crate::grading::Server;

/// Proportional set size (PSS) in MiB.
pub struct Held {
    /// Peak during the runs; `None` if the command line finished all of them before the server joined.
    pub working: Option<f64>,
    /// Number of runs that the server joined.
    pub joined: usize,
    /// Server and its children when idle.
    pub idle: f64,
}

/// Starts a server, starts a run of each submission from the command line, which the server joins, and samples memory.
pub fn held(ours: &Ours, submissions: &[Submission]) -> Result<Held> {
    let server = Server::start_with(&ours.binary, &ours.data(), ours.environment())?;
    let (mut working, mut joined) = (None, 0);
    for submission in submissions {
        let peak = during(ours, submission, server.id())?;
        joined += usize::from(peak.is_some());
        working = [working, peak].into_iter().flatten().reduce(f64::max);
    }
    Ok(Held { working, joined, idle: tree(server.id())?.1 })
}

/// Runs a submission. Returns the server's peak; `None` if it did not join the run.
fn during(ours: &Ours, submission: &Submission, server: u32) -> Result<Option<f64>> {
    let mut run = ours.run_command(submission, &["--fresh"]);
    let mut run = run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak: Option<f64> = None;
    let mut look = || -> Result<usize> {
        let (processes, mib) = tree(server)?;
        if processes > 1 {
            peak = Some(peak.unwrap_or(0.0).max(mib));
        }
        Ok(processes)
    };
    while run.try_wait()?.is_none() {
        look()?;
        thread::sleep(Duration::from_millis(100));
    }
    // The server may still be finishing its part of the run.
    let patience = Instant::now() + Duration::from_secs(60);
    while look()? > 1 {
        if Instant::now() > patience {
            bail!("the server still has processes a minute after the run's end");
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(peak)
}

/// Number and total PSS of a process and its descendants.
fn tree(root: u32) -> Result<(usize, f64)> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // A process that cannot be read has ended.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        parents.insert(pid, parent.unwrap_or(0));
    }
    let below = |mut pid: u32| loop {
        if pid == root {
            return true;
        }
        match parents.get(&pid) {
            Some(&parent) if parent != 0 => pid = parent,
            _ => return false,
        }
    };
    let (mut processes, mut kib) = (0, 0.0);
    for &pid in parents.keys().filter(|&&pid| below(pid)) {
        processes += 1;
        let Ok(rollup) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else { continue };
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or("0 kB");
        kib += line.trim().trim_end_matches(" kB").trim().parse::<f64>().context("smaps_rollup")?;
    }
    Ok((processes, kib / 1024.0))
}
