//! The one error that crosses the wire, and the text that a person reads.
//!
//! It never contains details of internal errors: these are logged once, where they are handled, under the
//! incident id in [`AppError::Internal`].

#[cfg(not(target_arch = "wasm32"))]
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use server_fn::{
    codec::JsonEncoding,
    error::{FromServerFnError, ServerFnErrorErr},
};

use crate::{grading::DraftFault, message::Message, problem::Problem};

/// The result of what a person asks for.
pub type Answer<T> = Result<T, AppError>;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppError {
    /// Not logged in, or the session has expired.
    #[error("log in to continue")]
    Unauthenticated,
    /// Logged in without permission.
    #[error("you do not have access to this")]
    Forbidden,
    /// Does not exist, or not for this person.
    #[error("{0} not found")]
    NotFound(String),
    /// Invalid input; each problem says where and how to fix it.
    #[error("{}", problems_text(.0))]
    Invalid(Vec<Problem>),
    /// A draft that cannot be saved.
    #[error("the scores cannot be saved")]
    Draft(DraftFault),
    /// The current state does not allow this.
    #[error("{0}")]
    Conflict(Message),
    /// A rater's request that the state of the study does not allow.
    #[error("{0}")]
    Refused(Refusal),
    /// Too many attempts; retry after this many seconds.
    #[error("too many attempts; try again in {0} seconds")]
    TooMany(u64),
    /// Too many requests are in progress, and nothing of this one was done; retry after this many seconds.
    #[error("the server is busy; try again in {0} seconds")]
    Busy(u64),
    /// The request itself is malformed: a broken client, not a person's mistake.
    #[error("the request is malformed")]
    Malformed,
    /// The server could not be reached. Created on the client only.
    #[error("the server cannot be reached")]
    Unreachable,
    /// An internal error, logged under this id.
    #[error("something went wrong on the server (incident {0})")]
    Internal(String),
}

/// Why a rater's request is refused. `texts::refusal` has the texts on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The study accepts no ratings now.
    #[error("the study is paused or closed; the scores are saved as a draft")]
    NotRunning,
    /// The rater is paused.
    #[error("an admin has to decide before you can continue in this study; ratings and drafts are saved")]
    RaterPaused,
    /// Ratings cannot be withdrawn now.
    #[error("the study is paused or closed, so submitted ratings cannot be undone")]
    Stays,
    /// The lease expired, and others have rated the output meanwhile.
    #[error("the lease has expired and other raters have rated this output")]
    Away,
    /// A later rating exists.
    #[error("only the latest rating can be undone")]
    NotLast,
    /// The rating of a calibration item is final.
    #[error("a calibration item can be answered only once")]
    AnsweredOnce,
    /// An admin restarted the rater's calibration.
    #[error("an admin has restarted the calibration")]
    BegunAgain,
    /// Calibration items cannot be skipped.
    #[error("a calibration item cannot be skipped")]
    NotSkipped,
    /// Nothing leads back into a calibration.
    #[error("a calibration item cannot be bookmarked")]
    NotBookmarked,
    /// People cannot adjudicate outputs that they rate.
    #[error("raters of an output cannot adjudicate it")]
    RatedYourself,
    /// The page showed the output as not rated, and its rater has rated it meanwhile.
    #[error("the output has been rated meanwhile, in another tab or on another device")]
    RatedMeanwhile,
    /// There is no disagreement any more.
    #[error("the raters of this output no longer disagree")]
    Agreed,
}

impl AppError {
    /// One problem with the input.
    pub fn invalid(field: &str, what: impl Into<Message>, remedy: impl Into<Message>) -> Self {
        AppError::Invalid(vec![Problem::new(field, what, remedy)])
    }

    /// The corresponding HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            AppError::Unauthenticated => 401,
            AppError::Forbidden => 403,
            AppError::NotFound(_) => 404,
            AppError::Invalid(_) | AppError::Draft(_) => 422,
            AppError::Conflict(_) | AppError::Refused(_) => 409,
            AppError::TooMany(_) => 429,
            AppError::Malformed => 400,
            AppError::Unreachable | AppError::Busy(_) => 503,
            AppError::Internal(_) => 500,
        }
    }
}

fn problems_text(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// What learns of each error that is a server function's response. Leptos answers every error with 500; the web server
/// sets the status by it. Set once, when the server starts.
#[cfg(not(target_arch = "wasm32"))]
pub static ON_RESPONSE: OnceLock<fn(&AppError)> = OnceLock::new();

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    /// Called for the error that is the response.
    #[cfg(not(target_arch = "wasm32"))]
    fn ser(&self) -> server_fn::Bytes {
        if let Some(tell) = ON_RESPONSE.get() {
            tell(self);
        }
        serde_json::to_vec(self).map_or_else(|_| server_fn::Bytes::from_static(b"{\"Internal\":\"-\"}"), Into::into)
    }

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
