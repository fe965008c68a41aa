//! The audit log: who did what, when, and from where.

use std::{cell::RefCell, net::IpAddr};

use app::{model::time::Timestamp, port::Caller};
use rusqlite::{Connection, params};
use serde::Serialize;
use utoipa::ToSchema;

use super::accounts::parsed;
use crate::{clock, error::Failure};

/// Declares [`Action`] with its names.
macro_rules! actions {
    ($($variant:ident => $name:literal,)*) => {
        /// What was done. The name is `noun.verb`; it is stored, and part of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each name says it")]
        pub enum Action { $($variant,)* }

        impl Action {
            /// Every action, by name.
            pub const ALL: &[Action] = &[$(Action::$variant,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }
        }
    };
}

actions! {
    AdjudicatorAdd => "adjudicator.add",
    AdjudicatorRemove => "adjudicator.remove",
    CalibrationLetIn => "calibration.let_in",
    CalibrationReset => "calibration.reset",
    DatasetImport => "dataset.import",
    FlagAnswer => "flag.answer",
    InvitationAccept => "invitation.accept",
    InvitationCreate => "invitation.create",
    InvitationRevoke => "invitation.revoke",
    KnownScoresAdd => "known_scores.add",
    KnownScoresRestore => "known_scores.restore",
    KnownScoresRetire => "known_scores.retire",
    OutputAddRating => "output.add_rating",
    OutputAdjudicate => "output.adjudicate",
    PublicLinkCreate => "public_link.create",
    PublicLinkRevoke => "public_link.revoke",
    RatingsImport => "ratings.import",
    RunCancel => "run.cancel",
    RunRepeat => "run.repeat",
    RunStart => "run.start",
    StoragePrune => "storage.prune",
    StudyAddRater => "study.add_rater",
    StudyCopy => "study.copy",
    StudyCreate => "study.create",
    StudyExtend => "study.extend",
    StudyRemoveRater => "study.remove_rater",
    StudySetPace => "study.set_pace",
    StudySetQuality => "study.set_quality",
    StudySetStatus => "study.set_status",
    SubmissionImport => "submission.import",
    SubmissionMask => "submission.mask",
    SubmissionUnmask => "submission.unmask",
    TokenCreate => "token.create",
    TokenRevoke => "token.revoke",
    UserActivate => "user.activate",
    UserCreate => "user.create",
    UserDeactivate => "user.deactivate",
    UserSetLanguages => "user.set_languages",
    UserSetPassword => "user.set_password",
    WebhookCreate => "webhook.create",
    WebhookRemove => "webhook.remove",
    WebhookTest => "webhook.test",
}

/// By which way a change came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A browser that is logged in.
    Session,
    /// A token of the REST API.
    Token,
    /// The command line.
    CommandLine,
}

impl Via {
    /// As it is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Via::Session => "session",
            Via::Token => "token",
            Via::CommandLine => "command line",
        }
    }
}

impl std::str::FromStr for Via {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Via::Session, Via::Token, Via::CommandLine];
        all.into_iter().find(|via| via.name() == name).ok_or_else(|| format!("unknown origin {name}"))
    }
}

/// Where the request that is being answered came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// By which way.
    pub via: Via,
    /// The token's number.
    pub token: Option<i64>,
    /// The client's address.
    pub address: Option<IpAddr>,
}

tokio::task_local! {
    /// Set around each request.
    static REQUEST: Origin;
}

thread_local! {
    /// The same on the writing thread, for as long as it does this request's write.
    static WRITING: RefCell<Option<Origin>> = const { RefCell::new(None) };
}

/// Answers a request that came from `origin`: every change that it makes is noted with it.
pub async fn from<T>(origin: Origin, answer: impl Future<Output = T>) -> T {
    REQUEST.scope(origin, answer).await
}

/// Runs work as a task of its own that keeps the request's origin: a client that hangs up does not stop it.
pub fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    match current() {
        Some(origin) => tokio::spawn(from(origin, work)),
        None => tokio::spawn(work),
    }
}

/// The origin of the request that this task answers.
pub(super) fn current() -> Option<Origin> {
    REQUEST.try_with(|origin| *origin).ok()
}

/// Does a request's work on another thread.
pub(super) fn carried<T>(origin: Option<Origin>, work: impl FnOnce() -> T) -> T {
    /// Ends the origin, also when the work panics.
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

/// Notes a change in the transaction that makes it. `detail` holds no secret and no file's content.
pub fn note(conn: &Connection, caller: &Caller, action: Action, detail: &str) -> Result<(), Failure> {
    let origin = WRITING.with_borrow(|origin| *origin).or_else(current);
    let via = match (caller, origin) {
        (Caller::Operator, None) => Some(Via::CommandLine),
        (_, origin) => origin.map(|origin| origin.via),
    };
    conn.prepare_cached(
        "INSERT INTO audit (at, user_id, action, detail, via, token_id, address) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        clock::now().0,
        caller.id().map(|id| id.0),
        action.name(),
        detail,
        via.map(Via::name),
        origin.and_then(|origin| origin.token),
        origin.and_then(|origin| origin.address).map(|address| address.to_string()),
    ])?;
    Ok(())
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Entry {
    /// Its number; later changes have higher ones.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// The account's name; absent for the command line.
    pub person: Option<String>,
    /// What was done, as `noun.verb`.
    pub action: String,
    /// To what, in words.
    pub detail: String,
    /// By which way; absent for changes from before this was noted.
    pub via: Option<Via>,
    /// The number of the token.
    pub token: Option<i64>,
    /// The client's address.
    pub address: Option<String>,
}

/// Which entries. What is absent does not restrict them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this account.
    pub person: Option<String>,
    /// With this action.
    pub action: Option<String>,
    /// Whose detail contains this.
    pub object: Option<String>,
    /// From then on.
    pub since: Option<Timestamp>,
    /// Before then.
    pub until: Option<Timestamp>,
}

/// The newest entries that pass the filter, newest first; only those before the entry `before`, where it is given.
pub fn list(conn: &Connection, filter: &Filter, before: Option<i64>, most: usize) -> Result<Vec<Entry>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.at, u.name, a.action, a.detail, a.via, a.token_id, a.address
         FROM audit a LEFT JOIN users u ON u.id = a.user_id
         WHERE (?1 IS NULL OR a.user_id = (SELECT id FROM users WHERE name = ?1))
           AND (?2 IS NULL OR a.action = ?2)
           AND (?3 IS NULL OR instr(a.detail, ?3) > 0)
           AND (?4 IS NULL OR a.at >= ?4)
           AND (?5 IS NULL OR a.at < ?5)
           AND (?6 IS NULL OR a.id < ?6)
         ORDER BY a.id DESC LIMIT ?7",
    )?;
    let Filter { person, action, object, since, until } = filter;
    let rows = statement.query_map(
        params![person, action, object, since.map(|at| at.0), until.map(|at| at.0), before, most],
        |row| {
            let via: Option<String> = row.get(5)?;
            Ok(Entry {
                id: row.get(0)?,
                at: Timestamp(row.get(1)?),
                person: row.get(2)?,
                action: row.get(3)?,
                detail: row.get(4)?,
                via: via.map(|_| parsed(row, 5)).transpose()?,
                token: row.get(6)?,
                address: row.get(7)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    #[test]
    fn names_are_noun_and_verb_and_in_order() {
        let names: Vec<_> = Action::ALL.iter().map(|action| action.name()).collect();
        assert!(names.is_sorted(), "{names:?}");
        for name in names {
            let (noun, verb) = name.split_once('.').unwrap();
            let word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(word(noun) && word(verb), "{name}");
        }
    }

    #[tokio::test]
    async fn a_change_is_noted_with_its_origin_and_the_next_one_without() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let origin = Origin { via: Via::Session, token: None, address: Some("203.0.113.7".parse().unwrap()) };
        let note_one =
            |detail: &'static str| db.write(move |tx| note(tx, &Caller::Operator, Action::UserCreate, detail));
        from(origin, note_one("ada")).await.unwrap();
        // A panic on the writing thread leaves no origin behind.
        let panicked = from(origin, db.write(|tx| if tx.is_autocommit() { Ok(()) } else { panic!("on purpose") }));
        assert!(panicked.await.is_err());
        note_one("bo").await.unwrap();
        let entries = db.read_blocking(|conn| list(conn, &Filter::default(), None, 10)).unwrap();
        let found: Vec<_> = entries.iter().map(|e| (e.detail.as_str(), e.via, e.address.as_deref())).collect();
        let expected = [("bo", Some(Via::CommandLine), None), ("ada", Some(Via::Session), Some("203.0.113.7"))];
        assert_eq!(found, expected);
        let only = |filter: Filter| db.read_blocking(|conn| list(conn, &filter, None, 10)).unwrap().len();
        assert_eq!(only(Filter { object: Some("ada".into()), ..Filter::default() }), 1);
        assert_eq!(only(Filter { action: Some("user.create".into()), ..Filter::default() }), 2);
        assert_eq!(only(Filter { action: Some("user".into()), ..Filter::default() }), 0);
        assert_eq!(only(Filter { person: Some("ada".into()), ..Filter::default() }), 0);
        assert_eq!(only(Filter { until: Some(Timestamp(0)), ..Filter::default() }), 0);
        let before = db.read_blocking(|conn| list(conn, &Filter::default(), Some(entries[0].id), 1)).unwrap();
        assert_eq!(before[0].detail, "ada");
    }
}
