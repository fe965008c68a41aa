//! Imported ratings: finding their outputs, and creating a closed study for people's ratings. A judge
//! model's scores are in `judge_scores`.

use std::collections::HashMap;

use model::{
    ids::{DatasetVersionId, OutputId, StudyId, SubmissionId, UserId},
    lang::Lang,
    rubric::Rubric,
    study::StudySettings,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    plan, staging,
    stored::{json, table},
    studies,
};
use base::{clock, error::Failure};

/// A well-formed hash for which nobody knows a password.
pub const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aW1wb3J0ZWRyYXRlcg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A dataset's newest version, and its rubric.
pub struct Target {
    pub version: DatasetVersionId,
    /// Its rubric's row.
    pub rubric_id: i64,
    pub rubric: Rubric,
}

/// The dataset into which ratings are imported.
pub fn target(conn: &Connection, dataset: &str) -> Result<Option<Target>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT v.id AS version_id, r.id AS rubric_id, r.json
             FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
             JOIN rubrics r ON r.id = coalesce(d.rubric_id, v.rubric_id)
             WHERE d.slug = ?1 ORDER BY v.number DESC LIMIT 1",
        )?
        .query_row([dataset], |row| {
            Ok(Target {
                version: DatasetVersionId(row.get("version_id")?),
                rubric_id: row.get("rubric_id")?,
                rubric: json(row, table("rubrics", &["rubric_id"]), "json")?,
            })
        })
        .optional()?)
}

/// One model's newest submission for a dataset.
pub struct Newest {
    /// The model's name.
    pub model: String,
    pub submission: i64,
    /// Its outputs, by the task's external id and the sample.
    pub outputs: HashMap<(String, u32), OutputId>,
}

/// Every model's newest submission, by the model's name in lower case.
pub fn newest(conn: &Connection, dataset: &str) -> Result<HashMap<String, Newest>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.name, max(s.id) AS newest FROM submissions s JOIN models m ON m.id = s.model_id
         JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
         WHERE d.slug = ?1 AND s.archived_at IS NULL GROUP BY m.id",
    )?;
    let all: Vec<(String, i64)> =
        statement.query_map([dataset], |row| Ok((row.get("name")?, row.get("newest")?)))?.collect::<Result<_, _>>()?;
    let mut outputs = conn.prepare_cached(
        "SELECT t.external_id, o.sample, o.id FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
         JOIN tasks t ON t.id = r.task_id WHERE o.submission_id = ?1",
    )?;
    let each = all.into_iter().map(|(model, submission)| {
        let rows = outputs.query_map([submission], |row| {
            Ok(((row.get("external_id")?, row.get("sample")?), OutputId(row.get("id")?)))
        })?;
        let outputs = rows.collect::<Result<_, _>>()?;
        Ok((model.to_lowercase(), Newest { model, submission, outputs }))
    });
    each.collect()
}

/// One rating to be stored.
pub struct Given {
    pub output: OutputId,
    /// The rater's index in [`Study::raters`].
    pub rater: usize,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// The comment.
    pub comment: String,
    /// The time, if the file has it.
    pub at: Option<Timestamp>,
}

/// A study for imported ratings.
pub struct Study<'a> {
    pub title: &'a str,
    /// The dataset's version and rubric.
    pub target: &'a Target,
    /// The rated submissions, in order.
    pub submissions: &'a [i64],
    /// The raters' names in the file.
    pub raters: &'a [String],
    /// The largest number of ratings of one output.
    pub raters_per_output: u32,
    /// The person who imports it.
    pub by: Option<i64>,
}

/// Creates the study without its ratings, hidden until [`staging::publish`] closes it. Its raters are
/// accounts that nobody can log in to; their ids are returned in order.
pub fn begin(conn: &Connection, study: &Study<'_>) -> Result<(StudyId, Vec<i64>), Failure> {
    let now = clock::now().0;
    let settings = StudySettings { raters_per_output: study.raters_per_output, ..StudySettings::default() };
    let submissions = study.submissions.iter().copied().map(SubmissionId).collect();
    let plan = studies::Plan {
        title: study.title.to_owned(),
        version: study.target.version,
        rubric_id: study.target.rubric_id,
        input: plan::Input { settings, seed: rand::random(), submissions },
        raters: Vec::new(),
        places: Vec::new(),
    };
    let id = studies::begin(conn, &plan, study.by.map(UserId))?;
    let mut users = Vec::new();
    for rater in study.raters {
        let user = account(conn, rater, id, now)?;
        conn.prepare_cached(
            "INSERT INTO study_raters (study_id, user_id, added_at, removed_at) VALUES (?1, ?2, ?3, ?3)",
        )?
        .execute(params![id.0, user, now])?;
        users.push(user);
    }
    Ok((id, users))
}

/// Adds ratings to a study that is being imported. `users` are the raters' accounts; `slots` counts the
/// ratings of each output across calls.
pub fn add(
    conn: &Connection,
    StudyId(id): StudyId,
    users: &[i64],
    slots: &mut HashMap<OutputId, u32>,
    ratings: &[Given],
) -> Result<(), Failure> {
    staging::renew(conn, staging::Import::Study(id))?;
    let now = clock::now().0;
    for one in ratings {
        let slot = slots.entry(one.output).or_default();
        let at = one.at.map_or(now, |at| at.0);
        let user = users.get(one.rater).copied();
        let assignment: i64 = conn
            .prepare_cached(
                "INSERT INTO assignments (study_id, output_id, slot, user_id, rated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
            )?
            .query_row(params![id, one.output.0, *slot, user, at], |row| row.get(0))?;
        *slot += 1;
        let rating: i64 = conn
            .prepare_cached(
                "INSERT INTO ratings (assignment_id, user_id, key, comment, at) VALUES (?1, ?2, 'imported', ?3, ?4)
                 RETURNING id",
            )?
            .query_row(params![assignment, user, one.comment, at], |row| row.get(0))?;
        for (dimension, score) in one.scores.iter().enumerate() {
            conn.prepare_cached("INSERT INTO rating_scores (rating_id, dimension, score) VALUES (?1, ?2, ?3)")?
                .execute(params![rating, dimension, score])?;
        }
    }
    Ok(())
}

/// An account for an imported rater: deactivated, without a password, named after the study so that it
/// matches no real account.
fn account(conn: &Connection, rater: &str, study: StudyId, now: i64) -> Result<i64, Failure> {
    let mut name = format!("{rater} (imported, study {study})");
    for more in 2.. {
        let id = conn
            .prepare_cached(
                "INSERT INTO users (name, role, password_hash, lang, disabled, created_at)
                 VALUES (?1, 'rater', ?2, ?3, 1, ?4) ON CONFLICT DO NOTHING RETURNING id",
            )?
            .query_row(params![name, NO_PASSWORD, Lang::En.code(), now], |row| row.get(0))
            .optional()?;
        if let Some(id) = id {
            return Ok(id);
        }
        // Names that differ in the file may be equal in the database, which ignores case.
        name = format!("{rater} (imported, study {study}, {more})");
    }
    Err(Failure::internal("no free name is left"))
}
