//! The verdicts of a benchmark's published evaluator on a run, which are shown next to the verdicts that count.

use serde::{Deserialize, Serialize};

use super::{
    ratings::Interval,
    reason::Reason,
    run::{ItemRow, PassAtK, PublishedVerdict, Verdict},
};

/// What a benchmark's published evaluator judges of an output, where that is not the code that counts: a `generation` in
/// a code fence, which the evaluator continues the prompt with as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedText {
    /// The prompt, if it differs from the task's.
    pub prompt: Option<String>,
    pub generation: String,
}

/// Figures of a run by the verdicts as published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AsPublished {
    /// Tasks whose first sample passes.
    pub solved: u32,
    /// `pass@1` over all tasks.
    pub pass_at_1: f64,
    /// Outputs that pass as published and not guarded.
    pub differ: u32,
}

/// Outputs that pass as published and not guarded, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[cfg_attr(not(target_arch = "wasm32"), schema(as = PublishedDifference))]
pub struct Difference {
    /// Why the guard does not accept them.
    pub reason: Option<Reason>,
    /// How many.
    pub outputs: u32,
}

impl Difference {
    /// One entry for each reason, the most frequent first.
    pub fn summed(all: impl IntoIterator<Item = Difference>) -> Vec<Difference> {
        let mut summed: Vec<Difference> = Vec::new();
        for one in all {
            match summed.iter_mut().find(|known| known.reason == one.reason) {
                Some(known) => known.outputs += one.outputs,
                None => summed.push(one),
            }
        }
        summed.sort_by_key(|difference| std::cmp::Reverse(difference.outputs));
        summed
    }
}

/// The same for a run of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PublishedChecked {
    pub figures: AsPublished,
    /// The 95 % interval of pass@1, by bootstrap over tasks.
    pub pass_interval: Option<Interval>,
    /// `pass@k` as for the guarded verdicts.
    pub pass_at: Vec<PassAtK>,
    /// Why the verdicts differ, the most frequent reason first.
    pub differences: Vec<Difference>,
}

/// Whether an output with these verdicts passes as published and not guarded.
pub fn differ(published: Option<PublishedVerdict>, guarded: Option<Verdict>) -> bool {
    published == Some(PublishedVerdict::Passed) && guarded.is_some_and(|verdict| verdict != Verdict::Passed)
}

impl ItemRow {
    /// Whether a defect of the benchmark's data prevents a verdict. Guarded figures leave it out.
    pub fn cannot_judge(&self) -> bool {
        matches!(self.reason, Some(Reason::CannotJudge { .. }))
    }

    /// Whether it passes as published and not guarded.
    pub fn differs(&self) -> bool {
        differ(self.published, self.verdict)
    }
}
