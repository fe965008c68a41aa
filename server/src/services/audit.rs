//! Reading the audit log.

use app::{
    error::AppError,
    port::{Answer, Caller},
};

use crate::db::{
    Db,
    audit::{self, Action, Entry, Filter},
};

/// The service; see the module.
pub struct AuditService {
    db: Db,
}

impl AuditService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        AuditService { db }
    }

    /// The newest entries that pass the filter, newest first, at most `most`; only those before the entry `before`,
    /// where it is given (admin).
    ///
    /// # Errors
    /// The caller is no admin, or the filter names an unknown action.
    pub async fn list(&self, caller: &Caller, filter: Filter, before: Option<i64>, most: usize) -> Answer<Vec<Entry>> {
        caller.admin()?;
        if let Some(action) = &filter.action
            && !Action::ALL.iter().any(|known| known.name() == action)
        {
            let names = Action::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            return Err(AppError::invalid(
                "action",
                format!("no action is called {action}"),
                format!("Use one of {names}"),
            ));
        }
        Ok(self.db.read(move |conn| audit::list(conn, &filter, before, most)).await?)
    }
}
