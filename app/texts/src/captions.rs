//! Captions of a comparison's figures, as a paper prints them: what is shown, what points and bars are, of how many, and
//! which tests the letters rest on.

use super::I18n;
use model::{
    claims::Standing,
    comparison::{Automated, Caption, ComparisonFigures, Human, SERIES, TokenUse},
    lang::{Bilingual, Lang},
    rubric::Dimension,
};

/// The caption of the figure with this id; `None` for an unknown one. `dataset` is the dataset's name.
pub fn caption(i: I18n, id: &str, dataset: &str, figures: &ComparisonFigures) -> Option<String> {
    let with = Captions { i, dataset, figures };
    if let (Some(human), Some((key, kind))) = (&figures.human, id.rsplit_once('-')) {
        let dimension = human.comparison.rubric.dimensions.iter().enumerate().find(|(_, d)| d.key == key);
        if let Some((d, dimension)) = dimension {
            return match kind {
                "means" => Some(with.means(human, d, dimension)),
                "differences" => Some(with.differences(human, d, dimension)),
                "distribution" => Some(with.distribution(dimension)),
                "raters" => Some(with.raters(dimension)),
                "tokens" => Some(with.tokens(with.name(dimension))),
                _ => None,
            };
        }
    }
    let automated = figures.automated.as_ref();
    match id {
        "pass-at-1" => Some(with.pass(automated?)),
        "avg-pass-ratio" => Some(with.ratio(automated?)),
        "verdicts" => Some(with.verdicts()),
        "pass-differences" => Some(with.pass_differences(automated?)),
        "tests-both" => with.both(),
        "pass-tokens" => Some(with.tokens("pass@1")),
        "tasks-grid" => Some(with.grid()),
        "paper-automatic" => Some(with.paper_automatic(automated?)),
        "paper-manual" => Some(with.paper_manual()),
        _ => None,
    }
}

/// The captions of all figures, in both languages.
pub fn all(dataset: &Bilingual, figures: &ComparisonFigures, ids: &[String]) -> Vec<Caption> {
    let in_lang = |lang, id: &str| caption(I18n::of(lang), id, dataset.get(lang), figures);
    let each = ids.iter().filter_map(|id| {
        let text = Bilingual { en: in_lang(Lang::En, id)?, zh: in_lang(Lang::Zh, id)? };
        Some(Caption { id: id.clone(), text })
    });
    each.collect()
}

struct Captions<'a> {
    i: I18n,
    dataset: &'a str,
    figures: &'a ComparisonFigures,
}

impl Captions<'_> {
    fn name<'d>(&self, dimension: &'d Dimension) -> &'d str {
        dimension.name.get(self.i.lang)
    }

    /// Sentences after one another, as the language writes them.
    fn joined(&self, sentences: Vec<String>) -> String {
        sentences.join(if self.i.lang == Lang::En { " " } else { "" })
    }

    fn means(&self, human: &Human, d: usize, dimension: &Dimension) -> String {
        let (name, data, (low, high)) = (self.name(dimension), self.dataset, dimension.range());
        let standing = Standing::of_ratings(human, d);
        let ratings: u64 = human.comparison.models.iter().map(|m| m.ratings).sum();
        let (ratings, resamples) = (self.i.number(ratings), self.i.number(human.comparison.resamples.into()));
        let raters = human.raters;
        let mut all = match self.i.lang {
            Lang::En => vec![
                format!("{name} on {data}: mean score by people ({low}–{high}) of each model, ordered by value."),
                format!(
                    "Points are means over tasks, bars 95% intervals (percentile bootstrap over tasks and ratings, \
                     {resamples} resamples); n is the number of tasks with ratings ({ratings} ratings, raters: {raters})."
                ),
            ],
            Lang::Zh => vec![
                format!("{data}：各模型{name}的人工平均分（{low}–{high}），按数值排序。"),
                format!(
                    "圆点为按任务计算的均值，横线为 95% 置信区间（对任务和评分自助抽样 {resamples} 次）；\
                     n 为有评分的任务数（评分 {ratings} 条，评分者 {raters} 人）。"
                ),
            ],
        };
        if human.comparison.is_adjusted(d) {
            let adjusted = self.i.lang.pick(
                "The models were rated on different tasks, so the means are adjusted for tasks (least squares of model and task).",
                "各模型被评分的任务不同，均值已按任务调整（模型与任务的最小二乘）。",
            );
            all.push(adjusted.to_owned());
        }
        all.extend(self.letters(&standing, "Wilcoxon signed-rank", "Wilcoxon 符号秩"));
        all.extend(self.without(&standing, "ratings", "评分"));
        self.joined(all)
    }

    /// The meaning of the letters, or that no difference was found; `None` where no pair was compared, or there are too many
    /// groups for letters.
    fn letters(&self, standing: &Standing, test: &str, test_zh: &str) -> Option<String> {
        let among = match (standing.letters().is_empty(), self.i.lang) {
            (false, Lang::En) => "models that share a letter",
            (false, Lang::Zh) => "有相同字母的模型",
            (true, _) if standing.contests.is_empty() || !standing.significant().is_empty() => return None,
            (true, Lang::En) => "any two models",
            (true, Lang::Zh) => "任意两个模型",
        };
        let family = standing.family;
        Some(match self.i.lang {
            Lang::En => format!(
                "No significant difference was found between {among} ({test} tests with Holm's correction over {family}, \
                 α = 0.05)."
            ),
            Lang::Zh => format!("{among}之间未发现显著差异（{test_zh}检验，Holm 校正涵盖 {family} 项，α = 0.05）。"),
        })
    }

    fn without(&self, standing: &Standing, what: &str, what_zh: &str) -> Option<String> {
        let n = standing.without_data;
        (n > 0).then(|| match self.i.lang {
            Lang::En => format!("Models without {what}, not shown: {n}."),
            Lang::Zh => format!("另有 {n} 个模型没有{what_zh}，未列出。"),
        })
    }

    fn differences(&self, human: &Human, d: usize, dimension: &Dimension) -> String {
        let (name, data) = (self.name(dimension), self.dataset);
        let family = Standing::of_ratings(human, d).family;
        match self.i.lang {
            Lang::En => format!(
                "Differences in {} on {data}, first model minus second, over the tasks that both have ratings for (n). \
                 Points are mean differences, bars 95% intervals (paired bootstrap). Filled points: significant \
                 (Wilcoxon signed-rank tests with Holm's correction over {family}, α = 0.05).",
                name.to_lowercase()
            ),
            Lang::Zh => format!(
                "{data}：{name}之差（前一模型减后一模型），仅含双方都有评分的任务（n）。圆点为平均差值，横线为 95% 置信区间\
                 （配对自助抽样）。实心点：差异显著（Wilcoxon 符号秩检验，Holm 校正涵盖 {family} 项，α = 0.05）。"
            ),
        }
    }

    fn distribution(&self, dimension: &Dimension) -> String {
        let (name, data) = (self.name(dimension), self.dataset);
        match self.i.lang {
            Lang::En => format!(
                "{name} on {data}: share of each score among a model's scores, lowest on the left (lightest), highest on \
                 the right (darkest)."
            ),
            Lang::Zh => format!("{data}：各模型{name}各分数所占比例，最低分在左（最浅），最高分在右（最深）。"),
        }
    }

    fn raters(&self, dimension: &Dimension) -> String {
        let (name, data) = (self.name(dimension), self.dataset);
        match self.i.lang {
            Lang::En => format!(
                "{name} on {data}: agreement between raters, Cohen's kappa with quadratic weights for each pair. 1 is \
                 perfect agreement, 0 agreement by chance."
            ),
            Lang::Zh => {
                format!("{data}：{name}上评分者两两之间的二次加权 Cohen kappa。1 为完全一致，0 相当于随机水平。")
            }
        }
    }

    fn pass(&self, automated: &Automated) -> String {
        let (data, standing) = (self.dataset, Standing::of_tests(automated));
        let mut all = vec![match self.i.lang {
            Lang::En => format!(
                "pass@1 on {data}: share of tasks whose output passes every test case, ordered by value. Bars are 95% \
                 intervals (bootstrap over tasks); n is the number of tasks with tests."
            ),
            Lang::Zh => format!(
                "{data}：各模型的 pass@1（输出通过全部测试用例的任务比例），按数值排序。横线为 95% 置信区间（按任务自助抽样）；\
                 n 为有测试的任务数。"
            ),
        }];
        all.extend(self.unanswered(automated));
        all.extend(self.letters(&standing, "McNemar mid-p or permutation", "McNemar mid-p 或置换"));
        all.extend(self.without(&standing, "a test run", "测试运行"));
        self.joined(all)
    }

    /// For how many tasks models have a verdict, where it is not all.
    fn unanswered(&self, automated: &Automated) -> Option<String> {
        let metrics = automated.models.iter().flatten().map(|checked| checked.metrics);
        let partial: Vec<_> = metrics.filter(|m| m.answered < m.tasks).collect();
        let least = partial.iter().min_by(|a, b| {
            (u64::from(a.answered) * u64::from(b.tasks)).cmp(&(u64::from(b.answered) * u64::from(a.tasks)))
        })?;
        let (n, answered, tasks) = (partial.len(), least.answered, least.tasks);
        Some(match self.i.lang {
            Lang::En if n == 1 => {
                format!(
                    "One model has verdicts for {answered} of {tasks} tasks; a task without an output or a verdict counts as 0."
                )
            }
            Lang::En => format!(
                "{n} models do not have verdicts for all tasks (the fewest: {answered} of {tasks}); a task without an \
                 output or a verdict counts as 0."
            ),
            Lang::Zh => format!(
                "有 {n} 个模型并非每个任务都有测试结果（最少的一个：{tasks} 个任务中 {answered} 个）；没有输出或没有测试结果的任务按 0 计。"
            ),
        })
    }

    fn ratio(&self, automated: &Automated) -> String {
        let data = self.dataset;
        let figure = match self.i.lang {
            Lang::En => format!(
                "AvgPassRatio on {data}: mean share of test cases passed over all tasks, as the tests reported it, ordered \
                 by value. Bars are 95% intervals (bootstrap over tasks); n is the number of tasks with tests."
            ),
            Lang::Zh => format!(
                "{data}：各模型的 AvgPassRatio（全部任务的测试用例通过比例的均值，按测试报告计），按数值排序。\
                 横线为 95% 置信区间（按任务自助抽样）；n 为有测试的任务数。"
            ),
        };
        self.joined([figure].into_iter().chain(self.unanswered(automated)).collect())
    }

    fn verdicts(&self) -> String {
        let data = self.dataset;
        match self.i.lang {
            Lang::En => {
                format!("Test outcomes on {data}: share of each verdict among a model's outputs, passed on the left.")
            }
            Lang::Zh => format!("{data}：各模型的输出得到各种测试结果的比例，通过在左。"),
        }
    }

    fn pass_differences(&self, automated: &Automated) -> String {
        let (data, family) = (self.dataset, Standing::of_tests(automated).family);
        let mut all = vec![match self.i.lang {
            Lang::En => format!(
                "Differences in pass@1 on {data}, first model minus second; n is the number of tasks with tests that \
                 count for both. Points are differences in percentage points, bars 95% intervals (paired bootstrap over \
                 tasks). Filled points: significant (McNemar mid-p or permutation tests with Holm's \
                 correction over {family}, α = 0.05)."
            ),
            Lang::Zh => format!(
                "{data}：pass@1 之差（前一模型减后一模型，百分点），n 为对两个模型都计入的有测试的任务数。\
                 横线为 95% 置信区间（按任务配对自助抽样）。\
                 实心点：差异显著（McNemar mid-p 或置换检验，Holm 校正涵盖 {family} 项，α = 0.05）。"
            ),
        }];
        all.extend(self.unanswered(automated));
        self.joined(all)
    }

    fn both(&self) -> Option<String> {
        let (both, human) = (self.figures.both.as_ref()?, self.figures.human.as_ref()?);
        let name = self.name(human.comparison.rubric.dimensions.get(both.dimension)?);
        let n = both.rows.last().map_or(0, |row| row.correlation.n);
        let (data, n) = (self.dataset, self.i.number(n.into()));
        let mut all = vec![match self.i.lang {
            Lang::En => format!(
                "Tests and people on {data}: share of test cases passed and mean score for {} of each output that has both \
                 (n = {n}).",
                name.to_lowercase()
            ),
            Lang::Zh => format!("{data}：每个既有测试又有评分的输出（n = {n}）的测试通过率与{name}平均分。"),
        }];
        let (marks, marks_zh) = match (both.bins.is_empty(), self.figures.models.len() <= SERIES) {
            (false, _) => (
                "Each circle stands for outputs with about the same values; its area shows their number.",
                "数值相近的输出合为一个圆，面积表示数量。",
            ),
            (true, true) => (
                "Overlapping marks are moved apart; each model has its own shape.",
                "重叠的标记略微错开，每个模型有不同的形状。",
            ),
            (true, false) => ("Overlapping marks are moved apart.", "重叠的标记略微错开。"),
        };
        all.push(self.i.lang.pick(marks, marks_zh).to_owned());
        Some(self.joined(all))
    }

    fn tokens(&self, name: &str) -> String {
        let data = self.dataset;
        let known = |of: &&TokenUse| of.generated.is_some() && of.reported < of.outputs;
        let partial = self.figures.tokens.iter().filter(known).count();
        let mut all = vec![match self.i.lang {
            Lang::En => format!(
                "{name} and mean number of generated tokens per output on {data}, as the endpoints and files report them. \
                 Bars are 95% intervals of the score. Filled points are on the frontier (stepped line): no other model has \
                 at least their score with fewer tokens. Tokenizers differ between models."
            ),
            Lang::Zh => format!(
                "{data}：各模型的{name}与每个输出生成的平均词元数（按端点和文件报告）。竖线为分数的 95% 置信区间。\
                 实心点位于前沿（阶梯线）上：没有其他模型以更少的词元达到同样的分数。各模型的分词方式不同。"
            ),
        }];
        if partial > 0 {
            all.push(match self.i.lang {
                Lang::En => format!("Models with token counts for only some of their outputs: {partial}."),
                Lang::Zh => format!("其中 {partial} 个模型只有部分输出有词元数。"),
            });
        }
        self.joined(all)
    }

    fn grid(&self) -> String {
        let data = self.dataset;
        match self.i.lang {
            Lang::En => format!("All tasks of {data}: one column per task, one row per model; darker is better."),
            Lang::Zh => format!("{data} 的全部任务：每列一个任务，每行一个模型，颜色越深越好。"),
        }
    }

    fn paper_automatic(&self, automated: &Automated) -> String {
        let data = self.dataset;
        let figure = match self.i.lang {
            Lang::En => format!(
                "Automatic comparison on {data}: pass@1 and AvgPassRatio of each model. Lines are 95% intervals."
            ),
            Lang::Zh => format!("{data} 上的自动比较：各模型的 pass@1 与 AvgPassRatio，竖线为 95% 置信区间。"),
        };
        self.joined([figure].into_iter().chain(self.unanswered(automated)).collect())
    }

    fn paper_manual(&self) -> String {
        let data = self.dataset;
        match self.i.lang {
            Lang::En => format!(
                "Manual comparison on {data}: mean score of each model on each dimension. Lines are 95% intervals."
            ),
            Lang::Zh => format!("{data} 上的人工比较：各模型在每个维度上的平均分，竖线为 95% 置信区间。"),
        }
    }
}
