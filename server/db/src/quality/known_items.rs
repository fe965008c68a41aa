//! Known-score items and their pools: which of them a rater may get.

use model::{
    ids::{OutputId, StudyId, TaskRevisionId, UserId},
    lang::Bilingual,
    quality::{KnownItemChange, KnownItemChoices, Pool},
    text::excerpt,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::checks::Kind;
use crate::{
    grading::StoredTexts,
    stored::{Table, json, parsed, table},
};
use base::{clock, error::Failure};

/// For queries with the item's number as `id`.
const ITEMS: Table = table("known_items", &["id"]);

/// A stored known-score item.
pub struct KnownItem {
    pub id: i64,
    pub study: StudyId,
    /// The task's id in its source.
    pub task_id: String,
    pub texts: StoredTexts,
    /// The output whose code it copies; absent if the code was pasted.
    pub output: Option<OutputId>,
    pub scores: Vec<u8>,
    /// The reason.
    pub reasons: Vec<Bilingual>,
    /// Whether it is deactivated.
    pub deactivated: bool,
    pub pool: Pool,
    /// Whether the study grades the output.
    pub graded: bool,
    /// Whether a rater has had it.
    pub used: bool,
}

const ROW: &str =
    "SELECT g.id, g.study_id, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, v.signature, g.code, g.surrounding_text,
        g.output_id, g.scores, g.reasons, g.deactivated_at IS NOT NULL AS deactivated, v.code_lang, g.pool,
        EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = g.study_id AND a.output_id = g.output_id) AS graded,
        EXISTS (SELECT 1 FROM checks p WHERE p.known_item_id = g.id) AS used
    FROM known_items g JOIN task_revisions v ON v.id = g.revision_id JOIN tasks t ON t.id = v.task_id";

fn row(row: &Row<'_>) -> rusqlite::Result<KnownItem> {
    Ok(KnownItem {
        id: row.get("id")?,
        study: StudyId(row.get("study_id")?),
        task_id: row.get("external_id")?,
        texts: StoredTexts::of_row(row)?,
        output: row.get::<_, Option<i64>>("output_id")?.map(OutputId),
        scores: json(row, ITEMS, "scores")?,
        reasons: json(row, ITEMS, "reasons")?,
        deactivated: row.get("deactivated")?,
        pool: parsed(row, ITEMS, "pool")?,
        graded: row.get("graded")?,
        used: row.get("used")?,
    })
}

pub fn get(conn: &Connection, id: i64) -> Result<Option<KnownItem>, Failure> {
    Ok(conn.prepare_cached(&format!("{ROW} WHERE g.id = ?1"))?.query_row([id], row).optional()?)
}

/// The study's items, oldest first.
pub fn list(conn: &Connection, study: StudyId) -> Result<Vec<KnownItem>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{ROW} WHERE g.study_id = ?1 ORDER BY g.id"))?;
    let rows = statement.query_map([study.0], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The ids of the active items that may come to this rater as a check of this kind, oldest first. `both`: items of
/// both pools, too.
///
/// No code comes to a rater both in the calibration and as a hidden check, and none twice as a hidden check. An output
/// that the study grades comes to nobody who had it as work or saw it as a disagreement, and to nobody at all while a rating of
/// it is missing, because anybody may take that rating over. A hidden check is in a language that the rater reads, as work is.
pub fn available(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    kind: Kind,
    both: bool,
) -> Result<Vec<i64>, Failure> {
    found(conn, study, rater, kind, both, false)
}

/// The items that may come to this rater as hidden checks, now or when all ratings of them as work are there.
pub fn hidden_ones(conn: &Connection, study: StudyId, rater: UserId, both: bool) -> Result<Vec<i64>, Failure> {
    found(conn, study, rater, Kind::Known, both, true)
}

fn found(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    kind: Kind,
    both: bool,
    even_unrated: bool,
) -> Result<Vec<i64>, Failure> {
    let pool = if kind == Kind::Calibration { Pool::Calibration } else { Pool::Hidden };
    let mut statement = conn.prepare_cached(
        "SELECT g.id FROM known_items g
         WHERE g.study_id = ?1 AND g.deactivated_at IS NULL AND (g.pool = ?3 OR (?4 AND g.pool = 'both'))
           AND g.id NOT IN (
               SELECT same.id FROM checks p CROSS JOIN known_items had ON had.id = p.known_item_id
               CROSS JOIN known_items same ON same.study_id = ?1 AND same.revision_id = had.revision_id
               WHERE p.study_id = ?1 AND p.user_id = ?2 AND same.code = had.code
                 AND (same.id <> had.id OR p.kind <> ?5))
           AND NOT EXISTS (SELECT 1 FROM assignments a
                           WHERE a.study_id = ?1 AND a.output_id = g.output_id
                             AND (a.user_id = ?2 OR a.rated_at IS NULL AND NOT ?6))
           AND NOT EXISTS (SELECT 1 FROM handouts h
                           WHERE h.study_id = ?1 AND h.output_id = g.output_id AND h.user_id = ?2)
           AND NOT EXISTS (SELECT 1 FROM disagreement_handouts h
                           WHERE h.study_id = ?1 AND h.output_id = g.output_id AND h.user_id = ?2)
           AND (?5 = 'calibration' OR EXISTS (
                SELECT 1 FROM study_raters m JOIN task_revisions v ON v.id = g.revision_id
                WHERE m.study_id = ?1 AND m.user_id = ?2 AND instr(m.reads, v.nl_lang) > 0))
         ORDER BY g.id",
    )?;
    let rows = statement
        .query_map(params![study.0, rater.0, pool.code(), both, kind.code(), even_unrated], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many active items of each pool a study has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolSizes {
    /// Items of the calibration that every rater gets: without outputs that the study grades.
    pub calibration: usize,
    /// Items that come as hidden checks only.
    pub hidden: usize,
    /// Items of both pools.
    pub both: usize,
}

/// The sizes of the study's pools.
pub fn sizes(conn: &Connection, study: StudyId) -> Result<PoolSizes, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT g.id, g.pool,
            EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?1 AND a.output_id = g.output_id) AS graded
         FROM known_items g WHERE g.study_id = ?1 AND g.deactivated_at IS NULL",
    )?;
    let rows = statement
        .query_map([study.0], |row| Ok((parsed::<Pool>(row, ITEMS, "pool")?, row.get::<_, bool>("graded")?)))?;
    let mut sizes = PoolSizes::default();
    for row in rows {
        let (pool, graded) = row?;
        sizes.calibration += usize::from(pool != Pool::Hidden && !graded);
        sizes.hidden += usize::from(pool == Pool::Hidden);
        sizes.both += usize::from(pool == Pool::Both);
    }
    Ok(sizes)
}

/// Whether the rater has had the output as a calibration item or a hidden check of the study.
pub fn was_check(conn: &Connection, study: StudyId, rater: UserId, output: OutputId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM known_items g CROSS JOIN checks p ON p.known_item_id = g.id
             WHERE g.output_id = ?3 AND g.study_id = ?1 AND p.user_id = ?2",
        )?
        .exists(params![study.0, rater.0, output.0])?)
}

/// Whether the study has an active item with this code for this task.
pub fn has(conn: &Connection, study: StudyId, revision: TaskRevisionId, code: &str) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM known_items
             WHERE study_id = ?1 AND revision_id = ?2 AND deactivated_at IS NULL AND code = ?3",
        )?
        .exists(params![study.0, revision.0, code])?)
}

/// The revision of the item's task.
pub fn task(conn: &Connection, id: i64) -> Result<Option<TaskRevisionId>, Failure> {
    let mut statement = conn.prepare_cached("SELECT revision_id FROM known_items WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0).map(TaskRevisionId)).optional()?)
}

/// How much of a task is in a rater's plan, and how much of that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// The rater has no output of the task.
    None,
    /// The rater has had all their outputs of the task.
    Complete,
    /// An output of the task is still to come.
    ToCome {
        /// Whether the rater has had another one.
        started: bool,
        /// How far the nearest that is to come is in the rater's order, in outputs.
        distance: i64,
    },
}

/// How much of the task is in this rater's plan.
pub fn planned(conn: &Connection, study: StudyId, rater: UserId, task: TaskRevisionId) -> Result<Planned, Failure> {
    let (all, to_come, distance): (u64, u64, Option<i64>) = conn
        .prepare_cached(
            "SELECT count(*) AS planned, count(*) FILTER (WHERE a.shown_at IS NULL) AS to_come,
                min(abs(a.place - coalesce(
                 (SELECT w.place FROM assignments w
                  WHERE w.study_id = ?1 AND w.user_id = ?2 AND w.rated_at IS NULL AND w.leased_until IS NULL
                  ORDER BY w.place LIMIT 1), a.place))) FILTER (WHERE a.shown_at IS NULL) AS distance
             FROM outputs o CROSS JOIN assignments a ON a.study_id = ?1 AND a.output_id = o.id AND a.user_id = ?2
             WHERE o.revision_id = ?3",
        )?
        .query_row(params![study.0, rater.0, task.0], |row| {
            Ok((row.get("planned")?, row.get("to_come")?, row.get("distance")?))
        })?;
    // What is to come has a place.
    Ok(match (all, distance) {
        (0, _) => Planned::None,
        (_, None) => Planned::Complete,
        (_, Some(distance)) => Planned::ToCome { started: to_come < all, distance },
    })
}

/// Whether a rater has several outputs of a task.
pub fn has_tasks_with_several(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM assignments a JOIN outputs o ON o.id = a.output_id
             WHERE a.study_id = ?1 AND a.user_id = ?2 GROUP BY o.revision_id HAVING count(*) > 1 LIMIT 1",
        )?
        .exists(params![study.0, rater.0])?)
}

/// How often an item was rated, and the scores: of each time the rating that counts.
pub fn answers(conn: &Connection, item: i64) -> Result<Vec<Vec<u8>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.id, r.draft FROM checks p JOIN check_ratings r ON r.check_id = p.id AND r.replaced_at IS NULL
         WHERE p.known_item_id = ?1",
    )?;
    let rows = statement.query_map([item], |row| {
        let draft = json(row, table("check_ratings", &["id"]), "draft")?;
        Ok(super::checks::scores(&draft))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An item to be stored.
pub struct NewRow<'a> {
    /// The task revision.
    pub revision: TaskRevisionId,
    /// The output it was created from.
    pub output: Option<OutputId>,
    pub code: &'a str,
    /// The text around the code of a chat response.
    pub surrounding_text: &'a str,
    pub scores: &'a [u8],
    /// The reason.
    pub reasons: &'a [Bilingual],
    pub pool: Pool,
}

pub fn insert(conn: &Connection, study: StudyId, new: &NewRow<'_>, by: Option<UserId>) -> Result<i64, Failure> {
    Ok(conn.query_row(
        "INSERT INTO known_items (study_id, revision_id, output_id, code, surrounding_text, scores, reasons, created_by, created_at,
             pool)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id",
        params![
            study.0,
            new.revision.0,
            new.output.map(|id| id.0),
            new.code,
            new.surrounding_text,
            serde_json::to_string(new.scores)?,
            serde_json::to_string(new.reasons)?,
            by.map(|id| id.0),
            clock::now().0,
            new.pool.code()
        ],
        |row| row.get(0),
    )?)
}

/// Gives a study the active items of another of the same dataset version and rubric.
pub fn inherit(conn: &Connection, study: StudyId, from: StudyId) -> Result<(), Failure> {
    conn.execute(
        "INSERT INTO known_items (study_id, revision_id, output_id, code, surrounding_text, scores, reasons, created_by, created_at,
             pool)
         SELECT ?1, revision_id, output_id, code, surrounding_text, scores, reasons, created_by, ?3, pool FROM known_items
         WHERE study_id = ?2 AND deactivated_at IS NULL ORDER BY id",
        params![study.0, from.0, clock::now().0],
    )?;
    Ok(())
}

/// Changes an item. Returns whether the study has it.
pub fn change(conn: &Connection, study: StudyId, item: i64, change: KnownItemChange) -> Result<bool, Failure> {
    let pool = change.pool.map(Pool::code);
    Ok(conn.execute(
        "UPDATE known_items SET pool = coalesce(?3, pool), deactivated_at = CASE ?4 WHEN 1 THEN ?5 WHEN 0 THEN NULL
             ELSE deactivated_at END WHERE id = ?2 AND study_id = ?1",
        params![study.0, item, pool, change.deactivated, clock::now().0],
    )? > 0)
}

/// Deletes an item that no rater has had.
pub fn remove(conn: &Connection, item: i64) -> Result<(), Failure> {
    conn.execute("DELETE FROM known_items WHERE id = ?1", [item])?;
    Ok(())
}

/// The revision of the task with this `task_id` in the study's dataset version.
pub fn task_named(conn: &Connection, study: StudyId, task_id: &str) -> Result<Option<TaskRevisionId>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT v.id FROM studies s JOIN dataset_version_tasks d ON d.version_id = s.version_id
             JOIN task_revisions v ON v.id = d.revision_id JOIN tasks t ON t.id = v.task_id
             WHERE s.id = ?1 AND t.external_id = ?2",
        )?
        .query_row(params![study.0, task_id], |row| row.get(0).map(TaskRevisionId))
        .optional()?)
}

/// Whether the task revision belongs to the study's dataset version.
pub fn has_task(conn: &Connection, study: StudyId, revision: TaskRevisionId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM studies s JOIN dataset_version_tasks v ON v.version_id = s.version_id
             WHERE s.id = ?1 AND v.revision_id = ?2",
        )?
        .exists(params![study.0, revision.0])?)
}

/// An output to create an item from: its task, code and surrounding text, and whether the study grades it
/// itself. `None` if it belongs to another dataset version.
pub fn output(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
) -> Result<Option<(TaskRevisionId, String, String, bool)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT o.revision_id, o.visible_code AS code, o.surrounding_text,
                EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?1 AND a.output_id = o.id) AS graded
             FROM outputs o JOIN submissions s ON s.id = o.submission_id
             JOIN studies x ON x.id = ?1 AND x.version_id = s.version_id WHERE o.id = ?2",
        )?
        .query_row(params![study.0, output.0], |row| {
            Ok((
                TaskRevisionId(row.get("revision_id")?),
                row.get("code")?,
                row.get("surrounding_text")?,
                row.get("graded")?,
            ))
        })
        .optional()?)
}

/// Whether the study has an output of the task.
pub fn is_graded(conn: &Connection, study: StudyId, revision: TaskRevisionId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM outputs o CROSS JOIN assignments a ON a.study_id = ?1 AND a.output_id = o.id
             WHERE o.revision_id = ?2",
        )?
        .exists(params![study.0, revision.0])?)
}

/// Whether the study has only one output of a task.
pub fn has_single_task(conn: &Connection, study: StudyId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM assignments a CROSS JOIN outputs o ON o.id = a.output_id WHERE a.study_id = ?1
             GROUP BY o.revision_id HAVING min(a.output_id) = max(a.output_id)",
        )?
        .exists([study.0])?)
}

/// Whether the study has an output with text around its code, or one without.
pub fn has_output_with(conn: &Connection, study: StudyId, surrounding_text: bool) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM study_submissions u CROSS JOIN outputs o ON o.submission_id = u.submission_id
             WHERE u.study_id = ?1 AND (o.surrounding_text <> '') = ?2",
        )?
        .exists(params![study.0, surrounding_text])?)
}

/// Number of the study's ratings of the output that are missing.
pub fn missing(conn: &Connection, study: StudyId, output: OutputId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached("SELECT count(*) FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND rated_at IS NULL")?
        .query_row(params![study.0, output.0], |row| row.get(0))?)
}

/// Sources of new items: every task of the dataset, those of which the study has outputs first, and the outputs that the study
/// does not grade.
pub fn choices(conn: &Connection, study: StudyId) -> Result<KnownItemChoices, Failure> {
    let mut tasks = conn.prepare_cached(
        "SELECT v.id, t.external_id, v.raw_nl FROM studies s
         JOIN dataset_version_tasks d ON d.version_id = s.version_id
         JOIN task_revisions v ON v.id = d.revision_id JOIN tasks t ON t.id = v.task_id
         WHERE s.id = ?1
         ORDER BY EXISTS (SELECT 1 FROM outputs o CROSS JOIN assignments a ON a.study_id = ?1 AND a.output_id = o.id
             WHERE o.revision_id = v.id) DESC, d.position",
    )?;
    let tasks = tasks.query_map([study.0], |row| {
        Ok((TaskRevisionId(row.get("id")?), row.get("external_id")?, excerpt(&row.get::<_, String>("raw_nl")?, 60)))
    })?;
    let mut outputs = conn.prepare_cached(
        "SELECT o.id, t.external_id, m.name, o.sample FROM studies x
         JOIN submissions s ON s.version_id = x.version_id
         JOIN models m ON m.id = s.model_id
         JOIN outputs o ON o.submission_id = s.id
         JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
         WHERE x.id = ?1 AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?1 AND a.output_id = o.id)
         ORDER BY m.name, o.id",
    )?;
    let outputs = outputs.query_map([study.0], |row| {
        Ok((OutputId(row.get("id")?), row.get("external_id")?, row.get("name")?, row.get("sample")?))
    })?;
    Ok(KnownItemChoices { tasks: tasks.collect::<Result<_, _>>()?, outputs: outputs.collect::<Result<_, _>>()? })
}
