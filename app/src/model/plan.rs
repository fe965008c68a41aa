//! How a study's work is shared: what an admin decides, and what the plan comes to.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    ids::{StudyId, SubmissionId, UserId},
    lang::Lang,
    study::StudyStatus,
    time::Timestamp,
};

/// How outputs come before a rater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Presentation {
    /// One at a time, two of one task kept apart.
    #[default]
    One,
    /// All outputs of one task together, under shuffled letters; the same raters rate all of them.
    SideBySide,
}

impl Presentation {
    /// The word used in the database and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Presentation::One => "one",
            Presentation::SideBySide => "side_by_side",
        }
    }
}

impl FromStr for Presentation {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "one" => Ok(Presentation::One),
            "side_by_side" | "side-by-side" => Ok(Presentation::SideBySide),
            _ => Err("unknown presentation; write `one` or `side-by-side`".into()),
        }
    }
}

/// By what the work is shared among the raters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The same number for everybody, whatever they read.
    #[default]
    Count,
    /// As evenly as the languages that each reads allow.
    Language,
    /// So many for each, as the admin says; nobody is given a language they do not read.
    Hand,
}

impl Sharing {
    /// The word used in the database and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Sharing::Count => "count",
            Sharing::Language => "language",
            Sharing::Hand => "hand",
        }
    }
}

impl FromStr for Sharing {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "count" => Ok(Sharing::Count),
            "language" => Ok(Sharing::Language),
            "hand" => Ok(Sharing::Hand),
            _ => Err("unknown sharing; write `count`, `language` or `hand`".into()),
        }
    }
}

/// The languages that somebody reads; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reads {
    en: bool,
    zh: bool,
}

impl Reads {
    /// Both languages: what everybody is taken to read until they say otherwise.
    pub const BOTH: Reads = Reads { en: true, zh: true };

    /// These languages; `None` where there is none.
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

    /// The form used in the database: codes with a space between.
    pub fn code(self) -> &'static str {
        match (self.en, self.zh) {
            (true, false) => "en",
            (false, true) => "zh",
            _ => "en zh",
        }
    }
}

// It travels as its code.
#[cfg(feature = "ssr")]
impl utoipa::PartialSchema for Reads {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        String::schema()
    }
}

#[cfg(feature = "ssr")]
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
    /// Codes with spaces, commas or `+` between them.
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

/// What a plan comes to, before or after the study has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct PlanDetail {
    /// The study.
    pub study: StudyId,
    /// Its title.
    pub title: String,
    /// Whether it has begun.
    pub status: StudyStatus,
    /// How outputs come before a rater.
    pub presentation: Presentation,
    /// By what the work is shared.
    pub sharing: Sharing,
    /// Different raters for each output.
    pub overlap: u32,
    /// What it is drawn from. As text: JavaScript's numbers end at 2^53.
    pub seed: String,
    /// The dataset's short name.
    pub dataset: String,
    /// How many tasks the study has.
    pub tasks: u64,
    /// How many tasks with outputs it could have.
    pub tasks_most: u64,
    /// How many outputs.
    pub outputs: u64,
    /// Ratings wanted: outputs times overlap.
    pub wanted: u64,
    /// Ratings given.
    pub done: u64,
    /// Planned ratings that nobody in the study can be given; they wait for a rater.
    pub waiting: u64,
    /// Seconds a rating, as the admin expects; absent where they left it to measurement.
    pub pace_s: Option<u32>,
    /// Seconds a rating, as measured in studies with the same rubric: the median of the time between
    /// one rating and the next. Absent where there are too few.
    pub measured_s: Option<u32>,
    /// The models, in the order of [`RaterPlan::models`].
    pub models: Vec<String>,
    /// Everybody who is or was in it, by name.
    pub raters: Vec<RaterPlan>,
    /// Submissions of the same version that could be added.
    pub more: Vec<(SubmissionId, String)>,
    /// People who could join.
    pub others: Vec<(UserId, String, Reads)>,
    /// What changed the plan, newest first, single hand-overs left out.
    pub events: Vec<PlanEvent>,
    /// How many outputs changed hands because somebody had finished early.
    pub taken: u64,
}

impl PlanDetail {
    /// Seconds a rating: the admin's word before the measured one.
    pub fn pace(&self) -> Option<u32> {
        self.pace_s.or(self.measured_s)
    }

    /// Hours that so many ratings take, where the pace is known.
    pub fn hours(&self, ratings: u64) -> Option<f64> {
        self.pace().map(|pace| f64::from(pace) * ratings as f64 / 3600.0)
    }
}

/// One rater's part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RaterPlan {
    /// The rater.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// The languages in which this study gives them work.
    pub reads: Reads,
    /// The most they are given, where the work is shared by hand: outputs, or tasks where outputs
    /// stand side by side.
    pub share: Option<u32>,
    /// When they left.
    pub left_at: Option<Timestamp>,
    /// Ratings given.
    pub rated: u64,
    /// Ratings planned for them and not given.
    pub open: u64,
    /// Planned and given, a place a model.
    pub models: Vec<u64>,
    /// Planned and given, English and Chinese.
    pub langs: [u64; 2],
}

/// Something that changed a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct PlanEvent {
    /// When.
    pub at: Timestamp,
    /// What: `planned`, `started`, `joined`, `left` or `extended`.
    pub kind: String,
    /// Whom it is about.
    pub who: Option<String>,
    /// How many planned ratings it made or moved.
    pub ratings: u64,
}

/// What an admin adds to a study that is there; nothing is ever taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Extension {
    /// Submissions whose outputs come to it.
    #[serde(default)]
    pub submissions: Vec<SubmissionId>,
    /// Different raters for each output, from now on; not fewer than before.
    #[serde(default)]
    pub overlap: Option<u32>,
    /// How many tasks, from now on; not fewer than before.
    #[serde(default)]
    pub tasks: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_read_as_people_write_them() {
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
