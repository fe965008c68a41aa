//! The audit log: who did what, when, and from where.

use std::{cell::RefCell, net::IpAddr};

use model::{
    audit::{Action, Entry, Object, Via},
    audit_details::{Details, Fact},
    caller::Actor,
    time::Timestamp,
};
use rusqlite::{Connection, Transaction, params};

use super::{
    Db,
    stored::{Table, optional_parsed, parsed, table},
};
use base::{clock, error::Failure};

const AUDIT: Table = table("audit", &["id"]);

/// The origin of the current request.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The channel.
    pub via: Via,
    /// The token's number.
    pub token: Option<i64>,
    /// The client's address.
    pub address: Option<IpAddr>,
}

tokio::task_local! {
    /// Set for each request.
    static REQUEST: Origin;
}

thread_local! {
    /// The same on the writing thread while it executes this request's write.
    static WRITING: RefCell<Option<Origin>> = const { RefCell::new(None) };
}

/// Runs a request with this origin, which is recorded with every change that it makes.
pub async fn from<T>(origin: Origin, answer: impl Future<Output = T>) -> T {
    REQUEST.scope(origin, answer).await
}

/// Spawns a task that keeps the request's origin and continues if the client disconnects.
pub fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    match current() {
        Some(origin) => tokio::spawn(from(origin, work)),
        None => tokio::spawn(work),
    }
}

/// The origin of the request that this task serves.
pub(super) fn current() -> Option<Origin> {
    REQUEST.try_with(|origin| *origin).ok()
}

/// Runs a request's work on another thread.
pub(super) fn carried<T>(origin: Option<Origin>, work: impl FnOnce() -> T) -> T {
    /// Clears the origin, also when the work panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            WRITING.set(None);
        }
    }
    WRITING.set(origin);
    let _end = End;
    work()
}

/// The result of a change, and its entry in the audit log.
pub struct Change<T> {
    value: T,
    entries: Vec<(Object, Vec<Fact>)>,
    by: Option<Actor>,
}

impl<T> Change<T> {
    /// `object` was changed. `facts` are what else is worth knowing.
    pub fn of(object: Object, facts: impl Into<Vec<Fact>>, value: T) -> Change<T> {
        Change { value, entries: vec![(object, facts.into())], by: None }
    }

    /// Several objects were changed, each with its facts; with none of them, nothing was.
    pub fn each(entries: Vec<(Object, Vec<Fact>)>, value: T) -> Change<T> {
        Change { value, entries, by: None }
    }

    /// The same, by an account that the change itself created.
    pub fn by(self, actor: Actor) -> Change<T> {
        Change { by: Some(actor), ..self }
    }
}

impl Db {
    /// Makes a change in one transaction and adds it to the audit log there. It is the only way to add to the log.
    ///
    /// # Errors
    /// Those of `work`; nothing is changed then.
    pub async fn write_audited<T, F>(&self, by: impl Into<Actor>, action: Action, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<Change<T>, Failure> + Send + 'static,
    {
        let by = by.into();
        let audited = move |tx: &Transaction<'_>| {
            let Change { value, entries, by: new } = work(tx)?;
            let by = new.unwrap_or(by);
            entries.into_iter().try_for_each(|(object, facts)| add(tx, by, action, &object, facts))?;
            Ok(value)
        };
        self.write(audited).await
    }
}

fn add(conn: &Connection, by: Actor, action: Action, object: &Object, facts: Vec<Fact>) -> Result<(), Failure> {
    let origin = WRITING.with_borrow(|origin| *origin).or_else(current);
    let via = match (by, origin) {
        (Actor::System, None) => Some(Via::CommandLine),
        (_, origin) => origin.map(|origin| origin.via),
    };
    conn.prepare_cached(
        "INSERT INTO audit (at, user_id, action, object, detail, via, token_id, address)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        clock::now().0,
        by.id().map(|id| id.0),
        action.name(),
        object.to_string(),
        Details(facts).to_string(),
        via.map(Via::name),
        origin.and_then(|origin| origin.token),
        origin.and_then(|origin| origin.address).map(|address| address.to_string()),
    ])?;
    Ok(())
}

/// Filter of entries. Absent fields do not restrict them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// By this account.
    pub person: Option<String>,
    /// With this action.
    pub action: Option<String>,
    /// Only entries whose object or detail contains this. In the object it ends a word: `study 3` is not `study 31`.
    pub object: Option<String>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
}

/// The newest entries that match the filter, newest first, older than the entry `before` if it is given.
pub fn list(conn: &Connection, filter: &Filter, before: Option<i64>, most: usize) -> Result<Vec<Entry>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.at, u.name, a.action, a.detail, a.via, a.token_id, a.address, a.object
         FROM audit a LEFT JOIN users u ON u.id = a.user_id
         WHERE (?1 IS NULL OR a.user_id = (SELECT id FROM users WHERE name = ?1))
           AND (?2 IS NULL OR a.action = ?2)
           AND (?3 IS NULL OR instr(a.detail, ?3) > 0 OR instr(a.object || ' ', ?3 || ' ') > 0)
           AND (?4 IS NULL OR a.at >= ?4)
           AND (?5 IS NULL OR a.at < ?5)
           AND (?6 IS NULL OR a.id < ?6)
         ORDER BY a.id DESC LIMIT ?7",
    )?;
    let Filter { person, action, object, since, until } = filter;
    let rows = statement.query_map(
        params![person, action, object, since.map(|at| at.0), until.map(|at| at.0), before, most],
        |row| {
            Ok(Entry {
                id: row.get("id")?,
                at: Timestamp(row.get("at")?),
                person: row.get("name")?,
                action: row.get("action")?,
                detail: parsed(row, AUDIT, "detail")?,
                via: optional_parsed(row, AUDIT, "via")?,
                token: row.get("token_id")?,
                address: row.get("address")?,
                object: row.get("object")?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use model::caller::System;

    use super::*;

    #[tokio::test]
    async fn origin_is_recorded_for_its_request_only() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let origin = Origin { via: Via::Session, token: None, address: Some("203.0.113.7".parse().unwrap()) };
        let fact = |name: &str| Fact::Name(name.into());
        let note_one = |name: &'static str| {
            let object = Object::Account(name.into());
            db.write_audited(System, Action::UserCreate, move |_| Ok(Change::of(object, [fact(name)], ())))
        };
        from(origin, note_one("ada")).await.unwrap();
        // A panic on the writing thread leaves no origin behind.
        let panicked = from(origin, db.write(|tx| if tx.is_autocommit() { Ok(()) } else { panic!("on purpose") }));
        assert!(panicked.await.is_err());
        note_one("bo").await.unwrap();
        let entries = db.read_blocking(|conn| list(conn, &Filter::default(), None, 10)).unwrap();
        let found: Vec<_> = entries.iter().map(|e| (e.detail.clone(), e.via, e.address.as_deref())).collect();
        let named = |name: &str| Details(vec![fact(name)]);
        let expected =
            [(named("bo"), Some(Via::CommandLine), None), (named("ada"), Some(Via::Session), Some("203.0.113.7"))];
        assert_eq!(found, expected);
        let only = |filter: Filter| db.read_blocking(|conn| list(conn, &filter, None, 10)).unwrap().len();
        assert_eq!(only(Filter { object: Some("ada".into()), ..Filter::default() }), 1);
        assert_eq!(only(Filter { object: Some("account ada".into()), ..Filter::default() }), 1);
        assert_eq!(only(Filter { object: Some("account a".into()), ..Filter::default() }), 0);
        assert_eq!(only(Filter { action: Some("user.create".into()), ..Filter::default() }), 2);
        assert_eq!(only(Filter { action: Some("user".into()), ..Filter::default() }), 0);
        assert_eq!(only(Filter { person: Some("ada".into()), ..Filter::default() }), 0);
        assert_eq!(only(Filter { until: Some(Timestamp(0)), ..Filter::default() }), 0);
        let before = db.read_blocking(|conn| list(conn, &Filter::default(), Some(entries[0].id), 1)).unwrap();
        assert_eq!(before[0].detail, named("ada"));
    }
    #[tokio::test]
    async fn a_change_that_fails_leaves_no_entry_and_one_that_changes_nothing_neither() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let failed = db.write_audited(System, Action::StudyCreate, |tx| {
            tx.execute("INSERT INTO models (name) VALUES ('m')", [])?;
            if tx.is_autocommit() { Ok(Change::each(Vec::new(), ())) } else { Err(Failure::not_found("study")) }
        });
        assert!(failed.await.is_err());
        db.write_audited(System, Action::RunStop, |_| Ok(Change::each(Vec::new(), ()))).await.unwrap();
        let found = db.read_blocking(|conn| {
            let models: i64 = conn.query_row("SELECT count(*) FROM models", [], |row| row.get(0))?;
            Ok((models, list(conn, &Filter::default(), None, 10)?))
        });
        assert_eq!(found.unwrap(), (0, Vec::new()));
    }
}
