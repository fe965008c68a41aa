//! Ratings and verdicts as tidy files, a line each: CSV for spreadsheets, JSON Lines for programs. The
//! columns are described in docs/formats.md. Written as they are read; nothing is gathered.

use std::io::Write;

use app::model::{run::LimitHit, time::Timestamp};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::{csv::Table, ground::Ground};
use crate::{
    db::results_lines::{self, Raters, RatingLine, VerdictLine},
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

/// Which columns a CSV of ratings has, and how it names raters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// A comparison's: with study, versions and language; raters under pseudonyms.
    Comparison,
    /// One study's own table: what varies within it; raters by name.
    Study,
}

/// Every rating of the choice. Returns how many.
pub fn ratings(
    conn: &Connection,
    head: &Ground,
    (form, columns): (Form, Columns),
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let keys: Vec<&str> = head.rubric.iter().flat_map(|r| &r.dimensions).map(|d| d.key.as_str()).collect();
    let rubric = head.rubric.as_ref().map(|r| format!("{} {}", r.slug, r.version)).unwrap_or_default();
    let raters = match columns {
        Columns::Comparison => Raters::Pseudonyms,
        Columns::Study => Raters::Names,
    };
    match form {
        Form::Csv => {
            let all = columns == Columns::Comparison;
            // What only the comparison's table has is marked with `all`.
            let names = [
                (all, "study"),
                (all, "dataset_version"),
                (all, "rubric"),
                (true, "task_id"),
                (all, "lang"),
                (true, "model"),
                (all, "submission"),
                (true, "sample"),
                (true, "rater"),
            ];
            let names = names.into_iter().filter_map(|(is_there, name)| is_there.then_some(name));
            let tail = ["comment", "flag", "notes"].into_iter().chain(all.then_some("shown_at"));
            let tail = tail.chain(["rated_at", "superseded_at"]);
            let mut table = Table::new(out, names.chain(keys.iter().copied()).chain(tail))?;
            let count = results_lines::each_rating(conn, head, raters, |line| {
                if all {
                    table.value(line.study)?;
                    table.value(line.dataset_version)?;
                    table.text(&rubric)?;
                }
                table.text(line.task_id)?;
                if all {
                    table.value(line.lang.code())?;
                }
                table.text(line.model)?;
                if all {
                    table.value(line.submission)?;
                }
                table.value(line.sample)?;
                table.text(line.rater)?;
                for at in 0..keys.len() {
                    table.text(line.scores.get(at..=at).unwrap_or(""))?;
                }
                table.text(line.comment)?;
                table.text(line.flag.unwrap_or(""))?;
                table.text(line.notes.unwrap_or(""))?;
                if all {
                    table.optional(line.shown_at.map(Timestamp::rfc3339))?;
                }
                table.value(line.at.rfc3339())?;
                table.optional(line.superseded_at.map(Timestamp::rfc3339))?;
                table.end_line()
            })?;
            table.finish()?;
            Ok(count)
        }
        Form::JsonLines => {
            let count = results_lines::each_rating(conn, head, raters, |line| {
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
            let mut table = Table::new(out, JUDGED)?;
            let count = results_lines::each_verdict(conn, head, |line| {
                let line = Judged::of(line);
                table.value(line.run)?;
                table.optional(line.dataset_version)?;
                table.text(line.task_id)?;
                table.value(line.lang)?;
                table.text(line.model)?;
                table.optional(line.submission)?;
                table.value(line.sample)?;
                table.text(line.verdict.unwrap_or(""))?;
                table.optional(line.limit.map(LimitHit::name))?;
                table.value(line.passed)?;
                table.value(line.total)?;
                table.value(line.cpu_ms)?;
                table.value(line.wall_ms)?;
                table.value(line.cached)?;
                table.optional(line.finished_at)?;
                table.end_line()
            })?;
            table.finish()?;
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
