//! The input of a comparison's final scores (docs/statistics.md, "Adjudicated scores"): adjudications, and
//! the ratings of outputs with an extra rater. Only those outputs are read, so the cost depends on a study's
//! disagreements, not its size.

use std::collections::{BTreeMap, BTreeSet};

use model::ids::{OutputId, StudyId};
use rusqlite::Connection;

use super::{
    comparison_input::places,
    instruction_answers::{self, FinalAnswer},
    quality::disagreements,
    stored::{json, table},
};
use base::error::Failure;
use comparison::input::{ComparisonInput, FinalInstruction};

/// An output that was adjudicated or got an extra rater. Fields with indices refer to the input's lists.
pub struct AdjudicatedOutput {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// The adjudicated scores, if there are any.
    pub decision: Option<Vec<u8>>,
    /// Whether an extra rater was assigned and all raters have rated.
    pub extra_rated: bool,
    /// The scores of its ratings, one entry per rater.
    pub ratings: Vec<Vec<u8>>,
}

/// Such outputs of the input. If raters are selected, only those that one of them rated.
pub fn adjudicated_outputs(conn: &Connection, input: &ComparisonInput) -> Result<Vec<AdjudicatedOutput>, Failure> {
    let rated: BTreeSet<(u32, OutputId)> = input.ratings.iter().map(|r| (r.study, r.output)).collect();
    let mut found = Vec::new();
    for (study, row) in (0..).zip(&input.studies) {
        let places = places(conn, input, row.id)?;
        let mut decisions = decisions(conn, row.id)?;
        let outputs: BTreeSet<i64> = decisions.keys().copied().chain(extra(conn, row.id)?).collect();
        for id in outputs {
            let output = OutputId(id);
            let Some(place) = places.get(&id).filter(|_| rated.contains(&(study, output))) else { continue };
            let decision = decisions.remove(&id);
            let one = match decision {
                Some(_) => None,
                None => disagreements::rated(conn, row.id, output)?,
            };
            let extra_rated = one.as_ref().is_some_and(|one| one.extra > 0 && one.complete);
            let ratings = one.into_iter().flat_map(|one| one.ratings).map(|(.., scores)| scores).collect();
            let (task, model) = (place.task, place.model);
            found.push(AdjudicatedOutput { study, task, model, output, decision, extra_rated, ratings });
        }
    }
    Ok(found)
}

/// The adjudicated answers about instructions of the same outputs.
pub fn adjudicated_instructions(conn: &Connection, input: &ComparisonInput) -> Result<Vec<FinalInstruction>, Failure> {
    let mut found = Vec::new();
    if !input.rubric.as_ref().is_some_and(|rubric| rubric.instructions) {
        return Ok(found);
    }
    let rated: BTreeSet<(u32, OutputId)> = input.ratings.iter().map(|r| (r.study, r.output)).collect();
    for (study, row) in (0..).zip(&input.studies) {
        let places = places(conn, input, row.id)?;
        for FinalAnswer { output, kind, turn, follows } in instruction_answers::adjudicated(conn, row.id)? {
            let Some(place) = places.get(&output.0).filter(|_| rated.contains(&(study, output))) else { continue };
            let (task, model) = (place.task, place.model);
            found.push(FinalInstruction { study, task, model, output, turn, kind, follows });
        }
    }
    Ok(found)
}

fn decisions(conn: &Connection, study: StudyId) -> Result<BTreeMap<i64, Vec<u8>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT id, output_id, scores FROM adjudications WHERE study_id = ?1 AND replaced_at IS NULL",
    )?;
    let mut rows = statement.query([study.0])?;
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next()? {
        found.insert(row.get("output_id")?, json(row, table("adjudications", &["id"]), "scores")?);
    }
    Ok(found)
}

fn extra(conn: &Connection, study: StudyId) -> Result<Vec<i64>, Failure> {
    let mut statement = conn.prepare_cached("SELECT DISTINCT output_id FROM extra_assignments WHERE study_id = ?1")?;
    let rows = statement.query_map([study.0], |row| row.get("output_id"))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
