//! Port: quality control of studies, live status, and what raters and adjudicators
//! see of it.

use async_trait::async_trait;

use model::{
    caller::{Admin, Person},
    error::Answer,
};
use model::{
    feedback::{Disagreement, DisagreementQueue, RaterFeedback},
    ids::{OutputId, StudyId, SubmissionId, Token, UserId},
    page::{PageOf, Paged},
    quality::{
        DisagreementList, FlagOn, FlagRow, KnownItemChange, KnownItemProposal, KnownItemRecord, Live, NewKnownItem,
        QualityPage, RatingFilter, RatingList, TabCounts,
    },
    quality_preset::QualityChange,
    submission::{MaskState, StudyLeaks},
};

/// Quality settings of a study, for admins.
#[async_trait]
pub trait Quality: Send + Sync {
    /// Settings, known-score items, raters' progress with them, adjudicators.
    async fn page(&self, admin: &Admin, study: StudyId) -> Answer<QualityPage>;
    /// Changes the settings. Ratings are kept; disagreements are recomputed.
    async fn set(&self, admin: &Admin, study: StudyId, change: QualityChange) -> Answer<()>;
    /// An output that the study grades, as a new known-score item with its final scores.
    async fn propose_known_item(&self, admin: &Admin, study: StudyId, output: OutputId) -> Answer<KnownItemProposal>;
    /// Adds a known-score item.
    async fn add_known_item(&self, admin: &Admin, study: StudyId, new: NewKnownItem) -> Answer<i64>;
    /// Deactivates or activates a known-score item, or changes its pool.
    async fn change_known_item(&self, admin: &Admin, study: StudyId, item: i64, change: KnownItemChange) -> Answer<()>;
    /// Removes a known-score item that no rater has had.
    async fn remove_known_item(&self, admin: &Admin, study: StudyId, item: i64) -> Answer<()>;
    /// The active known-score items, for a file.
    async fn known_items(&self, admin: &Admin, study: StudyId) -> Answer<Vec<KnownItemRecord>>;
    /// Adds known-score items from a file, all or none. Returns how many.
    async fn import_known_items(&self, admin: &Admin, study: StudyId, items: Vec<KnownItemRecord>) -> Answer<u64>;
    /// Pauses a rater until an admin decides, or lets a paused one continue.
    async fn pause_rater(&self, admin: &Admin, study: StudyId, rater: UserId, paused: bool) -> Answer<()>;
    /// Admits a rater regardless of the result, or restarts their calibration.
    async fn set_admission(&self, admin: &Admin, study: StudyId, rater: UserId, admitted: bool) -> Answer<()>;
    /// Adds or removes an adjudicator of the study.
    async fn set_adjudicator(&self, admin: &Admin, study: StudyId, user: UserId, on: bool) -> Answer<()>;
    /// A submission's masking.
    /// Without `whole`, the outputs of a large submission are not searched.
    async fn mask(&self, admin: &Admin, submission: SubmissionId, whole: bool) -> Answer<MaskState>;
    /// Outputs of a study that name a model to its raters. Without `whole`, large studies are not searched.
    async fn leaks(&self, admin: &Admin, study: StudyId, whole: bool) -> Answer<StudyLeaks>;
    /// Hides names of models from raters in every submission of the study whose outputs name one.
    async fn mask_study(&self, admin: &Admin, study: StudyId) -> Answer<()>;
    /// Hides names of models from raters of a submission, or shows the original outputs.
    async fn set_mask(&self, admin: &Admin, submission: SubmissionId, on: bool) -> Answer<()>;
}

/// Live status of a study, for admins.
#[async_trait]
pub trait Monitoring: Send + Sync {
    /// What waits on each of the study's pages.
    async fn tabs(&self, admin: &Admin, study: StudyId) -> Answer<TabCounts>;
    /// Progress, pace, leases, pending work, figures about raters.
    async fn live(&self, admin: &Admin, study: StudyId) -> Answer<Live>;
    /// A page of the matching ratings.
    async fn ratings(&self, admin: &Admin, study: StudyId, filter: RatingFilter) -> Answer<RatingList>;
    /// The study's title, and a page of its flags with their replies, newest first. Pages go forwards only.
    async fn flags(&self, admin: &Admin, study: StudyId, of: PageOf) -> Answer<(String, Paged<FlagRow>)>;
    /// Replies to a flag; an empty reply resolves it without one.
    async fn reply_to_flag(&self, admin: &Admin, study: StudyId, on: FlagOn, reply: &str) -> Answer<()>;
    /// A page of the disagreements, those that wait first.
    async fn disagreements(&self, admin: &Admin, study: StudyId, of: PageOf) -> Answer<DisagreementList>;
    /// Requests one more rating of an output.
    async fn ask_extra(&self, admin: &Admin, study: StudyId, output: OutputId) -> Answer<()>;
}

/// Feedback to raters, and disagreements for their adjudicators. Responses contain no model,
/// no submission and no database id.
#[async_trait]
pub trait Feedback: Send + Sync {
    /// Replies to the person's flags, their figures, and the number of disagreements they can adjudicate.
    async fn rater_feedback(&self, person: &Person) -> Answer<RaterFeedback>;
    /// Records that the person read the replies.
    async fn read_replies(&self, person: &Person) -> Answer<()>;
    /// Records that the rater read a calibration item's known scores, or the calibration's result.
    /// `what` is the item's or the study's token. Returns the study's token.
    async fn go_on(&self, person: &Person, what: &Token) -> Answer<Token>;
    /// The disagreements that the person can adjudicate or has adjudicated.
    async fn disagreements(&self, person: &Person) -> Answer<DisagreementQueue>;
    /// One disagreement.
    async fn disagreement(&self, person: &Person, token: &Token) -> Answer<Disagreement>;
    /// Adjudicates it. Returns the next open one for this person. `seen` is the time of the adjudication that the person
    /// saw, 0 for none; absent where the new one may replace any.
    ///
    /// # Errors
    /// Somebody else has adjudicated it since.
    async fn decide(
        &self,
        person: &Person,
        token: &Token,
        scores: Vec<u8>,
        comment: &str,
        seen: Option<i64>,
    ) -> Answer<Option<Token>>;
}
