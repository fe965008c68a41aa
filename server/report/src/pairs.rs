//! Every pair of a comparison's models as a table: on the page only the first are listed.

use model::{
    comparison::{ComparisonFigures, Pair},
    ratings::Interval,
    stats::Tested,
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
        table.value(values.tested.map_or("", |tested| tested.test.name()))?;
        table.optional(values.tested.map(|tested| tested.p))?;
        table.optional(values.tested.map(|tested| tested.holm))?;
        table.end_line()
    };
    if let Some(human) = &figures.human {
        for (at, x) in human.comparison.differences.iter().enumerate() {
            let key = human.comparison.rubric.dimensions.get(x.dimension).map_or("", |d| d.key.as_str());
            let values = Values { difference: x.mean, interval: x.interval, tested: human.tested(at) };
            line(key, (x.first, x.second, x.tasks), values)?;
        }
    }
    for pair in figures.automated.iter().flat_map(|automated| &automated.pairs) {
        let Pair { first, second, tasks, .. } = *pair;
        let shared = tasks > 0;
        let pass =
            Values { difference: shared.then_some(pair.pass), interval: pair.pass_interval, tested: pair.tested() };
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
    tested: Option<Tested>,
}
