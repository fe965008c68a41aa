//! Every text on screen, in English and Chinese. `docs/glossary.md` lists the terms.
//!
//! Each area of the interface has one catalog: a struct with an `EN` and a `ZH` constant, so that a text
//! without a translation does not compile. Texts that contain names or numbers are functions. Pages get
//! their catalog from `ui::context::use_i18n`; nothing here reads a clock or the browser's settings.
//!
//! This crate may not know pages, the database and the server.

/// A catalog with both languages of each text side by side: `words` are fixed, `sentences` take names
/// and numbers.
macro_rules! texts {
    (
        $(#[$doc:meta])*
        $catalog:ident
        words { $($word:ident: $word_en:literal, $word_zh:literal;)* }
        sentences { $($name:ident($($arg:ident: $kind:ty),*) $en:block $zh:block)* }
    ) => {
        $(#[$doc])*
        pub struct $catalog {
            pub lang: ::model::lang::Lang,
            $(pub $word: &'static str,)*
            $(pub $name: fn($($kind),*) -> String,)*
        }

        /// English.
        pub const EN: $catalog = $catalog {
            lang: ::model::lang::Lang::En,
            $($word: $word_en,)*
            $($name: |$($arg: $kind),*| $en,)*
        };

        /// Chinese.
        pub const ZH: $catalog = $catalog {
            lang: ::model::lang::Lang::Zh,
            $($word: $word_zh,)*
            $($name: |$($arg: $kind),*| $zh,)*
        };
    };
}

pub mod account;
pub mod admin;
pub mod announcements;
pub mod api;
pub mod audit;
pub mod audit_details;
#[cfg(not(target_arch = "wasm32"))]
pub mod captions;
pub mod chart;
pub mod claims;
pub mod collections;
pub mod common;
pub mod comparison;
pub mod conversations;
#[cfg(not(target_arch = "wasm32"))]
pub mod error_page;
pub mod faults;
pub mod feedback;
pub mod flags;
pub mod grading;
pub mod groups;
pub mod guidelines;
pub mod inbox;
pub mod languages;
pub mod lists;
pub mod mail;
#[cfg(not(target_arch = "wasm32"))]
pub mod messages;
pub mod overview;
pub mod plan;
pub mod published;
pub mod quality;
pub mod rater;
pub mod ratings_import;
pub mod reasons;
pub mod refusal;
pub mod results;
pub mod rubrics;
pub mod runs;
pub mod server;
#[cfg(not(target_arch = "wasm32"))]
pub mod turns;
pub mod upkeep;
pub mod uploads;
pub mod workers;

use model::{day::Day, lang::Lang, rubric::Dimension, time::Timestamp, time_zone::TimeZone};

/// Names with commas between them: `A, B` or `A、B`.
pub fn list<S: std::borrow::Borrow<str>>(lang: Lang, names: &[S]) -> String {
    names.join(lang.pick(", ", "、"))
}

/// The texts in one language. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct I18n {
    /// The language.
    pub lang: Lang,
    /// Texts shared by all pages: navigation, errors, buttons.
    pub common: &'static common::Common,
    /// The time zone of times.
    zone: TimeZone,
}

impl I18n {
    /// A score in words: yes or no for an item of the checklist.
    pub fn score(&self, dimension: Option<&Dimension>, score: u8) -> String {
        match dimension {
            Some(Dimension { checklist: true, .. }) if score == 0 => self.common.no.into(),
            Some(Dimension { checklist: true, .. }) => self.common.yes.into(),
            _ => score.to_string(),
        }
    }

    /// The texts in `lang`, with times in UTC.
    pub fn of(lang: Lang) -> I18n {
        let common = match lang {
            Lang::En => &common::EN,
            Lang::Zh => &common::ZH,
        };
        I18n { lang, common, zone: TimeZone::default() }
    }

    /// The same texts, with times in this time zone.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> I18n {
        I18n { zone, ..self }
    }

    // Methods, not fields: catalogs that no page of a part of the client uses are not in that part.

    /// Lists that admins search, sort and filter.
    pub fn lists(&self) -> &'static lists::ListTexts {
        match self.lang {
            Lang::En => &lists::EN,
            Lang::Zh => &lists::ZH,
        }
    }

    /// Email.
    pub fn mail(&self) -> &'static mail::MailTexts {
        match self.lang {
            Lang::En => &mail::EN,
            Lang::Zh => &mail::ZH,
        }
    }

    /// The import of ratings.
    pub fn ratings_import(&self) -> &'static ratings_import::RatingsImportTexts {
        match self.lang {
            Lang::En => &ratings_import::EN,
            Lang::Zh => &ratings_import::ZH,
        }
    }

    /// What admins tell people.
    pub fn announcements(&self) -> &'static announcements::AnnouncementTexts {
        match self.lang {
            Lang::En => &announcements::EN,
            Lang::Zh => &announcements::ZH,
        }
    }

    /// Groups of people.
    pub fn groups(&self) -> &'static groups::GroupTexts {
        match self.lang {
            Lang::En => &groups::EN,
            Lang::Zh => &groups::ZH,
        }
    }

    /// Logging in and accounts.
    pub fn account(&self) -> &'static account::Account {
        match self.lang {
            Lang::En => &account::EN,
            Lang::Zh => &account::ZH,
        }
    }

    /// The rater's pages and grading.
    pub fn rater(&self) -> &'static rater::Rater {
        match self.lang {
            Lang::En => &rater::EN,
            Lang::Zh => &rater::ZH,
        }
    }

    /// The grading page.
    pub fn grading(&self) -> &'static grading::GradingTexts {
        match self.lang {
            Lang::En => &grading::EN,
            Lang::Zh => &grading::ZH,
        }
    }

    /// The admin's pages.
    pub fn admin(&self) -> &'static admin::Admin {
        match self.lang {
            Lang::En => &admin::EN,
            Lang::Zh => &admin::ZH,
        }
    }

    /// The API and public pages.
    pub fn api(&self) -> &'static api::ApiTexts {
        match self.lang {
            Lang::En => &api::EN,
            Lang::Zh => &api::ZH,
        }
    }

    /// The audit log.
    pub fn audit(&self) -> &'static audit::AuditTexts {
        match self.lang {
            Lang::En => &audit::EN,
            Lang::Zh => &audit::ZH,
        }
    }

    /// Renaming, archiving, deleting.
    pub fn upkeep(&self) -> &'static upkeep::UpkeepTexts {
        match self.lang {
            Lang::En => &upkeep::EN,
            Lang::Zh => &upkeep::ZH,
        }
    }

    /// Collections of outputs.
    pub fn collections(&self) -> &'static collections::CollectionTexts {
        match self.lang {
            Lang::En => &collections::EN,
            Lang::Zh => &collections::ZH,
        }
    }

    /// Uploads of model outputs.
    pub fn uploads(&self) -> &'static uploads::UploadTexts {
        match self.lang {
            Lang::En => &uploads::EN,
            Lang::Zh => &uploads::ZH,
        }
    }

    /// Comparisons.
    pub fn comparison(&self) -> &'static comparison::ComparisonTexts {
        match self.lang {
            Lang::En => &comparison::EN,
            Lang::Zh => &comparison::ZH,
        }
    }

    /// Raters' flags.
    pub fn flags(&self) -> &'static flags::FlagTexts {
        match self.lang {
            Lang::En => &flags::EN,
            Lang::Zh => &flags::ZH,
        }
    }

    /// Texts about conversations.
    pub fn conversations(&self) -> &'static conversations::ConversationTexts {
        match self.lang {
            Lang::En => &conversations::EN,
            Lang::Zh => &conversations::ZH,
        }
    }

    /// Texts of HumanEval-X over its languages.
    pub fn languages(&self) -> &'static languages::LanguageTexts {
        match self.lang {
            Lang::En => &languages::EN,
            Lang::Zh => &languages::ZH,
        }
    }

    /// Workers on other machines.
    pub fn workers(&self) -> &'static workers::WorkerTexts {
        match self.lang {
            Lang::En => &workers::EN,
            Lang::Zh => &workers::ZH,
        }
    }

    /// Leaderboard, models, datasets' results.
    pub fn results(&self) -> &'static results::ResultsTexts {
        match self.lang {
            Lang::En => &results::EN,
            Lang::Zh => &results::ZH,
        }
    }

    /// Plans of studies.
    pub fn plan(&self) -> &'static plan::PlanTexts {
        match self.lang {
            Lang::En => &plan::EN,
            Lang::Zh => &plan::ZH,
        }
    }

    /// Charts.
    pub fn chart(&self) -> &'static chart::ChartTexts {
        match self.lang {
            Lang::En => &chart::EN,
            Lang::Zh => &chart::ZH,
        }
    }

    /// Runs of automated tests.
    pub fn runs(&self) -> &'static runs::RunTexts {
        match self.lang {
            Lang::En => &runs::EN,
            Lang::Zh => &runs::ZH,
        }
    }

    /// The admins' first page.
    pub fn overview(&self) -> &'static overview::OverviewTexts {
        match self.lang {
            Lang::En => &overview::EN,
            Lang::Zh => &overview::ZH,
        }
    }

    /// The state of the server.
    pub fn server(&self) -> &'static server::ServerTexts {
        match self.lang {
            Lang::En => &server::EN,
            Lang::Zh => &server::ZH,
        }
    }

    /// An integer with thousands separators: `12,345`.
    pub fn number(&self, n: u64) -> String {
        let digits = n.to_string();
        let mut out = String::with_capacity(digits.len() + digits.len() / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        out
    }

    /// The day of a point in time in the person's time zone: `21 Nov 2026` or `2026年11月21日`.
    pub fn date(&self, at: Timestamp) -> String {
        let text = self.time(at);
        let end = match self.lang {
            Lang::En => text.find(", "),
            Lang::Zh => text.find(' '),
        };
        text[..end.unwrap_or(text.len())].to_owned()
    }

    /// A point in time in the person's time zone: `21 Nov 2026, 03:20 UTC` or `2026年11月21日 11:20 UTC+8`.
    pub fn time(&self, at: Timestamp) -> String {
        let offset = self.zone.offset_minutes(at);
        let text = Timestamp(at.0.saturating_add(i64::from(offset) * 60_000)).rfc3339();
        // Outside the years 0 to 9999 it is a bare number.
        if text.as_bytes().get(10) != Some(&b'T') {
            return text;
        }
        let parts = || Some((text.get(..10)?.parse().ok()?, text.get(11..16)?));
        let Some((day, clock)) = parts() else { return text };
        let (day, zone) = (self.day(day), utc_offset(offset));
        match self.lang {
            Lang::En => format!("{day}, {clock} {zone}"),
            Lang::Zh => format!("{day} {clock} {zone}"),
        }
    }

    /// A day: `21 Nov 2026` or `2026年11月21日`.
    pub fn day(&self, day: Day) -> String {
        let Day { year, month, day } = day;
        match (self.lang, usize::from(month).checked_sub(1).and_then(|m| MONTHS.get(m))) {
            (Lang::En, Some(name)) => format!("{day} {name} {year:04}"),
            (Lang::En, None) => format!("{year:04}-{month:02}-{day:02}"),
            (Lang::Zh, _) => format!("{year:04}年{month}月{day}日"),
        }
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// An offset in minutes: `UTC`, `UTC+8`, `UTC−3:30`.
fn utc_offset(offset: i32) -> String {
    let (sign, hours, minutes) = (if offset < 0 { '−' } else { '+' }, offset.abs() / 60, offset.abs() % 60);
    match (hours, minutes) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_thousands_separators() {
        let check = |n, text| assert_eq!(I18n::of(Lang::En).number(n), text);
        check(0, "0");
        check(999, "999");
        check(1000, "1,000");
        check(1_234_567, "1,234,567");
    }

    #[test]
    fn times_read_naturally_in_both_languages() {
        let check = |lang, ms, text| assert_eq!(I18n::of(lang).time(Timestamp(ms)), text);
        check(Lang::En, 0, "1 Jan 1970, 00:00 UTC");
        check(Lang::Zh, 0, "1970年1月1日 00:00 UTC");
        check(Lang::En, 1_795_230_000_000, "21 Nov 2026, 03:00 UTC");
        check(Lang::En, i64::MAX, "9223372036854775807");
        let there = |lang, zone, text| {
            let zone = TimeZone::of(zone).unwrap();
            assert_eq!(I18n { zone, ..I18n::of(lang) }.time(Timestamp(1_795_230_000_000)), text);
        };
        there(Lang::En, "Asia/Shanghai", "21 Nov 2026, 11:00 UTC+8");
        there(Lang::Zh, "Asia/Kathmandu", "2026年11月21日 08:45 UTC+5:45");
        there(Lang::En, "America/St_Johns", "20 Nov 2026, 23:30 UTC−3:30");
        let day = |lang| I18n::of(lang).date(Timestamp(1_795_230_000_000));
        assert_eq!((day(Lang::En), day(Lang::Zh)), ("21 Nov 2026".into(), "2026年11月21日".into()));
    }
}
