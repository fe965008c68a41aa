//! Port: quality control of studies, live status, and what raters and adjudicators
//! see of it.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    feedback::{CameBack, Dispute, DisputeQueue},
    ids::{OutputId, StudyId, SubmissionId, Token, UserId},
    quality::{DisputeList, FlagOn, FlagRow, Live, NewGold, QualityPage, QualitySettings, RatingFilter, RatingList},
    submission::MaskState,
};

/// Quality settings of a study, for admins.
#[async_trait]
pub trait Quality: Send + Sync {
    /// Settings, calibration items, raters' progress with them, adjudicators.
    async fn page(&self, caller: &Caller, study: StudyId) -> Answer<QualityPage>;
    /// Changes the settings. Ratings are kept; disagreements are recomputed.
    async fn set(&self, caller: &Caller, study: StudyId, settings: QualitySettings) -> Answer<()>;
    /// Adds a calibration item.
    async fn add_gold(&self, caller: &Caller, study: StudyId, new: NewGold) -> Answer<i64>;
    /// Retires or restores a calibration item.
    async fn retire_gold(&self, caller: &Caller, study: StudyId, gold: i64, retired: bool) -> Answer<()>;
    /// Admits a rater regardless of the result, or restarts their opening calibration.
    async fn open_for(&self, caller: &Caller, study: StudyId, rater: UserId, let_in: bool) -> Answer<()>;
    /// Adds or removes an adjudicator of the study.
    async fn set_adjudicator(&self, caller: &Caller, study: StudyId, user: UserId, on: bool) -> Answer<()>;
    /// A submission's masking.
    async fn mask(&self, caller: &Caller, submission: SubmissionId) -> Answer<MaskState>;
    /// Hides names of models from raters of a submission, or shows the original outputs.
    async fn set_mask(&self, caller: &Caller, submission: SubmissionId, on: bool) -> Answer<()>;
}

/// Live status of a study, for admins.
#[async_trait]
pub trait Watching: Send + Sync {
    /// Progress, pace, leases, pending work, figures about raters.
    async fn live(&self, caller: &Caller, study: StudyId) -> Answer<Live>;
    /// A page of the matching ratings.
    async fn ratings(&self, caller: &Caller, study: StudyId, filter: RatingFilter) -> Answer<RatingList>;
    /// All flags with their answers, newest first, and the study's title.
    async fn flags(&self, caller: &Caller, study: StudyId) -> Answer<(String, Vec<FlagRow>)>;
    /// Answers a flag; an empty reply resolves it without one.
    async fn answer_flag(&self, caller: &Caller, study: StudyId, on: FlagOn, reply: &str) -> Answer<()>;
    /// A page of the disagreements, from 0.
    async fn disputes(&self, caller: &Caller, study: StudyId, page: u32) -> Answer<DisputeList>;
    /// Requests one more rating of an output.
    async fn ask_extra(&self, caller: &Caller, study: StudyId, output: OutputId) -> Answer<()>;
}

/// Feedback to raters, and disagreements for their adjudicators. Responses contain no model,
/// no submission and no database id.
#[async_trait]
pub trait Feedback: Send + Sync {
    /// Answers to the person's flags, their figures, and the number of disagreements they can decide.
    async fn came_back(&self, caller: &Caller) -> Answer<CameBack>;
    /// Records that the person read the answers.
    async fn read_replies(&self, caller: &Caller) -> Answer<()>;
    /// Records that the rater read a calibration item's known scores, or the calibration's result.
    /// `what` is the item's or the study's token. Returns the study's token.
    async fn go_on(&self, caller: &Caller, what: &Token) -> Answer<Token>;
    /// The disagreements that the person can decide or has decided.
    async fn disputes(&self, caller: &Caller) -> Answer<DisputeQueue>;
    /// One disagreement.
    async fn dispute(&self, caller: &Caller, token: &Token) -> Answer<Dispute>;
    /// Decides it. Returns the next pending one for this person.
    async fn decide(&self, caller: &Caller, token: &Token, scores: Vec<u8>, comment: &str) -> Answer<Option<Token>>;
}
