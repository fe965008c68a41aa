//! What comparisons read: the ratings that count, verdicts, and the stamps that say whether either has
//! changed.
//!
//! What must stay true: `counted` holds exactly the ratings that are not superseded, with all their
//! scores. Triggers keep it (migration 0008); [`recount`] makes it anew, for the test that compares.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use app::model::{
    compare::{Choice, Options, RunOption, Scores, StudyOption},
    dataset::TaskRow,
    ids::{ModelId, OutputId, RunId, StudyId, TaskRevisionId, UserId},
    lang::Bilingual,
    run::Verdict,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::datasets::task_row;
use crate::{
    error::Failure,
    report::ground::{Checked, Counted, Ground, GroundRun, GroundStudy},
};

/// What there is to choose from in a dataset, or `None` where there is no such dataset.
pub fn options(conn: &Connection, dataset: &str) -> Result<Option<Options>, Failure> {
    let name = conn
        .prepare_cached(
            "SELECT v.name_en, v.name_zh FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
             WHERE d.slug = ?1 ORDER BY v.number DESC LIMIT 1",
        )?
        .query_row([dataset], |row| Ok(Bilingual { en: row.get(0)?, zh: row.get(1)? }))
        .optional()?;
    let Some(name) = name else { return Ok(None) };
    let models = conn
        .prepare_cached(
            "SELECT m.id, m.name FROM submissions s JOIN models m ON m.id = s.model_id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             WHERE d.slug = ?1 GROUP BY m.id ORDER BY min(s.id)",
        )?
        .query_map([dataset], |row| Ok((ModelId(row.get(0)?), row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let studies = conn
        .prepare_cached(
            "SELECT s.id, s.title, r.slug || ' ' || r.version, coalesce(k.ratings, 0), s.status <> 'closed'
             FROM studies s JOIN rubrics r ON r.id = s.rubric_id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             LEFT JOIN study_stamps k ON k.study_id = s.id
             WHERE d.slug = ?1 ORDER BY s.id DESC",
        )?
        .query_map([dataset], |row| {
            Ok(StudyOption {
                id: StudyId(row.get(0)?),
                title: row.get(1)?,
                rubric: row.get(2)?,
                ratings: row.get(3)?,
                open: row.get(4)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    let runs = conn
        .prepare_cached(
            "SELECT u.id, s.model_id, coalesce(k.done, 0), u.status = 'running'
             FROM runs u JOIN submissions s ON s.id = u.submission_id
             LEFT JOIN run_stamps k ON k.run_id = u.id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             WHERE d.slug = ?1 ORDER BY u.id DESC",
        )?
        .query_map([dataset], |row| {
            Ok(RunOption { id: RunId(row.get(0)?), model: ModelId(row.get(1)?), done: row.get(2)?, open: row.get(3)? })
        })?
        .collect::<Result<_, _>>()?;
    let raters = conn
        .prepare_cached(
            "SELECT DISTINCT u.id, u.name FROM studies s
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             JOIN study_raters m ON m.study_id = s.id JOIN users u ON u.id = m.user_id
             WHERE d.slug = ?1 ORDER BY u.name",
        )?
        .query_map([dataset], |row| Ok((UserId(row.get(0)?), row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    Ok(Some(Options { name, models, studies, runs, raters }))
}

/// A word that changes with every rating and verdict that the choice counts, and with nothing else.
/// The choice must have nothing left to a default.
pub fn stamp(conn: &Connection, choice: &Choice) -> Result<String, Failure> {
    let mut words = Vec::new();
    let mut study = conn.prepare_cached("SELECT stamp FROM study_stamps WHERE study_id = ?1")?;
    for id in choice.studies.iter().flatten() {
        let stamp: Option<i64> = study.query_row([id.0], |row| row.get(0)).optional()?;
        words.push(format!("s{id}.{}", stamp.unwrap_or(0)));
    }
    let mut run = conn.prepare_cached("SELECT stamp FROM run_stamps WHERE run_id = ?1")?;
    for id in choice.runs.iter().flatten() {
        let stamp: Option<i64> = run.query_row([id.0], |row| row.get(0)).optional()?;
        words.push(format!("r{id}.{}", stamp.unwrap_or(0)));
    }
    // Imports are never changed, only added.
    let judged: i64 = conn
        .prepare_cached(
            "SELECT coalesce(max(j.id), 0) FROM judgings j JOIN dataset_versions v ON v.id = j.version_id
             JOIN datasets d ON d.id = v.dataset_id WHERE d.slug = ?1",
        )?
        .query_row([&choice.dataset], |row| row.get(0))?;
    if judged > 0 {
        words.push(format!("j{judged}"));
    }
    Ok(words.join(" "))
}

/// Where an output belongs in a ground.
#[derive(Clone, Copy)]
pub struct Place {
    /// The model's place.
    pub model: u32,
    /// The task's place.
    pub task: u32,
    /// Counts from 0.
    pub sample: u32,
    /// The submission that it came in.
    pub submission: i64,
}

/// The places of a study's outputs; those of other models or other tasks have none.
pub fn places(conn: &Connection, head: &Ground, study: StudyId) -> Result<HashMap<i64, Place>, Failure> {
    let models: HashMap<ModelId, u32> = (0..).zip(&head.models).map(|(at, (id, _))| (*id, at)).collect();
    let tasks: HashMap<TaskRevisionId, u32> = (0..).zip(&head.tasks).map(|(at, task)| (task.revision, at)).collect();
    let mut outputs = conn.prepare_cached(
        "SELECT o.id, s.model_id, o.revision_id, o.sample, s.id FROM study_submissions ss
         JOIN submissions s ON s.id = ss.submission_id JOIN outputs o ON o.submission_id = s.id WHERE ss.study_id = ?1",
    )?;
    let mut places = HashMap::new();
    let mut rows = outputs.query([study.0])?;
    while let Some(row) = rows.next()? {
        let (model, task) = (models.get(&ModelId(row.get(1)?)), tasks.get(&TaskRevisionId(row.get(2)?)));
        if let (Some(model), Some(task)) = (model, task) {
            places.insert(
                row.get(0)?,
                Place { model: *model, task: *task, sample: row.get(3)?, submission: row.get(4)? },
            );
        }
    }
    Ok(places)
}

/// Everything that the choice's figures are computed from. The choice must have nothing left to a
/// default; what it names and the database lacks is 404.
pub fn ground(conn: &Connection, name: Bilingual, choice: &Choice) -> Result<Ground, Failure> {
    let mut ground = head(conn, name, choice)?;
    ratings(conn, &mut ground)?;
    if choice.scores == Scores::Final {
        ground.finals = super::results_final::finals(conn, &ground)?;
    }
    ground.judges = super::results_judges::judges(conn, &ground)?;
    for at in 0..ground.runs.len() {
        verdicts(conn, &mut ground, at)?;
    }
    Ok(ground)
}

/// The ground without its ratings and verdicts: what they are of.
pub fn head(conn: &Connection, name: Bilingual, choice: &Choice) -> Result<Ground, Failure> {
    let mut ground = Ground { name, choice: choice.clone(), ..Ground::default() };
    for id in choice.models.iter().flatten() {
        let name: Option<String> = conn
            .prepare_cached("SELECT name FROM models WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        ground.models.push((*id, name.ok_or_else(|| Failure::not_found("model"))?));
    }
    for id in choice.studies.iter().flatten() {
        let setup = super::studies::setup(conn, *id)?.ok_or_else(|| Failure::not_found("study"))?;
        let (title, dataset_version) = conn
            .prepare_cached(
                "SELECT s.title, v.number FROM studies s JOIN dataset_versions v ON v.id = s.version_id WHERE s.id = ?1",
            )?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        ground.studies.push(GroundStudy { id: *id, title, seed: setup.seed, dataset_version });
        if ground.rubric.is_none() {
            ground.seed = setup.seed;
            ground.rubric = Some(setup.rubric);
        }
    }
    ground.tasks = tasks(conn, choice)?;
    let tasks: HashMap<i64, u32> = (0..).zip(&ground.tasks).map(|(at, task)| (task.revision.0, at)).collect();
    for id in choice.runs.iter().flatten() {
        let (submission, version) = run_of(conn, *id)?.ok_or_else(|| Failure::not_found("run"))?;
        let (model, dataset_version, environment): (i64, u32, Option<String>) = conn
            .prepare_cached(
                "SELECT s.model_id, v.number, u.environment FROM runs u JOIN submissions s ON s.id = u.submission_id
                 JOIN dataset_versions v ON v.id = s.version_id WHERE u.id = ?1",
            )?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        // A run of a model that is not compared tells nothing here.
        let Some(model) = ground.models.iter().position(|(id, _)| id.0 == model) else { continue };
        let mut statement = conn.prepare_cached(
            "SELECT vt.revision_id FROM dataset_version_tasks vt JOIN task_revisions r ON r.id = vt.revision_id
             WHERE vt.version_id = ?1 AND r.tests ORDER BY vt.position",
        )?;
        let with_tests = statement.query_map([version], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
        ground.runs.push(GroundRun {
            id: Some(*id),
            model: u32::try_from(model).unwrap_or(u32::MAX),
            tasks: with_tests.iter().filter_map(|revision| tasks.get(revision).copied()).collect(),
            submission: Some(submission),
            dataset_version: Some(dataset_version),
            environment: environment.map(|json| serde_json::from_str(&json)).transpose()?,
            ..GroundRun::default()
        });
    }
    ground.runs.sort_by_key(|run| run.model);
    Ok(ground)
}

/// A run's submission and the dataset version that it answers.
fn run_of(conn: &Connection, run: RunId) -> Result<Option<(i64, i64)>, Failure> {
    let query = "SELECT s.id, s.version_id FROM runs u JOIN submissions s ON s.id = u.submission_id WHERE u.id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The dataset's wordings, newest version first in its order, then those that only older versions have.
fn tasks(conn: &Connection, choice: &Choice) -> Result<Vec<TaskRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.id, r.id, t.external_id, r.raw_nl, r.lang, r.signature, r.human, r.tests
         FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id
         JOIN dataset_version_tasks vt ON vt.version_id = v.id
         JOIN task_revisions r ON r.id = vt.revision_id JOIN tasks t ON t.id = r.task_id
         WHERE d.slug = ?1 ORDER BY v.number DESC, vt.position",
    )?;
    let rows = statement.query_map([&choice.dataset], task_row)?.collect::<Result<Vec<TaskRow>, _>>()?;
    let mut seen = BTreeSet::new();
    let chosen = |row: &TaskRow| choice.lang.is_none_or(|lang| lang == row.lang);
    Ok(rows.into_iter().filter(|row| seen.insert(row.revision) && chosen(row)).collect())
}

fn ratings(conn: &Connection, ground: &mut Ground) -> Result<(), Failure> {
    let width = ground.dimensions();
    let mut raters: BTreeMap<UserId, u32> = BTreeMap::new();
    let mut counted = conn.prepare_cached(
        "SELECT output_id, user_id, scores FROM counted WHERE study_id = ?1 ORDER BY output_id, rating_id",
    )?;
    for at in 0..ground.studies.len() {
        let study = ground.studies[at].id;
        let places = places(conn, ground, study)?;
        let mut rows = counted.query([study.0])?;
        while let Some(row) = rows.next()? {
            let (output, user) = (row.get::<_, i64>(0)?, UserId(row.get(1)?));
            let Some(place) = places.get(&output) else { continue };
            if ground.choice.raters.as_ref().is_some_and(|chosen| !chosen.contains(&user)) {
                continue;
            }
            let digits = row.get_ref(2)?.as_str().map_err(Failure::internal)?.as_bytes();
            // A rating without all its scores would shift the places of the rest; the schema makes none.
            if digits.len() != width {
                continue;
            }
            let next = u32::try_from(raters.len()).unwrap_or(u32::MAX);
            let rater = *raters.entry(user).or_insert(next);
            ground.scores.extend(digits.iter().map(|digit| digit.wrapping_sub(b'0')));
            ground.ratings.push(Counted {
                study: u32::try_from(at).unwrap_or(u32::MAX),
                task: place.task,
                model: place.model,
                output: OutputId(output),
                rater,
            });
        }
    }
    let mut named: Vec<(u32, UserId)> = raters.into_iter().map(|(user, at)| (at, user)).collect();
    named.sort_unstable();
    for (_, user) in named {
        let name: Option<String> = conn
            .prepare_cached("SELECT name FROM users WHERE id = ?1")?
            .query_row([user.0], |row| row.get(0))
            .optional()?;
        ground.raters.push((user, name.unwrap_or_default()));
    }
    Ok(())
}

fn verdicts(conn: &Connection, ground: &mut Ground, at: usize) -> Result<(), Failure> {
    let Some(found) = ground.runs.get_mut(at) else { return Ok(()) };
    let Some(id) = found.id else { return Ok(()) };
    let Some((submission, _)) = run_of(conn, id)? else { return Ok(()) };
    let tasks: HashMap<i64, u32> = (0..).zip(&ground.tasks).map(|(at, task)| (task.revision.0, at)).collect();
    let mut done: HashMap<i64, (Verdict, u32, u32)> = HashMap::new();
    let mut statement = conn.prepare_cached(
        "SELECT output_id, verdict, passed, total FROM run_items WHERE run_id = ?1 AND state = 'done'",
    )?;
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        if let Some(verdict) = Verdict::from_name(row.get_ref(1)?.as_str().map_err(Failure::internal)?) {
            done.insert(row.get(0)?, (verdict, row.get(2)?, row.get(3)?));
        }
    }
    let mut statement = conn.prepare_cached(
        "SELECT o.id, o.revision_id, o.sample FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
         WHERE o.submission_id = ?1 AND r.tests",
    )?;
    let mut rows = statement.query([submission])?;
    while let Some(row) = rows.next()? {
        let Some(task) = tasks.get(&row.get(1)?) else { continue };
        match done.get(&row.get(0)?) {
            Some(&(verdict, passed, total)) => found.verdicts.push(Checked {
                task: *task,
                output: Some(OutputId(row.get(0)?)),
                sample: row.get(2)?,
                verdict: Some(verdict),
                passed,
                total,
            }),
            None => found.missing += 1,
        }
    }
    found.verdicts.sort_by_key(|checked| (checked.task, checked.sample, checked.output));
    Ok(())
}

/// Outputs of one task, as the chosen models gave them.
pub struct TaskOutput {
    /// The output.
    pub id: OutputId,
    /// The model's place in the choice.
    pub model: usize,
    /// Counts from 0.
    pub sample: u32,
    /// Its code.
    pub code: String,
    /// The text around the code in a chat answer.
    pub said: String,
}

/// The outputs that one task has in the choice's studies and runs.
pub fn task_outputs(
    conn: &Connection,
    choice: &Choice,
    revisions: &[TaskRevisionId],
) -> Result<Vec<TaskOutput>, Failure> {
    let mut submissions: BTreeSet<i64> = BTreeSet::new();
    let mut of_study = conn.prepare_cached("SELECT submission_id FROM study_submissions WHERE study_id = ?1")?;
    for study in choice.studies.iter().flatten() {
        for id in of_study.query_map([study.0], |row| row.get::<_, i64>(0))? {
            submissions.insert(id?);
        }
    }
    let mut of_run = conn.prepare_cached("SELECT submission_id FROM runs WHERE id = ?1")?;
    for run in choice.runs.iter().flatten() {
        submissions.extend(of_run.query_row([run.0], |row| row.get::<_, i64>(0)).optional()?);
    }
    let mut found = Vec::new();
    let mut statement = conn.prepare_cached(
        "SELECT o.id, s.model_id, o.sample, o.code, o.said FROM outputs o JOIN submissions s ON s.id = o.submission_id
         WHERE o.submission_id = ?1 AND o.revision_id = ?2 ORDER BY o.sample",
    )?;
    for submission in submissions {
        for revision in revisions {
            let mut rows = statement.query(params![submission, revision.0])?;
            while let Some(row) = rows.next()? {
                let model = ModelId(row.get(1)?);
                let Some(model) = choice.models.iter().flatten().position(|id| *id == model) else { continue };
                found.push(TaskOutput {
                    id: OutputId(row.get(0)?),
                    model,
                    sample: row.get(2)?,
                    code: row.get(3)?,
                    said: row.get(4)?,
                });
            }
        }
    }
    found.sort_by_key(|output| (output.model, output.sample, output.id));
    Ok(found)
}

/// What a run made of an output.
pub fn verdict(conn: &Connection, run: RunId, output: OutputId) -> Result<Option<(Verdict, u32, u32)>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT verdict, passed, total FROM run_items WHERE run_id = ?1 AND output_id = ?2 AND state = 'done'",
        )?
        .query_row(params![run.0, output.0], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(found.and_then(|(name, passed, total)| Some((Verdict::from_name(&name)?, passed, total))))
}

/// Figures kept from an earlier computation under that key.
pub fn kept(conn: &Connection, key: &str) -> Result<Option<Vec<u8>>, Failure> {
    Ok(conn.prepare_cached("SELECT json FROM figures WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()?)
}

/// Keeps figures under a key, in the place of older ones of the same choice.
pub fn keep(conn: &Connection, key: &str, choice: &str, json: &[u8], now: i64) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM figures WHERE choice = ?1")?.execute([choice])?;
    conn.prepare_cached("INSERT INTO figures (key, choice, json, computed_at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, choice, json, now])?;
    // Choices that nobody comes back to do not pile up.
    conn.prepare_cached(
        "DELETE FROM figures WHERE key IN (SELECT key FROM figures ORDER BY computed_at DESC LIMIT -1 OFFSET 200)",
    )?
    .execute([])?;
    Ok(())
}

/// A row of `counted`, for comparing.
pub type CountedRow = (i64, i64, i64, i64, String);

/// `counted` as it is kept.
pub fn counted(conn: &Connection) -> Result<Vec<CountedRow>, Failure> {
    rows(conn, "SELECT study_id, output_id, rating_id, user_id, scores FROM counted ORDER BY 1, 2, 3")
}

/// What `counted` should be, from the ratings themselves.
pub fn recount(conn: &Connection) -> Result<Vec<CountedRow>, Failure> {
    rows(
        conn,
        "SELECT a.study_id, a.output_id, r.id, r.user_id,
            (SELECT group_concat(score, '') FROM
                (SELECT score FROM rating_scores WHERE rating_id = r.id ORDER BY dimension))
         FROM ratings r JOIN assignments a ON a.id = r.assignment_id WHERE r.superseded_at IS NULL ORDER BY 1, 2, 3",
    )
}

fn rows(conn: &Connection, query: &str) -> Result<Vec<CountedRow>, Failure> {
    let mut statement = conn.prepare(query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
