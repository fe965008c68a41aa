//! Judge models' scores. They have tables of their own, which nothing that counts people's ratings reads.

use std::collections::HashMap;

use model::ids::{DatasetVersionId, OutputId};
use rusqlite::{Connection, params};

use super::{
    comparison_input::OutputPosition,
    imported_ratings::Given,
    staging,
    stored::{self, table},
};
use base::{clock, error::Failure};
use comparison::input::{ComparisonInput, InputJudge, JudgeInstruction, JudgeScore};

/// Creates a judging without scores, hidden until [`staging::publish`]. The caller rejects a name that the
/// dataset already has.
pub fn begin(
    conn: &Connection,
    version: DatasetVersionId,
    rubric: i64,
    (judge, file): (&str, &str),
    by: Option<i64>,
) -> Result<i64, Failure> {
    Ok(conn
        .prepare_cached(
            "INSERT INTO all_judgings (version_id, rubric_id, judge, file_name, created_by, created_at, importing_until)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        )?
        .query_row(params![version.0, rubric, judge, file, by, clock::now().0, staging::lease()], |row| row.get(0))?)
}

/// Adds scores to a judging that is being imported.
pub fn add(conn: &Connection, id: i64, scores: &[Given]) -> Result<(), Failure> {
    staging::renew(conn, staging::Import::Judging(id))?;
    let mut insert = conn
        .prepare_cached("INSERT INTO judged_scores (judging_id, output_id, scores, comment) VALUES (?1, ?2, ?3, ?4)")?;
    for one in scores {
        let digits: String = one.scores.iter().map(u8::to_string).collect();
        insert.execute(params![id, one.output.0, digits, one.comment])?;
    }
    Ok(())
}

/// Whether the dataset has a judge model with this name.
pub fn known(conn: &Connection, dataset: &str, judge: &str) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM judgings j JOIN dataset_versions v ON v.id = j.version_id
             JOIN datasets d ON d.id = v.dataset_id WHERE d.slug = ?1 AND j.judge = ?2",
        )?
        .exists(params![dataset, judge])?)
}

/// The judge models that scored any of the input's outputs with its rubric.
pub fn judges(conn: &Connection, input: &ComparisonInput) -> Result<Vec<InputJudge>, Failure> {
    let Some(rubric) = &input.rubric else { return Ok(Vec::new()) };
    let mut statement = conn.prepare_cached(
        "SELECT j.id, j.judge FROM judgings j JOIN rubrics r ON r.id = j.rubric_id
         JOIN dataset_versions v ON v.id = j.version_id JOIN datasets d ON d.id = v.dataset_id
         WHERE d.slug = ?1 AND r.slug = ?2 AND r.version = ?3 ORDER BY j.id",
    )?;
    let all: Vec<(i64, String)> = statement
        .query_map(params![input.selection.dataset, rubric.slug, rubric.version], |row| {
            Ok((row.get("id")?, row.get("judge")?))
        })?
        .collect::<Result<_, _>>()?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let mut places: HashMap<i64, OutputPosition> = HashMap::new();
    for study in &input.studies {
        places.extend(super::comparison_input::places(conn, input, study.id)?);
    }
    let mut scores =
        // The length comes from the row's header; the code itself is not read.
        conn.prepare_cached(
            "SELECT j.judging_id, j.output_id, j.scores, octet_length(o.code) AS length FROM judged_scores j
             CROSS JOIN outputs o ON o.id = j.output_id WHERE j.judging_id = ?1 ORDER BY j.output_id",
        )?;
    let mut found = Vec::new();
    for (id, name) in all {
        let mut judge = InputJudge { name, ..InputJudge::default() };
        let mut rows = scores.query([id])?;
        while let Some(row) = rows.next()? {
            let output: i64 = row.get("output_id")?;
            let Some(place) = places.get(&output) else { continue };
            let scores = stored::scores(row, table("judged_scores", &["judging_id", "output_id"]), "scores")?;
            if scores.len() == input.dimensions() {
                let (task, model) = (place.task, place.model);
                let length = row.get("length")?;
                judge.scores.push(JudgeScore { task, model, output: OutputId(output), scores, length });
            }
        }
        if !judge.scores.is_empty() {
            if rubric.instructions {
                judge.instructions = instructions(conn, id, &places)?;
            }
            found.push(judge);
        }
    }
    Ok(found)
}

/// A judge model's answers about the instructions of these outputs.
fn instructions(
    conn: &Connection,
    judging: i64,
    places: &HashMap<i64, OutputPosition>,
) -> Result<Vec<JudgeInstruction>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT output_id, turn, answer FROM judged_instructions WHERE judging_id = ?1 ORDER BY output_id, turn",
    )?;
    let rows = statement.query_map([judging], |row| {
        let output = OutputId(row.get("output_id")?);
        Ok(JudgeInstruction { output, turn: row.get("turn")?, follows: row.get("answer")? })
    })?;
    let all: Vec<JudgeInstruction> = rows.collect::<Result<_, _>>()?;
    Ok(all.into_iter().filter(|answer| places.contains_key(&answer.output.0)).collect())
}
