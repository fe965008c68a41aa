//! Ports: the interfaces of the server for pages, one trait per area, implemented by the crate `services`.
//!
//! Exists on the server side only. A server function takes the [`Ports`] and the caller from
//! the context and makes one call. This crate may not know who calls it and how it is served. Who may make it is in the method's signature: an [`Admin`] or a [`Person`] can
//! only be made from a caller who is one.

pub mod announcements;
pub mod api;
pub mod audit;
pub mod collections;
mod comparisons;
pub mod find;
pub mod groups;
pub mod guidelines;
pub mod inbox;
pub mod mail;
pub mod overview;
mod plans;
pub mod quality;
pub mod ratings_import;
mod results;
pub mod rubrics;
pub mod server;
pub mod settings;
pub mod toolchains;
pub mod upkeep;

use std::{collections::BTreeMap, sync::Arc};

pub use plans::Plans;

use async_trait::async_trait;

pub use comparisons::Comparisons;
pub use results::Results;

use model::{
    caller::{Admin, Owner, Person},
    conversation_results::ConversationResults,
    dataset::{DatasetDetail, DatasetRow, TaskRow},
    error::Answer,
    grading::{Draft, GradingItem, MyStudy, Next, NextTask, OwnItems, OwnRatings, Receipt, RubricSheet},
    ids::{DatasetVersionId, OutputId, RunId, StudyId, SubmissionId, TaskId, Token, UploadId, UserId},
    lang::Lang,
    languages::LanguageResults,
    models::ModelRow,
    page::{PageOf, Paged},
    ratings::{TaskRatings, TaskScores},
    run::{EngineReadiness, ItemDetail, ItemFilter, ItemRow, NewRun, Rerun, RunDetail, RunProgress, RunRow},
    run_pair::RunPair,
    study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
    submission::{
        EarlyResults, InvalidLines, Matching, OutputDetail, OutputFilter, OutputRow, Preview, SubmissionRow, UploadRow,
    },
    user::{CreatedInvitation, Invitation, Joins, Role, UserRow},
    workers::Workers,
};

/// Accounts, invitations.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Everybody with an account (admin).
    async fn users(&self, admin: &Admin, of: PageOf) -> Answer<Paged<UserRow>>;
    /// Deactivates or activates another account (admin).
    async fn set_disabled(&self, admin: &Admin, user: UserId, disabled: bool) -> Answer<()>;
    /// Changes the role of another account (admin). Nobody changes their own, and an active admin always remains. An
    /// admin who becomes a rater is logged out.
    async fn set_role(&self, admin: &Admin, user: UserId, role: Role) -> Answer<()>;
    /// Every invitation, newest first (admin).
    async fn invitations(&self, admin: &Admin, of: PageOf) -> Answer<Paged<Invitation>>;
    /// Creates an invitation; returns its secret, which is shown once (admin).
    async fn invite(&self, admin: &Admin, label: &str, role: Role, days: u32, joins: Joins) -> Answer<String>;
    /// The same, and sends the link to the email address in the label (admin).
    async fn invite_by_mail(&self, admin: &Admin, label: &str, role: Role, days: u32, joins: Joins) -> Answer<String>;
    /// Creates an invitation for each line: a label, optionally followed by a comma and the role if it is not `role`. With
    /// `send`, each link is sent to the email address in its label. All or none (admin).
    async fn invite_many(
        &self,
        admin: &Admin,
        lines: &str,
        role: Role,
        days: u32,
        joins: Joins,
        send: bool,
    ) -> Answer<Vec<CreatedInvitation>>;
    /// Revokes an unused invitation (admin).
    async fn revoke(&self, admin: &Admin, invitation: i64) -> Answer<()>;
    /// The invitation behind a secret; 404 if it is used, revoked or expired.
    async fn invitation(&self, secret: &str) -> Answer<Invitation>;
    /// Creates a link with which the person chooses a new password, in place of an earlier one; returns its secret,
    /// which is shown once (admin). It expires after [`RESET_HOURS`](model::user::RESET_HOURS).
    async fn create_reset(&self, admin: &Admin, user: UserId) -> Answer<String>;
    /// The name of the account behind such a secret; 404 if it is used, replaced or expired.
    async fn reset_name(&self, secret: &str) -> Answer<String>;
    /// Whether the person's account is linked to one at an identity provider.
    async fn linked(&self, person: &Person) -> Answer<bool>;
    /// Stores a person's language.
    async fn set_lang(&self, owner: &Owner, lang: Lang) -> Answer<()>;
}

/// Datasets (for admins).
#[async_trait]
pub trait Datasets: Send + Sync {
    /// Every dataset, by name.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<DatasetRow>>;
    /// A page of the tasks of one version, or the newest, in the dataset's order.
    async fn tasks(
        &self,
        admin: &Admin,
        slug: &str,
        version: Option<DatasetVersionId>,
        of: PageOf,
    ) -> Answer<Paged<TaskRow>>;
    /// One dataset with its newest tasks, or those of `version`.
    async fn get(&self, admin: &Admin, slug: &str, version: Option<DatasetVersionId>) -> Answer<DatasetDetail>;
}

/// Model outputs (for admins).
#[async_trait]
pub trait Submissions: Send + Sync {
    /// Every submission, newest first, optionally only those for a dataset.
    async fn list(&self, admin: &Admin, dataset: Option<String>, of: PageOf) -> Answer<Paged<SubmissionRow>>;
    /// A page of the models that have a submission, by name.
    async fn models(&self, admin: &Admin, of: PageOf) -> Answer<Paged<ModelRow>>;
    /// One submission.
    async fn get(&self, admin: &Admin, id: SubmissionId) -> Answer<SubmissionRow>;
    /// A page of a submission's outputs, in the order of its file.
    async fn outputs(
        &self,
        admin: &Admin,
        id: SubmissionId,
        filter: OutputFilter,
        of: PageOf,
    ) -> Answer<Paged<OutputRow>>;
    /// One output with its code.
    async fn output(&self, admin: &Admin, id: OutputId) -> Answer<OutputDetail>;
    /// Makes a block of an output's response its code: the one of this number, from 1; `None`: the one that the rules
    /// choose.
    async fn choose_block(&self, admin: &Admin, id: OutputId, block: Option<u32>) -> Answer<()>;
    /// The content of an upload, matched with a dataset's newest version.
    async fn preview(&self, admin: &Admin, upload: UploadId, dataset: &str, matching: Matching) -> Answer<Preview>;
    /// Runs a few outputs of an upload, spread over its tasks; `None` if they cannot run on this machine: without tests,
    /// with tests that need the sources of projects, or with workers on other machines.
    async fn early_results(
        &self,
        admin: &Admin,
        upload: UploadId,
        dataset: &str,
        matching: Matching,
    ) -> Answer<Option<EarlyResults>>;
    /// Chooses the columns of an upload that is a table: ours to the file's.
    async fn choose_columns(&self, admin: &Admin, upload: UploadId, columns: BTreeMap<String, String>) -> Answer<()>;
    /// Imports an upload's outputs as `model`'s, all or nothing; invalid lines are refused or left out.
    async fn import(
        &self,
        admin: &Admin,
        upload: UploadId,
        dataset: &str,
        matching: Matching,
        model: &str,
        invalid: InvalidLines,
    ) -> Answer<SubmissionId>;
    /// A page of the uploaded files of outputs, newest first.
    async fn uploads(&self, admin: &Admin, of: PageOf) -> Answer<Paged<UploadRow>>;
}

/// Studies (for admins).
#[async_trait]
pub trait Studies: Send + Sync {
    /// Every study, newest first.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<StudyRow>>;
    /// One study.
    async fn get(&self, admin: &Admin, id: StudyId) -> Answer<StudyDetail>;
    /// Creates and starts a study.
    async fn create(&self, admin: &Admin, new: NewStudy) -> Answer<StudyId>;
    /// Pauses, resumes or closes a study. A closed study needs [`Studies::reopen`].
    async fn set_status(&self, admin: &Admin, id: StudyId, status: StudyStatus) -> Answer<()>;
    /// Makes a closed study accept ratings again. The reason, of 1 to [`LONGEST_REASON`](model::study::LONGEST_REASON)
    /// characters, is kept in the audit log.
    async fn reopen(&self, admin: &Admin, id: StudyId, reason: &str) -> Answer<()>;
    /// A page of the tasks with their mean scores, in the dataset's order.
    async fn tasks(&self, admin: &Admin, id: StudyId, of: PageOf) -> Answer<Paged<TaskScores>>;
    /// One task with every output and rating.
    async fn task(&self, admin: &Admin, id: StudyId, task: TaskId) -> Answer<TaskRatings>;
}

/// Test runs (for admins).
#[async_trait]
pub trait Runs: Send + Sync {
    /// Every run, newest first, optionally only those of a submission.
    async fn list(&self, admin: &Admin, submission: Option<SubmissionId>, of: PageOf) -> Answer<Paged<RunRow>>;
    /// A page of a run's outputs, in the dataset's order; without tasks that have no output.
    async fn items(&self, admin: &Admin, id: RunId, filter: ItemFilter, of: PageOf) -> Answer<Paged<ItemRow>>;
    /// One run without its outputs.
    async fn get(&self, admin: &Admin, id: RunId) -> Answer<RunDetail>;
    /// Every model's newest run in each language of HumanEval-X.
    async fn languages(&self, admin: &Admin) -> Answer<LanguageResults>;
    /// Every model's newest run in each way of CodeIF-Bench.
    async fn conversations(&self, admin: &Admin) -> Answer<ConversationResults>;
    /// A run's progress.
    async fn progress(&self, admin: &Admin, id: RunId) -> Answer<RunProgress>;
    /// One output of a run with all details.
    async fn item(&self, admin: &Admin, id: RunId, output: OutputId) -> Answer<ItemDetail>;
    /// Creates a run and starts it.
    async fn start(&self, admin: &Admin, new: NewRun) -> Answer<RunId>;
    /// Stops a run; finished outputs keep their verdicts.
    async fn cancel(&self, admin: &Admin, id: RunId) -> Answer<()>;
    /// Whether this machine can run tests.
    async fn readiness(&self, admin: &Admin) -> Answer<EngineReadiness>;
    /// The workers on other machines; absent if outputs run in the server's process.
    async fn workers(&self, admin: &Admin) -> Answer<Option<Workers>>;
    /// Re-runs some of a run's outputs.
    async fn rerun(&self, admin: &Admin, id: RunId, what: Rerun) -> Answer<()>;
    /// Compares two runs of one dataset, with a task's code if requested.
    async fn compare(&self, admin: &Admin, a: RunId, b: RunId, task: Option<String>) -> Answer<RunPair>;
}

/// Maximum number of prefetched outputs (or tasks, side by side) of a page.
pub const AHEAD: usize = 2;

/// The rater's side. Responses contain no model, no submission and no database id.
#[async_trait]
pub trait Grading: Send + Sync {
    /// The rater's studies.
    async fn my_studies(&self, person: &Person) -> Answer<Vec<MyStudy>>;
    /// The next output to rate: a leased one, otherwise a new one, which is leased. `holding` are those that
    /// the page already has, for prefetching; at most [`AHEAD`] count.
    async fn next(&self, person: &Person, study: &Token, holding: Vec<Token>) -> Answer<Next>;
    /// The next task to rate, with all its outputs, in a side-by-side study. `holding` names at least one
    /// output of each task that the page already has.
    async fn next_task(&self, person: &Person, study: &Token, holding: Vec<Token>) -> Answer<NextTask>;
    /// An earlier output of the rater.
    async fn item(&self, person: &Person, assignment: &Token) -> Answer<GradingItem>;
    /// Saves a draft.
    async fn save_draft(&self, person: &Person, assignment: &Token, draft: Draft) -> Answer<()>;
    /// Submits a rating. `key` identifies this submission: sent again, it counts once.
    async fn submit(
        &self,
        person: &Person,
        assignment: &Token,
        draft: Draft,
        key: &str,
        first: bool,
    ) -> Answer<Receipt>;
    /// Skips an output; others may take it, and it may come again at the end.
    async fn skip(&self, person: &Person, assignment: &Token) -> Answer<()>;
    /// A page, from 1, of the rater's ratings in a study whose description, comment and line notes have all these words,
    /// newest first.
    async fn own(&self, person: &Person, study: &Token, words: &str, page: usize) -> Answer<OwnRatings>;
    /// Marks an output for the rater to find again, or removes the mark.
    async fn bookmark(&self, person: &Person, assignment: &Token, on: bool) -> Answer<()>;
    /// The outputs of a study that the rater skipped or bookmarked.
    async fn own_items(&self, person: &Person, study: &Token) -> Answer<OwnItems>;
    /// Withdraws the rater's newest rating in its study. It is replaced, never deleted, and its content
    /// becomes the draft. If it had replaced an earlier rating, that one counts again; otherwise the output
    /// is unrated and leased to the rater. A repeated call does nothing.
    async fn undo(&self, person: &Person, assignment: &Token) -> Answer<()>;
    /// The rubric of one of the rater's studies.
    async fn rubric(&self, person: &Person, study: &Token) -> Answer<RubricSheet>;
}

/// All ports.
#[derive(Clone)]
pub struct Ports {
    pub accounts: Arc<dyn Accounts>,
    /// What admins tell people.
    pub announcements: Arc<dyn announcements::Announcements>,
    /// Groups of people.
    pub groups: Arc<dyn groups::Groups>,

    pub datasets: Arc<dyn Datasets>,

    pub submissions: Arc<dyn Submissions>,

    pub studies: Arc<dyn Studies>,
    /// Plans of studies.
    pub plans: Arc<dyn Plans>,

    pub comparisons: Arc<dyn Comparisons>,
    /// Results of all models on all datasets.
    pub results: Arc<dyn Results>,
    /// The import of ratings.
    pub ratings: Arc<dyn ratings_import::RatingsImports>,
    pub rubrics: Arc<dyn rubrics::Rubrics>,
    /// Outputs requested from endpoints.
    pub collections: Arc<dyn collections::Collections>,
    /// Test runs.
    pub runs: Arc<dyn Runs>,
    pub guidelines: Arc<dyn guidelines::Guidelines>,
    /// The rater's side of studies.
    pub grading: Arc<dyn Grading>,
    /// Access tokens for the REST API.
    pub tokens: Arc<dyn api::Tokens>,
    /// The REST API's description.
    pub reference: Arc<dyn api::Reference>,

    pub webhooks: Arc<dyn api::Webhooks>,
    /// Public pages of closed studies.
    pub public_links: Arc<dyn api::PublicLinks>,

    pub quality: Arc<dyn quality::Quality>,
    /// Live figures of studies.
    pub monitoring: Arc<dyn quality::Monitoring>,
    /// Feedback to raters and adjudicators.
    pub feedback: Arc<dyn quality::Feedback>,
    /// The admins' inbox.
    pub inbox: Arc<dyn inbox::Inbox>,
    /// Email.
    pub mail: Arc<dyn mail::Mail>,
    /// Personal settings.
    pub settings: Arc<dyn settings::PersonalSettings>,
    /// The audit log.
    pub audit: Arc<dyn audit::AuditLog>,
    /// Renaming, archiving, deleting.
    pub upkeep: Arc<dyn upkeep::Upkeeps>,
    /// Toolchains of programming languages.
    pub toolchains: Arc<dyn toolchains::Toolchains>,
    /// The admins' first page.
    pub overview: Arc<dyn overview::Overviews>,
    /// The server's own state.
    pub server: Arc<dyn server::Server>,
    /// The search over everything.
    pub search: Arc<dyn find::Search>,
}
