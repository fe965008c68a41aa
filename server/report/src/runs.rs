//! A run's results as files: JSON Lines for programs, CSV for spreadsheets; two runs compared as CSV. The
//! columns are described in docs/engine.md. The same data give the same bytes.

use std::{collections::BTreeMap, io::Write};

use model::{
    published::{AsPublished, Difference},
    reason::Reason,
    run::{ItemRow, LimitHit, Metrics, PassAtK, PublishedVerdict, RunDetail, Verdict},
    run_pair::{PairOutput, RunPair},
};
use serde::Serialize;
use texts::runs::EN;

use super::csv::Table;
use base::error::Failure;

#[derive(Serialize)]
struct Line<'a> {
    task_id: &'a str,
    sample: u32,
    /// Absent after an engine error, or if it was not run.
    verdict: Option<Verdict>,
    limit: Option<LimitHit>,
    /// Why the engine reached the verdict, and the same in English.
    reason: Option<&'a Reason>,
    reason_text: Option<String>,
    passed: u32,
    total: u32,
    cpu_ms: u32,
    wall_ms: u32,
    flags: u32,
    cached: bool,
    /// The verdict as published; absent if the benchmark has no evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedVerdict>,
    /// Why it passes as published and not guarded, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
    /// The verdict that came with it; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    their_verdict: Option<&'static str>,
}

/// The last line of JSON.
#[derive(Serialize)]
struct Last<'a> {
    run: i64,
    model: &'a str,
    dataset: &'a str,
    version: u32,
    java: &'a str,
    metrics: &'a Metrics,
    pass_at: &'a [PassAtK],
    /// The figures by the verdicts as published; absent if the benchmark has no evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<&'a AsPublished>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    published_pass_at: &'a [PassAtK],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    differences: &'a [Difference],
    /// Number of outputs per verdict.
    verdicts: BTreeMap<&'static str, u32>,
    /// Outputs with an engine error.
    failed: u32,
}

const COLUMNS: [&str; 15] = [
    "task_id",
    "sample",
    "verdict",
    "limit",
    "passed",
    "total",
    "cpu_ms",
    "wall_ms",
    "flags",
    "cached",
    "reason",
    "reason_text",
    "published",
    "difference",
    "their_verdict",
];

/// Format of a run's results. Verdicts in Parquet are the comparison's ([`super::lines::verdicts`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Csv,
    JsonLines,
}

/// A run's file that is being written: a line for each output, and in JSON a last one with the figures.
pub enum Results<'a> {
    Csv(Box<Table<&'a mut dyn Write>>),
    JsonLines(&'a RunDetail, &'a mut dyn Write),
}

impl<'a> Results<'a> {
    /// A file with its header where the form has one.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(form: Form, detail: &'a RunDetail, out: &'a mut dyn Write) -> Result<Self, Failure> {
        Ok(match form {
            Form::Csv => Results::Csv(Box::new(Table::new(out, COLUMNS)?)),
            Form::JsonLines => Results::JsonLines(detail, out),
        })
    }

    /// Adds an output.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, item: &ItemRow) -> Result<(), Failure> {
        let line = Line::of(item);
        match self {
            Results::Csv(table) => line.csv(table),
            Results::JsonLines(_, out) => {
                serde_json::to_writer(&mut *out, &line)?;
                Ok(out.write_all(b"\n")?)
            }
        }
    }

    /// Adds the figures, and writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Results::Csv(table) => table.finish(),
            Results::JsonLines(detail, out) => {
                let row = &detail.row;
                let last = Last {
                    run: row.id.0,
                    model: &row.model_name,
                    dataset: &row.dataset,
                    version: row.number,
                    java: &detail.environment.java,
                    metrics: &row.metrics,
                    pass_at: &detail.pass_at,
                    published: row.published.as_ref(),
                    published_pass_at: &detail.published_pass_at,
                    differences: &detail.differences,
                    verdicts: detail.verdicts.iter().map(|(verdict, count)| (verdict.name(), *count)).collect(),
                    failed: row.failed,
                };
                serde_json::to_writer(&mut *out, &last)?;
                out.write_all(b"\n")?;
                Ok(out.flush()?)
            }
        }
    }
}

/// One row for each task and sample of two runs, under a header. Samples count from 0; a sample that only one
/// run has leaves the other's columns empty.
pub fn pair_csv(pair: &RunPair, out: &mut dyn Write) -> Result<(), Failure> {
    let mut table = Table::new(
        out,
        ["task_id", "sample", "verdict_a", "passed_a", "total_a", "verdict_b", "passed_b", "total_b", "differs"],
    )?;
    for task in &pair.tasks {
        for sample in 0..task.a.len().max(task.b.len()).max(1) {
            let (a, b) = (task.a.get(sample), task.b.get(sample));
            let same = |o: Option<&PairOutput>| o.map(|o| (o.state, o.verdict, o.passed, o.total));
            table.text(&task.task_id)?;
            table.value(sample)?;
            for output in [a, b] {
                table.optional(output.and_then(|o| o.verdict).map(Verdict::name))?;
                table.optional(output.map(|o| o.passed))?;
                table.optional(output.map(|o| o.total))?;
            }
            table.value(same(a) != same(b))?;
            table.end_line()?;
        }
    }
    table.finish()
}

/// The name of a verdict that came with an output, as in the names of ours.
pub fn their_name(passed: bool) -> &'static str {
    if passed { Verdict::Passed.name() } else { Verdict::Failed.name() }
}

/// The reason's code.
fn code(reason: &Reason) -> Result<String, Failure> {
    Ok(serde_json::to_value(reason)?["code"].as_str().unwrap_or_default().to_owned())
}

impl<'a> Line<'a> {
    fn of(item: &'a ItemRow) -> Line<'a> {
        Line {
            task_id: &item.task_id,
            sample: item.sample,
            verdict: item.verdict,
            limit: item.limit,
            reason: item.reason.as_ref(),
            reason_text: item.reason.as_ref().map(|reason| EN.reason(reason)),
            passed: item.passed,
            total: item.total,
            cpu_ms: item.cpu_ms,
            wall_ms: item.wall_ms,
            flags: item.flags,
            cached: item.cached,
            published: item.published,
            difference: item.differs().then(|| EN.difference(item.reason.as_ref())),
            their_verdict: item.theirs.map(their_name),
        }
    }

    fn csv(&self, table: &mut Table<&mut dyn Write>) -> Result<(), Failure> {
        table.text(self.task_id)?;
        table.value(self.sample)?;
        table.optional(self.verdict.map(Verdict::name))?;
        table.optional(self.limit.map(LimitHit::name))?;
        table.value(self.passed)?;
        table.value(self.total)?;
        table.value(self.cpu_ms)?;
        table.value(self.wall_ms)?;
        table.value(self.flags)?;
        table.value(self.cached)?;
        table.optional(self.reason.map(code).transpose()?)?;
        table.text(self.reason_text.as_deref().unwrap_or_default())?;
        table.optional(self.published.map(PublishedVerdict::name))?;
        table.text(self.difference.as_deref().unwrap_or_default())?;
        table.optional(self.their_verdict)?;
        table.end_line()
    }
}
