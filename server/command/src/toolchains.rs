//! The command `toolchains`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, builder::PossibleValuesParser};
use serde::Serialize;
use toolchains::{
    Installed, Language, Part, Step,
    install::{self, missing},
    packs,
    system::{self, Need},
};

use super::{Output, size, table};
use base::{error::Failure, folders::create_private};
use lang::Places;

/// `toolchains`
#[derive(Args)]
pub struct Toolchains {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List each language: what is there, in which version, and what is missing [default]
    List,
    /// Install what can be had without root, with pip, npm, go and cargo; print what root must install
    Install(Install),
    /// Write the installed toolchains to a file, for `toolchains install --from` on another machine
    Pack {
        /// A new file whose name ends in .tar.gz
        file: PathBuf,
    },
}

/// `toolchains install`
#[derive(Args)]
struct Install {
    /// Languages to install [default: all]
    #[arg(value_parser = PossibleValuesParser::new(toolchains::LANGUAGES.iter().map(|language| language.code)))]
    languages: Vec<String>,
    /// Install from a file that `toolchains pack` wrote on a machine of the same kind; nothing is downloaded
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Refuse the file if its SHA-256, which `toolchains pack` printed, is another one
    #[arg(long, value_name = "HEX", requires = "from")]
    sha256: Option<String>,
}

/// A language on this machine.
#[derive(Serialize)]
struct Row {
    code: &'static str,
    name: &'static str,
    ready: bool,
    /// Programs with their versions, and installed parts.
    found: Vec<String>,
    /// What root must install.
    missing: Vec<&'static str>,
    /// Parts that the command installs.
    to_install: Vec<&'static str>,
    /// Why outputs cannot be run.
    reason: Option<String>,
}

/// What an installation came to for a language.
#[derive(Serialize)]
struct Done {
    code: &'static str,
    name: &'static str,
    ready: bool,
    installed: Vec<&'static str>,
    failed: Vec<String>,
    missing: Vec<&'static str>,
}

/// A line that root pastes.
#[derive(Serialize)]
struct Line {
    distribution: &'static str,
    command: String,
}

#[derive(Serialize)]
struct Report<T> {
    folder: String,
    languages: Vec<T>,
    /// What root pastes: one line for this machine's distribution, or one for each if it is unknown.
    root: Vec<Line>,
}

/// Where toolchains are installed, and who asks.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the program, for the commands in its texts.
    pub program: &'static str,
    /// The data folder, or the cache folder of a worker.
    pub data: PathBuf,
    pub output: Output,
}

/// Lists, installs or packs. Needs no database.
///
/// # Errors
/// The folder or the file cannot be read or written, or a language that is asked for is not ready.
pub async fn run(place: Place, asked: Toolchains) -> Result<(), Failure> {
    let work = move || match asked.command.unwrap_or(Command::List) {
        Command::List => list(&place),
        Command::Install(install) => self::install(&place, &install),
        Command::Pack { file } => pack(&place, file),
    };
    tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?
}

fn list(place: &Place) -> Result<(), Failure> {
    let places = Places::of(&place.data);
    let mut needs = Vec::new();
    let rows = toolchains::LANGUAGES.iter().map(|language| {
        let absent = missing(&places.folders, language);
        needs.extend(&absent);
        row(language, &places, &absent)
    });
    let languages = rows.collect();
    let report =
        Report { folder: toolchains::folder(&place.data).display().to_string(), languages, root: root(&needs) };
    place.output.show(&report, |report| {
        let cells = |row: &Row| {
            let state = if row.ready { "ready" } else { "not ready" };
            let absent = row.missing.iter().chain(&row.to_install).copied().collect::<Vec<_>>();
            vec![row.name.to_owned(), state.to_owned(), row.found.join("; "), absent.join("; ")]
        };
        let rows: Vec<_> = report.languages.iter().map(cells).collect();
        let mut text = table(&["LANGUAGE", "STATE", "FOUND", "MISSING"], &rows);
        for row in &report.languages {
            text.extend(row.reason.iter().map(|reason| format!("\n\n{}: {reason}.", row.name)));
        }
        text + &lines(&report.root)
    })
}

fn row(language: &'static Language, places: &Places, absent: &[&'static Need]) -> Row {
    let looked = lang::look(language.code, places);
    let folders = &places.folders;
    let current = |part: &Part| folders.iter().any(|folder| install::is_current(folder, part));
    let versions = language.needs.iter().filter_map(|need| need.version(folders));
    let parts = language.parts.iter().filter(|part| current(part)).map(|part| part.what.to_owned());
    Row {
        code: language.code,
        name: language.name,
        ready: looked.is_ok() && absent.is_empty(),
        found: versions.chain(parts).collect(),
        missing: absent.iter().map(|need| need.what).collect(),
        to_install: match &looked {
            Ok(()) => Vec::new(),
            Err(_) => language.parts.iter().filter(|part| !current(part)).map(|part| part.what).collect(),
        },
        reason: looked.err().map(|why| why.to_string()),
    }
}

fn install(place: &Place, asked: &Install) -> Result<(), Failure> {
    // Before the server has created it, with the same permissions.
    create_private(&place.data)?;
    let folder = toolchains::folder(&place.data);
    let is_asked =
        |language: &&Language| asked.languages.is_empty() || asked.languages.iter().any(|code| code == language.code);
    let languages: Vec<&'static Language> = toolchains::LANGUAGES.iter().filter(is_asked).collect();
    let installed = match &asked.from {
        Some(file) => packs::install_from(&folder, &languages, file, asked.sha256.as_deref(), &mut note),
        None => toolchains::install(&folder, &languages, &mut note),
    };
    let installed = installed.map_err(|why| Failure::conflict(format!("{why}")))?;
    let needs: Vec<&'static Need> = installed.iter().flat_map(|of| of.missing.iter().copied()).collect();
    let rows = installed.iter().map(done).collect();
    let report = Report { folder: folder.display().to_string(), languages: rows, root: root(&needs) };
    place.output.show(&report, |report| {
        let cells = |row: &Done| {
            let state = if row.ready { "ready" } else { "not ready" };
            let why = row.missing.iter().map(|what| (*what).to_owned()).chain(row.failed.iter().cloned());
            vec![row.name.to_owned(), state.to_owned(), why.collect::<Vec<_>>().join("; ")]
        };
        let rows: Vec<_> = report.languages.iter().map(cells).collect();
        table(&["LANGUAGE", "STATE", "MISSING"], &rows) + &lines(&report.root)
    })?;
    let lacking: Vec<&str> = report.languages.iter().filter(|row| !row.ready).map(|row| row.name).collect();
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Failure::conflict(format!("not ready: {}; see above", lacking.join(", ")))),
    }
}

/// Prints a step of an installation on standard error.
fn note(part: &'static Part, step: &Step) {
    match step {
        Step::Waiting => eprintln!("Another installation works in this folder; waiting until it ends"),
        Step::Installing => eprintln!("Installing {}: {} ({})", part.name, part.what, part.source),
        Step::Installed => eprintln!("Installed {}", part.name),
        Step::Unchanged => eprintln!("{} is installed already", part.name),
        Step::Failed(why) => eprintln!("{} is not installed: {why}", part.name),
    }
}

/// Installs a language's toolchain into the data folder if outputs cannot be run with what is there. `code` is one of
/// [`toolchains::LANGUAGES`]. Prints nothing on standard output.
///
/// # Errors
/// The folder cannot be written, or outputs cannot be run yet; says what to do.
pub fn provide(data: &Path, code: &'static str) -> Result<(), Failure> {
    let language = toolchains::language(code).ok_or_else(|| Failure::internal(format!("no toolchain {code:?}")))?;
    let places = Places::of(data);
    if lang::look(language.code, &places).is_ok() && missing(&places.folders, language).is_empty() {
        return Ok(());
    }
    create_private(data)?;
    let installed = toolchains::install(&toolchains::folder(data), &[language], &mut note);
    installed.map_err(|why| Failure::conflict(why.to_string()))?;
    let needs = missing(&places.folders, language);
    if !needs.is_empty() {
        let names: Vec<&str> = needs.iter().map(|need| need.what).collect();
        let lines = lines(&root(&needs));
        return Err(Failure::conflict(format!("{} cannot be run without {}{lines}", language.name, names.join(", "))));
    }
    lang::look(language.code, &places).map_err(|why| Failure::conflict(why.to_string()))
}

fn done(installed: &Installed) -> Done {
    let failed = |(part, step): &(&Part, Step)| match step {
        Step::Failed(why) if part.is_optional => Some(format!("{} (another version is used): {why}", part.name)),
        Step::Failed(why) => Some(format!("{}: {why}", part.name)),
        _ => None,
    };
    let parts = installed.parts.iter().filter(|(_, step)| !matches!(step, Step::Failed(_)));
    Done {
        code: installed.language.code,
        name: installed.language.name,
        ready: installed.is_ready(),
        installed: parts.map(|(part, _)| part.name).collect(),
        failed: installed.parts.iter().filter_map(failed).collect(),
        missing: installed.missing.iter().map(|need| need.what).collect(),
    }
}

fn root(needs: &[&'static Need]) -> Vec<Line> {
    let commands = system::commands(needs).into_iter();
    commands.map(|(known, command)| Line { distribution: known.name(), command }).collect()
}

/// The lines for root, after a table.
fn lines(root: &[Line]) -> String {
    if root.is_empty() {
        return String::new();
    }
    let lines: String = root.iter().map(|line| format!("\n  {}: {}", line.distribution, line.command)).collect();
    format!("\n\nRoot must install the rest:{lines}")
}

fn pack(place: &Place, file: PathBuf) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Packed {
        file: PathBuf,
        parts: Vec<&'static str>,
        bytes: u64,
        sha256: String,
    }
    let folder = toolchains::folder(&place.data);
    let packed = packs::pack(&folder, &file).map_err(|why| Failure::conflict(format!("{why}")))?;
    let parts = packed.parts.iter().map(|part| part.name).collect();
    let packed = Packed { file, parts, bytes: packed.bytes, sha256: packed.sha256 };
    place.output.show(&packed, |packed| {
        let (program, name, parts) = (place.program, packed.file.display(), packed.parts.join(", "));
        format!(
            "Wrote {name} ({}) with {parts}.\nOn the other machine: {program} toolchains install --from FILE --sha256 {}",
            size(packed.bytes),
            packed.sha256
        )
    })
}
