//! Continuous replication with Litestream: what was acknowledged is in the replica, also after our checkpoints and after
//! Litestream was away. xtask installs Litestream.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "a test starts the program that an operator would start")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use db::FILE;
use prerequisites::PATIENCE;
use services::Services;

use crate::util::TestApp;

/// The program, and the address of the replica.
struct Litestream {
    program: PathBuf,
    replica: String,
}

/// A running replication; killed when dropped.
struct Replication(Child);

impl Replication {
    /// Ends it as a service manager does: it copies what is left.
    fn stop(mut self) {
        assert!(Command::new("kill").arg(self.0.id().to_string()).status().unwrap().success());
        self.0.wait().unwrap();
    }
}

impl Drop for Replication {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a row into each of two tables per transaction, until there are `count` of each.
async fn write(app: &TestApp, from: usize, count: usize) {
    for n in from..count {
        let row = move |tx: &rusqlite::Transaction<'_>| {
            tx.execute("INSERT INTO models (name) VALUES (?1)", [format!("storm {n}")])?;
            tx.execute(
                "INSERT INTO uploads (checksum, file_name, bytes, created_at) VALUES (?1, 'storm', 1, 1)",
                [format!("{n:064}")],
            )?;
            Ok(())
        };
        app.services.db.write(row).await.unwrap();
    }
}

impl Litestream {
    /// A command with the replica as its last argument.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        // Without an operator's settings.
        command.args(args).arg(&self.replica).env_remove("LITESTREAM_CONFIG");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn replicate(&self, database: &Path) -> Replication {
        Replication(self.command(&["replicate", database.to_str().unwrap()]).spawn().unwrap())
    }

    /// Restores the replica to a data folder, and counts the rows of [`write`] in it.
    fn restored(&self) -> Option<usize> {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join(FILE);
        let status = self.command(&["restore", "-o", file.to_str().unwrap()]).status().unwrap();
        if !status.success() {
            return None;
        }
        let services = Services::open(data.path()).unwrap();
        assert_eq!(services.db.check().unwrap(), Vec::<String>::new());
        let count = |sql: &'static str| {
            services.db.read_blocking(move |conn| Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)).unwrap()
        };
        let models = count("SELECT count(*) FROM models WHERE name LIKE 'storm %'");
        assert_eq!(models, count("SELECT count(*) FROM uploads WHERE file_name = 'storm'"), "half of a transaction");
        Some(usize::try_from(models).unwrap())
    }

    /// Restores until the replica has that many rows.
    async fn has(&self, rows: usize) {
        let begun = Instant::now();
        loop {
            let found = self.restored();
            if found == Some(rows) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{found:?} of {rows} acknowledged rows are in the replica");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_has_what_was_acknowledged() {
    let Some(program) = prerequisites::litestream() else { return };
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let litestream = Litestream { program, replica: format!("file://{}", place.path().join("replica").display()) };
    let database = app.services.db.path();

    let replication = litestream.replicate(database);
    litestream.has(0).await;
    // While it runs, anything restored is one moment of the database, and the rest follows.
    write(&app, 0, 300).await;
    litestream.restored();
    app.services.db.checkpoint().unwrap();
    write(&app, 300, 400).await;
    litestream.has(400).await;
    replication.stop();
    assert_eq!(litestream.restored(), Some(400));

    // What is written and checkpointed while it is away reaches the replica when it is back.
    write(&app, 400, 700).await;
    app.services.db.checkpoint().unwrap();
    write(&app, 700, 800).await;
    let replication = litestream.replicate(database);
    litestream.has(800).await;

    // Killed, with writes after it.
    drop(replication);
    write(&app, 800, 900).await;
    let replication = litestream.replicate(database);
    litestream.has(900).await;
    replication.stop();
    // Its files in the data folder are in nobody's way: a backup, and another start.
    let backup = place.path().join("one.tar");
    app.services.back_up_to_file(model::caller::System, &backup).await.unwrap();
    assert!(fs::metadata(&backup).unwrap().len() > 0);
    assert_eq!(app.services.db.check().unwrap(), Vec::<String>::new());
    let app = app.restarted();
    write(&app, 900, 901).await;
}
