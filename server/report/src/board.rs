//! The leaderboard: its order and its CSV. Pure.

use std::{cmp::Ordering, io::Write};

use model::{
    lang::Bilingual,
    results::{Board, BoardDataset, BoardQuery, BoardResults, BoardRow, EmptyModel, Measured},
    text::natural_cmp,
};

use super::csv::Table;
use base::error::Failure;

/// Column that orders by name.
const BY_MODEL: &str = "model";

/// Values closer than this are equal: what differs is the rounding of sums.
const EQUAL: f64 = 1e-9;

/// Rows filtered, ordered and ranked as the query asks, all on one page, with the highest value of each column. Ranks and
/// highest values are of all models, whatever the filter leaves.
pub fn arranged(
    mut datasets: Vec<BoardDataset>,
    all_datasets: Vec<(String, Bilingual)>,
    rows: Vec<BoardRow>,
    query: &BoardQuery,
) -> Board {
    let models = rows.len() as u64;
    let columns = columns(&datasets);
    let values: Vec<Vec<f64>> = columns.iter().map(|column| column.values(&rows)).collect();
    for (column, values) in columns.iter().zip(&values) {
        if let Some(dataset) = datasets.get_mut(column.dataset) {
            dataset.highest.push(values.first().copied().filter(|_| values.len() > 1));
        }
    }
    let words: Vec<String> = query.q.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let wanted = rows.into_iter().filter(|row| {
        let name = row.name.to_lowercase();
        words.iter().all(|word| name.contains(word.as_str()))
    });
    // While a dataset's first figures are being computed, its models are not yet known to have none.
    let has_results = |row: &BoardRow| {
        let mut each = row.results.iter().zip(&datasets);
        each.any(|(r, of)| r.people.is_some() || r.tests.is_some() || (of.computing && r.outputs))
    };
    let (mut rows, mut empty): (Vec<BoardRow>, Vec<BoardRow>) = wanted.partition(has_results);
    by_name(&mut empty);
    let found_empty = empty.len() as u64;
    let empty = empty.into_iter().take(Board::EMPTY).map(|row| EmptyModel { model: row.model, name: row.name });
    let has_data = |column: &Column| rows.iter().any(|row| column.value(row).is_some());
    let column = columns.iter().position(|column| column.key == query.sort);
    let column = match query.sort.as_str() {
        BY_MODEL => None,
        _ => column.or_else(|| columns.iter().position(has_data)),
    };
    let column = column.and_then(|at| Some((columns.get(at)?, values.get(at)?)));
    by_name(&mut rows);
    if let Some((column, values)) = column {
        for row in &mut rows {
            row.rank = column.value(row).map(|own| 1 + values.partition_point(|value| *value > own + EQUAL) as u64);
        }
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
    let sort = column.map_or_else(|| BY_MODEL.to_owned(), |(column, _)| column.key.clone());
    let (found, empty) = (rows.len() as u64, empty.collect());
    Board { found, empty, found_empty, models, sort, datasets, all_datasets, rows, ..Board::default() }
}

/// In the order of names, where `model-2` comes before `model-10`.
fn by_name(rows: &mut [BoardRow]) {
    rows.sort_by(|a, b| natural_cmp(&a.name, &b.name));
}

/// A metric of a dataset.
struct Column {
    key: String,
    dataset: usize,
    of: fn(&BoardResults) -> Option<&Measured>,
    at: usize,
}

impl Column {
    /// The values of all rows, highest first.
    fn values(&self, rows: &[BoardRow]) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().filter_map(|row| self.value(row)).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

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
            rank: None,
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
        check("", false, &["Alpha", "beta", "gamma"], "a.correctness");
        check("nonsense", true, &["beta", "Alpha", "gamma"], "a.correctness");
        check("b.pass@1", false, &["gamma", "Alpha", "beta"], "b.pass@1");
        check("model", false, &["Alpha", "beta", "gamma"], "model");
        check("model", true, &["gamma", "beta", "Alpha"], "model");
    }

    #[test]
    fn models_without_results_are_apart_and_counted() {
        let found = board(&BoardQuery::default());
        assert_eq!((found.found, found.found_empty, found.models), (3, 1, 4));
        assert_eq!(found.empty, [EmptyModel { model: ModelId(4), name: "=delta".into() }]);
        let found = board(&BoardQuery { q: "ALP".into(), ..BoardQuery::default() });
        assert_eq!((found.found, found.found_empty), (1, 0));
        assert_eq!(board(&BoardQuery { q: "delta".into(), ..BoardQuery::default() }).found_empty, 1);
    }

    /// Models with values of one column.
    fn column(values: &[Option<f64>], query: &BoardQuery, computing: bool) -> Board {
        let dataset = BoardDataset { slug: "d".into(), pass_at: vec![1], computing, ..BoardDataset::default() };
        let measured =
            |value| Measured { values: vec![Some(Estimated { value, interval: None })], ..Measured::default() };
        let rows = values.iter().enumerate().map(|(at, value)| BoardRow {
            model: ModelId(at as i64),
            name: format!("model-{}", at + 1),
            rank: None,
            results: vec![BoardResults { outputs: true, people: None, tests: value.map(measured) }],
        });
        arranged(vec![dataset], Vec::new(), rows.collect(), query)
    }

    #[test]
    fn equal_values_share_a_rank_and_are_all_the_highest() {
        let check = |values: &[Option<f64>], ranks: &[Option<u64>], highest: Option<f64>| {
            let found = column(values, &BoardQuery::default(), false);
            assert_eq!(found.rows.iter().map(|row| row.rank).collect::<Vec<_>>(), ranks, "{values:?}");
            assert_eq!(found.datasets[0].highest, [highest], "{values:?}");
            let names: Vec<_> = found.rows.iter().map(|row| row.name.as_str()).collect();
            let mut last = column(values, &BoardQuery { reverse: true, ..BoardQuery::default() }, false);
            last.rows.sort_by_key(|row| names.iter().position(|name| *name == row.name));
            assert_eq!(last.rows, found.rows, "another order changes no rank");
        };
        check(&[Some(0.2), Some(0.9), Some(0.2)], &[Some(1), Some(2), Some(2)], Some(0.9));
        check(&[Some(0.1 + 0.2), Some(0.3), None], &[Some(1), Some(1)], Some(0.1 + 0.2));
        // One value is not the best of anything.
        check(&[Some(0.5), None], &[Some(1)], None);
        check(&[None, None], &[], None);
        check(&[], &[], None);
    }

    #[test]
    fn ranks_count_all_models_whatever_the_filter_leaves() {
        let values: Vec<Option<f64>> = (0..1000).map(|n| Some(f64::from(n) / 1000.0)).collect();
        let found = column(&values, &BoardQuery { q: "model-1000".into(), ..BoardQuery::default() }, false);
        assert_eq!((found.rows[0].rank, found.datasets[0].highest[0]), (Some(1), Some(0.999)));
        let found = column(&values, &BoardQuery { q: "model-1".into(), ..BoardQuery::default() }, false);
        assert_eq!(found.rows.last().unwrap().rank, Some(1000));
        let found = column(&values, &BoardQuery { sort: "model".into(), ..BoardQuery::default() }, false);
        let names: Vec<_> = found.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!((names[1], names[9], names[999]), ("model-2", "model-10", "model-1000"));
        assert!(found.rows.iter().all(|row| row.rank.is_none()));
    }

    #[test]
    fn no_model_counts_as_without_results_while_they_are_computed() {
        assert_eq!(column(&[None, None], &BoardQuery::default(), true).found_empty, 0);
        assert_eq!(column(&[None, None], &BoardQuery::default(), false).found_empty, 2);
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
