//! The settings file, `aixgrade config`, completions, manual pages, and the form of log lines.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::util::{TestApp, program::program};

/// The program without our own environment variables.
fn clean(app: &TestApp, args: &[&str]) -> Command {
    let mut command = program(app, args);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AIXGRADE_")) {
        command.env_remove(name);
    }
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Setting, value and source, as `aixgrade config` prints them.
fn settings(command: &mut Command) -> BTreeMap<String, (String, String)> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let list: Vec<BTreeMap<String, String>> = serde_json::from_slice(&output.stdout).unwrap();
    list.into_iter().map(|s| (s["setting"].clone(), (s["value"].clone(), s["from"].clone()))).collect()
}

#[tokio::test]
async fn settings_come_from_options_then_the_environment_then_the_file() {
    let app = TestApp::empty().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aixgrade.toml");
    let shown = path.to_str().unwrap();
    fs::write(
        &path,
        "# A comment.\ndata = \"/srv/elsewhere\"\n\n[serve]\nlisten = \"127.0.0.1:4000\"\ntrust-proxy = true\n\
         webhook-host = [\"https://a.example\", \"https://b.example\"]\nbackup-keep = \"3,2,1\"\n",
    )
    .unwrap();
    let found =
        settings(clean(&app, &["config", "--json", "--config", shown]).env("AIXGRADE_LISTEN", "127.0.0.1:5000"));
    let check = |setting: &str, value: &str, from: &str| {
        assert_eq!(found[setting], (value.to_owned(), from.to_owned()), "{setting}");
    };
    // The test gives --data itself.
    check("data", app.services.folder.to_str().unwrap(), "--data");
    check("listen", "127.0.0.1:5000", "AIXGRADE_LISTEN");
    check("trust-proxy", "true", &format!("{shown}, line 6"));
    check("webhook-host", "https://a.example, https://b.example", &format!("{shown}, line 7"));
    check("backup-keep", "3,2,1", &format!("{shown}, line 8"));
    check("public-url", "", "default");
    check("log-format", "text", "default");
    assert!(!found.contains_key("demo"));

    // The server uses them, and an option counts more. Both addresses are refused, each by its own name.
    let refused = |text: &str, args: &[&str]| {
        fs::write(&path, text).unwrap();
        let output = clean(&app, &[args, &["--config", shown]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        told(&output)
    };
    let taken = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [one, other] = taken.each_ref().map(|listener| listener.local_addr().unwrap().to_string());
    let file = format!("[serve]\nlisten = \"{one}\"\nwebhook-host = [\"https://a.example\"]\n");
    assert!(refused(&file, &["serve"]).contains(&format!("cannot listen on {one}")));
    assert!(refused(&file, &["serve", "--listen", &other]).contains(&format!("cannot listen on {other}")));
    for (text, line, what) in [
        ("[serve]\nlisten = \"nowhere\"\n", 2, "invalid value 'nowhere'"),
        ("[serve]\nlisten = 3000\n", 2, "a string in quotation marks"),
        ("[serve]\ntrust-proxy = \"yes\"\n", 2, "true or false"),
        ("[serve]\nwebhook-host = [1]\n", 2, "a list of strings"),
        ("[serve]\n\nlissten = \"127.0.0.1:1\"\n", 3, "unknown setting \"lissten\""),
        ("[serve]\ndemo = \"study\"\n", 2, "unknown setting \"demo\""),
        ("colour = 1\n", 1, "unknown setting \"colour\""),
        ("[serve]\nlisten = \n", 2, "this is not TOML"),
    ] {
        for command in ["serve", "config", "migrate"] {
            let told = refused(text, &[command]);
            assert!(told.contains(&format!("{shown}, line {line}")) && told.contains(what), "{command}: {told}");
        }
    }
    let missing = clean(&app, &["config", "--config", "/no/such/file"]).output().unwrap();
    assert!(missing.status.code() == Some(2) && told(&missing).contains("/no/such/file"), "{}", told(&missing));
}

#[tokio::test]
async fn completions_and_manual_pages_know_every_command() {
    let app = TestApp::empty().await;
    let help = clean(&app, &["help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.contains(&"serve") && names.contains(&"backup") && names.len() > 15, "{names:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = clean(&app, &["completions", shell]).output().unwrap();
        let script = String::from_utf8(script.stdout).unwrap();
        for name in names.iter().copied().chain(["--backup-dir"]) {
            assert!(script.contains(name.trim_start_matches("--")), "{shell}: {name}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    assert!(clean(&app, &["man", pages.to_str().unwrap()]).status().unwrap().success());
    for name in names {
        let page = fs::read_to_string(pages.join(format!("aixgrade-{name}.1"))).unwrap();
        assert!(page.contains(".TH"), "{name}");
    }
}

/// A JSON log line says which request it belongs to, by the ID that the response has.
#[tokio::test]
async fn log_lines_in_json_name_the_request() {
    let app = TestApp::demo().await;
    // A table that is missing makes requests fail with an internal error.
    app.services.db.write_blocking(|tx| Ok(tx.execute_batch("DROP TABLE login_failures")?)).unwrap();
    let mut server = clean(&app, &["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(server.stdout.take().unwrap()).lines();
    let address =
        printed.find_map(|line| Some(line.unwrap().strip_prefix("AixGrade is at http://")?.to_owned())).unwrap();
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = "name=ada&password=wrong";
    write!(
        stream,
        "POST /log-in HTTP/1.1\r\nHost: {address}\r\nX-Request-Id: chosen\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    let id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
    assert!(id.len() == 16 && !answer.contains("chosen"), "{answer}");
    server.kill().unwrap();
    let mut logged = String::new();
    server.stderr.take().unwrap().read_to_string(&mut logged).unwrap();
    server.wait().unwrap();
    let lines: Vec<Value> = logged.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_ours = |line: &&Value| line["message"] == "request failed" && line["span"]["id"] == *id;
    let line = lines.iter().find(is_ours).unwrap_or_else(|| panic!("{id} is not in {logged}"));
    assert_eq!(line["span"]["route"], "/log-in");
    assert!(line["incident"].is_string() && line["level"] == "ERROR", "{line}");
}
