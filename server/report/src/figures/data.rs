//! The data behind a figure as CSV: exact values, one line for each mark.

use chart::figure::{Chart, Figure};

use crate::csv::Table;
use base::error::Failure;

/// The file.
///
/// # Errors
/// Never in practice: it is written to memory.
pub fn csv(figure: &Figure) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    match &figure.chart {
        Chart::Intervals { marks, .. } => {
            let mut table = Table::new(&mut out, ["name", "value", "low", "high", "n", "group"])?;
            for mark in marks {
                table.text(&mark.label)?;
                table.optional(mark.value)?;
                table.optional(mark.interval.map(|i| i.low))?;
                table.optional(mark.interval.map(|i| i.high))?;
                table.value(mark.n)?;
                table.text(&mark.letters)?;
                table.end_line()?;
            }
            table.finish()?;
        }
        Chart::Stacked { bars, .. } => {
            let mut table = Table::new(&mut out, ["name", "part", "count"])?;
            for bar in bars {
                for part in &bar.parts {
                    table.text(&bar.label)?;
                    table.text(&part.name)?;
                    table.value(part.size)?;
                    table.end_line()?;
                }
            }
            table.finish()?;
        }
        Chart::Columns { groups, .. } => {
            let mut table = Table::new(&mut out, ["metric", "name", "value", "low", "high"])?;
            for group in groups {
                for bar in &group.bars {
                    table.text(&group.name)?;
                    table.text(bar.text.rsplit_once(": ").map_or(bar.text.as_str(), |(name, _)| name))?;
                    table.optional(bar.value)?;
                    table.optional(bar.interval.map(|i| i.low))?;
                    table.optional(bar.interval.map(|i| i.high))?;
                    table.end_line()?;
                }
            }
            table.finish()?;
        }
        Chart::Tradeoff { points, frontier, .. } => {
            let mut table = Table::new(&mut out, ["name", "tokens", "value", "low", "high", "frontier"])?;
            for (at, point) in points.iter().enumerate() {
                table.text(&point.name)?;
                table.value(point.amount)?;
                table.value(point.y)?;
                table.optional(point.interval.map(|i| i.low))?;
                table.optional(point.interval.map(|i| i.high))?;
                table.value(frontier.contains(&at))?;
                table.end_line()?;
            }
            table.finish()?;
        }
        Chart::Heat { .. } | Chart::Scatter { .. } | Chart::Grid { .. } => {
            let mut table = Table::new(&mut out, figure.table.head.iter().map(String::as_str))?;
            for row in &figure.table.rows {
                for cell in row {
                    table.text(cell)?;
                }
                table.end_line()?;
            }
            table.finish()?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use chart::figures::{Entry, means};
    use model::{lang::Lang, ratings::Interval};
    use texts::I18n;

    use super::*;

    #[test]
    fn values_are_exact_and_names_guarded() {
        let entry = |name: &str, value| Entry {
            name: name.into(),
            value: Some(value),
            interval: Some(Interval { low: 2.75, high: 3.125 }),
            n: 9,
            letters: "ab".into(),
            ..Entry::default()
        };
        let figure =
            means(I18n::of(Lang::En), "c", "Correctness", (1, 4), &[entry("a", 2.0 / 3.0), entry("=1+1", 1.0)]);
        let text = String::from_utf8(csv(&figure).unwrap_or_default()).unwrap_or_default();
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            ["name,value,low,high,n,group", "a,0.6666666666666666,2.75,3.125,9,ab", "'=1+1,1,2.75,3.125,9,ab"]
        );
    }
}
