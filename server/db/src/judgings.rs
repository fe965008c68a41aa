//! Judgings: what the collections of a judge model's scores have besides their requests.
//!
//! Their scores are in the tables of imported judge models (`judge_scores`), which nothing that counts people's ratings
//! reads.

use model::{
    conversation::InstructionAnswer,
    ids::{CollectionId, DatasetVersionId, OutputId, StudyId, SubmissionId, UserId},
    judging::{LevelOrder, OrderMeans},
    lang::Lang,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::{
    rubrics::Stored,
    stored::{Table, json, optional_named, scores, table},
};
use base::{clock, error::Failure};

/// For queries with the request's number as `id`.
pub const REQUESTS: Table = table("collection_requests", &["id"]);

/// How a judging asks, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judging {
    pub lang: Lang,
    pub level_order: LevelOrder,
    /// The rubric with its version.
    pub rubric: String,
    /// The keys of its dimensions.
    pub dimensions: Vec<String>,
    /// Whether it asks which instructions an output follows.
    pub instructions: bool,
    /// Number of its outputs.
    pub outputs: u64,
    /// Estimated tokens of all its first prompts.
    pub prompt_tokens: u64,
}

/// What is judged.
pub struct Target {
    pub dataset: String,
    pub version: DatasetVersionId,
    pub rubric: Stored,
    pub outputs: Vec<TargetOutput>,
}

/// One output of it.
pub struct TargetOutput {
    pub id: OutputId,
    pub submission: SubmissionId,
    /// The task's external ID.
    pub task_id: String,
}

/// A study's outputs, by task, with its rubric.
pub fn of_study(conn: &Connection, id: StudyId) -> Result<Option<Target>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT d.slug, s.version_id, s.rubric_id, r.json FROM studies s JOIN rubrics r ON r.id = s.rubric_id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id WHERE s.id = ?1",
        )?
        .query_row([id.0], |row| {
            let version = DatasetVersionId(row.get("version_id")?);
            let rubric = json(row, table("rubrics", &["rubric_id"]), "json")?;
            Ok((row.get("slug")?, version, Stored { id: row.get("rubric_id")?, rubric }))
        })
        .optional()?;
    let Some((dataset, version, rubric)) = found else { return Ok(None) };
    let outputs = outputs(
        conn,
        "SELECT o.id, o.submission_id, t.external_id FROM (SELECT DISTINCT output_id FROM assignments WHERE study_id = ?1) a
         CROSS JOIN outputs o ON o.id = a.output_id CROSS JOIN task_revisions r ON r.id = o.revision_id
         CROSS JOIN tasks t ON t.id = r.task_id",
        id.0,
    )?;
    Ok(Some(Target { dataset, version, rubric, outputs }))
}

/// A submission's outputs, by task, and where they belong: the dataset and its version.
pub fn of_submission(
    conn: &Connection,
    id: SubmissionId,
) -> Result<Option<(String, DatasetVersionId, Vec<TargetOutput>)>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT d.slug, s.version_id FROM submissions s JOIN dataset_versions v ON v.id = s.version_id
             JOIN datasets d ON d.id = v.dataset_id WHERE s.id = ?1",
        )?
        .query_row([id.0], |row| Ok((row.get("slug")?, DatasetVersionId(row.get("version_id")?))))
        .optional()?;
    let Some((dataset, version)) = found else { return Ok(None) };
    let outputs = outputs(
        conn,
        "SELECT o.id, o.submission_id, t.external_id FROM outputs o CROSS JOIN task_revisions r ON r.id = o.revision_id
         CROSS JOIN tasks t ON t.id = r.task_id WHERE o.submission_id = ?1",
        id.0,
    )?;
    Ok(Some((dataset, version, outputs)))
}

fn outputs(conn: &Connection, query: &str, id: i64) -> Result<Vec<TargetOutput>, Failure> {
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement.query_map([id], |row| {
        let submission = SubmissionId(row.get("submission_id")?);
        Ok(TargetOutput { id: OutputId(row.get("id")?), submission, task_id: row.get("external_id")? })
    })?;
    let mut outputs: Vec<TargetOutput> = rows.collect::<Result<_, _>>()?;
    outputs.sort_by_key(|output| output.id);
    Ok(outputs)
}

/// Creates the place of a judging's scores.
pub fn begin(
    conn: &Connection,
    version: DatasetVersionId,
    rubric: i64,
    judge: &str,
    by: Option<UserId>,
) -> Result<i64, Failure> {
    let query = "INSERT INTO all_judgings (version_id, rubric_id, judge, file_name, created_by, created_at)
        VALUES (?1, ?2, ?3, '', ?4, ?5) RETURNING id";
    let values = params![version.0, rubric, judge, by.map(|id| id.0), clock::now().0];
    Ok(conn.query_row(query, values, |row| row.get(0))?)
}

/// Records which submissions a judging grades. They must still exist.
pub fn add_submissions(conn: &Connection, id: CollectionId, submissions: &[SubmissionId]) -> Result<(), Failure> {
    for submission in submissions {
        let changed = conn
            .prepare_cached(
                "INSERT INTO collection_submissions (submission_id, collection_id)
                 SELECT id, ?2 FROM submissions WHERE id = ?1",
            )?
            .execute(params![submission.0, id.0])?;
        if changed == 0 {
            return Err(Failure::not_found("submission"));
        }
    }
    Ok(())
}

/// The rubric of a judging.
pub fn rubric(conn: &Connection, id: CollectionId) -> Result<model::rubric::Rubric, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT r.id, r.json FROM collections c JOIN all_judgings j ON j.id = c.judging_id
             JOIN rubrics r ON r.id = j.rubric_id WHERE c.id = ?1",
        )?
        .query_row([id.0], |row| json(row, table("rubrics", &["id"]), "json"))?)
}

/// The external ID of an output's task.
pub fn task_of(conn: &Connection, output: OutputId) -> Result<String, Failure> {
    let query = "SELECT t.external_id FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
        JOIN tasks t ON t.id = r.task_id WHERE o.id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([output.0], |row| row.get(0))?)
}

/// A judge's valid answer for an output, or what several come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeAnswer {
    /// In the rubric's order.
    pub scores: Vec<u8>,
    /// By turn; empty if the judge is not asked about instructions.
    pub instructions: Vec<InstructionAnswer>,
    pub comment: String,
}

/// The valid answers for an output so far, in the order of their requests.
pub fn answers(conn: &Connection, id: CollectionId, output: OutputId) -> Result<Vec<JudgeAnswer>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT id, scores, instruction_answers, comment FROM collection_requests
         WHERE output_id = ?2 AND collection_id = ?1 AND scores IS NOT NULL ORDER BY position",
    )?;
    let rows = statement.query_map(params![id.0, output.0], |row| {
        Ok(JudgeAnswer {
            scores: scores(row, REQUESTS, "scores")?,
            instructions: instruction_answers(row)?,
            comment: row.get::<_, Option<String>>("comment")?.unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A request's answers about instructions.
pub fn instruction_answers(row: &Row<'_>) -> rusqlite::Result<Vec<InstructionAnswer>> {
    let answers = optional_named(row, REQUESTS, "instruction_answers", InstructionAnswer::split)?;
    Ok(answers.unwrap_or_default())
}

/// The valid answers by the order in which their prompts listed the levels.
pub fn by_order(conn: &Connection, id: CollectionId, dimensions: usize) -> Result<Vec<OrderMeans>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT id, level_order IS ?2 AS worst, scores FROM collection_requests
         WHERE collection_id = ?1 AND scores IS NOT NULL",
    )?;
    let mut sums = [(0_u64, vec![0_u64; dimensions]), (0, vec![0; dimensions])];
    let mut rows = statement.query(params![id.0, LevelOrder::WorstFirst.name()])?;
    while let Some(row) = rows.next()? {
        let (count, sum) = &mut sums[usize::from(row.get::<_, bool>("worst")?)];
        *count += 1;
        for (sum, score) in sum.iter_mut().zip(scores(row, REQUESTS, "scores")?) {
            *sum += u64::from(score);
        }
    }
    let orders = [LevelOrder::BestFirst, LevelOrder::WorstFirst].into_iter().zip(sums);
    let some = orders.filter(|(_, (answers, _))| *answers > 0);
    Ok(some
        .map(|(order, (answers, sums))| {
            let means = sums.into_iter().map(|sum| sum as f64 / answers as f64).collect();
            OrderMeans { order, answers, means }
        })
        .collect())
}

/// Stores what the answers for an output come to; the stored comment is the first answer's.
pub fn set_answer(
    conn: &Connection,
    id: CollectionId,
    output: OutputId,
    combined: &JudgeAnswer,
) -> Result<(), Failure> {
    let judging: Option<i64> =
        conn.prepare_cached("SELECT judging_id FROM collections WHERE id = ?1")?.query_row([id.0], |row| row.get(0))?;
    let Some(judging) = judging else { return Ok(()) };
    let scores: String = combined.scores.iter().map(u8::to_string).collect();
    let is_new = !conn
        .prepare_cached("SELECT 1 FROM judged_scores WHERE judging_id = ?1 AND output_id = ?2")?
        .exists(params![judging, output.0])?;
    conn.prepare_cached(
        "INSERT INTO judged_scores (judging_id, output_id, scores, comment) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET scores = excluded.scores",
    )?
    .execute(params![judging, output.0, scores, combined.comment])?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO judged_instructions (judging_id, output_id, turn, answer) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET answer = excluded.answer",
    )?;
    for answer in &combined.instructions {
        insert.execute(params![judging, output.0, answer.turn, answer.follows])?;
    }
    conn.prepare_cached("UPDATE all_judgings SET revision = revision + 1 WHERE id = ?1")?.execute([judging])?;
    conn.prepare_cached("UPDATE collections SET scored = scored + ?2 WHERE id = ?1")?.execute(params![id.0, is_new])?;
    Ok(())
}

/// Hides the scores of a judging that is deleted, and frees its name. [`super::staging::clear`] deletes the rows.
pub fn hide_scores(conn: &Connection, id: CollectionId) -> Result<Option<i64>, Failure> {
    let query = "UPDATE collections SET judging_id = NULL WHERE id = ?1 AND judging_id IS NOT NULL";
    let judging: Option<i64> =
        conn.query_row("SELECT judging_id FROM collections WHERE id = ?1", [id.0], |row| row.get(0))?;
    if let Some(judging) = judging {
        conn.execute(query, [id.0])?;
        conn.execute("UPDATE all_judgings SET importing_until = 0 WHERE id = ?1", [judging])?;
    }
    Ok(judging)
}

/// The judgings with scores of a dataset's outputs by this rubric, oldest first.
pub fn of_comparison(
    conn: &Connection,
    dataset: &str,
    rubric: &str,
    version: u32,
) -> Result<Vec<CollectionId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT c.id FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
         JOIN judgings j ON j.version_id = v.id JOIN rubrics r ON r.id = j.rubric_id
         JOIN collections c ON c.judging_id = j.id
         WHERE d.slug = ?1 AND r.slug = ?2 AND r.version = ?3 AND c.status <> 'deleted' ORDER BY c.id",
    )?;
    let rows = statement.query_map(params![dataset, rubric, version], |row| row.get(0).map(CollectionId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
