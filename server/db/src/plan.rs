//! The plan of a study: its input, its assignments, and its changes.

use std::collections::HashMap;

use model::{
    ids::{ModelId, OutputId, StudyId, SubmissionId, TaskRevisionId, UserId},
    lang::Lang,
    plan::{PlanEvent, Presentation, RatedAnswers, RaterPlan, Reads},
    study::StudySettings,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{
    quality::known_items,
    stored::{REVISIONS, Table, json, optional_parsed, parsed, table},
};
use base::{clock, error::Failure};
use plan::change::Move;
pub use plan::rows::{Gradable, Member, Planned, Row};

/// For queries with the study's number as `id`.
pub const STUDY_ROWS: Table = table("all_studies", &["id"]);

/// Data of a plan event in addition to the person it concerns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Moved {
    /// Number of planned ratings that it created or moved.
    pub ratings: u64,
    /// The person who had them, if there was only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<UserId>,
}

/// Records an event in the transaction that changes the plan.
pub fn note(conn: &Connection, study: StudyId, kind: &str, who: Option<UserId>, moved: &Moved) -> Result<(), Failure> {
    conn.prepare_cached("INSERT INTO plan_events (study_id, at, kind, user_id, detail) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![study.0, clock::now().0, kind, who.map(|id| id.0), serde_json::to_string(moved)?])?;
    Ok(())
}

/// The plan's events, newest first; reassignments of single outputs are only counted.
pub fn events(conn: &Connection, study: StudyId) -> Result<(Vec<PlanEvent>, u64), Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT e.id, e.at, e.kind, u.name, e.detail FROM plan_events e LEFT JOIN users u ON u.id = e.user_id
         WHERE e.study_id = ?1 AND e.kind <> 'taken_over' ORDER BY e.id DESC",
    )?;
    let rows = statement.query_map([study.0], |row| {
        let moved: Moved = json(row, table("plan_events", &["id"]), "detail")?;
        Ok(PlanEvent {
            at: Timestamp(row.get("at")?),
            kind: row.get("kind")?,
            who: row.get("name")?,
            ratings: moved.ratings,
        })
    })?;
    let events = rows.collect::<Result<_, _>>()?;
    let taken_over = conn.query_row(
        "SELECT count(*) FROM plan_events WHERE study_id = ?1 AND kind = 'taken_over'",
        [study.0],
        |row| row.get(0),
    )?;
    Ok((events, taken_over))
}

/// This rater's part of the study, rated or not, as shares by hand count it: outputs, or tasks in
/// side-by-side studies.
pub fn units(conn: &Connection, study: StudyId, rater: UserId, presentation: Presentation) -> Result<u64, Failure> {
    let sql = match presentation {
        Presentation::One => "SELECT rated + open FROM study_raters WHERE study_id = ?1 AND user_id = ?2",
        Presentation::SideBySide => {
            "SELECT count(DISTINCT o.revision_id) FROM assignments a CROSS JOIN outputs o ON o.id = a.output_id
             WHERE a.study_id = ?1 AND a.user_id = ?2"
        }
    };
    Ok(conn.prepare_cached(sql)?.query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// What a plan is drawn from, without its raters.
#[derive(Clone, Debug)]
pub struct Input {
    pub settings: StudySettings,
    pub seed: u64,
    /// In display order of the models.
    pub submissions: Vec<SubmissionId>,
}

/// What a study's plan is drawn from; `None` without such a study.
pub fn input(conn: &Connection, study: StudyId) -> Result<Option<Input>, Failure> {
    let found = conn
        .prepare_cached("SELECT id, settings, seed FROM studies WHERE id = ?1")?
        .query_row([study.0], |row| Ok((json(row, STUDY_ROWS, "settings")?, parsed(row, STUDY_ROWS, "seed")?)))
        .optional()?;
    let Some((settings, seed)) = found else { return Ok(None) };
    let mut statement =
        conn.prepare_cached("SELECT submission_id FROM study_submissions WHERE study_id = ?1 ORDER BY position")?;
    let submissions = statement.query_map([study.0], |row| Ok(SubmissionId(row.get(0)?)))?;
    Ok(Some(Input { settings, seed, submissions: submissions.collect::<Result<_, _>>()? }))
}

/// A study's settings.
pub fn settings(conn: &Connection, study: StudyId) -> Result<StudySettings, Failure> {
    let found = conn
        .prepare_cached("SELECT id, settings FROM all_studies WHERE id = ?1")?
        .query_row([study.0], |row| json(row, STUDY_ROWS, "settings"))
        .optional()?;
    found.ok_or_else(|| Failure::not_found("study"))
}

/// Stores a study's settings. They are to be read in the same transaction, so that no other change is lost.
pub fn save_settings(conn: &Connection, study: StudyId, settings: &StudySettings) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE all_studies SET settings = ?2 WHERE id = ?1")?
        .execute(params![study.0, serde_json::to_string(settings)?])?;
    Ok(())
}

/// Adds the submissions that the study does not have.
pub fn add_submissions(conn: &Connection, study: StudyId, submissions: &[SubmissionId]) -> Result<(), Failure> {
    for (position, submission) in submissions.iter().enumerate() {
        conn.prepare_cached(
            "INSERT INTO study_submissions (study_id, position, submission_id) VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![study.0, position, submission.0])?;
    }
    Ok(())
}

/// Whether an output `o` of a submission `s` is an answer that a study rates; `?2` for each answer.
const RATED_ANSWER: &str = "(?2 OR o.turn IS NULL OR s.way = 'base'
             OR (s.way IN ('n', 'dynamic') AND NOT EXISTS (
                 SELECT 1 FROM outputs later WHERE later.submission_id = o.submission_id
                 AND later.revision_id = o.revision_id AND later.conversation = o.conversation AND later.turn > o.turn))
             OR (s.way IN ('single', 'multi') AND o.turn > 0))";

/// Number of tasks that the study's submissions have outputs to rate for.
pub fn gradable_tasks(conn: &Connection, study: StudyId, answers: RatedAnswers) -> Result<u64, Failure> {
    let each = answers == RatedAnswers::Each;
    Ok(conn
        .prepare_cached(&format!(
            "SELECT count(*) FROM studies y
             CROSS JOIN dataset_version_tasks vt ON vt.version_id = y.version_id
             CROSS JOIN task_revisions t ON t.id = vt.revision_id
             WHERE y.id = ?1
               AND (t.human OR NOT EXISTS (
                   SELECT 1 FROM dataset_version_tasks vx JOIN task_revisions x ON x.id = vx.revision_id
                   WHERE vx.version_id = y.version_id AND x.human))
               AND EXISTS (SELECT 1 FROM study_submissions ss CROSS JOIN submissions s ON s.id = ss.submission_id
                           CROSS JOIN outputs o ON o.submission_id = s.id AND o.revision_id = t.id
                           WHERE ss.study_id = y.id AND {RATED_ANSWER})"
        ))?
        .query_row(params![study.0, each], |row| row.get(0))?)
}

/// The outputs of a submission for human grading: those of tasks checked by people, or all if the dataset
/// has no such task. The last answer of a conversation is that of the last turn or, where each conversation has one
/// instruction only, every one that follows the base prompt.
pub fn gradable(conn: &Connection, id: SubmissionId, answers: RatedAnswers) -> Result<Vec<Gradable>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT o.id, o.revision_id, s.model_id, t.nl_lang FROM outputs o
         JOIN submissions s ON s.id = o.submission_id
         JOIN task_revisions t ON t.id = o.revision_id
         WHERE o.submission_id = ?1 AND (t.human OR NOT EXISTS (
             SELECT 1 FROM dataset_version_tasks vt JOIN task_revisions x ON x.id = vt.revision_id
             WHERE vt.version_id = s.version_id AND x.human))
         AND {RATED_ANSWER} ORDER BY +o.id"
    ))?;
    let rows = statement.query_map(params![id.0, answers == RatedAnswers::Each], |row| {
        Ok(Gradable {
            output: OutputId(row.get("id")?),
            task: TaskRevisionId(row.get("revision_id")?),
            model: ModelId(row.get("model_id")?),
            nl_lang: parsed(row, REVISIONS, "nl_lang")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether an output could be one that the study rates, if its submission were in it: of a conversation, the right answer, in a
/// conversation like those of the study.
pub fn could_rate(conn: &Connection, study: StudyId, output: OutputId, answers: RatedAnswers) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT 1 FROM outputs o JOIN submissions s ON s.id = o.submission_id
             WHERE o.id = ?1 AND {RATED_ANSWER}
               AND (o.turn IS NULL OR EXISTS (
                   SELECT 1 FROM study_submissions ss JOIN submissions own ON own.id = ss.submission_id
                   WHERE ss.study_id = ?3 AND own.way = s.way))"
        ))?
        .exists(params![output.0, answers == RatedAnswers::Each, study.0])?)
}

/// Every planned rating, unassigned ones first, then in the order of each rater's plan.
pub fn rows(conn: &Connection, study: StudyId) -> Result<Vec<Row>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, s.model_id, t.nl_lang, a.user_id, a.leased_until IS NOT NULL AS begun,
                a.rated_at IS NOT NULL AS rated, a.slot, a.place
         FROM assignments a
         JOIN outputs o ON o.id = a.output_id
         JOIN submissions s ON s.id = o.submission_id
         JOIN task_revisions t ON t.id = o.revision_id
         WHERE a.study_id = ?1 ORDER BY a.user_id, a.place, a.id",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(Row {
            assignment: Some(row.get("id")?),
            of: Gradable {
                output: OutputId(row.get("output_id")?),
                task: TaskRevisionId(row.get("revision_id")?),
                model: ModelId(row.get("model_id")?),
                nl_lang: parsed(row, REVISIONS, "nl_lang")?,
            },
            rater: row.get::<_, Option<i64>>("user_id")?.map(UserId),
            place: row.get("place")?,
            begun: row.get("begun")?,
            rated: row.get("rated")?,
            slot: row.get("slot")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores planned ratings.
pub fn insert<'a>(
    conn: &Connection,
    study: StudyId,
    places: impl IntoIterator<Item = &'a Planned>,
) -> Result<(), Failure> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO assignments (study_id, output_id, slot, user_id, place) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for planned in places {
        let rater = planned.rater.map(|id| id.0);
        insert.execute(params![study.0, planned.output.0, planned.slot, rater, planned.place])?;
    }
    Ok(())
}

/// Stores a new planned rating of a study that raters work on: for nobody, if its rater has taken the output over
/// meanwhile, or had it as a calibration item or hidden check.
pub fn add(conn: &Connection, study: StudyId, planned: &Planned) -> Result<(), Failure> {
    let knows = match planned.rater {
        Some(rater) => knows(conn, study, rater, planned.output)?,
        None => false,
    };
    let planned = if knows { Planned { rater: None, place: None, ..*planned } } else { *planned };
    insert(conn, study, [&planned])
}

/// Whether the rater has the output as work, or had it as a calibration item or hidden check.
fn knows(conn: &Connection, study: StudyId, rater: UserId, output: OutputId) -> Result<bool, Failure> {
    let has = conn
        .prepare_cached("SELECT 1 FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .exists(params![study.0, output.0, rater.0])?;
    Ok(has || known_items::was_check(conn, study, rater, output)?)
}

/// Number of planned ratings of a draft that [`clear`] deletes at once.
const CLEARED: usize = 200;

/// Deletes some of a draft's planned ratings. Returns whether there are more.
pub fn clear(conn: &Connection, study: StudyId) -> Result<bool, Failure> {
    let deleted = conn
        .prepare_cached(
            "DELETE FROM assignments WHERE id IN (SELECT id FROM assignments WHERE study_id = ?1 LIMIT ?2)",
        )?
        .execute(params![study.0, CLEARED])?;
    Ok(deleted == CLEARED)
}

/// Number that rises when a planned rating gets another rater, an extra one is added, a rating is withdrawn, or a change
/// of the plan begins.
pub fn version(conn: &Connection, study: StudyId) -> Result<i64, Failure> {
    Ok(conn
        .prepare_cached("SELECT plan_version FROM all_studies WHERE id = ?1")?
        .query_row([study.0], |row| row.get("plan_version"))?)
}

/// Raises [`version`].
pub fn next_version(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE all_studies SET plan_version = plan_version + 1 WHERE id = ?1")?.execute([study.0])?;
    Ok(())
}

/// Assigns unrated planned ratings of one unit to another person (or nobody), not yet started.
///
/// Raters work while a change is stored, so it stays within what they did meanwhile: ratings that have been submitted
/// or taken over stay, and so does a whole unit that was started, if the change is about unstarted ones. Nobody gets an
/// output twice, nor more than their manual share of units that others could do.
pub fn give(conn: &Connection, study: StudyId, presentation: Presentation, of: &Move) -> Result<(), Failure> {
    let (from, to) = (of.from.map(|id| id.0), of.to.map(|id| id.0));
    let mut left = Vec::with_capacity(of.assignments.len());
    for assignment in &of.assignments {
        let (output, is_theirs, is_started): (i64, bool, bool) = conn
            .prepare_cached(
                // A skipped output is started, too: it comes again, as a hidden check does that was skipped.
                "SELECT a.output_id, a.user_id IS ?2 AND a.rated_at IS NULL AS theirs,
                    a.leased_until IS NOT NULL OR EXISTS (
                        SELECT 1 FROM handouts h
                        WHERE h.study_id = a.study_id AND h.output_id = a.output_id AND h.user_id = a.user_id) AS started
                 FROM assignments a WHERE a.id = ?1",
            )?
            .query_row(params![assignment, from], |row| {
                Ok((row.get("output_id")?, row.get("theirs")?, row.get("started")?))
            })?;
        if of.unless_started && (is_started || !is_theirs) {
            return Ok(());
        }
        if is_theirs {
            left.push((*assignment, output));
        }
    }
    let has_room = match of.to {
        Some(rater) if of.unless_started => has_room(conn, study, rater, presentation)?,
        _ => true,
    };
    for (assignment, output) in left {
        let is_new = match of.to {
            Some(rater) => !knows(conn, study, rater, OutputId(output))?,
            None => true,
        };
        let (to, place) = match (is_new && has_room, of.unless_started) {
            (true, _) => (to, of.place),
            (false, true) => continue,
            (false, false) => (None, None),
        };
        conn.prepare_cached(
            "UPDATE assignments SET user_id = ?2, place = ?3, leased_until = NULL, shown_at = NULL WHERE id = ?1",
        )?
        .execute(params![assignment, to, place])?;
    }
    Ok(())
}

/// Whether the rater's manual share, if any, has room for another unit.
fn has_room(conn: &Connection, study: StudyId, rater: UserId, presentation: Presentation) -> Result<bool, Failure> {
    let share: Option<u64> = conn
        .prepare_cached("SELECT share FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get("share"))?;
    Ok(match share {
        Some(share) => units(conn, study, rater, presentation)? < share,
        None => true,
    })
}

/// A study's raters, by id.
pub fn raters(conn: &Connection, study: StudyId) -> Result<Vec<Member>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT study_id, user_id, reads, share FROM study_raters WHERE study_id = ?1 AND removed_at IS NULL ORDER BY user_id",
    )?;
    let rows = statement.query_map([study.0], |row| {
        let reads = parsed(row, table("study_raters", &["study_id", "user_id"]), "reads")?;
        Ok((UserId(row.get("user_id")?), reads, row.get::<_, Option<u32>>("share")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a rater to a study, or adds them again.
pub fn join(conn: &Connection, study: StudyId, rater: UserId, reads: Reads, share: Option<u32>) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO study_raters (study_id, user_id, added_at, reads, share) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET removed_at = NULL, added_at = excluded.added_at, reads = excluded.reads,
             share = excluded.share",
    )?
    .execute(params![study.0, rater.0, clock::now().0, reads.code(), share])?;
    Ok(())
}

/// Records that a rater left.
pub fn leave(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.execute(
        "UPDATE study_raters SET removed_at = ?3 WHERE study_id = ?1 AND user_id = ?2",
        params![study.0, rater.0, clock::now().0],
    )?;
    Ok(())
}

/// Removes a rater from a draft.
pub fn remove(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.execute("DELETE FROM study_raters WHERE study_id = ?1 AND user_id = ?2", params![study.0, rater.0])?;
    Ok(())
}

/// Sets a rater's manual share.
pub fn set_share(conn: &Connection, study: StudyId, rater: UserId, share: u32) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE study_raters SET share = ?3 WHERE study_id = ?1 AND user_id = ?2")?
        .execute(params![study.0, rater.0, share])?;
    Ok(())
}

/// The languages that a person reads; both by default.
pub fn reads(conn: &Connection, user: UserId) -> Result<Reads, Failure> {
    let known = conn
        .prepare_cached("SELECT id, reads FROM users WHERE id = ?1")?
        .query_row([user.0], |row| optional_parsed(row, table("users", &["id"]), "reads"))?;
    Ok(known.unwrap_or_default())
}

/// Stores the languages that a person reads. Returns whether the account exists.
pub fn set_reads(conn: &Connection, user: UserId, reads: Reads) -> Result<bool, Failure> {
    Ok(conn.execute("UPDATE users SET reads = ?2 WHERE id = ?1", params![user.0, reads.code()])? > 0)
}

/// Each rater's part, by name; models in the given order.
pub fn shares(conn: &Connection, study: StudyId, models: &[ModelId]) -> Result<Vec<RaterPlan>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.study_id, u.id, u.name, m.reads, m.share, m.removed_at, m.rated, m.open
         FROM study_raters m JOIN users u ON u.id = m.user_id WHERE m.study_id = ?1 ORDER BY u.name",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(RaterPlan {
            id: UserId(row.get("id")?),
            name: row.get("name")?,
            reads: parsed(row, table("study_raters", &["study_id", "id"]), "reads")?,
            share: row.get("share")?,
            removed_at: row.get::<_, Option<i64>>("removed_at")?.map(Timestamp),
            rated: row.get("rated")?,
            open: row.get("open")?,
            models: vec![0; models.len()],
            langs: [0; 2],
        })
    })?;
    let mut plans = rows.collect::<Result<Vec<_>, _>>()?;
    let at: HashMap<i64, usize> = plans.iter().enumerate().map(|(at, plan)| (plan.id.0, at)).collect();
    let mut statement = conn.prepare_cached(
        // Looks up each output once, not for each of its ratings.
        "SELECT a.user_id, s.model_id, t.nl_lang, max(t.id) AS revision_id, count(*) AS planned FROM study_submissions ss
         CROSS JOIN submissions s ON s.id = ss.submission_id
         CROSS JOIN outputs o ON o.submission_id = s.id
         CROSS JOIN task_revisions t ON t.id = o.revision_id
         CROSS JOIN assignments a ON a.study_id = ss.study_id AND a.output_id = o.id
         WHERE ss.study_id = ?1 AND a.user_id IS NOT NULL GROUP BY 1, 2, 3",
    )?;
    let mut rows = statement.query([study.0])?;
    while let Some(row) = rows.next()? {
        let (user, model, lang, count): (i64, i64, Lang, u64) =
            (row.get("user_id")?, row.get("model_id")?, parsed(row, REVISIONS, "nl_lang")?, row.get("planned")?);
        let Some(plan) = at.get(&user).and_then(|at| plans.get_mut(*at)) else { continue };
        plan.langs[usize::from(lang == Lang::Zh)] += count;
        if let Some(of) = models.iter().position(|id| id.0 == model).and_then(|at| plan.models.get_mut(at)) {
            *of += count;
        }
    }
    Ok(plans)
}

/// Totals of a study.
pub struct Size {
    pub tasks: u64,
    pub outputs: u64,
    /// Planned ratings, and extra ones.
    pub wanted: u64,
    /// Submitted ratings.
    pub done: u64,
    /// Planned ratings without a rater.
    pub waiting: u64,
}

/// Totals of a study.
pub fn size(conn: &Connection, study: StudyId) -> Result<Size, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT (SELECT count(*) FROM studies s
                     CROSS JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
                     WHERE s.id = ?1 AND EXISTS (
                         SELECT 1 FROM outputs o CROSS JOIN assignments x ON x.study_id = ?1 AND x.output_id = o.id
                         WHERE o.revision_id = vt.revision_id)) AS task_count,
                 (SELECT count(DISTINCT x.output_id) FROM assignments x WHERE x.study_id = ?1) AS output_count,
                 (SELECT coalesce(sum(c.wanted), 0) FROM study_counts c WHERE c.study_id = ?1) AS planned,
                 (SELECT coalesce(sum(c.done), 0) FROM study_counts c WHERE c.study_id = ?1) AS rated,
                 (SELECT count(*) FROM assignments a WHERE a.study_id = ?1 AND a.user_id IS NULL) AS waiting",
        )?
        .query_row([study.0], |row| {
            Ok(Size {
                tasks: row.get("task_count")?,
                outputs: row.get("output_count")?,
                wanted: row.get("planned")?,
                done: row.get("rated")?,
                waiting: row.get("waiting")?,
            })
        })?)
}

/// From how many ratings of a study, the newest, gaps are measured.
const MEASURED: u32 = 2000;
/// From how many studies.
const STUDIES: u32 = 10;

/// The times, in milliseconds, from one rating to the same rater's next one: of this study and of the newest others with
/// this rubric until there are `enough`, without those of more than a quarter of an hour. Each study's newest ratings
/// only, so that the cost does not grow with studies.
pub fn gaps(conn: &Connection, rubric: i64, study: Option<StudyId>, enough: usize) -> Result<Vec<i64>, Failure> {
    let mut studies = conn.prepare_cached(
        "SELECT id FROM studies WHERE rubric_id = ?1 ORDER BY id <> coalesce(?2, 0), id DESC LIMIT ?3",
    )?;
    let mut newest = conn.prepare_cached(
        "SELECT gap FROM (
             SELECT a.rated_at - lag(a.rated_at) OVER (PARTITION BY a.user_id ORDER BY a.rated_at) AS gap
             FROM (SELECT study_id, output_id, user_id FROM counted WHERE study_id = ?1
                   ORDER BY rating_id DESC LIMIT ?2) c
             CROSS JOIN assignments a
                 ON a.study_id = c.study_id AND a.output_id = c.output_id AND a.user_id = c.user_id)
         WHERE gap BETWEEN 1 AND 900000",
    )?;
    let mut gaps = Vec::new();
    for id in studies.query_map(params![rubric, study.map(|study| study.0), STUDIES], |row| row.get::<_, i64>("id"))? {
        if gaps.len() >= enough {
            break;
        }
        for gap in newest.query_map(params![id?, MEASURED], |row| row.get(0))? {
            gaps.push(gap?);
        }
    }
    Ok(gaps)
}

/// Submissions of the study's dataset version that are neither in it nor archived, with their models' names.
pub fn more(conn: &Connection, study: StudyId) -> Result<Vec<(SubmissionId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, m.name FROM studies x JOIN submissions s ON s.version_id = x.version_id
         JOIN models m ON m.id = s.model_id
         WHERE x.id = ?1 AND s.archived_at IS NULL AND s.id NOT IN (SELECT submission_id FROM study_submissions WHERE study_id = ?1)
         ORDER BY s.id DESC",
    )?;
    let rows = statement.query_map([study.0], |row| Ok((SubmissionId(row.get("id")?), row.get("name")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Active people who are not in the study.
pub fn others(conn: &Connection, study: StudyId) -> Result<Vec<(UserId, String, Reads)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name, coalesce(u.reads, 'en zh') AS reads FROM users u
         WHERE u.disabled = 0 AND u.id NOT IN (
             SELECT user_id FROM study_raters WHERE study_id = ?1 AND removed_at IS NULL) ORDER BY u.name",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok((UserId(row.get("id")?), row.get("name")?, parsed(row, table("users", &["id"]), "reads")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
