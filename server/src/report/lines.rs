//! Ratings and verdicts as tidy files, a line each: CSV for spreadsheets, JSON Lines for programs. The
//! columns are described in docs/formats.md. Written as they are read; nothing is gathered.

use std::io::Write;

use app::model::run::LimitHit;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::ground::Ground;
use crate::{
    db::results_lines::{self, RatingLine, VerdictLine},
    error::Failure,
};

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Comma-separated values (RFC 4180), UTF-8, one header line.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// Every rating of the choice. Returns how many.
pub fn ratings(conn: &Connection, head: &Ground, form: Form, out: &mut dyn Write) -> Result<u64, Failure> {
    let keys: Vec<&str> = head.rubric.iter().flat_map(|r| &r.dimensions).map(|d| d.key.as_str()).collect();
    let rubric = head.rubric.as_ref().map(|r| format!("{} {}", r.slug, r.version)).unwrap_or_default();
    match form {
        Form::Csv => {
            let mut writer = csv::Writer::from_writer(out);
            writer.write_record(
                ["study", "dataset_version", "rubric", "task_id", "lang", "model", "submission", "sample", "rater"]
                    .into_iter()
                    .chain(keys.iter().copied())
                    .chain(["comment", "flag", "notes", "shown_at", "rated_at", "superseded_at"]),
            )?;
            let count = results_lines::each_rating(conn, head, |line| {
                let mut field = |text: &str| writer.write_field(text);
                field(&line.study.to_string())?;
                field(&line.dataset_version.to_string())?;
                field(&rubric)?;
                field(line.task_id)?;
                field(line.lang.code())?;
                field(&safe(line.model))?;
                field(&line.submission.to_string())?;
                field(&line.sample.to_string())?;
                field(line.rater)?;
                for at in 0..keys.len() {
                    field(line.scores.get(at..=at).unwrap_or(""))?;
                }
                field(&safe(line.comment))?;
                field(line.flag.unwrap_or(""))?;
                field(line.notes.unwrap_or(""))?;
                field(&time(line.shown_at))?;
                field(&line.at.rfc3339())?;
                field(&time(line.superseded_at))?;
                Ok(writer.write_record(None::<&[u8]>)?)
            })?;
            writer.flush()?;
            Ok(count)
        }
        Form::JsonLines => {
            let count = results_lines::each_rating(conn, head, |line| {
                serde_json::to_writer(&mut *out, &Rated::of(line, &rubric, &keys))?;
                Ok(out.write_all(b"\n")?)
            })?;
            out.flush()?;
            Ok(count)
        }
    }
}

/// Every output of the choice's runs. Returns how many.
pub fn verdicts(conn: &Connection, head: &Ground, form: Form, out: &mut dyn Write) -> Result<u64, Failure> {
    match form {
        Form::Csv => {
            let mut writer = csv::Writer::from_writer(out);
            let count = results_lines::each_verdict(conn, head, |line| Ok(writer.serialize(Judged::of(line))?))?;
            if count == 0 {
                // The header otherwise comes with the first line.
                writer.write_record(JUDGED)?;
            }
            writer.flush()?;
            Ok(count)
        }
        Form::JsonLines => {
            let count = results_lines::each_verdict(conn, head, |line| {
                serde_json::to_writer(&mut *out, &Judged::of(line))?;
                Ok(out.write_all(b"\n")?)
            })?;
            out.flush()?;
            Ok(count)
        }
    }
}

/// A comment that a spreadsheet would take for a formula gets an apostrophe before it.
fn safe(text: &str) -> std::borrow::Cow<'_, str> {
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{text}").into(),
        _ => text.into(),
    }
}

fn time(at: Option<app::model::time::Timestamp>) -> String {
    at.map(|at| at.rfc3339()).unwrap_or_default()
}

/// A rating in JSON.
#[derive(Serialize)]
struct Rated<'a> {
    study: i64,
    dataset_version: u32,
    rubric: &'a str,
    task_id: &'a str,
    lang: &'static str,
    model: &'a str,
    submission: i64,
    sample: u32,
    rater: &'a str,
    scores: Scores<'a>,
    comment: &'a str,
    flag: Option<&'a serde_json::value::RawValue>,
    notes: Option<&'a serde_json::value::RawValue>,
    shown_at: Option<String>,
    rated_at: String,
    superseded_at: Option<String>,
}

/// Scores under their dimensions' keys.
struct Scores<'a>(&'a [&'a str], &'a str);

impl Serialize for Scores<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1.bytes().map(|digit| digit.wrapping_sub(b'0'))))
    }
}

impl<'a> Rated<'a> {
    fn of(line: &'a RatingLine<'_>, rubric: &'a str, keys: &'a [&'a str]) -> Self {
        Rated {
            study: line.study.0,
            dataset_version: line.dataset_version,
            rubric,
            task_id: line.task_id,
            lang: line.lang.code(),
            model: line.model,
            submission: line.submission,
            sample: line.sample,
            rater: line.rater,
            scores: Scores(keys, line.scores),
            comment: line.comment,
            flag: line.flag.and_then(|json| serde_json::from_str(json).ok()),
            notes: line.notes.and_then(|json| serde_json::from_str(json).ok()),
            shown_at: line.shown_at.map(|at| at.rfc3339()),
            rated_at: line.at.rfc3339(),
            superseded_at: line.superseded_at.map(|at| at.rfc3339()),
        }
    }
}

/// What of an outcome goes into a line.
#[derive(Default, Deserialize)]
struct Spent {
    limit: Option<LimitHit>,
    cpu_ms: u32,
    wall_ms: u32,
}

/// A verdict.
#[derive(Serialize)]
struct Judged<'a> {
    run: i64,
    dataset_version: Option<u32>,
    task_id: &'a str,
    lang: &'static str,
    model: &'a str,
    submission: Option<i64>,
    sample: u32,
    verdict: Option<&'a str>,
    limit: Option<LimitHit>,
    passed: u32,
    total: u32,
    cpu_ms: u32,
    wall_ms: u32,
    cached: bool,
    finished_at: Option<String>,
}

const JUDGED: [&str; 15] = [
    "run",
    "dataset_version",
    "task_id",
    "lang",
    "model",
    "submission",
    "sample",
    "verdict",
    "limit",
    "passed",
    "total",
    "cpu_ms",
    "wall_ms",
    "cached",
    "finished_at",
];

impl<'a> Judged<'a> {
    fn of(line: &VerdictLine<'a>) -> Self {
        let spent: Spent = line.outcome.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        Judged {
            run: line.run.0,
            dataset_version: line.dataset_version,
            task_id: line.task_id,
            lang: line.lang.code(),
            model: line.model,
            submission: line.submission,
            sample: line.sample,
            verdict: line.verdict,
            limit: spent.limit,
            passed: line.passed,
            total: line.total,
            cpu_ms: spent.cpu_ms,
            wall_ms: spent.wall_ms,
            cached: line.cached,
            finished_at: line.finished_at.map(|at| at.rfc3339()),
        }
    }
}
