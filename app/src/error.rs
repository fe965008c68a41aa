//! The one error that crosses the wire, and what a person reads of it.
//!
//! Detail of our own failures never gets in here: it is logged once, where it is handled, under
//! the incident id that [`AppError::Internal`] carries.

use leptos::{prelude::FromServerFnError, server_fn::codec::JsonEncoding, server_fn::error::ServerFnErrorErr};
use serde::{Deserialize, Serialize};

use crate::model::{grading::DraftFault, problem::Problem};

/// Why a request was not answered with what it asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppError {
    /// Nobody is logged in, or the session ended.
    #[error("please log in")]
    Unauthenticated,
    /// Somebody is logged in and may not do this.
    #[error("you may not do this")]
    Forbidden,
    /// There is no such thing, or not for this person.
    #[error("there is no such {0}")]
    NotFound(String),
    /// The input is wrong; each problem says where and what to do.
    #[error("{}", problems_text(.0))]
    Invalid(Vec<Problem>),
    /// A draft that cannot be taken.
    #[error("the scores cannot be taken")]
    Draft(DraftFault),
    /// The thing has changed meanwhile, or is in a state that does not allow this.
    #[error("{0}")]
    Conflict(String),
    /// Something of a rater's that the state of their study does not allow.
    #[error("{0}")]
    Refused(Refusal),
    /// Too many attempts; try again after so many seconds.
    #[error("too many attempts; try again in {0} seconds")]
    TooMany(u64),
    /// The request itself is malformed: a broken client, not a person's mistake.
    #[error("the request is malformed")]
    Malformed,
    /// The server could not be reached. Made on the client only.
    #[error("the server cannot be reached")]
    Unreachable,
    /// Our own failure, logged under this id.
    #[error("something went wrong on the server (incident {0})")]
    Internal(String),
}

/// Why something of a rater's is not taken. What they read of it is in [`crate::i18n::refusal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// No rating is taken now.
    #[error("the study is paused or closed; the scores are kept as a draft")]
    NotRunning,
    /// No rating is taken back now.
    #[error("the study is paused or closed; what was submitted stays")]
    Stays,
    /// The lease ran out, and others have rated the output meanwhile.
    #[error("the lease has run out and others have rated this output")]
    Away,
    /// Another rating was given after this one.
    #[error("only the rating given last can be taken back")]
    NotLast,
    /// The first answer to a calibration item stays.
    #[error("a calibration item is answered once")]
    AnsweredOnce,
    /// An admin had the rater begin the calibration again.
    #[error("the calibration was begun again meanwhile")]
    BegunAgain,
    /// Calibration items are not skipped.
    #[error("a calibration item cannot be skipped")]
    NotSkipped,
    /// Nobody decides about an output that they rate.
    #[error("who has rated an output cannot decide about it")]
    RatedYourself,
    /// There is nothing to decide any more.
    #[error("its raters do not disagree any more")]
    Agreed,
}

impl AppError {
    /// One problem with the input.
    pub fn invalid(field: &str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        AppError::Invalid(vec![Problem::new(field, what, remedy)])
    }

    /// The HTTP status that says the same.
    pub fn status(&self) -> u16 {
        match self {
            AppError::Unauthenticated => 401,
            AppError::Forbidden => 403,
            AppError::NotFound(_) => 404,
            AppError::Invalid(_) | AppError::Draft(_) => 422,
            AppError::Conflict(_) | AppError::Refused(_) => 409,
            AppError::TooMany(_) => 429,
            AppError::Malformed => 400,
            AppError::Unreachable => 503,
            AppError::Internal(_) => 500,
        }
    }
}

fn problems_text(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Request(_) => AppError::Unreachable,
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) | ServerFnErrorErr::Deserialization(_) => {
                AppError::Malformed
            }
            _ => AppError::Internal("-".into()),
        }
    }
}
