//! `aixgrade doctor`

use app::{i18n, model::run::EngineReadiness};
use clap::Args;
use serde::Serialize;

use super::{Global, prune::size};
use crate::{db::migrations, engine::readiness, error::Failure, jobs, sandbox::OptionalWalls};

/// `doctor`
#[derive(Args)]
pub struct Doctor {}

#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    detail: String,
}

/// Runs all checks and prints them. Fails if any check fails.
pub async fn run(global: &Global, _doctor: &Doctor) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let mut note = |what: &str, ok: bool, detail: String| findings.push(Finding { what: what.into(), ok, detail });
    let folder = global.folder()?;
    match global.open() {
        Err(failure) => note("data folder", false, said(failure)),
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
                        "{} unfinished ({}) left by a process that was killed; `aixgrade prune` or the next start of \
                         the server deletes them",
                        unfinished.len(),
                        size(bytes)
                    ),
                },
            );
            let admins = services.db.read(crate::db::accounts::admins).await?;
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
    for (what, ok, detail) in sandbox(global).await {
        note(&what, ok, detail);
    }
    let well = findings.iter().all(|f| f.ok);
    global.show(&findings, |findings| {
        let line = |f: &Finding| format!("{}  {}: {}", if f.ok { "ok  " } else { "FAIL" }, f.what, f.detail);
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    if well { Ok(()) } else { Err(Failure::conflict("some checks failed; see above")) }
}

/// The sandbox checks: each runs a fixture that tries to break one isolation layer.
async fn sandbox(global: &Global) -> Vec<(String, bool, String)> {
    let what = "sandbox".to_owned();
    let readiness = readiness::look();
    if !readiness.missing.is_empty() {
        return vec![("engine".to_owned(), false, engine_lacks(&readiness))];
    }
    let services = match global.open() {
        Ok(services) => services,
        Err(failure) => return vec![(what, false, said(failure))],
    };
    let engine = services.runs.engine().clone();
    match tokio::task::spawn_blocking(move || engine.trials()).await {
        Ok(Ok(trials)) => {
            let line = |t: crate::engine::proof::Shown| (format!("{what}: {}", t.what), t.well, t.detail);
            let sandbox = jobs::sandbox().ok();
            // The engine runs without these layers, so their absence is reported but is not a failure.
            let missing = "not available on this host; the other isolation layers do not need it (docs/engine.md)";
            let optional = sandbox.iter().flat_map(|sandbox| {
                let OptionalWalls { landlock, groups } = sandbox.optional_walls();
                i18n::runs::EN.walls(landlock, groups).map(|(name, held)| (name, held.unwrap_or(missing).to_owned()))
            });
            let helper = sandbox.iter().filter_map(|sandbox| Some(("helper", sandbox.started_by()?)));
            let told = optional.chain(helper).map(|(name, told)| (format!("{what}: {name}"), true, told));
            trials.into_iter().map(line).chain(told).collect()
        }
        Ok(Err(failure)) => vec![(what, false, said(failure))],
        Err(e) => vec![(what, false, e.to_string())],
    }
}

/// What the engine lacks and how to install it, in one line.
pub fn engine_lacks(readiness: &EngineReadiness) -> String {
    let words = &i18n::runs::EN;
    let install = readiness.install.as_ref().map(|command| format!(" {} {command}", words.engine_install));
    words.engine_lacks(&readiness.missing) + &install.unwrap_or_default()
}

fn said(failure: Failure) -> String {
    match failure {
        Failure::App(e) => e.to_string(),
        Failure::Internal(e) => e.to_string(),
    }
}
