//! The leaderboard: its order and its CSV. Pure.

use std::{cmp::Ordering, io::Write};

use model::{
    lang::Bilingual,
    results::{Board, BoardDataset, BoardQuery, BoardResults, BoardRow, Measured},
};

use super::csv::Table;
use base::error::Failure;

/// Column that orders by name.
const BY_MODEL: &str = "model";

/// Rows filtered and ordered as the query asks, all on one page.
pub fn arranged(
    datasets: Vec<BoardDataset>,
    all_datasets: Vec<(String, Bilingual)>,
    rows: Vec<BoardRow>,
    query: &BoardQuery,
) -> Board {
    let models = rows.len() as u64;
    let words: Vec<String> = query.q.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut rows: Vec<BoardRow> = rows
        .into_iter()
        .filter(|row| {
            let name = row.name.to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
                && (!query.only_data || row.results.iter().any(|r| r.people.is_some() || r.tests.is_some()))
        })
        .collect();
    let columns = columns(&datasets);
    let has_data = |column: &Column| rows.iter().any(|row| column.value(row).is_some());
    let column = columns.iter().find(|column| column.key == query.sort);
    let column = match query.sort.as_str() {
        BY_MODEL => None,
        _ => column.or_else(|| columns.iter().find(|column| has_data(column))),
    };
    rows.sort_by_cached_key(|row| row.name.to_lowercase());
    if let Some(column) = column {
        // A stable sort keeps equal values in the order of names. Models without a value come last in both orders.
        rows.sort_by(|a, b| match (column.value(a), column.value(b)) {
            (Some(a), Some(b)) if query.reverse => a.total_cmp(&b),
            (Some(a), Some(b)) => b.total_cmp(&a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
    } else if query.reverse {
        rows.reverse();
    }
    let sort = column.map_or_else(|| BY_MODEL.to_owned(), |column| column.key.clone());
    Board { found: rows.len() as u64, models, sort, datasets, all_datasets, rows, ..Board::default() }
}

/// A metric of a dataset.
struct Column {
    key: String,
    dataset: usize,
    of: fn(&BoardResults) -> Option<&Measured>,
    at: usize,
}

impl Column {
    fn value(&self, row: &BoardRow) -> Option<f64> {
        let measured = (self.of)(row.results.get(self.dataset)?)?;
        measured.values.get(self.at).copied().flatten().map(|estimated| estimated.value)
    }
}

fn by_people(results: &BoardResults) -> Option<&Measured> {
    results.people.as_ref()
}

fn by_tests(results: &BoardResults) -> Option<&Measured> {
    results.tests.as_ref()
}

fn columns(datasets: &[BoardDataset]) -> Vec<Column> {
    let each = datasets.iter().enumerate().flat_map(|(dataset, shown)| {
        let people = shown.dimensions.iter().map(|dimension| dimension.key.clone()).enumerate();
        let people = people.map(|(at, key)| (at, key, by_people as fn(&BoardResults) -> Option<&Measured>));
        let tests = shown.pass_at.iter().map(|k| format!("pass@{k}")).enumerate();
        let tests = tests.map(|(at, key)| (at, key, by_tests as fn(&BoardResults) -> Option<&Measured>));
        people.chain(tests).map(move |(at, key, of)| Column {
            key: BoardQuery::column(&shown.slug, &key),
            dataset,
            of,
            at,
        })
    });
    each.collect()
}

/// One line for each model, dataset and metric with a value; returns the number of lines.
///
/// # Errors
/// `out` cannot be written.
pub fn csv(board: &Board, out: &mut dyn Write) -> Result<u64, Failure> {
    let head = ["dataset", "model", "source", "metric", "value", "low", "high", "tasks", "ratings", "run", "at"];
    let mut table = Table::new(out, head)?;
    let mut lines = 0;
    for row in &board.rows {
        for (dataset, results) in board.datasets.iter().zip(&row.results) {
            let people = dataset.dimensions.iter().map(|d| d.key.clone()).collect::<Vec<_>>();
            let tests = dataset.pass_at.iter().map(|k| format!("pass@{k}")).collect::<Vec<_>>();
            for (source, metrics, measured) in [("people", people, &results.people), ("tests", tests, &results.tests)] {
                let Some(measured) = measured else { continue };
                for (metric, value) in metrics.iter().zip(&measured.values) {
                    let Some(value) = value else { continue };
                    table.text(&dataset.slug)?;
                    table.text(&row.name)?;
                    table.value(source)?;
                    table.text(metric)?;
                    table.value(value.value)?;
                    table.optional(value.interval.map(|i| i.low))?;
                    table.optional(value.interval.map(|i| i.high))?;
                    table.value(measured.tasks)?;
                    table.value(measured.ratings)?;
                    table.optional(measured.run)?;
                    table.optional(measured.at.map(|at| at.rfc3339()))?;
                    table.end_line()?;
                    lines += 1;
                }
            }
        }
    }
    table.finish()?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use model::{
        ids::ModelId,
        results::{BoardDimension, Estimated},
    };

    use super::*;

    fn board(query: &BoardQuery) -> Board {
        let dimension =
            BoardDimension { key: "correctness".into(), name: Bilingual::default(), low: 1, high: 4, checklist: false };
        let dataset = |slug: &str, dimensions, pass_at| BoardDataset {
            slug: slug.into(),
            dimensions,
            pass_at,
            ..BoardDataset::default()
        };
        let measured = |value: f64| Measured {
            values: vec![Some(Estimated { value, interval: None })],
            tasks: 9,
            ..Measured::default()
        };
        let row = |id, name: &str, people: Option<f64>, tests: Option<f64>| BoardRow {
            model: ModelId(id),
            name: name.into(),
            results: vec![
                BoardResults { outputs: true, people: people.map(measured), tests: None },
                BoardResults { outputs: true, people: None, tests: tests.map(measured) },
            ],
        };
        let rows = vec![
            row(1, "beta", Some(2.0), None),
            row(2, "Alpha", Some(3.0), Some(0.2)),
            row(3, "gamma", None, Some(0.9)),
            row(4, "=delta", None, None),
        ];
        arranged(vec![dataset("a", vec![dimension], vec![]), dataset("b", vec![], vec![1])], Vec::new(), rows, query)
    }

    #[test]
    fn models_are_ordered_by_a_column_and_those_without_data_come_last() {
        let check = |sort: &str, reverse, expected: &[&str], by: &str| {
            let found = board(&BoardQuery { sort: sort.into(), reverse, ..BoardQuery::default() });
            assert_eq!(found.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), expected, "{sort}");
            assert_eq!(found.sort, by);
        };
        check("", false, &["Alpha", "beta", "=delta", "gamma"], "a.correctness");
        check("nonsense", true, &["beta", "Alpha", "=delta", "gamma"], "a.correctness");
        check("b.pass@1", false, &["gamma", "Alpha", "=delta", "beta"], "b.pass@1");
        check("model", false, &["=delta", "Alpha", "beta", "gamma"], "model");
        check("model", true, &["gamma", "beta", "Alpha", "=delta"], "model");
    }

    #[test]
    fn filters_count_what_they_leave_out() {
        let found = board(&BoardQuery { only_data: true, ..BoardQuery::default() });
        assert_eq!((found.found, found.models), (3, 4));
        assert_eq!(board(&BoardQuery { q: "ALP".into(), ..BoardQuery::default() }).found, 1);
    }

    #[test]
    fn csv_has_a_line_for_each_value_and_no_zero_for_a_missing_one() {
        let mut out = Vec::new();
        assert_eq!(csv(&board(&BoardQuery { sort: "model".into(), ..BoardQuery::default() }), &mut out).ok(), Some(4));
        let text = String::from_utf8(out).unwrap_or_default();
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "dataset,model,source,metric,value,low,high,tasks,ratings,run,at",
                "a,Alpha,people,correctness,3,,,9,0,,",
                "b,Alpha,tests,pass@1,0.2,,,9,0,,",
                "a,beta,people,correctness,2,,,9,0,,",
                "b,gamma,tests,pass@1,0.9,,,9,0,,",
            ]
        );
    }
}
