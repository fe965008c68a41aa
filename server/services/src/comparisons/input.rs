//! Reads a comparison's input in one snapshot: rows from the database, final scores by the rule of the statistics.

use model::{
    comparison::{CountedScores, Selection},
    lang::Bilingual,
};
use rusqlite::Connection;

use base::error::Failure;
use comparison::input::{ComparisonInput, InputFinal};
use db::{comparison_final_scores, comparison_input};
use stats::raters::final_scores;

/// The input of a selection's figures. The selection must be fully resolved.
///
/// # Errors
///
/// Fails if the database lacks something that the selection names.
pub fn read(conn: &Connection, name: Bilingual, selection: &Selection) -> Result<ComparisonInput, Failure> {
    let mut input = comparison_input::read(conn, name, selection)?;
    if selection.scores == CountedScores::Final {
        let adjudicated = comparison_final_scores::adjudicated_outputs(conn, &input)?.into_iter();
        let finals = adjudicated.filter_map(|one| {
            let scores = final_scores(one.decision.as_deref(), one.extra_rated, &one.ratings, input.dimensions())?;
            Some(InputFinal { study: one.study, task: one.task, model: one.model, output: one.output, scores })
        });
        input.finals = finals.collect();
        input.final_instructions = comparison_final_scores::adjudicated_instructions(conn, &input)?;
    }
    Ok(input)
}
