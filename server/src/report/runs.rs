//! A run's results as files: JSON Lines for programs, CSV for spreadsheets; two runs beside each other
//! as CSV. The columns are described in docs/engine.md. The same data give the same bytes.

use app::model::{
    run::{LimitHit, Metrics, PassAtK, RunDetail, Verdict},
    run_pair::{PairOutput, RunPair},
};
use csv::Writer;
use serde::Serialize;

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
pub fn json_lines(detail: &RunDetail) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    for line in lines(detail) {
        serde_json::to_writer(&mut out, &line)?;
        out.push(b'\n');
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
    serde_json::to_writer(&mut out, &last)?;
    out.push(b'\n');
    Ok(out)
}

/// One row an output, under a header.
pub fn csv(detail: &RunDetail) -> Result<Vec<u8>, Failure> {
    let mut writer = Writer::from_writer(Vec::new());
    for line in lines(detail) {
        writer.serialize(line)?;
    }
    writer.into_inner().map_err(|e| Failure::internal(e.into_error()))
}

/// A task of two runs.
#[derive(Serialize)]
struct PairLine<'a> {
    task_id: &'a str,
    /// Counts from 0; a sample that only one run has leaves the other's columns empty.
    sample: usize,
    verdict_a: Option<Verdict>,
    passed_a: Option<u32>,
    total_a: Option<u32>,
    verdict_b: Option<Verdict>,
    passed_b: Option<u32>,
    total_b: Option<u32>,
    differs: bool,
}

/// One row a task and sample, under a header.
pub fn pair_csv(pair: &RunPair) -> Result<Vec<u8>, Failure> {
    let mut writer = Writer::from_writer(Vec::new());
    for task in &pair.tasks {
        for sample in 0..task.a.len().max(task.b.len()).max(1) {
            let (a, b) = (task.a.get(sample), task.b.get(sample));
            let same = |o: Option<&PairOutput>| o.map(|o| (o.state, o.verdict, o.passed, o.total));
            writer.serialize(PairLine {
                task_id: &task.task_id,
                sample,
                verdict_a: a.and_then(|o| o.verdict),
                passed_a: a.map(|o| o.passed),
                total_a: a.map(|o| o.total),
                verdict_b: b.and_then(|o| o.verdict),
                passed_b: b.map(|o| o.passed),
                total_b: b.map(|o| o.total),
                differs: same(a) != same(b),
            })?;
        }
    }
    writer.into_inner().map_err(|e| Failure::internal(e.into_error()))
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
