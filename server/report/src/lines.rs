//! Ratings and verdicts as tidy files, one line each: CSV for spreadsheets, JSON Lines for programs. The
//! columns are described in docs/formats.md. Lines are written as they are read, without collecting them.

use std::io::Write;

use model::{
    rubric::Rubric,
    run::{LimitHit, Verdict},
    time::Timestamp,
};
use serde::Serialize;
use serde_json::value::RawValue;
use texts::runs::EN;

use super::{csv::Table, runs::their_name};
use base::error::Failure;
use comparison::line::{RatingLine, VerdictLine, digits};

/// Format of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Comma-separated values (RFC 4180), UTF-8, one header line.
    Csv,
    /// One JSON object per line.
    JsonLines,
}

/// Columns of a CSV of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// A comparison's: with study, versions and language.
    Comparison,
    /// One study's own table: the columns that vary within it.
    Study,
}

/// A file of ratings that is being written.
pub struct RatingLines<'a> {
    out: Out<'a>,
    columns: Columns,
    /// The dimensions' keys.
    keys: Vec<String>,
    rubric: String,
    /// Whether ratings answer which instructions an output follows.
    rubric_asks: bool,
}

/// The receiver of lines.
enum Out<'a> {
    Csv(Box<Table<&'a mut dyn Write>>),
    JsonLines(&'a mut dyn Write),
}

impl<'a> Out<'a> {
    fn finish(self) -> Result<(), Failure> {
        match self {
            Out::Csv(table) => table.finish(),
            Out::JsonLines(out) => Ok(out.flush()?),
        }
    }
}

impl<'a> RatingLines<'a> {
    /// A file of ratings by `rubric`, with its header where the form has one.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(
        rubric: Option<&Rubric>,
        (form, columns): (Form, Columns),
        out: &'a mut dyn Write,
    ) -> Result<Self, Failure> {
        let keys: Vec<String> = rubric.iter().flat_map(|r| &r.dimensions).map(|d| d.key.clone()).collect();
        let rubric_asks = rubric.is_some_and(|rubric| rubric.instructions);
        let rubric = rubric.map(|r| format!("{} {}", r.slug, r.version)).unwrap_or_default();
        let out = match form {
            Form::JsonLines => Out::JsonLines(out),
            Form::Csv => {
                let all = columns == Columns::Comparison;
                // `all` marks columns that only the comparison's table has.
                let names = [
                    (all, "study"),
                    (all, "dataset_version"),
                    (all, "rubric"),
                    (true, "task_id"),
                    (all, "nl_lang"),
                    (true, "model"),
                    (all, "submission"),
                    (true, "sample"),
                    (true, "rater"),
                ];
                let names = names.into_iter().filter_map(|(is_there, name)| is_there.then_some(name));
                let asked = rubric_asks.then_some("instructions");
                let tail = asked.into_iter().chain(["comment", "flag", "notes"]).chain(all.then_some("shown_at"));
                let tail = tail.chain(["rated_at", "replaced_at"]);
                Out::Csv(Box::new(Table::new(out, names.chain(keys.iter().map(String::as_str)).chain(tail))?))
            }
        };
        Ok(RatingLines { out, columns, keys, rubric, rubric_asks })
    }

    /// Adds a rating.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, line: &RatingLine<'_>) -> Result<(), Failure> {
        let table = match &mut self.out {
            Out::Csv(table) => table,
            Out::JsonLines(out) => {
                serde_json::to_writer(&mut *out, &Rated::of(line, &self.rubric, &self.keys))?;
                return Ok(out.write_all(b"\n")?);
            }
        };
        let all = self.columns == Columns::Comparison;
        if all {
            table.value(line.study)?;
            table.value(line.dataset_version)?;
            table.text(&self.rubric)?;
        }
        table.text(line.task_id)?;
        if all {
            table.value(line.nl_lang.code())?;
        }
        table.text(line.model)?;
        if all {
            table.value(line.submission)?;
        }
        table.value(line.sample)?;
        table.text(line.rater)?;
        for at in 0..self.keys.len() {
            table.text(line.scores.get(at..=at).unwrap_or(""))?;
        }
        if self.rubric_asks {
            table.text(line.instructions.unwrap_or(""))?;
        }
        table.text(line.comment)?;
        table.text(line.flag.map_or("", RawValue::get))?;
        table.text(line.notes.map_or("", RawValue::get))?;
        if all {
            table.optional(line.shown_at.map(Timestamp::rfc3339))?;
        }
        table.value(line.at.rfc3339())?;
        table.optional(line.replaced_at.map(Timestamp::rfc3339))?;
        table.end_line()
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        self.out.finish()
    }
}

/// A file of verdicts that is being written.
pub struct VerdictLines<'a>(Out<'a>);

impl<'a> VerdictLines<'a> {
    /// A file of verdicts, with its header where the form has one.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(form: Form, out: &'a mut dyn Write) -> Result<Self, Failure> {
        Ok(VerdictLines(match form {
            Form::Csv => Out::Csv(Box::new(Table::new(out, JUDGED)?)),
            Form::JsonLines => Out::JsonLines(out),
        }))
    }

    /// Adds a verdict.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, line: &VerdictLine<'_>) -> Result<(), Failure> {
        let line = Judged::of(line);
        let table = match &mut self.0 {
            Out::Csv(table) => table,
            Out::JsonLines(out) => {
                serde_json::to_writer(&mut *out, &line)?;
                return Ok(out.write_all(b"\n")?);
            }
        };
        table.value(line.run)?;
        table.optional(line.dataset_version)?;
        table.text(line.task_id)?;
        table.value(line.nl_lang)?;
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
        table.text(line.published.unwrap_or(""))?;
        table.text(line.difference.as_deref().unwrap_or(""))?;
        table.text(line.their_verdict.unwrap_or(""))?;
        table.text(line.their_words.unwrap_or(""))?;
        table.end_line()
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        self.0.finish()
    }
}

/// A rating in JSON.
#[derive(Serialize)]
struct Rated<'a> {
    study: i64,
    dataset_version: u32,
    rubric: &'a str,
    task_id: &'a str,
    nl_lang: &'static str,
    model: &'a str,
    submission: i64,
    sample: u32,
    rater: &'a str,
    scores: ScoresByKey<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    comment: &'a str,
    flag: Option<&'a serde_json::value::RawValue>,
    notes: Option<&'a serde_json::value::RawValue>,
    shown_at: Option<String>,
    rated_at: String,
    replaced_at: Option<String>,
}

/// Scores under their dimensions' keys.
struct ScoresByKey<'a>(&'a [String], &'a str);

impl Serialize for ScoresByKey<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(digits(self.1)))
    }
}

impl<'a> Rated<'a> {
    fn of(line: &'a RatingLine<'_>, rubric: &'a str, keys: &'a [String]) -> Self {
        Rated {
            study: line.study.0,
            dataset_version: line.dataset_version,
            rubric,
            task_id: line.task_id,
            nl_lang: line.nl_lang.code(),
            model: line.model,
            submission: line.submission,
            sample: line.sample,
            rater: line.rater,
            scores: ScoresByKey(keys, line.scores),
            instructions: line.instructions,
            comment: line.comment,
            flag: line.flag,
            notes: line.notes,
            shown_at: line.shown_at.map(|at| at.rfc3339()),
            rated_at: line.at.rfc3339(),
            replaced_at: line.replaced_at.map(|at| at.rfc3339()),
        }
    }
}

/// A verdict.
#[derive(Serialize)]
struct Judged<'a> {
    run: i64,
    dataset_version: Option<u32>,
    task_id: &'a str,
    nl_lang: &'static str,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<&'a str>,
    /// Why it passes as published and not guarded, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
    /// The verdict that came with the output, and the same in its tool's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    their_verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    their_words: Option<&'a str>,
}

const JUDGED: [&str; 19] = [
    "run",
    "dataset_version",
    "task_id",
    "nl_lang",
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
    "published",
    "difference",
    "their_verdict",
    "their_words",
];

impl<'a> Judged<'a> {
    fn of(line: &VerdictLine<'a>) -> Self {
        let spent = line.spent.clone().unwrap_or_default();
        let passed = Verdict::Passed.name();
        let differs = line.published == Some(passed) && line.verdict.is_some_and(|verdict| verdict != passed);
        Judged {
            run: line.run.0,
            dataset_version: line.dataset_version,
            task_id: line.task_id,
            nl_lang: line.nl_lang.code(),
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
            published: line.published,
            difference: differs.then(|| EN.difference(spent.reason.as_ref())),
            their_verdict: line.theirs.map(their_name),
            their_words: line.their_words,
        }
    }
}
