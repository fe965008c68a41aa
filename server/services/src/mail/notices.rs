//! Notices that no request causes: a study is due tomorrow, and admins' digests. Each is written once, whatever restarts
//! meanwhile, because the transaction that writes it also records that it did.

use std::time::Duration;

use model::{
    caller::System,
    day::Day,
    error::AppError,
    mail::{Digest, MailKind},
    time::{DAY_MS, Timestamp},
    time_zone::TimeZone,
};
use port::server::Server;
use texts::I18n;

use super::{super::Services, HOUR_MS, To, messages};
use crate::{grading, overview};
use base::{clock, error::Failure};
use db::mail::{self, DigestPerson, DuePerson};

/// How often the server looks whether a notice is due.
const LOOK: Duration = Duration::from_secs(60);
/// The hour from which notices are sent, where their reader is.
const FROM_HOUR: i64 = 8;

impl Services {
    /// Writes notices when they are due, until the process ends.
    pub async fn write_notices_daily(self) {
        let mut due = tokio::time::interval(LOOK);
        loop {
            due.tick().await;
            if let Err(failure) = self.write_notices(System, clock::now()).await {
                // The conversion logs it.
                let _logged = AppError::from(failure);
            }
        }
    }

    /// Writes the notices that are due at `now`; returns how many. None if email is off.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn write_notices(&self, system: System, now: Timestamp) -> Result<usize, Failure> {
        if !self.mail.is_on() {
            return Ok(0);
        }
        Ok(self.write_due_notices(now).await? + self.write_digests(system, now).await?)
    }

    async fn write_due_notices(&self, now: Timestamp) -> Result<usize, Failure> {
        // A day before and a day after, because days differ by time zone.
        let days = (Day::of(now), Day::of(Timestamp(now.0 + 3 * DAY_MS)));
        let (Some(first), Some(last)) = days else { return Ok(0) };
        let people = self.db.read(move |conn| mail::due_people(conn, first, last)).await?;
        let mut written = 0;
        for person in people.into_iter().filter(|person| is_eve(person, now)) {
            let (study, user) = (person.study, person.user);
            if !self.db.read(move |conn| grading::has_left(conn, study, user)).await? {
                continue;
            }
            let setup = self.mail.setup()?;
            let write = move |tx: &rusqlite::Transaction<'_>| {
                if !mail::note_due(tx, study, user, person.due)? {
                    return Ok(0);
                }
                let text = messages::due(person.lang, &setup.public_url, &person.title, person.due);
                let to = To {
                    address: &person.address,
                    lang: person.lang,
                    user: Some(person.user),
                    invitation: None,
                    study: Some(person.study),
                    asked_by: None,
                };
                setup.write(tx, MailKind::Due, &to, &text, (now, now))?;
                Ok(1)
            };
            written += self.db.write(write).await?;
        }
        Ok(written)
    }

    async fn write_digests(&self, system: System, now: Timestamp) -> Result<usize, Failure> {
        let people = self.db.read(mail::digest_people).await?;
        let mut written = 0;
        for person in people.into_iter().filter(|person| is_digest_due(person, now)) {
            let setup = self.mail.setup()?;
            let name = person.name.clone();
            let read = move |conn: &rusqlite::Connection| overview::found(conn, now, None, &name, |_| Ok(None));
            let overview = self.db.read_long(read).await?;
            let notices = self.notices(&system.admin()).await?;
            let i = I18n::of(person.lang).in_zone(person.display.zone);
            let text = messages::digest(i, &setup.public_url, &overview, &notices);
            let write = move |tx: &rusqlite::Transaction<'_>| {
                let is_first = mail::note_digest(tx, person.user, person.last, now)?;
                let Some(text) = text.filter(|_| is_first) else { return Ok(0) };
                let to = To {
                    address: &person.address,
                    lang: person.lang,
                    user: Some(person.user),
                    invitation: None,
                    study: None,
                    asked_by: None,
                };
                setup.write(tx, MailKind::Digest, &to, &text, (now, now))?;
                Ok(1)
            };
            written += self.db.write(write).await?;
        }
        Ok(written)
    }
}

/// Milliseconds since 1970 on the clocks of a time zone.
fn local(zone: TimeZone, at: Timestamp) -> i64 {
    at.0 + i64::from(zone.offset_minutes(at)) * 60 * 1000
}

/// Whether it is the day before the study is due, and late enough in the morning, where the rater is.
fn is_eve(person: &DuePerson, now: Timestamp) -> bool {
    let local = local(person.display.zone, now);
    let (today, hour) = (local.div_euclid(DAY_MS), local.rem_euclid(DAY_MS) / HOUR_MS);
    today + 1 == person.due.number() && hour >= FROM_HOUR
}

/// Whether a day or, from Monday on, a week has begun since the last digest, and it is late enough in the morning.
fn is_digest_due(person: &DigestPerson, now: Timestamp) -> bool {
    let zone = person.display.zone;
    let period = |at: Timestamp| {
        // As if days began at the hour.
        let day = (local(zone, at) - FROM_HOUR * HOUR_MS).div_euclid(DAY_MS);
        match person.digest {
            // 1 January 1970 was a Thursday.
            Digest::Weekly => (day + 3).div_euclid(7),
            Digest::Daily | Digest::Off => day,
        }
    };
    person.digest != Digest::Off && period(now) > period(person.last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        display::Display,
        ids::{StudyId, UserId},
        lang::Lang,
    };

    fn at(text: &str) -> Timestamp {
        let (day, hour) = text.split_once(' ').unwrap();
        let day: Day = day.parse().unwrap();
        let (hour, minute) = hour.split_once(':').unwrap();
        let minutes: i64 = hour.parse::<i64>().unwrap() * 60 + minute.parse::<i64>().unwrap();
        Timestamp(day.number() * DAY_MS + minutes * 60_000)
    }

    fn display(zone: &str) -> Display {
        Display { zone: TimeZone::of(zone).unwrap(), ..Display::default() }
    }

    #[test]
    fn the_eve_of_a_due_date_is_the_readers() {
        let check = |zone: &str, now: &str, expected: bool| {
            let person = DuePerson {
                user: UserId(1),
                study: StudyId(1),
                title: String::new(),
                due: "2026-12-02".parse().unwrap(),
                address: String::new(),
                lang: Lang::En,
                display: display(zone),
            };
            assert_eq!(is_eve(&person, at(now)), expected, "{zone} {now}");
        };
        check("UTC", "2026-12-01 07:59", false);
        check("UTC", "2026-12-01 08:00", true);
        check("UTC", "2026-12-01 23:59", true);
        check("UTC", "2026-12-02 08:00", false);
        check("UTC", "2026-11-30 23:00", false);
        check("Asia/Shanghai", "2026-11-30 23:59", false);
        check("Asia/Shanghai", "2026-12-01 00:00", true);
        check("Asia/Shanghai", "2026-12-01 15:59", true);
        check("Asia/Shanghai", "2026-12-01 16:00", false);
        check("Pacific/Kiritimati", "2026-11-30 18:00", true);
        check("Pacific/Pago_Pago", "2026-12-01 18:59", false);
        check("Pacific/Pago_Pago", "2026-12-02 10:59", true);
        check("Pacific/Pago_Pago", "2026-12-02 11:00", false);
    }

    #[test]
    fn a_digest_comes_once_a_day_or_week() {
        let check = |digest, zone: &str, last: &str, now: &str, expected: bool| {
            let person = DigestPerson {
                user: UserId(1),
                name: String::new(),
                digest,
                last: at(last),
                address: String::new(),
                lang: Lang::En,
                display: display(zone),
            };
            assert_eq!(is_digest_due(&person, at(now)), expected, "{digest} {zone} {last} {now}");
        };
        // 30 November 2026 is a Monday.
        check(Digest::Daily, "UTC", "2026-11-29 20:00", "2026-11-30 07:59", false);
        check(Digest::Daily, "UTC", "2026-11-29 20:00", "2026-11-30 08:00", true);
        check(Digest::Daily, "UTC", "2026-11-30 08:00", "2026-11-30 23:00", false);
        check(Digest::Daily, "UTC", "2026-11-30 08:00", "2026-12-04 09:00", true);
        check(Digest::Daily, "Asia/Shanghai", "2026-11-29 20:00", "2026-11-30 00:00", true);
        check(Digest::Weekly, "UTC", "2026-11-25 20:00", "2026-11-29 23:59", false);
        check(Digest::Weekly, "UTC", "2026-11-25 20:00", "2026-11-30 08:00", true);
        check(Digest::Weekly, "UTC", "2026-11-25 20:00", "2026-12-03 08:00", true);
        check(Digest::Weekly, "UTC", "2026-11-30 08:00", "2026-12-06 23:00", false);
        check(Digest::Off, "UTC", "2026-11-25 20:00", "2026-11-30 08:00", false);
        // A clock that was set back sends nothing twice.
        check(Digest::Daily, "UTC", "2026-11-30 08:00", "2026-11-29 08:00", false);
    }
}
