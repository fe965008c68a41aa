//! HumanEval-X over its languages as CSV: a line for each model and dataset. docs/formats.md has the columns.

use std::io::Write;

use model::{
    failure_class::FailureClass,
    languages::{LanguageCell, LanguageResults},
    run::{PassAtK, Verdict},
};

use super::csv::Table;
use base::error::Failure;

/// The table, under a header.
///
/// # Errors
/// `out` cannot be written.
pub fn csv(results: &LanguageResults, out: &mut dyn Write) -> Result<u64, Failure> {
    let ks = results.ks();
    let mut head: Vec<String> = ["model", "dataset", "source", "language", "run", "outputs"].map(str::to_owned).into();
    for k in &ks {
        head.extend(["", "_ci95_low", "_ci95_high", "_published"].map(|end| format!("pass_at_{k}{end}")));
    }
    head.push("only_as_published".to_owned());
    head.extend(Verdict::ALL.map(|verdict| verdict.name().to_owned()));
    head.extend(FailureClass::ALL.iter().map(|class| format!("failure_{}", class.name())));
    let mut table = Table::new(out, head.iter().map(String::as_str))?;
    let mut lines = 0;
    for model in &results.models {
        for (dataset, cell) in results.datasets.iter().zip(&model.cells) {
            let Some(cell) = cell else { continue };
            table.text(&model.name)?;
            table.text(&dataset.slug)?;
            table.optional(dataset.source)?;
            table.value(dataset.lang)?;
            table.value(cell.run)?;
            table.value(cell.outputs)?;
            figures(&mut table, cell, &ks)?;
            table.end_line()?;
            lines += 1;
        }
    }
    table.finish()?;
    Ok(lines)
}

fn figures(table: &mut Table<&mut dyn Write>, cell: &LanguageCell, ks: &[u32]) -> Result<(), Failure> {
    let value = |at: Option<&PassAtK>| at.map(|at| at.value);
    for k in ks {
        let interval = cell.at(*k).and_then(|at| at.interval);
        table.optional(value(cell.at(*k)))?;
        table.optional(interval.map(|interval| interval.low))?;
        table.optional(interval.map(|interval| interval.high))?;
        table.optional(value(cell.published_at(*k)))?;
    }
    table.optional(cell.published.map(|published| published.differ))?;
    for verdict in Verdict::ALL {
        let count = cell.verdicts.iter().find(|(known, _)| *known == verdict);
        table.value(count.map_or(0, |(_, count)| *count))?;
    }
    for class in FailureClass::ALL {
        let count = cell.failures.iter().find(|(known, _)| known == class);
        table.value(count.map_or(0, |(_, count)| *count))?;
    }
    Ok(())
}
