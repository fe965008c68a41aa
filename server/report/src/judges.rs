//! Judge models compared with people (docs/statistics.md, "Judge models"). Pure.

use std::collections::{BTreeMap, HashMap};

use model::{
    comparison::{Judge, JudgeDimension, JudgeInstructions, JudgeMeans},
    conversation::InstructionKind,
    ids::OutputId,
    stats::{Estimate, Known, Undefined},
};

use super::comparison_figures::{JUDGES, JUDGES_FOLLOWED, resamples};
use comparison::arranged::PeoplesAnswer;
use comparison::input::{ComparisonInput, InputJudge, InputRating, JudgeScore};
use stats::{
    alt_test::{Judged, alt_test},
    bootstrap::{self, Cell, KeyedCells, joint},
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
    let given: HashMap<OutputId, &JudgeScore> = judge.scores.iter().map(|score| (score.output, score)).collect();
    let length = |output: OutputId| given.get(&output).map_or(0, |score| score.length);
    let dimensions = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let pairs = input.scored().filter_map(|(rating, scores)| {
            let InputRating { task, model, output, rater, .. } = *rating;
            let (judge, person) = (*given.get(&output)?.scores.get(d)?, *scores.get(d)?);
            Some(Pair { subject: (output, 0), task, model, rater: Some(rater), person, judge, counts: true })
        });
        let figure = JUDGES + at * rubric.dimensions.len() as u64 + d as u64;
        compared(input, pairs, length, dimension.range(), figure)
    });
    let dimensions: Vec<JudgeDimension> = dimensions.collect();
    let kinds = input.instruction_kinds();
    let answers: HashMap<(OutputId, u32), u8> =
        judge.instructions.iter().map(|answer| ((answer.output, answer.turn), answer.follows)).collect();
    let instructions = InstructionKind::ALL.into_iter().zip(0..).filter_map(|(kind, place)| {
        if !kinds.contains(&kind) {
            return None;
        }
        let pairs = input.answers(kind).filter_map(|answer| {
            let PeoplesAnswer { task, model, output, turn, follows: person, rater, counts, .. } = answer;
            let judge = *answers.get(&(output, turn))?;
            Some(Pair { subject: (output, turn), task, model, rater, person, judge, counts })
        });
        let figure = JUDGES_FOLLOWED + at * InstructionKind::ALL.len() as u64 + place;
        let figures = compared(input, pairs, length, (0, 1), figure);
        (figures.agreement.pairs > 0).then_some(JudgeInstructions { kind, figures })
    });
    let both = dimensions.first().map_or(0, |d| u64::from(d.correlation.n));
    let instructions = instructions.collect();
    let outputs = judge.scores.len() as u64;
    (both > 0).then(|| Judge { name: judge.name.clone(), outputs, both, dimensions, instructions })
}

/// A person's score and the judge's. Fields with indices refer to the input's lists.
struct Pair {
    /// The output, and the turn of the instruction if the scores are answers about one.
    subject: (OutputId, u32),
    task: u32,
    model: u32,
    /// Absent for an adjudicated answer.
    rater: Option<u32>,
    person: u8,
    judge: u8,
    /// Whether no adjudicated answer replaces the person's. The test of whether a judge may replace a rater uses all
    /// raters' scores; other figures use those that count.
    counts: bool,
}

/// A judge compared with people by pairs of scores from `low` to `high`. `figure` chooses the random streams.
fn compared(
    input: &ComparisonInput,
    pairs: impl Iterator<Item = Pair>,
    length: impl Fn(OutputId) -> u64,
    (low, high): (u8, u8),
    figure: u64,
) -> JudgeDimension {
    // After the last rater's index: the judge acts as an additional rater.
    let own = u32::try_from(input.raters.len()).unwrap_or(u32::MAX);
    let adjudicator = own.saturating_add(1);
    let mut shared: BTreeMap<(OutputId, u32), Judged> = BTreeMap::new();
    // Sorted by output.
    let mut people: BTreeMap<(OutputId, u32), (usize, usize, u8, Cell)> = BTreeMap::new();
    let mut units = Vec::new();
    let levels = usize::from(high - low) + 1;
    let mut confusion = vec![vec![0; levels]; levels];
    for Pair { subject, task, model, rater, person, judge, counts } in pairs {
        let (model, task) = (model as usize, task as usize);
        if let Some(rater) = rater {
            let both = shared.entry(subject);
            let both = both.or_insert_with(|| Judged { task, judge: f64::from(judge), ratings: Vec::new() });
            // Of several ratings of one rater, from several studies, the newest counts.
            both.ratings.retain(|(other, _)| *other != rater);
            both.ratings.push((rater, f64::from(person)));
        }
        if !counts {
            continue;
        }
        let cell = confusion.get_mut(usize::from(person.saturating_sub(low)));
        if let Some(count) = cell.and_then(|row| row.get_mut(usize::from(judge.saturating_sub(low)))) {
            *count += 1;
        }
        units.push(Unit { model, task, ratings: vec![(rater.unwrap_or(adjudicator), person), (own, judge)] });
        let place = people.entry(subject).or_insert((model, task, judge, Cell::new()));
        place.3.push(f64::from(person));
    }
    let draws = Draws { resamples: resamples(input), ..Draws::new(input.seed, figure) };
    let shared: Vec<Judged> = shared.into_values().collect();
    let mean = |cell: &Cell| bootstrap::mean(std::slice::from_ref(cell));
    let points: Vec<correlation::Point> = people
        .values()
        .filter_map(|(_, task, judged, cell)| {
            Some(correlation::Point { task: *task, x: f64::from(*judged), y: mean(cell)? })
        })
        .collect();
    let mut differences = vec![vec![Cell::new(); input.tasks.len()]; input.models.len()];
    let mut by_length = Vec::new();
    for ((output, _), (model, task, judged, cell)) in &people {
        let Some(people) = mean(cell) else { continue };
        let difference = f64::from(*judged) - people;
        if let Some(cell) = differences.get_mut(*model).and_then(|tasks| tasks.get_mut(*task)) {
            cell.push(difference);
        }
        by_length.push(correlation::Point { task: *task, x: length_class(length(*output)), y: difference });
    }
    let biases: Vec<Known<Estimate>> = (input.models.iter().zip(&differences))
        .map(|((model, _), tasks)| {
            let of = KeyedCells { key: model.0.unsigned_abs(), tasks };
            let joint = joint(&[of], Draws { figure: figure + (1 << 14), ..draws });
            joint.means.into_iter().next().unwrap_or(Err(Undefined::Nothing))
        })
        .collect();
    let means = biases.into_iter().enumerate().map(|(m, bias)| {
        let own = people.values().filter(|(model, ..)| *model == m);
        let own = own.filter_map(|(_, _, judged, cell)| Some((f64::from(*judged), mean(cell)?)));
        means(&own.collect::<Vec<_>>(), bias)
    });
    let mut agreement = reliability(&units, low, high, draws);
    // They describe single raters.
    agreement.kappas.retain(|kappa| kappa.first != adjudicator && kappa.second != adjudicator);
    JudgeDimension {
        agreement,
        correlation: correlation(&points, Draws { figure: figure + (1 << 12), ..draws }),
        means: means.collect(),
        replacement: alt_test(&shared, Draws { figure: figure + (1 << 13), ..draws }),
        confusion,
        length: correlation(&by_length, Draws { figure: figure + (3 << 12), ..draws }).spearman,
    }
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
    use model::{
        dataset::{Checks, TaskRow},
        ids::{ModelId, StudyId, TaskId, TaskRevisionId, UserId},
        lang::{Bilingual, Lang},
        rubric::{Dimension, Level, Rubric},
    };

    use super::*;
    use comparison::input::{FinalInstruction, InputInstruction, InputStudy, JudgeInstruction};

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
            code_lang: model::code_lang::CodeLang::Java,
        };
        let mut input = ComparisonInput {
            models: vec![(ModelId(1), "A".into()), (ModelId(2), "B".into())],
            studies: vec![InputStudy { id: StudyId(1), title: String::new(), seed: 1, dataset_version: 1 }],
            raters: vec![(UserId(1), "r".into())],
            rubric: Some(Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension] }),
            tasks: (0..6).map(task).collect(),
            ..ComparisonInput::default()
        };
        let mut judge = InputJudge { name: "J".into(), ..InputJudge::default() };
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

    #[test]
    fn answers_about_instructions_are_compared_by_kind() {
        let mut input = input();
        // In each output an instruction of one kind in turn 1 and one of another in turn 2. The judge says yes to all of the
        // first kind, and the contrary of people about the second, of which it misses one answer.
        for (at, score) in input.judges[0].scores.clone().into_iter().enumerate() {
            let JudgeScore { task, model, output, .. } = score;
            let mut both = |turn, kind, person, judge: Option<u8>| {
                input.instructions.push(InputInstruction {
                    study: 0,
                    task,
                    model,
                    output,
                    rater: 0,
                    turn,
                    kind,
                    follows: person,
                });
                let answer = judge.map(|follows| JudgeInstruction { output, turn, follows });
                input.judges[0].instructions.extend(answer);
            };
            both(1, InstructionKind::EdgeCase, u8::from(at % 4 != 0), Some(1));
            both(2, InstructionKind::CodeStandard, u8::from(at % 2 != 0), (at > 0).then_some(u8::from(at % 2 == 0)));
        }
        let judge = judges(&input).remove(0);
        let of = |kind| judge.instructions.iter().find(|of| of.kind == kind).map(|of| &of.figures).unwrap();
        assert_eq!((judge.instructions.len(), judge.dimensions.len()), (2, 1));
        let edge = of(InstructionKind::EdgeCase);
        assert_eq!((edge.confusion.clone(), edge.agreement.pairs), (vec![vec![0, 3], vec![0, 9]], 12));
        assert_eq!(edge.agreement.exact.unwrap().value, 0.75);
        assert_eq!((edge.means[0].judge, edge.means[0].people, edge.means[0].outputs), (Some(1.0), Some(0.5), 6));
        let code = of(InstructionKind::CodeStandard);
        assert_eq!((code.confusion.clone(), code.agreement.pairs), (vec![vec![0, 5], vec![6, 0]], 11));
        assert_eq!(code.agreement.exact.unwrap().value, 0.0);
        // They are in no figure of a dimension, and in none of people.
        let without = |mut input: ComparisonInput| {
            input.judges[0].instructions.clear();
            (super::super::comparison_figures::compute(&input).human, judges(&input).remove(0).dimensions)
        };
        let with = (super::super::comparison_figures::compute(&input).human, judge.dimensions);
        assert_eq!(with, without(input));
    }

    #[test]
    fn an_adjudicated_answer_replaces_the_raters_but_not_in_figures_about_raters() {
        let mut input = input();
        input.raters.push((UserId(2), "s".into()));
        // Two people disagree about the only instruction of every output. The judge says yes to all.
        let kind = InstructionKind::EdgeCase;
        for score in input.judges[0].scores.clone() {
            let JudgeScore { task, model, output, .. } = score;
            for rater in 0..2 {
                let follows = rater as u8;
                let answer = InputInstruction { study: 0, task, model, output, rater, turn: 1, kind, follows };
                input.instructions.push(answer);
            }
            input.judges[0].instructions.push(JudgeInstruction { output, turn: 1, follows: 1 });
        }
        let figures = |input: &ComparisonInput| {
            let found = super::super::comparison_figures::compute(input);
            let people = found.human.unwrap().instructions.remove(0);
            (people, found.judges[0].instructions[0].figures.clone())
        };
        let (people, judge) = figures(&input);
        assert_eq!((people.models[0].mean, people.models[1].mean), (Some(0.5), Some(0.5)));
        assert_eq!((judge.confusion.clone(), judge.agreement.pairs), (vec![vec![0, 12], vec![0, 12]], 24));
        // An adjudicator says yes to those of the first model, and no to one of the second.
        for (at, score) in input.judges[0].scores.clone().into_iter().enumerate() {
            let JudgeScore { task, model, output, .. } = score;
            if model == 0 || at == 1 {
                let follows = u8::from(model == 0);
                input.final_instructions.push(FinalInstruction {
                    study: 0,
                    task,
                    model,
                    output,
                    turn: 1,
                    kind,
                    follows,
                });
            }
        }
        let (decided, with) = figures(&input);
        assert_eq!((decided.models[0].mean, decided.models[1].mean), (Some(1.0), Some(2.5 / 6.0)));
        assert_eq!((decided.reliability, decided.answers), (people.reliability, people.answers), "raters' agreement");
        // Seven adjudicated answers, and two answers about each of five other instructions.
        assert_eq!((with.confusion, with.agreement.pairs), (vec![vec![0, 6], vec![0, 11]], 17));
        assert_eq!((with.means[0].people, with.means[1].people), (Some(1.0), Some(2.5 / 6.0)));
        assert_eq!(with.replacement, judge.replacement, "the test compares the judge with raters");
        let raters = with.agreement.kappas.iter().map(|kappa| (kappa.first, kappa.second)).collect::<Vec<_>>();
        assert_eq!(raters, [(0, 2), (1, 2)], "the judge with each rater");
    }
}
