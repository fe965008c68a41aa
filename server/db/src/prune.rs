//! Finds and deletes unreferenced rows.

use model::{ids::DatasetVersionId, time::Timestamp};
use rusqlite::{Connection, params};

use base::error::Failure;

/// The checksums of uploads without a submission that were not uploaded since `since`, with their sizes. Submissions whose
/// import is not complete and those whose deletion can be undone keep their file.
pub fn unused_uploads(conn: &Connection, since: Timestamp) -> Result<Vec<(String, u64)>, Failure> {
    let mut statement = conn.prepare(
        "SELECT checksum, max(bytes) AS size FROM uploads
         WHERE checksum NOT IN (SELECT checksum FROM all_submissions)
         GROUP BY checksum HAVING max(created_at) < ?1",
    )?;
    let rows = statement.query_map([since.0], |row| Ok((row.get("checksum")?, row.get("size")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes the rows of an upload, unless it was used or uploaded again since `since`. Returns whether it
/// did.
pub fn delete_upload(conn: &Connection, checksum: &str, since: Timestamp) -> Result<bool, Failure> {
    let deleted = conn.execute(
        "DELETE FROM uploads WHERE checksum = ?1
           AND NOT EXISTS (SELECT 1 FROM all_submissions WHERE checksum = ?1)
           AND NOT EXISTS (SELECT 1 FROM uploads WHERE checksum = ?1 AND created_at >= ?2)",
        params![checksum, since.0],
    )?;
    Ok(deleted > 0)
}

/// Whether any upload has this checksum.
pub fn has_upload(conn: &Connection, checksum: &str) -> Result<bool, Failure> {
    let known = "SELECT 1 FROM uploads WHERE checksum = ?1 UNION ALL SELECT 1 FROM all_submissions WHERE checksum = ?1";
    Ok(conn.prepare(known)?.exists([checksum])?)
}

/// The keys of cached verdicts that no run's result came from, with their sizes.
pub fn unused_outcomes(conn: &Connection, since: Timestamp) -> Result<Vec<(String, u64)>, Failure> {
    let mut statement = conn.prepare(
        "SELECT key, length(outcome) AS size FROM outcomes
         WHERE created_at < ?1 AND key NOT IN (SELECT key FROM run_items WHERE key IS NOT NULL)",
    )?;
    let rows = statement.query_map([since.0], |row| Ok((row.get("key")?, row.get("size")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes cached verdicts.
pub fn delete_outcomes(conn: &Connection, keys: &[String]) -> Result<(), Failure> {
    let mut delete = conn.prepare_cached("DELETE FROM outcomes WHERE key = ?1")?;
    keys.iter().try_for_each(|key| delete.execute([key]).map(|_| ()).map_err(Failure::from))
}

/// The sets of test files that no dataset version has.
pub fn unused_trees(conn: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare(
        "SELECT DISTINCT tree FROM test_tree_files
         WHERE tree NOT IN (SELECT test_tree FROM dataset_versions WHERE test_tree IS NOT NULL)",
    )?;
    let rows = statement.query_map([], |row| row.get("tree"))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Empties some of such a set, unless a version has it by now. Returns whether more is left.
pub fn empty_tree(conn: &Connection, tree: &str, most: usize) -> Result<bool, Failure> {
    let deleted = conn
        .prepare_cached(
            "DELETE FROM test_tree_files WHERE tree = ?1
               AND path IN (SELECT path FROM test_tree_files WHERE tree = ?1 LIMIT ?2)
               AND NOT EXISTS (SELECT 1 FROM dataset_versions WHERE test_tree = ?1)",
        )?
        .execute(params![tree, most])?;
    Ok(deleted == most)
}

/// The checksums of test files that no dataset version has, with their sizes.
pub fn unused_test_files(conn: &Connection) -> Result<Vec<(String, u64)>, Failure> {
    let mut statement = conn.prepare(
        "SELECT checksum, length(bytes) AS size FROM blobs WHERE checksum NOT IN (
             SELECT f.checksum FROM dataset_versions v JOIN test_tree_files f ON f.tree = v.test_tree)",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get("checksum")?, row.get("size")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes a test file, unless a set has it by now.
pub fn delete_test_file(conn: &Connection, checksum: &str) -> Result<(), Failure> {
    conn.prepare_cached(
        "DELETE FROM blobs WHERE checksum = ?1 AND NOT EXISTS (SELECT 1 FROM test_tree_files WHERE checksum = ?1)",
    )?
    .execute([checksum])?;
    Ok(())
}

/// The dataset versions that have tests.
pub fn tested_versions(conn: &Connection) -> Result<Vec<DatasetVersionId>, Failure> {
    let mut statement = conn.prepare("SELECT id FROM dataset_versions WHERE test_tree IS NOT NULL")?;
    let rows = statement.query_map([], |row| row.get(0).map(DatasetVersionId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a run is in progress.
pub fn has_open_run(conn: &Connection) -> Result<bool, Failure> {
    Ok(conn.prepare("SELECT 1 FROM runs WHERE status = 'running'")?.exists([])?)
}
