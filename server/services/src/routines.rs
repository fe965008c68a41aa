//! What the server does for itself every day, so that an admin sees in the inbox what fails: the check of the database is
//! here, the daily backup in `backup/schedule.rs`.

use std::time::Duration;

use model::{caller::System, error::AppError, fault::RoutineFault, time::DAY_MS};
use texts::faults::routine_fault;

use super::Services;
use base::{background, clock, error::Failure};
use db::{
    OpenError,
    copy::{self, Depth},
    routines::{self, Routine},
};

/// How often the server looks whether the database is due to be checked.
const LOOK: Duration = Duration::from_secs(10 * 60);

impl Services {
    /// Records how something ended that the server does every day. A failure is logged, too.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub async fn record_routine(&self, _: System, routine: Routine, ended: Result<(), Failure>) -> Result<(), Failure> {
        let now = clock::now();
        match ended {
            Ok(()) => self.db.write(move |tx| routines::succeeded(tx, routine, now)).await,
            Err(failure) => {
                let why = fault(failure);
                tracing::error!(?routine, cause = %routine_fault(&why), "a daily routine failed");
                self.db.write(move |tx| routines::failed(tx, routine, now, &why)).await
            }
        }
    }

    /// Records that this server makes no daily backups.
    ///
    /// # Errors
    /// Fails if the database cannot be written.
    pub async fn end_routine(&self, _: System, routine: Routine) -> Result<(), Failure> {
        self.db.write(move |tx| routines::ended(tx, routine)).await
    }

    /// Checks the structure of the database with SQLite's own means, and records the result. The check reads the file
    /// over a connection of its own.
    ///
    /// # Errors
    /// Fails if the result cannot be recorded.
    pub async fn check_database(&self, _: System) -> Result<(), Failure> {
        self.check_now().await
    }

    /// [`Services::check_database`], for an admin who asked for it.
    pub(super) async fn check_now(&self) -> Result<(), Failure> {
        let path = self.db.path().to_path_buf();
        let checked = background::run(move || copy::verify(&path, Depth::Structure)).await;
        let ended = match checked {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(OpenError::Damaged(detail))) => Err(Failure::Routine(RoutineFault::Damaged { detail })),
            Ok(Err(e)) => Err(e.into()),
            Err(e) => Err(e),
        };
        self.record_routine(System, Routine::Integrity, ended).await
    }

    /// Checks the database once a day.
    pub async fn check_database_daily(self) {
        // Not while people open the server that was just started.
        let mut due = tokio::time::interval_at(tokio::time::Instant::now() + LOOK, LOOK);
        loop {
            due.tick().await;
            let last = self.db.read(|conn| routines::attempted_at(conn, Routine::Integrity)).await;
            let checked = match last {
                Ok(Some(last)) if clock::now().0 - last.0 < DAY_MS => Ok(()),
                Ok(_) => self.check_database(System).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = checked {
                // The conversion logs it.
                let _logged = AppError::from(failure);
            }
        }
    }
}

/// Why it failed; of an internal error, only its number.
pub(super) fn fault(failure: Failure) -> RoutineFault {
    match failure {
        Failure::Routine(fault) => fault,
        other => match AppError::from(other) {
            AppError::Internal(incident) => RoutineFault::Internal { incident },
            refused => RoutineFault::Backup { detail: refused.to_string() },
        },
    }
}
