//! CodeIF-Bench over its ways, turns and kinds of instructions: every model's newest run in each way.

use serde::{Deserialize, Serialize};

use super::{
    conversation::{InstructionKind, TestProfile, Way},
    ids::{ModelId, OutputId, RunId, SubmissionId},
    ratings::Interval,
};

/// The results of every dataset of CodeIF-Bench that has any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ConversationResults {
    /// The datasets, by short name.
    pub datasets: Vec<ConversationDataset>,
    /// The leaderboard's column L-1, for models with results at function level and at repository level 1.
    pub leaderboard: Vec<LeaderboardRow>,
}

/// A figure of the leaderboard's column L-1 with its arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LeaderboardRow {
    pub model: ModelId,
    /// Its name.
    pub name: String,
    pub way: Way,
    /// Answers that pass, and judged answers, at function level.
    pub function: (u32, u32),
    /// The same at repository level 1.
    pub repository: (u32, u32),
    /// The figure as printed: the published report counts the answers of repository level 1 without the first of each of
    /// seven kinds, except for the base prompt.
    pub published: f64,
    /// The share of all answers.
    pub value: f64,
}

/// A dataset: one level of the benchmark, in one version of its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ConversationDataset {
    /// Its short name.
    pub slug: String,
    /// Whether its tests can be run; otherwise all figures come from verdicts that the authors published.
    pub runs: bool,
    /// The models with results, by name.
    pub models: Vec<ModelConversations>,
}

/// A model's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelConversations {
    pub model: ModelId,
    /// Its name.
    pub name: String,
    /// The ways with results, in the benchmark's order.
    pub ways: Vec<WayResults>,
    /// What the answers of `n` say about instructions, turns and forgetting; absent without a run of them.
    pub conversation: Option<ConversationFigures>,
    /// The figures of dynamic conversations; absent without a run of them.
    pub dynamic: Option<DynamicFigures>,
}

/// A model's results in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct WayResults {
    pub way: Way,
    pub submission: SubmissionId,
    /// The run; absent if the figures come from verdicts that the authors published.
    pub run: Option<RunId>,
    /// The form of the tests that the run used.
    pub profile: Option<TestProfile>,
    /// Answers that pass as published, of those with such a verdict.
    pub published: Share,
    /// The same guarded, without those that a defect of the data leaves without a verdict; absent without a run.
    pub guarded: Option<Share>,
    /// As published, by kind of instruction; only kinds that occur.
    pub kinds: Vec<(InstructionKind, Share)>,
    /// How the verdicts compare with those that the authors published; absent if there are none.
    pub authors: Option<AuthorComparison>,
}

impl WayResults {
    /// Answers in the published figure that do not count in the guarded one, because of defects of the data.
    pub fn not_counted(&self) -> u32 {
        self.guarded.map_or(0, |guarded| self.published.of.saturating_sub(guarded.of))
    }
}

/// Verdicts of a run beside those that the authors published with the outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AuthorComparison {
    /// Answers with both verdicts.
    pub compared: u32,
    /// Of these, those with equal verdicts.
    pub equal: u32,
    /// Of the compared answers, those that guarded figures leave out because of a defect of the data.
    #[serde(default)]
    pub defective: u32,
    /// Of these, those with equal verdicts.
    #[serde(default)]
    pub defective_equal: u32,
    /// The answers with different verdicts, at most 100.
    pub differences: Vec<AuthorDifference>,
}

/// An answer whose verdict differs from the one that the authors published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AuthorDifference {
    pub output: OutputId,
    /// The task's `task_id`.
    pub task_id: String,
    pub kind: InstructionKind,
    /// The authors' verdict.
    pub authors_passed: bool,
    pub reason: DifferenceReason,
}

/// Why a verdict differs from the one that the authors published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DifferenceReason {
    /// The authors ran another text than the output that they published.
    OtherText,
    /// The run uses another profile than `as-run`.
    Profile,
    /// The data have a defect because of which the tests cannot judge the answer.
    Defect,
    /// Nothing explains it.
    Unknown,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Share {
    /// The share, from 0 to 1; 0 where nothing was counted.
    pub value: f64,
    /// What it is a share of: answers, or for forgetting, rounds.
    pub of: u32,
    /// Its 95 % interval, by bootstrap over tasks; absent with fewer than two tasks.
    pub interval: Option<Interval>,
}

impl Share {
    /// The number that the share stands for, to the nearest whole.
    pub fn count(&self) -> u32 {
        (self.value * f64::from(self.of)).round() as u32
    }
}

/// Figures of conversations of all turns, by the definitions of the branch `v1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ConversationFigures {
    /// IA: answers that pass the tests of their own instruction alone.
    pub instruction_accuracy: Share,
    /// CA by round: answers that pass all tests so far. Round 1 is the base prompt.
    pub rounds: Vec<RoundFigures>,
    /// Mean IFR over the rounds after the base prompt: the share of earlier followed instructions that an answer that fails
    /// no longer follows.
    pub forgotten: Share,
    /// The same as the published program computes it: it tests the base prompt with all tests so far, so that an answer that
    /// fails always counts as having forgotten it.
    pub forgotten_as_coded: Share,
}

/// The figures of one round of the conversations that have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RoundFigures {
    /// From 1, the base prompt.
    pub round: u32,
    pub accuracy: Share,
    pub instruction_accuracy: Share,
    pub forgotten: Share,
    pub forgotten_as_coded: Share,
}

/// Figures of dynamic conversations, by the definitions of the branch `v1`. None are published; these are computed from a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DynamicFigures {
    /// Over all answers.
    pub all: DynamicShares,
    /// By round; round 1 is the base prompt. Conversations have different numbers of rounds.
    pub rounds: Vec<DynamicRound>,
}

impl DynamicFigures {
    /// All answers, without a name, and each round under its name in tables.
    pub fn parts(&self) -> impl Iterator<Item = (String, DynamicShares)> {
        let rounds = self.rounds.iter().map(|of| (format!("round_{}", of.round), of.shares));
        std::iter::once((String::new(), self.all)).chain(rounds)
    }
}

/// The figures of some answers of dynamic conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DynamicShares {
    /// IA: answers that pass the tests of their own instruction.
    pub instruction_accuracy: Share,
    /// CA: the mean share of the instructions asked for so far that an answer follows.
    pub accuracy: Share,
    /// IFE: the mean of the number of these instructions that an answer follows, divided by the rounds so far.
    pub efficiency: Share,
    /// IFR: the mean share of the instructions followed earlier that an answer no longer follows.
    pub forgotten: Share,
}

/// The figures of one round of the dynamic conversations that have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DynamicRound {
    /// From 1, the base prompt.
    pub round: u32,
    #[serde(flatten)]
    pub shares: DynamicShares,
}
