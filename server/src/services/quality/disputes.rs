//! Disagreements: finding them, asking for one more rating, and the scores that are final.

use app::model::{
    ids::{OutputId, StudyId, UserId},
    quality::{DISPUTES_PAGE, DisputeRow, DisputeState, FinalBy, QualitySettings},
    rubric::Rubric,
    text::excerpt,
};
use rusqlite::Connection;

use crate::{
    db::quality::{
        self,
        disputes::{self, Rated},
    },
    error::Failure,
    stats::raters::median,
};

/// The final scores of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalScores {
    /// The output.
    pub output: OutputId,
    /// One place a dimension.
    pub scores: Vec<f64>,
    /// Where they come from.
    pub by: FinalBy,
}

/// The final scores of every output with a rating (docs/statistics.md, "Adjudicated scores"): an
/// adjudicator's where there is a decision; the median where an extra rater was asked and has rated;
/// else the mean of the ratings.
pub fn finals(conn: &Connection, study: StudyId) -> Result<Vec<FinalScores>, Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let rated = disputes::rated(conn, study, None)?;
    let each = rated.into_iter().map(|one| {
        let (scores, by) = final_of(conn, study, &one, &rubric)?;
        Ok(FinalScores { output: one.output, scores, by })
    });
    each.collect()
}

fn final_of(conn: &Connection, study: StudyId, one: &Rated, rubric: &Rubric) -> Result<(Vec<f64>, FinalBy), Failure> {
    if one.decided {
        let standing = disputes::history(conn, study, one.output)?.into_iter().find(|(_, d)| !d.superseded);
        if let Some((_, decision)) = standing {
            return Ok((decision.scores.into_iter().map(f64::from).collect(), FinalBy::Adjudicator));
        }
    }
    let dimensions = rubric.dimensions.len();
    let vectors: Vec<Vec<u8>> = one.ratings.iter().map(|(_, _, scores)| scores.clone()).collect();
    if one.extra > 0
        && one.complete
        && let Some(scores) = median(&vectors, dimensions)
    {
        return Ok((scores, FinalBy::Median));
    }
    let n = vectors.len().max(1) as f64;
    let mean = |d: usize| vectors.iter().filter_map(|v| v.get(d)).map(|s| f64::from(*s)).sum::<f64>() / n;
    Ok(((0..dimensions).map(mean).collect(), FinalBy::Ratings))
}

/// Called in the transaction that stores a rating: asks for one more rater where the study's policy
/// says so. Where nobody is left who could, the output waits for an adjudicator.
pub fn after_rating(conn: &Connection, study: StudyId, output: OutputId, rubric: &Rubric) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    if !super::asks_by_itself(&settings) {
        return Ok(());
    }
    for one in disputes::rated(conn, study, Some(output))? {
        ask(conn, study, &one, &settings, rubric)?;
    }
    Ok(())
}

/// Looks at every output again, after the settings changed.
pub fn look_again(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    if !super::asks_by_itself(&settings) {
        return Ok(());
    }
    let rubric = super::setup(conn, study)?.rubric;
    for one in disputes::rated(conn, study, None)? {
        ask(conn, study, &one, &settings, &rubric)?;
    }
    Ok(())
}

fn ask(
    conn: &Connection,
    study: StudyId,
    one: &Rated,
    settings: &QualitySettings,
    rubric: &Rubric,
) -> Result<(), Failure> {
    if one.state(settings, rubric) == Some(DisputeState::Waiting)
        && let Some(rater) = disputes::rater_left(conn, study, one.output)?
    {
        disputes::insert_extra(conn, study, one.output, rater, None)?;
    }
    Ok(())
}

/// Asks for one more rating by hand.
pub fn ask_extra(conn: &Connection, study: StudyId, output: OutputId, by: Option<UserId>) -> Result<(), Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let settings = quality::settings(conn, study)?;
    let found = disputes::rated(conn, study, Some(output))?.into_iter().next();
    let Some(one) = found else { return Err(Failure::not_found("output")) };
    match one.state(&settings, &rubric) {
        Some(DisputeState::Waiting | DisputeState::Median) => {}
        Some(DisputeState::ExtraRater) => {
            return Err(Failure::conflict(("An extra rater is already assigned.", "已安排补充评分者。")));
        }
        Some(DisputeState::Decided) => {
            return Err(Failure::conflict(("This disagreement is already adjudicated.", "该分歧已裁定。")));
        }
        None => {
            return Err(Failure::conflict((
                "The spread of its ratings is within the limit of this study.",
                "该输出的分差未超出项目的上限。",
            )));
        }
    }
    let Some(rater) = disputes::rater_left(conn, study, output)? else {
        return Err(Failure::conflict((
            "All raters of this study who read its language have rated it. Add a rater, or adjudicate it.",
            "项目中能阅读该语言的评分者都已评过。请添加评分者，或进行裁定。",
        )));
    };
    disputes::insert_extra(conn, study, output, rater, by)
}

/// A page of the study's disagreements, the waiting ones first, then the widest; how many there are in
/// all; and those of the page that `asking` may decide: whoever has not rated them.
pub fn rows(
    conn: &Connection,
    study: StudyId,
    asking: Option<UserId>,
    page: u32,
) -> Result<(u64, Vec<DisputeRow>, Vec<OutputId>), Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let settings = quality::settings(conn, study)?;
    let dimensions = rubric.dimensions.len();
    let mut all: Vec<(DisputeState, Rated)> = disputes::rated(conn, study, None)?
        .into_iter()
        .filter_map(|one| one.state(&settings, &rubric).map(|state| (state, one)))
        .collect();
    all.sort_by_cached_key(|(state, one)| {
        (*state, std::cmp::Reverse(one.spread(dimensions).into_iter().max()), one.output)
    });
    let found = all.len() as u64;
    let from = (page as usize).saturating_mul(DISPUTES_PAGE as usize);
    let names = disputes::names(conn)?;
    let (mut rows, mut open) = (Vec::new(), Vec::new());
    for (state, one) in all.into_iter().skip(from).take(DISPUTES_PAGE as usize) {
        let about = disputes::about(conn, one.output)?;
        let final_scores = match state {
            DisputeState::Median | DisputeState::Decided => Some(final_of(conn, study, &one, &rubric)?.0),
            DisputeState::Waiting | DisputeState::ExtraRater => None,
        };
        if let Some(user) = asking
            && !disputes::rates(conn, study, one.output, user)?
        {
            open.push(one.output);
        }
        rows.push(DisputeRow {
            output: one.output,
            task: about.task,
            task_id: about.task_id,
            raw_nl: excerpt(&about.raw_nl, 200),
            lang: about.lang,
            model: about.model,
            spread: one.spread(dimensions),
            ratings: one
                .ratings
                .iter()
                .map(|(_, rater, scores)| (names.get(rater).cloned().unwrap_or_default(), scores.clone()))
                .collect(),
            state,
            final_scores,
            history: disputes::history(conn, study, one.output)?.into_iter().map(|(_, d)| d).collect(),
            token: None,
            rater_left: disputes::rater_left(conn, study, one.output)?.is_some(),
        });
    }
    Ok((found, rows, open))
}
