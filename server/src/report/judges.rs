//! Judge models compared with people (docs/statistics.md, "Judge models"). Pure.

use std::collections::{BTreeMap, HashMap};

use app::model::{
    compare::{Judge, JudgeDimension, JudgeMeans},
    ids::OutputId,
};

use super::comparison_figures::{JUDGES, resamples};
use crate::comparison::input::{ComparisonInput, InputJudge};
use crate::stats::{
    alt_test::{Judged, alt_test},
    bootstrap::{self, Cell},
    correlation::{self, correlation},
    random::Draws,
    ratings::Unit,
    reliability::reliability,
};

/// Every judge with at least one output that people rated, too.
pub fn judges(input: &ComparisonInput) -> Vec<Judge> {
    input.judges.iter().zip(0..).filter_map(|(judge, at)| one(input, judge, at)).collect()
}

fn one(input: &ComparisonInput, judge: &InputJudge, at: u64) -> Option<Judge> {
    let rubric = input.rubric.as_ref()?;
    let given: HashMap<OutputId, &[u8]> = judge.scores.iter().map(|s| (s.output, s.scores.as_slice())).collect();
    // After the last rater's index: the judge acts as an additional rater.
    let own = u32::try_from(input.raters.len()).unwrap_or(u32::MAX);
    let dimensions = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let mut shared: BTreeMap<OutputId, Judged> = BTreeMap::new();
        let (mut units, mut people) = (Vec::new(), HashMap::<OutputId, (usize, usize, u8, Cell)>::new());
        for (rating, scores) in input.scored() {
            let judged = given.get(&rating.output).and_then(|scores| scores.get(d));
            let (Some(judged), Some(score)) = (judged, scores.get(d)) else { continue };
            let (model, task) = (rating.model as usize, rating.task as usize);
            let output = shared.entry(rating.output);
            let output = output.or_insert_with(|| Judged { task, judge: f64::from(*judged), ratings: Vec::new() });
            // Of several ratings of one rater, from several studies, the newest counts.
            output.ratings.retain(|(rater, _)| *rater != rating.rater);
            output.ratings.push((rating.rater, f64::from(*score)));
            units.push(Unit { model, task, ratings: vec![(rating.rater, *score), (own, *judged)] });
            let place = people.entry(rating.output).or_insert((model, task, *judged, Cell::new()));
            place.3.push(f64::from(*score));
        }
        let (low, high) = dimension.range();
        let figure = JUDGES + at * rubric.dimensions.len() as u64 + d as u64;
        let draws = Draws { resamples: resamples(input), ..Draws::new(input.seed, figure) };
        let outputs: Vec<Judged> = shared.into_values().collect();
        // Sorted by output, because a hash map has no order.
        let mut people: Vec<(OutputId, (usize, usize, u8, Cell))> = people.into_iter().collect();
        people.sort_by_key(|(output, _)| *output);
        let mean = |cell: &Cell| bootstrap::mean(std::slice::from_ref(cell));
        let points: Vec<correlation::Point> = people
            .iter()
            .filter_map(|(_, (_, task, judged, cell))| {
                Some(correlation::Point { task: *task, x: f64::from(*judged), y: mean(cell)? })
            })
            .collect();
        let means = (0..input.models.len()).map(|m| {
            let own: Vec<(f64, f64)> = people
                .iter()
                .filter(|(_, (model, ..))| *model == m)
                .filter_map(|(_, (_, _, judged, cell))| Some((f64::from(*judged), mean(cell)?)))
                .collect();
            let n = own.len() as f64;
            let over = |sum: f64| (!own.is_empty()).then(|| sum / n);
            JudgeMeans {
                outputs: own.len() as u64,
                judge: over(own.iter().map(|(judged, _)| judged).sum()),
                people: over(own.iter().map(|(_, people)| people).sum()),
            }
        });
        JudgeDimension {
            agreement: reliability(&units, low, high, draws),
            correlation: correlation(&points, Draws { figure: figure + (1 << 12), ..draws }),
            means: means.collect(),
            replacement: alt_test(&outputs, Draws { figure: figure + (1 << 13), ..draws }),
        }
    });
    let dimensions: Vec<JudgeDimension> = dimensions.collect();
    let both = dimensions.first().map_or(0, |d| u64::from(d.correlation.n));
    (both > 0).then(|| Judge { name: judge.name.clone(), outputs: judge.scores.len() as u64, both, dimensions })
}
