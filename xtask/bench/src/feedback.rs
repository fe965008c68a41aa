//! `cargo xtask bench feedback`: how long whoever changes something waits until it shows.
//!
//! Each change puts a comment before the first line of a file, so that every place in the file moves and incremental
//! compilation cannot see that nothing has changed. The file is restored, whatever ends the measurement.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use tempfile::TempDir;
use xtask::after::After;

use super::{Report, Target};
use crate::tools;

/// `bench feedback`
#[derive(Args)]
pub struct Options {
    /// Changes to measure [default: all]
    #[arg(value_name = "CHANGE", value_parser = clap::builder::PossibleValuesParser::new(CHANGES.map(|c| c.name)))]
    changes: Vec<String>,
    /// Measure a whole `cargo xtask test`, too, of which only the dependencies are compiled; it takes long
    #[arg(long)]
    whole: bool,
}

/// A change and what shows it.
#[derive(Clone, Copy)]
struct Change {
    name: &'static str,
    what: &'static str,
    /// The changed file.
    file: &'static str,
    shown: Shown,
    /// In seconds, on two cores.
    at_most: f64,
}

/// What shows a change.
#[derive(Clone, Copy)]
enum Shown {
    /// `cargo xtask dev` serves the page at this address.
    Served(&'static str),
    /// `cargo test` with these arguments has run.
    Tested(&'static [&'static str]),
}

/// What is measured. The tests are those of the changed file's package and module.
const CHANGES: [Change; 4] = [
    Change {
        name: "page",
        what: "an admin page, until `cargo xtask dev` serves it",
        file: "app/admin/src/home.rs",
        shown: Shown::Served("/login"),
        at_most: 45.0,
    },
    Change {
        name: "service",
        what: "a service, until its tests have run",
        file: "server/services/src/uploads.rs",
        shown: Shown::Tested(&["--package", "services", "--lib", "uploads"]),
        at_most: 60.0,
    },
    Change {
        name: "query",
        what: "a query, until its tests have run",
        file: "server/db/src/quality/monitoring.rs",
        shown: Shown::Tested(&["--package", "db", "--lib", "quality::monitoring"]),
        at_most: 60.0,
    },
    Change {
        name: "toolchain",
        what: "a toolchain, until its tests have run",
        file: "server/lang/src/python/scripts.rs",
        shown: Shown::Tested(&["--package", "lang", "--lib", "python"]),
        at_most: 60.0,
    },
];

/// In minutes: dependencies compiled, nothing else.
const WHOLE_AT_MOST: f64 = 15.0;

/// Measures the chosen changes.
pub fn run(options: &Options) -> Result<Report> {
    let chosen = |change: &&Change| options.changes.is_empty() || options.changes.iter().any(|c| c == change.name);
    let chosen: Vec<&Change> = CHANGES.iter().filter(chosen).collect();
    // Before minutes are spent.
    for change in &chosen {
        change.path()?;
    }
    let mut report = Report::new("feedback");
    for change in chosen {
        let time = change.measure().with_context(|| format!("a change of {}", change.file))?;
        report.promised(change.what, time.as_secs_f64(), "s", Target::AtMost(change.at_most));
    }
    if options.whole {
        whole(&mut report)?;
    }
    Ok(report)
}

impl Change {
    fn path(&self) -> Result<PathBuf> {
        let path = tools::root().join(self.file);
        if !path.is_file() {
            bail!("{} is missing: the table of changes in xtask/bench/src/feedback.rs names another file", self.file);
        }
        Ok(path)
    }

    fn measure(&self) -> Result<Duration> {
        let file = self.path()?;
        match self.shown {
            Shown::Served(page) => served(&file, page),
            Shown::Tested(arguments) => tested(&file, arguments),
        }
    }
}

/// The time from a change to the end of a test run, in which a test ran.
fn tested(file: &Path, arguments: &[&str]) -> Result<Duration> {
    let test = || -> Result<()> {
        let mut cargo = tools::cargo();
        let mut tests = 0;
        let passed = tools::run_lines(cargo.args(["test", "--locked"]).args(arguments), |line| {
            eprintln!("{line}");
            tests += usize::from(line.starts_with("test ") && line.ends_with("... ok"));
        })?;
        if !passed || tests == 0 {
            bail!("`{}` {}", tools::shown(&cargo), if passed { "ran no test" } else { "failed" });
        }
        Ok(())
    };
    tools::say_aside("Building and testing without the change");
    test()?;
    let edit = Edit::make(file)?;
    tools::say_aside(format!("Changing {} and testing again", file.display()));
    let begun = Instant::now();
    test()?;
    let time = begun.elapsed();
    edit.undo()?;
    Ok(time)
}

/// The time from a change to the page that a new server answers with.
fn served(file: &Path, page: &str) -> Result<Duration> {
    tools::say_aside("Starting `cargo xtask dev`");
    let mut dev = Dev::start()?;
    let before = dev.server_after(None)?;
    let edit = Edit::make(file)?;
    tools::say_aside(format!("Changing {}", file.display()));
    let begun = Instant::now();
    dev.server_after(Some(&before))?;
    dev.get(page).with_context(|| format!("the new server does not serve {page}"))?;
    let time = begun.elapsed();
    edit.undo()?;
    Ok(time)
}

/// A changed file; it is restored when this value is dropped or this program ends.
struct Edit(After);

/// Restores `$1` from `$2/before`, unless somebody else has changed it meanwhile.
const RESTORE: &str = r#"set -e
if cmp -s "$1" "$2/after"; then
    cat "$2/before" > "$1"
elif ! cmp -s "$1" "$2/before"; then
    echo "$1 was changed meanwhile and is not restored; as it was: $2/before" >&2
    exit 1
fi
rm -r "$2""#;

impl Edit {
    fn make(file: &Path) -> Result<Edit> {
        let before = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let comment = match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs" | "java") => "//",
            Some("sql") => "--",
            _ => bail!("{} has comments of a kind that is not known here", file.display()),
        };
        let after = format!("{comment} Written by `cargo xtask bench feedback`, which removes it.\n{before}");
        // Deleted by the script, because it must outlive this program.
        let kept = tempfile::Builder::new().prefix("aixgrade-feedback-").tempdir()?.keep();
        fs::write(kept.join("before"), before)?;
        fs::write(kept.join("after"), &after)?;
        let edit = Edit(After::run(RESTORE, &[file, kept.as_path()])?);
        fs::write(file, after)?;
        Ok(edit)
    }

    fn undo(self) -> Result<()> {
        self.0.now()
    }
}

/// A running `cargo xtask dev`, ended with this value or this program.
struct Dev {
    process: Child,
    end: Option<After>,
    address: String,
    _data: TempDir,
}

/// How long a server may take to answer: a first build on a slow machine.
const PATIENCE: Duration = Duration::from_secs(3600);

impl Dev {
    fn start() -> Result<Dev> {
        let data = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut cargo = tools::cargo();
        cargo.args(["run", "--locked", "--quiet", "--package", "xtask", "--", "dev", "--port"]);
        cargo.arg(address.port().to_string()).arg("--data").arg(data.path());
        // In a group of its own, with its server, so that both can be ended.
        cargo.stdin(Stdio::null()).stdout(std::io::stderr()).process_group(0);
        let process = cargo.spawn().context("cannot start `cargo xtask dev`")?;
        let end = Some(After::run("kill -KILL -- \"-$1\"", &[process.id().to_string()])?);
        Ok(Dev { process, end, address: address.to_string(), _data: data })
    }

    /// Waits for a server that is not the one with this name, and returns its name.
    fn server_after(&mut self, before: Option<&str>) -> Result<String> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait()? {
                bail!("`cargo xtask dev` ended ({status})");
            }
            // Without an answer, the server has not started yet, or not again.
            if let Ok(name) = self.get("/dev/server")
                && before != Some(name.as_str())
            {
                return Ok(name);
            }
            if begun.elapsed() > PATIENCE {
                bail!("no new server within {} minutes", PATIENCE.as_secs() / 60);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The answer to a request, which must be good.
    fn get(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("the answer has no end of its head")?;
        let status = head.lines().next().unwrap_or_default();
        if !status.contains(" 200 ") {
            bail!("{path} is answered with {status}");
        }
        Ok(body.to_owned())
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.process.wait();
    }
}

/// Times a whole test run by stage, with nothing compiled but dependencies.
fn whole(report: &mut Report) -> Result<()> {
    let test = |names: &[&str]| {
        let mut cargo = tools::cargo();
        cargo.args(["run", "--locked", "--quiet", "--package", "xtask", "--", "test"]).args(names);
        cargo
    };
    tools::say_aside("Building what the tests need");
    let mut build = test(&["build", "client"]);
    tools::run(build.stdout(std::io::stderr()))?;
    outdate()?;
    let mut stages = Vec::new();
    let begun = Instant::now();
    let passed = tools::run_lines(&mut test(&[]), |line| {
        eprintln!("{line}");
        stages.extend(stage(line).map(|(name, seconds)| (name.to_owned(), seconds)));
    })?;
    let whole = begun.elapsed().as_secs_f64() / 60.0;
    if !passed {
        bail!("`cargo xtask test` failed");
    }
    report.promised("`cargo xtask test`, dependencies compiled", whole, "min", Target::AtMost(WHOLE_AT_MOST));
    for (name, seconds) in stages {
        report.figure(format!("of it, {name}"), seconds / 60.0, "min");
    }
    report.note("Stages run at the same time, so their sum is more than the whole.");
    Ok(())
}

/// Lets cargo compile every package of the workspace and the client again.
fn outdate() -> Result<()> {
    for package in tools::packages()? {
        for target in package.targets {
            let file = fs::File::options().append(true).open(&target.source);
            file.and_then(|file| file.set_modified(std::time::SystemTime::now()))
                .with_context(|| format!("cannot touch {}", target.source.display()))?;
        }
    }
    xtask::client::forget()
}

/// The name and the seconds of a stage in a line of the summary of `cargo xtask test`.
fn stage(line: &str) -> Option<(&str, f64)> {
    let (seconds, rest) = line.strip_prefix("passed ")?.split_once(" s  ")?;
    Some((rest.split_once(':')?.0, seconds.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_exist_and_their_tests_do() {
        let packages = tools::packages().unwrap();
        for change in &CHANGES {
            let path = change.path().unwrap();
            if let Shown::Tested(arguments) = change.shown {
                let [_, package, _, module] = arguments else { panic!("{}: not a package and a module", change.name) };
                let package = packages.iter().find(|known| known.name == *package).unwrap();
                let module: PathBuf = package.folder.join("src").join(module.split("::").collect::<PathBuf>());
                assert!(path.with_extension("").starts_with(module), "{} is tested by others", change.file);
                let text = fs::read_to_string(path).unwrap();
                assert!(text.contains("#[test]") || text.contains("#[tokio::test"), "{} has no test", change.file);
            }
        }
        let missing = Change { file: "no/such/file.rs", ..CHANGES[0] };
        assert!(missing.path().unwrap_err().to_string().starts_with("no/such/file.rs is missing"));
    }

    #[test]
    fn an_edit_is_undone_unless_somebody_else_has_edited() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lib.rs");
        let text = || fs::read_to_string(&file).unwrap();
        fs::write(&file, "//! About.\n").unwrap();
        let edit = Edit::make(&file).unwrap();
        assert!(text().starts_with("// ") && text().ends_with("\n//! About.\n"));
        edit.undo().unwrap();
        assert_eq!(text(), "//! About.\n");
        drop(Edit::make(&file).unwrap());
        assert_eq!(text(), "//! About.\n");
        let edit = Edit::make(&file).unwrap();
        fs::write(&file, "mine").unwrap();
        assert!(edit.undo().is_err());
        assert_eq!(text(), "mine");
        fs::write(folder.path().join("a.xyz"), "").unwrap();
        assert!(Edit::make(&folder.path().join("a.xyz")).is_err());
    }

    #[test]
    fn stages_are_read_from_the_summary() {
        assert_eq!(stage("passed     12.3 s  rust: Rust tests  7 passed, 0 failed"), Some(("rust", 12.3)));
        assert_eq!(stage("FAILED     12.3 s  rust: Rust tests"), None);
        assert_eq!(stage("passed"), None);
    }
}
