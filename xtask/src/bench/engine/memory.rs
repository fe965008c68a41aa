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
use crate::bench::grading::Server;

/// Proportional set size (PSS) in MiB.
pub struct Held {
    /// Peak during the run; `None` if the command line finished before the
    /// server joined.
    pub working: Option<f64>,
    /// Server and its children when idle.
    pub idle: f64,
}

/// Starts a server, starts a run from the command line, which the server joins, and samples memory.
pub fn held(ours: &Ours, submission: &Submission) -> Result<Held> {
    let server = Server::start(&ours.binary, &ours.data())?;
    let mut run = ours.run_command(submission, &["--fresh"]);
    let mut run = run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut working: Option<f64> = None;
    let mut look = || -> Result<usize> {
        let (processes, mib) = tree(server.id())?;
        if processes > 1 {
            working = Some(working.unwrap_or(0.0).max(mib));
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
    Ok(Held { working, idle: tree(server.id())?.1 })
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
