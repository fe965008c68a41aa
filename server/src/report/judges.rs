//! Judge models compared with people (docs/statistics.md, "Judge models"). Pure.

use std::collections::{BTreeMap, HashMap};

use app::model::{
    compare::{Judge, JudgeDimension, JudgeMeans},
    ids::OutputId,
    stats::{Estimate, Known, Undefined},
};

use super::comparison_figures::{JUDGES, resamples};
use crate::comparison::input::{ComparisonInput, InputJudge};
use crate::stats::{
    alt_test::{Judged, alt_test},
    bootstrap::{self, Cell, Scores, joint},
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
    let lengths: HashMap<OutputId, u64> = judge.scores.iter().map(|s| (s.output, s.length)).collect();
    // After the last rater's index: the judge acts as an additional rater.
    let own = u32::try_from(input.raters.len()).unwrap_or(u32::MAX);
    let dimensions = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let mut shared: BTreeMap<OutputId, Judged> = BTreeMap::new();
        let (mut units, mut people) = (Vec::new(), HashMap::<OutputId, (usize, usize, u8, Cell)>::new());
        let (low, high) = dimension.range();
        let levels = usize::from(high - low) + 1;
        let mut confusion = vec![vec![0; levels]; levels];
        for (rating, scores) in input.scored() {
            let judged = given.get(&rating.output).and_then(|scores| scores.get(d));
            let (Some(judged), Some(score)) = (judged, scores.get(d)) else { continue };
            let (model, task) = (rating.model as usize, rating.task as usize);
            let output = shared.entry(rating.output);
            let output = output.or_insert_with(|| Judged { task, judge: f64::from(*judged), ratings: Vec::new() });
            // Of several ratings of one rater, from several studies, the newest counts.
            output.ratings.retain(|(rater, _)| *rater != rating.rater);
            output.ratings.push((rating.rater, f64::from(*score)));
            let cell = confusion.get_mut(usize::from(score.saturating_sub(low)));
            if let Some(count) = cell.and_then(|row| row.get_mut(usize::from(judged.saturating_sub(low)))) {
                *count += 1;
            }
            units.push(Unit { model, task, ratings: vec![(rating.rater, *score), (own, *judged)] });
            let place = people.entry(rating.output).or_insert((model, task, *judged, Cell::new()));
            place.3.push(f64::from(*score));
        }
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
        let tasks = input.tasks.len();
        let mut differences = vec![vec![Cell::new(); tasks]; input.models.len()];
        let mut by_length = Vec::new();
        for (output, (model, task, judged, cell)) in &people {
            let Some(people) = mean(cell) else { continue };
            let difference = f64::from(*judged) - people;
            if let Some(cell) = differences.get_mut(*model).and_then(|tasks| tasks.get_mut(*task)) {
                cell.push(difference);
            }
            let x = length_class(lengths.get(output).copied().unwrap_or(0));
            by_length.push(correlation::Point { task: *task, x, y: difference });
        }
        let biases: Vec<Known<Estimate>> = (input.models.iter().zip(&differences))
            .map(|((model, _), tasks)| {
                let of = Scores { key: model.0.unsigned_abs(), tasks };
                let joint = joint(&[of], Draws { figure: figure + (1 << 14), ..draws });
                joint.means.into_iter().next().unwrap_or(Err(Undefined::Nothing))
            })
            .collect();
        let means = biases.into_iter().enumerate().map(|(m, bias)| {
            let own = people.iter().filter(|(_, (model, ..))| *model == m);
            let own = own.filter_map(|(_, (_, _, judged, cell))| Some((f64::from(*judged), mean(cell)?)));
            means(&own.collect::<Vec<_>>(), bias)
        });
        JudgeDimension {
            agreement: reliability(&units, low, high, draws),
            correlation: correlation(&points, Draws { figure: figure + (1 << 12), ..draws }),
            means: means.collect(),
            replacement: alt_test(&outputs, Draws { figure: figure + (1 << 13), ..draws }),
            confusion,
            length: correlation(&by_length, Draws { figure: figure + (3 << 12), ..draws }).spearman,
        }
    });
    let dimensions: Vec<JudgeDimension> = dimensions.collect();
    let both = dimensions.first().map_or(0, |d| u64::from(d.correlation.n));
    (both > 0).then(|| Judge { name: judge.name.clone(), outputs: judge.scores.len() as u64, both, dimensions })
}

/// A judge's and people's means over the outputs of a model, of which `own` has the scores of both.
fn means(own: &[(f64, f64)], bias: Known<Estimate>) -> JudgeMeans {
    let over = |sum: f64| (!own.is_empty()).then(|| sum / own.len() as f64);
    JudgeMeans {
        outputs: own.len() as u64,
        judge: over(own.iter().map(|(judge, _)| judge).sum()),
        people: over(own.iter().map(|(_, people)| people).sum()),
        bias,
    }
}

/// The class of a length, four for each doubling: outputs of about the same length are equal.
fn length_class(bytes: u64) -> f64 {
    (((bytes + 1) as f64).log2() * 4.0).round()
}

#[cfg(test)]
mod tests {
    use app::model::{
        dataset::{Checks, TaskRow},
        ids::{ModelId, StudyId, TaskId, TaskRevisionId, UserId},
        lang::{Bilingual, Lang},
        rubric::{Dimension, Level, Rubric},
    };

    use super::*;
    use crate::comparison::input::{InputRating, InputStudy, JudgeScore};

    /// Two models on six tasks, rated by one person and a judge that gives the second model one level more, and the longer
    /// outputs.
    fn input() -> ComparisonInput {
        let level = |score| Level { score, label: Bilingual::default(), text: Bilingual::default() };
        let dimension = Dimension {
            key: "d".into(),
            checklist: false,
            name: Bilingual::default(),
            question: Bilingual::default(),
            levels: (1..=4).rev().map(level).collect(),
        };
        let task = |n: i64| TaskRow {
            id: TaskId(n),
            revision: TaskRevisionId(n),
            task_id: n.to_string(),
            raw_nl: String::new(),
            nl_lang: Lang::En,
            signature: None,
            checks: Checks { human: true, tests: false },
            code_lang: app::model::code_lang::CodeLang::Java,
        };
        let mut input = ComparisonInput {
            models: vec![(ModelId(1), "A".into()), (ModelId(2), "B".into())],
            studies: vec![InputStudy { id: StudyId(1), title: String::new(), seed: 1, dataset_version: 1 }],
            raters: vec![(UserId(1), "r".into())],
            rubric: Some(Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension] }),
            tasks: (0..6).map(task).collect(),
            ..ComparisonInput::default()
        };
        let mut judge = InputJudge { name: "J".into(), scores: Vec::new() };
        for task in 0..6 {
            for model in 0..2 {
                let (output, score) = (OutputId(i64::from(task * 2 + model)), 1 + (task % 3) as u8);
                input.ratings.push(InputRating { study: 0, task, model, output, rater: 0 });
                input.scores.push(score);
                let length = if model == 1 { 4000 } else { 100 };
                judge.scores.push(JudgeScore { task, model, output, scores: vec![score + model as u8], length });
            }
        }
        input.judges.push(judge);
        input
    }

    #[test]
    fn bias_length_and_confusion_are_what_was_put_in() {
        let judge = judges(&input()).remove(0);
        let dimension = &judge.dimensions[0];
        let biases: Vec<f64> = dimension.means.iter().map(|means| means.bias.unwrap().value).collect();
        assert_eq!(biases, [0.0, 1.0]);
        assert!(dimension.means[1].bias.unwrap().interval.is_ok_and(|i| i.low > 0.99 && i.high < 1.01));
        assert_eq!(dimension.confusion, [[2, 2, 0, 0], [0, 2, 2, 0], [0, 0, 2, 2], [0, 0, 0, 0]]);
        assert!((dimension.length.unwrap().value - 1.0).abs() < 1e-12, "longer outputs get more than people give");
    }
}
