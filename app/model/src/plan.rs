//! How a study's work is assigned to raters: the admin's choices and the resulting plan.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    ids::{StudyId, SubmissionId, UserId},
    lang::Lang,
    names::names,
    page::{PageOf, Paged, holds},
    study::StudyStatus,
    time::Timestamp,
};

names! {
    /// How outputs are shown to raters.
    #[derive(Default)]
    pub enum Presentation as code {
        /// One at a time, with outputs of one task kept apart.
        #[default]
        One = "one",
        /// All outputs of one task together, under shuffled letters; the same raters rate all of them.
        SideBySide = "side_by_side",
    }
}

names! {
    /// Which answers of a conversation are rated. Tasks that are no conversations have one answer.
    #[derive(Default)]
    pub enum RatedAnswers as code {
        /// The last one of each conversation.
        #[default]
        Last = "last",
        /// Each one.
        Each = "each",
    }
}

names! {
    /// How the work is shared among raters.
    #[derive(Default)]
    pub enum Sharing as code {
        /// The same number for every rater, regardless of language.
        #[default]
        Count = "count",
        /// As equal as the raters' languages allow.
        Language = "language",
        /// As many as the admin sets for each rater, in languages that the rater reads.
        Hand = "hand",
    }
}

/// The languages that a rater reads; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reads {
    en: bool,
    zh: bool,
}

impl Reads {
    /// Both languages, the default.
    pub const BOTH: Reads = Reads { en: true, zh: true };

    /// A set of these languages; `None` if empty.
    pub fn of(langs: &[Lang]) -> Option<Reads> {
        let reads = Reads { en: langs.contains(&Lang::En), zh: langs.contains(&Lang::Zh) };
        (reads.en || reads.zh).then_some(reads)
    }

    /// Whether that language is among them.
    pub fn has(self, lang: Lang) -> bool {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }

    /// Database form: codes separated by spaces.
    pub fn code(self) -> &'static str {
        match (self.en, self.zh) {
            (true, false) => "en",
            (false, true) => "zh",
            _ => "en zh",
        }
    }
}

// It travels as its code.
#[cfg(not(target_arch = "wasm32"))]
impl utoipa::PartialSchema for Reads {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        String::schema()
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl utoipa::ToSchema for Reads {}

impl Default for Reads {
    fn default() -> Self {
        Reads::BOTH
    }
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Reads {
    type Err = String;
    /// Parses codes separated by spaces, commas or `+`.
    fn from_str(s: &str) -> Result<Self, String> {
        let unknown = || "unknown languages; write `en`, `zh` or `en,zh`".to_owned();
        let langs = s
            .split([' ', ',', '+'])
            .filter(|code| !code.is_empty())
            .map(|code| code.parse::<Lang>().map_err(|_| unknown()))
            .collect::<Result<Vec<_>, _>>()?;
        Reads::of(&langs).ok_or_else(unknown)
    }
}

impl TryFrom<String> for Reads {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Reads> for String {
    fn from(reads: Reads) -> Self {
        reads.code().into()
    }
}

/// A study's plan, before or after its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PlanDetail {
    /// The study.
    pub study: StudyId,
    /// Its title.
    pub title: String,
    /// Whether the study has started.
    pub status: StudyStatus,
    /// How outputs are shown to raters.
    pub presentation: Presentation,
    /// Which answers of a conversation are rated; absent if the tasks are no conversations.
    pub answers: Option<RatedAnswers>,
    /// How the work is shared.
    pub sharing: Sharing,
    /// Raters per output.
    pub raters_per_output: u32,
    /// Seed. A string, because JavaScript numbers are exact only up to 2^53.
    pub seed: String,
    /// Short name of the dataset.
    pub dataset: String,
    /// Number of tasks in the study.
    pub tasks: u64,
    /// Number of tasks with outputs that it could have.
    pub tasks_most: u64,
    /// Number of outputs.
    pub outputs: u64,
    /// Ratings needed: outputs × raters per output.
    pub wanted: u64,
    /// Ratings submitted.
    pub done: u64,
    /// Planned ratings that no rater in the study can be assigned.
    pub waiting: u64,
    /// Expected seconds per rating, if the admin set it.
    pub pace_s: Option<u32>,
    /// Measured seconds per rating in studies with the same rubric: the median of the time between one
    /// rating and the next. Absent if there are too few.
    pub measured_s: Option<u32>,
    /// The models, in the order of [`RaterPlan::models`].
    pub models: Vec<String>,
    /// Current and former raters, by name.
    pub raters: Vec<RaterPlan>,
    /// Submissions for the same dataset version that can be added.
    pub more: Vec<(SubmissionId, String)>,
    /// People who can be added.
    pub others: Vec<(UserId, String, Reads)>,
    /// Changes of the plan, newest first, without single reassignments.
    pub events: Vec<PlanEvent>,
    /// Number of outputs reassigned because a rater finished early.
    pub taken_over: u64,
}

/// A plan as its page shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PagedPlan {
    /// The plan without its raters.
    pub plan: PlanDetail,
    /// A page of the raters whose names contain the words of the search.
    pub raters: Paged<RaterPlan>,
}

impl PlanDetail {
    /// One page of the plan's raters.
    pub fn page(mut self, of: &PageOf) -> PagedPlan {
        let mut raters = std::mem::take(&mut self.raters);
        raters.retain(|rater| holds(&rater.name, &of.which.search));
        PagedPlan { plan: self, raters: Paged::of_all(raters, of) }
    }

    /// Seconds per rating: the expected value if set, otherwise the measured one.
    pub fn pace(&self) -> Option<u32> {
        self.pace_s.or(self.measured_s)
    }

    /// Hours for this many ratings, if the pace is known.
    pub fn hours(&self, ratings: u64) -> Option<f64> {
        self.pace().map(|pace| f64::from(pace) * ratings as f64 / 3600.0)
    }
}

/// One rater's part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterPlan {
    /// The rater.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Languages in which the study assigns work to the rater.
    pub reads: Reads,
    /// Maximum share, if shares are set by hand: outputs, or tasks in side-by-side studies.
    pub share: Option<u32>,
    pub removed_at: Option<Timestamp>,
    /// Ratings submitted.
    pub rated: u64,
    /// Planned ratings that are not submitted.
    pub open: u64,
    /// Planned and submitted ratings per model.
    pub models: Vec<u64>,
    /// Planned and submitted ratings, English and Chinese.
    pub langs: [u64; 2],
}

/// A change of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PlanEvent {
    /// Time of the change.
    pub at: Timestamp,
    /// `planned`, `started`, `added`, `removed` or `extended`.
    pub kind: String,
    /// The person concerned.
    pub who: Option<String>,
    /// Number of planned ratings created or moved.
    pub ratings: u64,
}

/// Extension of a study. Nothing is ever removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Extension {
    /// Submissions to add.
    #[serde(default)]
    pub submissions: Vec<SubmissionId>,
    /// New number of raters per output, at least the current one.
    #[serde(default)]
    pub raters_per_output: Option<u32>,
    /// New number of tasks, at least the current one.
    #[serde(default)]
    pub tasks: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_parsed_in_every_notation() {
        let check = |text: &str, reads: Option<&str>| {
            assert_eq!(text.parse::<Reads>().ok().map(Reads::code), reads, "{text}");
        };
        check("en", Some("en"));
        check("zh,en", Some("en zh"));
        check("en zh", Some("en zh"));
        check("", None);
        check("en,fr", None);
    }
}
