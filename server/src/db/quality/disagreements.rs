//! Disagreements: outputs whose raters differ beyond the study's threshold, extra assignments and adjudications.

use std::collections::{BTreeMap, BTreeSet};

use app::model::{
    ids::{OutputId, StudyId, TaskId, Token, UserId},
    lang::Lang,
    quality::{Decision, DisagreementState, QualitySettings},
    rubric::Rubric,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::{
    clock,
    db::{accounts::parsed, instruction_answers},
    error::Failure,
    plan::rows::FIRST_EXTRA,
};

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

impl Rated {
    /// The spread of the planned and extra ratings on each dimension.
    pub fn spread(&self, dimensions: usize) -> Vec<u8> {
        let on = |d: usize| {
            let scores = self.ratings.iter().filter_map(|(_, _, s)| s.get(d).copied());
            let (low, high) = scores.fold((u8::MAX, 0), |(low, high), s| (low.min(s), high.max(s)));
            high.saturating_sub(low)
        };
        (0..dimensions).map(on).collect()
    }

    /// The widest spread on a dimension or an instruction, of which yes and no are one level apart.
    pub fn widest(&self, dimensions: usize) -> u8 {
        let instructions = u8::from(!self.unequal.is_empty());
        self.spread(dimensions).into_iter().max().unwrap_or(0).max(instructions)
    }

    /// Whether the raters differ beyond the allowed spread. Between yes and no to an instruction lies no level, so any
    /// difference does, in a study that limits the spread.
    pub fn has_disagreement(&self, settings: &QualitySettings, rubric: &Rubric) -> bool {
        let spread = self.spread(rubric.dimensions.len());
        let mut dimensions = rubric.dimensions.iter().zip(&spread);
        let scores_differ = dimensions.any(|(d, s)| settings.allowed(&d.key).is_some_and(|most| *s > most));
        let answers_differ = settings.spread.is_some() && !self.unequal.is_empty();
        self.ratings.len() > 1 && (scores_differ || answers_differ)
    }

    /// State of the disagreement; `None` without one or while ratings are missing.
    pub fn state(&self, settings: &QualitySettings, rubric: &Rubric) -> Option<DisagreementState> {
        if self.decided {
            return Some(DisagreementState::Adjudicated);
        }
        if !self.planned_complete || !(self.extra > 0 || self.has_disagreement(settings, rubric)) {
            return None;
        }
        Some(match (self.extra, self.complete) {
            (0, _) => DisagreementState::Waiting,
            (_, false) => DisagreementState::ExtraRater,
            (_, true) => DisagreementState::Median,
        })
    }
}

/// Every output of the study with at least one rating, or only `output`. Each part is a single
/// index scan, because running studies query this often.
pub fn rated(conn: &Connection, study: StudyId, output: Option<OutputId>) -> Result<Vec<Rated>, Failure> {
    let mut found: BTreeMap<i64, Rated> = BTreeMap::new();
    let (which, named) = match output {
        Some(output) => (" AND output_id = ?2", vec![study.0, output.0]),
        None => ("", vec![study.0]),
    };
    // The ratings that count, in chronological order (0008_results.sql).
    let mut statement = conn.prepare_cached(&format!(
        "SELECT output_id, rating_id, user_id, scores FROM counted WHERE study_id = ?1{which}
         ORDER BY study_id, output_id, rating_id"
    ))?;
    let mut rows = statement.query(params_from_iter(&named))?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get("output_id")?;
        let one = found.entry(id).or_insert_with(|| Rated {
            output: OutputId(id),
            complete: true,
            planned_complete: true,
            extra: 0,
            ratings: Vec::new(),
            unequal: Vec::new(),
            decided: false,
        });
        one.ratings.push((
            row.get("rating_id")?,
            UserId(row.get("user_id")?),
            digits(&row.get::<_, String>("scores")?),
        ));
    }
    if instruction_answers::are_asked_for(conn, study)? {
        let mut statement = conn.prepare_cached(&format!(
            "SELECT output_id, turn FROM counted c CROSS JOIN instruction_answers a ON a.rating_id = c.rating_id
             WHERE study_id = ?1{which} GROUP BY output_id, turn HAVING min(answer) <> max(answer)"
        ))?;
        let mut rows = statement.query(params_from_iter(&named))?;
        while let Some(row) = rows.next()? {
            if let Some(one) = found.get_mut(&row.get::<_, i64>("output_id")?) {
                one.unequal.push(row.get("turn")?);
            }
        }
    }
    let mut statement = conn.prepare_cached(&format!(
        "SELECT output_id, slot, rated_at IS NOT NULL AS is_rated FROM assignments WHERE study_id = ?1{which}"
    ))?;
    let mut rows = statement.query(params_from_iter(&named))?;
    while let Some(row) = rows.next()? {
        let Some(one) = found.get_mut(&row.get::<_, i64>("output_id")?) else { continue };
        let (extra, done): (bool, bool) = (row.get::<_, u32>("slot")? >= FIRST_EXTRA, row.get("is_rated")?);
        one.complete &= done;
        one.planned_complete &= done || extra;
        one.extra += u64::from(extra);
    }
    let mut statement = conn.prepare_cached(&format!(
        "SELECT output_id FROM adjudications WHERE study_id = ?1{which} AND superseded_at IS NULL"
    ))?;
    let mut rows = statement.query(params_from_iter(&named))?;
    while let Some(row) = rows.next()? {
        if let Some(one) = found.get_mut(&row.get::<_, i64>(0)?) {
            one.decided = true;
        }
    }
    Ok(found.into_values().collect())
}

/// The next outputs of the study with a rating, in order.
pub fn rated_after(conn: &Connection, study: StudyId, last: OutputId, most: usize) -> Result<Vec<OutputId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT output_id FROM counted WHERE study_id = ?1 AND output_id > ?2 ORDER BY output_id LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, last.0, most], |row| Ok(OutputId(row.get("output_id")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Scores as stored in `counted`: one digit per dimension.
pub fn digits(scores: &str) -> Vec<u8> {
    scores.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect()
}

/// A rater for one more rating of the output: in the study, not yet assigned it, without it as a calibration item or
/// hidden check, reading its language, with the fewest unrated outputs.
pub fn rater_left(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT m.user_id FROM study_raters m
             JOIN users u ON u.id = m.user_id AND u.disabled = 0
             JOIN outputs o ON o.id = ?2 JOIN task_revisions v ON v.id = o.revision_id
             WHERE m.study_id = ?1 AND m.left_at IS NULL AND instr(m.reads, v.lang) > 0
               AND NOT EXISTS (SELECT 1 FROM assignments a
                               WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.user_id = m.user_id)
               AND NOT EXISTS (SELECT 1 FROM gold_items g CROSS JOIN probes p ON p.gold_id = g.id
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
            "SELECT t.id, t.external_id, v.raw_nl, v.lang, v.signature, m.name, o.code, o.said
             FROM outputs o JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id WHERE o.id = ?1",
        )?
        .query_row([output.0], |row| {
            Ok(About {
                task: TaskId(row.get("id")?),
                task_id: row.get("external_id")?,
                raw_nl: row.get("raw_nl")?,
                nl_lang: parsed(row, "lang")?,
                signature: row.get("signature")?,
                model: row.get("name")?,
                code: row.get("code")?,
                surrounding_text: row.get("said")?,
            })
        })?)
}

/// Whether the output is or was assigned to the user in this study.
pub fn rates(conn: &Connection, study: StudyId, output: OutputId, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .exists(params![study.0, output.0, user.0])?)
}

/// Every output of the study that is or was assigned to the user.
pub fn all_of(conn: &Connection, study: StudyId, user: UserId) -> Result<BTreeSet<OutputId>, Failure> {
    let mut statement =
        conn.prepare_cached("SELECT output_id FROM assignments WHERE study_id = ?1 AND user_id = ?2")?;
    let rows = statement.query_map(params![study.0, user.0], |row| Ok(OutputId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The user's adjudications in the study that are still current, newest first.
pub fn decided_by(conn: &Connection, study: StudyId, user: UserId) -> Result<Vec<(OutputId, Timestamp)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT output_id, at FROM adjudications
         WHERE study_id = ?1 AND user_id = ?2 AND superseded_at IS NULL ORDER BY id DESC",
    )?;
    let rows = statement
        .query_map(params![study.0, user.0], |row| Ok((OutputId(row.get("output_id")?), Timestamp(row.get("at")?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The user's token for the disagreement, created on first use.
pub fn handout(conn: &Connection, study: StudyId, output: OutputId, user: UserId) -> Result<Token, Failure> {
    conn.prepare_cached(
        "INSERT INTO dispute_handouts (token, study_id, output_id, user_id) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![clock::token().0, study.0, output.0, user.0])?;
    Ok(conn
        .prepare_cached("SELECT token FROM dispute_handouts WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .query_row(params![study.0, output.0, user.0], |row| row.get(0).map(Token))?)
}

/// The disagreement behind the user's token.
pub fn handed(conn: &Connection, token: &Token, user: UserId) -> Result<Option<(StudyId, OutputId)>, Failure> {
    Ok(conn
        .prepare_cached("SELECT study_id, output_id FROM dispute_handouts WHERE token = ?1 AND user_id = ?2")?
        .query_row(params![token.0, user.0], |row| Ok((StudyId(row.get("study_id")?), OutputId(row.get("output_id")?))))
        .optional()?)
}

/// Studies in which the user can adjudicate; all studies for an admin.
pub fn studies(conn: &Connection, user: UserId, admin: bool) -> Result<Vec<(StudyId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.title FROM studies s JOIN study_quality q ON q.study_id = s.id
         WHERE ?2 OR EXISTS (SELECT 1 FROM adjudicators a WHERE a.study_id = s.id AND a.user_id = ?1)
         ORDER BY s.id DESC",
    )?;
    let rows = statement.query_map(params![user.0, admin], |row| Ok((StudyId(row.get("id")?), row.get("title")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
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
        "UPDATE adjudications SET superseded_at = ?3 WHERE study_id = ?1 AND output_id = ?2 AND superseded_at IS NULL",
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
        "SELECT d.id AS adjudication, u.id, u.name, d.scores, d.comment, d.at, d.superseded_at IS NOT NULL AS superseded
         FROM adjudications d JOIN users u ON u.id = d.user_id
         WHERE d.study_id = ?1 AND d.output_id = ?2 ORDER BY d.id DESC",
    )?;
    let rows = statement.query_map(params![study.0, output.0], |row| {
        let decision = Decision {
            by: row.get("name")?,
            scores: Vec::new(),
            comment: row.get("comment")?,
            at: Timestamp(row.get("at")?),
            superseded: row.get("superseded")?,
        };
        Ok((row.get("adjudication")?, UserId(row.get("id")?), row.get::<_, String>("scores")?, decision))
    })?;
    rows.map(|row| {
        let (adjudication, by, scores, decision) = row?;
        let decision = Decision { scores: serde_json::from_str(&scores)?, ..decision };
        Ok(Adjudication { by, decision, instructions: instruction_answers::of_adjudication(conn, adjudication)? })
    })
    .collect()
}

/// The current adjudication, whole, and its adjudicator.
pub fn current(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<(UserId, Decision)>, Failure> {
    let found = history(conn, study, output)?.into_iter().find(|one| !one.decision.superseded);
    Ok(found.map(|found| (found.by, found.whole())))
}

/// A rating's comment and flag (JSON).
pub fn comment_and_flag(conn: &Connection, rating: i64) -> Result<(String, Option<String>), Failure> {
    Ok(conn
        .prepare_cached("SELECT comment, flag FROM ratings WHERE id = ?1")?
        .query_row([rating], |row| Ok((row.get("comment")?, row.get("flag")?)))?)
}

/// Names of people.
pub fn names(conn: &Connection) -> Result<BTreeMap<UserId, String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT id, name FROM users")?;
    let rows = statement.query_map([], |row| Ok((UserId(row.get("id")?), row.get("name")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
