//! Outputs whose raters disagree beyond the study's threshold, extra assignments, decisions.

use std::collections::{BTreeMap, BTreeSet};

use app::model::{
    ids::{OutputId, StudyId, TaskId, Token, UserId},
    lang::Lang,
    quality::{Decision, DisputeState, QualitySettings},
    rubric::Rubric,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::{clock, db::accounts::parsed, error::Failure};

/// Slots from here on are beyond the overlap (0003_plan.sql holds the others to it).
const FIRST_EXTRA: i64 = 1000;
/// What comes before every planned place: somebody waits for it.
const SOON: i64 = -1;

/// An output as its ratings stand.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The output.
    pub output: OutputId,
    /// Whether all wanted ratings are there, extra ones included.
    pub complete: bool,
    /// Whether all planned ratings are there, extra ones aside.
    pub planned_complete: bool,
    /// Extra ratings wanted.
    pub extra: u64,
    /// Each rating: its number, its rater, its scores.
    pub ratings: Vec<(i64, UserId, Vec<u8>)>,
    /// Whether an adjudication stands.
    pub decided: bool,
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

    /// Whether its raters disagree beyond what the settings let pass.
    pub fn disputed(&self, settings: &QualitySettings, rubric: &Rubric) -> bool {
        let spread = self.spread(rubric.dimensions.len());
        self.ratings.len() > 1
            && rubric
                .dimensions
                .iter()
                .zip(&spread)
                .any(|(d, s)| settings.allowed(&d.key).is_some_and(|most| *s > most))
    }

    /// How the disagreement stands; `None` where there is none, or ratings are still to come.
    pub fn state(&self, settings: &QualitySettings, rubric: &Rubric) -> Option<DisputeState> {
        if self.decided {
            return Some(DisputeState::Decided);
        }
        if !self.planned_complete || !(self.extra > 0 || self.disputed(settings, rubric)) {
            return None;
        }
        Some(match (self.extra, self.complete) {
            (0, _) => DisputeState::Waiting,
            (_, false) => DisputeState::ExtraRater,
            (_, true) => DisputeState::Median,
        })
    }
}

/// Every output of the study with at least one rating; only `output` where it is named. Each part is one
/// walk along an index: this is asked for again and again while a large study goes on.
pub fn rated(conn: &Connection, study: StudyId, output: Option<OutputId>) -> Result<Vec<Rated>, Failure> {
    let mut found: BTreeMap<i64, Rated> = BTreeMap::new();
    let (which, named) = match output {
        Some(output) => (" AND output_id = ?2", vec![study.0, output.0]),
        None => ("", vec![study.0]),
    };
    // The ratings that count, in the order in which they were given (0008_results.sql).
    let mut statement = conn.prepare_cached(&format!(
        "SELECT output_id, rating_id, user_id, scores FROM counted WHERE study_id = ?1{which}
         ORDER BY study_id, output_id, rating_id"
    ))?;
    let mut rows = statement.query(params_from_iter(&named))?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let one = found.entry(id).or_insert_with(|| Rated {
            output: OutputId(id),
            complete: true,
            planned_complete: true,
            extra: 0,
            ratings: Vec::new(),
            decided: false,
        });
        one.ratings.push((row.get(1)?, UserId(row.get(2)?), digits(&row.get::<_, String>(3)?)));
    }
    let mut statement = conn.prepare_cached(&format!(
        "SELECT output_id, slot, rated_at IS NOT NULL FROM assignments WHERE study_id = ?1{which}"
    ))?;
    let mut rows = statement.query(params_from_iter(&named))?;
    while let Some(row) = rows.next()? {
        let Some(one) = found.get_mut(&row.get::<_, i64>(0)?) else { continue };
        let (extra, done): (bool, bool) = (row.get::<_, i64>(1)? >= FIRST_EXTRA, row.get(2)?);
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

/// Scores as `counted` has them: a digit a dimension.
pub fn digits(scores: &str) -> Vec<u8> {
    scores.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect()
}

/// A rater who could give one more rating of the output: in the study, not yet given it, reading its
/// language, with least left to do.
pub fn rater_left(conn: &Connection, study: StudyId, output: OutputId) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT m.user_id FROM study_raters m
             JOIN users u ON u.id = m.user_id AND u.disabled = 0
             JOIN outputs o ON o.id = ?2 JOIN task_revisions v ON v.id = o.revision_id
             WHERE m.study_id = ?1 AND m.left_at IS NULL AND instr(m.reads, v.lang) > 0
               AND NOT EXISTS (SELECT 1 FROM assignments a
                               WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.user_id = m.user_id)
             ORDER BY m.open, m.user_id LIMIT 1",
        )?
        .query_row(params![study.0, output.0], |row| row.get(0).map(UserId))
        .optional()?)
}

/// Wants one more rating of the output, from this rater, before what they have planned.
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

/// What an output is about, for lists and for its adjudicator.
pub struct About {
    /// The task.
    pub task: TaskId,
    /// Its id in its source.
    pub task_id: String,
    /// The description.
    pub raw_nl: String,
    /// Its language.
    pub lang: Lang,
    /// The signature asked for.
    pub signature: Option<String>,
    /// The model: for admins alone.
    pub model: String,
    /// The code.
    pub code: String,
    /// What a chat answer said around it.
    pub said: String,
}

/// What the output is about.
pub fn about(conn: &Connection, output: OutputId) -> Result<About, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT t.id, t.external_id, v.raw_nl, v.lang, v.signature, m.name, o.code, o.said
             FROM outputs o JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id WHERE o.id = ?1",
        )?
        .query_row([output.0], |row| {
            Ok(About {
                task: TaskId(row.get(0)?),
                task_id: row.get(1)?,
                raw_nl: row.get(2)?,
                lang: parsed(row, 3)?,
                signature: row.get(4)?,
                model: row.get(5)?,
                code: row.get(6)?,
                said: row.get(7)?,
            })
        })?)
}

/// Whether the user has or had the output to rate in this study.
pub fn rates(conn: &Connection, study: StudyId, output: OutputId, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .exists(params![study.0, output.0, user.0])?)
}

/// Every output of the study that the user has or had to rate.
pub fn all_of(conn: &Connection, study: StudyId, user: UserId) -> Result<BTreeSet<OutputId>, Failure> {
    let mut statement =
        conn.prepare_cached("SELECT output_id FROM assignments WHERE study_id = ?1 AND user_id = ?2")?;
    let rows = statement.query_map(params![study.0, user.0], |row| Ok(OutputId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What the user decided in the study and nobody has decided since, newest first.
pub fn decided_by(conn: &Connection, study: StudyId, user: UserId) -> Result<Vec<(OutputId, Timestamp)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT output_id, at FROM adjudications
         WHERE study_id = ?1 AND user_id = ?2 AND superseded_at IS NULL ORDER BY id DESC",
    )?;
    let rows =
        statement.query_map(params![study.0, user.0], |row| Ok((OutputId(row.get(0)?), Timestamp(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The name under which the user knows the disagreement; made at the first asking.
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

/// What the user knows under that name.
pub fn handed(conn: &Connection, token: &Token, user: UserId) -> Result<Option<(StudyId, OutputId)>, Failure> {
    Ok(conn
        .prepare_cached("SELECT study_id, output_id FROM dispute_handouts WHERE token = ?1 AND user_id = ?2")?
        .query_row(params![token.0, user.0], |row| Ok((StudyId(row.get(0)?), OutputId(row.get(1)?))))
        .optional()?)
}

/// Studies in which somebody may adjudicate by their role in the study; every study for an admin.
pub fn studies(conn: &Connection, user: UserId, admin: bool) -> Result<Vec<(StudyId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.title FROM studies s JOIN study_quality q ON q.study_id = s.id
         WHERE ?2 OR EXISTS (SELECT 1 FROM adjudicators a WHERE a.study_id = s.id AND a.user_id = ?1)
         ORDER BY s.id DESC",
    )?;
    let rows = statement.query_map(params![user.0, admin], |row| Ok((StudyId(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores a decision; an earlier one is marked as replaced and stays.
pub fn decide(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    user: UserId,
    scores: &[u8],
    comment: &str,
) -> Result<(), Failure> {
    let now = clock::now().0;
    conn.execute(
        "UPDATE adjudications SET superseded_at = ?3 WHERE study_id = ?1 AND output_id = ?2 AND superseded_at IS NULL",
        params![study.0, output.0, now],
    )?;
    conn.execute(
        "INSERT INTO adjudications (study_id, output_id, user_id, scores, comment, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![study.0, output.0, user.0, serde_json::to_string(scores)?, comment, now],
    )?;
    Ok(())
}

/// Every decision about an output, newest first, with the number of who decided.
pub fn history(conn: &Connection, study: StudyId, output: OutputId) -> Result<Vec<(UserId, Decision)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name, d.scores, d.comment, d.at, d.superseded_at IS NOT NULL
         FROM adjudications d JOIN users u ON u.id = d.user_id
         WHERE d.study_id = ?1 AND d.output_id = ?2 ORDER BY d.id DESC",
    )?;
    let rows = statement.query_map(params![study.0, output.0], |row| {
        let decision = Decision {
            by: row.get(1)?,
            scores: Vec::new(),
            comment: row.get(3)?,
            at: Timestamp(row.get(4)?),
            superseded: row.get(5)?,
        };
        Ok((UserId(row.get(0)?), row.get::<_, String>(2)?, decision))
    })?;
    rows.map(|row| {
        let (user, scores, decision) = row?;
        Ok((user, Decision { scores: serde_json::from_str(&scores)?, ..decision }))
    })
    .collect()
}

/// A rating's comment and flag (json).
pub fn said(conn: &Connection, rating: i64) -> Result<(String, Option<String>), Failure> {
    Ok(conn
        .prepare_cached("SELECT comment, flag FROM ratings WHERE id = ?1")?
        .query_row([rating], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Names of people.
pub fn names(conn: &Connection) -> Result<BTreeMap<UserId, String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT id, name FROM users")?;
    let rows = statement.query_map([], |row| Ok((UserId(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
