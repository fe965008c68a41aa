//! `aixgrade audit`

use std::io::Write;

use app::{model::time::Timestamp, port::Caller};
use clap::{Args, ValueEnum};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

use super::{Global, table};
use crate::{
    db::audit::{Entry, Filter, Via},
    error::Failure,
    report::csv::Table,
};

/// Entries read at a time for an export.
const BATCH: usize = 1000;

/// `audit`
#[derive(Args)]
pub struct Audit {
    /// Only what this account did
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    /// Only this action, such as study.create
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Only entries whose detail contains this text, such as "study 3"
    #[arg(long, value_name = "TEXT")]
    object: Option<String>,
    /// From this day (2026-11-22, UTC) or time (2026-11-22T08:00:00Z) on
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Before this day or time
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
        let entries = audit.list(&Caller::Operator, filter, before, limit).await?;
        return global.show(&entries, |entries| {
            let rows: Vec<_> = entries.iter().map(|entry| cells(entry).to_vec()).collect();
            table(&HEAD, &rows)
        });
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut first = true;
    loop {
        let entries = audit.list(&Caller::Operator, filter.clone(), before, BATCH).await?;
        out.write_all(&exported(&entries, format, first)?)?;
        first = false;
        match entries.last() {
            Some(last) if entries.len() == BATCH => before = Some(last.id),
            _ => break,
        }
    }
    Ok(out.flush()?)
}

const HEAD: [&str; 8] = ["id", "at", "person", "action", "detail", "via", "token", "address"];

fn cells(entry: &Entry) -> [String; 8] {
    [
        entry.id.to_string(),
        entry.at.rfc3339(),
        entry.person.clone().unwrap_or_default(),
        entry.action.clone(),
        entry.detail.clone(),
        entry.via.map(Via::name).unwrap_or_default().to_owned(),
        entry.token.map(|id| id.to_string()).unwrap_or_default(),
        entry.address.clone().unwrap_or_default(),
    ]
}

fn exported(entries: &[Entry], format: Format, head: bool) -> Result<Vec<u8>, Failure> {
    match format {
        Format::Jsonl => {
            let mut bytes = Vec::new();
            for entry in entries {
                serde_json::to_writer(&mut bytes, entry)?;
                bytes.push(b'\n');
            }
            Ok(bytes)
        }
        Format::Csv => {
            let mut bytes = Vec::new();
            let mut table = if head { Table::new(&mut bytes, HEAD)? } else { Table::continued(&mut bytes) };
            for entry in entries {
                for cell in cells(entry) {
                    table.text(&cell)?;
                }
                table.end_line()?;
            }
            table.finish()?;
            Ok(bytes)
        }
    }
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
    fn exports_run_no_formula() {
        let entry = Entry {
            id: 7,
            at: Timestamp(0),
            person: Some("ada".into()),
            action: "user.create".into(),
            detail: "=1+1".into(),
            via: Some(Via::Token),
            token: Some(3),
            address: None,
        };
        let csv = String::from_utf8(exported(std::slice::from_ref(&entry), Format::Csv, true).unwrap()).unwrap();
        let line = "7,1970-01-01T00:00:00Z,ada,user.create,'=1+1,token,3,";
        assert_eq!(csv.lines().nth(1).map(|found| found.replace(".000Z", "Z")), Some(line.into()), "{csv}");
        let json = exported(&[entry], Format::Jsonl, true).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!((json["via"].as_str(), json["detail"].as_str()), (Some("token"), Some("=1+1")));
    }

    #[test]
    fn times_are_days_or_moments() {
        assert_eq!(time("1970-01-02").unwrap(), Timestamp(86_400_000));
        assert_eq!(time("1970-01-01T00:00:01Z").unwrap(), Timestamp(1000));
        assert!(time("yesterday").is_err());
    }
}
