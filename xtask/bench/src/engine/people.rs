//! The two usual ways of running the published tests, measured in the same run as ours: a
//! `javac` and a `java` for each task, and the published runner's one JVM.
//!
//! Both run model code, so both run inside bubblewrap without network or host files, as an ordinary
//! user even when we are root. This isolation protects the machine and is not part of the
//! figures. Compiling the tests is not counted.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::ours::PACKAGED_PREFIX;
use crate::{tools, usage};

/// An unprivileged user, for when we are root.
const NOBODY: u32 = 58_999;

/// Calls the published runner's own method for the tasks named, one after the other.
const CALLER: &str = "public class Caller {
    public static void main(String[] args) {
        for (int at = 2; at < args.length; at++) {
            com.aixcode.autoTest.Executor.evaluationOneExample(args[0], args[1], args[at]);
        }
        System.exit(0);
    }
}
";

/// Prepares the tests, runs `$WAY`, and prints wall time, CPU time and the number of tasks with a result.
const SCRIPT: &str = r#"set -e
cp -r /checkout/src /checkout/lib /work/
java=src/main/java/com/aixcode/autoTest
mkdir tests out
javac -encoding UTF-8 -nowarn -cp 'lib/*' -sourcepath src/main/java -d tests \
    $java/evaluation/*.java $java/Executor.java /ours/Caller.java 2> log || { tail log >&2; exit 1; }
sources=""
for id in $IDS; do sources="$sources $java/generate/aixcoder/$PREFIX$id.java"; done
run() { java -cp 'out:tests:lib/*' Caller com.aixcode.autoTest.generate.aixcoder "$PREFIX" "$@" 2> /dev/null; }
times > before
begun=$(date +%s%N)
if [ "$WAY" = each ]; then
    for id in $IDS; do
        javac -encoding UTF-8 -nowarn -cp 'tests:lib/*' -d out $java/generate/aixcoder/$PREFIX$id.java 2> log
        run "$id" >> results
    done
else
    javac -encoding UTF-8 -nowarn -cp 'tests:lib/*' -d out $sources 2> log
    run $IDS >> results
fi
ended=$(date +%s%N)
times > after
tail -n 1 before
tail -n 1 after
echo "$begun $ended"
grep -c ' result:' results
"#;

/// The way of running.
#[derive(Clone, Copy)]
pub enum Way {
    /// A compiler and a JVM for each task.
    Each,
    /// All classes compiled at once and run in one JVM.
    OneJvm,
}

/// Result of a measurement.
pub struct Took {
    /// Wall time.
    pub wall: Duration,
    /// Processor time of all processes.
    pub cpu: Duration,
    /// Tasks with a result.
    pub outputs: usize,
}

impl Took {
    /// Outputs per second of CPU time.
    pub fn per_core_second(&self) -> f64 {
        self.outputs as f64 / self.cpu.as_secs_f64()
    }
}

/// Runs the packaged classes of these tasks.
pub fn measure(checkout: &Path, way: Way, tasks: &[String]) -> Result<Took> {
    let ours = folder()?;
    fs::write(ours.path().join("Caller.java"), CALLER)?;
    fs::write(ours.path().join("measure.sh"), SCRIPT)?;
    let way = match way {
        Way::Each => "each",
        Way::OneJvm => "one",
    };
    let jdk = jdk()?;
    let mut command = isolated(&jdk)?;
    command.arg("--ro-bind").arg(checkout).arg("/checkout").arg("--ro-bind").arg(ours.path()).arg("/ours");
    let path = format!("{}:/usr/bin:/bin", jdk.join("bin").display());
    command.args(["--clearenv", "--setenv", "PATH", &path, "--setenv", "LC_ALL", "C.UTF-8"]);
    command.args(["--setenv", "WAY", way, "--setenv", "PREFIX", PACKAGED_PREFIX, "--setenv", "IDS", &tasks.join(" ")]);
    command.args(["--", "sh", "/ours/measure.sh"]);
    let stdout = usage::measure(&mut command)?.stdout;
    let lines: Vec<&str> = stdout.lines().collect();
    let [before, after, clock, results] = lines.as_slice() else { bail!("the way of today said {stdout:?}") };
    let clock: Vec<u64> = clock.split(' ').filter_map(|nanos| nanos.parse().ok()).collect();
    let [begun, ended] = clock.as_slice() else { bail!("the way of today said {stdout:?}") };
    Ok(Took {
        wall: Duration::from_nanos(ended - begun),
        cpu: children(after)?.saturating_sub(children(before)?),
        outputs: results.trim().parse()?,
    })
}

/// The folder of the JDK on the path.
pub fn jdk() -> Result<PathBuf> {
    let javac = tools::run_quietly(tools::command("readlink").args(["-f"]).arg(which("javac")?))?;
    Ok(Path::new(javac.trim()).ancestors().nth(2).context("`javac` is not in a JDK's bin folder")?.to_path_buf())
}

/// Bubblewrap as an ordinary user, with the system's programs, a toolchain's folder and an empty `/work`; without
/// network or other files of the host.
pub fn isolated(toolchain: &Path) -> Result<Command> {
    let mut command = tools::command("bwrap");
    command.args(["--unshare-all", "--new-session", "--die-with-parent", "--cap-drop", "ALL"]);
    for folder in ["/usr", "/bin", "/lib", "/lib64"] {
        command.args(["--ro-bind-try", folder, folder]);
    }
    // Debian's JDK keeps its settings there.
    for version in fs::read_dir("/etc")?.flatten().filter(|e| e.file_name().to_string_lossy().starts_with("java-")) {
        command.arg("--ro-bind").arg(version.path()).arg(version.path());
    }
    command.arg("--ro-bind-try").arg(toolchain).arg(toolchain);
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/work", "--tmpfs", "/tmp", "--chdir", "/work"]);
    // A world-accessible folder, because ours may be closed to the unprivileged user.
    command.current_dir("/");
    ordinary(&mut command)?;
    Ok(command)
}

/// User and system time of a shell's children, as `times` says it: `0m8.750000s 0m0.730000s`.
pub fn children(line: &str) -> Result<Duration> {
    let one = |text: &str| -> Option<f64> {
        let (minutes, seconds) = text.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let all: Option<Vec<f64>> = line.split_whitespace().map(one).collect();
    let all = all.with_context(|| format!("`times` said {line:?}"))?;
    Ok(Duration::from_secs_f64(all.iter().sum()))
}

/// A world-readable folder.
pub fn folder() -> Result<TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

/// Drops root privileges.
fn ordinary(command: &mut Command) -> Result<()> {
    if fs::metadata("/proc/self")?.uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    Ok(())
}

/// Path of a program.
pub fn which(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .with_context(|| format!("`{name}` is not on the path"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_shells_times() {
        let check = |line: &str, expected: Option<u64>| {
            assert_eq!(children(line).ok().map(|d| d.as_millis()), expected.map(u128::from), "{line}");
        };
        check("0m8.750000s 0m0.730000s", Some(9480));
        check("2m0.5s 0m0s", Some(120_500));
        check("nothing", None);
    }
}
