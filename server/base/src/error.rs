//! The error type of services.
//!
//! [`Failure::App`] is for the person: their input, their rights, the state of things. [`Failure::Routine`] is the same
//! as a value, because what the server does by itself is recorded. [`Failure::Internal`] is ours. Turning a failure into the [`AppError`] that leaves the server
//! logs an internal one, once, under an incident id which the person sees.

use std::{fmt, io, path::Path};

use model::{error::AppError, fault::RoutineFault, message::Message};
use rand::Rng;
use texts::faults::routine_fault;

/// Why a service did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// For the person who asked.
    App(AppError),
    /// For the operator, who can fix it.
    Routine(RoutineFault),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    /// Our own failure, with a word about it.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Failure::Internal(cause.into())
    }

    /// There is no such thing, or not for this caller.
    pub fn not_found(what: &str) -> Self {
        Failure::App(AppError::NotFound(what.into()))
    }

    /// The state of things does not allow it.
    pub fn conflict(why: impl Into<Message>) -> Self {
        Failure::App(AppError::Conflict(why.into()))
    }

    /// The same, where a full disk is named with the file or folder that was to be written, and what to do.
    pub fn writing(self, path: &Path) -> Self {
        match self {
            Failure::Internal(cause) if is_disk_full(cause.as_ref()) => {
                Failure::Routine(RoutineFault::DiskFull { path: path.display().to_string() })
            }
            other => other,
        }
    }

    /// One thing wrong with the input.
    pub fn invalid(field: &str, what: impl Into<Message>, remedy: impl Into<Message>) -> Self {
        Failure::App(AppError::invalid(field, what, remedy))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::App(e) => e.fmt(f),
            Failure::Routine(fault) => routine_fault(fault).fmt(f),
            Failure::Internal(cause) => f.write_str(&chain(cause.as_ref())),
        }
    }
}

impl From<AppError> for Failure {
    fn from(e: AppError) -> Self {
        Failure::App(e)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(e: rusqlite::Error) -> Self {
        Failure::internal(e)
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Failure::internal(e)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(e: serde_json::Error) -> Self {
        Failure::internal(e)
    }
}

impl From<Failure> for AppError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::App(e) => e,
            Failure::Routine(fault) => AppError::Conflict(routine_fault(&fault)),
            Failure::Internal(cause) => {
                let incident = format!("{:08x}", rand::rng().random::<u32>());
                tracing::error!(%incident, cause = %chain(cause.as_ref()), "request failed");
                AppError::Internal(incident)
            }
        }
    }
}

/// Whether an error, or what caused it, is a full disk.
pub fn is_disk_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) {
            return true;
        }
        next = error.source();
    }
    false
}

/// The error and what caused it, on one line. A cause that an error already names at its end is not repeated.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_every_cause_once() {
        #[derive(Debug, thiserror::Error)]
        enum Broken {
            #[error("no answer")]
            Inner,
            #[error("cannot ask: {0}")]
            Names(#[source] Box<Broken>),
            #[error("it failed")]
            Outer(#[source] Box<Broken>),
        }
        let broken = Broken::Outer(Box::new(Broken::Names(Box::new(Broken::Inner))));
        assert_eq!(chain(&broken), "it failed: cannot ask: no answer");
    }

    #[test]
    fn a_full_disk_names_the_file_and_other_failures_stay() {
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull)).writing(Path::new("/data/uploads"));
        assert!(matches!(&full, Failure::Routine(RoutineFault::DiskFull { path }) if path == "/data/uploads"));
        let AppError::Conflict(why) = AppError::from(full) else { panic!("not for the operator") };
        for words in [&why.en, &why.zh] {
            assert!(words.contains("/data/uploads") && words.contains("aixgrade prune"), "{words}");
        }
        let other = Failure::from(io::Error::from(io::ErrorKind::PermissionDenied)).writing(Path::new("/data"));
        assert!(matches!(other, Failure::Internal(_)));
    }
}
