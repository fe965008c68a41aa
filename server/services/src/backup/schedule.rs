//! Daily backups, and how long they are kept.

use std::{collections::BTreeSet, path::PathBuf, str::FromStr, time::Duration};

use model::{
    caller::System,
    error::AppError,
    time::{DAY_MS, Timestamp},
};
use prometheus_client::metrics::{counter::Counter, gauge::Gauge};
use time::OffsetDateTime;

use super::{Made, store::Store};
use crate::{Services, routines};
use base::{clock, error::Failure};
use db::{copy, routines::Routine};

/// How often the server looks whether a backup is due.
const LOOK: Duration = Duration::from_secs(10 * 60);

/// A backup that lies this far in the future was made with a wrong clock, and counts for nothing.
const AHEAD_MS: i64 = 60 * 60 * 1000;

/// How many backups are kept: the newest of each of the newest days, weeks and months that have one. Days are those of
/// UTC, and weeks begin on Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    pub days: usize,
    pub weeks: usize,
    pub months: usize,
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        let numbers = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<usize>>>();
        match numbers.as_deref() {
            Some(&[days, weeks, months]) if days > 0 => Ok(Keep { days, weeks, months }),
            _ => Err("write the numbers of days (at least 1), weeks and months, such as 7,5,12".into()),
        }
    }
}

impl std::fmt::Display for Keep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{}", self.days, self.weeks, self.months)
    }
}

impl Keep {
    /// Selects the times to keep, from times in any order.
    fn kept(self, times: &[Timestamp]) -> BTreeSet<Timestamp> {
        let mut newest_first = times.to_vec();
        newest_first.sort_by(|a, b| b.cmp(a));
        let day = |time: &Timestamp| time.0.div_euclid(DAY_MS);
        // 1 January 1970 was a Thursday.
        let week = |time: &Timestamp| (day(time) + 3).div_euclid(7);
        let month = |time: &Timestamp| {
            let date = OffsetDateTime::from_unix_timestamp(time.0.div_euclid(1000));
            date.map_or(i64::MAX, |date| i64::from(date.year()) * 12 + i64::from(u8::from(date.month())))
        };
        let mut kept = BTreeSet::new();
        let mut keep = |period: &dyn Fn(&Timestamp) -> i64, most: usize| {
            let mut seen = BTreeSet::new();
            kept.extend(newest_first.iter().filter(|time| seen.len() < most && seen.insert(period(time))));
        };
        keep(&day, self.days);
        keep(&week, self.weeks);
        keep(&month, self.months);
        kept
    }
}

/// Daily backups of a server.
#[derive(Clone)]
pub struct Daily {
    pub folder: PathBuf,
    pub keep: Keep,
    pub figures: DailyFigures,
}

/// The state of daily backups.
#[derive(Clone, Debug, Default)]
pub struct DailyFigures {
    /// When the newest began, in seconds since 1970; 0 if there is none.
    pub last_s: Gauge,
    /// Attempts that failed since the start of the process.
    pub failures: Counter,
}

impl Daily {
    /// Checks that backups can be written, so that a wrong setting is refused at the start.
    ///
    /// # Errors
    /// As [`Store::create`]; refuses a folder in the data folder, which would contain itself.
    pub fn check(&self, services: &Services) -> Result<(), Failure> {
        Store::create(&self.folder)?.accepts(&services.db.read_blocking(copy::instance)?)?;
        let (backups, data) = (self.folder.canonicalize()?, services.folder.canonicalize()?);
        if backups.starts_with(&data) {
            return Err(Failure::invalid(
                "--backup-dir",
                format!("{} is in the data folder", backups.display()),
                "Choose a folder outside of it, best on another disk",
            ));
        }
        Ok(())
    }

    /// Makes a backup whenever the newest is a day old, and deletes those that are not kept. A failure is logged and
    /// in the inbox; the next attempt is ten minutes later.
    pub async fn run(self, services: Services) {
        let mut due = tokio::time::interval(LOOK);
        loop {
            due.tick().await;
            if let Err(failure) = self.attempt(&services).await {
                // The conversion logs it.
                let _logged = AppError::from(failure);
            }
        }
    }

    /// Makes a backup if one is due, and records how that ended, for the inbox.
    ///
    /// # Errors
    /// Fails if the result cannot be recorded.
    pub async fn attempt(&self, services: &Services) -> Result<(), Failure> {
        let ended = match self.make_if_due(services).await {
            Ok(Some(made)) => {
                tracing::info!(name = %made.name, written = made.written, "backup made");
                Ok(())
            }
            Ok(None) => return Ok(()),
            Err(failure) => {
                self.figures.failures.inc();
                Err(failure)
            }
        };
        services.record_routine(System, Routine::Backup, ended).await
    }

    /// Makes a backup if the newest is a day old, and deletes those that are not kept.
    ///
    /// # Errors
    /// Fails if the folder cannot be written or another process makes a backup.
    pub async fn make_if_due(&self, services: &Services) -> Result<Option<Made>, Failure> {
        let _turn = services.server.turn().await;
        let (folder, now) = (self.folder.clone(), clock::now());
        let made = super::blocking(move || times(&Store::create(&folder)?)).await?;
        let newest = made.into_iter().filter(|time| time.0 < now.0 + AHEAD_MS).max();
        self.figures.last_s.set(newest.map_or(0, |newest| newest.0.div_euclid(1000)));
        if newest.is_some_and(|newest| now.0 - newest.0 < DAY_MS) {
            return Ok(None);
        }
        self.make(services).await.map(Some)
    }

    /// Makes a backup for an admin who asked for it, as the daily ones are made, and records how that ended.
    ///
    /// # Errors
    /// As [`Daily::make_if_due`].
    pub(crate) async fn make_now(&self, services: &Services) -> Result<(), Failure> {
        let _turn = services.server.turn().await;
        match self.make(services).await {
            Ok(_) => services.record_routine(System, Routine::Backup, Ok(())).await,
            Err(failure) => {
                let why = routines::fault(failure);
                services.record_routine(System, Routine::Backup, Err(Failure::Routine(why.clone()))).await?;
                Err(Failure::Routine(why))
            }
        }
    }

    async fn make(&self, services: &Services) -> Result<Made, Failure> {
        let made = services.add_to_folder(&self.folder).await?;
        self.figures.last_s.set(made.created_at.0.div_euclid(1000));
        let (folder, keep) = (self.folder.clone(), self.keep);
        super::blocking(move || {
            let store = Store::create(&folder)?;
            let kept = keep.kept(&times(&store)?);
            let old = store.list()?.into_iter().filter(|stored| !kept.contains(&stored.manifest.created_at));
            let names: Vec<String> = old.map(|stored| stored.name).collect();
            store.delete(&names)
        })
        .await?;
        Ok(made)
    }

    /// When the newest backup began, as far as this process knows.
    pub(crate) fn newest(&self) -> Option<Timestamp> {
        Some(self.figures.last_s.get()).filter(|seconds| *seconds > 0).map(|seconds| Timestamp(seconds * 1000))
    }
}

fn times(store: &Store) -> Result<Vec<Timestamp>, Failure> {
    Ok(store.list()?.into_iter().map(|stored| stored.manifest.created_at).collect())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn at(time: OffsetDateTime) -> Timestamp {
        Timestamp(time.unix_timestamp() * 1000)
    }

    #[test]
    fn the_newest_of_each_day_week_and_month_is_kept() {
        // Twice a day for two years, up to a Tuesday.
        let last = datetime!(2026-11-24 12:00 UTC);
        let times: Vec<Timestamp> = (0..1460).map(|n| at(last - time::Duration::hours(12 * n))).collect();
        let kept = Keep { days: 3, weeks: 3, months: 3 }.kept(&times);
        let expected = [
            datetime!(2026-09-30 12:00 UTC),
            datetime!(2026-10-31 12:00 UTC),
            // The Sundays at the end of the two weeks before.
            datetime!(2026-11-15 12:00 UTC),
            datetime!(2026-11-22 12:00 UTC),
            datetime!(2026-11-23 12:00 UTC),
            datetime!(2026-11-24 12:00 UTC),
        ];
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), expected.map(at));
        // Days without a backup do not count, so a server that was off loses none.
        let sparse: Vec<Timestamp> = times.iter().step_by(400).copied().collect();
        assert_eq!(Keep { days: 7, weeks: 0, months: 0 }.kept(&sparse).len(), sparse.len());
    }

    #[test]
    fn periods_are_three_numbers() {
        assert_eq!("7, 5,12".parse(), Ok(Keep { days: 7, weeks: 5, months: 12 }));
        for wrong in ["", "7", "7,5", "0,5,12", "7,5,12,1", "-1,0,0", "a,b,c"] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
