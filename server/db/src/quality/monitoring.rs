//! Queries of the live study page and the list of ratings.

use model::{
    ids::{OutputId, StudyId, TaskId, UserId},
    page::Paged,
    quality::{Lease, ListedRating, LiveModel, RatingFilter, TabCounts},
    text::excerpt,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, types::Value};

use crate::{
    page::{self, List, Sort},
    stored::{REVISIONS, optional_json, parsed, scores, table},
};
use base::{clock, error::Failure};

/// A rating that counts.
pub struct TimedRating {
    /// The output.
    pub output: OutputId,
    /// The rater.
    pub rater: UserId,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// When it was submitted.
    pub at: Timestamp,
    /// Active time in milliseconds, if it was measured.
    pub active_ms: Option<u64>,
}

/// Every rating that counts, in chronological order.
pub fn timed_ratings(conn: &Connection, study: StudyId) -> Result<Vec<TimedRating>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT c.output_id, c.user_id, r.at, r.active_ms, c.scores, r.id
         FROM counted c CROSS JOIN ratings r ON r.id = c.rating_id WHERE c.study_id = ?1",
    )?;
    let rows = statement.query_map([study.0], |row| {
        let one = TimedRating {
            output: OutputId(row.get("output_id")?),
            rater: UserId(row.get("user_id")?),
            scores: scores(row, table("counted", &["id"]), "scores")?,
            at: Timestamp(row.get("at")?),
            active_ms: row.get("active_ms")?,
        };
        Ok((row.get::<_, i64>("id")?, one))
    })?;
    let mut found = rows.collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable_by_key(|(id, one)| (one.at, *id));
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

/// Increases with all input of the figures about raters, agreement and disagreements, except settings: the
/// study's revision, ratings of checks (also withdrawn ones), adjudications, extra ratings, and plan events.
pub fn revision(conn: &Connection, study: StudyId) -> Result<[i64; 4], Failure> {
    let one = |sql: &str| conn.prepare_cached(sql)?.query_row([study.0], |row| row.get::<_, i64>(0));
    Ok([
        one("SELECT coalesce((SELECT revision FROM study_revisions WHERE study_id = ?1), 0)")?,
        one(
            "SELECT coalesce(max(r.id), 0) + coalesce(sum(r.replaced_at), 0) FROM checks p JOIN check_ratings r ON r.check_id = p.id WHERE p.study_id = ?1",
        )?,
        one("SELECT count(*) FROM extra_assignments WHERE study_id = ?1")?,
        one("SELECT coalesce(max(id), 0) FROM plan_events WHERE study_id = ?1")?,
    ])
}

/// What waits on each of the study's pages; `None` if there is no such study.
pub fn tabs(conn: &Connection, study: StudyId) -> Result<Option<TabCounts>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT (SELECT count(*) FROM study_raters m WHERE m.study_id = s.id) AS raters,
                 coalesce((SELECT t.ratings FROM study_revisions t WHERE t.study_id = s.id), 0) AS ratings,
                 (SELECT count(*) FROM inbox i WHERE i.kind IN ('flag', 'check_flag') AND i.study_id = s.id
                                                 AND i.done_at IS NULL) AS flags,
                 (SELECT coalesce(sum(c.outputs), 0) FROM disagreement_counts c
                  WHERE c.study_id = s.id AND c.state IN (0, 1)) AS disagreements
             FROM studies s WHERE s.id = ?1",
        )?
        .query_row([study.0], |row| {
            Ok(TabCounts {
                study,
                raters: row.get("raters")?,
                ratings: row.get("ratings")?,
                flags: row.get("flags")?,
                disagreements: row.get("disagreements")?,
            })
        })
        .optional()?)
}

/// The progress of each model, in the order of the study's submissions.
pub fn models(conn: &Connection, study: StudyId) -> Result<Vec<LiveModel>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.name, sum(c.done) AS done, sum(c.wanted) AS wanted
         FROM study_counts c
         JOIN submissions s ON s.id = c.submission_id JOIN models m ON m.id = s.model_id
         LEFT JOIN study_submissions x ON x.study_id = c.study_id AND x.submission_id = s.id
         WHERE c.study_id = ?1 AND c.wanted > 0 GROUP BY m.id ORDER BY min(x.position)",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(LiveModel { id: row.get("id")?, name: row.get("name")?, done: row.get("done")?, wanted: row.get("wanted")? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Outputs that are currently leased, in the order in which leases expire.
pub fn leases(conn: &Connection, study: StudyId) -> Result<Vec<Lease>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.name AS rater, t.external_id, t.id, m.name AS model, a.shown_at, a.leased_until
         FROM assignments a
         JOIN users u ON u.id = a.user_id
         JOIN outputs o ON o.id = a.output_id
         JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
         JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
         WHERE a.study_id = ?1 AND a.rated_at IS NULL AND a.leased_until >= ?2 ORDER BY a.leased_until",
    )?;
    let rows = statement.query_map([study.0, clock::now().0], |row| {
        Ok(Lease {
            rater: row.get("rater")?,
            task_id: row.get("external_id")?,
            task: TaskId(row.get("id")?),
            model: row.get("model")?,
            since: row.get::<_, Option<i64>>("shown_at")?.map(Timestamp),
            until: Timestamp(row.get("leased_until")?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A page of the matching ratings with their number, newest first unless asked otherwise.
pub fn ratings(conn: &Connection, study: StudyId, filter: &RatingFilter) -> Result<Paged<ListedRating>, Failure> {
    let mut conditions = String::from("1");
    let mut values: Vec<Value> = Vec::new();
    // The parameters before the filter's: the page's two, and the study.
    let mut narrow = |condition: &str, value: Value| {
        values.push(value);
        conditions.push_str(&format!(" AND {}", condition.replace('#', &format!("?{}", values.len() + 3))));
    };
    if let Some(rater) = filter.rater {
        narrow("c.user_id = #", rater.into());
    }
    if let Some(group) = filter.group {
        narrow("c.user_id IN (SELECT user_id FROM person_group_members WHERE group_id = #)", group.into());
    }
    if let Some(model) = filter.model {
        narrow("m.id = #", model.into());
    }
    if let Some(lang) = filter.nl_lang {
        narrow("v.nl_lang = #", lang.code().to_owned().into());
    }
    // A digit per dimension.
    let place = |dimension| i64::try_from(dimension).unwrap_or(i64::MAX).saturating_add(1);
    match (filter.dimension, filter.score) {
        (Some(dimension), Some(score)) => {
            narrow(&format!("substr(c.scores, {}, 1) = #", place(dimension)), score.to_string().into());
        }
        (Some(dimension), None) => narrow("length(c.scores) >= #", place(dimension).into()),
        (None, Some(score)) => narrow("instr(c.scores, #) > 0", score.to_string().into()),
        (None, None) => {}
    }
    if let Some(seconds) = filter.faster_than_s {
        narrow("r.active_ms < #", (i64::from(seconds) * 1000).into());
    }
    if filter.flagged {
        conditions.push_str(" AND r.flag IS NOT NULL");
    }
    if filter.has_disagreement {
        conditions.push_str(&format!(" AND {APART}"));
    }
    let params: Vec<&dyn ToSql> =
        [&study.0 as &dyn ToSql].into_iter().chain(values.iter().map(|value| value as _)).collect();
    let columns = format!(
        "r.id, c.output_id, t.id AS task, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, m.name AS model,
            u.name AS rater, c.scores,
            r.comment, r.flag, r.at, r.active_ms, {APART} AS has_disagreement"
    );
    let list = List {
        columns: &columns,
        table: "counted c",
        joins: RATED,
        id: "c.rating_id",
        within: "c.study_id = ?3",
        filter: &conditions,
        sorts: &[Sort::number("submitted", "c.rating_id")],
        usual: "-submitted",
        search: "t.external_id || ' ' || v.raw_nl || ' ' || r.comment",
        filters: &[],
    };
    let mut of = filter.page.clone();
    of.counted = true;
    if of.which.search.is_empty() {
        of.which.search.clone_from(&filter.text);
    }
    page::page(conn, &list, &of, &params, listed)
}

/// Whether the raters of a rating's output are further apart than the study allows.
const APART: &str = "EXISTS (SELECT 1 FROM disagreements x
    WHERE x.study_id = c.study_id AND x.output_id = c.output_id AND x.spread_exceeded)";

/// Joins a rating that counts, `c`, to the output that it rates.
const RATED: &str = "CROSS JOIN ratings r ON r.id = c.rating_id
    CROSS JOIN users u ON u.id = c.user_id
    CROSS JOIN outputs o ON o.id = c.output_id
    CROSS JOIN submissions s ON s.id = o.submission_id CROSS JOIN models m ON m.id = s.model_id
    CROSS JOIN task_revisions v ON v.id = o.revision_id CROSS JOIN tasks t ON t.id = v.task_id";

fn listed(row: &Row<'_>) -> rusqlite::Result<ListedRating> {
    Ok(ListedRating {
        id: row.get("id")?,
        output: OutputId(row.get("output_id")?),
        task: TaskId(row.get("task")?),
        task_id: row.get("external_id")?,
        raw_nl: excerpt(&row.get::<_, String>("raw_nl")?, 160),
        nl_lang: parsed(row, REVISIONS, "nl_lang")?,
        model: row.get("model")?,
        rater: row.get("rater")?,
        scores: scores(row, table("counted", &["id"]), "scores")?,
        comment: row.get("comment")?,
        flag: optional_json(row, table("ratings", &["id"]), "flag")?,
        at: Timestamp(row.get("at")?),
        active_ms: row.get("active_ms")?,
        has_disagreement: row.get("has_disagreement")?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use super::*;
    use crate::Db;

    /// Steps of SQLite's machine for a page of the ratings of a study that has so many. Nothing but the ratings is there,
    /// so every one of them is looked up and none is listed.
    fn steps(ratings: i64, filter: &RatingFilter) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        db.write_blocking(|tx| {
            let insert = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO counted (study_id, output_id, rating_id, user_id, scores) SELECT 1, i, i, i % 9, '123' FROM n";
            Ok(tx.execute(insert, [ratings])?)
        })
        .unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let counting = Arc::clone(&count);
        let mut conn = crate::connect(db.path(), rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let count_one = move || {
            counting.fetch_add(1, Ordering::Relaxed);
            false
        };
        conn.progress_handler(1, Some(count_one)).unwrap();
        super::ratings(&conn, StudyId(1), filter).unwrap();
        count.load(Ordering::Relaxed)
    }

    #[test]
    fn cost_of_a_rating_in_the_list_is_the_same_in_a_large_study() {
        let check = |filter: RatingFilter| {
            let (few, many) = (steps(100, &filter), steps(2_000, &filter));
            assert!(many <= 25 * few, "{many} steps for 2,000 ratings, {few} for 100: {filter:?}");
        };
        check(RatingFilter::default());
        check(RatingFilter { rater: Some(3), ..RatingFilter::default() });
    }
}
