//! Studies: their settings, progress and ratings.

use std::collections::HashMap;

use model::{
    dataset::TaskRow,
    ids::{DatasetVersionId, ModelId, OutputId, StudyId, SubmissionId, TaskId, TaskRevisionId, Token, UserId},
    page::{PageOf, Paged},
    plan::Reads,
    ratings::RatingRow,
    rubric::Rubric,
    study::{RaterProgress, StudyRow, StudyStatus, idle},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    datasets::task_row,
    notes,
    page::{self, Filter, List, Sort},
    plan::{self, Planned, STUDY_ROWS},
    staging::{self, Import},
    stored::{json, optional_json, optional_parsed, optional_scores, parsed, scores, table},
};
use base::{clock, error::Failure};

const COLUMNS: &str = "s.id, s.token, s.title, d.slug, s.status,
        (SELECT count(*) FROM study_raters m WHERE m.study_id = s.id AND m.removed_at IS NULL) AS raters,
        (SELECT coalesce(sum(c.done), 0) FROM study_counts c WHERE c.study_id = s.id) AS done,
        (SELECT coalesce(sum(c.wanted), 0) FROM study_counts c WHERE c.study_id = s.id) AS wanted,
        -- In the order of its submissions; two submissions of one model count as one.
        (SELECT json_group_array(name ORDER BY place) FROM (
             SELECT m.name, min(ss.position) AS place FROM study_submissions ss
             JOIN submissions x ON x.id = ss.submission_id JOIN models m ON m.id = x.model_id
             WHERE ss.study_id = s.id GROUP BY m.id)) AS models,
        s.created_at,
        (SELECT coalesce(sum(c.open), 0) FROM inbox_counts c
         WHERE c.study_id = s.id AND c.kind IN ('flag', 'check_flag')) AS flags,
        (SELECT coalesce(sum(c.open), 0) FROM inbox_counts c
         WHERE c.study_id = s.id AND c.kind = 'disagreement') AS disagreements,
        (SELECT coalesce(sum(c.open), 0) FROM inbox_counts c WHERE c.study_id = s.id) AS waiting,
        -- When each rater with work left was last active.
        (SELECT json_group_array(max(m.last_event, coalesce(m.added_at, 0), coalesce(s.started_at, 0)))
         FROM study_raters m
         WHERE s.status = 'running' AND m.study_id = s.id AND m.removed_at IS NULL AND m.open > 0) AS active,
        s.due";
const JOINS: &str = "CROSS JOIN dataset_versions v ON v.id = s.version_id CROSS JOIN datasets d ON d.id = v.dataset_id";

/// Studies that are not archived.
const LIST: List<'_> = List {
    columns: COLUMNS,
    table: "studies s",
    joins: JOINS,
    id: "s.id",
    within: "",
    filter: "s.archived_at IS NULL",
    sorts: &[
        Sort::number("created", "s.id"),
        Sort::text("title", "s.title COLLATE NOCASE"),
        Sort::text("status", "s.status"),
    ],
    usual: "-created",
    search:
        "s.title || ' ' || d.slug || ' ' || coalesce((SELECT group_concat(m.name, ' ') FROM study_submissions ss
        JOIN submissions x ON x.id = ss.submission_id JOIN models m ON m.id = x.model_id WHERE ss.study_id = s.id), '')",
    filters: &[
        Filter { name: "status", condition: "s.status = #", indexed: true },
        Filter { name: "dataset", condition: "d.slug = #", indexed: false },
        Filter {
            name: "model",
            condition: "EXISTS (SELECT 1 FROM study_submissions ss JOIN submissions x ON x.id = ss.submission_id
                WHERE ss.study_id = s.id AND x.model_id = #)",
            indexed: false,
        },
    ],
};

/// A page of the studies that are not archived, newest first unless asked otherwise.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<StudyRow>, Failure> {
    page::page(conn, &LIST, of, &[], row)
}

/// A study's title; `None` if there is no such study.
pub fn title(conn: &Connection, id: StudyId) -> Result<Option<String>, Failure> {
    let query = "SELECT title FROM studies WHERE id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| row.get("title")).optional()?)
}

/// One study's row.
pub fn get(conn: &Connection, id: StudyId) -> Result<Option<StudyRow>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {COLUMNS} FROM studies s {JOINS} WHERE s.id = ?1"))?
        .query_row([id.0], row)
        .optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<StudyRow> {
    Ok(StudyRow {
        id: StudyId(row.get("id")?),
        token: Token(row.get("token")?),
        title: row.get("title")?,
        dataset: row.get("slug")?,
        status: parsed(row, STUDY_ROWS, "status")?,
        models: json(row, STUDY_ROWS, "models")?,
        raters: row.get("raters")?,
        done: row.get("done")?,
        wanted: row.get("wanted")?,
        created_at: Timestamp(row.get("created_at")?),
        flags: row.get("flags")?,
        disagreements: row.get("disagreements")?,
        waiting: row.get("waiting")?,
        idle: idle(&json::<Vec<i64>>(row, STUDY_ROWS, "active")?, clock::now()),
        due: optional_parsed(row, STUDY_ROWS.column("settings"), "due")?,
    })
}

/// The study's models in the order of its submissions; two submissions of one model count as one.
pub fn models(conn: &Connection, id: StudyId) -> Result<Vec<(ModelId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.name FROM study_submissions ss
         JOIN submissions s ON s.id = ss.submission_id JOIN models m ON m.id = s.model_id
         WHERE ss.study_id = ?1 GROUP BY m.id ORDER BY min(ss.position)",
    )?;
    let rows = statement.query_map([id.0], |row| Ok((ModelId(row.get("id")?), row.get("name")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many of the study's ratings count, and how many people gave them.
pub fn counted(conn: &Connection, id: StudyId) -> Result<(u64, u64), Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT coalesce((SELECT ratings FROM study_revisions WHERE study_id = ?1), 0) AS ratings,
                 (SELECT count(*) FROM study_raters WHERE study_id = ?1 AND rated > 0) AS raters",
        )?
        .query_row([id.0], |row| Ok((row.get("ratings")?, row.get("raters")?)))?)
}

/// The settings of a study.
pub struct Setup {
    /// Raters per output.
    pub raters_per_output: u32,
    /// Seed of its order and its intervals.
    pub seed: u64,
    pub rubric_id: i64,
    pub rubric: Rubric,
    /// The dataset version it grades.
    pub version: DatasetVersionId,
}

/// The settings of a study.
pub fn setup(conn: &Connection, id: StudyId) -> Result<Option<Setup>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT s.id, s.raters_per_output, s.seed, s.rubric_id, r.json, s.version_id FROM studies s JOIN rubrics r ON r.id = s.rubric_id
             WHERE s.id = ?1",
        )?
        .query_row([id.0], |row| {
            Ok(Setup {
                raters_per_output: row.get("raters_per_output")?,
                seed: parsed(row, STUDY_ROWS, "seed")?,
                rubric_id: row.get("rubric_id")?,
                rubric: json(row, table("rubrics", &["rubric_id"]), "json")?,
                version: DatasetVersionId(row.get("version_id")?),
            })
        })
        .optional()?)
}

/// A submission with the fields that a plan needs.
pub struct Candidate {
    /// Its dataset.
    pub dataset: String,
    /// Its dataset version.
    pub version: DatasetVersionId,
    /// The rubric of its new studies.
    pub rubric_id: i64,
}

/// The submission for a plan.
pub fn candidate(conn: &Connection, id: SubmissionId) -> Result<Option<Candidate>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT d.slug, v.id, coalesce(d.rubric_id, v.rubric_id) AS rubric_id FROM submissions s
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id WHERE s.id = ?1",
        )?
        .query_row([id.0], |row| {
            Ok(Candidate {
                dataset: row.get("slug")?,
                version: DatasetVersionId(row.get("id")?),
                rubric_id: row.get("rubric_id")?,
            })
        })
        .optional()?)
}

/// Whether the account exists and is active.
pub fn can_rate(conn: &Connection, user: UserId) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM users WHERE id = ?1 AND disabled = 0")?.exists([user.0])?)
}

/// Input of a new study's rows; every list is already checked.
pub struct Plan {
    /// Its title.
    pub title: String,
    /// The dataset version.
    pub version: DatasetVersionId,
    /// The rubric.
    pub rubric_id: i64,
    pub input: plan::Input,
    /// The raters with their languages and maximum shares.
    pub raters: Vec<(UserId, Reads, Option<u32>)>,
    /// Every planned rating.
    pub places: Vec<Planned>,
}

/// Begins a draft that nobody sees before [`publish`]. Its planned ratings are added meanwhile, its raters then.
pub fn begin(conn: &Connection, plan: &Plan, by: Option<UserId>) -> Result<StudyId, Failure> {
    let id: i64 = conn.query_row(
        "INSERT INTO all_studies (token, title, version_id, rubric_id, seed, status, settings, created_by, created_at,
             importing_until)
         VALUES (?1, ?2, ?3, ?4, ?5, 'draft', ?6, ?7, ?8, ?9) RETURNING id",
        params![
            clock::token().0,
            plan.title,
            plan.version.0,
            plan.rubric_id,
            plan.input.seed.to_string(),
            serde_json::to_string(&plan.input.settings)?,
            by.map(|id| id.0),
            clock::now().0,
            staging::lease(),
        ],
        |row| row.get(0),
    )?;
    let id = StudyId(id);
    plan::add_submissions(conn, id, &plan.input.submissions)?;
    Ok(id)
}

/// Shows the draft to everybody, with its raters.
///
/// # Errors
/// It was cleared meanwhile: see [`staging::renew`].
pub fn publish(conn: &Connection, id: StudyId, plan: &Plan) -> Result<(), Failure> {
    staging::renew(conn, Import::Study(id.0))?;
    conn.execute(
        "UPDATE all_studies SET created_at = ?2, importing_until = NULL WHERE id = ?1",
        params![id.0, clock::now().0],
    )?;
    for (rater, reads, share) in &plan.raters {
        plan::join(conn, id, *rater, *reads, *share)?;
    }
    // The planned ratings came before their raters, so the triggers had nothing to count them in.
    conn.execute(
        "UPDATE study_raters SET open = (
             SELECT count(*) FROM assignments a WHERE a.study_id = ?1 AND a.user_id = study_raters.user_id)
         WHERE study_id = ?1",
        [id.0],
    )?;
    let ratings = plan.places.len() as u64;
    plan::note(conn, id, "planned", None, &plan::Moved { ratings, from: None })
}

/// The number of a study's rubric.
pub fn rubric_id(conn: &Connection, id: StudyId) -> Result<i64, Failure> {
    let query = "SELECT rubric_id FROM studies WHERE id = ?1";
    let found = conn.prepare_cached(query)?.query_row([id.0], |row| row.get("rubric_id")).optional()?;
    found.ok_or_else(|| Failure::not_found("study"))
}

/// Replaces a draft's settings and raters; its planned ratings stay.
pub fn replace(conn: &Connection, id: StudyId, plan: &Plan) -> Result<(), Failure> {
    conn.execute("DELETE FROM study_submissions WHERE study_id = ?1", [id.0])?;
    conn.execute(
        "UPDATE all_studies SET title = ?2, version_id = ?3, rubric_id = ?4, seed = ?5 WHERE id = ?1",
        params![id.0, plan.title, plan.version.0, plan.rubric_id, plan.input.seed.to_string()],
    )?;
    plan::save_settings(conn, id, &plan.input.settings)?;
    plan::add_submissions(conn, id, &plan.input.submissions)?;
    // Rows that stay keep their counts of planned ratings, which triggers adjust.
    for (known, ..) in plan::raters(conn, id)? {
        if !plan.raters.iter().any(|(rater, ..)| *rater == known) {
            plan::remove(conn, id, known)?;
        }
    }
    for (rater, reads, share) in &plan.raters {
        plan::join(conn, id, *rater, *reads, *share)?;
    }
    Ok(())
}

/// Sets the status.
pub fn set_status(conn: &Connection, id: StudyId, status: StudyStatus) -> Result<(), Failure> {
    conn.execute(
        "UPDATE all_studies SET status = ?2,
             started_at = CASE WHEN ?2 = 'running' THEN coalesce(started_at, ?3) ELSE started_at END
         WHERE id = ?1",
        params![id.0, status.code(), clock::now().0],
    )?;
    Ok(())
}

/// The study's raters by name, former ones included.
pub fn rater_names(conn: &Connection, id: StudyId) -> Result<Vec<(UserId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name FROM study_raters m JOIN users u ON u.id = m.user_id WHERE m.study_id = ?1 ORDER BY u.name",
    )?;
    let rows = statement.query_map([id.0], |row| Ok((UserId(row.get("id")?), row.get("name")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The progress of each rater, by name, without their median times.
pub fn raters(conn: &Connection, id: StudyId) -> Result<Vec<RaterProgress>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name, m.rated, m.last_rating,
            (SELECT count(*) FROM skips k WHERE k.study_id = ?1 AND k.user_id = u.id) AS skipped,
            (SELECT count(*) FROM assignments a
             WHERE a.study_id = ?1 AND a.user_id = u.id AND a.leased_until >= ?2) AS leased
         FROM study_raters m JOIN users u ON u.id = m.user_id WHERE m.study_id = ?1 ORDER BY u.name",
    )?;
    let rows = statement.query_map(params![id.0, clock::now().0], |row| {
        Ok(RaterProgress {
            id: UserId(row.get("id")?),
            name: row.get("name")?,
            rated: row.get("rated")?,
            skipped: row.get("skipped")?,
            leased: row.get("leased")?,
            last_at: row.get::<_, Option<i64>>("last_rating")?.map(Timestamp),
            median_ms: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The time from showing to rating, in milliseconds, of each of the study's ratings that has one, with its rater.
pub fn rating_times(conn: &Connection, id: StudyId) -> Result<Vec<(UserId, i64)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT user_id, rated_at - shown_at AS took FROM assignments
         WHERE study_id = ?1 AND rated_at IS NOT NULL AND shown_at IS NOT NULL AND user_id IS NOT NULL",
    )?;
    let rows = statement.query_map([id.0], |row| Ok((UserId(row.get("user_id")?), row.get("took")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The study's tasks, in the dataset's order.
pub fn tasks(conn: &Connection, id: StudyId) -> Result<Vec<TaskRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.id AS task, v.id AS revision, t.external_id, v.raw_nl, v.nl_lang, v.signature, v.human, v.tests,
             v.code_lang
         FROM studies s
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
         JOIN task_revisions v ON v.id = vt.revision_id
         JOIN tasks t ON t.id = v.task_id
         WHERE s.id = ?1 AND v.id IN (
             SELECT o.revision_id FROM assignments a CROSS JOIN outputs o ON o.id = a.output_id WHERE a.study_id = ?1)
         ORDER BY vt.position",
    )?;
    let rows = statement.query_map([id.0], task_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The study's task with this ID, if it has outputs to rate.
pub fn task(conn: &Connection, id: StudyId, task: TaskId) -> Result<Option<TaskRow>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT v.task_id AS task, v.id AS revision, t.external_id, v.raw_nl, v.nl_lang, v.signature, v.human, v.tests,
                 v.code_lang
             FROM studies s CROSS JOIN tasks t ON t.id = ?2 CROSS JOIN task_revisions v ON v.task_id = t.id
             CROSS JOIN dataset_version_tasks vt ON vt.version_id = s.version_id AND vt.revision_id = v.id
             WHERE s.id = ?1 AND EXISTS (
                 SELECT 1 FROM outputs o CROSS JOIN assignments a ON a.study_id = s.id AND a.output_id = o.id
                 WHERE o.revision_id = v.id)",
        )?
        .query_row(params![id.0, task.0], task_row)
        .optional()?)
}

/// One page of the study's tasks, in the dataset's order. Filters: `nl_lang`, and `show` (`rated`, `unrated`, `disagreements`).
pub fn tasks_page(conn: &Connection, id: StudyId, of: &PageOf) -> Result<Paged<TaskRow>, Failure> {
    let list = List {
        columns: "t.id AS task, v.id AS revision, t.external_id, v.raw_nl, v.nl_lang, v.signature, v.human, v.tests, v.code_lang",
        table: "dataset_version_tasks vt",
        joins: "CROSS JOIN task_revisions v ON v.id = vt.revision_id CROSS JOIN tasks t ON t.id = v.task_id",
        id: "vt.position",
        within: "vt.version_id = (SELECT version_id FROM studies WHERE id = ?3)",
        filter: "EXISTS (SELECT 1 FROM outputs o CROSS JOIN assignments a ON a.study_id = ?3 AND a.output_id = o.id
            WHERE o.revision_id = vt.revision_id)",
        sorts: &[Sort::number("order", "vt.position")],
        usual: "order",
        search: "t.external_id || ' ' || v.raw_nl",
        filters: &[
            Filter { name: "nl_lang", condition: "v.nl_lang = #", indexed: false },
            // Rated tasks, those without ratings, and those with an output whose raters differ.
            Filter {
                name: "show",
                condition: "CASE # WHEN 'rated' THEN EXISTS (SELECT 1 FROM outputs o
                        CROSS JOIN counted c ON c.study_id = ?3 AND c.output_id = o.id
                        WHERE o.revision_id = vt.revision_id)
                    WHEN 'unrated' THEN NOT EXISTS (SELECT 1 FROM outputs o
                        CROSS JOIN counted c ON c.study_id = ?3 AND c.output_id = o.id
                        WHERE o.revision_id = vt.revision_id)
                    WHEN 'disagreements' THEN EXISTS (SELECT 1 FROM outputs o
                        CROSS JOIN counted c ON c.study_id = ?3 AND c.output_id = o.id
                        CROSS JOIN counted d ON d.study_id = ?3 AND d.output_id = o.id
                        WHERE o.revision_id = vt.revision_id AND d.scores <> c.scores)
                    ELSE 1 END",
                indexed: false,
            },
        ],
    };
    page::page(conn, &list, of, &[&id.0], task_row)
}

/// One rating that counts, as input of figures.
pub struct Scored {
    pub task: TaskRevisionId,
    /// The model.
    pub model: ModelId,
    pub output: OutputId,
    /// One score per dimension.
    pub scores: Vec<u8>,
}

/// Every rating of these tasks that counts, by output and rater.
pub fn scored(conn: &Connection, id: StudyId, tasks: &[TaskRevisionId]) -> Result<Vec<Scored>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT o.revision_id, s.model_id, c.output_id, c.rating_id, c.scores
         FROM json_each(?2) j CROSS JOIN outputs o ON o.revision_id = j.value
         CROSS JOIN counted c ON c.study_id = ?1 AND c.output_id = o.id
         JOIN submissions s ON s.id = o.submission_id
         ORDER BY c.output_id, c.user_id",
    )?;
    let rows = statement.query_map(params![id.0, serde_json::to_string(tasks)?], |row| {
        Ok(Scored {
            task: TaskRevisionId(row.get("revision_id")?),
            model: ModelId(row.get("model_id")?),
            output: OutputId(row.get("output_id")?),
            scores: scores(row, table("counted", &["rating_id"]), "scores")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An output of one task, with its model's name.
pub struct StudyOutput {
    pub id: OutputId,
    /// The model's name.
    pub model: String,
    /// Counts from 0.
    pub sample: u32,
    pub code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
}

/// The study's outputs of one task, in the order of its submissions.
pub fn task_outputs(conn: &Connection, id: StudyId, revision: TaskRevisionId) -> Result<Vec<StudyOutput>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT o.id, m.name, o.sample, o.visible_code AS code, o.surrounding_text
         FROM study_submissions ss
         JOIN outputs o ON o.submission_id = ss.submission_id
         JOIN submissions s ON s.id = o.submission_id
         JOIN models m ON m.id = s.model_id
         WHERE ss.study_id = ?1 AND o.revision_id = ?2
           AND EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?1 AND a.output_id = o.id)
         ORDER BY ss.position, o.sample",
    )?;
    let rows = statement.query_map(params![id.0, revision.0], |row| {
        Ok(StudyOutput {
            id: OutputId(row.get("id")?),
            model: row.get("name")?,
            sample: row.get("sample")?,
            code: row.get("code")?,
            surrounding_text: row.get("surrounding_text")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Every rating of these outputs in one study by output, each rater's newest first.
pub fn ratings_of(
    conn: &Connection,
    id: StudyId,
    outputs: &[OutputId],
) -> Result<HashMap<OutputId, Vec<RatingRow>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.output_id, r.id, u.name, r.comment, r.flag, r.at, r.replaced_at IS NOT NULL AS replaced,
             (SELECT group_concat(x.score, '' ORDER BY x.dimension) FROM rating_scores x WHERE x.rating_id = r.id) AS scores
         FROM json_each(?2) j CROSS JOIN assignments a ON a.study_id = ?1 AND a.output_id = j.value
         CROSS JOIN ratings r ON r.assignment_id = a.id CROSS JOIN users u ON u.id = r.user_id
         ORDER BY u.name, r.id DESC",
    )?;
    let rows = statement.query_map(params![id.0, serde_json::to_string(outputs)?], |row| {
        let ratings = table("ratings", &["id"]);
        let rating = RatingRow {
            rater: row.get("name")?,
            scores: optional_scores(row, ratings, "scores")?.unwrap_or_default(),
            comment: row.get("comment")?,
            flag: optional_json(row, ratings, "flag")?,
            notes: Vec::new(),
            at: Timestamp(row.get("at")?),
            replaced: row.get("replaced")?,
        };
        Ok((OutputId(row.get("output_id")?), row.get::<_, i64>("id")?, rating))
    })?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<i64> = rows.iter().map(|(_, id, _)| *id).collect();
    let mut notes = notes::of_each(conn, &ids)?;
    let mut found: HashMap<OutputId, Vec<RatingRow>> = HashMap::new();
    for (output, id, row) in rows {
        found.entry(output).or_default().push(RatingRow { notes: notes.remove(&id).unwrap_or_default(), ..row });
    }
    Ok(found)
}
