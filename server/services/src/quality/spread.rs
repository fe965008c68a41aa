//! How far an output's raters are apart, and the state of a disagreement that follows from it: the rule that
//! the trigger `inbox_looked` has in SQL, for what must be decided before it is stored.

use model::{
    quality::{DisagreementState, QualitySettings},
    rubric::Rubric,
};

use db::quality::disagreements::Rated;

/// The levels between the highest and the lowest score on each dimension, extra ratings included.
pub fn spread(rated: &Rated, dimensions: usize) -> Vec<u8> {
    let on = |d: usize| {
        let scores = rated.ratings.iter().filter_map(|(_, _, scores)| scores.get(d).copied());
        let (low, high) = scores.fold((u8::MAX, 0), |(low, high), s| (low.min(s), high.max(s)));
        high.saturating_sub(low)
    };
    (0..dimensions).map(on).collect()
}

/// Whether the raters differ beyond the allowed spread. Between yes and no to an instruction lies no level, so any
/// difference does, in a study that limits the spread.
pub fn are_apart(rated: &Rated, settings: &QualitySettings, rubric: &Rubric) -> bool {
    let spread = spread(rated, rubric.dimensions.len());
    let mut dimensions = rubric.dimensions.iter().zip(&spread);
    let scores_differ = dimensions.any(|(d, s)| settings.allowed(&d.key).is_some_and(|most| *s > most));
    let answers_differ = settings.spread.is_some() && !rated.unequal.is_empty();
    rated.ratings.len() > 1 && (scores_differ || answers_differ)
}

/// State of the disagreement; `None` without one or while ratings are missing.
pub fn state(rated: &Rated, settings: &QualitySettings, rubric: &Rubric) -> Option<DisagreementState> {
    if rated.decided {
        return Some(DisagreementState::Adjudicated);
    }
    if !rated.planned_complete || !(rated.extra > 0 || are_apart(rated, settings, rubric)) {
        return None;
    }
    Some(match (rated.extra, rated.complete) {
        (0, _) => DisagreementState::Waiting,
        (_, false) => DisagreementState::ExtraRater,
        (_, true) => DisagreementState::Median,
    })
}
