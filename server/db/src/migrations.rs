//! The schema and its updates. `PRAGMA user_version` counts the applied files of `server/migrations`, which are numbered
//! and append-only.

use rusqlite::{Connection, TransactionBehavior};

use super::{APPLICATION_ID, OpenError};

/// Every migration, oldest first; its number is its position, from 1.
pub(super) const MIGRATIONS: &[&str] = &[include_str!("../../migrations/0001_schema.sql")];

/// The schema this program writes.
pub fn newest() -> u32 {
    count(MIGRATIONS)
}

/// The schema after these migrations.
pub(super) fn count(migrations: &[&str]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// Checks that the file is empty or ours, and not newer than this program. Changes nothing.
///
/// # Errors
///
/// [`OpenError::Newer`] and [`OpenError::NotOurs`].
pub fn verify(conn: &Connection) -> Result<(), OpenError> {
    verify_with(conn, MIGRATIONS)
}

/// As [`verify`], for a program with these migrations.
pub(super) fn verify_with(conn: &Connection, migrations: &[&str]) -> Result<(), OpenError> {
    let found = version(conn)?;
    let owner: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if owner != APPLICATION_ID && (objects > 0 || found > 0 || owner != 0) {
        return Err(OpenError::NotOurs);
    }
    let known = count(migrations);
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    Ok(())
}

/// Updates the schema, each step in its own transaction.
pub(super) fn migrate(conn: &mut Connection, migrations: &[&str]) -> Result<(), OpenError> {
    for (place, sql) in migrations.iter().enumerate() {
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
pub(super) mod tests {
    use std::{collections::BTreeMap, path::Path};

    use rusqlite::{OpenFlags, types::Value};

    use super::{
        super::{Db, FILE, connect, policy},
        *,
    };

    /// Rows for every table.
    pub const ROWS: &str = include_str!("every_table.sql");

    /// What a later version might do: add and fill a column and a table. Only tests know it.
    pub const NEXT: &str = "
        ALTER TABLE models ADD COLUMN vendor TEXT NOT NULL DEFAULT '';
        UPDATE models SET vendor = 'of ' || name;
        CREATE TABLE vendors (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        INSERT INTO vendors (name) SELECT vendor FROM models;";

    /// A program with one more migration.
    pub fn with(next: &'static str) -> Vec<&'static str> {
        [MIGRATIONS, &[next]].concat()
    }

    /// A database file of today with [`ROWS`].
    pub fn populated(folder: &Path) -> Connection {
        let path = folder.join(FILE);
        let mut conn = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        migrate(&mut conn, MIGRATIONS).unwrap();
        policy::store(&mut conn, &policy::POLICY).unwrap();
        conn.execute_batch(ROWS).unwrap();
        conn
    }

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
        migrate(&mut conn, MIGRATIONS).unwrap();
        verify(&conn).unwrap();
        migrate(&mut conn, MIGRATIONS).unwrap();
        assert_eq!(version(&conn).unwrap(), newest());
        migrate(&mut conn, &with(NEXT)).unwrap();
        assert!(matches!(verify(&conn), Err(OpenError::Newer { .. })));
        verify_with(&conn, &with(NEXT)).unwrap();
    }

    type Table = (Vec<String>, Vec<Vec<Value>>);

    /// The stored columns of every table, and its rows in a fixed order.
    pub fn tables(conn: &Connection) -> BTreeMap<String, Table> {
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

    fn assert_sound(conn: &Connection) {
        assert!(!conn.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap());
        let sound: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
    }

    #[test]
    fn a_later_migration_keeps_every_row_of_every_table() {
        let mut conn = empty();
        migrate(&mut conn, MIGRATIONS).unwrap();
        policy::store(&mut conn, &policy::POLICY).unwrap();
        conn.execute_batch(ROWS).unwrap();
        let before = tables(&conn);
        for (name, (_, rows)) in &before {
            assert!(!rows.is_empty(), "no row in {name}: add one to every_table.sql");
        }
        migrate(&mut conn, &with(NEXT)).unwrap();
        assert_eq!(version(&conn).unwrap(), newest() + 1);
        for (name, (columns, rows_before)) in before {
            assert_eq!(rows(&conn, &name, &columns), rows_before, "{name}");
        }
        assert_sound(&conn);
        let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM models WHERE vendor = 'of ' || name"), 2);
        assert_eq!(count("SELECT count(*) FROM vendors"), 2);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let before = tables(&populated(folder.path()));
        // The last statement refers to a table that does not exist.
        let broken: &'static str = "ALTER TABLE models ADD COLUMN vendor TEXT;
            DELETE FROM bookmarks;
            INSERT INTO nowhere (name) SELECT name FROM models;";
        let refused = Db::open_with(folder.path(), &with(broken)).unwrap_err();
        assert!(refused.to_string().contains("nowhere"), "{refused}");
        let db = Db::open(folder.path()).unwrap();
        db.read_blocking(|conn| {
            assert_eq!(version(conn)?, newest());
            assert_eq!(tables(conn), before);
            assert_sound(conn);
            Ok(())
        })
        .unwrap();
        drop(db);
        // Corrected, the same update succeeds.
        let db = Db::open_with(folder.path(), &with(NEXT)).unwrap();
        let version = db.read_blocking(|conn| Ok(version(conn)?)).unwrap();
        assert_eq!(version, newest() + 1);
    }

    #[test]
    fn triggers_count_what_rows_add() {
        let folder = tempfile::tempdir().unwrap();
        let conn = populated(folder.path());
        let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM counted"), 2);
        assert_eq!(count("SELECT sum(ratings) FROM study_revisions"), 2);
        assert_eq!(count("SELECT sum(rated) FROM study_raters"), 2);
        assert_eq!(count("SELECT sum(done) FROM study_counts"), 2);
        assert_eq!(count("SELECT sum(wanted) = (SELECT count(*) FROM assignments) FROM study_counts"), 1);
        assert_eq!(count("SELECT max(last_rating) = (SELECT max(at) FROM ratings) FROM study_raters"), 1);
        assert_sound(&conn);
    }
}
