//! Probes: what measures a rater. Asked for one rater of one study.

use app::model::{
    grading::Draft,
    ids::{OutputId, RatingId, StudyId, Token, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{clock, error::Failure};

/// What a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Opens the study, marked as what it is.
    Opening,
    /// Known scores, unmarked.
    Gold,
    /// Rated before by the same rater, unmarked.
    Repeat,
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Kind::Opening => "opening",
            Kind::Gold => "gold",
            Kind::Repeat => "repeat",
        }
    }
}

/// A probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its number.
    pub id: i64,
    /// The name under which its rater knows it.
    pub token: Token,
    /// Its study.
    pub study: StudyId,
    /// Its rater.
    pub rater: UserId,
    /// What it is.
    pub kind: Kind,
    /// The round of the opening; 0 otherwise.
    pub round: u32,
    /// The item with known scores.
    pub gold: Option<i64>,
    /// The output that comes again.
    pub output: Option<OutputId>,
    /// When it was handed out.
    pub shown_at: Timestamp,
    /// When it was first rated.
    pub rated_at: Option<Timestamp>,
    /// How often it was passed over.
    pub skips: u32,
    /// Whether the rater has read the known scores.
    pub told: bool,
}

const ROW: &str =
    "SELECT id, token, study_id, user_id, kind, round, gold_id, output_id, shown_at, rated_at, skips, told
    FROM probes";

fn row(row: &Row<'_>) -> rusqlite::Result<Probe> {
    let kind: String = row.get(4)?;
    Ok(Probe {
        id: row.get(0)?,
        token: Token(row.get(1)?),
        study: StudyId(row.get(2)?),
        rater: UserId(row.get(3)?),
        kind: match kind.as_str() {
            "opening" => Kind::Opening,
            "gold" => Kind::Gold,
            _ => Kind::Repeat,
        },
        round: row.get(5)?,
        gold: row.get(6)?,
        output: row.get::<_, Option<i64>>(7)?.map(OutputId),
        shown_at: Timestamp(row.get(8)?),
        rated_at: row.get::<_, Option<i64>>(9)?.map(Timestamp),
        skips: row.get(10)?,
        told: row.get(11)?,
    })
}

/// The probe that this rater knows under that name.
pub fn handed(conn: &Connection, token: &Token, rater: UserId) -> Result<Option<Probe>, Failure> {
    Ok(conn
        .prepare_cached(&format!("{ROW} WHERE token = ?1 AND user_id = ?2"))?
        .query_row(params![token.0, rater.0], row)
        .optional()?)
}

/// All probes of the rater in the study, oldest first.
pub fn list(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<Probe>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{ROW} WHERE study_id = ?1 AND user_id = ?2 ORDER BY id"))?;
    let rows = statement.query_map(params![study.0, rater.0], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Hands a new probe of an item with known scores to the rater.
pub fn insert_gold(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    kind: Kind,
    round: u32,
    gold: i64,
) -> Result<Probe, Failure> {
    let sql = "INSERT INTO probes (token, study_id, user_id, kind, round, gold_id, shown_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id, token, study_id, user_id, kind, round, gold_id, output_id,
        shown_at, rated_at, skips, told";
    let values = params![clock::token().0, study.0, rater.0, kind.code(), round, gold, clock::now().0];
    Ok(conn.prepare_cached(sql)?.query_row(values, row)?)
}

/// Hands an output to the rater again; it is held against the rating `first`.
pub fn insert_repeat(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    output: OutputId,
    first: RatingId,
) -> Result<Probe, Failure> {
    let sql = "INSERT INTO probes (token, study_id, user_id, kind, round, output_id, first_id, shown_at)
        VALUES (?1, ?2, ?3, 'repeat', 0, ?4, ?5, ?6) RETURNING id, token, study_id, user_id, kind, round, gold_id,
        output_id, shown_at, rated_at, skips, told";
    let values = params![clock::token().0, study.0, rater.0, output.0, first.0, clock::now().0];
    Ok(conn.prepare_cached(sql)?.query_row(values, row)?)
}

/// The rater's own rated outputs that have not come again, oldest first, with the rating that counts,
/// leaving out the newest `apart`.
pub fn repeatable(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    apart: u32,
) -> Result<Option<(OutputId, RatingId)>, Failure> {
    // The newest in the order in which work was given, hidden probes among them.
    let border: Option<i64> = if apart == 0 {
        Some(i64::MAX)
    } else {
        conn.prepare_cached(
            "SELECT at FROM (
                SELECT rated_at AS at FROM assignments WHERE study_id = ?1 AND user_id = ?2 AND rated_at IS NOT NULL
                UNION ALL
                SELECT rated_at FROM probes
                WHERE study_id = ?1 AND user_id = ?2 AND kind <> 'opening' AND rated_at IS NOT NULL
             ) ORDER BY at DESC LIMIT 1 OFFSET ?3 - 1",
        )?
        .query_row(params![study.0, rater.0, apart], |row| row.get(0))
        .optional()?
    };
    let Some(border) = border else { return Ok(None) };
    Ok(conn
        .prepare_cached(
            "SELECT a.output_id, r.id FROM assignments a
             JOIN ratings r ON r.assignment_id = a.id AND r.superseded_at IS NULL
             WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at < ?3
               AND NOT EXISTS (SELECT 1 FROM probes p
                               WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.output_id = a.output_id)
             ORDER BY a.rated_at LIMIT 1",
        )?
        .query_row(params![study.0, rater.0, border], |row| Ok((OutputId(row.get(0)?), RatingId(row.get(1)?))))
        .optional()?)
}

/// How many of the study's outputs the rater has rated or has in hand, and how many are in hand.
pub fn handed_out(conn: &Connection, study: StudyId, rater: UserId) -> Result<(u64, u64), Failure> {
    let in_hand: u64 = conn
        .prepare_cached(
            "SELECT count(*) FROM assignments
             WHERE study_id = ?1 AND user_id = ?2 AND leased_until IS NOT NULL AND rated_at IS NULL",
        )?
        .query_row(params![study.0, rater.0], |row| row.get(0))?;
    let rated: u64 = conn
        .prepare_cached("SELECT rated FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))?;
    Ok((rated + in_hand, in_hand))
}

/// What was put down and not yet submitted, where there is anything.
pub fn draft(conn: &Connection, probe: i64) -> Result<Option<Draft>, Failure> {
    let json: Option<String> =
        conn.prepare_cached("SELECT draft FROM probes WHERE id = ?1")?.query_row([probe], |row| row.get(0))?;
    Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
}

/// Keeps what was put down.
pub fn save_draft(conn: &Connection, probe: i64, draft: &Draft) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE probes SET draft = ?2 WHERE id = ?1")?
        .execute(params![probe, serde_json::to_string(draft)?])?;
    Ok(())
}

/// The rating of the probe that counts now.
pub fn current(conn: &Connection, probe: i64) -> Result<Option<Draft>, Failure> {
    let json: Option<String> = conn
        .prepare_cached("SELECT draft FROM probe_ratings WHERE probe_id = ?1 AND superseded_at IS NULL")?
        .query_row([probe], |row| row.get(0))
        .optional()?;
    Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
}

/// Whether the submission of that name was stored before.
pub fn stored(conn: &Connection, probe: i64, key: &str) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM probe_ratings WHERE probe_id = ?1 AND key = ?2")?
        .exists(params![probe, key])?)
}

/// Stores a rating of the probe; an earlier one is marked as replaced and stays.
pub fn insert_rating(conn: &Connection, probe: i64, draft: &Draft, key: &str) -> Result<(), Failure> {
    let now = clock::now().0;
    conn.prepare_cached("UPDATE probes SET rated_at = coalesce(rated_at, ?2), draft = NULL WHERE id = ?1")?
        .execute(params![probe, now])?;
    conn.prepare_cached("UPDATE probe_ratings SET superseded_at = ?2 WHERE probe_id = ?1 AND superseded_at IS NULL")?
        .execute(params![probe, now])?;
    conn.prepare_cached("INSERT INTO probe_ratings (probe_id, key, draft, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![probe, key, serde_json::to_string(draft)?, now])?;
    Ok(())
}

/// Takes the rating that counts back: it stays, marked, and what it said is a draft again.
pub fn withdraw(conn: &Connection, probe: i64, said: &Draft) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE probe_ratings SET superseded_at = ?2 WHERE probe_id = ?1 AND superseded_at IS NULL")?
        .execute(params![probe, clock::now().0])?;
    conn.prepare_cached("UPDATE probes SET rated_at = NULL, draft = ?2 WHERE id = ?1")?
        .execute(params![probe, serde_json::to_string(said)?])?;
    Ok(())
}

/// The unmarked probe whose rating is newer than all of the rater's ratings of outputs.
pub fn newest(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<i64>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT p.id FROM probes p JOIN probe_ratings r ON r.probe_id = p.id AND r.superseded_at IS NULL
             WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.kind <> 'opening'
               AND r.at >= coalesce((SELECT max(x.at) FROM ratings x JOIN assignments a ON a.id = x.assignment_id
                   WHERE a.study_id = ?1 AND a.user_id = ?2 AND x.superseded_at IS NULL), 0)
             ORDER BY r.at DESC, r.id DESC LIMIT 1",
        )?
        .query_row(params![study.0, rater.0], |row| row.get(0))
        .optional()?)
}

/// Notes that the rater passed over a probe.
pub fn skip(conn: &Connection, probe: i64) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE probes SET skips = skips + 1, skipped_at = ?2 WHERE id = ?1 AND rated_at IS NULL")?
        .execute(params![probe, clock::now().0])?;
    Ok(())
}

/// Notes that the rater has read the known scores.
pub fn told(conn: &Connection, probe: i64) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE probes SET told = 1 WHERE id = ?1")?.execute([probe])?;
    Ok(())
}

/// The scores of a stored draft, all of which are there.
pub fn scores(json: &str) -> Result<Vec<u8>, Failure> {
    let draft: Draft = serde_json::from_str(json)?;
    Ok(draft.scores.into_iter().flatten().collect())
}

/// An answered probe with what it is held against.
pub struct Answered {
    /// Who answered.
    pub rater: UserId,
    /// What it is.
    pub kind: Kind,
    /// When.
    pub at: Timestamp,
    /// The answer that counts.
    pub draft: Draft,
    /// The known scores, or those of the rater's own first rating.
    pub against: Vec<u8>,
}

/// Every answered probe of the study.
pub fn answered(conn: &Connection, study: StudyId) -> Result<Vec<Answered>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT p.user_id, p.kind, p.rated_at,
            (SELECT r.draft FROM probe_ratings r WHERE r.probe_id = p.id AND r.superseded_at IS NULL),
            coalesce(g.scores,
                (SELECT json_group_array(x.score ORDER BY x.dimension) FROM rating_scores x WHERE x.rating_id = p.first_id))
         FROM probes p LEFT JOIN gold_items g ON g.id = p.gold_id
         WHERE p.study_id = ?1 AND p.rated_at IS NOT NULL ORDER BY p.rated_at",
    )?;
    let rows = statement.query_map([study.0], |row| {
        let kind: String = row.get(1)?;
        Ok((UserId(row.get(0)?), kind, Timestamp(row.get(2)?), row.get::<_, String>(3)?, row.get::<_, String>(4)?))
    })?;
    rows.map(|row| {
        let (rater, kind, at, draft, against) = row?;
        let kind = match kind.as_str() {
            "opening" => Kind::Opening,
            "gold" => Kind::Gold,
            _ => Kind::Repeat,
        };
        Ok(Answered { rater, kind, at, draft: serde_json::from_str(&draft)?, against: serde_json::from_str(&against)? })
    })
    .collect()
}
