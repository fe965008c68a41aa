//! Every pair of a comparison's models as a table: on the page only the first are listed.

use model::{
    comparison::{ComparisonFigures, Pair},
    ratings::Interval,
};

use super::csv::Table;
use base::error::Failure;

const COLUMNS: [&str; 10] =
    ["figure", "first", "second", "tasks", "difference", "ci95_low", "ci95_high", "test", "p", "p_holm"];

/// The pairs as CSV, one line for each figure and pair; docs/formats.md describes the columns.
pub fn csv(figures: &ComparisonFigures) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut table = Table::new(&mut bytes, COLUMNS)?;
    let name = |model: usize| figures.models.get(model).map_or("", String::as_str);
    let mut line = |figure: &str, (first, second, tasks): (usize, usize, u64), values: Values| {
        table.text(figure)?;
        table.text(name(first))?;
        table.text(name(second))?;
        table.value(tasks)?;
        table.optional(values.difference)?;
        table.optional(values.interval.map(|i| i.low))?;
        table.optional(values.interval.map(|i| i.high))?;
        table.value(if values.p.is_some() { values.test } else { "" })?;
        table.optional(values.p)?;
        table.optional(values.holm)?;
        table.end_line()
    };
    if let Some(human) = &figures.human {
        let tests = human.tests.iter().zip(&human.holm);
        for (x, (test, holm)) in human.comparison.differences.iter().zip(tests) {
            let key = human.comparison.rubric.dimensions.get(x.dimension).map_or("", |d| d.key.as_str());
            let p = test.as_ref().ok().map(|test| test.wilcoxon.p);
            let values = Values { difference: x.mean, interval: x.interval, test: "wilcoxon", p, holm: *holm };
            line(key, (x.first, x.second, x.tasks), values)?;
        }
    }
    for pair in figures.automated.iter().flat_map(|automated| &automated.pairs) {
        let Pair { first, second, tasks, .. } = *pair;
        let shared = tasks > 0;
        let p = pair.mcnemar.as_ref().ok().map(|test| test.mid);
        let pass = Values {
            difference: shared.then_some(pair.pass),
            interval: pair.pass_interval,
            test: "mcnemar_mid",
            p,
            holm: pair.holm,
        };
        line("pass@1", (first, second, tasks), pass)?;
        let ratio =
            Values { difference: shared.then_some(pair.ratio), interval: pair.ratio_interval, ..Values::default() };
        line("AvgPassRatio", (first, second, tasks), ratio)?;
    }
    table.finish()?;
    Ok(bytes)
}

/// The values of a pair in a line.
#[derive(Default)]
struct Values {
    difference: Option<f64>,
    interval: Option<Interval>,
    test: &'static str,
    p: Option<f64>,
    holm: Option<f64>,
}
