//! Deletes unreferenced files and rows: `aixgrade prune`, and the server's page.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::{
    audit::{Action, Object},
    audit_details::{Fact, Unused},
    caller::Admin,
    error::Answer,
    server::{Freed, Skipped},
    time::{DAY_MS, Timestamp},
};

use super::Services;
use base::{clock, error::Failure};
use db::{Db, audit::Change, datasets, prune, runs};
use engine::{
    suite::{self, TestKind},
    toolchain::Toolchain,
};
use lang::image;

/// Younger items may be in use without a trace in the database: an open preview, a file that another process
/// is writing.
const GRACE: Duration = Duration::from_millis(DAY_MS.unsigned_abs());
/// An update of the schema can be undone for this long.
const UNDO_UPDATE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Cached verdicts deleted in one transaction: a rating waits for at most a few milliseconds.
const BATCH: usize = 200;

/// Items to free, with their sizes.
#[derive(Default)]
struct Found<T>(Vec<(T, u64)>);

impl<T> Found<T> {
    fn freed(&self, what: Unused) -> Freed {
        let bytes = self.0.iter().map(|(_, bytes)| bytes).sum();
        Freed { what, count: self.0.len() as u64, bytes, skipped: None }
    }
}

impl Services {
    /// Deletes everything unreferenced that is older than a day, or in a dry run only lists it. Works beside
    /// a running server; during a run, the engine's files are left alone.
    ///
    /// # Errors
    /// A file cannot be deleted.
    pub async fn prune(&self, admin: &Admin, dry_run: bool) -> Answer<Vec<Freed>> {
        let mut freed = vec![self.unfinished_uploads(dry_run).await?, self.prune_uploads(dry_run).await?];
        freed.push(self.unused_verdicts(dry_run).await?);
        freed.push(test_files(&self.db, dry_run).await?);
        freed.extend(self.engine_files(dry_run).await?);
        freed.push(self.old_schemas(dry_run).await?);
        if !dry_run && freed.iter().any(|freed| freed.count > 0) {
            let facts: Vec<Fact> = freed.iter().map(|freed| Fact::Freed(freed.what, freed.count)).collect();
            let change = Change::of(Object::Storage, facts, ());
            self.db.write_audited(admin, Action::StoragePrune, move |_| Ok(change)).await?;
        }
        Ok(freed)
    }

    async fn unfinished_uploads(&self, dry_run: bool) -> Result<Freed, Failure> {
        let uploads = self.uploads.clone();
        let found = blocking(move || if dry_run { uploads.unfinished() } else { uploads.clear_unfinished() }).await?;
        Ok(Found(found).freed(Unused::UnfinishedUploads))
    }

    /// Deletes uploaded files without a submission after a day. The server calls it every hour.
    pub async fn prune_uploads(&self, dry_run: bool) -> Result<Freed, Failure> {
        let since = before(GRACE);
        let mut unused = Found(self.db.read_long(move |conn| prune::unused_uploads(conn, since)).await?);
        // Files that were stored just before the process was killed, and so have no row.
        let uploads = self.uploads.clone();
        let stored = blocking(move || uploads.stored()).await?;
        let orphans = self
            .db
            .read_long(move |conn| {
                let mut orphans = Vec::new();
                for (checksum, bytes) in stored {
                    if !prune::has_upload(conn, &checksum)? {
                        orphans.push((checksum, bytes));
                    }
                }
                Ok(orphans)
            })
            .await?;
        unused.0.extend(orphans);
        let uploads = self.uploads.clone();
        // A file that was just uploaded again has a new date, and its row is about to be written.
        unused = blocking(move || Ok(Found(unused.0.into_iter().filter(|(c, _)| uploads.is_old(c, GRACE)).collect())))
            .await?;
        if !dry_run {
            for (checksum, _) in &unused.0 {
                let (row, file) = (checksum.clone(), checksum.clone());
                self.db.write(move |tx| prune::delete_upload(tx, &row, since)).await?;
                let (uploads, row) = (self.uploads.clone(), checksum.clone());
                if !self.db.read(move |conn| prune::has_upload(conn, &row)).await? {
                    blocking(move || uploads.remove(&file)).await?;
                }
            }
        }
        Ok(unused.freed(Unused::Uploads))
    }

    /// Deletes copies from before an update of the schema, after a month.
    async fn old_schemas(&self, dry_run: bool) -> Result<Freed, Failure> {
        let folder = self.folder.clone();
        let prefix = format!("{}{}", db::FILE, db::copy::SCHEMA);
        let removed = blocking(move || remove(&folder, |name| name.starts_with(&prefix), UNDO_UPDATE, dry_run)).await?;
        Ok(removed.freed(Unused::OldSchemas))
    }

    async fn unused_verdicts(&self, dry_run: bool) -> Result<Freed, Failure> {
        let since = before(GRACE);
        let unused = Found(self.db.read_long(move |conn| prune::unused_outcomes(conn, since)).await?);
        if !dry_run {
            let keys: Vec<String> = unused.0.iter().map(|(key, _)| key.clone()).collect();
            for batch in keys.chunks(BATCH) {
                let batch = batch.to_vec();
                self.db.write(move |tx| prune::delete_outcomes(tx, &batch)).await?;
            }
        }
        Ok(unused.freed(Unused::Verdicts))
    }

    async fn engine_files(&self, dry_run: bool) -> Result<Vec<Freed>, Failure> {
        let skipped = |why: Skipped| {
            let freed = |what| Freed { what, count: 0, bytes: 0, skipped: Some(why) };
            vec![freed(Unused::Images), freed(Unused::Suites), freed(Unused::Jars)]
        };
        let folder = self.folder.join("engine");
        if self.db.read(prune::has_open_run).await? {
            return Ok(skipped(Skipped::RunInProgress));
        }
        let Ok(toolchain) = Toolchain::expected(&folder) else {
            return Ok(skipped(Skipped::NoJdk));
        };
        let (mut suites, mut jars) = (BTreeSet::new(), BTreeSet::new());
        for version in self.db.read(prune::tested_versions).await? {
            let loaded =
                self.db.read(move |conn| Ok((datasets::tests(conn, version)?, runs::test_classes(conn, version)?)));
            let (Some((kind, tree)), classes) = loaded.await? else { continue };
            let Some(kind) = TestKind::from_name(kind.name()) else { continue };
            suites.insert(suite::fingerprint(kind, &tree, &classes.into_iter().collect(), &toolchain.fingerprint));
            jars.extend(suite::jar_names(&tree));
        }
        let current = toolchain.run.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        blocking(move || {
            let image = |name: &str| {
                name.starts_with("making-")
                    || name.starts_with("java-") && Some(name) != current.as_deref()
                    || image::is_replaced(&folder, name)
            };
            Ok(vec![
                remove(&folder, image, GRACE, dry_run)?.freed(Unused::Images),
                remove(&folder.join("suites"), |name| !suites.contains(name), GRACE, dry_run)?.freed(Unused::Suites),
                remove(&folder.join("jars"), |name| !jars.contains(name), GRACE, dry_run)?.freed(Unused::Jars),
            ])
        })
        .await
    }
}

/// Deletes the test files of deleted datasets, in short transactions. An import in progress notices that its files are
/// gone.
pub(super) async fn test_files(db: &Db, dry_run: bool) -> Result<Freed, Failure> {
    let unused = Found(db.read_long(prune::unused_test_files).await?);
    if !dry_run {
        for tree in db.read_long(prune::unused_trees).await? {
            loop {
                let tree = tree.clone();
                if !db.write(move |tx| prune::empty_tree(tx, &tree, BATCH)).await? {
                    break;
                }
            }
        }
        for (checksum, _) in unused.0.clone() {
            db.write(move |tx| prune::delete_test_file(tx, &checksum)).await?;
        }
    }
    Ok(unused.freed(Unused::TestFiles))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Failure> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(Failure::internal)??)
}

fn before(age: Duration) -> Timestamp {
    Timestamp(clock::now().0 - i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}

/// Removes the entries of a folder that are unused and older than `age`.
fn remove(
    folder: &Path,
    unused: impl Fn(&str) -> bool,
    age: Duration,
    dry_run: bool,
) -> std::io::Result<Found<PathBuf>> {
    let mut found = Found::default();
    let entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if !unused(&entry.file_name().to_string_lossy()) || !is_old(&entry.metadata()?, age) {
            continue;
        }
        let path = entry.path();
        found.0.push((path.clone(), size(&path)?));
        if !dry_run {
            match entry.file_type()?.is_dir() {
                true => std::fs::remove_dir_all(path)?,
                false => std::fs::remove_file(path)?,
            }
        }
    }
    Ok(found)
}

/// Whether a file was last changed more than `age` ago.
pub(super) fn is_old(metadata: &std::fs::Metadata, age: Duration) -> bool {
    let changed = metadata.modified().ok();
    changed.and_then(|changed| SystemTime::now().duration_since(changed).ok()).is_some_and(|passed| passed > age)
}

fn size(path: &Path) -> std::io::Result<u64> {
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    std::fs::read_dir(path)?.try_fold(0, |sum, entry| Ok(sum + size(&entry?.path())?))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use rusqlite::params;

    use model::caller::System;

    use super::*;
    use crate::starter;
    use db::uploads::Purpose;

    fn aged(path: &Path) {
        let file = File::options().write(true).open(path).or_else(|_| File::open(path)).unwrap();
        file.set_modified(SystemTime::now() - 2 * GRACE).unwrap();
    }

    async fn upload(services: &Services, bytes: &[u8]) -> String {
        let mut incoming = services.uploads.begin("x.jsonl").await.unwrap();
        incoming.write(bytes).await.unwrap();
        let stored = incoming.finish().await.unwrap();
        let checksum = stored.checksum.clone();
        services.submissions.note_upload(&System.admin(), stored, Purpose::outputs(None)).await.unwrap();
        checksum
    }

    #[tokio::test]
    async fn unreferenced_data_is_deleted_and_the_rest_is_kept() {
        let data = tempfile::tempdir().unwrap();
        let services = Services::open(data.path()).unwrap();
        starter::load(&services).await.unwrap();
        let uploads = data.path().join("uploads");
        let used = fs::read_dir(&uploads).unwrap().count();
        let (old, young) = (upload(&services, b"old").await, upload(&services, b"young").await);
        fs::write(uploads.join("incoming-killed"), b"half").unwrap();
        fs::write(uploads.join("0".repeat(64)), b"no row").unwrap();
        for entry in fs::read_dir(&uploads).unwrap() {
            aged(&entry.unwrap().path());
        }
        let still_coming = services.uploads.begin("now").await.unwrap();
        let day = i64::try_from(2 * GRACE.as_millis()).unwrap();
        services
            .db
            .write_blocking(|tx| {
                tx.execute("UPDATE uploads SET created_at = created_at - ?1 WHERE checksum <> ?2", params![day, young])?;
                tx.execute("INSERT INTO outcomes (key, outcome, created_at) VALUES ('unused', '{}', 1)", [])?;
                tx.execute("INSERT INTO outcomes (key, outcome, created_at) VALUES ('used', '{}', 1)", [])?;
                tx.execute(
                    "INSERT INTO runs (id, submission_id, status, fresh, created_at) VALUES (1, 1, 'finished', 0, 1)",
                    [],
                )?;
                tx.execute(
                    "INSERT INTO run_items (run_id, output_id, state, outcome, key) VALUES (1, 1, 'done', '{}', 'used')",
                    [],
                )?;
                Ok(())
            })
            .unwrap();
        let count = |freed: &[Freed], kind| freed.iter().find(|f| f.what == kind).map(|f| (f.count, f.bytes)).unwrap();
        let preview = services.prune(&System.admin(), true).await.unwrap();
        let before = fs::read_dir(&uploads).unwrap().count();
        let freed = services.prune(&System.admin(), false).await.unwrap();
        assert_eq!(preview, freed);
        assert_eq!(count(&freed, Unused::UnfinishedUploads), (1, 4));
        assert_eq!(count(&freed, Unused::Uploads), (2, 9));
        assert_eq!(count(&freed, Unused::Verdicts), (1, 2));
        assert_eq!(fs::read_dir(&uploads).unwrap().count(), before - 3);
        assert!(!uploads.join(&old).exists() && uploads.join(&young).exists());
        // The files of submissions, the young one, and the one that is still being uploaded.
        assert_eq!(fs::read_dir(&uploads).unwrap().count(), used + 2);
        drop(still_coming);
        let again = services.prune(&System.admin(), false).await.unwrap();
        assert!(again.iter().all(|freed| freed.count == 0), "{again:?}");
        let keys = "SELECT group_concat(key) FROM outcomes";
        let left = services.db.read_blocking(|c| Ok(c.query_row(keys, [], |row| row.get::<_, String>(0))?)).unwrap();
        assert_eq!(left, "used");
    }

    #[test]
    fn used_and_recent_entries_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["used", "unused", "young"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("file"), b"12345").unwrap();
        }
        aged(&folder.path().join("used"));
        aged(&folder.path().join("unused"));
        let found = remove(folder.path(), |name| name != "used", GRACE, false).unwrap();
        assert_eq!(found.freed(Unused::Images), Freed { what: Unused::Images, count: 1, bytes: 5, skipped: None });
        assert!(folder.path().join("used").exists() && folder.path().join("young").exists());
        assert!(!folder.path().join("unused").exists());
    }
}
