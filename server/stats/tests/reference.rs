//! Our figures compared with those of independent programs (`reference/make.py`): to 1e-9 if both are
//! exact, within Monte Carlo error if one is random.

use model::{ratings::Interval, stats::Method};
use serde::Deserialize;
use stats::{
    agreement::Weights,
    alt_test::{Judged, alt_test},
    bootstrap::{self, Cell, KeyedCells},
    correlation::{self, Point},
    family, icc, leniency,
    paired::{self, mcnemar},
    random::Draws,
    ratings::Unit,
    reliability,
};

#[derive(Deserialize)]
struct Reference {
    paired: Vec<PairedCase>,
    cliff: Vec<Cliff>,
    holm: Vec<Holm>,
    mcnemar: Vec<McNemarCase>,
    correlation: Vec<CorrelationCase>,
    agreement: Vec<Agreement>,
    severity: Vec<Severity>,
    bootstrap: Vec<Bootstrap>,
    task_adjusted: Vec<TaskAdjusted>,
    alt_test: Vec<AltTestCase>,
}

fn reference() -> Reference {
    match serde_json::from_str(include_str!("reference/reference.json")) {
        Ok(reference) => reference,
        Err(e) => panic!("make.py's figures do not fit the types here: {e}"),
    }
}

#[track_caller]
fn same(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9, "{what}: {found} instead of {expected}");
}

#[track_caller]
fn near(found: f64, expected: f64, room: f64, what: &str) {
    assert!((found - expected).abs() <= room, "{what}: {found} is not within {room} of {expected}");
}

#[derive(Deserialize)]
struct PairedCase {
    name: String,
    differences: Vec<f64>,
    statistic: f64,
    plus: f64,
    minus: f64,
    wilcoxon: f64,
    permutation: Option<f64>,
    near: f64,
    rank_biserial: f64,
    dz: f64,
}

#[test]
fn paired_tests_are_scipys() {
    for case in reference().paired {
        let (name, each) = (case.name.as_str(), &case.differences);
        let test = paired::wilcoxon(each);
        same(test.plus, case.plus, name);
        same(test.minus, case.minus, name);
        same(test.plus.min(test.minus), case.statistic, name);
        same(test.p, case.wilcoxon, name);
        let signs = paired::permutation(each, Draws::new(1, 1));
        match case.permutation {
            Some(p) => {
                assert_eq!(signs.method, Method::Exact, "{name}");
                same(signs.p, p, name);
            }
            None => assert_eq!((signs.method, signs.looked_at), (Method::MonteCarlo, 10_001), "{name}"),
        }
        // Four standard errors of 10,000 drawn assignments, and the one that is always counted.
        let room = 4.0 * (case.near * (1.0 - case.near) / 10_000.0).sqrt() + 1e-3;
        near(signs.p, case.near, room, name);
        same(paired::rank_biserial(&test).unwrap(), case.rank_biserial, name);
        same(paired::cohen_dz(each).unwrap(), case.dz, name);
    }
}

#[derive(Deserialize)]
struct Cliff {
    a: Vec<f64>,
    b: Vec<f64>,
    delta: f64,
}

#[test]
fn cliffs_delta_is_mann_whitneys_u() {
    let cells = |values: &[f64]| -> Vec<Cell> { values.iter().map(|v| vec![*v]).collect() };
    for case in reference().cliff {
        same(paired::cliff_delta(&cells(&case.a), &cells(&case.b)), case.delta, "delta");
    }
}

#[derive(Deserialize)]
struct Holm {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[test]
fn holms_correction_is_statsmodels() {
    for case in reference().holm {
        let found = family::holm(&case.p.iter().copied().map(Some).collect::<Vec<_>>());
        for (found, expected) in found.into_iter().zip(case.adjusted) {
            same(found.unwrap(), expected, "Holm");
        }
    }
}

#[derive(Deserialize)]
struct McNemarCase {
    b: usize,
    c: usize,
    exact: f64,
    mid: f64,
}

#[test]
fn mcnemars_test_is_statsmodels() {
    for case in reference().mcnemar {
        let n = case.b + case.c + 5;
        let first: Vec<bool> = (0..n).map(|i| i < case.b).collect();
        let second: Vec<bool> = (0..n).map(|i| (case.b..case.b + case.c).contains(&i)).collect();
        let found = mcnemar(&first, &second).unwrap();
        same(found.exact, case.exact, "exact");
        same(found.mid, case.mid, "mid-p");
    }
}

#[derive(Deserialize)]
struct CorrelationCase {
    x: Vec<f64>,
    y: Vec<f64>,
    spearman: f64,
    kendall: f64,
    near: Option<CorrelationEnds>,
}

#[derive(Deserialize)]
struct CorrelationEnds {
    spearman: [f64; 2],
    kendall: [f64; 2],
}

#[track_caller]
fn ends(found: Interval, expected: [f64; 2], room: f64, what: &str) {
    near(found.low, expected[0], room, what);
    near(found.high, expected[1], room, what);
}

#[test]
fn correlations_are_scipys() {
    for case in reference().correlation {
        let both = case.x.iter().zip(&case.y).enumerate();
        let points: Vec<Point> = both.map(|(task, (x, y))| Point { task, x: *x, y: *y }).collect();
        let found = correlation::correlation(&points, Draws { resamples: 2000, ..Draws::new(1, 1) });
        let (rho, tau) = (found.spearman.unwrap(), found.kendall.unwrap());
        same(rho.value, case.spearman, "rho");
        same(tau.value, case.kendall, "tau");
        if let Some(expected) = case.near {
            // 2,000 resamples in both: an end scatters by about a twentieth of the width.
            let width = expected.spearman[1] - expected.spearman[0];
            ends(rho.interval.unwrap(), expected.spearman, width / 8.0, "rho");
            let width = expected.kendall[1] - expected.kendall[0];
            ends(tau.interval.unwrap(), expected.kendall, width / 8.0, "tau");
        }
    }
}

#[derive(Deserialize)]
struct Agreement {
    levels: u8,
    scores: Vec<Vec<Option<u8>>>,
    alpha: f64,
    alpha_near: Option<[f64; 2]>,
    ac2: Ac2,
    kappas: Vec<KappaCase>,
    complete: u32,
    complete_icc: Option<Icc>,
    icc1: f64,
    exact: f64,
    within_one: f64,
}

#[derive(Deserialize)]
struct Ac2 {
    quadratic: f64,
    ordinal: f64,
}

#[derive(Deserialize)]
struct KappaCase {
    first: u32,
    second: u32,
    outputs: u32,
    kappa: Option<f64>,
}

#[derive(Deserialize)]
struct Icc {
    icc1: IccCase,
    icc2: IccCase,
    icc2k: IccCase,
}

#[derive(Deserialize)]
struct IccCase {
    value: f64,
    interval: [f64; 2],
}

#[test]
fn agreement_matches_four_programs() {
    for case in reference().agreement {
        let ratings = |row: &Vec<Option<u8>>| -> Vec<(u32, u8)> {
            (0..).zip(row).filter_map(|(rater, score)| Some((rater, (*score)?))).collect()
        };
        let units: Vec<Unit> =
            case.scores.iter().enumerate().map(|(task, row)| Unit { model: 0, task, ratings: ratings(row) }).collect();
        let draws = Draws { resamples: 1000, ..Draws::new(1, 1) };
        let found = reliability::reliability(&units, 1, case.levels, draws);
        let alpha = found.alpha.unwrap();
        same(alpha.value, case.alpha, "alpha");
        if let Some(expected) = case.alpha_near {
            ends(alpha.interval.unwrap(), expected, (expected[1] - expected[0]) / 6.0, "alpha");
        }
        same(found.ac2.unwrap().value, case.ac2.quadratic, "AC2");
        same(reliability::ac2(&units, 1, case.levels, Weights::Ordinal).unwrap(), case.ac2.ordinal, "AC2, ordinal");
        same(found.exact.unwrap().value, case.exact, "exact");
        same(found.within_one.unwrap().value, case.within_one, "within one");
        let kappas = case.kappas.iter().filter(|k| k.outputs > 0);
        assert_eq!(found.kappas.len(), kappas.clone().count());
        for (found, expected) in found.kappas.iter().zip(kappas) {
            assert_eq!((found.first, found.second, found.outputs), (expected.first, expected.second, expected.outputs));
            same(found.kappa.unwrap().value, expected.kappa.unwrap(), "kappa");
        }
        same(found.icc1.unwrap().value, case.icc1, "ICC(1), unequal numbers");
        assert_eq!(found.crossed, case.complete);
        if let Some(expected) = case.complete_icc {
            let (single, mean) = (found.icc2.unwrap(), found.icc2k.unwrap());
            same(single.value, expected.icc2.value, "ICC(2,1)");
            ends(single.interval.unwrap(), expected.icc2.interval, 1e-9, "ICC(2,1)");
            same(mean.value, expected.icc2k.value, "ICC(2,k)");
            ends(mean.interval.unwrap(), expected.icc2k.interval, 1e-9, "ICC(2,k)");
            let complete: Vec<Vec<f64>> = case
                .scores
                .iter()
                .filter(|row| row.iter().all(Option::is_some))
                .map(|row| row.iter().flatten().map(|v| f64::from(*v)).collect())
                .collect();
            let one_way = icc::icc1(&complete).unwrap();
            same(one_way.value, expected.icc1.value, "ICC(1)");
            ends(one_way.interval.unwrap(), expected.icc1.interval, 1e-9, "ICC(1)");
        }
    }
}

#[derive(Deserialize)]
struct Severity {
    models: usize,
    /// Model, task, rater, score; one output per model and task.
    ratings: Vec<(usize, usize, u32, u8)>,
    leniency: Vec<f64>,
    means: Vec<f64>,
}

#[test]
fn severity_is_ordinary_least_squares() {
    for case in reference().severity {
        let mut units: Vec<Unit> = Vec::new();
        for (model, task, rater, score) in case.ratings {
            match units.last_mut() {
                Some(last) if (last.model, last.task) == (model, task) => last.ratings.push((rater, score)),
                _ => units.push(Unit { model, task, ratings: vec![(rater, score)] }),
            }
        }
        let found = leniency::adjusted(&units, case.models).unwrap();
        for ((_, found), expected) in found.raters.iter().zip(&case.leniency) {
            same(*found, *expected, "leniency");
        }
        assert_eq!(found.means.len(), case.means.len());
        for (found, expected) in found.means.iter().zip(&case.means) {
            same(found.unwrap(), *expected, "adjusted mean");
        }
    }
}

#[derive(Deserialize)]
struct Bootstrap {
    cells: Vec<Vec<Cell>>,
    near: Vec<[f64; 2]>,
    difference: [f64; 2],
}

#[test]
fn the_bootstrap_is_numpys() {
    for case in reference().bootstrap {
        let models: Vec<KeyedCells> =
            case.cells.iter().zip(1..).map(|(tasks, key)| KeyedCells { key, tasks }).collect();
        let found = bootstrap::joint(&models, Draws { resamples: 4000, ..Draws::new(3, 1) });
        // 4,000 resamples: an end scatters by about a thirtieth of the width.
        for (found, expected) in found.means.iter().zip(&case.near) {
            ends(found.unwrap().interval.unwrap(), *expected, (expected[1] - expected[0]) / 12.0, "mean");
        }
        let interval = found.differences[0].difference.unwrap().interval.unwrap();
        ends(interval, case.difference, (case.difference[1] - case.difference[0]) / 12.0, "difference");
    }
}

#[derive(Deserialize)]
struct TaskAdjusted {
    cells: Vec<Vec<Cell>>,
    means: Vec<f64>,
    near: Vec<[f64; 2]>,
}

#[test]
fn task_adjusted_means_are_statsmodels() {
    for case in reference().task_adjusted {
        let models: Vec<KeyedCells> =
            case.cells.iter().zip(1..).map(|(tasks, key)| KeyedCells { key, tasks }).collect();
        let draws = Draws { resamples: 4000, ..Draws::new(3, 1) };
        let found = bootstrap::task_adjusted(&models, draws).unwrap();
        assert_eq!(found.len(), case.means.len());
        for ((found, expected), near) in found.into_iter().zip(&case.means).zip(&case.near) {
            let found = found.unwrap();
            same(found.value, *expected, "task-adjusted mean");
            ends(found.interval.unwrap(), *near, (near[1] - near[0]) / 12.0, "task-adjusted mean");
        }
    }
}

#[derive(Deserialize)]
struct AltTestCase {
    judge: Vec<f64>,
    /// For each output, raters with their scores.
    ratings: Vec<Vec<(u32, f64)>>,
    /// Share of outputs on which the judge is at least as close, by rater.
    advantages: Vec<f64>,
    /// Raters against whom the judge wins, by epsilon.
    winning: std::collections::BTreeMap<String, u32>,
}

#[test]
fn alternative_annotator_test_agrees_with_scipy_and_statsmodels() {
    for case in reference().alt_test {
        let outputs = case.judge.iter().zip(case.ratings).enumerate();
        let outputs: Vec<Judged> =
            outputs.map(|(task, (judge, ratings))| Judged { task, judge: *judge, ratings }).collect();
        let found = alt_test(&outputs, Draws { resamples: 100, ..Draws::new(1, 1) }).unwrap();
        assert_eq!(found.raters.len(), case.advantages.len());
        for (rater, expected) in found.raters.iter().zip(&case.advantages) {
            same(rater.advantage, *expected, "advantage");
        }
        let mean = case.advantages.iter().sum::<f64>() / case.advantages.len() as f64;
        same(found.advantage.value, mean, "mean advantage");
        for winning in found.winning {
            assert_eq!(winning.raters, case.winning[&winning.epsilon.to_string()], "epsilon {}", winning.epsilon);
        }
    }
}
