//! Acts that can be undone. The request is stored, and its items leave the list; when it is due, it is carried out as if it
//! had been asked for then. It survives a restart, and a `kill`.

use std::time::Duration;

use model::{
    caller::{Admin, Caller, Capability},
    error::{Answer, AppError},
    inbox::{InboxAct, InboxDone, UNDO_S},
    time::Timestamp,
};
use rusqlite::Connection;

use super::{InboxService, not_done, one, open_item};
use base::{clock, error::Failure};
use db::{
    accounts,
    inbox::{self, Requested, Subject},
};

/// How often requests that are due are looked for.
const LOOK: Duration = Duration::from_secs(1);

impl InboxService {
    /// Stores a request for what can be done now.
    pub(super) async fn ask(&self, admin: &Admin, act: InboxAct, items: Vec<i64>) -> Answer<InboxDone> {
        let Some(by) = admin.id() else { return self.carry_out(admin, act, items, false).await };
        let alone = items.len() == 1;
        let due = Timestamp(clock::now().0 + i64::from(UNDO_S) * 1000);
        let work = move |tx: &rusqlite::Transaction<'_>| {
            let (mut done, mut wanted) = (InboxDone::default(), Vec::new());
            for id in items {
                match can_be_done(tx, act, id) {
                    Ok(()) => wanted.push(id),
                    Err(failure) if alone => return Err(failure),
                    Err(failure) => not_done(tx, id, failure, &mut done)?,
                }
            }
            done.done = wanted.len() as u64;
            if !wanted.is_empty() {
                done.undo = Some(inbox::request(tx, act, &wanted, by, due)?);
            }
            Ok(done)
        };
        Ok(self.db.write(work).await?)
    }

    /// Removes a request of the same admin.
    pub(super) async fn take_back(&self, admin: &Admin, request: i64) -> Answer<u64> {
        let by = admin.id();
        let work = move |tx: &rusqlite::Transaction<'_>| match inbox::requested_by(tx, request)? {
            Some(asked) if Some(asked) == by => inbox::end_request(tx, request),
            _ => Err(Failure::conflict((
                format!("This can no longer be undone: it was carried out after {UNDO_S} seconds."),
                format!("已无法撤销：操作已在 {UNDO_S} 秒后执行。"),
            ))),
        };
        Ok(self.db.write(work).await?)
    }

    /// Carries out what is due at `now`; returns the number of requests.
    ///
    /// # Errors
    /// Internal errors. The request stays.
    pub async fn carry_out_due(&self, now: Timestamp) -> Result<usize, AppError> {
        let mut requests = 0;
        while let Some(request) = self.db.read(move |conn| inbox::due(conn, now)).await? {
            let Requested { id, act, by, items } = request;
            let asked = self.db.read(move |conn| accounts::by_id(conn, by)).await?;
            let admin = asked.filter(|account| !account.disabled).map(|account| Caller::User(account.me));
            // Of somebody who is no admin any more, nothing is done: the items are listed again.
            if let Some(Ok(admin)) = admin.map(|caller| Admin::of(&caller))
                && !items.is_empty()
            {
                self.carry_out(&admin, act, items, false).await?;
            }
            self.db.write(move |tx| inbox::end_request(tx, id)).await?;
            requests += 1;
        }
        Ok(requests)
    }

    /// Carries out requests when they are due, until the process ends.
    pub async fn serve(&self) {
        loop {
            if let Err(error) = self.carry_out_due(clock::now()).await {
                tracing::error!(%error, "an act on items of the inbox failed");
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Whether it can be done now: it is tried, and taken back. Runs are only looked up, for they begin outside the database.
fn can_be_done(conn: &Connection, act: InboxAct, id: i64) -> Result<(), Failure> {
    if let Subject::Run(..) = open_item(conn, act, id)?.subject {
        return Ok(());
    }
    inbox::try_out(conn, || one(conn, act, id, None).map(drop))?
}
