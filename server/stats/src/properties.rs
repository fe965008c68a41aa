//! Properties: the order and names of raters, tasks and models do not change a figure.

use model::stats::{Joint, Reliability};
use proptest::prelude::*;

use super::{
    bootstrap::{self, KeyedCells, joint, task_adjusted},
    correlation::{Point, correlation},
    family::holm,
    leniency::adjusted,
    paired::{self, paired},
    random::Draws,
    ratings::{Unit, cells},
    reliability::reliability,
};

const MODELS: usize = 3;
const TASKS: usize = 6;

fn draws() -> Draws {
    Draws { resamples: 64, ..Draws::new(11, 2) }
}

/// Outputs of three models for six tasks with up to four raters each, on a scale of 1 to 4.
fn units() -> impl Strategy<Value = Vec<Unit>> {
    let scores = proptest::collection::vec(proptest::option::weighted(0.7, 1u8..=4), 4);
    proptest::collection::vec(scores, MODELS * TASKS).prop_map(|all| {
        let unit = |(at, scores): (usize, Vec<Option<u8>>)| Unit {
            model: at / TASKS,
            task: at % TASKS,
            ratings: (10..).zip(scores).filter_map(|(rater, score)| Some((rater, score?))).collect(),
        };
        all.into_iter().enumerate().map(unit).collect()
    })
}

fn compared(units: &[Unit], order: [usize; MODELS]) -> Joint {
    let all: Vec<_> = order.iter().map(|m| (*m as u64 + 1, cells(units, *m, TASKS))).collect();
    let scores: Vec<KeyedCells> = all.iter().map(|(key, tasks)| KeyedCells { key: *key, tasks }).collect();
    joint(&scores, draws())
}

/// Whether the point estimates agree to 1e-9. Sums are computed in another order, so the last digits may
/// differ.
fn same_points(a: &Reliability, b: &Reliability) -> bool {
    let points =
        |r: &Reliability| [r.exact, r.within_one, r.alpha, r.ac2, r.icc1, r.icc2, r.icc2k].map(|e| e.map(|e| e.value));
    let same = |(a, b)| match (a, b) {
        (Ok(a), Ok(b)) => f64::abs(a - b) < 1e-9,
        (a, b) => a == b,
    };
    points(a).into_iter().zip(points(b)).all(same) && (a.outputs, a.pairs, a.crossed) == (b.outputs, b.pairs, b.crossed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_raters_changes_nothing(units in units()) {
        let mut turned = units.clone();
        turned.iter_mut().for_each(|unit| unit.ratings.reverse());
        prop_assert_eq!(compared(&units, [0, 1, 2]), compared(&turned, [0, 1, 2]));
        prop_assert_eq!(reliability(&units, 1, 4, draws()), reliability(&turned, 1, 4, draws()));
        let mut outputs = units.clone();
        outputs.reverse();
        prop_assert!(same_points(&reliability(&units, 1, 4, draws()), &reliability(&outputs, 1, 4, draws())));
    }

    #[test]
    fn raters_names_change_nothing(units in units()) {
        // Reversed, so that pairs of raters come in another order.
        let mut renamed = units.clone();
        renamed.iter_mut().flat_map(|unit| &mut unit.ratings).for_each(|(rater, _)| *rater = 90 - *rater);
        let (ours, theirs) = (reliability(&units, 1, 4, draws()), reliability(&renamed, 1, 4, draws()));
        prop_assert!(same_points(&ours, &theirs));
        prop_assert_eq!((ours.alpha, ours.ac2, ours.kappas.len()), (theirs.alpha, theirs.ac2, theirs.kappas.len()));
        match (adjusted(&units, MODELS), adjusted(&renamed, MODELS)) {
            (Ok(ours), Ok(theirs)) => for (a, b) in ours.means.into_iter().zip(theirs.means) {
                prop_assert_eq!(a.map(|v| (v * 1e9).round() as i64), b.map(|v| (v * 1e9).round() as i64));
            },
            (ours, theirs) => prop_assert_eq!(ours.err(), theirs.err()),
        }
    }

    #[test]
    fn order_of_models_changes_nothing(units in units()) {
        let (ours, theirs) = (compared(&units, [0, 1, 2]), compared(&units, [2, 0, 1]));
        for (place, model) in [2, 0, 1].into_iter().enumerate() {
            prop_assert_eq!(ours.means[model], theirs.means[place]);
        }
    }

    /// The adjusted means of two models differ exactly as over their common tasks.
    #[test]
    fn adjusted_means_of_two_models_differ_as_over_common_tasks(units in units()) {
        let all = [0, 1].map(|m| cells(&units, m, TASKS));
        let scores = [1, 2].map(|key| KeyedCells { key, tasks: &all[key as usize - 1] });
        let (joint, adjusted) = (joint(&scores, draws()), task_adjusted(&scores, draws()));
        let means = adjusted.as_ref().unwrap_or(&joint.means);
        let (one, other) = (means[0].map(|e| e.value), means[1].map(|e| e.value));
        if let (Ok(one), Ok(other), Ok(difference)) = (one, other, joint.differences[0].difference) {
            prop_assert!((one - other - difference.value).abs() < 1e-9, "{one} {other} {difference:?}");
        }
        // Own means are exactly those of complete data.
        let has = |m: usize| all[m].iter().map(|cell| !cell.is_empty()).collect::<Vec<_>>();
        if has(0) == has(1) {
            prop_assert!(adjusted.is_none());
        }
    }

    #[test]
    fn order_of_models_changes_no_adjusted_mean(units in units()) {
        let of = |order: [usize; MODELS]| {
            let all: Vec<_> = order.iter().map(|m| (*m as u64 + 1, cells(&units, *m, TASKS))).collect();
            let scores: Vec<KeyedCells> = all.iter().map(|(key, tasks)| KeyedCells { key: *key, tasks }).collect();
            task_adjusted(&scores, draws())
        };
        let (ours, theirs) = (of([0, 1, 2]), of([2, 0, 1]));
        prop_assert_eq!(ours.is_some(), theirs.is_some());
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return Ok(()) };
        for (place, model) in [2, 0, 1].into_iter().enumerate() {
            match (ours[model], theirs[place]) {
                (Ok(a), Ok(b)) => prop_assert!((a.value - b.value).abs() < 1e-9),
                (a, b) => prop_assert_eq!(a.err(), b.err()),
            }
        }
    }

    #[test]
    fn order_of_tasks_changes_no_estimate(units in units()) {
        let mut turned = units.clone();
        turned.iter_mut().for_each(|unit| unit.task = TASKS - 1 - unit.task);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        for m in 0..MODELS {
            match (bootstrap::mean(&cells(&units, m, TASKS)), bootstrap::mean(&cells(&turned, m, TASKS))) {
                (Some(a), Some(b)) => prop_assert!(near(a, b)),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
        let test = |units: &[Unit]| paired(&cells(units, 0, TASKS), &cells(units, 1, TASKS), draws());
        match (test(&units), test(&turned)) {
            (Ok(a), Ok(b)) => {
                prop_assert!(near(a.wilcoxon.p, b.wilcoxon.p) && near(a.permutation.p, b.permutation.p));
                prop_assert!(near(a.cliff_delta, b.cliff_delta) && near(a.mean, b.mean));
            }
            (a, b) => prop_assert_eq!(a, b),
        }
        prop_assert!(same_points(&reliability(&units, 1, 4, draws()), &reliability(&turned, 1, 4, draws())));
    }

    #[test]
    fn exchanging_two_models_changes_the_sign(differences in proptest::collection::vec(-3.0..3.0f64, 1..40)) {
        let turned: Vec<f64> = differences.iter().map(|d| -d).collect();
        let (ours, theirs) = (paired::wilcoxon(&differences), paired::wilcoxon(&turned));
        prop_assert_eq!((ours.plus, ours.minus, ours.p), (theirs.minus, theirs.plus, theirs.p));
        prop_assert_eq!(paired::permutation(&differences, draws()).p, paired::permutation(&turned, draws()).p);
        prop_assert!((0.0..=1.0).contains(&ours.p));
    }

    #[test]
    fn negating_a_variable_negates_the_correlation(values in proptest::collection::vec((0u8..5, 0u8..4), 2..40)) {
        let points = |sign: f64| -> Vec<Point> {
            let each = values.iter().enumerate();
            each.map(|(task, (x, y))| Point { task, x: sign * f64::from(*x), y: f64::from(*y) }).collect()
        };
        let (ours, theirs) = (correlation(&points(1.0), draws()), correlation(&points(-1.0), draws()));
        for (a, b) in [(ours.spearman, theirs.spearman), (ours.kendall, theirs.kendall)] {
            match (a, b) {
                (Ok(a), Ok(b)) => prop_assert!((a.value + b.value).abs() < 1e-9 && a.value.abs() < 1.0 + 1e-9),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn correction_never_lowers_a_p_value(values in proptest::collection::vec(0.0..1.0f64, 1..20)) {
        let adjusted = holm(&values.iter().copied().map(Some).collect::<Vec<_>>());
        for (adjusted, raw) in adjusted.into_iter().zip(values) {
            prop_assert!(adjusted.is_some_and(|p| p >= raw && p <= 1.0));
        }
    }
}
