//! A run's results as CSV, JSON Lines or Parquet; two runs compared as CSV. The columns are described in
//! docs/engine.md. The same data give the same bytes.

use std::{collections::BTreeMap, io::Write};

use model::{
    published::{AsPublished, Difference},
    reason::Reason,
    run::{ItemRow, LimitHit, Metrics, PassAtK, PublishedVerdict, RunDetail, Verdict},
    run_pair::{PairOutput, RunPair},
};
use serde::Serialize;
use serde_json::value::RawValue;
use texts::runs::EN;

use super::{
    csv,
    lines::{
        CACHED, CPU_MS, Columns, DIFFERENCE, Kind, LIMIT, PASSED, PUBLISHED, SAMPLE, TASK_ID, THEIR_VERDICT, TOTAL,
        VERDICT, WALL_MS,
    },
    table::{Column, Form, Out, Type},
};
use base::error::Failure;

/// The outputs of a run.
struct Results;

impl Kind for Results {
    type Line<'a> = Line<'a>;
}

/// An output with what its columns are made of.
struct Line<'a> {
    item: &'a ItemRow,
    /// The reason's code, and the whole reason.
    reason: Option<(String, Box<RawValue>)>,
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

fn columns() -> Columns<Results> {
    let mut columns = Columns::<Results>::default();
    columns.add(Column::new("task_id", Type::Text, TASK_ID), |line| line.item.task_id.as_str().into());
    columns.add(Column::new("sample", Type::Integer, SAMPLE), |line| line.item.sample.into());
    columns.add(Column::optional("verdict", Type::Text, VERDICT), |line| line.item.verdict.map(Verdict::name).into());
    columns.add(Column::optional("limit", Type::Text, LIMIT), |line| line.item.limit.map(LimitHit::name).into());
    columns.add(Column::new("passed", Type::Integer, PASSED), |line| line.item.passed.into());
    columns.add(Column::new("total", Type::Integer, TOTAL), |line| line.item.total.into());
    columns.add(Column::new("cpu_ms", Type::Integer, CPU_MS), |line| line.item.cpu_ms.into());
    columns.add(Column::new("wall_ms", Type::Integer, WALL_MS), |line| line.item.wall_ms.into());
    columns.add(Column::new("flags", Type::Integer, "Number of warnings"), |line| line.item.flags.into());
    columns.add(Column::new("cached", Type::Boolean, CACHED), |line| line.item.cached.into());
    let meaning = "Code of the reason for the verdict";
    columns.add(Column::optional("reason", Type::Text, meaning), |line| {
        line.reason.as_ref().map(|(code, _)| code.as_str()).into()
    });
    let meaning = "The same reason with its values";
    columns.add(Column::optional("reason_values", Type::Json, meaning), |line| {
        line.reason.as_ref().map(|(_, values)| &**values).into()
    });
    columns.add(Column::optional("reason_text", Type::Text, "The same reason in English"), |line| {
        line.item.reason.as_ref().map(|reason| EN.reason(reason)).into()
    });
    columns.add(Column::optional("published", Type::Text, PUBLISHED), |line| {
        line.item.published.map(PublishedVerdict::name).into()
    });
    columns.add(Column::optional("difference", Type::Text, DIFFERENCE), |line| {
        line.item.differs().then(|| EN.difference(line.item.reason.as_ref())).into()
    });
    columns.add(Column::optional("their_verdict", Type::Text, THEIR_VERDICT), |line| {
        line.item.theirs.map(their_name).into()
    });
    columns
}

/// Writes a run: a line for each output that `each` passes on, and in JSON a last line with the figures.
///
/// # Errors
/// `out` cannot be written, or `each` failed.
pub fn results(
    form: Form,
    detail: &RunDetail,
    out: Out<'_>,
    each: impl FnOnce(&mut dyn FnMut(&ItemRow) -> Result<(), Failure>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut lines = columns().table(form, &mut *out)?;
    each(&mut |item| {
        let reason = |reason: &Reason| Ok::<_, Failure>((code(reason)?, serde_json::value::to_raw_value(reason)?));
        let reason = item.reason.as_ref().map(reason).transpose()?;
        lines.write(&Line { item, reason })
    })?;
    lines.finish()?;
    if form != Form::JsonLines {
        return Ok(());
    }
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

/// One row for each task and sample of two runs, under a header. Samples count from 0; a sample that only one
/// run has leaves the other's columns empty.
pub fn pair_csv(pair: &RunPair, out: &mut dyn Write) -> Result<(), Failure> {
    let mut table = csv::Table::new(
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
