//! What a comparison comes to, in plain sentences. How sure the data are decides the words: see
//! [`Comparison::separated`] and docs/statistics.md, "Holm's correction".

use crate::{
    i18n::I18n,
    model::{
        compare::{Automated, Human},
        comparison::{Comparison, Difference, Separation},
        lang::Lang,
        stats::{Known, Paired},
    },
    ui::chart::signed,
};

/// A sentence, and whether it says that models differ.
pub type Said = (String, bool);

/// Two models, one figure.
struct Contest {
    /// Places of the better and the worse model, as far as the mean goes.
    better: usize,
    worse: usize,
    /// How much better, 0 or more, with its interval.
    by: f64,
    low: f64,
    high: f64,
    /// Whether the data separate them.
    apart: bool,
    /// Place in the list it came from.
    at: usize,
}

impl Contest {
    fn of(first: usize, second: usize, mean: f64, (low, high): (f64, f64), apart: bool, at: usize) -> Contest {
        match mean < 0.0 {
            false => Contest { better: first, worse: second, by: mean, low, high, apart, at },
            true => Contest { better: second, worse: first, by: -mean, low: -high, high: -low, apart, at },
        }
    }
}

/// Who wins among several models.
enum Outcome<'a> {
    /// One is separated from every other; the closest contest that it wins.
    Best(usize, &'a Contest),
    /// Nobody is beaten among these, best mean first; the contest of the first two.
    Leaders(Vec<usize>, Option<&'a Contest>),
}

/// `means` says which of the unbeaten models come first.
fn outcome<'a>(contests: &'a [Contest], means: &[Option<f64>]) -> Option<Outcome<'a>> {
    let mut unbeaten: Vec<usize> = (0..means.len())
        .filter(|m| contests.iter().any(|x| x.better == *m || x.worse == *m))
        .filter(|m| !contests.iter().any(|x| x.worse == *m && x.apart))
        .collect();
    let value = |m: usize| means.get(m).copied().flatten().unwrap_or(f64::MIN);
    unbeaten.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
    let first = *unbeaten.first()?;
    let own = |m: usize| contests.iter().filter(move |x| x.better == m || x.worse == m);
    if own(first).all(|x| x.better == first && x.apart) {
        let closest = own(first).min_by(|a, b| a.by.total_cmp(&b.by))?;
        return Some(Outcome::Best(first, closest));
    }
    let second = unbeaten.get(1).copied();
    let top = contests.iter().find(|x| {
        second.is_some_and(|second| (x.better, x.worse) == (first, second) || (x.better, x.worse) == (second, first))
    });
    Some(Outcome::Leaders(unbeaten, top))
}

fn contests(c: &Comparison, holm: &[Option<f64>], d: usize) -> Vec<Contest> {
    let each = c.differences.iter().enumerate().filter(|(_, x)| x.dimension == d).filter_map(|(at, x)| {
        let (mean, range) = (x.mean?, x.interval?);
        let apart = c.separated(x, holm.get(at).copied().flatten());
        Some(Contest::of(x.first, x.second, mean, (range.low, range.high), apart, at))
    });
    each.collect()
}

/// One sentence for a dimension: which model is better, by how much, how sure; or that the data do not
/// separate them, and about how many more ratings would.
pub fn dimension(i: I18n, human: &Human, d: usize) -> Option<Said> {
    let c = &human.comparison;
    match c.models.len() {
        0 | 1 => None,
        2 => {
            let at = c.differences.iter().position(|x| x.dimension == d)?;
            Some(pair(i, c, &human.tests, &human.holm, at))
        }
        _ => {
            let t = i.compare();
            let contests = contests(c, &human.holm, d);
            let means: Vec<Option<f64>> = c.models.iter().map(|m| m.dimensions.get(d).and_then(|s| s.mean)).collect();
            let number = |v: f64| format!("{v:.2}");
            Some(match outcome(&contests, &means)? {
                Outcome::Best(best, x) => {
                    let p = corrected(i, human.holm.get(x.at).copied().flatten());
                    let others = means.len() as u64 - 1;
                    let (best, second) = (name(c, best), name(c, x.worse));
                    ((t.say_best)(best, others, second, &number(x.by), &number(x.low), &number(x.high), &p), true)
                }
                Outcome::Leaders(unbeaten, top) => {
                    let names: Vec<&str> = unbeaten.iter().map(|m| name(c, *m)).collect();
                    let apart = contests.iter().filter(|x| x.apart).count() as u64;
                    let all = pairs(c.models.len());
                    let mut said = (t.say_leaders)(&listed(i, &names), apart, all);
                    let unsure = contests.iter().filter(|x| !x.apart && x.low > 0.0).count() as u64;
                    let left = all.saturating_sub(contests.len() as u64);
                    if unsure > 0 {
                        said += &(t.say_not_borne_out)(unsure);
                    }
                    if left > 0 {
                        said += &(t.say_not_compared)(left);
                    }
                    if let Some(n) = top.and_then(|top| needed(&human.tests, top.at)) {
                        let two = listed(i, &names[..2.min(names.len())]);
                        said += &(t.say_more_of)(&two, &i.number(n));
                    }
                    (said, false)
                }
            })
        }
    }
}

/// What can be said of two models, by the place of their difference.
pub fn pair(i: I18n, c: &Comparison, tests: &[Known<Paired>], holm: &[Option<f64>], at: usize) -> Said {
    let (t, a) = (i.compare(), i.admin());
    let Some(x) = c.differences.get(at) else { return Default::default() };
    let (Some(mean), Some(range)) = (x.mean, x.interval) else {
        return ((a.say_too_few)(name(c, x.first), name(c, x.second)), false);
    };
    let p = holm.get(at).copied().flatten();
    let apart = c.separated(x, p);
    let one = Contest::of(x.first, x.second, mean, (range.low, range.high), apart, at);
    let (better, worse) = (name(c, one.better), name(c, one.worse));
    let number = |v: f64| format!("{v:.2}");
    if apart {
        let p = corrected(i, p);
        let said = (t.say_better)(better, worse, &number(one.by), &number(one.low), &number(one.high), x.tasks, &p);
        return (said, true);
    }
    let more = needed(tests, at).map(|n| (t.say_more)(&i.number(n))).unwrap_or_default();
    let said = match (x.verdict(), p) {
        (Separation::FirstBetter | Separation::SecondBetter, Some(p)) => {
            let all = c.differences.len() as u64;
            let ends = (number(one.low), number(one.high));
            (t.say_unsure)(better, worse, &number(one.by), &ends.0, &ends.1, x.tasks, all, &p_text(p))
        }
        _ => not_separated(i, c, x, mean, (range.low, range.high)),
    };
    (said + &more, false)
}

fn not_separated(i: I18n, c: &Comparison, x: &Difference, mean: f64, (low, high): (f64, f64)) -> String {
    let (first, second) = (name(c, x.first), name(c, x.second));
    (i.admin().say_not_separated)(first, second, &signed(mean, 2), &signed(low, 2), &signed(high, 2), x.tasks)
}

/// About how many more ratings would separate the two; absent where the present ones should do, or nobody
/// can say.
fn needed(tests: &[Known<Paired>], at: usize) -> Option<u64> {
    let needed = tests.get(at)?.as_ref().ok()?.needed.ok()?;
    (needed.more_ratings > 0).then(|| about(needed.more_ratings))
}

/// To two figures: what is an approximation should not look like a count.
fn about(n: u64) -> u64 {
    let unit = 10_u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1));
    n.div_ceil(unit).saturating_mul(unit)
}

/// How many pairs so many models make.
fn pairs(models: usize) -> u64 {
    (models * models.saturating_sub(1) / 2) as u64
}

/// One sentence for the automated tests.
pub fn automated(i: I18n, models: &[String], automated: &Automated) -> Option<Said> {
    let t = i.compare();
    let name = |m: usize| models.get(m).map_or("?", String::as_str);
    let contests: Vec<Contest> = automated
        .pairs
        .iter()
        .enumerate()
        .filter_map(|(at, pair)| {
            let range = pair.pass_interval?;
            let apart = range.low > 0.0 || range.high < 0.0;
            Some(Contest::of(pair.first, pair.second, pair.pass, (range.low, range.high), apart, at))
        })
        .collect();
    let points = |v: f64| format!("{:.1}", v * 100.0);
    if let [x] = contests.as_slice() {
        let tasks = automated.pairs.get(x.at).map_or(0, |pair| pair.tasks);
        let (better, worse) = (name(x.better), name(x.worse));
        let (by, low, high) = (points(x.by), points(x.low), points(x.high));
        return Some(match x.apart {
            true => ((t.say_tests_better)(better, worse, &by, &low, &high, tasks), true),
            false => {
                let [by, low, high] = [x.by, x.low, x.high].map(|v| signed(v * 100.0, 1));
                ((t.say_tests_even)(better, worse, &by, &low, &high, tasks), false)
            }
        });
    }
    let means: Vec<Option<f64>> = automated.models.iter().map(|m| m.as_ref().map(|c| c.metrics.pass_at_1)).collect();
    Some(match outcome(&contests, &means)? {
        Outcome::Best(best, x) => {
            let others = means.iter().flatten().count() as u64 - 1;
            let ends = (points(x.low), points(x.high));
            ((t.say_tests_best)(name(best), others, name(x.worse), &points(x.by), &ends.0, &ends.1), true)
        }
        Outcome::Leaders(unbeaten, _) => {
            let names: Vec<&str> = unbeaten.iter().map(|m| name(*m)).collect();
            let apart = contests.iter().filter(|x| x.apart).count() as u64;
            ((t.say_tests_leaders)(&listed(i, &names), apart, contests.len() as u64), false)
        }
    })
}

/// A p-value as people write it: never 0.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// The same within a sentence, after `p`.
fn p_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("= {p:.3}") }
}

fn corrected(i: I18n, p: Option<f64>) -> String {
    p.map(|p| (i.compare().say_corrected)(&p_text(p))).unwrap_or_default()
}

fn name(c: &Comparison, at: usize) -> &str {
    c.models.get(at).map_or("?", |m| m.model.as_str())
}

/// Names as a list in a sentence.
fn listed(i: I18n, names: &[&str]) -> String {
    let (comma, and) = match i.lang {
        Lang::En => (", ", " and "),
        Lang::Zh => ("、", " 和 "),
    };
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{}{and}{last}", first.join(comma)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(better: usize, worse: usize, by: f64, apart: bool) -> Contest {
        Contest { better, worse, by, low: by - 0.1, high: by + 0.1, apart, at: 0 }
    }

    #[test]
    fn the_best_beats_everybody_and_the_closest_is_named() {
        let all = [contest(0, 1, 0.5, true), contest(0, 2, 0.3, true), contest(2, 1, 0.2, false)];
        match outcome(&all, &[Some(3.0), Some(2.5), Some(2.7)]) {
            Some(Outcome::Best(0, x)) => assert_eq!(x.worse, 2),
            _ => panic!("0 is best"),
        }
    }

    #[test]
    fn without_a_best_those_whom_nobody_beats_lead() {
        let all = [contest(1, 0, 0.1, false), contest(0, 2, 0.5, true), contest(1, 2, 0.6, true)];
        match outcome(&all, &[Some(2.9), Some(3.0), Some(2.4)]) {
            Some(Outcome::Leaders(unbeaten, Some(top))) => {
                assert_eq!((unbeaten, top.better, top.worse), (vec![1, 0], 1, 0));
            }
            _ => panic!("1 and 0 lead"),
        }
        assert!(outcome(&[], &[Some(1.0), None]).is_none());
    }

    #[test]
    fn an_approximation_has_two_figures() {
        let check = |n, expected| assert_eq!(about(n), expected);
        check(7, 7);
        check(99, 99);
        check(101, 110);
        check(11_573, 12_000);
        check(0, 0);
    }

    #[test]
    fn a_negative_difference_is_the_other_models() {
        let x = Contest::of(0, 1, -0.3, (-0.5, -0.1), true, 0);
        assert_eq!((x.better, x.worse, x.by, x.low, x.high), (1, 0, 0.3, 0.1, 0.5));
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let check = |lang, names: &[&str], expected| assert_eq!(listed(I18n::of(lang), names), expected);
        check(Lang::En, &["a"], "a");
        check(Lang::En, &["a", "b", "c"], "a, b and c");
        check(Lang::Zh, &["a", "b", "c"], "a、b 和 c");
        check(Lang::En, &[], "");
    }
}
