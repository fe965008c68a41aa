//! `aixgrade audit`

use std::io::Write;

use clap::{Args, ValueEnum};
use model::{
    audit::{Entry, Via},
    audit_details::Details,
    caller::System,
    lang::Lang,
    time::Timestamp,
};
use texts::{I18n, audit_details::lines};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

use super::Global;
use base::error::Failure;
use command::table;
use db::audit::Filter;

/// Entries read at a time for an export as JSON.
const BATCH: usize = 1000;

/// `audit`
#[derive(Args)]
pub struct Audit {
    /// Only changes by this account
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    /// Only this action, such as study.create
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Only entries whose object or detail contains this text, such as "study 3"
    #[arg(long, value_name = "TEXT")]
    object: Option<String>,
    /// Only changes at or after this date (2026-11-22, UTC) or time (2026-11-22T08:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Only changes before this date or time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<Timestamp>,
    /// Show at most this many entries, newest first
    #[arg(long, default_value_t = 50, value_name = "N")]
    limit: usize,
    /// Continue before the entry with this number
    #[arg(long, value_name = "ID")]
    before: Option<i64>,
    /// Write all matching entries to standard output in this format
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "limit")]
    export: Option<Format>,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Csv,
    Jsonl,
}

/// Runs the command.
pub async fn run(global: &Global, asked: Audit) -> Result<(), Failure> {
    let audit = global.open()?.audit;
    let Audit { person, action, object, since, until, limit, mut before, export } = asked;
    let filter = Filter { person, action, object, since, until };
    let Some(format) = export else {
        let entries = audit.list(&System.admin(), filter, before, limit).await?;
        return global.show(&entries, |entries| {
            let rows: Vec<_> = entries.iter().map(|entry| cells(entry).to_vec()).collect();
            table(&HEAD, &rows)
        });
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if matches!(format, Format::Csv) {
        audit.csv(&System.admin(), filter, before).await?.copy_to(&mut out)?;
        return Ok(());
    }
    loop {
        let entries = audit.list(&System.admin(), filter.clone(), before, BATCH).await?;
        for entry in &entries {
            serde_json::to_writer(&mut out, entry)?;
            out.write_all(b"\n")?;
        }
        match entries.last() {
            Some(last) if entries.len() == BATCH => before = Some(last.id),
            _ => break,
        }
    }
    Ok(out.flush()?)
}

const HEAD: [&str; 9] = ["id", "at", "person", "action", "object", "detail", "via", "token", "address"];

fn cells(entry: &Entry) -> [String; 9] {
    [
        entry.id.to_string(),
        entry.at.rfc3339(),
        entry.person.clone().unwrap_or_default(),
        entry.action.clone(),
        entry.object.clone(),
        words(&entry.detail),
        entry.via.map(Via::name).unwrap_or_default().to_owned(),
        entry.token.map(|id| id.to_string()).unwrap_or_default(),
        entry.address.clone().unwrap_or_default(),
    ]
}

/// The details in words, on one line.
fn words(details: &Details) -> String {
    let lines = lines(I18n::of(Lang::En), details).into_iter().map(|(name, value)| format!("{name}: {value}"));
    lines.collect::<Vec<_>>().join("; ")
}

fn time(text: &str) -> Result<Timestamp, String> {
    let day =
        || Date::parse(text, format_description!("[year]-[month]-[day]")).map(|date| date.midnight().assume_utc());
    let parsed = OffsetDateTime::parse(text, &Rfc3339).or_else(|_| day());
    let at = parsed.map_err(|_| "write it as 2026-11-22 or 2026-11-22T08:00:00Z".to_owned())?;
    Ok(Timestamp(at.unix_timestamp() * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_or_moments() {
        assert_eq!(time("1970-01-02").unwrap(), Timestamp(86_400_000));
        assert_eq!(time("1970-01-01T00:00:01Z").unwrap(), Timestamp(1000));
        assert!(time("yesterday").is_err());
    }
}
