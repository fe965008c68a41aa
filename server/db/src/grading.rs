//! The rater's side: assignments, leases, drafts, ratings.
//!
//! Every query is for one rater of one study; nothing here selects a model or a submission.

use model::{
    code_lang::CodeLang,
    flag::Flag,
    grading::{Draft, OwnRating, Warning},
    ids::{OutputId, StudyId, Token, UserId},
    lang::Lang,
    plan::Reads,
    rubric::Rubric,
    study::{StudySettings, StudyStatus},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    events, instruction_answers, notes,
    stored::{REVISIONS, json, optional_json, parsed, table},
};
use base::{clock, error::Failure};

/// A study as its raters see it.
#[derive(Clone)]
pub struct RaterStudy {
    pub id: StudyId,
    /// Its opaque name.
    pub token: Token,

    pub title: String,
    /// Whether it accepts ratings.
    pub status: StudyStatus,
    /// Seed of the order.
    pub seed: u64,

    pub rubric: Rubric,
    pub settings: StudySettings,
    /// The languages in which it assigns work to this rater.
    pub reads: Reads,
    /// The rater's maximum share, if shares are set by hand.
    pub share: Option<u32>,
    /// Whether the rater is paused.
    pub paused: bool,
    /// The warning that the rater has not read.
    pub warning: Option<Warning>,
}

/// The study with this opaque name, if the user is one of its raters.
pub fn study(conn: &Connection, token: &Token, rater: UserId) -> Result<Option<RaterStudy>, Failure> {
    one_study(conn, "s.token = ?1", &token.0, rater)
}

/// The study with this id, if the user is one of its raters.
pub fn study_of(conn: &Connection, id: StudyId, rater: UserId) -> Result<Option<RaterStudy>, Failure> {
    one_study(conn, "s.id = CAST(?1 AS INTEGER)", &id.0.to_string(), rater)
}

/// Every study in which the user rates, newest first.
pub fn studies(conn: &Connection, rater: UserId) -> Result<Vec<RaterStudy>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.token FROM studies s JOIN study_raters m ON m.study_id = s.id 
         WHERE m.user_id = ?1 AND m.removed_at IS NULL AND s.status <> 'draft' ORDER BY s.id DESC",
    )?;
    let tokens = statement.query_map([rater.0], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    tokens.iter().filter_map(|token| one_study(conn, "s.token = ?1", token, rater).transpose()).collect()
}

fn warning(row: &Row<'_>, settings: &StudySettings) -> rusqlite::Result<Warning> {
    Ok(Warning {
        fast: row.get("fast")?,
        of: row.get("items")?,
        seconds: settings.quality.min_seconds,
        far: row.get("far")?,
    })
}

fn one_study(conn: &Connection, which: &str, value: &str, rater: UserId) -> Result<Option<RaterStudy>, Failure> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT s.id, s.token, s.title, s.status, s.seed, r.id AS rubric_id, r.json, m.user_id, m.reads,
                m.share,
                l.paused_at IS NOT NULL AS paused, coalesce(l.warned, 0) AS warned, l.fast, l.items, l.missed > 0 AS far,
                s.settings
             FROM studies s
             JOIN rubrics r ON r.id = s.rubric_id
             JOIN study_raters m ON m.study_id = s.id AND m.user_id = ?2 AND m.removed_at IS NULL
             LEFT JOIN rater_limits l ON l.study_id = s.id AND l.user_id = ?2
             WHERE {which} AND s.status <> 'draft'"
        ))?
        .query_row(params![value, rater.0], |row| {
            let (study, member) = (table("all_studies", &["id"]), table("study_raters", &["id", "user_id"]));
            let settings: StudySettings = json(row, study, "settings")?;
            Ok(RaterStudy {
                id: StudyId(row.get("id")?),
                token: Token(row.get("token")?),
                title: row.get("title")?,
                status: parsed(row, study, "status")?,
                seed: parsed(row, study, "seed")?,
                rubric: json(row, table("rubrics", &["rubric_id"]), "json")?,
                reads: parsed(row, member, "reads")?,
                share: row.get("share")?,
                paused: row.get("paused")?,
                warning: row.get::<_, bool>("warned")?.then(|| warning(row, &settings)).transpose()?,
                settings,
            })
        })
        .optional()?)
}

/// The name under which the rater knows an output, created on first use.
pub fn handout(conn: &Connection, study: StudyId, output: OutputId, rater: UserId) -> Result<Token, Failure> {
    let known = conn
        .prepare_cached("SELECT token FROM handouts WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .query_row(params![study.0, output.0, rater.0], |row| row.get(0))
        .optional()?;
    if let Some(token) = known {
        return Ok(Token(token));
    }
    let token = clock::token();
    conn.prepare_cached("INSERT INTO handouts (token, study_id, output_id, user_id) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![token.0, study.0, output.0, rater.0])?;
    Ok(token)
}

/// The output behind a name that this rater was given.
pub fn handed(conn: &Connection, token: &Token, rater: UserId) -> Result<Option<(RaterStudy, OutputId)>, Failure> {
    let found: Option<(String, i64)> = conn
        .prepare_cached(
            "SELECT s.token, h.output_id FROM handouts h JOIN studies s ON s.id = h.study_id
             WHERE h.token = ?1 AND h.user_id = ?2",
        )?
        .query_row(params![token.0, rater.0], |row| Ok((row.get("token")?, row.get("output_id")?)))
        .optional()?;
    let Some((study_token, output)) = found else { return Ok(None) };
    Ok(study(conn, &Token(study_token), rater)?.map(|study| (study, OutputId(output))))
}

/// The texts of an output and of its task as they are stored. Raters read them through `services::visible_texts`, which
/// masks names.
pub struct StoredTexts {
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// The requested signature.
    pub signature: Option<String>,
    /// The requested programming language.
    pub code_lang: CodeLang,
    pub code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
}

impl StoredTexts {
    /// Reads the columns `revision_id`, `raw_nl`, `nl_lang`, `signature`, `code_lang`, `code` and `surrounding_text`.
    pub fn of_row(row: &Row<'_>) -> rusqlite::Result<StoredTexts> {
        Ok(StoredTexts {
            raw_nl: row.get("raw_nl")?,
            nl_lang: parsed(row, REVISIONS, "nl_lang")?,
            signature: row.get("signature")?,
            code_lang: parsed(row, REVISIONS, "code_lang")?,
            code: row.get("code")?,
            surrounding_text: row.get("surrounding_text")?,
        })
    }
}

/// The texts of an output and of its task.
pub fn texts(conn: &Connection, output: OutputId) -> Result<StoredTexts, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT t.id AS revision_id, t.raw_nl, t.nl_lang, t.signature, o.visible_code AS code, o.surrounding_text, t.code_lang
             FROM outputs o JOIN task_revisions t ON t.id = o.revision_id WHERE o.id = ?1",
        )?
        .query_row([output.0], StoredTexts::of_row)?)
}

/// The names of the items rated before and after this one, including hidden checks. For an unrated item: the
/// one rated last, and none.
pub fn neighbors(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    rated_at: Option<Timestamp>,
) -> Result<(Option<Token>, Option<Token>), Failure> {
    let find = |condition: &str, order: &str| {
        conn.prepare_cached(&format!(
            "SELECT token FROM (
                 SELECT * FROM (
                     SELECT h.token, a.rated_at FROM assignments a
                     JOIN handouts h ON h.study_id = a.study_id AND h.output_id = a.output_id AND h.user_id = a.user_id
                     WHERE a.study_id = ?1 AND a.user_id = ?2 AND {condition} ORDER BY a.rated_at {order} LIMIT 1)
                 UNION ALL
                 SELECT * FROM (
                     SELECT a.token, a.rated_at FROM checks a
                     WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.kind <> 'calibration' AND {condition}
                     ORDER BY a.rated_at {order} LIMIT 1)
             ) ORDER BY rated_at {order} LIMIT 1"
        ))?
        .query_row(params![study.0, rater.0, rated_at.map_or(i64::MAX, |t| t.0)], |row| row.get(0))
        .optional()
    };
    let before: Option<String> = find("a.rated_at < ?3", "DESC")?;
    let after: Option<String> = find("a.rated_at > ?3", "ASC")?;
    Ok((before.map(Token), after.map(Token)))
}

pub fn draft(conn: &Connection, study: StudyId, output: OutputId, rater: UserId) -> Result<Option<Draft>, Failure> {
    let query = "SELECT study_id, output_id, user_id, json FROM drafts
        WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3";
    let drafts = table("drafts", &["study_id", "output_id", "user_id"]);
    Ok(conn
        .prepare_cached(query)?
        .query_row(params![study.0, output.0, rater.0], |row| json(row, drafts, "json"))
        .optional()?)
}

/// Stores a draft; the newest wins.
pub fn save_draft(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    draft: &Draft,
) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO drafts (study_id, output_id, user_id, json, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET json = excluded.json, updated_at = excluded.updated_at",
    )?
    .execute(params![study.0, output.0, rater.0, serde_json::to_string(draft)?, clock::now().0])?;
    Ok(())
}

/// The rating of this rater that counts, as an equal draft: its scores, then its answers about instructions.
pub fn current(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    dimensions: usize,
) -> Result<Option<Draft>, Failure> {
    let found: Option<(i64, String, Option<Flag>)> = conn
        .prepare_cached(
            "SELECT r.id, r.comment, r.flag FROM ratings r JOIN assignments a ON a.id = r.assignment_id
             WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.user_id = ?3 AND r.replaced_at IS NULL",
        )?
        .query_row(params![study.0, output.0, rater.0], |row| {
            Ok((row.get("id")?, row.get("comment")?, optional_json(row, table("ratings", &["id"]), "flag")?))
        })
        .optional()?;
    let Some((id, comment, flag)) = found else { return Ok(None) };
    let (mut scores, notes) = (scores(conn, id, dimensions)?, notes::of(conn, notes::Of::Work, id)?);
    scores.extend(instruction_answers::of_rating(conn, id)?);
    Ok(Some(Draft { scores, comment, flag, notes, active_ms: None }))
}

fn scores(conn: &Connection, rating: i64, dimensions: usize) -> Result<Vec<Option<u8>>, Failure> {
    let mut scores = vec![None; dimensions];
    let mut statement = conn.prepare_cached("SELECT dimension, score FROM rating_scores WHERE rating_id = ?1")?;
    for row in statement.query_map([rating], |row| Ok((row.get::<_, usize>("dimension")?, row.get("score")?)))? {
        let (dimension, score) = row?;
        if let Some(place) = scores.get_mut(dimension) {
            *place = Some(score);
        }
    }
    Ok(scores)
}

/// Whether this rater's submission with this key is already stored, whichever of the output's assignments
/// the rater had at the time.
pub fn stored(conn: &Connection, study: StudyId, output: OutputId, rater: UserId, key: &str) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM ratings r JOIN assignments a ON a.id = r.assignment_id
             WHERE a.study_id = ?1 AND a.output_id = ?2 AND r.user_id = ?3 AND r.key = ?4",
        )?
        .exists(params![study.0, output.0, rater.0, key])?)
}

/// Stores a rating of an output that is leased to the rater, and returns its number. Their earlier one is marked as replaced and
/// kept. Deletes the draft and the skip mark.
pub fn insert_rating(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    draft: &Draft,
    key: &str,
) -> Result<i64, Failure> {
    let now = events::next(conn, study, rater)?.0;
    let (assignment, shown_at): (i64, Option<i64>) = conn
        .prepare_cached(
            "UPDATE assignments SET rated_at = coalesce(rated_at, ?4), leased_until = NULL
             WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3 RETURNING id, shown_at",
        )?
        .query_row(params![study.0, output.0, rater.0, now], |row| Ok((row.get("id")?, row.get("shown_at")?)))?;
    conn.prepare_cached("UPDATE ratings SET replaced_at = ?2 WHERE assignment_id = ?1 AND replaced_at IS NULL")?
        .execute(params![assignment, now])?;
    let flag = draft.flag.as_ref().map(serde_json::to_string).transpose()?;
    let rating: i64 = conn
        .prepare_cached(
            "INSERT INTO ratings (assignment_id, user_id, key, comment, flag, shown_at, at, active_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        )?
        .query_row(params![assignment, rater.0, key, draft.comment, flag, shown_at, now, draft.active_ms], |row| {
            row.get(0)
        })?;
    let mut insert =
        conn.prepare_cached("INSERT INTO rating_scores (rating_id, dimension, score) VALUES (?1, ?2, ?3)")?;
    for (dimension, score) in draft.scores.iter().enumerate() {
        if let Some(score) = score {
            insert.execute(params![rating, dimension, score])?;
        }
    }
    notes::insert(conn, notes::Of::Work, rating, &draft.notes)?;
    for table in ["drafts", "skips"] {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3"))?
            .execute(params![study.0, output.0, rater.0])?;
    }
    Ok(rating)
}

/// A rater's rating, and by what it is found and told apart.
pub struct Own {
    pub output: OutputId,
    /// The code that raters see, before names are masked.
    pub code: String,
    pub comment: String,
    pub rating: OwnRating,
}

/// The ratings of a rater's work that count, newest first.
pub fn own(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<Vec<Own>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.id, h.token, t.id AS revision_id, t.raw_nl, t.nl_lang, r.comment, r.flag IS NOT NULL AS flagged,
             a.rated_at, a.output_id, o.visible_code AS code
         FROM assignments a
         JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
         JOIN handouts h ON h.study_id = a.study_id AND h.output_id = a.output_id AND h.user_id = a.user_id
         JOIN outputs o ON o.id = a.output_id
         JOIN task_revisions t ON t.id = o.revision_id
         WHERE a.study_id = ?1 AND a.user_id = ?2
         ORDER BY a.rated_at DESC",
    )?;
    let rows = statement.query_map(params![study.id.0, rater.0], |row| {
        let comment: String = row.get("comment")?;
        let rating = OwnRating {
            token: Token(row.get("token")?),
            at: Timestamp(row.get("rated_at")?),
            raw_nl: row.get("raw_nl")?,
            nl_lang: parsed(row, REVISIONS, "nl_lang")?,
            scores: Vec::new(),
            scales: study.rubric.scales(),
            commented: !comment.is_empty(),
            flagged: row.get("flagged")?,
            notes: Vec::new(),
        };
        let own = Own { output: OutputId(row.get("output_id")?), code: row.get("code")?, comment, rating };
        Ok((row.get::<_, i64>("id")?, own))
    })?;
    rows.map(|row| {
        let (id, mut own) = row?;
        own.rating.scores = scores(conn, id, study.rubric.dimensions.len())?;
        if study.rubric.instructions {
            own.rating.scores.extend(instruction_answers::of_rating(conn, id)?);
        }
        own.rating.notes = notes::of(conn, notes::Of::Work, id)?;
        Ok(own)
    })
    .collect()
}
