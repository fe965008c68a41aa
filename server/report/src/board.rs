//! The leaderboard: its figures over a slice of tasks, its order and its CSV. Pure.

use std::{cmp::Ordering, io::Write};

use model::{
    ids::ModelId,
    lang::Bilingual,
    results::{
        Board, BoardDataset, BoardDimension, BoardQuery, BoardResults, BoardRow, DatasetPage, EmptyModel, Estimated,
        Measured,
    },
    slices::{BoardSlice, DatasetSlice, SliceFigure, SliceMetric, SliceOf},
    text::natural_cmp,
};

use super::{
    csv::Table,
    slices::{Behind, Sliced},
};
use base::error::Failure;

/// Column that orders by name.
const BY_MODEL: &str = "model";

/// Values closer than this are equal: what differs is the rounding of sums.
const EQUAL: f64 = 1e-9;

/// What the leaderboard has of a dataset in a slice of its tasks.
pub struct InSlice {
    pub slice: DatasetSlice,
    /// Dimensions with a value of any model.
    pub dimensions: Vec<BoardDimension>,
    /// 1, if any model has a value.
    pub pass_at: Vec<u32>,
    /// For each model its results by people and by tests, without times and runs.
    pub models: Vec<(ModelId, Option<Measured>, Option<Measured>)>,
}

/// A metric and its figures over a slice, one per model.
type Figures<'a> = (&'a SliceMetric, &'a [SliceFigure]);

/// The figures of a dataset in a slice of its tasks.
pub fn in_slice(found: &Sliced, wanted: BoardSlice) -> InSlice {
    let all = &found.slices;
    let place = wanted.place(&all.slices);
    let own = place.and_then(|at| all.slices.get(at));
    let slice = DatasetSlice {
        of: own.map(|slice| slice.of),
        tasks: own.map_or(0, |slice| slice.tasks),
        of_tasks: found.tasks,
        tested: all.tested,
        nl_langs: all.nl_langs,
    };
    let figures = all.metrics.iter().filter_map(|metric| {
        let figures = metric.slices.get(place?)?.as_slice();
        figures.iter().any(|figure| figure.value.is_some()).then_some((metric, figures))
    });
    let (people, tests): (Vec<Figures>, Vec<Figures>) = figures.partition(|(metric, _)| metric.dimension.is_some());
    let behind = place.and_then(|at| found.behind.get(at));
    let models = all.models.iter().enumerate().map(|(at, (model, _))| {
        let Behind { rated, ratings, tested, answered } =
            behind.and_then(|models| models.get(at)).copied().unwrap_or_default();
        let people = Measured { tasks: rated, answered: rated, ratings, ..measured(&people, at) };
        let tests = Measured { tasks: tested, answered, ..measured(&tests, at) };
        let with_data = |of: Measured| of.values.iter().any(Option::is_some).then_some(of);
        (*model, with_data(people), with_data(tests))
    });
    InSlice {
        slice,
        models: models.collect(),
        dimensions: people.iter().filter_map(|(metric, _)| metric.dimension.clone()).collect(),
        pass_at: tests.iter().map(|_| 1).collect(),
    }
}

/// A model's values of these metrics.
fn measured(figures: &[Figures], model: usize) -> Measured {
    let value = |figures: &[SliceFigure]| {
        let figure = figures.get(model)?;
        Some(Estimated { value: figure.value?, interval: figure.interval })
    };
    Measured { values: figures.iter().map(|(_, figures)| value(figures)).collect(), ..Measured::default() }
}

/// Rows filtered, ordered and ranked as the query asks, all on one page, with the highest value of each column. Ranks and
/// highest values are of all models, whatever the filter leaves; where models have different tasks in the `slice` that
/// figures are of, there are none.
pub fn arranged(
    mut datasets: Vec<BoardDataset>,
    all_datasets: Vec<(String, Bilingual)>,
    rows: Vec<BoardRow>,
    query: &BoardQuery,
    slice: Option<BoardSlice>,
) -> Board {
    let models = rows.len() as u64;
    let is_ranked = slice.is_none_or(|slice| slice.by().is_shared());
    let columns = columns(&datasets);
    let values: Vec<Vec<f64>> = columns.iter().map(|column| column.values(&rows)).collect();
    for (column, values) in columns.iter().zip(&values) {
        if let Some(dataset) = datasets.get_mut(column.dataset) {
            dataset.highest.push(values.first().copied().filter(|_| is_ranked && values.len() > 1));
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
        for row in rows.iter_mut().filter(|_| is_ranked) {
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
    let slice = slice.map(BoardSlice::name).unwrap_or_default();
    Board { found, empty, found_empty, models, sort, slice, datasets, all_datasets, rows, page: DatasetPage::default() }
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

const COLUMNS: [&str; 15] = [
    "dataset",
    "model",
    "source",
    "metric",
    "value",
    "low",
    "high",
    "tasks",
    "ratings",
    "run",
    "at",
    "attribute",
    "slice",
    "answered",
    "without_verdict",
];

/// One line for each model, dataset and metric with a value, and the slice of tasks that it is of; returns the number of
/// lines.
///
/// # Errors
/// `out` cannot be written.
pub fn csv(board: &Board, out: &mut dyn Write) -> Result<u64, Failure> {
    let mut table = Table::new(out, COLUMNS)?;
    let mut lines = 0;
    for row in &board.rows {
        for (dataset, results) in board.datasets.iter().zip(&row.results) {
            let slice = dataset.slice.as_ref().and_then(|slice| slice.of);
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
                    table.optional(slice.map(SliceOf::by))?;
                    table.optional(slice.map(SliceOf::name))?;
                    table.optional(Some(measured.answered).filter(|_| source == "tests"))?;
                    table.optional(measured.missing)?;
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
        code_lang::CodeLang,
        ratings::Interval,
        slices::{Difficulty, Length, Slice, SliceBy, Slices},
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
            answered: 8,
            missing: Some(2),
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
        arranged(
            vec![dataset("a", vec![dimension], vec![]), dataset("b", vec![], vec![1])],
            Vec::new(),
            rows,
            query,
            None,
        )
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
        of_column(values, query, (computing, None))
    }

    /// The same in a slice of tasks.
    fn sliced(values: &[Option<f64>], query: &BoardQuery, slice: Option<BoardSlice>) -> Board {
        of_column(values, query, (false, slice))
    }

    fn of_column(values: &[Option<f64>], query: &BoardQuery, (computing, slice): (bool, Option<BoardSlice>)) -> Board {
        let dataset = BoardDataset { slug: "d".into(), pass_at: vec![1], computing, ..BoardDataset::default() };
        let measured =
            |value| Measured { values: vec![Some(Estimated { value, interval: None })], ..Measured::default() };
        let rows = values.iter().enumerate().map(|(at, value)| BoardRow {
            model: ModelId(at as i64),
            name: format!("model-{}", at + 1),
            rank: None,
            results: vec![BoardResults { outputs: true, people: None, tests: value.map(measured) }],
        });
        arranged(vec![dataset], Vec::new(), rows.collect(), query, slice)
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

    /// Three models and two slices by length: the first has a rating and a test of all of them but the last, which has no
    /// output; the second has tests of the first model only.
    fn by_length() -> Sliced {
        let figure = |tasks, value, has_interval: bool| SliceFigure {
            tasks,
            value,
            interval: has_interval.then_some(Interval { low: 0.0, high: 4.0 }),
        };
        let (none, dimension) = (figure(0, None, false), |key: &str| BoardDimension {
            key: key.into(),
            name: Bilingual::default(),
            low: 1,
            high: 4,
            checklist: false,
        });
        let metric = |dimension, slices: [[SliceFigure; 3]; 2]| SliceMetric {
            dimension,
            all: vec![none; 3],
            slices: slices.map(Vec::from).to_vec(),
            adjusted: vec![false; 3],
        };
        let rated = [[figure(5, Some(2.0), true), figure(1, Some(3.5), false), none], [none; 3]];
        let tested =
            [[figure(6, Some(0.5), true), figure(6, Some(0.0), true), none], [figure(1, Some(1.0), false), none, none]];
        let slice = |shortest, longest, tasks| Slice { of: SliceOf::Length { shortest, longest }, tasks };
        let behind = |rated, ratings, tested, answered| Behind { rated, ratings, tested, answered };
        Sliced {
            slices: Slices {
                by: SliceBy::Length,
                models: (1..=3).map(|id| (ModelId(id), format!("m{id}"))).collect(),
                slices: vec![slice(3, 9, 6), slice(10, 12, 1)],
                metrics: vec![metric(Some(dimension("correctness")), rated), metric(None, tested)],
                tested: 2,
                nl_langs: 2,
                computing: false,
            },
            tasks: 7,
            behind: vec![
                vec![behind(5, 8, 6, 6), behind(1, 1, 6, 4), Behind::default()],
                vec![behind(0, 0, 1, 1), Behind::default(), Behind::default()],
            ],
        }
    }

    #[test]
    fn a_slice_has_the_figures_of_its_tasks_and_nothing_else() {
        let found = by_length();
        let short = in_slice(&found, BoardSlice::Length(Length::Short));
        assert_eq!(
            short.slice,
            DatasetSlice {
                of: Some(SliceOf::Length { shortest: 3, longest: 9 }),
                tasks: 6,
                of_tasks: 7,
                tested: 2,
                nl_langs: 2
            }
        );
        assert_eq!((short.dimensions.len(), short.pass_at.as_slice()), (1, [1].as_slice()));
        let [(_, Some(rated), Some(tested)), (_, Some(few), Some(failed)), (_, None, None)] = short.models.as_slice()
        else {
            panic!("the last model has no output")
        };
        let value = |of: &Measured| of.values.first().copied().flatten().map(|e| (e.value, e.interval.is_some()));
        assert_eq!((value(rated), rated.tasks, rated.answered, rated.ratings), (Some((2.0, true)), 5, 5, 8));
        assert_eq!((value(tested), tested.tasks, tested.answered, tested.ratings), (Some((0.5, true)), 6, 6, 0));
        assert_eq!((value(few), few.tasks, few.ratings), (Some((3.5, false)), 1, 1), "one task has no interval");
        assert_eq!((value(failed), failed.tasks, failed.answered), (Some((0.0, true)), 6, 4), "0 is a result");

        // Without a rating in the slice, people have no column there.
        let long = in_slice(&found, BoardSlice::Length(Length::Long));
        assert_eq!((long.dimensions.len(), long.pass_at.as_slice(), long.slice.tasks), (0, [1].as_slice(), 1));
        assert!(matches!(long.models.as_slice(), [(_, None, Some(_)), (_, None, None), (_, None, None)]));

        for absent in [BoardSlice::Length(Length::Medium), BoardSlice::CodeLang(CodeLang::Go)] {
            let none = in_slice(&found, absent);
            assert_eq!((none.slice.of, none.slice.tasks, none.slice.of_tasks), (None, 0, 7));
            assert!(none.dimensions.is_empty() && none.pass_at.is_empty());
            assert!(none.models.iter().all(|(_, people, tests)| people.is_none() && tests.is_none()));
        }
    }

    #[test]
    fn models_with_tasks_of_their_own_have_an_order_but_no_ranks() {
        let values = [Some(0.5), None, Some(0.9), Some(0.9)];
        let found = |slice| sliced(&values, &BoardQuery::default(), slice);
        let names = |found: &Board| found.rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        let shared = found(Some(BoardSlice::CodeLang(CodeLang::Go)));
        assert_eq!(
            (shared.slice.as_str(), shared.datasets[0].highest.as_slice()),
            ("code_lang.go", [Some(0.9)].as_slice())
        );
        assert_eq!(shared.rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [Some(1), Some(1), Some(3)]);
        let own = found(Some(BoardSlice::Difficulty(Difficulty::Hard)));
        assert_eq!((own.slice.as_str(), own.datasets[0].highest.as_slice()), ("difficulty.hard", [None].as_slice()));
        assert!(own.rows.iter().all(|row| row.rank.is_none()));
        assert_eq!((names(&own), &own.sort), (names(&shared), &shared.sort), "highest first");
        assert_eq!(found(None).slice, "");
    }

    #[test]
    fn csv_names_the_slice() {
        let mut found = sliced(&[Some(0.5)], &BoardQuery::default(), Some(BoardSlice::Length(Length::Short)));
        let of = Some(SliceOf::Length { shortest: 3, longest: 9 });
        found.datasets[0].slice = Some(DatasetSlice { of, tasks: 4, of_tasks: 9, ..DatasetSlice::default() });
        let mut out = Vec::new();
        assert_eq!(csv(&found, &mut out).ok(), Some(1));
        let text = String::from_utf8(out).unwrap_or_default();
        assert_eq!(text.lines().last(), Some("d,model-1,tests,pass@1,0.5,,,0,0,,,length,3-9,0,"));
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
                "dataset,model,source,metric,value,low,high,tasks,ratings,run,at,attribute,slice,answered,without_verdict",
                "a,Alpha,people,correctness,3,,,9,0,,,,,,2",
                "b,Alpha,tests,pass@1,0.2,,,9,0,,,,,8,2",
                "a,beta,people,correctness,2,,,9,0,,,,,,2",
                "b,gamma,tests,pass@1,0.9,,,9,0,,,,,8,2",
            ]
        );
    }
}
