//! What the live study page and the list of ratings show.

use app::model::{
    ids::{OutputId, StudyId, TaskId, UserId},
    quality::{Lease, ListedRating, LiveModel, RATINGS_PAGE, RatingFilter},
    text::excerpt,
    time::Timestamp,
};
use rusqlite::{Connection, params_from_iter, types::Value};

use super::disputes::digits;
use crate::{clock, db::accounts::parsed, error::Failure, stats::raters::Given};

/// Every rating that counts, in the order of time.
pub fn given(conn: &Connection, study: StudyId) -> Result<Vec<Given<OutputId, UserId>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT c.output_id, c.user_id, r.at, r.active_ms, c.scores, r.id
         FROM counted c CROSS JOIN ratings r ON r.id = c.rating_id WHERE c.study_id = ?1",
    )?;
    let rows = statement.query_map([study.0], |row| {
        let one = Given {
            output: OutputId(row.get(0)?),
            rater: UserId(row.get(1)?),
            scores: digits(row.get_ref(4)?.as_str()?),
            at: Timestamp(row.get(2)?),
            active_ms: row.get(3)?,
        };
        Ok((row.get::<_, i64>(5)?, one))
    })?;
    let mut found = rows.collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable_by_key(|(id, one)| (one.at, *id));
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

/// What goes up with everything that figures about raters, agreement and disagreements are computed
/// from, settings aside: the study's stamp, answers to probes (also one that is withdrawn), decisions, extra ratings asked for, changes of the plan.
pub fn stamp(conn: &Connection, study: StudyId) -> Result<[i64; 5], Failure> {
    let one = |sql: &str| conn.prepare_cached(sql)?.query_row([study.0], |row| row.get::<_, i64>(0));
    Ok([
        one("SELECT coalesce((SELECT stamp FROM study_stamps WHERE study_id = ?1), 0)")?,
        one(
            "SELECT coalesce(max(r.id), 0) + coalesce(sum(r.superseded_at), 0) FROM probes p JOIN probe_ratings r ON r.probe_id = p.id WHERE p.study_id = ?1",
        )?,
        one("SELECT coalesce(max(id), 0) FROM adjudications WHERE study_id = ?1")?,
        one("SELECT count(*) FROM extra_assignments WHERE study_id = ?1")?,
        one("SELECT coalesce(max(id), 0) FROM plan_events WHERE study_id = ?1")?,
    ])
}

/// How far each model is, in the order of the study's submissions.
pub fn models(conn: &Connection, study: StudyId) -> Result<Vec<LiveModel>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.name, count(a.rated_at), count(*)
         FROM assignments a
         CROSS JOIN outputs o ON o.id = a.output_id
         JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
         LEFT JOIN study_submissions x ON x.study_id = a.study_id AND x.submission_id = s.id
         WHERE a.study_id = ?1 GROUP BY m.id ORDER BY min(x.position)",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(LiveModel { id: row.get(0)?, name: row.get(1)?, done: row.get(2)?, wanted: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Outputs in somebody's hands now, those that run out first at the front.
pub fn leases(conn: &Connection, study: StudyId) -> Result<Vec<Lease>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.name, t.external_id, t.id, m.name, a.shown_at, a.leased_until
         FROM assignments a
         JOIN users u ON u.id = a.user_id
         JOIN outputs o ON o.id = a.output_id
         JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
         JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
         WHERE a.study_id = ?1 AND a.rated_at IS NULL AND a.leased_until >= ?2 ORDER BY a.leased_until",
    )?;
    let rows = statement.query_map([study.0, clock::now().0], |row| {
        Ok(Lease {
            rater: row.get(0)?,
            task_id: row.get(1)?,
            task: TaskId(row.get(2)?),
            model: row.get(3)?,
            since: row.get::<_, Option<i64>>(4)?.map(Timestamp),
            until: Timestamp(row.get(5)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A page of the ratings that fit, newest first, and how many fit in all. `disputed` are the outputs
/// whose raters disagree beyond the threshold.
pub fn ratings(
    conn: &Connection,
    study: StudyId,
    filter: &RatingFilter,
    disputed: &[OutputId],
) -> Result<(u64, Vec<ListedRating>), Failure> {
    let ids: Vec<i64> = disputed.iter().map(|id| id.0).collect();
    let mut wanted = String::from("a.study_id = ?1 AND r.superseded_at IS NULL");
    let mut values = vec![Value::from(study.0), Value::from(serde_json::to_string(&ids)?)];
    let mut narrow = |condition: &str, value: Value| {
        values.push(value);
        wanted.push_str(&format!(" AND {}", condition.replace('#', &format!("?{}", values.len()))));
    };
    if let Some(rater) = filter.rater {
        narrow("r.user_id = #", rater.into());
    }
    if let Some(model) = filter.model {
        narrow("m.id = #", model.into());
    }
    if let Some(lang) = filter.lang {
        narrow("v.lang = #", lang.code().to_owned().into());
    }
    if let Some(dimension) = filter.dimension {
        let dimension = i64::try_from(dimension).unwrap_or(i64::MAX);
        match filter.score {
            Some(score) => {
                // Both in one value: a condition has one.
                let value = serde_json::to_string(&[dimension, i64::from(score)])?;
                let which = "(SELECT x.score FROM rating_scores x WHERE x.rating_id = r.id
                    AND x.dimension = json_extract(#, '$[0]')) = json_extract(#, '$[1]')";
                narrow(which, value.into());
            }
            None => narrow(
                "EXISTS (SELECT 1 FROM rating_scores x WHERE x.rating_id = r.id AND x.dimension = #)",
                dimension.into(),
            ),
        }
    }
    if filter.flagged {
        wanted_push(&mut narrow, "r.flag IS NOT NULL");
    }
    if filter.disputed {
        wanted_push(&mut narrow, "a.output_id IN (SELECT value FROM json_each(?2))");
    }
    if !filter.text.trim().is_empty() {
        let text = filter.text.trim().to_lowercase();
        narrow("instr(lower(t.external_id || ' ' || v.raw_nl || ' ' || r.comment), #) > 0", text.into());
    }
    const FROM: &str = "FROM assignments a JOIN ratings r ON r.assignment_id = a.id
        JOIN users u ON u.id = r.user_id
        JOIN outputs o ON o.id = a.output_id
        JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
        JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id";
    let found: u64 = conn
        .prepare_cached(&format!("SELECT count(*), ?2 {FROM} WHERE {wanted}"))?
        .query_row(params_from_iter(&values), |row| row.get(0))?;
    let skip = i64::from(filter.page) * i64::from(RATINGS_PAGE);
    values.push(skip.into());
    let mut statement = conn.prepare_cached(&format!(
        "SELECT t.id, t.external_id, v.raw_nl, v.lang, m.name, u.name,
            (SELECT json_group_array(x.score ORDER BY x.dimension) FROM rating_scores x WHERE x.rating_id = r.id),
            r.comment, r.flag, r.at, r.active_ms, a.output_id IN (SELECT value FROM json_each(?2))
         {FROM} WHERE {wanted} ORDER BY r.at DESC, r.id DESC
         LIMIT {RATINGS_PAGE} OFFSET ?{}",
        values.len()
    ))?;
    let rows = statement.query_map(params_from_iter(&values), |row| {
        let listed = ListedRating {
            task: TaskId(row.get(0)?),
            task_id: row.get(1)?,
            raw_nl: excerpt(&row.get::<_, String>(2)?, 160),
            lang: parsed(row, 3)?,
            model: row.get(4)?,
            rater: row.get(5)?,
            scores: Vec::new(),
            comment: row.get(7)?,
            flag: None,
            at: Timestamp(row.get(9)?),
            active_ms: row.get(10)?,
            disputed: row.get(11)?,
        };
        Ok((row.get::<_, String>(6)?, row.get::<_, Option<String>>(8)?, listed))
    })?;
    let rows = rows
        .map(|row| {
            let (scores, flag, listed) = row?;
            let flag = flag.map(|json| serde_json::from_str(&json)).transpose()?;
            Ok(ListedRating { scores: serde_json::from_str(&scores)?, flag, ..listed })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok((found, rows))
}

/// A condition that needs no value of its own.
fn wanted_push(narrow: &mut impl FnMut(&str, Value), condition: &str) {
    narrow(&format!("({condition}) AND # IS NULL"), Value::Null);
}
