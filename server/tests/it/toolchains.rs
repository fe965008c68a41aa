//! Installing toolchains: by the command line, by an admin's button, and what samples see of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Barrier, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use model::{
    audit::{Action, Object},
    caller::System,
    error::AppError,
    ids::SubmissionId,
    toolchains::Installation,
};
use port::{Runs, toolchains::Toolchains};
use serde_json::{Value, json};
use services::{starter, toolchains::ToolchainService};
use toolchains::{Installed, Language, Part, Step};

use crate::{
    languages::upload,
    util::{
        TestApp,
        program::{program, program_over},
    },
};

/// Runs `aixgrade toolchains` with these arguments, without a folder in the environment.
fn toolchains_of(app: &TestApp, arguments: &[&str]) -> Result<Value, String> {
    let mut program = program(app, &[]);
    program.env_remove(toolchains::VARIABLE).arg("--json").arg("toolchains").args(arguments);
    let output = program.output().unwrap();
    match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout).unwrap()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn row<'a>(report: &'a Value, code: &str) -> &'a Value {
    report["languages"].as_array().unwrap().iter().find(|row| row["code"] == code).unwrap()
}

/// The verdicts of a submission's outputs, run by the program, which finds the toolchains by itself.
fn verdicts(app: &TestApp, dataset: &str, submission: SubmissionId) -> Vec<String> {
    let mut program = program(app, &[]);
    program.env_remove(toolchains::VARIABLE).env_remove("NODE_PATH");
    program.args(["run", "--dataset", dataset, "--submission", &submission.to_string(), "--json"]);
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| Some(line["verdict"].as_str()?.to_owned())).collect()
}

/// Outputs of the starter task J1, each of which is one statement before the answer.
fn outputs(statements: &[String]) -> String {
    let line = |statement: &String| {
        let code = format!(
            "const clamp = (value, low, high) => {{\n{statement}\nreturn Math.max(low, Math.min(high, value));\n}};"
        );
        format!("{}\n", json!({"task_id": "J1", "generation": code}))
    };
    statements.iter().map(line).collect()
}

/// JavaScript is the smallest toolchain.
#[tokio::test]
async fn an_installed_toolchain_runs_samples_that_see_nothing_else_of_the_data_folder() {
    let app = TestApp::empty().await;
    starter::languages(&app.services).await.unwrap();
    let listed = toolchains_of(&app, &["list"]).unwrap();
    assert_eq!(row(&listed, "javascript")["ready"], false, "{listed}");
    let installed = toolchains_of(&app, &["install", "javascript"]);
    let Some(installed) = prerequisites::toolchain("javascript", installed) else { return };
    assert_eq!(row(&installed, "javascript")["ready"], true, "{installed}");
    let listed = toolchains_of(&app, &[]).unwrap();
    assert_eq!(row(&listed, "javascript")["ready"], true, "{listed}");
    // Installed already.
    let again = toolchains_of(&app, &["install", "javascript"]).unwrap();
    assert_eq!(row(&again, "javascript")["installed"], json!(["node"]));

    let data = app.services.folder.canonicalize().unwrap();
    let read = |path: &Path| format!("require('fs').readFileSync({});", json!(path));
    let list = |path: &Path| format!("require('fs').readdirSync({});", json!(path));
    let hidden = [
        list(&data),
        list(&data.join("toolchains")),
        list(&data.join("engine")),
        read(&data.join(db::FILE)),
        read(&data.join("toolchains/node/package.json")),
        read(&data.join("toolchains/node/node_modules/js-md5/package.json")),
    ];
    // The module itself is there, so reading works.
    let mut statements = vec![read(Path::new("/node/modules/js-md5/package.json"))];
    statements.extend(hidden);
    assert!(data.join(db::FILE).is_file());
    let submission = upload(&app, "starter-javascript", "M", &outputs(&statements)).await;
    let found = verdicts(&app, "starter-javascript", submission);
    assert_eq!(found[0], "passed", "{found:?}");
    assert_eq!(found.len(), statements.len());
    assert!(found[1..].iter().all(|verdict| verdict != "passed"), "{found:?}");

    // On another machine, without a network.
    let pack = data.join("pack.tar.gz").to_string_lossy().into_owned();
    let packed = toolchains_of(&app, &["pack", &pack]).unwrap();
    let other = TestApp::empty().await;
    let refused = toolchains_of(&other, &["install", "javascript", "--from", &pack, "--sha256", "00"]).unwrap_err();
    assert!(refused.contains("has the SHA-256"), "{refused}");
    let sha256 = packed["sha256"].as_str().unwrap();
    toolchains_of(&other, &["install", "javascript", "--from", &pack, "--sha256", sha256]).unwrap();
    starter::languages(&other.services).await.unwrap();
    let submission = upload(&other, "starter-javascript", "M", &outputs(&[String::new()])).await;
    assert_eq!(verdicts(&other, "starter-javascript", submission), ["passed"]);
}

#[tokio::test]
async fn a_language_that_cannot_be_installed_is_named_and_fails_the_command() {
    let app = TestApp::empty().await;
    let mut program = program(&app, &[]);
    // No package manager and no compiler is on this path.
    program.env_remove(toolchains::VARIABLE).env_remove("AIXGRADE_JDK").env_remove("JAVA_HOME").env("PATH", "/nowhere");
    let output = program.args(["--json", "toolchains", "install", "cpp", "rust"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row(&report, "cpp")["ready"], false);
    let missing = row(&report, "cpp")["missing"].as_array().unwrap();
    assert!(missing.contains(&json!("g++")) && missing.contains(&json!("bubblewrap")), "{report}");
    let failed = row(&report, "rust")["failed"][0].as_str().unwrap();
    assert!(failed.contains("`cargo vendor --locked --quiet vendor` cannot be started"), "{report}");
    assert!(report["root"][0]["command"].as_str().unwrap().contains(" g++ "), "{report}");
    // A folder that it creates is as private as the server's.
    let new = tempfile::tempdir().unwrap();
    let data = new.path().join("data");
    let mut program = program_over(&data);
    program.env("PATH", "/nowhere").args(["toolchains", "install", "cpp"]);
    assert_eq!(program.output().unwrap().status.code(), Some(2));
    assert_eq!(data.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let unknown = toolchains_of(&app, &["install", "cobol"]).unwrap_err();
    assert!(unknown.contains("invalid value 'cobol'"), "{unknown}");
}

/// What the next installation of the test does.
static FAILS: Mutex<bool> = Mutex::new(false);
/// One test at a time uses it.
static ONE: Mutex<()> = Mutex::new(());
/// Lets an installation end.
static GATE: Barrier = Barrier::new(2);

fn fails() -> MutexGuard<'static, bool> {
    FAILS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn installed(
    _: &Path,
    language: &'static Language,
    note: &mut dyn FnMut(&'static Part, &Step),
) -> Result<Installed, String> {
    let part = language.parts[0];
    note(part, &Step::Installing);
    GATE.wait();
    let step = if *fails() { Step::Failed("no network".into()) } else { Step::Installed };
    note(part, &step);
    Ok(Installed { language, parts: vec![(part, step)], missing: Vec::new() })
}

/// The state of the installation of JavaScript's toolchain; absent if the page says nothing of it.
async fn state(service: &ToolchainService, submission: SubmissionId) -> Option<Installation> {
    let found = service.of_submission(&System.admin(), submission).await.unwrap();
    assert!(found.iter().all(|of| of.code == "javascript" && of.can_install), "{found:?}");
    found.into_iter().next().map(|of| of.installation)
}

async fn ended(service: &ToolchainService, submission: SubmissionId) -> Installation {
    loop {
        match state(service, submission).await {
            Some(Installation::Running { .. }) | None => tokio::time::sleep(Duration::from_millis(5)).await,
            Some(other) => return other,
        }
    }
}

#[tokio::test]
#[allow(clippy::await_holding_lock, reason = "one test at a time")]
async fn an_admin_installs_a_toolchain_and_sees_how_it_ends() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let app = TestApp::empty().await;
    starter::languages(&app.services).await.unwrap();
    let submission = upload(&app, "starter-javascript", "M", &outputs(&[String::new()])).await;
    let engine = app.services.runs.engine().clone();
    let service = ToolchainService::new(app.services.db.clone(), engine, &app.services.folder).with(installed);
    let admin = System.admin();
    for unknown in ["cobol", "", "cpp"] {
        let refused = service.install(&admin, unknown).await.unwrap_err();
        assert!(matches!(refused, AppError::NotFound(_)), "{unknown}: {refused}");
    }
    for fail in [true, false] {
        *fails() = fail;
        service.install(&admin, "javascript").await.unwrap();
        let state = state(&service, submission).await;
        assert!(matches!(state, Some(Installation::Running { done: 0, of: 1, .. })), "{state:?}");
        // The second click changes nothing.
        service.install(&admin, "javascript").await.unwrap();
        GATE.wait();
        let expected = if fail { Installation::Failed { why: "no network".into() } } else { Installation::Done };
        assert_eq!(ended(&service, submission).await, expected);
    }
    let entries = app.services.audit.list(&admin, Default::default(), None, 10).await.unwrap();
    let installs = entries.iter().filter(|entry| entry.action == Action::ToolchainInstall.name());
    let objects: Vec<String> = installs.map(|entry| entry.object.clone()).collect();
    assert_eq!(objects, vec![Object::Toolchain("javascript".into()).to_string(); 2]);
}

#[tokio::test]
async fn the_page_of_a_submission_offers_to_install_what_is_missing() {
    let app = TestApp::demo().await;
    starter::languages(&app.services).await.unwrap();
    let submission = upload(&app, "starter-javascript", "M", &outputs(&[String::new()])).await;
    let looked = lang::look("javascript", &app.services.runs.engine().places());
    let mut admin = app.admin().await;
    let page = admin.get(&format!("/admin/submissions/{submission}")).await.body;
    assert_eq!(page.contains("Install JavaScript's toolchain"), looked.is_err(), "{page}");
    assert_eq!(page.contains(" toolchains install javascript`"), looked.is_err(), "{page}");
    // A language that is there is not named.
    assert!(!page.contains("Install Java's toolchain"));
    assert!(
        app.services.runs.list(&System.admin(), Some(submission), Default::default()).await.unwrap().rows.is_empty()
    );
}
