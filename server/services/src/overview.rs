//! The admins' first page: what waits, what is late, what is in progress, and what changed.

use async_trait::async_trait;
use model::{
    caller::Admin,
    day::Day,
    error::Answer,
    ids::{StudyId, UserId},
    overview::{OVERVIEW_DAYS, OVERVIEW_ROWS, Overview, PACE_DAYS, StudyPace, VISIT_MS},
    page::{PageOf, Which},
    study::IDLE_DAYS,
    time::{DAY_MS, Timestamp},
};
use port::overview::Overviews;
use rusqlite::Connection;

use super::{Services, quality::monitoring};
use base::{clock, error::Failure};
use db::{collections, overview, studies};

/// A visit is recorded again after this long, in milliseconds: what is open all day writes little.
const RECORDED_MS: i64 = 5 * 60 * 1000;

#[async_trait]
impl Overviews for Services {
    async fn get(&self, admin: &Admin) -> Answer<Overview> {
        let now = clock::now();
        let last_visit = match admin.id() {
            Some(user) => self.visit(user, now).await?,
            None => None,
        };
        let quality = self.quality.clone();
        let name = admin.person().map(|person| person.name.clone()).unwrap_or_default();
        let read = move |conn: &Connection| {
            let agreement = |study| monitoring::least_agreement(&quality, conn, study);
            found(conn, now, last_visit, &name, agreement)
        };
        Ok(self.db.read_long(read).await?)
    }
}

impl Services {
    /// Records that an admin is there, and returns when the visit before this one ended.
    async fn visit(&self, user: UserId, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        let (at, before) = self.db.read(move |conn| overview::visit(conn, user)).await?;
        let begins = at.is_some_and(|at| now.0 - at.0 > VISIT_MS);
        if at.is_none_or(|at| now.0 - at.0 > RECORDED_MS) {
            self.db.write(move |tx| overview::visited(tx, user, now, begins)).await?;
        }
        Ok(if begins { at } else { before })
    }
}

/// The least agreement of a study's raters, with the dimension's name.
type Agreement = Option<(model::lang::Bilingual, f64)>;

/// What the overview shows, for an admin of this name.
pub(crate) fn found(
    conn: &Connection,
    now: Timestamp,
    last_visit: Option<Timestamp>,
    name: &str,
    agreement: impl Fn(StudyId) -> Result<Agreement, Failure>,
) -> Result<Overview, Failure> {
    let today = now.0.div_euclid(DAY_MS);
    let first = today + 1 - OVERVIEW_DAYS as i64;
    let ratings = overview::ratings_since(conn, Timestamp(first * DAY_MS))?;
    let mut in_progress = Vec::new();
    for (id, started_at) in overview::in_progress(conn)? {
        let Some(row) = studies::get(conn, id)? else { continue };
        let recent = ratings.range((id, today + 1 - PACE_DAYS)..=(id, today)).map(|(_, count)| count).sum();
        let days_left = row.due.map(|due| due.number() + 1 - today);
        let started = started_at.map_or(today, |at| at.0.div_euclid(DAY_MS));
        let days = (today + 1 - started).clamp(1, PACE_DAYS).unsigned_abs();
        in_progress.push(StudyPace { row, recent, days, days_left, agreement: agreement(id)? });
    }
    let day = |number: i64| {
        let count = ratings.iter().filter(|((_, day), _)| *day == number).map(|(_, count)| count).sum();
        Some((Day::of(Timestamp(number * DAY_MS))?, count))
    };
    let needed = overview::due(conn)?.into_iter().filter(|(left, _)| *left > 0).map(|(left, due)| {
        let days = due.number() + 1 - today;
        left.div_ceil(u64::try_from(days).unwrap_or(0).max(1))
    });
    let needed: Vec<u64> = needed.collect();
    let (late_raters, more_late) = overview::late_raters(conn, Timestamp(now.0 - IDLE_DAYS * DAY_MS))?;
    let running = Which { filters: vec![("status".to_owned(), "running".to_owned())], ..Which::default() };
    let rows = u32::try_from(OVERVIEW_ROWS).unwrap_or(PageOf::MOST);
    let counts = overview::counts(conn)?;
    Ok(Overview {
        has_datasets: counts.has_datasets,
        has_submissions: counts.has_submissions,
        has_raters: counts.has_raters,
        studies: counts.studies,
        open_studies: counts.open_studies,
        waiting: overview::waiting(conn)?,
        in_progress,
        late_raters,
        more_late,
        days: (first..=today).filter_map(day).collect(),
        needed_a_day: (!needed.is_empty()).then(|| needed.iter().sum()),
        runs: overview::open_runs(conn)?,
        collections: collections::list(conn, &PageOf { which: running, ..PageOf::first(rows) })?.rows,
        changes: overview::changes(conn, last_visit, name)?,
        last_visit,
    })
}
