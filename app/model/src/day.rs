//! A day of the calendar, without a time zone.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use time::{Date, Month};

use super::time::Timestamp;

/// 1 January 1970.
const UNIX_EPOCH: Date = time::OffsetDateTime::UNIX_EPOCH.date();

/// A day of the years 1 to 9999; earlier days are less. Its text is `2026-11-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day {
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Day {
    /// The day of a point in time, in UTC; `None` outside the years 1 to 9999.
    pub fn of(at: Timestamp) -> Option<Day> {
        at.rfc3339().get(..10)?.parse().ok()
    }

    /// The number of days since 1 January 1970.
    pub fn number(self) -> i64 {
        let month = Month::try_from(self.month).unwrap_or(Month::January);
        let date = Date::from_calendar_date(self.year.into(), month, self.day).unwrap_or(UNIX_EPOCH);
        (date - UNIX_EPOCH).whole_days()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Day, String> {
        let wrong = || format!("\"{text}\" is not a day such as 2026-11-30");
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
        let is_padded = (year.len(), month.len(), day.len()) == (4, 2, 2);
        if !is_padded || !parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit())) {
            return Err(wrong());
        }
        let (year, month, day): (u16, u8, u8) = (
            year.parse().map_err(|_| wrong())?,
            month.parse().map_err(|_| wrong())?,
            day.parse().map_err(|_| wrong())?,
        );
        let exists = Month::try_from(month).is_ok_and(|m| Date::from_calendar_date(year.into(), m, day).is_ok());
        if year == 0 || !exists {
            return Err(wrong());
        }
        Ok(Day { year, month, day })
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Day, String> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.to_string()
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod schema {
    use utoipa::{
        PartialSchema, ToSchema,
        openapi::{KnownFormat, ObjectBuilder, RefOr, SchemaFormat, Type, schema::Schema},
    };

    impl PartialSchema for super::Day {
        fn schema() -> RefOr<Schema> {
            let format = SchemaFormat::KnownFormat(KnownFormat::Date);
            ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build().into()
        }
    }

    impl ToSchema for super::Day {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_that_exist_are_read() {
        let day: Day = "2028-02-29".parse().unwrap();
        assert_eq!(day, Day { year: 2028, month: 2, day: 29 });
        assert_eq!(day.to_string(), "2028-02-29");
        for wrong in
            ["", "2026-02-29", "2026-13-01", "2026-1-01", "0000-01-01", "2026-11-30T00:00", "+026-01-01", "a-b-c"]
        {
            assert!(wrong.parse::<Day>().is_err(), "{wrong}");
        }
        assert!("2026-11-30".parse::<Day>() > "2026-09-30".parse::<Day>());
        assert_eq!(Day::of(Timestamp(0)).map(|day| day.to_string()).as_deref(), Some("1970-01-01"));
        assert_eq!(Day::of(Timestamp(i64::MAX)), None);
    }
}
