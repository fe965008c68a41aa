//! The schema's history. `PRAGMA user_version` counts the applied files of `server/migrations`, which are
//! numbered and append-only.

use rusqlite::{Connection, TransactionBehavior, functions::FunctionFlags};
use sha2::{Digest, Sha256};

use super::{APPLICATION_ID, OpenError, old_words};

/// Every migration, oldest first; its number is its position, from 1.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_initial.sql"),
    include_str!("../../migrations/0002_runs.sql"),
    include_str!("../../migrations/0003_plan.sql"),
    include_str!("../../migrations/0004_notes.sql"),
    include_str!("../../migrations/0005_quality.sql"),
    include_str!("../../migrations/0006_api.sql"),
    include_str!("../../migrations/0007_engine.sql"),
    include_str!("../../migrations/0008_results.sql"),
    include_str!("../../migrations/0009_hidden_checks.sql"),
    include_str!("../../migrations/0010_accounts.sql"),
    include_str!("../../migrations/0011_imports.sql"),
    include_str!("../../migrations/0012_hot_statements.sql"),
    include_str!("../../migrations/0013_audit.sql"),
    include_str!("../../migrations/0014_display.sql"),
    include_str!("../../migrations/0015_audit_object.sql"),
    include_str!("../../migrations/0016_pages.sql"),
    include_str!("../../migrations/0017_reasons.sql"),
    include_str!("../../migrations/0018_languages.sql"),
    include_str!("../../migrations/0019_published.sql"),
    include_str!("../../migrations/0020_upkeep.sql"),
    include_str!("../../migrations/0021_failures.sql"),
    include_str!("../../migrations/0022_plan_steps.sql"),
    include_str!("../../migrations/0023_test_files.sql"),
    include_str!("../../migrations/0024_rubrics.sql"),
    include_str!("../../migrations/0025_guidelines.sql"),
    include_str!("../../migrations/0026_lists.sql"),
    include_str!("../../migrations/0027_inbox.sql"),
    include_str!("../../migrations/0028_sample_order.sql"),
    include_str!("../../migrations/0029_uploads.sql"),
    include_str!("../../migrations/0030_people.sql"),
    include_str!("../../migrations/0031_pools.sql"),
    include_str!("../../migrations/0032_instance.sql"),
    include_str!("../../migrations/0033_collections.sql"),
    include_str!("../../migrations/0034_conversations.sql"),
    include_str!("../../migrations/0035_judgings.sql"),
    include_str!("../../migrations/0036_conversation_ratings.sql"),
    include_str!("../../migrations/0037_people_groups.sql"),
    include_str!("../../migrations/0038_routines.sql"),
    include_str!("../../migrations/0039_bookmarks.sql"),
    include_str!("../../migrations/0040_workers.sql"),
    include_str!("../../migrations/0041_dynamic_conversations.sql"),
    include_str!("../../migrations/0042_announcements.sql"),
    include_str!("../../migrations/0043_judged_instructions.sql"),
    include_str!("../../migrations/0044_ratings_by_key.sql"),
    include_str!("../../migrations/0045_adjudicated_instructions.sql"),
    include_str!("../../migrations/0046_values.sql"),
    include_str!("../../migrations/0047_disagreements.sql"),
    include_str!("../../migrations/0048_study_counts.sql"),
];

/// The schema this program writes.
pub fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Checks that the file is empty or ours, and not newer than this program. Changes nothing.
///
/// # Errors
///
/// [`OpenError::Newer`] and [`OpenError::NotOurs`].
pub fn verify(conn: &Connection) -> Result<(), OpenError> {
    let found = version(conn)?;
    let owner: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if owner != APPLICATION_ID && (objects > 0 || found > 0 || owner != 0) {
        return Err(OpenError::NotOurs);
    }
    if found > newest() {
        return Err(OpenError::Newer { found, known: newest() });
    }
    Ok(())
}

/// Updates the schema, each step in its own transaction.
pub fn migrate(conn: &mut Connection) -> Result<(), OpenError> {
    migrate_to(conn, MIGRATIONS.len())
}

/// Updates the schema up to this number.
pub(super) fn migrate_to(conn: &mut Connection, number: usize) -> Result<(), OpenError> {
    // SQLite has no SHA-256; migration 10 hashes session ids.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("sha256_hex", 1, flags, |context| {
        Ok(hex::encode(Sha256::digest(context.get_raw(0).as_str()?)))
    })?;
    // Migrations 17 and 46 make values of what was stored as sentences.
    for (name, in_values) in old_words::FUNCTIONS {
        conn.create_scalar_function(name, 1, flags, move |context| Ok(in_values(context.get_raw(0).as_str()?)))?;
    }
    for (place, sql) in MIGRATIONS.iter().enumerate().take(number) {
        let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again under the lock, because another process may have migrated meanwhile.
        if version(&tx)? < number {
            tx.execute_batch(sql)?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            tx.pragma_update(None, "user_version", number)?;
        }
        tx.commit()?;
    }
    Ok(())
}

/// The file's schema number.
pub fn version(conn: &Connection) -> Result<u32, rusqlite::Error> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rusqlite::types::Value;

    use super::*;

    /// Rows for the tables and columns that each migration adds; `every_schema_...` reports missing ones.
    const ROWS: &[&str] = &[
        include_str!("migrations_rows/0001.sql"),
        include_str!("migrations_rows/0002.sql"),
        include_str!("migrations_rows/0003.sql"),
        include_str!("migrations_rows/0004.sql"),
        include_str!("migrations_rows/0005.sql"),
        include_str!("migrations_rows/0006.sql"),
        include_str!("migrations_rows/0007.sql"),
        include_str!("migrations_rows/0008.sql"),
        include_str!("migrations_rows/0009.sql"),
        include_str!("migrations_rows/0010.sql"),
        include_str!("migrations_rows/0011.sql"),
        include_str!("migrations_rows/0012.sql"),
        include_str!("migrations_rows/0013.sql"),
        include_str!("migrations_rows/0014.sql"),
        include_str!("migrations_rows/0015.sql"),
        include_str!("migrations_rows/0016.sql"),
        include_str!("migrations_rows/0017.sql"),
        include_str!("migrations_rows/0018.sql"),
        include_str!("migrations_rows/0019.sql"),
        include_str!("migrations_rows/0020.sql"),
        include_str!("migrations_rows/0021.sql"),
        include_str!("migrations_rows/0022.sql"),
        include_str!("migrations_rows/0023.sql"),
        include_str!("migrations_rows/0024.sql"),
        include_str!("migrations_rows/0025.sql"),
        include_str!("migrations_rows/0026.sql"),
        include_str!("migrations_rows/0027.sql"),
        include_str!("migrations_rows/0028.sql"),
        include_str!("migrations_rows/0029.sql"),
        include_str!("migrations_rows/0030.sql"),
        include_str!("migrations_rows/0031.sql"),
        include_str!("migrations_rows/0032.sql"),
        include_str!("migrations_rows/0033.sql"),
        include_str!("migrations_rows/0034.sql"),
        include_str!("migrations_rows/0035.sql"),
        include_str!("migrations_rows/0036.sql"),
        include_str!("migrations_rows/0037.sql"),
        include_str!("migrations_rows/0038.sql"),
        include_str!("migrations_rows/0039.sql"),
        include_str!("migrations_rows/0040.sql"),
        include_str!("migrations_rows/0041.sql"),
        include_str!("migrations_rows/0042.sql"),
        include_str!("migrations_rows/0043.sql"),
        include_str!("migrations_rows/0044.sql"),
        include_str!("migrations_rows/0045.sql"),
        include_str!("migrations_rows/0046.sql"),
        include_str!("migrations_rows/0047.sql"),
        include_str!("migrations_rows/0048.sql"),
    ];

    /// Tables that a migration renamed: its number, the old and the new name.
    const RENAMED: &[(usize, &str, &str)] =
        &[(11, "submissions", "all_submissions"), (11, "studies", "all_studies"), (11, "judgings", "all_judgings")];

    /// Tables whose rows a migration rewrites on purpose: its number and the table.
    const REWRITTEN: &[(usize, &str)] = &[
        (10, "sessions"),
        (10, "login_failures"),
        (13, "audit"),
        (17, "run_items"),
        (17, "outcomes"),
        (17, "runs"),
        (46, "webhook_deliveries"),
        (46, "collection_requests"),
        (46, "collections"),
        (46, "routines"),
    ];

    #[allow(clippy::disallowed_methods, reason = "a database in memory, to try the migrations on")]
    fn empty() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        conn
    }

    #[test]
    fn migrates_once_and_refuses_newer_schemas() {
        let mut conn = empty();
        verify(&conn).unwrap();
        migrate(&mut conn).unwrap();
        verify(&conn).unwrap();
        migrate(&mut conn).unwrap();
        assert_eq!(version(&conn).unwrap(), newest());
        conn.pragma_update(None, "user_version", newest() + 1).unwrap();
        assert!(matches!(verify(&conn), Err(OpenError::Newer { .. })));
    }

    type Table = (Vec<String>, Vec<Vec<Value>>);

    /// The stored columns of every table, and its rows in a fixed order.
    fn tables(conn: &Connection) -> BTreeMap<String, Table> {
        let mut names =
            conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").unwrap();
        let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let table = |name: String| {
            let mut columns =
                conn.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid").unwrap();
            let columns: Vec<String> =
                columns.query_map([&name], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let rows = rows(conn, &name, &columns);
            (name, (columns, rows))
        };
        names.into_iter().map(table).collect()
    }

    fn rows(conn: &Connection, table: &str, columns: &[String]) -> Vec<Vec<Value>> {
        let list: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let list = list.join(", ");
        let mut statement = conn.prepare(&format!("SELECT {list} FROM {table} ORDER BY {list}")).unwrap();
        let row = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>();
        statement.query_map([], row).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn every_schema_with_rows_migrates_to_the_newest() {
        assert_eq!(ROWS.len(), MIGRATIONS.len(), "add rows for the new migration to migrations_rows/");
        for number in 1..=MIGRATIONS.len() {
            let mut conn = empty();
            migrate_to(&mut conn, number).unwrap();
            for sql in &ROWS[..number] {
                let renamed = RENAMED.iter().filter(|(since, ..)| number >= *since);
                let sql = renamed.fold((*sql).to_owned(), |sql, (_, old, new)| {
                    sql.replace(&format!("INTO {old} "), &format!("INTO {new} "))
                });
                conn.execute_batch(&sql).unwrap_or_else(|e| panic!("rows at schema {number}: {e}"));
            }
            let before = tables(&conn);
            for (name, (_, rows)) in &before {
                assert!(!rows.is_empty(), "no row in {name} at schema {number}: add one to migrations_rows/");
            }
            migrate(&mut conn).unwrap_or_else(|e| panic!("from schema {number}: {e}"));
            for (name, (columns, rows_before)) in before {
                if REWRITTEN.iter().any(|(since, table)| number < *since && *table == name) {
                    continue;
                }
                let moved = RENAMED.iter().find(|(since, old, _)| number < *since && *old == name);
                let now = moved.map_or(name.as_str(), |(.., new)| new);
                assert_eq!(rows(&conn, now, &columns), rows_before, "{name}, from schema {number}");
            }
            assert!(!conn.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap(), "from schema {number}");
            let sound: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(sound, "ok", "from schema {number}");
            if (2..17).contains(&number) {
                values_replace_sentences(&conn);
            }
            // Values kept by triggers and backfills equal those of rows that were added later.
            let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
            assert_eq!(count("SELECT count(*) FROM counted"), 2, "from schema {number}");
            assert_eq!(count("SELECT sum(ratings) FROM study_stamps"), 2, "from schema {number}");
            assert_eq!(count("SELECT sum(rated) FROM study_raters"), 2, "from schema {number}");
            assert_eq!(count("SELECT sum(done) FROM study_counts"), 2, "from schema {number}");
            assert_eq!(count("SELECT sum(wanted) = (SELECT count(*) FROM assignments) FROM study_counts"), 1);
            let newest = "SELECT max(last_rating) = (SELECT max(at) FROM ratings) FROM study_raters";
            assert_eq!(count(newest), 1, "from schema {number}");
        }
    }

    /// Rows with today's names of tables.
    fn renamed(sql: &str) -> String {
        RENAMED
            .iter()
            .fold(sql.to_owned(), |sql, (_, old, new)| sql.replace(&format!("INTO {old} "), &format!("INTO {new} ")))
    }

    #[test]
    fn different_answers_about_an_instruction_wait_after_migration_45() {
        let mut conn = empty();
        migrate_to(&mut conn, 44).unwrap();
        for sql in &ROWS[..44] {
            conn.execute_batch(&renamed(sql)).unwrap();
        }
        // Two raters of one output, of whom one says no to its instruction.
        conn.execute_batch(
            "UPDATE study_quality SET json = '{\"spread\":8}' WHERE study_id = 1;
             UPDATE adjudications SET superseded_at = 1 WHERE study_id = 1;
             UPDATE assignments SET rated_at = 1 WHERE study_id = 1 AND output_id = 1;
             INSERT INTO counted (study_id, output_id, rating_id, user_id, scores) VALUES (1, 1, 1, 3, '22');
             DELETE FROM inbox;",
        )
        .unwrap();
        let waits = "SELECT count(*) FROM inbox WHERE kind = 'disagreement' AND study_id = 1 AND done_at IS NULL";
        let waiting = |conn: &Connection| conn.query_row(waits, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(waiting(&conn), 0);
        migrate(&mut conn).unwrap();
        assert_eq!(waiting(&conn), 1);
        // Migration 47 stores it.
        let stored = "SELECT state, apart FROM disagreements WHERE study_id = 1 AND output_id = 1";
        let stored = conn.query_row(stored, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))).unwrap();
        assert_eq!(stored, (0, true));
        let count = "SELECT outputs FROM disagreement_counts WHERE study_id = 1 AND state = 0";
        assert_eq!(conn.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    }

    #[test]
    fn failures_and_orders_of_levels_are_values_after_migration_46() {
        let mut conn = empty();
        migrate_to(&mut conn, 45).unwrap();
        for sql in &ROWS[..45] {
            conn.execute_batch(&renamed(sql)).unwrap();
        }
        // Three requests of a judging, one of them a second turn, and one of outputs.
        conn.execute_batch(
            "DELETE FROM collection_requests;
             INSERT INTO collection_requests (collection_id, position, turn, task_id, sample, prompt, output_id, status,
                 attempts, sent_at, error) VALUES
                 (1, 0, 0, '1', 0, 'output 1 worst first', 1, 'answered', 1, 1, NULL),
                 (1, 0, 1, '1', 0, 'position 0 turn 1', 1, 'answered', 1, 1, NULL),
                 (1, 1, 0, '1', 0, 'output 2 best first', 2, 'failed', 1, 1, 'HTTP 400 Bad Request: no'),
                 (1, 2, 0, '1', 0, '1', NULL, 'failed', 1, 1, 'gone');
             UPDATE collections SET reason = '{\"kind\":\"failing\",\"text\":\"gone\"}';
             UPDATE webhook_deliveries SET status = 500, error = 'the address responded with 500 Internal Server Error';",
        )
        .unwrap();
        migrate(&mut conn).unwrap();
        let texts = |sql: &str| {
            let mut statement = conn.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
            rows.map(|text| text.unwrap().unwrap_or_default()).collect::<Vec<_>>()
        };
        let orders = texts("SELECT level_order FROM collection_requests ORDER BY position, turn");
        assert_eq!(orders, ["worst_first", "worst_first", "best_first", ""]);
        let errors = texts("SELECT error FROM collection_requests WHERE status = 'failed' ORDER BY position");
        let expected = [r#"{"code":"status","detail":"no","status":400}"#, r#"{"code":"other","text":"gone"}"#];
        assert_eq!(errors, expected);
        let reason = r#"{"kind":"failing","text":{"code":"other","text":"gone"}}"#;
        assert_eq!(texts("SELECT reason FROM collections"), [reason]);
        assert_eq!(texts("SELECT error FROM webhook_deliveries"), [r#"{"code":"status","status":500}"#]);
        let routine = r#"{"code":"other","text":"no space"}"#;
        assert_eq!(texts("SELECT error FROM routines WHERE name = 'backup'"), [routine]);
    }

    /// The rows of migration 2 have sentences; those of migration 17 have values.
    fn values_replace_sentences(conn: &Connection) {
        let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        let outcome: serde_json::Value =
            serde_json::from_str(&text("SELECT outcome FROM run_items WHERE id = 1")).unwrap();
        assert_eq!(outcome["reason"]["code"], "cpu_time");
        assert_eq!(outcome["flags"][0], serde_json::json!({ "line": 1, "kind": "exit" }));
        let cached: serde_json::Value =
            serde_json::from_str(&text("SELECT outcome FROM outcomes WHERE key = 'o1'")).unwrap();
        assert_eq!(cached["reason"]["code"], "signal");
        let environment: serde_json::Value =
            serde_json::from_str(&text("SELECT environment FROM runs WHERE id = 1")).unwrap();
        assert_eq!(environment["limits"], "short");
        assert_eq!(text("SELECT fault FROM runs WHERE id = 3"), r#"{"code":"no_tests"}"#);
        assert_eq!(text("SELECT fault FROM run_items WHERE id = 2"), r#"{"code":"other","text":"no space"}"#);
    }
}
