//! Disagreements: outputs whose raters differ beyond the study's threshold, extra assignments and adjudications.

use std::collections::BTreeMap;

use model::{
    flag::Flag,
    ids::{OutputId, StudyId, TaskId, Token, UserId},
    lang::Lang,
    page::{PageOf, Paged},
    quality::{Decision, DisagreementState},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    instruction_answers,
    page::{self, List, Sort},
    stored::{REVISIONS, json, numbered, optional_json, parsed, scores, table},
};
use base::{clock, error::Failure};
use plan::rows::FIRST_EXTRA;

/// Position before all planned ones, because an adjudication waits for the rating.
const SOON: i64 = -1;

/// An output with its current ratings.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The output.
    pub output: OutputId,
    /// Whether all needed ratings are submitted, extra ones included.
    pub complete: bool,
    /// Whether all planned ratings are submitted, without extra ones.
    pub planned_complete: bool,
    /// Number of extra ratings requested.
    pub extra: u64,
    /// Ratings: id, rater, scores.
    pub ratings: Vec<(i64, UserId, Vec<u8>)>,
    /// Turns of the instructions about which its raters answer differently.
    pub unequal: Vec<u32>,
    /// Whether there is a current adjudication.
    pub decided: bool,
}

/// An adjudication of an output.
pub struct Adjudication {
    pub by: UserId,
    /// Its scores are those of the study's rubric.
    pub decision: Decision,
    /// Answers about the output's instructions, in their order; empty if it has none.
    pub instructions: Vec<u8>,
}

impl Adjudication {
    /// With the answers about instructions after the scores, as adjudicators give them.
    pub fn whole(self) -> Decision {
        let mut decision = self.decision;
        decision.scores.extend(self.instructions);
        decision
    }
}

/// The output with its ratings; `None` without any.
pub fn rated(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<Rated>, Failure> {
    let named = params![study.0, output.0];
    // The ratings that count, in chronological order.
    let mut statement = conn.prepare_cached(
        "SELECT rating_id, user_id, scores FROM counted WHERE study_id = ?1 AND output_id = ?2 ORDER BY rating_id",
    )?;
    let ratings = statement.query_map(named, |row| {
        let scores = scores(row, table("counted", &["rating_id"]), "scores")?;
        Ok((row.get("rating_id")?, UserId(row.get("user_id")?), scores))
    })?;
    let ratings = ratings.collect::<Result<Vec<_>, _>>()?;
    if ratings.is_empty() {
        return Ok(None);
    }
    let mut unequal = Vec::new();
    if instruction_answers::are_asked_for(conn, study)? {
        let mut statement = conn.prepare_cached(
            "SELECT turn FROM counted c CROSS JOIN instruction_answers a ON a.rating_id = c.rating_id
             WHERE study_id = ?1 AND output_id = ?2 GROUP BY turn HAVING min(answer) <> max(answer)",
        )?;
        unequal = statement.query_map(named, |row| row.get("turn"))?.collect::<Result<_, _>>()?;
    }
    let (missing, extra, extra_missing): (u64, u64, u64) = conn
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE slot < ?3 AND rated_at IS NULL) AS missing,
                 count(*) FILTER (WHERE slot >= ?3) AS extra,
                 count(*) FILTER (WHERE slot >= ?3 AND rated_at IS NULL) AS extra_missing
             FROM assignments WHERE study_id = ?1 AND output_id = ?2",
        )?
        .query_row(params![study.0, output.0, FIRST_EXTRA], |row| {
            Ok((row.get("missing")?, row.get("extra")?, row.get("extra_missing")?))
        })?;
    let decided = conn
        .prepare_cached("SELECT 1 FROM adjudications WHERE study_id = ?1 AND output_id = ?2 AND replaced_at IS NULL")?
        .exists(named)?;
    Ok(Some(Rated {
        output,
        complete: missing == 0 && extra_missing == 0,
        planned_complete: missing == 0,
        extra,
        ratings,
        unequal,
        decided,
    }))
}

/// A disagreement as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub output: OutputId,
    pub state: DisagreementState,
    /// The widest spread on a dimension or an instruction, of which yes and no are one level apart.
    pub spread: u8,
}

/// The states by their stored numbers.
const STATES: [DisagreementState; 4] = [
    DisagreementState::Waiting,
    DisagreementState::ExtraRater,
    DisagreementState::Median,
    DisagreementState::Adjudicated,
];

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let state = numbered(row, table("disagreements", &["study_id", "output_id"]), "state", &STATES)?;
    Ok(Stored { output: OutputId(row.get("output_id")?), state, spread: row.get("spread")? })
}

/// The output's disagreement; `None` without one or while ratings are missing.
pub fn get(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<Stored>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT study_id, output_id, state, spread FROM disagreements
             WHERE study_id = ?1 AND output_id = ?2 AND state IS NOT NULL",
        )?
        .query_row(params![study.0, output.0], stored)
        .optional()?)
}

/// A page of the study's disagreements: the waiting ones first, then the widest.
pub fn page(conn: &Connection, study: StudyId, of: &PageOf) -> Result<Paged<Stored>, Failure> {
    let list = List {
        columns: "x.study_id, x.output_id, x.state, x.spread",
        table: "disagreements x",
        joins: "",
        id: "x.output_id",
        within: "x.study_id = ?3",
        filter: "",
        sorts: &[Sort::number("state", "x.place")],
        usual: "state",
        search: "",
        filters: &[],
    };
    page::page(conn, &list, of, &[&study.0], stored)
}

/// How many disagreements of the study are in each state.
pub fn counts(conn: &Connection, study: StudyId) -> Result<BTreeMap<DisagreementState, u64>, Failure> {
    let mut statement = conn.prepare_cached("SELECT state, outputs FROM disagreement_counts WHERE study_id = ?1")?;
    let rows = statement.query_map([study.0], |row| Ok((row.get::<_, usize>("state")?, row.get("outputs")?)))?;
    let counts = rows.collect::<Result<Vec<_>, _>>()?.into_iter();
    Ok(counts.filter_map(|(number, outputs)| Some((*STATES.get(number)?, outputs))).collect())
}

/// The next outputs of the study with a rating, in order.
pub fn rated_after(conn: &Connection, study: StudyId, last: OutputId, most: usize) -> Result<Vec<OutputId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT output_id FROM counted WHERE study_id = ?1 AND output_id > ?2 ORDER BY output_id LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, last.0, most], |row| Ok(OutputId(row.get("output_id")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A rater for one more rating of the output: in the study, not yet assigned it, without it as a calibration item or
/// hidden check, reading its language, with the fewest unrated outputs.
pub fn rater_left(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT m.user_id FROM study_raters m
             JOIN users u ON u.id = m.user_id AND u.disabled = 0
             JOIN outputs o ON o.id = ?2 JOIN task_revisions v ON v.id = o.revision_id
             WHERE m.study_id = ?1 AND m.removed_at IS NULL AND instr(m.reads, v.nl_lang) > 0
               AND NOT EXISTS (SELECT 1 FROM assignments a
                               WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.user_id = m.user_id)
               AND NOT EXISTS (SELECT 1 FROM known_items g CROSS JOIN checks p ON p.known_item_id = g.id
                               WHERE g.output_id = ?2 AND g.study_id = ?1 AND p.user_id = m.user_id)
             ORDER BY m.open, m.user_id LIMIT 1",
        )?
        .query_row(params![study.0, output.0], |row| row.get(0).map(UserId))
        .optional()?)
}

/// Requests one more rating of the output from this rater, before their planned work.
pub fn insert_extra(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    by: Option<UserId>,
) -> Result<(), Failure> {
    let slot: i64 = conn.query_row(
        "SELECT max(?3, coalesce(max(slot) + 1, 0)) FROM assignments WHERE study_id = ?1 AND output_id = ?2",
        params![study.0, output.0, FIRST_EXTRA],
        |row| row.get(0),
    )?;
    conn.execute(
        "INSERT INTO extra_assignments (study_id, output_id, slot, asked_by, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![study.0, output.0, slot, by.map(|id| id.0), clock::now().0],
    )?;
    conn.execute(
        "INSERT INTO assignments (study_id, output_id, slot, user_id, place) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![study.0, output.0, slot, rater.0, SOON],
    )?;
    Ok(())
}

/// Number of extra ratings that the study requested, given or not.
pub fn extra(conn: &Connection, study: StudyId) -> Result<u64, Failure> {
    let query = "SELECT count(*) FROM extra_assignments WHERE study_id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([study.0], |row| row.get(0))?)
}

/// An output's content, for lists and its adjudicator.
pub struct About {
    /// The task.
    pub task: TaskId,
    /// Its id in its source.
    pub task_id: String,
    /// The description.
    pub raw_nl: String,
    /// Its language.
    pub nl_lang: Lang,
    /// The requested signature.
    pub signature: Option<String>,
    /// The model, for admins only.
    pub model: String,
    /// The code.
    pub code: String,
    /// The text around the code in a chat response.
    pub surrounding_text: String,
}

/// The output's content.
pub fn about(conn: &Connection, output: OutputId) -> Result<About, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT t.id, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, v.signature, m.name, o.visible_code AS code, o.surrounding_text
             FROM outputs o JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id WHERE o.id = ?1",
        )?
        .query_row([output.0], |row| {
            Ok(About {
                task: TaskId(row.get("id")?),
                task_id: row.get("external_id")?,
                raw_nl: row.get("raw_nl")?,
                nl_lang: parsed(row, REVISIONS, "nl_lang")?,
                signature: row.get("signature")?,
                model: row.get("name")?,
                code: row.get("code")?,
                surrounding_text: row.get("surrounding_text")?,
            })
        })?)
}

/// Whether the output is or was assigned to the user in this study.
pub fn rates(conn: &Connection, study: StudyId, output: OutputId, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .exists(params![study.0, output.0, user.0])?)
}

/// The user's token for the disagreement, created on first use.
pub fn handout(conn: &Connection, study: StudyId, output: OutputId, user: UserId) -> Result<Token, Failure> {
    conn.prepare_cached(
        "INSERT INTO disagreement_handouts (token, study_id, output_id, user_id) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![clock::token().0, study.0, output.0, user.0])?;
    Ok(conn
        .prepare_cached(
            "SELECT token FROM disagreement_handouts WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3",
        )?
        .query_row(params![study.0, output.0, user.0], |row| row.get(0).map(Token))?)
}

/// The disagreement behind the user's token.
pub fn handed(conn: &Connection, token: &Token, user: UserId) -> Result<Option<(StudyId, OutputId)>, Failure> {
    Ok(conn
        .prepare_cached("SELECT study_id, output_id FROM disagreement_handouts WHERE token = ?1 AND user_id = ?2")?
        .query_row(params![token.0, user.0], |row| Ok((StudyId(row.get("study_id")?), OutputId(row.get("output_id")?))))
        .optional()?)
}

/// A line of an adjudicator's list.
pub struct Listed {
    pub study: StudyId,
    /// The study's title.
    pub title: String,
    pub output: OutputId,
    /// The widest spread of its ratings.
    pub spread: u8,
    /// When the user adjudicated it.
    pub adjudicated_at: Option<Timestamp>,
}

fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    Ok(Listed {
        study: StudyId(row.get("study_id")?),
        title: row.get("title")?,
        output: OutputId(row.get("output_id")?),
        spread: row.get("spread")?,
        adjudicated_at: row.get::<_, Option<i64>>("adjudicated_at")?.map(Timestamp),
    })
}

/// Disagreements that wait for an adjudicator, in studies in which the user is one and of outputs that they do not rate.
/// An admin (`?2`) is one in every study.
const FOR_USER: &str = "FROM studies s CROSS JOIN disagreements x ON x.study_id = s.id AND x.place BETWEEN 0 AND 255
     WHERE (?2 OR EXISTS (SELECT 1 FROM adjudicators j WHERE j.study_id = s.id AND j.user_id = ?1))
       AND NOT EXISTS (SELECT 1 FROM assignments a
                       WHERE a.study_id = s.id AND a.output_id = x.output_id AND a.user_id = ?1)";

/// The first disagreements that the user can adjudicate: those of the newest study first, the widest first.
pub fn waiting(conn: &Connection, user: UserId, admin: bool, most: usize) -> Result<Vec<Listed>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT s.id AS study_id, s.title, x.output_id, x.spread, NULL AS adjudicated_at {FOR_USER}
         ORDER BY s.id DESC, x.place, x.output_id LIMIT ?3"
    ))?;
    Ok(statement.query_map(params![user.0, admin, most], listed)?.collect::<Result<_, _>>()?)
}

/// The number of disagreements that the user can adjudicate.
pub fn count_waiting(conn: &Connection, user: UserId, admin: bool) -> Result<u64, Failure> {
    let mut statement = conn.prepare_cached(&format!("SELECT count(*) {FOR_USER}"))?;
    Ok(statement.query_row(params![user.0, admin], |row| row.get(0))?)
}

/// The user's current adjudications, in studies in which they still adjudicate.
const BY_USER: &str = "FROM studies s CROSS JOIN adjudications d ON d.study_id = s.id
     CROSS JOIN disagreements x ON x.study_id = s.id AND x.output_id = d.output_id
     WHERE d.user_id = ?1 AND d.replaced_at IS NULL
       AND (?2 OR EXISTS (SELECT 1 FROM adjudicators j WHERE j.study_id = s.id AND j.user_id = ?1))";

/// The first of the user's current adjudications: those of the newest study first, newest first.
pub fn decided_by(conn: &Connection, user: UserId, admin: bool, most: usize) -> Result<Vec<Listed>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT s.id AS study_id, s.title, d.output_id, x.spread, d.at AS adjudicated_at {BY_USER}
         ORDER BY s.id DESC, d.id DESC LIMIT ?3"
    ))?;
    Ok(statement.query_map(params![user.0, admin, most], listed)?.collect::<Result<_, _>>()?)
}

/// The number of the user's current adjudications.
pub fn count_decided_by(conn: &Connection, user: UserId, admin: bool) -> Result<u64, Failure> {
    let mut statement = conn.prepare_cached(&format!("SELECT count(*) {BY_USER}"))?;
    Ok(statement.query_row(params![user.0, admin], |row| row.get(0))?)
}

/// Stores an adjudication and returns its number. An earlier one is kept and marked as replaced.
pub fn decide(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    user: UserId,
    scores: &[u8],
    comment: &str,
) -> Result<i64, Failure> {
    let now = clock::now().0;
    conn.execute(
        "UPDATE adjudications SET replaced_at = ?3 WHERE study_id = ?1 AND output_id = ?2 AND replaced_at IS NULL",
        params![study.0, output.0, now],
    )?;
    Ok(conn.query_row(
        "INSERT INTO adjudications (study_id, output_id, user_id, scores, comment, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         RETURNING id",
        params![study.0, output.0, user.0, serde_json::to_string(scores)?, comment, now],
        |row| row.get("id"),
    )?)
}

/// Every adjudication of an output, newest first.
pub fn history(conn: &Connection, study: StudyId, output: OutputId) -> Result<Vec<Adjudication>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT d.id AS adjudication, u.id, u.name, d.scores, d.comment, d.at, d.replaced_at IS NOT NULL AS replaced
         FROM adjudications d JOIN users u ON u.id = d.user_id
         WHERE d.study_id = ?1 AND d.output_id = ?2 ORDER BY d.id DESC",
    )?;
    let rows = statement.query_map(params![study.0, output.0], |row| {
        let decision = Decision {
            by: row.get("name")?,
            scores: json(row, table("adjudications", &["adjudication"]), "scores")?,
            comment: row.get("comment")?,
            at: Timestamp(row.get("at")?),
            replaced: row.get("replaced")?,
        };
        Ok((row.get("adjudication")?, UserId(row.get("id")?), decision))
    })?;
    rows.map(|row| {
        let (adjudication, by, decision) = row?;
        Ok(Adjudication { by, decision, instructions: instruction_answers::of_adjudication(conn, adjudication)? })
    })
    .collect()
}

/// The current adjudication, whole, and its adjudicator.
pub fn current(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<(UserId, Decision)>, Failure> {
    let found = history(conn, study, output)?.into_iter().find(|one| !one.decision.replaced);
    Ok(found.map(|found| (found.by, found.whole())))
}

/// A rating's comment and flag (JSON).
pub fn comment_and_flag(conn: &Connection, rating: i64) -> Result<(String, Option<Flag>), Failure> {
    Ok(conn
        .prepare_cached("SELECT id, comment, flag FROM ratings WHERE id = ?1")?
        .query_row([rating], |row| Ok((row.get("comment")?, optional_json(row, table("ratings", &["id"]), "flag")?)))?)
}
