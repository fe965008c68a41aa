//! `aixgrade doctor`

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use model::{lang::Lang, run::EngineReadiness};
use serde::Serialize;
use texts::{faults::mail_fault, messages::EN as EN_MAIL, runs::EN};

use super::{Global, mail::MailArgs};
use base::{clock, error::Failure};
use clients::mail::{Outgoing, checked_address};
use command::size;
use db::migrations;
use engine::{readiness, runner::Allowance, self_test::CheckResult};
use lang::{Language, Places, python::scripts, repositories, suite, trials};
use projects::Surveyed;
use sandbox::{OptionalLayers, Sandbox};
use services::backup::snapshot;

/// `doctor`
#[derive(Args)]
pub struct Doctor {
    /// Also check the projects of CodeIF-Bench's tests at repository level, in DIR/Source_Code
    #[arg(long, env = "AIXGRADE_REPOSITORIES", value_name = "DIR")]
    repositories: Option<PathBuf>,
    #[command(flatten)]
    smtp: MailArgs,
    /// Also send a test message to this address
    #[arg(long, value_name = "ADDRESS")]
    mail: Option<String>,
}

#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    detail: String,
}

/// Runs all checks and prints them. Fails if any check fails.
pub async fn run(global: &Global, doctor: &Doctor) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let mut note = |what: &str, ok: bool, detail: String| findings.push(Finding { what: what.into(), ok, detail });
    let folder = global.folder()?;
    match global.open() {
        Err(failure) => note("data folder", false, failure.to_string()),
        Ok(services) => {
            note("data folder", true, folder.display().to_string());
            let faults = services.db.check()?;
            note(
                "database",
                faults.is_empty(),
                match faults.as_slice() {
                    [] => format!("intact, schema {}", migrations::newest()),
                    faults => faults.join("; "),
                },
            );
            let unfinished = services.uploads.unfinished()?;
            note(
                "uploads",
                true,
                match unfinished.iter().map(|(_, bytes)| bytes).sum() {
                    0 => "none unfinished".into(),
                    bytes => format!(
                        "{} unfinished ({}), left by a killed process; `aixgrade prune` or the next start of the server \
                         deletes them",
                        unfinished.len(),
                        size(bytes)
                    ),
                },
            );
            let copies = snapshot::unfinished(&folder)?;
            if !copies.is_empty() {
                let bytes = copies.iter().map(|(_, bytes)| bytes).sum();
                let detail = format!(
                    "{} unfinished copies of the database ({}), left by a killed process; the next backup or the next start \
                     of the server deletes them",
                    copies.len(),
                    size(bytes)
                );
                note("backups", true, detail);
            }
            let admins = services.db.read(db::accounts::admins).await?;
            note(
                "admins",
                admins > 0,
                match admins {
                    0 => "none; create one with `aixgrade user add NAME --role admin`, or start `aixgrade serve` once"
                        .into(),
                    n => n.to_string(),
                },
            );
        }
    }
    if let Some((ok, detail)) = email(doctor).await? {
        note("email", ok, detail);
    }
    for (what, ok, detail) in sandbox(global).await {
        note(&what, ok, detail);
    }
    for (what, ok, detail) in languages(folder.clone()).await {
        note(&what, ok, detail);
    }
    if let Some(repositories) = doctor.repositories.clone() {
        for (what, ok, detail) in checked_projects(repositories, folder).await {
            note(&what, ok, detail);
        }
    }
    let well = findings.iter().all(|f| f.ok);
    global.show(&findings, |findings| {
        let line = |f: &Finding| format!("{}  {}: {}", if f.ok { "ok  " } else { "FAIL" }, f.what, f.detail);
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    if well { Ok(()) } else { Err(Failure::conflict("some checks failed; see above")) }
}

/// Whether the SMTP server takes messages: the connection and the login, or a message to an address. `None` without an SMTP
/// server.
async fn email(doctor: &Doctor) -> Result<Option<(bool, String)>, Failure> {
    let Some(server) = doctor.smtp.read("")? else {
        return match &doctor.mail {
            Some(_) => Err(Failure::invalid("--mail", "no SMTP server is named", "Name it with --smtp-server")),
            None => Ok(None),
        };
    };
    let Some(to) = &doctor.mail else {
        return Ok(Some(match server.check().await {
            Ok(()) => (true, format!("{} accepts the connection of {}", server.name(), server.sender())),
            Err(fault) => (false, mail_fault(Lang::En, &fault)),
        }));
    };
    let to = checked_address(to).ok_or_else(|| {
        Failure::invalid("--mail", format!("\"{to}\" is not an email address"), "Write it as ada@example.org")
    })?;
    let now = clock::now();
    let message = Outgoing {
        subject: EN_MAIL.test_subject.to_owned(),
        text: format!("{}\n", EN_MAIL.doctor_body),
        id: format!("aixgrade-doctor-{}", now.0),
        stop: None,
        written_at: now,
        to: to.clone(),
    };
    Ok(Some(match server.send(&message).await {
        Ok(()) => (true, format!("{} has accepted a test message to {to}", server.name())),
        Err(fault) => (false, mail_fault(Lang::En, &fault)),
    }))
}

/// The sandbox checks: each runs a fixture that tries to break one isolation layer.
async fn sandbox(global: &Global) -> Vec<(String, bool, String)> {
    let what = "sandbox".to_owned();
    let readiness = readiness::check(None);
    if !readiness.missing.is_empty() {
        return vec![("engine".to_owned(), false, engine_lacks(&readiness))];
    }
    let services = match global.open() {
        Ok(services) => services,
        Err(failure) => return vec![(what, false, failure.to_string())],
    };
    let engine = services.runs.engine().clone();
    match tokio::task::spawn_blocking(move || engine.trials()).await {
        Ok(Ok(trials)) => {
            let line = |result: CheckResult| {
                let detail = result.failed.as_ref().map_or_else(|| "passed".into(), |f| EN.failed_check_result(f));
                (format!("{what}: {}", EN.sandbox_check(result.check)), result.failed.is_none(), detail)
            };
            let sandbox = jobs::sandbox().ok();
            // The engine runs without these layers, so their absence is reported but is not a failure.
            let missing = "not available on this host; the other isolation layers work without it (docs/engine.md)";
            let optional = sandbox.iter().flat_map(|sandbox| {
                let OptionalLayers { landlock, groups } = sandbox.optional_layers();
                EN.isolation_layers(landlock, groups).map(|(name, state)| (name, state.unwrap_or(missing).to_owned()))
            });
            let helper = sandbox.iter().filter_map(|sandbox| Some(("helper", sandbox.started_by()?)));
            let told = optional.chain(helper).map(|(name, told)| (format!("{what}: {name}"), true, told));
            trials.into_iter().map(line).chain(told).collect()
        }
        Ok(Err(failure)) => vec![(what, false, failure.to_string())],
        Err(e) => vec![(what, false, e.to_string())],
    }
}

/// Each language with a toolchain other than the Java engine's: its versions and trials. A language without its
/// toolchain is not a failure, because people can still grade its outputs; the line says how to install it.
async fn languages(folder: PathBuf) -> Vec<(String, bool, String)> {
    let tried = tokio::task::spawn_blocking(move || {
        let Ok(sandbox) = jobs::sandbox() else { return Vec::new() };
        let (places, folder) = (Places::of(&folder), folder.join("engine"));
        let lines = lang::TABLE.iter().flat_map(|language| language_lines(language, &sandbox, &places, &folder));
        lines.chain([conversations(&places)]).collect()
    });
    tried.await.unwrap_or_default()
}

/// The Python packages of CodeIF-Bench. Like a language's toolchain, they are not needed for grading by people.
fn conversations(places: &Places) -> (String, bool, String) {
    let told = match scripts::look(places) {
        Ok(()) => "the packages that its tests import are installed".to_owned(),
        Err(missing) => format!("not available: {missing}"),
    };
    ("CodeIF-Bench".to_owned(), true, told)
}

/// The projects of tests at repository level: whether each is ready, and whether tests run in the sandbox with the first
/// one that is.
async fn checked_projects(repositories: PathBuf, data: PathBuf) -> Vec<(String, bool, String)> {
    let what = "repositories".to_owned();
    if let Err(missing) = repositories::look(&repositories) {
        return vec![(what, false, missing.to_string())];
    }
    let tried = tokio::task::spawn_blocking(move || {
        let found = projects::survey(projects::recipe(), &repositories);
        let usable = found.iter().filter(|of| of.state.is_ok()).count();
        let (all, shown) = (found.len(), repositories.join(repositories::SOURCES));
        let count = format!("{usable} of {all} projects are ready in {}", shown.display());
        let is_well = found.iter().all(|of| of.state.is_ok() || !of.is_there);
        let mut lines = vec![(what.clone(), usable > 0 && is_well, count)];
        let first = found.iter().find(|of| of.state.is_ok()).map(|of| of.project.clone());
        // A project that is not there is no failure: the others can be used without it.
        lines.extend(found.into_iter().map(|Surveyed { project, state, is_there }| match (state, is_there) {
            (Ok(versions), _) => (format!("{what}: {project}"), true, versions),
            (Err(why), true) => (format!("{what}: {project}"), false, why),
            (Err(why), false) => (format!("{what}: {project}"), true, format!("not available: {why}")),
        }));
        if let (Some(first), Ok(sandbox)) = (first, jobs::sandbox()) {
            let tried = repositories::try_out(sandbox, &data.join("engine"), &repositories, &first);
            let detail = tried.as_ref().map_or_else(Clone::clone, |()| "passed".to_owned());
            lines.push((
                format!("{what}: tests run in the sandbox with the environment of {first}"),
                tried.is_ok(),
                detail,
            ));
        }
        lines
    });
    tried.await.unwrap_or_default()
}

fn language_lines(
    language: &Language,
    sandbox: &Arc<dyn Sandbox>,
    places: &Places,
    folder: &Path,
) -> Vec<(String, bool, String)> {
    let what = language.code.name().to_owned();
    if let Err(missing) = (language.look)(places) {
        return vec![(what, true, format!("not available: {missing}"))];
    }
    let toolchain = match (language.find)(places, folder) {
        Ok(toolchain) => toolchain,
        Err(failure) => return vec![(what, false, failure.to_string())],
    };
    let context = suite::context(Arc::clone(sandbox), folder, Allowance::default());
    let version = (what.clone(), true, toolchain.version().to_owned());
    match trials::run(language.code, &*toolchain, &context) {
        Ok(results) => {
            let line = |result: CheckResult| {
                let detail = result.failed.as_ref().map_or_else(|| "passed".into(), |f| EN.failed_check_result(f));
                (format!("{what}: {}", EN.sandbox_check(result.check)), result.failed.is_none(), detail)
            };
            [version].into_iter().chain(results.into_iter().map(line)).collect()
        }
        Err(failure) => vec![version, (what, false, failure.to_string())],
    }
}

/// The engine's missing requirements and how to install them, in one line.
pub fn engine_lacks(readiness: &EngineReadiness) -> String {
    EN.engine_lacks_line(readiness)
}
