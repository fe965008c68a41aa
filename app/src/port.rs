//! What pages ask of the server: one trait an area, implemented in `server/src/services`.
//!
//! Exists on the server side only. A server function takes the [`Ports`] and the [`Caller`] from
//! the context and makes one call; whether the caller may is the service's first question, never
//! the page's.

pub mod api;
mod comparisons;
mod plans;
pub mod quality;
pub mod ratings_import;
pub mod settings;

use std::sync::Arc;

pub use plans::Plans;

use async_trait::async_trait;
use leptos::prelude::use_context;

pub use comparisons::Comparisons;

use crate::{
    error::AppError,
    model::{
        comparison::{TaskRatings, TaskScores},
        dataset::{DatasetDetail, DatasetRow},
        grading::{DeskStudy, Draft, GradingItem, Next, NextTask, OwnRating, Receipt, RubricSheet},
        ids::{DatasetVersionId, OutputId, RunId, StudyId, SubmissionId, TaskId, Token, UploadId, UserId},
        lang::Lang,
        run::{Again, EngineReadiness, ItemDetail, RunDetail, RunProgress, RunRow, StartHow},
        run_pair::RunPair,
        study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
        submission::{Matching, OutputDetail, Preview, SubmissionDetail, SubmissionRow},
        user::{Invitation, Me, Role, UserRow, Visitor},
    },
};

/// What a port answers with.
pub type Answer<T> = Result<T, AppError>;

/// Who asks. The command line acts as [`Caller::Operator`]: whoever can write the data folder.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Nobody is logged in.
    Anonymous,
    /// Somebody is.
    User(Me),
    /// The command line on the machine itself.
    Operator,
}

impl Caller {
    /// The person, or 401.
    pub fn user(&self) -> Answer<&Me> {
        match self {
            Caller::User(me) => Ok(me),
            _ => Err(AppError::Unauthenticated),
        }
    }

    /// Nothing, where the caller may administer; 401 or 403 otherwise.
    pub fn admin(&self) -> Answer<()> {
        match self {
            Caller::Operator => Ok(()),
            Caller::User(me) if me.role == Role::Admin => Ok(()),
            Caller::User(_) => Err(AppError::Forbidden),
            Caller::Anonymous => Err(AppError::Unauthenticated),
        }
    }

    /// The acting person's id for the audit trail; absent for the command line.
    pub fn id(&self) -> Option<UserId> {
        match self {
            Caller::User(me) => Some(me.id),
            _ => None,
        }
    }
}

/// Accounts, invitations.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Everybody with an account (admin).
    async fn users(&self, caller: &Caller) -> Answer<Vec<UserRow>>;
    /// Switches logging in off or on for somebody else (admin).
    async fn set_disabled(&self, caller: &Caller, user: UserId, disabled: bool) -> Answer<()>;
    /// Every invitation, newest first (admin).
    async fn invitations(&self, caller: &Caller) -> Answer<Vec<Invitation>>;
    /// Makes an invitation; returns its secret, which is shown once (admin).
    async fn invite(&self, caller: &Caller, label: &str, role: Role, days: u32) -> Answer<String>;
    /// Ends an invitation that nobody has used (admin).
    async fn revoke(&self, caller: &Caller, invitation: i64) -> Answer<()>;
    /// What an invitation's secret is good for; 404 once it is used, revoked or too old.
    async fn invitation(&self, secret: &str) -> Answer<Invitation>;
    /// Remembers the language that a person chose.
    async fn set_lang(&self, caller: &Caller, lang: Lang) -> Answer<()>;
}

/// Datasets (admin throughout).
#[async_trait]
pub trait Datasets: Send + Sync {
    /// Every dataset, by name.
    async fn list(&self, caller: &Caller) -> Answer<Vec<DatasetRow>>;
    /// One dataset with its newest tasks, or those of `version`.
    async fn get(&self, caller: &Caller, slug: &str, version: Option<DatasetVersionId>) -> Answer<DatasetDetail>;
}

/// Model outputs (admin throughout).
#[async_trait]
pub trait Submissions: Send + Sync {
    /// Every submission, newest first; only a dataset's where one is named.
    async fn list(&self, caller: &Caller, dataset: Option<String>) -> Answer<Vec<SubmissionRow>>;
    /// One submission with its outputs.
    async fn get(&self, caller: &Caller, id: SubmissionId) -> Answer<SubmissionDetail>;
    /// One output with its code.
    async fn output(&self, caller: &Caller, id: OutputId) -> Answer<OutputDetail>;
    /// What an upload holds, matched against a dataset's newest version.
    async fn preview(&self, caller: &Caller, upload: UploadId, dataset: &str, matching: Matching) -> Answer<Preview>;
    /// Takes an upload's outputs as `model`'s, all or nothing.
    async fn take(
        &self,
        caller: &Caller,
        upload: UploadId,
        dataset: &str,
        matching: Matching,
        model: &str,
    ) -> Answer<SubmissionId>;
}

/// Studies (admin throughout).
#[async_trait]
pub trait Studies: Send + Sync {
    /// Every study, newest first.
    async fn list(&self, caller: &Caller) -> Answer<Vec<StudyRow>>;
    /// One study.
    async fn get(&self, caller: &Caller, id: StudyId) -> Answer<StudyDetail>;
    /// Makes and starts a study.
    async fn create(&self, caller: &Caller, new: NewStudy) -> Answer<StudyId>;
    /// Pauses, resumes or closes a study. A closed one stays closed.
    async fn set_status(&self, caller: &Caller, id: StudyId, status: StudyStatus) -> Answer<()>;
    /// Every task with its mean scores.
    async fn tasks(&self, caller: &Caller, id: StudyId) -> Answer<Vec<TaskScores>>;
    /// One task with every output and rating.
    async fn task(&self, caller: &Caller, id: StudyId, task: TaskId) -> Answer<TaskRatings>;
}

/// Runs of automated tests (admin throughout).
#[async_trait]
pub trait Runs: Send + Sync {
    /// Every run, newest first; only a submission's where one is named.
    async fn list(&self, caller: &Caller, submission: Option<SubmissionId>) -> Answer<Vec<RunRow>>;
    /// One run with all its outputs.
    async fn get(&self, caller: &Caller, id: RunId) -> Answer<RunDetail>;
    /// How far a run is.
    async fn progress(&self, caller: &Caller, id: RunId) -> Answer<RunProgress>;
    /// One output of a run with all that is known.
    async fn item(&self, caller: &Caller, id: RunId, output: OutputId) -> Answer<ItemDetail>;
    /// Makes a run of a submission and starts it. `fresh` leaves earlier outcomes alone.
    async fn start(&self, caller: &Caller, submission: SubmissionId, fresh: bool) -> Answer<RunId>;
    /// The same, done in a way of its own.
    async fn start_so(&self, caller: &Caller, submission: SubmissionId, how: StartHow) -> Answer<RunId>;
    /// Stops a run; what is done stays.
    async fn cancel(&self, caller: &Caller, id: RunId) -> Answer<()>;
    /// Whether this machine can run tests.
    async fn readiness(&self, caller: &Caller) -> Answer<EngineReadiness>;
    /// Runs some of a run's outputs again.
    async fn again(&self, caller: &Caller, id: RunId, what: Again) -> Answer<()>;
    /// Two runs of one dataset side by side; with a task's code where one is asked for.
    async fn compare(&self, caller: &Caller, a: RunId, b: RunId, task: Option<String>) -> Answer<RunPair>;
}

/// How many outputs (or tasks, side by side) a page may have besides the one it asks for.
pub const AHEAD: usize = 2;

/// The rater's side. Answers hold no model, no submission and no database id.
#[async_trait]
pub trait Grading: Send + Sync {
    /// The rater's studies.
    async fn desk(&self, caller: &Caller) -> Answer<Vec<DeskStudy>>;
    /// The output to rate next: one already handed out, else a new one, leased. `holding` are those
    /// that the page has already, so that it can fetch ahead; at most [`AHEAD`] count.
    async fn next(&self, caller: &Caller, study: &Token, holding: Vec<Token>) -> Answer<Next>;
    /// The task to rate next, with all its outputs, in a study that shows them side by side. `holding`
    /// names at least one output of each task that the page has already.
    async fn next_task(&self, caller: &Caller, study: &Token, holding: Vec<Token>) -> Answer<NextTask>;
    /// An output the rater was given before.
    async fn item(&self, caller: &Caller, assignment: &Token) -> Answer<GradingItem>;
    /// Saves a draft.
    async fn save_draft(&self, caller: &Caller, assignment: &Token, draft: Draft) -> Answer<()>;
    /// Submits a rating. `key` names this submission: sent again, it counts once.
    async fn submit(&self, caller: &Caller, assignment: &Token, draft: Draft, key: &str) -> Answer<Receipt>;
    /// Gives an output back; others may take it, and it may come again at the end.
    async fn skip(&self, caller: &Caller, assignment: &Token) -> Answer<()>;
    /// The rater's ratings in a study, newest first.
    async fn own(&self, caller: &Caller, study: &Token) -> Answer<Vec<OwnRating>>;
    /// Takes the rater's newest rating in its study back. It is superseded, never deleted, and what it
    /// said is the draft again. Where it had replaced an earlier rating, that one counts again;
    /// otherwise the output is unrated and in the rater's hands. Asked again, it does nothing.
    async fn undo(&self, caller: &Caller, assignment: &Token) -> Answer<()>;
    /// The rubric of one of the rater's studies.
    async fn rubric(&self, caller: &Caller, study: &Token) -> Answer<RubricSheet>;
}

/// Everything behind the pages.
#[derive(Clone)]
pub struct Ports {
    /// Accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Datasets.
    pub datasets: Arc<dyn Datasets>,
    /// Model outputs.
    pub submissions: Arc<dyn Submissions>,
    /// Studies.
    pub studies: Arc<dyn Studies>,
    /// How studies' work is shared.
    pub plans: Arc<dyn Plans>,
    /// Comparisons of a dataset's models.
    pub comparisons: Arc<dyn Comparisons>,
    /// Ratings from elsewhere.
    pub ratings: Arc<dyn ratings_import::RatingsImports>,
    /// Runs of automated tests.
    pub runs: Arc<dyn Runs>,
    /// The rater's side.
    pub grading: Arc<dyn Grading>,
    /// Personal tokens for the REST API.
    pub tokens: Arc<dyn api::Tokens>,
    /// Addresses that hear of ends.
    pub webhooks: Arc<dyn api::Webhooks>,
    /// Public pages of closed studies.
    pub public_links: Arc<dyn api::PublicLinks>,
    /// Quality of studies.
    pub quality: Arc<dyn quality::Quality>,
    /// Studies as they go on.
    pub watching: Arc<dyn quality::Watching>,
    /// What comes back to raters and adjudicators.
    pub feedback: Arc<dyn quality::Feedback>,
    /// Port: personal settings.
    pub settings: Arc<dyn settings::PersonalSettings>,
}

/// The ports and the caller of the request being answered.
pub fn ports() -> Answer<(Ports, Caller)> {
    match (use_context::<Ports>(), use_context::<Caller>()) {
        (Some(ports), Some(caller)) => Ok((ports, caller)),
        _ => Err(AppError::Internal("no context".into())),
    }
}

/// The visitor of the request being answered.
pub fn visitor() -> Visitor {
    use_context::<Visitor>().unwrap_or_default()
}
