//! Checks the sentences about models over random comparisons: each sentence is parsed back and compared with
//! the figures, in both languages, whatever data are missing.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    claims::Standing,
    code_lang::CodeLang,
    comparison::{Automated, Human},
    dataset::{Checks, TaskRow},
    ids::{ModelId, OutputId, TaskId, TaskRevisionId, UserId},
    lang::{Bilingual, Lang},
    ratings::Interval,
    rubric::{Dimension, Level, Rubric},
    run::Verdict,
    stats::{Method, Paired, Permutation, Undefined, Wilcoxon},
};
use proptest::prelude::*;
use texts::{
    I18n,
    claims::{ClaimRow, Claims, Measure},
};

use super::comparison_figures;
use comparison::input::{ComparisonInput, InputRating, InputRun, InputVerdict};

/// A pair's figures, straight from the comparison: first minus second.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: usize,
    second: usize,
    mean: f64,
    interval: Interval,
    tasks: u64,
    p: Option<f64>,
}

impl Pair {
    /// Whether interval and corrected test agree that `one` of the two is higher.
    fn significantly_higher(&self, one: usize) -> bool {
        let side = if one == self.first { self.interval.low > 0.0 } else { self.interval.high < 0.0 };
        side && self.p.is_some_and(|p| p < 0.05)
    }

    fn concerns(&self, model: usize) -> bool {
        [self.first, self.second].contains(&model)
    }

    fn excludes_zero(&self) -> bool {
        self.interval.low > 0.0 || self.interval.high < 0.0
    }

    fn is_significant(&self) -> bool {
        self.significantly_higher(self.first) || self.significantly_higher(self.second)
    }
}

/// The data that a sentence is checked against.
#[derive(Debug)]
struct Figures {
    measure: Measure,
    models: Vec<String>,
    family: usize,
    means: Vec<Option<f64>>,
    pairs: Vec<Pair>,
}

impl Figures {
    fn of_ratings(human: &Human, dimension: usize) -> Figures {
        let c = &human.comparison;
        let pairs = c.differences.iter().zip(&human.holm).filter(|(x, _)| x.dimension == dimension);
        let pairs = pairs.filter_map(|(x, p)| {
            Some(Pair { first: x.first, second: x.second, mean: x.mean?, interval: x.interval?, tasks: x.tasks, p: *p })
        });
        Figures {
            measure: Measure::Ratings,
            family: human.holm.iter().flatten().count(),
            models: c.models.iter().map(|m| m.model.clone()).collect(),
            means: c.models.iter().map(|m| m.dimensions[dimension].mean).collect(),
            pairs: pairs.collect(),
        }
    }

    fn of_tests(models: &[String], automated: &Automated) -> Figures {
        let pairs = automated.pairs.iter().filter_map(|x| {
            let (first, second, interval) = (x.first, x.second, x.pass_interval?);
            Some(Pair { first, second, mean: x.pass, interval, tasks: x.tasks, p: x.holm })
        });
        Figures {
            measure: Measure::Tests,
            family: automated.pairs.iter().filter(|x| x.holm.is_some()).count(),
            models: models.to_vec(),
            means: automated.models.iter().map(|m| m.as_ref().map(|m| m.metrics.pass_at_1)).collect(),
            pairs: pairs.collect(),
        }
    }

    fn model(&self, name: &str) -> usize {
        self.models.iter().position(|m| m == name).unwrap_or_else(|| panic!("no model {name:?}"))
    }

    fn with_data(&self) -> BTreeSet<usize> {
        (0..self.means.len()).filter(|m| self.means[*m].is_some()).collect()
    }

    fn pair(&self, one: &str, other: &str) -> Pair {
        let (one, other) = (self.model(one), self.model(other));
        let found = self.pairs.iter().find(|x| [(one, other), (other, one)].contains(&(x.first, x.second)));
        *found.unwrap_or_else(|| panic!("models {one} and {other} were not compared"))
    }

    /// Compares `+0.40, 95% CI 0.10 to 0.70, 12 common tasks, p = 0.012` with the pair's figures.
    fn check_effect(&self, text: &str, better: &str, worse: &str) {
        let (x, better) = (self.pair(better, worse), self.model(better));
        let sign = if better == x.first { 1.0 } else { -1.0 };
        let unit = if self.measure == Measure::Tests { 100.0 } else { 1.0 };
        let text = text.replace('−', "-");
        let numbers: Vec<f64> = numbers(&text);
        let (a, b) = (x.interval.low * sign * unit, x.interval.high * sign * unit);
        // 95 is the interval's level.
        let expected = [x.mean * sign * unit, 95.0, a.min(b), a.max(b), x.tasks as f64];
        for (said, expected) in numbers.iter().zip(expected) {
            assert!((said - expected).abs() <= 0.0501, "{text}: {said} is not {expected}");
        }
        match x.p {
            Some(p) if p < 0.001 => assert!(text.ends_with("p < 0.001"), "{text}"),
            Some(p) => assert!((numbers[5] - p).abs() <= 0.000_501, "{text}: p is {p}"),
            None => assert_eq!(numbers.len(), 5, "{text}"),
        }
    }
}

/// Every number in a text, with its sign.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')));
    parts.filter(|part| part.chars().any(|c| c.is_ascii_digit())).filter_map(|part| part.parse().ok()).collect()
}

/// Matches `text` with a template with `{holes}`; returns the texts of the holes, and the rest of the text.
fn fit<'t>(template: &str, text: &'t str) -> Option<(BTreeMap<String, String>, &'t str)> {
    let (mut holes, mut rest) = (BTreeMap::new(), text);
    let mut pieces = template.split('{');
    rest = rest.strip_prefix(pieces.next()?)?;
    for piece in pieces {
        let (hole, literal) = piece.split_once('}')?;
        let at = rest.find(literal)?;
        let found = &rest[..at];
        // A name or an effect never contains a sentence end.
        if found.is_empty() || found.contains(". ") || found.contains('。') {
            return None;
        }
        holes.insert(hole.to_owned(), found.to_owned());
        rest = &rest[at + literal.len()..];
    }
    Some((holes, rest.trim_start()))
}

/// The meaning of a template: whether its statement is true of the figures.
type Meaning = fn(&Figures, &BTreeMap<String, String>);

fn higher(f: &Figures, h: &BTreeMap<String, String>) {
    assert!(f.pair(&h["a"], &h["b"]).significantly_higher(f.model(&h["a"])));
    f.check_effect(&h["e"], &h["a"], &h["b"]);
}

fn best(f: &Figures, h: &BTreeMap<String, String>) {
    let best = f.model(&h["a"]);
    let others: Vec<usize> = f.with_data().into_iter().filter(|m| *m != best).collect();
    assert_eq!(h["n"], others.len().to_string());
    let margin = |other: usize| {
        let x = f.pair(&h["a"], &f.models[other]);
        assert!(x.significantly_higher(best), "not better than {other}");
        x.mean.abs()
    };
    let smallest = others.iter().map(|m| margin(*m)).fold(f64::INFINITY, f64::min);
    assert!((margin(f.model(&h["b"])) - smallest).abs() < 1e-9);
    f.check_effect(&h["e"], &h["a"], &h["b"]);
}

fn suggestive(f: &Figures, h: &BTreeMap<String, String>) {
    let x = f.pair(&h["a"], &h["b"]);
    assert!(x.excludes_zero() && !x.is_significant());
    f.check_effect(&h["e"], &h["a"], &h["b"]);
}

fn no_difference(f: &Figures, h: &BTreeMap<String, String>) {
    assert!(!f.pair(&h["a"], &h["b"]).is_significant());
    f.check_effect(&h["e"], &h["a"], &h["b"]);
}

fn none(f: &Figures, h: &BTreeMap<String, String>) {
    assert!(f.pairs.iter().all(|x| !x.is_significant()));
    assert_eq!((&h["c"], &h["n"]), (&f.pairs.len().to_string(), &f.with_data().len().to_string()));
}

fn widest(f: &Figures, h: &BTreeMap<String, String>) {
    let x = f.pair(&h["a"], &h["b"]);
    assert!(f.pairs.len() > 1 && f.pairs.iter().all(|other| other.mean.abs() <= x.mean.abs()), "{x:?}");
    f.check_effect(&h["e"], &h["a"], &h["b"]);
}

fn only_pair(f: &Figures, _: &BTreeMap<String, String>) {
    assert!(f.pairs.len() == 1 && !f.pairs[0].is_significant());
}

fn counted(f: &Figures, h: &BTreeMap<String, String>) {
    let significant = f.pairs.iter().filter(|x| x.is_significant()).count();
    assert_eq!((&h["s"], &h["c"]), (&significant.to_string(), &f.pairs.len().to_string()));
}

/// Models in the comparison than which none is significantly higher.
fn unbeaten(f: &Figures) -> BTreeSet<usize> {
    let compared: BTreeSet<usize> = f.pairs.iter().flat_map(|x| [x.first, x.second]).collect();
    let beaten: BTreeSet<usize> = f
        .pairs
        .iter()
        .flat_map(|x| {
            let second = x.significantly_higher(x.first).then_some(x.second);
            [second, x.significantly_higher(x.second).then_some(x.first)].into_iter().flatten()
        })
        .collect();
    compared.difference(&beaten).copied().collect()
}

fn leaders(f: &Figures, h: &BTreeMap<String, String>) {
    let names = h["l"].replace(" and ", ", ").replace(" 和 ", ", ").replace('、', ", ");
    let named: BTreeSet<usize> = names.split(", ").map(|name| f.model(name)).collect();
    assert_eq!(named, unbeaten(f), "{names}");
}

fn many_leaders(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(h["n"], unbeaten(f).len().to_string());
}

fn suggestive_count(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(h["n"], f.pairs.iter().filter(|x| x.excludes_zero() && !x.is_significant()).count().to_string());
}

/// `M0 and M1; M0 and M2`: every such pair.
fn suggestive_pairs(f: &Figures, h: &BTreeMap<String, String>) {
    let text = h["l"].replace(" 和 ", " and ").replace('；', "; ");
    let pairs: Vec<Pair> = text
        .split("; ")
        .map(|pair| {
            let (a, b) = pair.split_once(" and ").unwrap_or_else(|| panic!("two names in {pair}"));
            f.pair(a, b)
        })
        .collect();
    assert!(pairs.iter().all(|x| x.excludes_zero() && !x.is_significant()), "{text}");
    assert_eq!(pairs.len(), f.pairs.iter().filter(|x| x.excludes_zero() && !x.is_significant()).count());
}

/// Pairs whose difference over common tasks has the opposite sign of the difference of their means.
fn reversed(f: &Figures) -> Vec<&Pair> {
    let mean = |m: usize| f.means[m].unwrap_or(f64::NAN);
    f.pairs
        .iter()
        .filter(|x| {
            (mean(x.first) - mean(x.second)).abs() > 1e-9
                && x.mean.abs() > 1e-9
                && (mean(x.first) > mean(x.second)) != (x.mean > 0.0)
        })
        .collect()
}

fn reversed_pairs(f: &Figures, h: &BTreeMap<String, String>) {
    let text = h["l"].replace(" 和 ", " and ").replace('；', "; ");
    let pairs: Vec<_> =
        text.split("; ").map(|pair| pair.split_once(" and ").unwrap_or_else(|| panic!("{pair}"))).collect();
    assert_eq!(pairs.len(), reversed(f).len(), "{text}");
    for (better, worse) in pairs {
        let x = f.pair(better, worse);
        assert_eq!(x.mean > 0.0, x.first == f.model(better), "{better} is ahead of {worse} over common tasks");
        assert!(f.means[f.model(better)] < f.means[f.model(worse)], "{better} has the lower mean");
    }
}

fn reversed_count(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(h["n"], reversed(f).len().to_string());
}

fn untested(f: &Figures, h: &BTreeMap<String, String>) {
    let n = f.with_data().len();
    assert_eq!(h["n"], (n * (n - 1) / 2 - f.pairs.len()).to_string());
}

fn too_few(f: &Figures, h: &BTreeMap<String, String>) {
    let both = BTreeSet::from([f.model(&h["a"]), f.model(&h["b"])]);
    assert!(both == f.with_data() && f.pairs.is_empty());
}

fn without_data(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(h["n"], (f.means.len() - f.with_data().len()).to_string());
}

fn only(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(f.with_data(), BTreeSet::from([f.model(&h["a"])]));
}

/// Two models are in a group together exactly if they do not differ significantly.
fn groups(f: &Figures, h: &BTreeMap<String, String>) {
    let text = h["l"].replace(" and ", ", ").replace(" 和 ", ", ").replace('、', ", ");
    let named: BTreeSet<usize> = text.split(", ").map(|name| f.model(name)).collect();
    for one in f.with_data() {
        for other in f.with_data().into_iter().filter(|other| *other > one) {
            let together = named.contains(&one) && named.contains(&other);
            let pair = f.pairs.iter().find(|x| [(one, other), (other, one)].contains(&(x.first, x.second)));
            assert_eq!(together, !pair.is_some_and(Pair::is_significant), "{one} and {other} in {text}");
        }
    }
}

fn family(f: &Figures, h: &BTreeMap<String, String>) {
    assert_eq!(h["n"].replace(',', ""), f.family.to_string());
}

fn needs(f: &Figures, h: &BTreeMap<String, String>) {
    assert!(h["m"].replace(',', "").parse::<u64>().is_ok_and(|n| n > 0));
    assert!(f.pairs.iter().any(|x| !x.is_significant() && x.mean != 0.0));
}

fn needs_between(f: &Figures, h: &BTreeMap<String, String>) {
    let names = h["l"].replace(" 和 ", " and ");
    let (a, b) = names.split_once(" and ").unwrap_or_else(|| panic!("two names in {names}"));
    assert!(!f.pair(a, b).is_significant() && f.pair(a, b).mean != 0.0);
    needs(f, h);
}

/// All sentences: English and Chinese for ratings, then for tests; longer ones before their prefixes.
const SENTENCES: &[(&str, Meaning)] = &[
    ("{a} scores higher than each of the other {n} models with ratings; the closest is {b} ({e}).", best),
    ("{a} passes more tasks than each of the other {n} models with a run; the closest is {b} ({e}).", best),
    ("{a} 的评分高于其他全部 {n} 个有评分的模型；最接近的是 {b}（{e}）。", best),
    ("{a} 通过的任务多于其他全部 {n} 个有测试运行的模型；最接近的是 {b}（{e}）。", best),
    ("{a} scores higher than {b} ({e}).", higher),
    ("{a} passes more tasks than {b} ({e}).", higher),
    ("{a} 的评分高于 {b}（{e}）。", higher),
    ("{a} 通过的任务多于 {b}（{e}）。", higher),
    ("{a} is ahead of {b} ({e}), but the difference is not statistically significant.", suggestive),
    ("{a} 领先于 {b}（{e}），但差异在统计上不显著。", suggestive),
    ("There is no significant difference between {a} and {b} ({e}).", no_difference),
    ("{a} 与 {b} 之间没有显著差异（{e}）。", no_difference),
    ("Only one pair of models can be compared, and its difference is not significant.", only_pair),
    ("None of the {c} pairwise differences between the {n} models with ratings is significant.", none),
    ("None of the {c} pairwise differences between the {n} models with a run is significant.", none),
    ("{n} 个有评分的模型之间的 {c} 项两两差异均不显著。", none),
    ("{n} 个有测试运行的模型之间的 {c} 项两两差异均不显著。", none),
    ("The widest difference is between {a} and {b} ({e}).", widest),
    ("其中最大的是 {a} 与 {b} 之间的差异（{e}）。", widest),
    ("In all, {s} of {c} pairwise differences are significant.", counted),
    ("{c} 项两两差异中共有 {s} 项显著。", counted),
    ("No model scores significantly higher than {l}.", leaders),
    ("No model passes significantly more tasks than {l}.", leaders),
    ("没有模型的评分显著高于 {l}。", leaders),
    ("没有模型通过的任务显著多于 {l}。", leaders),
    ("For {n} of the models, no other model scores significantly higher.", many_leaders),
    ("For {n} of the models, no other model passes significantly more tasks.", many_leaders),
    ("有 {n} 个模型，没有其他模型的评分显著高于它们。", many_leaders),
    ("有 {n} 个模型，没有其他模型通过的任务显著多于它们。", many_leaders),
    ("Suggestive, but not significant: {l}.", suggestive_pairs),
    ("以下差异的置信区间不含零，但检验不显著：{l}。", suggestive_pairs),
    ("{n} differences have an interval that excludes zero, but are not significant in the test.", suggestive_count),
    ("{n} 项差异的置信区间不含零，但检验不显著。", suggestive_count),
    ("Over common tasks, the order of means is the other way round for {n} pairs of models.", reversed_count),
    ("按共同任务计算，有 {n} 对模型的均值先后相反。", reversed_count),
    ("Over common tasks, the order of means is the other way round for {l}.", reversed_pairs),
    ("按共同任务计算，以下模型的均值先后相反：{l}。", reversed_pairs),
    ("{n} pair of models shares too few tasks to be compared.", untested),
    ("{n} pairs of models share too few tasks to be compared.", untested),
    ("{n} 对模型的共同任务过少，无法比较。", untested),
    ("{a} and {b} share too few tasks to be compared.", too_few),
    ("{a} 与 {b} 的共同任务过少，无法比较。", too_few),
    ("{n} model has no ratings yet.", without_data),
    ("{n} models have no ratings yet.", without_data),
    ("{n} 个模型尚无评分。", without_data),
    ("{n} model has no test run yet.", without_data),
    ("{n} models have no test run yet.", without_data),
    ("{n} 个模型尚无测试运行。", without_data),
    ("Only {a} has ratings.", only),
    ("Only {a} has a test run.", only),
    ("只有 {a} 有评分。", only),
    ("只有 {a} 有测试运行。", only),
    (
        "If the observed difference between {l} is real, about {m} more ratings would be needed to confirm it.",
        needs_between,
    ),
    ("若观察到的 {l} 之间的差异属实，约需再增加 {m} 次评分才能证实。", needs_between),
    ("No significant difference was found between {l}.", groups),
    ("{l} 之间未发现显著差异。", groups),
    ("Holm's correction covers {n} Wilcoxon tests: every pair of models on every dimension.", family),
    ("Holm's correction covers {n} tests of pass@1: every pair of models with a run.", family),
    ("Holm 校正涵盖 {n} 项 Wilcoxon 检验：每个维度上的每一对模型。", family),
    ("Holm 校正涵盖 {n} 项 pass@1 检验：每一对有测试运行的模型。", family),
    ("If the observed difference is real, about {m} more ratings would be needed to confirm it.", needs),
    ("若观察到的差异属实，约需再增加 {m} 次评分才能证实。", needs),
];

/// Parses a text sentence by sentence; panics if one is unknown or false. Returns the templates found.
fn check(figures: &Figures, text: &str) -> Vec<&'static str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let read = SENTENCES.iter().find_map(|(template, meaning)| {
            let (holes, rest) = fit(template, rest)?;
            let names = ["a", "b"].iter().filter_map(|hole| holes.get(*hole));
            let known = names.clone().all(|name| figures.models.contains(name));
            known.then_some((*template, *meaning, holes, rest))
        });
        let Some((template, meaning, holes, next)) = read else { panic!("unknown sentence: {rest}\nin: {text}") };
        meaning(figures, &holes);
        found.push(template);
        rest = next;
    }
    found
}

/// Checks the summary and every pair's sentence, in both languages.
fn hold(figures: &Figures, standing: &Standing, tests: &[model::stats::Known<model::stats::Paired>]) {
    let names: Vec<&str> = figures.models.iter().map(String::as_str).collect();
    for lang in [Lang::En, Lang::Zh] {
        let claims = Claims::new(I18n::of(lang), figures.measure, standing, &names, tests);
        let Some(row) = claims.row() else {
            assert!(figures.with_data().is_empty());
            continue;
        };
        let text = format!("{} {}", row.evidence, row.missing);
        let found = [check(figures, &row.evidence), check(figures, &row.missing)].concat();
        assert!(!found.is_empty(), "no sentence about {:?}", figures.with_data());
        assert_eq!(row.proven, figures.pairs.iter().any(Pair::is_significant), "{text}");
        leader(figures, &row.leader);
        if let Some(text) = claims.family() {
            assert_eq!(check(figures, &text).len(), 1, "{text}");
        }
        let missing = figures.means.len() > figures.with_data().len();
        let says_missing = found.iter().any(|t| t.contains("yet") || t.contains("尚无"));
        assert_eq!(missing, says_missing, "{text}");
        let says_reversed = found.iter().any(|t| t.contains("the other way round") || t.contains("先后相反"));
        assert_eq!(says_reversed, !reversed(figures).is_empty(), "{text}");
        for contest in &standing.contests {
            let (text, differs) = claims.pair(contest);
            check(figures, &text);
            let pair = figures.pair(&figures.models[contest.better], &figures.models[contest.worse]);
            assert_eq!(differs, pair.is_significant(), "{text}");
        }
    }
    letters(figures, standing);
    // The mark for the best model has the same meaning as the sentence.
    let best = standing.best().map(|(model, _)| model);
    let expected = figures.with_data().into_iter().find(|m| {
        let mut others = figures.with_data().into_iter().filter(|other| other != m).peekable();
        others.peek().is_some()
            && others.all(|other| {
                figures
                    .pairs
                    .iter()
                    .any(|x| [(*m, other), (other, *m)].contains(&(x.first, x.second)) && x.significantly_higher(*m))
            })
    });
    assert_eq!(best, expected);
}

/// The leader is the best model; else nobody is significantly better than those that are named, and somebody was compared
/// with them.
fn leader(figures: &Figures, text: &str) {
    let beaten =
        |m: usize| figures.pairs.iter().any(|x| x.is_significant() && x.concerns(m) && !x.significantly_higher(m));
    let compared = |m: usize| figures.pairs.iter().any(|x| x.concerns(m));
    let unbeaten: Vec<usize> = figures.with_data().into_iter().filter(|m| compared(*m) && !beaten(*m)).collect();
    if !figures.pairs.iter().any(Pair::is_significant) || unbeaten.is_empty() {
        assert!(["not established", "尚未确定"].contains(&text), "{text}");
    } else if unbeaten.len() > 5 {
        assert!(
            [format!("{} models", unbeaten.len()), format!("{} 个模型", unbeaten.len())].contains(&text.to_owned())
        );
    } else {
        let named = text.replace(" and ", ", ").replace(" 和 ", ", ").replace('、', ", ");
        let named: BTreeSet<usize> = named.split(", ").map(|name| figures.model(name)).collect();
        assert!(named.iter().all(|m| unbeaten.contains(m)), "{text}");
        let others = figures.with_data().len() - 1;
        let wins = |m: usize| figures.pairs.iter().filter(|x| x.concerns(m) && x.significantly_higher(m)).count();
        match unbeaten.iter().find(|m| wins(**m) == others) {
            Some(best) => assert_eq!(named, BTreeSet::from([*best]), "{text}"),
            None => assert_eq!(named.len(), unbeaten.len(), "{text}"),
        }
    }
}

/// Two models share a letter exactly if their difference is not significant, and every model with data has one.
fn letters(figures: &Figures, standing: &Standing) {
    let groups = standing.groups();
    let lettered: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    assert_eq!(lettered, figures.with_data());
    for (at, one) in groups.iter().enumerate() {
        let one: BTreeSet<_> = one.iter().collect();
        assert!(
            !groups
                .iter()
                .enumerate()
                .any(|(other, group)| other != at && group.iter().collect::<BTreeSet<_>>() == one),
            "a group twice: {groups:?}"
        );
    }
    for one in figures.with_data() {
        for other in figures.with_data().into_iter().filter(|other| *other > one) {
            let shared = groups.iter().any(|group| group.contains(&one) && group.contains(&other));
            let pair = figures.pairs.iter().find(|x| [(one, other), (other, one)].contains(&(x.first, x.second)));
            assert_eq!(shared, !pair.is_some_and(Pair::is_significant), "{one} and {other} in {groups:?}");
        }
    }
}

fn dimension() -> Dimension {
    let none = Bilingual::default;
    let levels = (1..=4).rev().map(|score| Level { score, label: none(), text: none() }).collect();
    Dimension { key: "correctness".into(), checklist: false, name: none(), question: none(), levels }
}

fn task(n: u32) -> TaskRow {
    TaskRow {
        id: TaskId(n.into()),
        revision: TaskRevisionId(n.into()),
        task_id: n.to_string(),
        raw_nl: String::new(),
        nl_lang: Lang::En,
        signature: None,
        checks: Checks { human: true, tests: true },
        code_lang: CodeLang::Java,
    }
}

/// For each model and task the scores of up to two raters, and the samples' results if there is a run.
type Drawn = Vec<Option<(Vec<Vec<u8>>, Option<Vec<Vec<bool>>>)>>;

fn input(tasks: u32, drawn: &Drawn) -> ComparisonInput {
    let mut input = ComparisonInput {
        models: (0..drawn.len()).map(|m| (ModelId(m as i64 + 1), format!("M{m}"))).collect(),
        tasks: (0..tasks).map(task).collect(),
        rubric: Some(Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension()] }),
        raters: vec![(UserId(1), "r1".into()), (UserId(2), "r2".into())],
        ..ComparisonInput::default()
    };
    for (model, data) in (0u32..).zip(drawn) {
        let Some((scores, results)) = data else { continue };
        for (task, scores) in (0..tasks).zip(scores) {
            for (rater, score) in (0u32..).zip(scores) {
                let output = OutputId(i64::from(model * 1000 + task));
                input.ratings.push(InputRating { study: 0, task, model, output, rater });
                input.scores.push(*score);
            }
        }
        let Some(results) = results else { continue };
        let verdicts = (0..tasks).zip(results).flat_map(|(task, samples)| {
            (0u32..).zip(samples.clone()).map(move |(sample, passed)| InputVerdict {
                task,
                output: None,
                sample,
                turn: None,
                verdict: Some(if passed { Verdict::Passed } else { Verdict::Failed }),
                passed: u32::from(passed),
                total: 1,
                published: None,
                cannot_judge: false,
            })
        });
        let (tasks, verdicts) = ((0..tasks).collect(), verdicts.collect());
        input.runs.push(InputRun { model, tasks, verdicts, ..InputRun::default() });
    }
    input
}

/// Models of different quality, so that differences occur; many without data; sometimes no variation.
fn comparisons() -> impl Strategy<Value = (u32, Drawn)> {
    (1u32..14, 0usize..7).prop_flat_map(|(tasks, models)| {
        let n = tasks as usize;
        let quality = prop_oneof![Just(1u8), Just(2), Just(4)];
        let model = (quality, 0u8..=1, 0usize..=2, any::<bool>(), 1usize..=2).prop_flat_map(
            move |(quality, noise, raters, has_run, samples)| {
                let score = (quality.saturating_sub(noise).max(1)..=(quality + noise).min(4)).boxed();
                let scores = proptest::collection::vec(proptest::collection::vec(score, 0..=raters), n);
                let result = proptest::bool::weighted(f64::from(quality) / 4.5);
                let results = proptest::collection::vec(proptest::collection::vec(result, 0..=samples), n);
                (scores, results).prop_map(move |(scores, results)| (scores, has_run.then_some(results)))
            },
        );
        (Just(tasks), proptest::collection::vec(proptest::option::weighted(0.75, model), models))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// From ratings and verdicts to sentences, through the real figures.
    #[test]
    fn sentences_are_true_of_computed_figures((tasks, drawn) in comparisons()) {
        let figures = comparison_figures::compute(&input(tasks, &drawn));
        corrected_p_values_have_their_tests(&figures);
        captions_say_that_tasks_without_an_output_count(&figures);
        if let Some(human) = &figures.human {
            hold(&Figures::of_ratings(human, 0), &Standing::of_ratings(human, 0), &human.tests);
            signs_agree(&figures, human);
        }
        if let Some(automated) = &figures.automated {
            let figures = Figures::of_tests(&figures.models, automated);
            hold(&figures, &Standing::of_tests(automated), &[]);
        }
    }
}

/// The sign of a difference is that of the difference of the two means, or the tables say that it is not; and they say it
/// where means are adjusted, and nowhere else.
fn signs_agree(figures: &model::comparison::ComparisonFigures, human: &Human) {
    let (c, tables) = (&human.comparison, super::tables::markdown(figures, &Lang::En.into()));
    let mean = |model: usize| c.models[model].dimensions[0].mean;
    let is_opposed = |x: &model::ratings::Difference| {
        let (first, second) = (mean(x.first)?, mean(x.second)?);
        Some(model::claims::opposed(first - second, x.mean?))
    };
    let opposed = c.differences.iter().any(|x| is_opposed(x) == Some(true));
    assert_eq!(tables.contains("the two orders are not the same"), opposed, "{tables}");
    assert_eq!(tables.contains("means adjusted for tasks"), c.is_adjusted(0), "{tables}");
    let with_data = c.models.iter().filter(|model| model.tasks > 0);
    assert!(with_data.count() > 2 || !opposed, "{:?}", c.models);
}

/// A human comparison with the given figures and no data behind them.
fn human(means: &[Option<f64>], pairs: &[(usize, usize, f64, f64, Option<f64>)]) -> Human {
    use model::ratings::{Comparison, Difference, DimensionScores, ModelScores};
    let models = means.iter().enumerate().map(|(m, mean)| ModelScores {
        model: format!("M{m}"),
        ratings: 0,
        tasks: 0,
        dimensions: vec![DimensionScores {
            mean: *mean,
            interval: None,
            own_mean: *mean,
            own_interval: None,
            distribution: Vec::new(),
        }],
    });
    let differences = pairs.iter().map(|(first, second, mean, half, _)| Difference {
        dimension: 0,
        first: *first,
        second: *second,
        tasks: 9,
        mean: Some(*mean),
        interval: (*half >= 0.0).then_some(Interval { low: mean - half, high: mean + half }),
    });
    Human {
        raters: 2,
        adjudicated: 0,
        comparison: Comparison {
            rubric: Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension()] },
            models: models.collect(),
            differences: differences.collect(),
            agreement: Vec::new(),
            resamples: 0,
            seed: String::new(),
        },
        tests: pairs.iter().map(|(_, _, mean, _, p)| p.map(|p| paired(*mean, p)).ok_or(Undefined::Nothing)).collect(),
        holm: pairs.iter().map(|(.., p)| *p).collect(),
        adjusted: Vec::new(),
        reliability: Vec::new(),
        instructions: Vec::new(),
    }
}

/// What has a corrected p-value names its test and has its p-value before correction, which is no greater: in the file of
/// pairs as in the answers of REST.
fn corrected_p_values_have_their_tests(figures: &model::comparison::ComparisonFigures) {
    let file = super::pairs::csv(figures).expect("the file of pairs is written");
    let mut file = csv::Reader::from_reader(file.as_slice());
    for line in file.deserialize() {
        let line: BTreeMap<String, String> = line.expect("a line of pairs");
        let (test, p, holm) = (&line["test"], &line["p"], &line["p_holm"]);
        assert_eq!((test.is_empty(), p.is_empty()), (holm.is_empty(), holm.is_empty()), "{line:?}");
        if let (Ok(p), Ok(holm)) = (p.parse::<f64>(), holm.parse::<f64>()) {
            let tests: &[&str] =
                if line["figure"] == "pass@1" { &["mcnemar_mid", "permutation"] } else { &["wilcoxon"] };
            assert!(tests.contains(&test.as_str()) && p <= holm, "{line:?}");
        }
    }
    let json = serde_json::to_value(figures).expect("figures are JSON");
    for pair in json["automated"]["pairs"].as_array().into_iter().flatten().filter(|pair| !pair["holm"].is_null()) {
        let is_permuted = pair["mcnemar"]["undefined"] == "several_samples";
        assert_eq!(pair["test"], if is_permuted { "permutation" } else { "mcnemar_mid" }, "{pair}");
        assert!(pair["p"].as_f64() <= pair["holm"].as_f64() && pair["p"].is_f64(), "{pair}");
    }
    let human = json["human"]["tests"].as_array().into_iter().flatten();
    for (test, holm) in human.zip(json["human"]["holm"].as_array().into_iter().flatten()) {
        let p = test.pointer("/known/wilcoxon/p").and_then(serde_json::Value::as_f64);
        assert!(holm.is_null() || (p.is_some() && p <= holm.as_f64()), "{test} {holm}");
    }
}

/// Every caption of a figure of test results says so where tasks without an output are among its n tasks.
fn captions_say_that_tasks_without_an_output_count(figures: &model::comparison::ComparisonFigures) {
    let automated = figures.automated.iter().flat_map(|automated| automated.models.iter().flatten());
    let is_partial = automated.clone().any(|of| of.metrics.answered < of.metrics.tasks);
    for id in ["pass-at-1", "avg-pass-ratio", "pass-differences", "paper-automatic"] {
        for (lang, counts) in [
            (Lang::En, "a task without an output or a verdict counts as 0"),
            (Lang::Zh, "没有输出或没有测试结果的任务按 0 计"),
        ] {
            let text = texts::captions::caption(I18n::of(lang), id, "d", figures).unwrap_or_default();
            assert_eq!(text.contains(counts), is_partial, "{id}: {text}");
            assert!(!text.contains("common tasks") && !text.contains("共同任务"), "{id}: {text}");
        }
    }
}

/// The tests of a difference with this p-value.
fn paired(mean: f64, p: f64) -> Paired {
    let wilcoxon = Wilcoxon { n: 9, zeros: 0, plus: 0.0, minus: 0.0, p, method: Method::Exact };
    Paired {
        tasks: 9,
        mean,
        wilcoxon,
        permutation: Permutation { p, method: Method::Exact, looked_at: 0 },
        rank_biserial: Err(Undefined::Nothing),
        cohen_dz: Err(Undefined::Nothing),
        cliff_delta: 0.0,
        needed: Err(Undefined::Nothing),
    }
}

/// Any number of models and any figures, including impossible ones: circles, ties, missing tests.
fn figures() -> impl Strategy<Value = Human> {
    (1usize..10).prop_flat_map(|models| {
        let means = proptest::collection::vec(proptest::option::weighted(0.7, 1.0..4.0f64), models);
        let all: Vec<(usize, usize)> = (0..models).flat_map(|a| (a + 1..models).map(move |b| (a, b))).collect();
        let mean = prop_oneof![Just(0.0), -2.0..2.0f64];
        let p = proptest::option::weighted(0.9, prop_oneof![0.0..0.04, 0.04..1.0f64]);
        let pair = (mean, -0.2..1.0f64, p);
        (means, proptest::collection::vec(pair, all.len())).prop_map(move |(means, drawn)| {
            // As in the comparison: a row for every pair, without figures if a model has no data.
            let rows = all.iter().zip(drawn).map(|((a, b), (mean, half, p))| match means[*a].and(means[*b]) {
                Some(_) => (*a, *b, mean, half, p),
                None => (*a, *b, 0.0, -1.0, None),
            });
            human(&means, &rows.collect::<Vec<_>>())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn sentences_are_true_of_any_figures(human in figures()) {
        hold(&Figures::of_ratings(&human, 0), &Standing::of_ratings(&human, 0), &human.tests);
    }
}

/// One model of 47 is compared with one other, and the rest have no ratings.
#[test]
fn models_without_ratings_are_counted_and_never_compared() {
    let mut means = vec![None; 47];
    (means[0], means[1]) = (Some(3.2), Some(2.8));
    let pairs: Vec<_> = (0..47usize).flat_map(|a| (a + 1..47).map(move |b| (a, b))).collect();
    let rows: Vec<_> = pairs
        .into_iter()
        .map(|pair| match pair {
            (0, 1) => (0, 1, 0.4, 0.2, Some(0.012)),
            (a, b) => (a, b, 0.0, -1.0, None),
        })
        .collect();
    let human = human(&means, &rows);
    let standing = Standing::of_ratings(&human, 0);
    let names: Vec<String> = (0..47).map(|m| format!("M{m}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said = Claims::new(I18n::of(Lang::En), Measure::Ratings, &standing, &names, &[]).row();
    let expected = ClaimRow {
        leader: "M0".into(),
        evidence: "M0 scores higher than M1 (+0.40, 95% CI 0.20 to 0.60, 9 common tasks, p = 0.012).".into(),
        missing: "45 models have no ratings yet.".into(),
        proven: true,
    };
    assert_eq!(said, Some(expected));
}

#[test]
fn a_thousand_models_are_summarised() {
    let models = 1000;
    let means: Vec<Option<f64>> = (0..models).map(|m| Some(4.0 - f64::from(m) / 1000.0)).collect();
    let pairs = (0..models as usize).flat_map(|a| (a + 1..models as usize).map(move |b| (a, b)));
    let rows: Vec<_> = pairs
        .map(|(a, b)| {
            let gap = (b - a) as f64 / 1000.0;
            (a, b, gap, 0.5, Some(if gap > 0.5 { 0.01 } else { 0.5 }))
        })
        .collect();
    let human = human(&means, &rows);
    let standing = Standing::of_ratings(&human, 0);
    assert_eq!((standing.best(), standing.unbeaten().len()), (None, 501));
    let names: Vec<String> = (0..models).map(|m| format!("M{m}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said = Claims::new(I18n::of(Lang::En), Measure::Ratings, &standing, &names, &[]).row();
    let ClaimRow { leader, evidence: text, .. } = said.unwrap_or_else(|| panic!("a row"));
    assert_eq!(leader, "501 models");
    assert!(text.contains("In all, 124,750 of 499,500 pairwise differences are significant."), "{text}");
    assert!(text.contains("For 501 of the models, no other model scores significantly higher."), "{text}");
}
