//! Server and worker connect with credentials files: an operator signs accounts, which sign users. `nsc` writes such files;
//! the test writes them by NATS's description (JWT version 2), with a worker's permissions as documented.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use model::run::RunStatus;
use nkeys::KeyPair;
use serde_json::{Value, json};

use super::{
    Data,
    brokers::{DOCUMENTED, Process},
    prerequisites_of_workers, program, start, wait, worker_program,
};

/// What `issuer` signs about the owner of a key.
fn signed(issuer: &KeyPair, key: &str, kind: &str, name: &str, mut claims: Value) -> String {
    claims["type"] = kind.into();
    claims["version"] = 2.into();
    let claims = json!({ "jti": key, "iat": 1, "iss": issuer.public_key(), "name": name, "sub": key, "nats": claims });
    let encoded = |part: &Value| BASE64_URL_SAFE_NO_PAD.encode(part.to_string());
    let content = format!("{}.{}", encoded(&json!({ "typ": "JWT", "alg": "ed25519-nkey" })), encoded(&claims));
    let signature = issuer.sign(content.as_bytes()).unwrap();
    format!("{content}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// An account that may store this many bytes; -1 is any number. The system's account may store nothing.
fn account(operator: &KeyPair, account: &KeyPair, bytes: i64) -> String {
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": bytes, "disk_storage": bytes, "streams": bytes, "consumer": bytes,
    });
    signed(operator, &account.public_key(), "account", "account", json!({ "limits": limits }))
}

/// Writes the credentials file of a new user of an account.
fn credentials(folder: &Path, name: &str, account: &KeyPair, permissions: Value) -> PathBuf {
    let user = KeyPair::new_user();
    let mut claims = json!({ "subs": -1, "data": -1, "payload": -1 });
    claims.as_object_mut().unwrap().extend(permissions.as_object().unwrap().clone());
    let token = signed(account, &user.public_key(), "user", name, claims);
    let file = folder.join(format!("{name}.creds"));
    let content = format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        user.seed().unwrap()
    );
    fs::write(&file, content).unwrap();
    file
}

/// The subjects that the documented configuration lists after a text.
fn documented(after: &str) -> Vec<&'static str> {
    let (_, list) = DOCUMENTED.split_once(after).unwrap();
    let (list, _) = list.split_once(']').unwrap();
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn server_and_worker_connect_with_credentials_files() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = Data::create(&folder.join("data"), &humaneval_x, 10, 2);

    let (operator, system, own, other) =
        (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account(), KeyPair::new_account());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let preload: Vec<String> = [(&system, 0), (&own, -1)]
        .map(|(known, bytes)| format!("{}: \"{}\"", known.public_key(), account(&operator, known, bytes)))
        .into();
    let config = format!(
        "listen: \"127.0.0.1:{port}\"\nmax_payload: 4MB\njetstream {{ store_dir: \"{}\", max_file_store: 20GB }}\noperator: \"{}\"\n\
         system_account: {}\nresolver: MEMORY\nresolver_preload: {{\n{}\n}}\n",
        folder.join("store").display(),
        signed(&operator, &operator.public_key(), "operator", "operator", json!({})),
        system.public_key(),
        preload.join("\n"),
    );
    fs::write(folder.join("nats.conf"), config).unwrap();
    let mut command = Command::new(nats);
    command.arg("-c").arg(folder.join("nats.conf")).stdout(Stdio::null()).stderr(Stdio::null());
    let broker = Process(command.spawn().unwrap());
    wait("the broker listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());

    let worker_may = json!({
        "pub": { "allow": documented("publish: { allow: [") },
        "sub": { "allow": documented("subscribe: { allow: [") },
    });
    let url = format!("nats://127.0.0.1:{port}");
    let mut serve = Command::new(program());
    serve.arg("--data").arg(&data.folder).args(["serve", "--listen", "127.0.0.1:0", "--nats", &url]);
    serve.arg("--nats-creds").arg(credentials(folder, "server", &own, json!({})));
    let server = start(&mut serve, "Data folder");
    let worker = |file: &Path| {
        let mut command = Command::new(worker_program());
        command.args(["--slots", "1", "--languages", "python", "--nats", &url, "--nats-creds"]);
        command.arg(file).arg("--cache").arg(folder.join("cache"));
        command
    };

    // Refused at once, with the reason.
    let refused = |file: &Path, reason: &str| {
        let output = worker(file).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
        assert!(!output.status.success() && said.contains(reason), "{said}");
    };
    refused(&credentials(folder, "stranger", &other, worker_may.clone()), "authorization violation");
    refused(&folder.join("nats.conf"), "cannot read");

    let working = start(&mut worker(&credentials(folder, "worker", &own, worker_may)), "takes jobs from the broker");
    let run = data.begin(data.submissions[0], true);
    wait("the run finishes", || data.progress(run).0 == RunStatus::Finished);
    assert_eq!((data.progress(run).2, data.verdicts(run).len()), (0, 20));
    drop((working, server, broker));
}
