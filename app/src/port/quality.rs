//! Quality of studies: settings and known scores, watching a study, and what raters and adjudicators
//! see of it.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    feedback::{CameBack, Dispute, DisputeQueue},
    ids::{OutputId, StudyId, SubmissionId, Token, UserId},
    quality::{DisputeList, FlagOn, FlagRow, Live, NewGold, QualityPage, QualitySettings, RatingFilter, RatingList},
    submission::MaskState,
};

/// A study's quality: what it asks of raters (admin throughout).
#[async_trait]
pub trait Quality: Send + Sync {
    /// Settings, items with known scores, where raters stand with them, adjudicators.
    async fn page(&self, caller: &Caller, study: StudyId) -> Answer<QualityPage>;
    /// Changes the settings. What was rated stays; disagreements are looked at anew.
    async fn set(&self, caller: &Caller, study: StudyId, settings: QualitySettings) -> Answer<()>;
    /// Adds an item with known scores.
    async fn add_gold(&self, caller: &Caller, study: StudyId, new: NewGold) -> Answer<i64>;
    /// Asks an item no more, or again.
    async fn retire_gold(&self, caller: &Caller, study: StudyId, gold: i64, retired: bool) -> Answer<()>;
    /// Lets a rater in whatever they answered, or has them begin the opening again.
    async fn open_for(&self, caller: &Caller, study: StudyId, rater: UserId, let_in: bool) -> Answer<()>;
    /// Gives somebody the role of an adjudicator in the study, or takes it.
    async fn set_adjudicator(&self, caller: &Caller, study: StudyId, user: UserId, on: bool) -> Answer<()>;
    /// What of a submission raters do not get to see.
    async fn mask(&self, caller: &Caller, submission: SubmissionId) -> Answer<MaskState>;
    /// Masks names of models for raters of a submission's outputs, or shows the outputs as they came.
    async fn set_mask(&self, caller: &Caller, submission: SubmissionId, on: bool) -> Answer<()>;
}

/// A study as it goes on (admin throughout).
#[async_trait]
pub trait Watching: Send + Sync {
    /// Progress, pace, leases, what waits, figures about raters.
    async fn live(&self, caller: &Caller, study: StudyId) -> Answer<Live>;
    /// A page of the ratings that fit.
    async fn ratings(&self, caller: &Caller, study: StudyId, filter: RatingFilter) -> Answer<RatingList>;
    /// Every flag with its answer, newest first, and the study's title.
    async fn flags(&self, caller: &Caller, study: StudyId) -> Answer<(String, Vec<FlagRow>)>;
    /// Answers a flag; an empty reply settles it without a word.
    async fn answer_flag(&self, caller: &Caller, study: StudyId, on: FlagOn, reply: &str) -> Answer<()>;
    /// A page, counted from 0, of the outputs whose raters disagree beyond the threshold.
    async fn disputes(&self, caller: &Caller, study: StudyId, page: u32) -> Answer<DisputeList>;
    /// Wants one more rating of an output.
    async fn ask_extra(&self, caller: &Caller, study: StudyId, output: OutputId) -> Answer<()>;
}

/// What comes back to raters, and disagreements for those who may decide them. Answers hold no model,
/// no submission and no database id.
#[async_trait]
pub trait Feedback: Send + Sync {
    /// Answers to the person's flags, their figures, how many disagreements they may decide.
    async fn came_back(&self, caller: &Caller) -> Answer<CameBack>;
    /// Notes that the person has read the answers.
    async fn read_replies(&self, caller: &Caller) -> Answer<()>;
    /// Notes that the rater has read a calibration item's known scores, or how the calibration went;
    /// `what` is the item's or the study's name. Returns the study's.
    async fn go_on(&self, caller: &Caller, what: &Token) -> Answer<Token>;
    /// The disagreements that the person may decide, and those that they did.
    async fn disputes(&self, caller: &Caller) -> Answer<DisputeQueue>;
    /// One disagreement.
    async fn dispute(&self, caller: &Caller, token: &Token) -> Answer<Dispute>;
    /// Decides it. Returns the next one that waits for this person.
    async fn decide(&self, caller: &Caller, token: &Token, scores: Vec<u8>, comment: &str) -> Answer<Option<Token>>;
}
