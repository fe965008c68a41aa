//! Cost of isolation: the same JVM with the same program, inside and outside the sandbox.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::people::{folder, which};
use crate::{tools, usage};

/// Number of pairs; their mean difference is stable to about a millisecond.
const PAIRS: u32 = 40;

const HARMLESS: &str = "public class Harmless {
    public static void main(String[] args) {
        System.out.println(\"harmless\");
    }
}
";

/// As `server/engine/src/runner.rs` starts it.
const FLAGS: [&str; 11] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:CompileThresholdScaling=10",
    "-XX:+UseG1GC",
    "-XX:ParallelGCThreads=1",
    "-XX:ConcGCThreads=1",
    "-XX:G1ConcRefinementThreads=0",
    "-XX:-UseAES",
    "-XX:-UsePerfData",
    "-Xshare:auto",
    "-Xms32m",
    "-Xmx256m",
];

/// Processor time of one start, in milliseconds.
pub struct Cost {
    /// Outside the sandbox.
    pub bare_ms: f64,
    /// Inside, including helper, bubblewrap, filter, limits and mounts.
    pub isolated_ms: f64,
}

/// Measures with the engine's Java image, alternating, so that other load on the
/// machine affects both equally.
pub fn cost(binary: &Path, data: &Path) -> Result<Cost> {
    let image = image(data)?;
    let program = folder()?;
    fs::write(program.path().join("Harmless.java"), HARMLESS)?;
    tools::run_quietly(
        tools::command("javac").arg("-d").arg(program.path()).arg(program.path().join("Harmless.java")),
    )?;
    let mut read_only = vec![json!([image.join("java"), "/java"]), json!([program.path(), "/program"])];
    for entry in fs::read_dir(image.join("sys"))? {
        let entry = entry?;
        read_only.push(json!([entry.path(), format!("/{}", entry.file_name().to_string_lossy())]));
    }
    let mut argv = vec!["/java/bin/java"];
    argv.extend(FLAGS);
    argv.extend(["-cp", "/program", "Harmless"]);
    let helper = binary.with_file_name("aixgrade-sandbox");
    // The message from the server to its helper: `server/helper/src/lib.rs`.
    let order = json!({
        "version": tools::run_quietly(tools::command(&helper).arg("--version"))?.trim(),
        "command": {
            "argv": argv,
            "env": [["LC_ALL", "C.UTF-8"], ["LD_LIBRARY_PATH", "/java/lib/server:/java/lib"]],
            "read_only": read_only,
            "scratch": ["/work", "/tmp"],
            "limits": {
                "cpu_s": 10, "data_bytes": 1_u64 << 30, "threads": 96, "file_bytes": 32 << 20, "open_files": 256,
                "scratch_bytes": 64 << 20, "scratch_files": 4096, "printed_bytes": 8 << 20,
            },
        },
        "bwrap": which("bwrap")?, "uid": 58_998, "groups": [],
    });
    let order = order.to_string();
    let (mut bare_ms, mut isolated_ms) = (0.0, 0.0);
    for _ in 0..PAIRS {
        let mut bare = tools::command(image.join("java/bin/java"));
        bare.args(FLAGS).arg("-cp").arg(program.path()).arg("Harmless");
        bare_ms += once(&mut bare)?;
        // As `server/sandbox/src/bubblewrap.rs` starts it.
        let mut isolated = tools::command(&helper);
        isolated.args(["__sandbox", &order]);
        isolated_ms += once(&mut isolated)?;
    }
    Ok(Cost { bare_ms: bare_ms / f64::from(PAIRS), isolated_ms: isolated_ms / f64::from(PAIRS) })
}

fn once(command: &mut std::process::Command) -> Result<f64> {
    let used = usage::measure(command)?;
    if used.stdout.trim() != "harmless" {
        bail!("the harmless program said {:?}", used.stdout);
    }
    Ok(used.cpu.as_secs_f64() * 1000.0)
}

fn image(data: &Path) -> Result<std::path::PathBuf> {
    let engine = data.join("engine");
    let made = fs::read_dir(&engine)?.flatten().map(|entry| entry.path().join("run"));
    made.into_iter().find(|run| run.join("java/bin/java").is_file()).context("the engine has made no Java image")
}
