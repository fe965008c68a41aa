//! Final scores for comparisons (docs/statistics.md, "Adjudicated scores"): an adjudicator's decision, or the
//! median where an extra rater was asked and everybody has rated. Only outputs that have either are read,
//! so that a large study costs no more than its disagreements. `services::quality::finals` says the same for
//! every output, and a test holds the two together.

use std::collections::BTreeSet;

use app::model::ids::{OutputId, StudyId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{quality::disputes, results::places};
use crate::{
    error::Failure,
    report::ground::{Final, Ground},
    stats::raters::median,
};

/// The final scores of the ground's outputs that have some. Where only some raters were chosen, of those
/// outputs that one of them rated.
pub fn finals(conn: &Connection, ground: &Ground) -> Result<Vec<Final>, Failure> {
    let rated: BTreeSet<(u32, OutputId)> = ground.ratings.iter().map(|r| (r.study, r.output)).collect();
    let mut found = Vec::new();
    for (at, study) in (0..).zip(&ground.studies) {
        let places = places(conn, ground, study.id)?;
        for output in settled(conn, study.id)? {
            let Some(place) = places.get(&output.0).filter(|_| rated.contains(&(at, output))) else { continue };
            let Some(scores) = scores(conn, study.id, output, ground.dimensions())? else { continue };
            found.push(Final { study: at, task: place.task, model: place.model, output, scores });
        }
    }
    Ok(found)
}

/// Outputs with a decision or an extra rater, in their order.
fn settled(conn: &Connection, study: StudyId) -> Result<Vec<OutputId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT output_id FROM adjudications WHERE study_id = ?1 AND superseded_at IS NULL
         UNION SELECT output_id FROM extra_assignments WHERE study_id = ?1 ORDER BY 1",
    )?;
    let rows = statement.query_map([study.0], |row| Ok(OutputId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn scores(conn: &Connection, study: StudyId, output: OutputId, dimensions: usize) -> Result<Option<Vec<f64>>, Failure> {
    let decision: Option<String> = conn
        .prepare_cached(
            "SELECT scores FROM adjudications WHERE study_id = ?1 AND output_id = ?2 AND superseded_at IS NULL",
        )?
        .query_row(params![study.0, output.0], |row| row.get(0))
        .optional()?;
    if let Some(json) = decision {
        let scores: Vec<u8> = serde_json::from_str(&json)?;
        return Ok((scores.len() == dimensions).then(|| scores.into_iter().map(f64::from).collect()));
    }
    let rated = disputes::rated(conn, study, Some(output))?.into_iter().find(|one| one.extra > 0 && one.complete);
    Ok(rated.and_then(|one| {
        let given: Vec<Vec<u8>> = one.ratings.into_iter().map(|(.., scores)| scores).collect();
        median(&given, dimensions)
    }))
}
