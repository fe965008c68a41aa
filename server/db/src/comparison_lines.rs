//! Ratings, verdicts and outputs line by line, for exports: one statement per study, run or submission, so that a
//! million lines need no more memory than one.

use std::collections::{BTreeSet, HashMap};

use model::{
    ids::{OutputId, StudyId, UserId},
    time::Timestamp,
};
use rand::seq::SliceRandom;
use rusqlite::{Connection, params};

use super::stored::{optional_json, optional_raw_json, table};
use base::error::Failure;
use comparison::{
    input::{ComparisonInput, InputStudy},
    line::{OutputLine, RatingLine, VerdictLine},
};

/// Gives all present and former raters of these studies without a pseudonym one: a random number, which
/// reveals neither the order of accounts nor that of joining.
pub fn name_raters(conn: &Connection, studies: &[StudyId]) -> Result<(), Failure> {
    for study in studies {
        let mut missing = conn
            .prepare_cached(
                "SELECT m.user_id FROM study_raters m WHERE m.study_id = ?1 AND NOT EXISTS (
                     SELECT 1 FROM pseudonyms p WHERE p.study_id = ?1 AND p.user_id = m.user_id)",
            )?
            .query_map([study.0], |row| row.get::<_, i64>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        missing.shuffle(&mut rand::rng());
        let taken: i64 = conn
            .prepare_cached("SELECT count(*) FROM pseudonyms WHERE study_id = ?1")?
            .query_row([study.0], |row| row.get(0))?;
        for (user, number) in missing.into_iter().zip(taken + 1..) {
            conn.prepare_cached("INSERT INTO pseudonyms (study_id, user_id, name) VALUES (?1, ?2, ?3)")?
                .execute(params![study.0, user, format!("R{number}")])?;
        }
    }
    Ok(())
}

/// Whether all present and former raters of these studies have a pseudonym: a few rows, however many
/// ratings.
pub fn all_named(conn: &Connection, studies: &[StudyId]) -> Result<bool, Failure> {
    for study in studies {
        let missing = conn
            .prepare_cached(
                "SELECT 1 FROM study_raters m WHERE m.study_id = ?1 AND NOT EXISTS (
                     SELECT 1 FROM pseudonyms p WHERE p.study_id = ?1 AND p.user_id = m.user_id) LIMIT 1",
            )?
            .exists([study.0])?;
        if missing {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pseudonyms of one study's raters.
fn of_study(conn: &Connection, study: StudyId) -> Result<HashMap<UserId, String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT user_id, name FROM pseudonyms WHERE study_id = ?1")?;
    let rows = statement.query_map([study.0], |row| Ok((UserId(row.get("user_id")?), row.get("name")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The name of a rater whose first rating came after the pseudonyms were drawn; the next export has a pseudonym.
const NOT_YET_NAMED: &str = "R?";

/// Puts pseudonyms in place of the names of a comparison's raters. A rater of several of its studies has a pseudonym in each,
/// listed with the studies' numbers: `3:R2 5:R1`.
pub fn hide_names(conn: &Connection, studies: &[InputStudy], raters: &mut [(UserId, String)]) -> Result<(), Failure> {
    let mut pseudonyms: HashMap<UserId, Vec<String>> = HashMap::new();
    for study in studies {
        for (user, name) in of_study(conn, study.id)? {
            let name = if studies.len() == 1 { name } else { format!("{}:{name}", study.id) };
            pseudonyms.entry(user).or_default().push(name);
        }
    }
    for (user, name) in raters {
        *name = pseudonyms.get(user).map_or_else(|| NOT_YET_NAMED.to_owned(), |names| names.join(" "));
    }
    Ok(())
}

/// Calls `each` for every rating of the selection, by study and output, the oldest of an output first.
/// `head` lists the selection's models and tasks. Returns the number of ratings.
pub fn each_rating(
    conn: &Connection,
    head: &ComparisonInput,
    mut each: impl FnMut(&RatingLine<'_>) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let mut count = 0;
    for study in &head.studies {
        let outputs = super::comparison_input::places(conn, head, study.id)?;
        let names = of_study(conn, study.id)?;
        let mut statement = conn.prepare_cached(
            "SELECT a.output_id, r.id, r.user_id,
                (SELECT group_concat(score, '') FROM
                    (SELECT score FROM rating_scores WHERE rating_id = r.id ORDER BY dimension)) AS scores,
                (SELECT group_concat(turn || ':' || answer, ' ') FROM
                    (SELECT turn, answer FROM instruction_answers WHERE rating_id = r.id ORDER BY turn)) AS instructions,
                r.comment, r.flag, r.shown_at, r.at, r.replaced_at,
                CASE WHEN EXISTS (SELECT 1 FROM rating_notes n WHERE n.rating_id = r.id) THEN
                    (SELECT json_group_array(json_object('line', n.line, 'column', n.\"column\", 'text', n.text))
                     FROM rating_notes n WHERE n.rating_id = r.id) END AS notes
             FROM assignments a JOIN ratings r ON r.assignment_id = a.id
             WHERE a.study_id = ?1 ORDER BY a.output_id, a.slot, r.id",
        )?;
        let mut rows = statement.query([study.id.0])?;
        while let Some(row) = rows.next()? {
            let user: i64 = row.get("user_id")?;
            let Some(place) = outputs.get(&row.get::<_, i64>("output_id")?) else { continue };
            if head.selection.raters.as_ref().is_some_and(|selected| !selected.iter().any(|id| id.0 == user)) {
                continue;
            }
            let (Some(task), Some((_, model))) =
                (head.tasks.get(place.task as usize), head.models.get(place.model as usize))
            else {
                continue;
            };
            let line = RatingLine {
                study: study.id,
                dataset_version: study.dataset_version,
                submission: place.submission,
                task_id: &task.task_id,
                nl_lang: task.nl_lang,
                model,
                sample: place.sample,
                rater: names.get(&UserId(user)).map_or(NOT_YET_NAMED, String::as_str),
                scores: row.get_ref("scores")?.as_str_or_null().map_err(Failure::internal)?.unwrap_or(""),
                instructions: row.get_ref("instructions")?.as_str_or_null().map_err(Failure::internal)?,
                comment: row.get_ref("comment")?.as_str().map_err(Failure::internal)?,
                flag: optional_raw_json(row, table("ratings", &["id"]), "flag")?,
                notes: optional_raw_json(row, table("ratings", &["id"]), "notes")?,
                shown_at: row.get::<_, Option<i64>>("shown_at")?.map(Timestamp),
                at: Timestamp(row.get("at")?),
                replaced_at: row.get::<_, Option<i64>>("replaced_at")?.map(Timestamp),
            };
            each(&line)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Calls `each` for every output of the selected runs, in the order of the run. Returns their number.
pub fn each_verdict(
    conn: &Connection,
    head: &ComparisonInput,
    mut each: impl FnMut(&VerdictLine<'_>) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let tasks: HashMap<i64, usize> = head.tasks.iter().enumerate().map(|(at, task)| (task.revision.0, at)).collect();
    let mut count = 0;
    for run in &head.runs {
        let (Some(id), Some((_, model))) = (run.id, head.models.get(run.model as usize)) else { continue };
        let mut statement = conn.prepare_cached(
            "SELECT i.id, o.revision_id, o.sample, i.verdict, i.passed, i.total, i.outcome, i.cached, i.finished_at, i.published,
                    p.passed AS theirs, p.detail
             FROM run_items i JOIN outputs o ON o.id = i.output_id
             LEFT JOIN reported p ON p.output_id = i.output_id WHERE i.run_id = ?1 ORDER BY i.output_id",
        )?;
        let mut rows = statement.query([id.0])?;
        while let Some(row) = rows.next()? {
            let Some(task) = tasks.get(&row.get("revision_id")?).and_then(|at| head.tasks.get(*at)) else { continue };
            each(&VerdictLine {
                run: id,
                dataset_version: run.dataset_version,
                submission: run.submission,
                task_id: &task.task_id,
                nl_lang: task.nl_lang,
                model,
                sample: row.get("sample")?,
                verdict: row.get_ref("verdict")?.as_str_or_null().map_err(Failure::internal)?,
                passed: row.get("passed")?,
                total: row.get("total")?,
                spent: optional_json(row, table("run_items", &["id"]), "outcome")?,
                cached: row.get("cached")?,
                published: row.get_ref("published")?.as_str_or_null().map_err(Failure::internal)?,
                theirs: row.get("theirs")?,
                their_words: row.get_ref("detail")?.as_str_or_null().map_err(Failure::internal)?,
                finished_at: row.get::<_, Option<i64>>("finished_at")?.map(Timestamp),
            })?;
            count += 1;
        }
    }
    Ok(count)
}

/// The submissions of the selection's studies and runs, by model.
fn submissions(conn: &Connection, head: &ComparisonInput) -> Result<BTreeSet<(usize, i64)>, Failure> {
    let runs = head.runs.iter().filter_map(|run| Some((run.model as usize, run.submission?)));
    let mut found: BTreeSet<(usize, i64)> = runs.collect();
    for study in &head.studies {
        let mut statement = conn.prepare_cached(
            "SELECT s.id, s.model_id FROM study_submissions ss JOIN submissions s ON s.id = ss.submission_id
             WHERE ss.study_id = ?1",
        )?;
        let mut rows = statement.query([study.id.0])?;
        while let Some(row) = rows.next()? {
            let model: i64 = row.get("model_id")?;
            if let Some(at) = head.models.iter().position(|(id, _)| id.0 == model) {
                found.insert((at, row.get("id")?));
            }
        }
    }
    Ok(found)
}

/// Calls `each` for every output of the selection's submissions, in the order of the models and of each file. Returns
/// their number.
pub fn each_output(
    conn: &Connection,
    head: &ComparisonInput,
    mut each: impl FnMut(&OutputLine<'_>) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let tasks: HashMap<i64, usize> = head.tasks.iter().enumerate().map(|(at, task)| (task.revision.0, at)).collect();
    let mut count = 0;
    for (model, submission) in submissions(conn, head)? {
        let Some((_, model)) = head.models.get(model) else { continue };
        let run = head.runs.iter().find(|run| run.submission == Some(submission)).and_then(|run| run.id);
        let dataset_version = conn
            .prepare_cached(
                "SELECT v.number FROM submissions s JOIN dataset_versions v ON v.id = s.version_id WHERE s.id = ?1",
            )?
            .query_row([submission], |row| row.get("number"))?;
        let mut statement = conn.prepare_cached(
            "SELECT o.id, o.revision_id, o.sample, o.turn, o.visible_code AS code, i.verdict, i.passed, i.total, i.published
             FROM outputs o LEFT JOIN run_items i ON i.output_id = o.id AND i.run_id = ?2
             WHERE o.submission_id = ?1 ORDER BY o.id",
        )?;
        let mut rows = statement.query(params![submission, run.map(|run| run.0)])?;
        while let Some(row) = rows.next()? {
            let Some(task) = tasks.get(&row.get("revision_id")?).and_then(|at| head.tasks.get(*at)) else { continue };
            let verdict = row.get_ref("verdict")?.as_str_or_null().map_err(Failure::internal)?;
            let counts = |column| -> Result<Option<u32>, Failure> {
                Ok(row.get::<_, Option<u32>>(column)?.filter(|_| verdict.is_some()))
            };
            each(&OutputLine {
                output: OutputId(row.get("id")?),
                dataset_version,
                submission,
                task,
                model,
                sample: row.get("sample")?,
                turn: row.get("turn")?,
                code: row.get_ref("code")?.as_str().map_err(Failure::internal)?,
                run,
                verdict,
                passed: counts("passed")?,
                total: counts("total")?,
                published: row.get_ref("published")?.as_str_or_null().map_err(Failure::internal)?,
            })?;
            count += 1;
        }
    }
    Ok(count)
}
