//! Backups: what they contain, what becomes of damaged ones, and that one made at any moment restores a sound folder.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::{FileExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use base::{clock, error::Failure};
use db::FILE;
use model::{caller::System, error::AppError, time::DAY_MS};
use rusqlite::types::Value;
use services::{
    Services,
    accounts::Origin,
    backup::{
        manifest::Manifest,
        restore::Source,
        schedule::{Daily, DailyFigures, Keep},
        snapshot::{self, Snapshot},
        store::Store,
    },
    folder,
};
use tempfile::TempDir;

use crate::{
    languages::upload,
    util::{TestApp, program::program},
};

/// Two outputs of the starter dataset.
const OUTPUTS: &str = "{\"task_id\": \"S01\", \"code\": \"int a;\"}\n{\"task_id\": \"S02\", \"code\": \"int b;\"}\n";

/// Every row of every table.
fn rows(services: &Services) -> BTreeMap<String, Vec<Vec<Value>>> {
    services
        .db
        .read_blocking(|conn| {
            let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
            let tables = tables.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
            let mut all = BTreeMap::new();
            for table in tables {
                let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\""))?;
                let columns = statement.column_count();
                let row = |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get(at)).collect::<Result<Vec<_>, _>>();
                all.insert(table, statement.query_map([], row)?.collect::<Result<_, _>>()?);
            }
            Ok(all)
        })
        .unwrap()
}

fn restored(source: &Path, at: Option<&str>) -> (TempDir, Manifest) {
    let parent = tempfile::tempdir().unwrap();
    let manifest = Source::open(source, at).and_then(|source| source.restore(&parent.path().join("data"))).unwrap();
    (parent, manifest)
}

/// The text of an error for the operator.
fn refusal<T>(result: Result<T, Failure>) -> String {
    match result {
        Err(Failure::Internal(e)) => panic!("not for the operator: {e}"),
        Err(failure) => failure.to_string(),
        Ok(_) => panic!("not refused"),
    }
}

/// The files below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path)),
        }
    }
    found
}

fn backups(store: &Path) -> Vec<String> {
    Store::open(store).unwrap().list().unwrap().into_iter().map(|stored| stored.name).collect()
}

fn models_with_outputs(services: &Services) -> BTreeSet<String> {
    let models = services.db.read_blocking(|conn| {
        let mut statement = conn.prepare("SELECT m.name FROM submissions s JOIN models m ON m.id = s.model_id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    });
    models.unwrap()
}

fn flip_a_byte(path: &Path, at: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 1], at).unwrap();
}

#[tokio::test]
async fn a_restored_folder_has_every_row_and_file() {
    let app = TestApp::demo().await;
    let services = &app.services;
    upload(&app, "starter", "Model D", OUTPUTS).await;
    folder::mark_demo(&services.folder).unwrap();
    let place = tempfile::tempdir().unwrap();
    let (file, store) = (place.path().join("one.tar"), place.path().join("many"));
    let before = rows(services);
    let made = services.back_up_to_file(System, &file).await.unwrap();
    let added = services.back_up_to_folder(System, &store).await.unwrap();
    assert!(made.missing.is_empty() && added.missing.is_empty());
    assert_eq!((made.files, made.bytes), (added.files, added.bytes));
    // Nothing else in the data folder, and nobody else can read the backups: they have password hashes.
    assert!(snapshot::unfinished(&services.folder).unwrap().is_empty());
    for path in files(place.path()) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        let is_lock = path.file_name().is_some_and(|name| name == "lock");
        assert!(is_lock || mode & 0o077 == 0, "{}: {mode:o}", path.display());
    }
    for source in [&file, &store] {
        let (parent, manifest) = restored(source, None);
        assert_eq!(manifest.files.len(), made.files);
        let data = parent.path().join("data");
        assert!(folder::is_demo(&data));
        assert_eq!(fs::read_dir(data.join("uploads")).unwrap().count(), made.files - 2);
        let restored = Services::open(&data).unwrap();
        assert_eq!(rows(&restored), before);
        for (checksum, _) in restored.uploads.stored().unwrap() {
            let read = |services: &Services| fs::read(services.uploads.path(&checksum)).unwrap();
            assert_eq!(read(&restored), read(services));
        }
        let origin = Origin { address: None, device: None };
        assert!(restored.accounts.log_in("ada", "demo-password-ada", origin).await.is_ok());
    }
    // An ordinary archive: other programs can unpack it, and it may be compressed.
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&fs::read(&file).unwrap()).unwrap();
    let compressed = place.path().join("one.tar.gz");
    fs::write(&compressed, gz.finish().unwrap()).unwrap();
    assert_eq!(restored(&compressed, None).1.bytes(), made.bytes);
}

#[tokio::test]
async fn a_folder_of_backups_grows_by_what_changed() {
    let app = TestApp::demo().await;
    let store = tempfile::tempdir().unwrap();
    let first = app.services.back_up_to_folder(System, store.path()).await.unwrap();
    let unchanged = app.services.back_up_to_folder(System, store.path()).await.unwrap();
    // Only the manifest. (Two backups within a second have different names.)
    assert!(unchanged.written < 20_000 && unchanged.written < first.written / 20, "{unchanged:?} after {first:?}");
    let before = rows(&app.services);
    upload(&app, "starter", "Model D", OUTPUTS).await;
    let changed = app.services.back_up_to_folder(System, store.path()).await.unwrap();
    let names = backups(store.path());
    assert_eq!(names, [&*first.name, &*unchanged.name, &*changed.name]);

    let (older, _) = restored(store.path(), Some(&unchanged.name));
    assert_eq!(rows(&Services::open(&older.path().join("data")).unwrap()), before);
    let unknown = refusal(Source::open(store.path(), Some("2020-01-01T00-00-00Z")));
    assert!(unknown.contains("--list"), "{unknown}");

    // Chunks of deleted backups only are deleted; those of other backups stay.
    let open = || Store::create(store.path()).unwrap();
    let chunks = files(&store.path().join("chunks")).len();
    open().delete(&[first.name.clone(), unchanged.name.clone()]).unwrap();
    assert!(files(&store.path().join("chunks")).len() < chunks);
    assert_eq!(
        rows(&Services::open(&restored(store.path(), None).0.path().join("data")).unwrap()),
        rows(&app.services)
    );
    open().delete(&[changed.name]).unwrap();
    assert!(files(&store.path().join("chunks")).is_empty());
}

#[tokio::test]
async fn damaged_backups_are_refused_and_change_nothing() {
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let (whole, store) = (place.path().join("whole.tar"), place.path().join("many"));
    app.services.back_up_to_file(System, &whole).await.unwrap();
    app.services.back_up_to_folder(System, &store).await.unwrap();
    let bytes = fs::read(&whole).unwrap();
    let data = place.path().join("data");
    let refused = |source: &Path| {
        let checked = refusal(Source::open(source, None).and_then(Source::check));
        let told = refusal(Source::open(source, None).and_then(|source| source.restore(&data)));
        assert_eq!(told, checked);
        assert!(folder::is_empty(&data).unwrap(), "{told}");
        told
    };
    let broken = place.path().join("broken.tar");
    for cut in [0, 1, 100, 512, 5000, bytes.len() / 2, bytes.len() - 3000] {
        fs::write(&broken, &bytes[..cut]).unwrap();
        let told = refused(&broken);
        assert!(told.contains("broken.tar") && told.contains("Use another backup"), "{cut}: {told}");
    }
    fs::write(&broken, &bytes).unwrap();
    // In the database: between the members of an archive are bytes that mean nothing.
    let database = bytes.windows(15).position(|found| found == b"SQLite format 3").unwrap();
    flip_a_byte(&broken, database as u64 + 1000);
    let told = refused(&broken);
    assert!(told.contains("was changed"), "{told}");
    fs::write(&broken, b"PK\x03\x04 something else").unwrap();
    refused(&broken);
    // A member that would be written outside of the data folder.
    let mut hostile = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    header.as_mut_bytes()[..9].copy_from_slice(b"../escape");
    header.set_cksum();
    hostile.append(&header, &b"x"[..]).unwrap();
    fs::write(&broken, hostile.into_inner().unwrap()).unwrap();
    assert!(refused(&broken).contains("../escape"));
    assert!(!place.path().join("escape").exists());

    // A chunk with the content of another one, half a chunk, and none. (A changed byte of compressed data may mean the
    // same: where content repeats, more than one reference gives it.)
    let mut chunks = files(&store.join("chunks")).into_iter();
    let (chunk, other) = (chunks.next().unwrap(), chunks.next().unwrap());
    let content = fs::read(&chunk).unwrap();
    for damaged in [fs::read(other).unwrap(), content[..content.len() / 2].to_vec()] {
        fs::write(&chunk, damaged).unwrap();
        let told = refused(&store);
        assert!(told.contains(chunk.to_str().unwrap()), "{told}");
    }
    fs::remove_file(&chunk).unwrap();
    assert!(refused(&store).contains(chunk.to_str().unwrap()));
    // The next backup writes it again, which repairs the one before, too.
    let name = backups(&store).remove(0);
    app.services.back_up_to_folder(System, &store).await.unwrap();
    Source::open(&store, Some(&name)).and_then(Source::check).unwrap();
    // After a list that cannot be read, no chunk is deleted: it may be that list's.
    fs::write(store.join("backups").join(format!("{name}.json")), b"{").unwrap();
    let before = files(&store.join("chunks"));
    assert!(refusal(Store::create(&store).unwrap().delete(&[])).contains(&name));
    assert_eq!(files(&store.join("chunks")), before);
}

#[tokio::test]
async fn backups_overwrite_nothing() {
    let app = TestApp::demo().await;
    let services = &app.services;
    let place = tempfile::tempdir().unwrap();
    let told = |result: Result<_, AppError>| refusal(result.map_err(Failure::App));
    let (file, store) = (place.path().join("one.tar"), place.path().join("many"));
    services.back_up_to_file(System, &file).await.unwrap();
    let before = fs::read(&file).unwrap();
    assert!(told(services.back_up_to_file(System, &file).await).contains("no backup is overwritten"));
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(told(services.back_up_to_folder(System, place.path()).await).contains("contains other files"));
    let nowhere = place.path().join("missing/one.tar");
    assert!(told(services.back_up_to_file(System, &nowhere).await).contains("cannot be written"));

    // Neither a folder with data nor one that is being served is restored into.
    let occupied = refusal(Source::open(&file, None).and_then(|source| source.restore(&services.folder)));
    assert!(occupied.contains("is not empty"), "{occupied}");
    let data = place.path().join("data");
    let served = folder::ServerLock::take(&data).unwrap();
    let told_served = refusal(Source::open(&file, None).and_then(|source| source.restore(&data)));
    assert!(told_served.contains("Another aixgrade server"), "{told_served}");
    drop(served);
    // A restore that was killed between its last steps is done again.
    fs::create_dir_all(data.join("restoring-killed/uploads")).unwrap();
    fs::create_dir(data.join("uploads")).unwrap();
    Source::open(&file, None).and_then(|source| source.restore(&data)).unwrap();
    assert_eq!(rows(&Services::open(&data).unwrap()), rows(services));

    // One backup at a time. What a killed one left is deleted by the next.
    fs::create_dir(services.folder.join("copying-killed")).unwrap();
    assert_eq!(snapshot::unfinished(&services.folder).unwrap().len(), 1);
    let running = Snapshot::take(&services.db, &services.folder, &services.uploads).unwrap();
    assert!(!services.folder.join("copying-killed").exists());
    assert!(told(services.back_up_to_folder(System, &store).await).contains("Another backup"));
    assert!(snapshot::unfinished(&services.folder).unwrap().is_empty());
    drop(running);
    let writing = Store::create(&store).unwrap();
    assert!(told(services.back_up_to_folder(System, &store).await).contains("Another process writes"));
    drop(writing);
    services.back_up_to_folder(System, &store).await.unwrap();
}

#[tokio::test]
async fn daily_backups_are_made_once_a_day_and_deleted_by_their_age() {
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let daily = |folder: PathBuf| Daily {
        folder,
        keep: Keep { days: 2, weeks: 1, months: 1 },
        figures: DailyFigures::default(),
    };
    let inside = refusal(daily(app.services.folder.join("backups")).check(&app.services));
    assert!(inside.contains("is in the data folder"), "{inside}");
    let daily = daily(place.path().join("backups"));
    // Of a folder that two servers share, each would delete the other's backups.
    let other = TestApp::empty().await;
    other.services.back_up_to_folder(System, &place.path().join("others")).await.unwrap();
    let shared = Daily { folder: place.path().join("others"), keep: daily.keep, figures: DailyFigures::default() };
    assert!(refusal(shared.check(&app.services)).contains("of another server"));
    let added = app.services.back_up_to_folder(System, &shared.folder).await;
    assert!(refusal(added.map_err(Failure::App)).contains("of another server"));
    daily.check(&app.services).unwrap();
    let first = daily.make_if_due(&app.services).await.unwrap().unwrap();
    assert_eq!(daily.make_if_due(&app.services).await.unwrap(), None);

    let list = |name: &str| daily.folder.join("backups").join(format!("{name}.json"));
    let manifest: Manifest = serde_json::from_slice(&fs::read(list(&first.name)).unwrap()).unwrap();
    let copy = |name: &str, days: i64| {
        let mut manifest = manifest.clone();
        manifest.created_at.0 = clock::now().0 - days * DAY_MS;
        fs::write(list(name), serde_json::to_vec(&manifest).unwrap()).unwrap();
    };
    fs::remove_file(list(&first.name)).unwrap();
    for days in [1, 2, 3, 40] {
        copy(&format!("{days} days old"), days);
    }
    // From a time when the clock was wrong. It does not stop backups for a year.
    copy("in a year", -365);
    let made = daily.make_if_due(&app.services).await.unwrap().unwrap();
    let left = backups(&daily.folder);
    assert_eq!(left.last().map(String::as_str), Some("in a year"));
    assert!(left.contains(&made.name), "{left:?}");
    assert!(!left.contains(&"40 days old".to_owned()) && !left.contains(&"3 days old".to_owned()), "{left:?}");
    Source::open(&daily.folder, Some(&made.name)).and_then(Source::check).unwrap();
}

/// Each transaction writes one row into each of two tables, so a consistent copy has as many of one as of the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_one_moment_of_a_database_that_others_write() {
    let app = TestApp::demo().await;
    let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(0)));
    let writer = {
        let (db, stop, acknowledged) = (app.services.db.clone(), stop.clone(), acknowledged.clone());
        tokio::spawn(async move {
            while !stop.load(Ordering::SeqCst) {
                let n = acknowledged.load(Ordering::SeqCst);
                let write = db.write(move |tx| {
                    tx.execute("INSERT INTO models (name) VALUES (?1)", [format!("storm {n}")])?;
                    tx.execute(
                        "INSERT INTO uploads (checksum, file_name, bytes, created_at) VALUES (?1, 'storm', 1, 1)",
                        [format!("{n:064}")],
                    )?;
                    Ok(())
                });
                write.await.unwrap();
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        })
    };
    let store = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let before = acknowledged.load(Ordering::SeqCst);
        let made = app.services.back_up_to_folder(System, store.path()).await.unwrap();
        let (parent, _) = restored(store.path(), Some(&made.name));
        let count = |sql: &'static str| {
            let services = Services::open(&parent.path().join("data")).unwrap();
            services.db.read_blocking(move |c| Ok(c.query_row(sql, [], |row| row.get::<_, i64>(0))?)).unwrap()
        };
        let models = count("SELECT count(*) FROM models WHERE name LIKE 'storm %'");
        assert_eq!(models, count("SELECT count(*) FROM uploads WHERE file_name = 'storm'"));
        assert!(models >= before, "{models} rows, and {before} were acknowledged before the backup began");
        // Their files never existed, which the backup says.
        assert_eq!(made.missing.len(), usize::try_from(models).unwrap());
    }
    stop.store(true, Ordering::SeqCst);
    writer.await.unwrap();
    assert!(acknowledged.load(Ordering::SeqCst) > 0);
}

/// Programs that upload and programs that back up are killed at any moment. What is listed as a backup can be restored,
/// and has every upload that was acknowledged before it began.
#[tokio::test]
async fn backups_made_while_programs_are_killed_are_sound() {
    const ROUNDS: u64 = 8;
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let (store, outputs) = (place.path().join("backups"), place.path().join("outputs.jsonl"));
    fs::write(&outputs, OUTPUTS).unwrap();
    let shown = store.to_str().unwrap().to_owned() + "/";
    let upload = |model: &str| {
        let args = ["submissions", "upload", outputs.to_str().unwrap(), "--dataset", "starter", "--model", model];
        program(&app, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let (mut acknowledged, mut seen, mut killed) = (BTreeSet::new(), BTreeSet::new(), 0);
    for round in 0..ROUNDS {
        let known = acknowledged.clone();
        let names = [format!("killed {round}"), format!("finished {round}")];
        let mut children = names.clone().map(|name| upload(&name));
        let mut backup =
            program(&app, &["backup", &shown]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // From before the program opens the database to after its end.
        tokio::time::sleep(Duration::from_millis(40 * round * round)).await;
        backup.kill().unwrap();
        children[0].kill().unwrap();
        killed += u64::from(!backup.wait().unwrap().success());
        for (child, name) in children.iter_mut().zip(names) {
            if child.wait().unwrap().success() {
                acknowledged.insert(name);
            }
        }
        let last = app.services.back_up_to_folder(System, &store).await.unwrap().name;
        // The killed program's, if it got that far, and the one after it.
        for name in backups(&store).into_iter().filter(|name| !seen.contains(name)).collect::<Vec<_>>() {
            let (parent, _) = restored(&store, Some(&name));
            let services = Services::open(&parent.path().join("data")).unwrap();
            assert_eq!(services.db.check().unwrap(), Vec::<String>::new());
            let models = models_with_outputs(&services);
            let expected = if name == last { &acknowledged } else { &known };
            assert!(expected.is_subset(&models), "{name}: {expected:?} are not all in {models:?}");
            seen.insert(name);
        }
    }
    assert!(seen.len() as u64 >= ROUNDS && killed > 0, "{seen:?}, {killed} killed");
    assert!(acknowledged.len() as u64 >= ROUNDS, "the uploads that are not killed are acknowledged");
    assert!(snapshot::unfinished(&app.services.folder).unwrap().is_empty());
}

#[tokio::test]
async fn the_command_line_backs_up_lists_checks_and_restores() {
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let run = |args: &[&str]| {
        let output = program(&app, args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, printed, told) = run(&["backup", &path("one.tar")]);
    assert_eq!(code, Some(0), "{told}");
    assert!(printed.contains("was read back and is complete"), "{printed}");
    let (code, ..) = run(&["backup", &path("many/")]);
    assert_eq!(code, Some(0));
    let (_, listed, _) = run(&["restore", &path("many"), "--list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let name = listed[0]["name"].as_str().unwrap();
    let (code, printed, _) = run(&["restore", &path("many"), "--check", "--at", name]);
    assert!(code == Some(0) && printed.contains("is complete"), "{printed}");
    // The program's own --data comes first; the last one counts.
    let (code, printed, told) = run(&["restore", &path("one.tar")]);
    assert!(code == Some(2) && told.contains("is not empty"), "{printed} {told}");
    let streamed = program(&app, &["backup", "-"]).output().unwrap();
    assert!(streamed.status.success());
    fs::write(path("streamed.tar"), streamed.stdout).unwrap();
    let (code, printed, told) = run(&["restore", &path("streamed.tar"), "--check"]);
    assert!(code == Some(0) && printed.contains("is complete"), "{told}");
    for (args, expected) in [
        (vec!["restore", "no-such-file"], "no-such-file"),
        (vec!["restore", &*path("one.tar"), "--at", name], "only a folder has several backups"),
        (vec!["restore", place.path().to_str().unwrap(), "--list"], "is not a folder of backups"),
        (
            vec!["serve", "--backup-dir", place.path().to_str().unwrap(), "--listen", "127.0.0.1:0"],
            "contains other files",
        ),
        (vec!["serve", "--backup-keep", "7", "--listen", "127.0.0.1:0"], "days (at least 1), weeks and months"),
    ] {
        let (code, printed, told) = run(&args);
        assert!(code == Some(2) && told.contains(expected), "{args:?}: {printed} {told}");
    }
    assert!(app.services.folder.join(FILE).exists());
}
