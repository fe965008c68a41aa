//! Sentences about which models differ, in both languages, from the facts in [`model::claims`].
//!
//! Each sentence must be true of the figures whatever is missing: `server/report/src/claims_test.rs` checks
//! them over random comparisons.

use super::I18n;
use model::{
    claims::{Contest, Standing},
    lang::Lang,
    stats::{Known, Paired},
};

/// The figure by which models are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean score by people, on the rubric's scale.
    Ratings,
    /// Share of tasks passed, 0 to 1.
    Tests,
}

impl Measure {
    /// By what a difference is multiplied to be printed, and its decimals: percentage points for shares.
    pub fn unit(self) -> (f64, usize) {
        match self {
            Measure::Ratings => (1.0, 2),
            Measure::Tests => (100.0, 1),
        }
    }
}

/// Text, and whether it says that models differ.
pub type ClaimText = (String, bool);

/// What can be said of one figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimRow {
    /// The model that is significantly better than all others with data; else the models that none is significantly
    /// better than; else that there is no leader.
    pub leader: String,
    /// What was found; empty where no two models could be compared.
    pub evidence: String,
    /// Which data are missing, and how many would settle it; may be empty.
    pub missing: String,
    /// Whether some difference is significant.
    pub proven: bool,
}

/// At most this many significant differences are spelled out; the rest are counted.
const SPELLED_OUT: usize = 3;

/// With more models than this, a sentence gives their number instead of their names.
const NAMED: usize = 5;

/// Writes sentences about one figure.
#[derive(Clone, Copy)]
pub struct Claims<'a> {
    lang: Lang,
    measure: Measure,
    standing: &'a Standing,
    models: &'a [&'a str],
    tests: &'a [Known<Paired>],
}

impl<'a> Claims<'a> {
    /// `models` are the names by index. `tests` belong to the pairs' indices; they say how many more ratings
    /// a difference would need, and may be empty.
    pub fn new(
        i: I18n,
        measure: Measure,
        standing: &'a Standing,
        models: &'a [&'a str],
        tests: &'a [Known<Paired>],
    ) -> Claims<'a> {
        Claims { lang: i.lang, measure, standing, models, tests }
    }

    /// The row of a summary; `None` without data.
    pub fn row(&self) -> Option<ClaimRow> {
        let standing = self.standing;
        let mut row = ClaimRow { proven: !standing.significant().is_empty(), ..ClaimRow::default() };
        match standing.ranked.as_slice() {
            [] => return None,
            [only] => row.evidence = self.only(self.name(*only)),
            [one, other] => match standing.between(*one, *other) {
                Some(contest) => {
                    row.evidence = self.finding(contest);
                    row.missing = self.needed(contest).map(|more| self.needs(more)).unwrap_or_default();
                }
                None => row.missing = self.too_few(*one, *other),
            },
            _ => self.several(&mut row),
        }
        row.leader = self.leader();
        let reversed = standing.reversed();
        match reversed.len() {
            0 => {}
            n if n <= SPELLED_OUT => self.append(&mut row.evidence, self.reversed_pairs(&reversed)),
            n => self.append(&mut row.evidence, self.reversed_count(n as u64)),
        }
        if standing.without_data > 0 {
            self.append(&mut row.missing, self.without_data(standing.without_data as u64));
        }
        Some(row)
    }

    /// The model that leads, or the models that no other is significantly better than.
    fn leader(&self) -> String {
        let standing = self.standing;
        if let Some((best, _)) = standing.best() {
            return self.name(best).to_owned();
        }
        let unbeaten = standing.unbeaten();
        match (standing.significant().is_empty(), unbeaten.len()) {
            // Differences over different tasks can form a circle, in which every model is beaten.
            (true, _) | (_, 0) => self.lang.pick("not established", "尚未确定").to_owned(),
            (false, n) if n <= NAMED => self.list(&unbeaten.into_iter().map(|m| self.name(m)).collect::<Vec<_>>()),
            (false, n) => {
                let n = I18n::of(self.lang).number(n as u64);
                self.lang.pick(format!("{n} models"), format!("{n} 个模型"))
            }
        }
    }

    /// One pair of models.
    pub fn pair(&self, x: &Contest) -> ClaimText {
        let mut text = self.finding(x);
        if let Some(more) = self.needed(x) {
            self.append(&mut text, self.needs(more));
        }
        (text, x.significant)
    }

    fn finding(&self, x: &Contest) -> String {
        let (better, worse) = (self.name(x.better), self.name(x.worse));
        match (x.significant, x.is_suggestive()) {
            (true, _) => self.higher(better, worse, &self.effect(x)),
            (_, true) => self.suggestive(better, worse, &self.effect(x)),
            _ => self.no_difference(better, worse, &self.effect(x)),
        }
    }

    fn several(&self, row: &mut ClaimRow) {
        let standing = self.standing;
        let significant = standing.significant();
        let text = &mut row.evidence;
        if let Some((best, closest)) = standing.best() {
            let others = standing.ranked.len() as u64 - 1;
            *text = self.best(self.name(best), others, self.name(closest.worse), &self.effect(closest));
        } else if significant.is_empty() {
            if !standing.contests.is_empty() {
                *text = self.none(standing.contests.len() as u64, standing.ranked.len() as u64);
            }
            // What one pair of many shows about how far the data go.
            if let Some(x) = standing.widest().filter(|_| standing.contests.len() > 1) {
                let names = (self.name(x.better), self.name(x.worse));
                self.append(text, self.widest(names.0, names.1, &self.effect(x)));
            }
        } else {
            for x in significant.iter().take(SPELLED_OUT) {
                self.append(text, self.higher(self.name(x.better), self.name(x.worse), &self.effect(x)));
            }
            if significant.len() > SPELLED_OUT {
                self.append(text, self.counted(significant.len() as u64, standing.contests.len() as u64));
            }
        }
        self.indistinguishable(text, significant.len());
        let suggestive: Vec<&Contest> = standing.contests.iter().filter(|x| x.is_suggestive()).collect();
        match suggestive.len() {
            0 => {}
            n if n <= SPELLED_OUT => self.append(text, self.suggestive_pairs(&suggestive)),
            n => self.append(text, self.suggestive_count(n as u64)),
        }
        if standing.untested() > 0 {
            self.append(&mut row.missing, self.untested(standing.untested() as u64));
        }
        if standing.best().is_none() {
            // Who leads, or else the difference that is nearest to proof.
            let top = standing.unbeaten();
            let first = top.first().zip(top.get(1)).and_then(|(a, b)| standing.between(*a, *b));
            let widest = standing.widest().filter(|_| significant.is_empty());
            let open = [first, widest].into_iter().flatten().find_map(|x| Some((x, self.needed(x)?)));
            if let Some((contest, more)) = open {
                let names = self.list(&[self.name(contest.better), self.name(contest.worse)]);
                self.append(&mut row.missing, self.needs_between(&names, more));
            }
        }
    }

    /// The open questions: the one group of few models, or the models that none surpasses.
    fn indistinguishable(&self, text: &mut String, significant: usize) {
        let standing = self.standing;
        if significant == 0 {
            return;
        }
        if standing.ranked.len() <= NAMED {
            let groups = standing.groups().into_iter().filter(|group| group.len() > 1);
            let groups: Vec<String> =
                groups.map(|group| self.list(&group.into_iter().map(|m| self.name(m)).collect::<Vec<_>>())).collect();
            // The letters of the ranking show several groups.
            if let [one] = groups.as_slice() {
                self.append(text, self.alike(one));
            }
        } else if standing.best().is_none() {
            let unbeaten: Vec<&str> = standing.unbeaten().into_iter().map(|m| self.name(m)).collect();
            match unbeaten.len() {
                // Differences over different tasks can form a circle, in which every model is beaten.
                0 => {}
                n if n <= NAMED => self.append(text, self.leaders(&self.list(&unbeaten))),
                n => self.append(text, self.many_leaders(n as u64)),
            }
        }
    }

    /// The family of tests; `None` where nothing is corrected.
    pub fn family(&self) -> Option<String> {
        let n = I18n::of(self.lang).number(self.standing.family as u64);
        (self.standing.family > 1).then(|| match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => {
                format!("Holm's correction covers {n} Wilcoxon tests: every pair of models on every dimension.")
            }
            (Lang::En, Measure::Tests) => {
                format!("Holm's correction covers {n} tests of pass@1: every pair of models with a run.")
            }
            (Lang::Zh, Measure::Ratings) => {
                format!("Holm 校正涵盖 {n} 项 Wilcoxon 检验：每个维度上的每一对模型。")
            }
            (Lang::Zh, Measure::Tests) => format!("Holm 校正涵盖 {n} 项 pass@1 检验：每一对有测试运行的模型。"),
        })
    }

    fn alike(&self, names: &str) -> String {
        match self.lang {
            Lang::En => format!("No significant difference was found between {names}."),
            Lang::Zh => format!("{names} 之间未发现显著差异。"),
        }
    }

    fn name(&self, model: usize) -> &'a str {
        self.models.get(model).copied().unwrap_or("?")
    }

    fn append(&self, text: &mut String, sentence: String) {
        if self.lang == Lang::En && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentence);
    }

    /// Names as a list in a sentence.
    fn list(&self, names: &[&str]) -> String {
        let (comma, and) = match self.lang {
            Lang::En => (", ", " and "),
            Lang::Zh => ("、", " 和 "),
        };
        match names.split_last() {
            None => String::new(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, first)) => format!("{}{and}{last}", first.join(comma)),
        }
    }

    /// The difference with its interval, tasks and p-value.
    fn effect(&self, x: &Contest) -> String {
        let number = |v: f64| match self.measure {
            Measure::Ratings => format!("{v:.2}"),
            Measure::Tests => format!("{:.1}", v * 100.0),
        };
        // Rounding can leave a minus before zero.
        let number = |v: f64| match number(v) {
            zero if zero.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) => number(0.0),
            text => text.replacen('-', "−", 1),
        };
        let (by, low, high) = (number(x.by), number(x.low), number(x.high));
        let several = self.standing.family > 1;
        match self.lang {
            Lang::En => {
                let unit = match self.measure {
                    Measure::Ratings => "",
                    Measure::Tests => " percentage points",
                };
                let tasks = match self.measure {
                    Measure::Ratings => count(x.tasks, "common task", "common tasks"),
                    // A task without an output counts, too.
                    Measure::Tests => count(x.tasks, "task with tests", "tasks with tests"),
                };
                let p = x.tested.map(|tested| {
                    format!(", {}p {}", if several { "Holm-corrected " } else { "" }, p_text(tested.holm))
                });
                format!("+{by}{unit}, 95% CI {low} to {high}, {tasks}{}", p.unwrap_or_default())
            }
            Lang::Zh => {
                let (unit, tasks) = match self.measure {
                    Measure::Ratings => ("分", "共同任务"),
                    Measure::Tests => ("个百分点", "有测试的任务"),
                };
                let p = x
                    .tested
                    .map(|tested| format!("，{}p {}", if several { "Holm 校正后 " } else { "" }, p_text(tested.holm)));
                format!("+{by} {unit}，95% 置信区间 {low} 至 {high}，{} 个{tasks}{}", x.tasks, p.unwrap_or_default())
            }
        }
    }

    fn higher(&self, better: &str, worse: &str, effect: &str) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => format!("{better} scores higher than {worse} ({effect})."),
            (Lang::En, Measure::Tests) => format!("{better} passes more tasks than {worse} ({effect})."),
            (Lang::Zh, Measure::Ratings) => format!("{better} 的评分高于 {worse}（{effect}）。"),
            (Lang::Zh, Measure::Tests) => format!("{better} 通过的任务多于 {worse}（{effect}）。"),
        }
    }

    fn best(&self, best: &str, others: u64, closest: &str, effect: &str) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => format!(
                "{best} scores higher than each of the other {others} models with ratings; the closest is {closest} ({effect})."
            ),
            (Lang::En, Measure::Tests) => format!(
                "{best} passes more tasks than each of the other {others} models with a run; the closest is {closest} ({effect})."
            ),
            (Lang::Zh, Measure::Ratings) => {
                format!("{best} 的评分高于其他全部 {others} 个有评分的模型；最接近的是 {closest}（{effect}）。")
            }
            (Lang::Zh, Measure::Tests) => {
                format!("{best} 通过的任务多于其他全部 {others} 个有测试运行的模型；最接近的是 {closest}（{effect}）。")
            }
        }
    }

    fn suggestive(&self, better: &str, worse: &str, effect: &str) -> String {
        match self.lang {
            Lang::En => {
                format!("{better} is ahead of {worse} ({effect}), but the difference is not statistically significant.")
            }
            Lang::Zh => format!("{better} 领先于 {worse}（{effect}），但差异在统计上不显著。"),
        }
    }

    fn no_difference(&self, one: &str, other: &str, effect: &str) -> String {
        match self.lang {
            Lang::En => format!("There is no significant difference between {one} and {other} ({effect})."),
            Lang::Zh => format!("{one} 与 {other} 之间没有显著差异（{effect}）。"),
        }
    }

    fn none(&self, contests: u64, models: u64) -> String {
        match (self.lang, self.measure) {
            (Lang::En, _) if contests == 1 => {
                "Only one pair of models can be compared, and its difference is not significant.".into()
            }
            (Lang::En, Measure::Ratings) => {
                format!(
                    "None of the {contests} pairwise differences between the {models} models with ratings is significant."
                )
            }
            (Lang::En, Measure::Tests) => {
                format!(
                    "None of the {contests} pairwise differences between the {models} models with a run is significant."
                )
            }
            (Lang::Zh, Measure::Ratings) => {
                format!("{models} 个有评分的模型之间的 {contests} 项两两差异均不显著。")
            }
            (Lang::Zh, Measure::Tests) => {
                format!("{models} 个有测试运行的模型之间的 {contests} 项两两差异均不显著。")
            }
        }
    }

    fn widest(&self, one: &str, other: &str, effect: &str) -> String {
        match self.lang {
            Lang::En => format!("The widest difference is between {one} and {other} ({effect})."),
            Lang::Zh => format!("其中最大的是 {one} 与 {other} 之间的差异（{effect}）。"),
        }
    }

    fn counted(&self, significant: u64, all: u64) -> String {
        let (significant, all) = (I18n::of(self.lang).number(significant), I18n::of(self.lang).number(all));
        match self.lang {
            Lang::En => format!("In all, {significant} of {all} pairwise differences are significant."),
            Lang::Zh => format!("{all} 项两两差异中共有 {significant} 项显著。"),
        }
    }

    fn leaders(&self, names: &str) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => format!("No model scores significantly higher than {names}."),
            (Lang::En, Measure::Tests) => format!("No model passes significantly more tasks than {names}."),
            (Lang::Zh, Measure::Ratings) => format!("没有模型的评分显著高于 {names}。"),
            (Lang::Zh, Measure::Tests) => format!("没有模型通过的任务显著多于 {names}。"),
        }
    }

    fn many_leaders(&self, n: u64) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => {
                format!("For {n} of the models, no other model scores significantly higher.")
            }
            (Lang::En, Measure::Tests) => {
                format!("For {n} of the models, no other model passes significantly more tasks.")
            }
            (Lang::Zh, Measure::Ratings) => format!("有 {n} 个模型，没有其他模型的评分显著高于它们。"),
            (Lang::Zh, Measure::Tests) => format!("有 {n} 个模型，没有其他模型通过的任务显著多于它们。"),
        }
    }

    fn suggestive_pairs(&self, pairs: &[&Contest]) -> String {
        let pairs = self.pairs(pairs);
        match self.lang {
            Lang::En => format!("Suggestive, but not significant: {pairs}."),
            Lang::Zh => format!("以下差异的置信区间不含零，但检验不显著：{pairs}。"),
        }
    }

    /// Pairs of names, the higher mean over common tasks first.
    fn pairs(&self, pairs: &[&Contest]) -> String {
        let names = pairs.iter().map(|x| self.list(&[self.name(x.better), self.name(x.worse)]));
        names.collect::<Vec<_>>().join(match self.lang {
            Lang::En => "; ",
            Lang::Zh => "；",
        })
    }

    fn reversed_pairs(&self, pairs: &[&Contest]) -> String {
        let pairs = self.pairs(pairs);
        match self.lang {
            Lang::En => format!("Over common tasks, the order of means is the other way round for {pairs}."),
            Lang::Zh => format!("按共同任务计算，以下模型的均值先后相反：{pairs}。"),
        }
    }

    fn reversed_count(&self, n: u64) -> String {
        let n = I18n::of(self.lang).number(n);
        match self.lang {
            Lang::En => {
                format!("Over common tasks, the order of means is the other way round for {n} pairs of models.")
            }
            Lang::Zh => format!("按共同任务计算，有 {n} 对模型的均值先后相反。"),
        }
    }

    fn suggestive_count(&self, n: u64) -> String {
        match self.lang {
            Lang::En => {
                let n = I18n::of(self.lang).number(n);
                format!("{n} differences have an interval that excludes zero, but are not significant in the test.")
            }
            Lang::Zh => format!("{n} 项差异的置信区间不含零，但检验不显著。"),
        }
    }

    fn untested(&self, n: u64) -> String {
        match self.lang {
            Lang::En => {
                format!("{} too few tasks to be compared.", count(n, "pair of models shares", "pairs of models share"))
            }
            Lang::Zh => format!("{n} 对模型的共同任务过少，无法比较。"),
        }
    }

    fn without_data(&self, n: u64) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => format!("{} no ratings yet.", count(n, "model has", "models have")),
            (Lang::En, Measure::Tests) => format!("{} no test run yet.", count(n, "model has", "models have")),
            (Lang::Zh, Measure::Ratings) => format!("{n} 个模型尚无评分。"),
            (Lang::Zh, Measure::Tests) => format!("{n} 个模型尚无测试运行。"),
        }
    }

    fn only(&self, name: &str) -> String {
        match (self.lang, self.measure) {
            (Lang::En, Measure::Ratings) => format!("Only {name} has ratings."),
            (Lang::En, Measure::Tests) => format!("Only {name} has a test run."),
            (Lang::Zh, Measure::Ratings) => format!("只有 {name} 有评分。"),
            (Lang::Zh, Measure::Tests) => format!("只有 {name} 有测试运行。"),
        }
    }

    /// Two models with data whose difference has no interval.
    pub fn too_few(&self, one: usize, other: usize) -> String {
        let (one, other) = (self.name(one), self.name(other));
        match self.lang {
            Lang::En => format!("{one} and {other} share too few tasks to be compared."),
            Lang::Zh => format!("{one} 与 {other} 的共同任务过少，无法比较。"),
        }
    }

    fn needs(&self, more: u64) -> String {
        let more = I18n::of(self.lang).number(more);
        match self.lang {
            Lang::En => {
                format!("If the observed difference is real, about {more} more ratings would be needed to confirm it.")
            }
            Lang::Zh => format!("若观察到的差异属实，约需再增加 {more} 次评分才能证实。"),
        }
    }

    fn needs_between(&self, names: &str, more: u64) -> String {
        let more = I18n::of(self.lang).number(more);
        match self.lang {
            Lang::En => format!(
                "If the observed difference between {names} is real, about {more} more ratings would be needed to confirm it."
            ),
            Lang::Zh => format!("若观察到的 {names} 之间的差异属实，约需再增加 {more} 次评分才能证实。"),
        }
    }

    /// About how many more ratings would confirm a difference that is not significant; absent for a
    /// difference of zero, and where the number is unknown or zero.
    fn needed(&self, x: &Contest) -> Option<u64> {
        if x.significant || x.by == 0.0 {
            return None;
        }
        let needed = self.tests.get(x.at)?.as_ref().ok()?.needed.ok()?;
        (needed.more_ratings > 0).then(|| two_figures(needed.more_ratings))
    }
}

/// Rounds up to two digits: an approximation should not look like a count.
fn two_figures(n: u64) -> u64 {
    let unit = 10_u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1));
    n.div_ceil(unit).saturating_mul(unit)
}

/// A p-value for a table: never 0.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// A p-value after the letter p.
pub fn p_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("= {p:.3}") }
}

/// A number with its English noun.
fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", I18n::of(Lang::En).number(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximation_has_two_figures() {
        let check = |n, expected| assert_eq!(two_figures(n), expected);
        check(7, 7);
        check(99, 99);
        check(101, 110);
        check(11_573, 12_000);
        check(0, 0);
    }

    #[test]
    fn p_value_is_never_zero() {
        assert_eq!(
            (p_value(0.0), p_value(0.0371), p_text(0.0), p_text(1.0)),
            ("< 0.001".into(), "0.037".into(), "< 0.001".into(), "= 1.000".into())
        );
    }
}
