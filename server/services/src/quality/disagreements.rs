//! Disagreements: listing them and asking for one more rating.

use std::collections::HashMap;

use model::{
    ids::{OutputId, StudyId, UserId},
    page::{PageOf, Paged},
    quality::{DisagreementRow, DisagreementState, QualitySettings},
    rubric::Rubric,
    text::excerpt,
};
use rusqlite::Connection;

use super::spread::{spread, state};
use crate::conversation_view::{asked_about, with_instructions};
use base::error::Failure;
use db::{
    inbox, instruction_answers,
    quality::{
        self,
        disagreements::{self, Adjudication, Rated, Stored},
    },
    studies,
};
use stats::raters::final_scores;

/// Called in the transaction that stores a rating: assigns an extra rater if the study's policy says so. If
/// nobody is left who could rate, the output waits for an adjudicator.
pub fn after_rating(conn: &Connection, study: StudyId, output: OutputId, rubric: &Rubric) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    if !super::asks_by_itself(&settings) {
        return Ok(());
    }
    match disagreements::rated(conn, study, output)? {
        Some(one) => ask(conn, study, &one, &settings, rubric),
        None => Ok(()),
    }
}

/// Number of outputs that [`ask_after`] and [`look_after`] check at once.
const CHECKED: usize = 50;

/// Checks outputs again after the settings changed: some of those after `last`. Returns the last one that it checked, if
/// there may be more.
pub fn ask_after(conn: &Connection, study: StudyId, last: OutputId) -> Result<Option<OutputId>, Failure> {
    let settings = quality::settings(conn, study)?;
    if !super::asks_by_itself(&settings) {
        return Ok(None);
    }
    let rubric = super::setup(conn, study)?.rubric;
    let outputs = disagreements::rated_after(conn, study, last, CHECKED)?;
    for output in &outputs {
        if let Some(one) = disagreements::rated(conn, study, *output)? {
            ask(conn, study, &one, &settings, &rubric)?;
        }
    }
    Ok(outputs.last().copied().filter(|_| outputs.len() == CHECKED))
}

/// Has the inbox look at outputs after `last` for disagreements. Returns the last one, if there may be more.
pub fn look_after(conn: &Connection, study: StudyId, last: OutputId) -> Result<Option<OutputId>, Failure> {
    let outputs = disagreements::rated_after(conn, study, last, CHECKED)?;
    for output in &outputs {
        inbox::look(conn, study, *output)?;
    }
    Ok(outputs.last().copied().filter(|_| outputs.len() == CHECKED))
}

fn ask(
    conn: &Connection,
    study: StudyId,
    one: &Rated,
    settings: &QualitySettings,
    rubric: &Rubric,
) -> Result<(), Failure> {
    if state(one, settings, rubric) == Some(DisagreementState::Waiting)
        && let Some(rater) = disagreements::rater_left(conn, study, one.output)?
    {
        disagreements::insert_extra(conn, study, one.output, rater, None)?;
    }
    Ok(())
}

/// Assigns an extra rater on an admin's request.
pub fn ask_extra(conn: &Connection, study: StudyId, output: OutputId, by: Option<UserId>) -> Result<(), Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let settings = quality::settings(conn, study)?;
    let Some(one) = disagreements::rated(conn, study, output)? else { return Err(Failure::not_found("output")) };
    match state(&one, &settings, &rubric) {
        Some(DisagreementState::Waiting | DisagreementState::Median) => {}
        Some(DisagreementState::ExtraRater) => {
            return Err(Failure::conflict(("An extra rater is already assigned.", "已安排补充评分者。")));
        }
        Some(DisagreementState::Adjudicated) => {
            return Err(Failure::conflict(("This disagreement is already adjudicated.", "该分歧已裁定。")));
        }
        None => {
            return Err(Failure::conflict((
                "The spread of its ratings is within the limit of this study.",
                "该输出的分差未超出项目的上限。",
            )));
        }
    }
    let Some(rater) = disagreements::rater_left(conn, study, output)? else {
        return Err(Failure::conflict((
            "All raters of this study who read its language have rated it. Add a rater, or adjudicate it.",
            "项目中能阅读该语言的评分者都已评过。请添加评分者，或进行裁定。",
        )));
    };
    disagreements::insert_extra(conn, study, output, rater, by)
}

/// A page of the study's disagreements, the waiting ones first, then the widest; and those of the page that `requester`
/// may decide: those that they have not rated.
pub fn rows(
    conn: &Connection,
    study: StudyId,
    requester: Option<UserId>,
    of: &PageOf,
) -> Result<(Paged<DisagreementRow>, Vec<OutputId>), Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let dimensions = rubric.dimensions.len();
    let Paged { rows: stored, previous, next, found } = disagreements::page(conn, study, of)?;
    let names: HashMap<UserId, String> = studies::rater_names(conn, study)?.into_iter().collect();
    let (mut rows, mut open) = (Vec::new(), Vec::new());
    for Stored { output, state, .. } in stored {
        let Some(one) = disagreements::rated(conn, study, output)? else { continue };
        let about = disagreements::about(conn, one.output)?;
        let instructions = asked_about(conn, &rubric, one.output)?;
        let history = disagreements::history(conn, study, one.output)?;
        let current = history.iter().find(|one| !one.decision.replaced);
        let given: Vec<Vec<u8>> = one.ratings.iter().map(|(.., scores)| scores.clone()).collect();
        let decision = current.map(|one| one.decision.scores.as_slice());
        let mut final_scores = final_scores(decision, one.extra > 0 && one.complete, &given, dimensions);
        if let (Some(scores), Some(current)) = (&mut final_scores, current) {
            scores.extend(current.instructions.iter().map(|answer| f64::from(*answer)));
        }
        let rating = |(rating, rater, scores): &(i64, UserId, Vec<u8>)| {
            let answers = instruction_answers::of_rating(conn, *rating)?;
            let scores = scores.iter().copied().chain(answers.into_iter().flatten()).collect();
            Ok((names.get(rater).cloned().unwrap_or_default(), scores))
        };
        let ratings = one.ratings.iter().map(rating).collect::<Result<_, Failure>>()?;
        let unequal = instructions.iter().map(|asked| u8::from(one.unequal.contains(&asked.turn)));
        let spread = spread(&one, dimensions).into_iter().chain(unequal).collect();
        if let Some(user) = requester
            && !disagreements::rates(conn, study, one.output, user)?
        {
            open.push(one.output);
        }
        rows.push(DisagreementRow {
            output: one.output,
            task: about.task,
            task_id: about.task_id,
            raw_nl: excerpt(&about.raw_nl, 200),
            nl_lang: about.nl_lang,
            model: about.model,
            instructions: with_instructions(rubric.clone(), &instructions).dimensions.split_off(dimensions),
            spread,
            ratings,
            state,
            final_scores,
            history: history.into_iter().map(Adjudication::whole).collect(),
            token: None,
            rater_left: disagreements::rater_left(conn, study, one.output)?.is_some(),
        });
    }
    Ok((Paged { rows, previous, next, found }, open))
}
