//! A run's results as files: JSON Lines for programs, CSV for spreadsheets; two runs beside each other
//! as CSV. The columns are described in docs/engine.md. The same data give the same bytes.

use std::io::Write;

use app::model::{
    run::{LimitHit, Metrics, PassAtK, RunDetail, Verdict},
    run_pair::{PairOutput, RunPair},
};
use serde::Serialize;

use super::csv::Table;
use crate::error::Failure;

/// One output.
#[derive(Serialize)]
struct Line<'a> {
    task_id: &'a str,
    sample: u32,
    /// Absent where our own machinery failed, or it was not run.
    verdict: Option<Verdict>,
    limit: Option<LimitHit>,
    passed: u32,
    total: u32,
    cpu_ms: u32,
    wall_ms: u32,
    flags: u32,
    cached: bool,
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
    /// Outputs on which our own machinery failed.
    failed: u32,
}

/// One JSON line an output, and a last one with the figures.
pub fn json_lines(detail: &RunDetail, out: &mut dyn Write) -> Result<(), Failure> {
    for line in lines(detail) {
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
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
        failed: row.failed,
    };
    serde_json::to_writer(&mut *out, &last)?;
    Ok(out.write_all(b"\n")?)
}

/// One row an output, under a header.
pub fn csv(detail: &RunDetail, out: &mut dyn Write) -> Result<(), Failure> {
    let mut table = Table::new(
        out,
        ["task_id", "sample", "verdict", "limit", "passed", "total", "cpu_ms", "wall_ms", "flags", "cached"],
    )?;
    for line in lines(detail) {
        table.text(line.task_id)?;
        table.value(line.sample)?;
        table.optional(line.verdict.map(Verdict::name))?;
        table.optional(line.limit.map(LimitHit::name))?;
        table.value(line.passed)?;
        table.value(line.total)?;
        table.value(line.cpu_ms)?;
        table.value(line.wall_ms)?;
        table.value(line.flags)?;
        table.value(line.cached)?;
        table.end_line()?;
    }
    table.finish()
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

fn lines(detail: &RunDetail) -> impl Iterator<Item = Line<'_>> {
    detail.items.iter().map(|item| Line {
        task_id: &item.task_id,
        sample: item.sample,
        verdict: item.verdict,
        limit: item.limit,
        passed: item.passed,
        total: item.total,
        cpu_ms: item.cpu_ms,
        wall_ms: item.wall_ms,
        flags: item.flags,
        cached: item.cached,
    })
}
