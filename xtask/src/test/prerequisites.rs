//! Prerequisites of tests next to the checkout, and which tests may be skipped without them.
//!
//! The tests' half is `server/prerequisites/src/lib.rs`: it writes a line for each skipped test to the
//! file that [`VARIABLE`] names.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context, Result};

use crate::{toolchains, tools};

/// Environment variable with the file to which tests append `kind<TAB>name<TAB>reason` when they are
/// skipped.
const VARIABLE: &str = "AIXGRADE_TEST_SKIPPED";

/// The published data of AixBench next to a checkout, relative to the workspace's parent folder.
const SHARED_DATA: &str = "shared/data/aixbench";
/// The same for HumanEval-X.
const SHARED_HUMANEVAL_X: &str = "shared/data/humaneval-x";
/// The same for the verdicts of CodeIF-Bench's programs.
const SHARED_CODEIF_VECTORS: &str = "shared/data/codeif-bench";

/// The missing prerequisite of a skipped test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Published data, which are not part of the repository.
    Data,
    /// A kernel feature or a permission that this machine lacks, such as control groups, or a compiler that xtask does
    /// not install.
    Host,
    /// The toolchain of a programming language, which xtask installs.
    Toolchain,
    /// A benchmark without a license, which only the environment can name.
    Unlicensed,
    /// Nothing: the test is disabled.
    Ignored,
}

/// A test that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    pub kind: Kind,
    pub name: String,
    pub why: String,
}

impl Skip {
    pub fn ignored(name: &str) -> Skip {
        Skip { kind: Kind::Ignored, name: name.to_owned(), why: "it is marked as ignored".to_owned() }
    }

    /// Reads a line that a test wrote.
    fn parse(line: &str) -> Option<Skip> {
        let mut parts = line.splitn(3, '\t');
        let kind = match parts.next()? {
            "data" => Kind::Data,
            "host" => Kind::Host,
            "unlicensed" => Kind::Unlicensed,
            kind => match toolchains::is_installed(kind.strip_prefix("toolchain ")?) {
                true => Kind::Toolchain,
                false => Kind::Host,
            },
        };
        Some(Skip { kind, name: parts.next()?.to_owned(), why: parts.next()?.to_owned() })
    }
}

/// The prerequisites found on this machine.
#[derive(Default)]
pub struct Prerequisites {
    /// The folder with AixBench's published data files.
    pub data: Option<PathBuf>,
    /// A checkout of AixBench.
    pub checkout: Option<PathBuf>,
    /// The folder with the published files of HumanEval-X.
    pub humaneval_x: Option<PathBuf>,
    /// A checkout of CodeIF-Bench, and the folder with the verdicts of its programs.
    pub codeif_bench: Option<PathBuf>,
    pub codeif_vectors: Option<PathBuf>,
    /// Whether the data and the toolchains that xtask installs are expected here: in CI, with `shared/` next to the
    /// checkout.
    pub strict: bool,
}

impl Prerequisites {
    /// Finds the published data, named in the environment or next to the checkout, and unpacks the
    /// benchmark's repository unless a checkout of it is named.
    ///
    /// # Errors
    ///
    /// Fails if the archive exists but cannot be unpacked.
    pub fn find() -> Result<Prerequisites> {
        let named = |variable| std::env::var_os(variable).map(PathBuf::from);
        let parent = tools::root().parent().map(Path::to_path_buf).unwrap_or_default();
        let published = |variable, shared| {
            let shared = Some(parent.join(shared)).filter(|folder| folder.is_dir());
            named(variable).or(shared).and_then(|folder| folder.canonicalize().ok())
        };
        let data = published("AIXGRADE_TEST_DATA", SHARED_DATA);
        let humaneval_x = published("AIXGRADE_TEST_HUMANEVAL_X", SHARED_HUMANEVAL_X);
        let codeif_bench = named("AIXGRADE_TEST_CODEIF_BENCH").and_then(|folder| folder.canonicalize().ok());
        let codeif_vectors = published("AIXGRADE_TEST_CODEIF_VECTORS", SHARED_CODEIF_VECTORS);
        let archive = data.as_ref().map(|folder| folder.join("checkout.tar.gz")).filter(|file| file.is_file());
        let checkout = match (named("AIXGRADE_TEST_AIXBENCH"), archive) {
            (Some(folder), _) => Some(folder.canonicalize().with_context(|| folder.display().to_string())?),
            (None, Some(archive)) => Some(unpacked(&archive)?),
            (None, None) => None,
        };
        let strict = std::env::var_os("CI").is_some_and(|ci| ci != "false") && parent.join("shared").is_dir();
        Ok(Prerequisites { data, checkout, humaneval_x, codeif_bench, codeif_vectors, strict })
    }

    /// Prints where the data are, or what is skipped without them.
    pub fn announce(&self) {
        let places = [
            ("Published data", &self.data),
            ("AixBench checkout", &self.checkout),
            ("HumanEval-X", &self.humaneval_x),
            ("CodeIF-Bench checkout", &self.codeif_bench),
            ("Verdicts of CodeIF-Bench", &self.codeif_vectors),
        ];
        for (what, place) in places {
            match place {
                Some(folder) => println!("{what}: {}", folder.display()),
                None => println!("{what}: not found; tests that need it are skipped"),
            }
        }
    }

    /// Passes the data to a command that runs tests.
    pub fn pass_to(&self, command: &mut Command) {
        let named = [
            ("AIXGRADE_TEST_DATA", &self.data),
            ("AIXGRADE_TEST_AIXBENCH", &self.checkout),
            ("AIXGRADE_TEST_HUMANEVAL_X", &self.humaneval_x),
            ("AIXGRADE_TEST_CODEIF_BENCH", &self.codeif_bench),
            ("AIXGRADE_TEST_CODEIF_VECTORS", &self.codeif_vectors),
        ];
        for (variable, folder) in named {
            match folder {
                Some(folder) => command.env(variable, folder),
                None => command.env_remove(variable),
            };
        }
        command.env(toolchains::VARIABLE, toolchains::prepared_for_tests());
    }

    /// Whether a test may not be skipped here.
    pub fn forbid(&self, skip: &Skip) -> bool {
        match skip.kind {
            Kind::Data | Kind::Toolchain => self.strict,
            Kind::Host | Kind::Unlicensed => false,
            Kind::Ignored => true,
        }
    }
}

/// Lets a command's tests report skips; returns the skips with the result of `run`.
pub fn collect<T>(command: &mut Command, run: impl FnOnce(&mut Command) -> Result<T>) -> Result<(T, Vec<Skip>)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("aixgrade-skipped-{}-{number}", std::process::id()));
    fs::write(&file, "")?;
    let result = run(command.env(VARIABLE, &file));
    let text = fs::read_to_string(&file);
    fs::remove_file(&file)?;
    let (result, text) = (result?, text?);
    let lines = text.lines().map(|line| Skip::parse(line).with_context(|| format!("not a skipped test: {line}")));
    Ok((result, lines.collect::<Result<_>>()?))
}

/// The folder with an archive's files, under `target`; unpacked again when the archive has changed.
fn unpacked(archive: &Path) -> Result<PathBuf> {
    let folder = tools::root().join("target/aixbench");
    let place = folder.join(tools::fingerprint([fs::read(archive)?]));
    if !place.is_dir() {
        let fresh = folder.join("unpacking");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&fresh)?;
        let mut tar = tools::command("tar");
        tools::run_quietly(
            tar.args(["--extract", "--gzip", "--no-same-owner", "--file"]).arg(archive).arg("--directory").arg(&fresh),
        )?;
        // Renamed last, in one step, so that a folder with this name is always complete.
        fs::rename(&fresh, &place)?;
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_could_run_may_not_be_skipped_in_ci() {
        let forbids = |strict, kind| {
            let prerequisites = Prerequisites { strict, ..Prerequisites::default() };
            prerequisites.forbid(&Skip { kind, name: "name".into(), why: "why".into() })
        };
        let kinds = [Kind::Data, Kind::Toolchain, Kind::Ignored, Kind::Host];
        assert_eq!(kinds.map(|kind| forbids(true, kind)), [true, true, true, false]);
        assert_eq!(kinds.map(|kind| forbids(false, kind)), [false, false, true, false]);
    }

    #[test]
    fn skipped_tests_report_themselves_by_name() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "printf 'data\\ta::b\\tno data\\nhost\\tc\\tno groups\\n' >> \"$AIXGRADE_TEST_SKIPPED\""]);
        let ((), skipped) = collect(&mut shell, tools::run).unwrap();
        let expected = [(Kind::Data, "a::b", "no data"), (Kind::Host, "c", "no groups")];
        assert_eq!(skipped, expected.map(|(kind, name, why)| Skip { kind, name: name.into(), why: why.into() }),);
        let languages = ["python", "javascript", "go", "rust", "servers", "cpp"];
        let kinds = languages.map(|lang| Skip::parse(&format!("toolchain {lang}\tname\twhy")).map(|skip| skip.kind));
        let [installed, other] = [Kind::Toolchain, Kind::Host].map(Some);
        assert_eq!(kinds, [installed, installed, installed, installed, installed, other]);
        assert!(
            collect(Command::new("sh").args(["-c", "echo oops >> \"$AIXGRADE_TEST_SKIPPED\""]), tools::run).is_err()
        );
    }
}
