//! What results of workers on other machines were made in. Called by `jobs::cluster`.

use model::{code_lang::CodeLang, ids::RunId, run::Environment};
use rusqlite::{Connection, params};

use super::stored;
use base::error::Failure;

/// The conditions under which a toolchain runs a suite, as far as cache keys depend on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownEnvironment {
    pub key_basis: String,
    pub fingerprint: String,
    pub environment: Environment,
}

/// The environments in which a suite has run with these options.
pub fn environments(conn: &Connection, suite: &str, options: &str) -> Result<Vec<KnownEnvironment>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT key_basis, fingerprint, environment FROM worker_environments WHERE suite = ?1 AND options = ?2",
    )?;
    let mut rows = statement.query([suite, options])?;
    let mut known = Vec::new();
    while let Some(row) = rows.next()? {
        let json: String = row.get("environment")?;
        if let Some(environment) = stored::cached(json.as_bytes()) {
            known.push(KnownEnvironment {
                key_basis: row.get("key_basis")?,
                fingerprint: row.get("fingerprint")?,
                environment,
            });
        }
    }
    Ok(known)
}

/// Records an environment in which a suite has run.
pub fn note(conn: &Connection, suite: &str, options: &str, known: &KnownEnvironment) -> Result<(), Failure> {
    let KnownEnvironment { key_basis, fingerprint, environment } = known;
    conn.prepare_cached(
        "INSERT OR REPLACE INTO worker_environments (suite, options, toolchain, key_basis, fingerprint, environment)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        suite,
        options,
        environment.java,
        key_basis,
        fingerprint,
        serde_json::to_string(environment)?
    ])?;
    Ok(())
}

/// Whether a run has finished outputs in a language that were made in another environment.
pub fn others_done(conn: &Connection, run: RunId, lang: CodeLang, fingerprint: &str) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM run_items i
        CROSS JOIN outputs o ON o.id = i.output_id CROSS JOIN task_revisions r ON r.id = o.revision_id
        WHERE i.run_id = ?1 AND i.state = 'done' AND i.fingerprint <> ?3 AND r.code_lang = ?2)";
    Ok(conn.prepare_cached(query)?.query_row(params![run.0, lang.code(), fingerprint], |row| row.get(0))?)
}
