//! A comparison's tables for a paper. Pure; `print_table` writes them.

use std::collections::BTreeSet;

use model::{
    claims::{opposed, significant},
    comparison::{Automated, Checked, ComparisonFigures, Human},
    decimals::Decimals,
    error::AppError,
    lang::Lang,
    ratings::Interval,
    stats::{Estimate, Known},
};
use texts::I18n;

use super::{
    print_table::{self, Cell, Column, Kind, Table},
    published, query,
};
use base::error::Failure;

/// How tables are printed.
#[derive(Clone, Debug, Default)]
pub struct Print {
    pub lang: Lang,
    pub decimals: Decimals,
    /// The dataset's name, for the captions; empty where there is none.
    pub dataset: String,
}

impl Print {
    /// The decimals and the language `words` in the fields of an address; `lang` where it says no language.
    ///
    /// # Errors
    ///
    /// Names the first field whose value is unknown, and the known values.
    pub fn read(get: impl Fn(&str) -> Option<String>, lang: Lang) -> Result<Print, AppError> {
        let lang = query::words(&get)?.unwrap_or(lang);
        Ok(Print { lang, decimals: Decimals::read(get)?, dataset: String::new() })
    }
}

impl From<Lang> for Print {
    fn from(lang: Lang) -> Print {
        Print { lang, ..Print::default() }
    }
}

/// A table of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Figures of the tests, one line per model.
    Automatic,
    /// The same by the verdicts as published, one line per figure.
    Published,
    /// Mean scores, one line per model.
    Manual,
    /// Differences in mean scores, one line per dimension and pair of models.
    Differences,
    /// Agreement of raters, one line per dimension.
    Agreement,
}

impl Name {
    pub const ALL: [Name; 5] = [Name::Automatic, Name::Published, Name::Manual, Name::Differences, Name::Agreement];

    /// Its name in files, and its label in LaTeX.
    pub fn name(self) -> &'static str {
        match self {
            Name::Automatic => "automatic",
            Name::Published => "published",
            Name::Manual => "manual",
            Name::Differences => "differences",
            Name::Agreement => "agreement",
        }
    }
}

/// Every table in Markdown.
pub fn markdown(figures: &ComparisonFigures, print: &Print) -> String {
    print_table::markdown(&tables(figures, print))
}

/// Every table in LaTeX.
pub fn latex(figures: &ComparisonFigures, print: &Print) -> String {
    let more = match print.lang {
        Lang::En => "",
        Lang::Zh => " and, for the Chinese text, \\usepackage{ctex} with XeLaTeX or LuaLaTeX",
    };
    print_table::latex(&tables(figures, print), more)
}

/// A table as CSV, with the decimals of the others.
///
/// # Errors
///
/// The comparison has no data for this table.
pub fn csv(figures: &ComparisonFigures, name: Name, print: &Print) -> Result<Vec<u8>, Failure> {
    let all = tables(figures, print);
    let table = all.iter().find(|table| table.label == name.name());
    print_table::csv(table.ok_or_else(|| Failure::not_found("table in this selection"))?, print.lang)
}

fn tables(figures: &ComparisonFigures, print: &Print) -> Vec<Table> {
    let with = Tables { figures, print };
    let mut tables = Vec::new();
    if let Some(automated) = &figures.automated {
        tables.push(with.automatic(automated));
        tables.extend(with.published(automated));
    }
    if let Some(human) = &figures.human {
        tables.push(with.manual(human));
        tables.extend(with.differences(human));
        tables.push(with.agreement(human));
    }
    tables
}

/// The comparison, and how it is printed.
struct Tables<'a> {
    figures: &'a ComparisonFigures,
    print: &'a Print,
}

impl Tables<'_> {
    fn say(&self, en: &str, zh: &str) -> String {
        self.print.lang.pick(en, zh).to_owned()
    }

    /// " on NAME", if the dataset is known.
    fn on_dataset(&self) -> String {
        let name = &self.print.dataset;
        match self.print.lang {
            _ if name.is_empty() => String::new(),
            Lang::En => format!(" on {name}"),
            Lang::Zh => format!("（{name}）"),
        }
    }

    fn interval(&self) -> String {
        self.say("95% CI", "95% 置信区间")
    }

    /// A table whose first column has the models.
    fn of_models(&self, name: Name) -> Table {
        let rows = self.figures.models.iter().map(|model| vec![Cell::Text(model.clone())]).collect();
        let columns = vec![Column { head: self.say("Model", "模型"), kind: Kind::Text }];
        Table { label: name.name(), caption: String::new(), columns, rows }
    }

    /// Adds a column: a cell for each model.
    fn add(table: &mut Table, head: String, kind: Kind, cells: impl Iterator<Item = Cell>) {
        table.columns.push(Column { head, kind });
        for (row, cell) in table.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }

    /// A number that models have in common is in the caption: `n = 20 tasks`. Where they differ, the caption has the range and
    /// the table a column.
    fn count(&self, table: &mut Table, counts: &[Option<u64>], unit: (&str, &str), head: String) -> String {
        let known: BTreeSet<u64> = counts.iter().flatten().copied().collect();
        let (least, most) = (known.first().copied().unwrap_or_default(), known.last().copied().unwrap_or_default());
        if least != most {
            let cells = counts.iter().map(|n| n.map_or(Cell::Missing, |n| Cell::number(n.to_string())));
            Self::add(table, head, Kind::Number, cells);
        }
        match self.print.lang {
            Lang::En if least == most => format!("{most} {}", unit.0),
            Lang::En => format!("{least} to {most} {}", unit.0),
            Lang::Zh if least == most => format!("{most} {}", unit.1),
            Lang::Zh => format!("{least}–{most} {}", unit.1),
        }
    }

    fn best(&self) -> String {
        self.say(
            " Bold: highest value of a column, whether the difference is significant or not.",
            "粗体：该列最高值，不论差异是否显著。",
        )
    }

    fn automatic(&self, automated: &Automated) -> Table {
        let decimals = self.print.decimals.percent;
        let mut table = self.of_models(Name::Automatic);
        let of = |value: &dyn Fn(&Checked) -> Cell| -> Vec<Cell> {
            let counted = |c: &&Checked| c.metrics.has_tasks();
            let cells = automated.models.iter().map(|m| m.as_ref().filter(counted).map_or(Cell::Missing, value));
            cells.collect()
        };
        let numbers = |value: &dyn Fn(&Checked) -> u64| of(&|c| Cell::number(value(c).to_string()));
        let checked = || automated.models.iter().flatten().filter(|c| c.metrics.has_tasks());
        let tasks = automated.models.iter().map(|m| Some(m.as_ref()?.metrics.tasks.into()).filter(|n| *n > 0));
        let tasks: Vec<Option<u64>> = tasks.collect();
        let n = self.count(&mut table, &tasks, ("tasks", "个任务"), self.say("Tasks", "任务数"));
        if checked().any(|c| c.metrics.answered < c.metrics.tasks) {
            let cells = numbers(&|c| c.metrics.answered.into());
            let head = I18n::of(self.print.lang).comparison().answered.to_owned();
            Self::add(&mut table, head, Kind::Number, cells.into_iter());
        }
        if checked().any(|c| c.missing > 0) {
            let head = I18n::of(self.print.lang).comparison().missing.to_owned();
            Self::add(&mut table, head, Kind::Number, numbers(&|c| c.missing.into()).into_iter());
        }
        if checked().any(|c| c.metrics.not_counted > 0) {
            let head = I18n::of(self.print.lang).comparison().not_counted.to_owned();
            Self::add(&mut table, head, Kind::Number, numbers(&|c| c.metrics.not_counted.into()).into_iter());
        }
        let share = |table: &mut Table, head: String, cells: Vec<Cell>, intervals: Vec<Cell>| {
            let column = table.columns.len();
            Self::add(table, format!("{head} (%)"), Kind::Number, cells.into_iter());
            table.mark_best(column);
            if intervals.iter().any(|cell| *cell != Cell::Missing) {
                Self::add(table, self.interval(), Kind::Interval, intervals.into_iter());
            }
        };
        let percent = |value: f64| Cell::fixed(Some(value * 100.0), decimals);
        let within = |interval| Cell::interval(scaled(interval, 100.0), decimals);
        Self::add(
            &mut table,
            self.say("Solved", "通过的任务"),
            Kind::Number,
            numbers(&|c| c.metrics.solved.into()).into_iter(),
        );
        share(&mut table, "pass@1".into(), of(&|c| percent(c.metrics.pass_at_1)), of(&|c| within(c.pass_interval)));
        for k in ks(automated) {
            let at = |c: &Checked| c.pass_at.iter().find(|p| p.k == k).copied();
            share(
                &mut table,
                format!("pass@{k}"),
                of(&|c| at(c).map_or(Cell::Missing, |p| percent(p.value))),
                of(&|c| within(at(c).and_then(|p| p.interval))),
            );
        }
        // The paper prints the sum of the ratios beside their mean.
        let sums = of(&|c| Cell::fixed(Some(c.metrics.ratio_sum), self.print.decimals.scores));
        Self::add(&mut table, self.say("Sum of ratios", "通过率之和"), Kind::Number, sums.into_iter());
        share(
            &mut table,
            "AvgPassRatio".into(),
            of(&|c| percent(c.metrics.ratio_mean)),
            of(&|c| within(c.ratio_interval)),
        );
        if checked().any(|c| (c.metrics.ratio_mean - c.metrics.ratio_mean_clamped).abs() > 1e-12) {
            let cells = of(&|c| percent(c.metrics.ratio_mean_clamped));
            share(
                &mut table,
                self.say("AvgPassRatio, at most 1 per task", "AvgPassRatio（每题最多计 1）"),
                cells,
                Vec::new(),
            );
        }
        let on = self.on_dataset();
        table.caption = match self.print.lang {
            Lang::En => format!(
                "Automated tests{on}: percentages over n = {n}, with 95% intervals (bootstrap over tasks).{}",
                self.best()
            ),
            Lang::Zh => {
                format!("自动测试{on}：n = {n}上的百分比及 95% 置信区间（按任务自助抽样）。{}", self.best())
            }
        };
        table
    }

    fn published(&self, automated: &Automated) -> Option<Table> {
        let rows = published::rows(automated, self.print.lang, self.print.decimals.percent);
        let heads = [self.say("Metrics", "指标")].into_iter().chain(self.figures.models.iter().cloned());
        let kinds = std::iter::once(Kind::Text).chain(std::iter::repeat(Kind::Figures));
        (!rows.is_empty()).then(|| Table {
            label: Name::Published.name(),
            caption: self.say(
                "Results by the verdicts of the benchmark's own evaluator (95% intervals in brackets)",
                "按基准自带评测程序的结果（方括号内为 95% 置信区间）",
            ),
            columns: heads.zip(kinds).map(|(head, kind)| Column { head, kind }).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().map(Cell::Text).collect()).collect(),
        })
    }

    fn manual(&self, human: &Human) -> Table {
        let (c, decimals) = (&human.comparison, self.print.decimals);
        let mut table = self.of_models(Name::Manual);
        let some = |n: u64| Some(n).filter(|n| *n > 0);
        let tasks: Vec<_> = c.models.iter().map(|model| some(model.tasks)).collect();
        let ratings: Vec<_> = c.models.iter().map(|model| some(model.ratings)).collect();
        let n = self.count(&mut table, &tasks, ("tasks", "个任务"), self.say("Tasks", "任务数"));
        let of = self.count(&mut table, &ratings, ("ratings", "条评分"), self.say("Ratings", "评分数"));
        for (d, dimension) in c.rubric.dimensions.iter().enumerate() {
            let scores = || c.models.iter().map(move |model| model.dimensions.get(d));
            let name = dimension.name.get(self.print.lang);
            let (unit, decimals, head) = if dimension.checklist {
                (100.0, decimals.percent, format!("{name} (%)"))
            } else {
                let (low, high) = dimension.range();
                (1.0, decimals.scores, format!("{name} ({low}–{high})"))
            };
            let column = table.columns.len();
            let means = scores().map(|s| Cell::fixed(s.and_then(|s| s.mean).map(|mean| mean * unit), decimals));
            Self::add(&mut table, head, Kind::Number, means);
            table.mark_best(column);
            let intervals = scores().map(|s| Cell::interval(scaled(s.and_then(|s| s.interval), unit), decimals));
            Self::add(&mut table, self.interval(), Kind::Interval, intervals);
        }
        let (on, best) = (self.on_dataset(), self.best());
        let adjusted = if c.has_adjusted() {
            self.say(
                " These are means adjusted for tasks, because the models have different tasks.",
                "各模型的任务不同，均值已按任务调整。",
            )
        } else {
            String::new()
        };
        table.caption = match self.print.lang {
            Lang::En => format!(
                "Mean scores by people{on}: n = {n} and {of} for each model, with 95% intervals (bootstrap over tasks and ratings).{adjusted}{best}"
            ),
            Lang::Zh => format!(
                "人工评分均值{on}：每个模型 n = {n}、{of}，及 95% 置信区间（按任务和评分自助抽样）。{adjusted}{best}"
            ),
        };
        table
    }

    fn differences(&self, human: &Human) -> Option<Table> {
        let (c, decimals) = (&human.comparison, self.print.decimals);
        let p = |p: Option<f64>| {
            let text =
                p.map_or_else(|| "–".to_owned(), |p| if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") });
            Cell::Text(text)
        };
        let name = |at: usize| self.figures.models.get(at).cloned().unwrap_or_default();
        let tests = human.tests.iter().zip(&human.holm);
        let shown = c.differences.iter().zip(tests).filter(|(x, _)| x.mean.is_some());
        let rows = shown.map(|(x, (test, holm))| {
            let dimension = c.rubric.dimensions.get(x.dimension);
            let (unit, decimals, mark) = match dimension.is_some_and(|d| d.checklist) {
                true => (100.0, decimals.percent, " (%)"),
                false => (1.0, decimals.scores, ""),
            };
            let mut difference = Cell::fixed(x.mean.map(|mean| mean * unit), decimals);
            if let Cell::Number { bold, .. } = &mut difference {
                *bold = significant(x.interval, *holm);
            }
            vec![
                Cell::Text(dimension.map(|d| format!("{}{mark}", d.name.get(self.print.lang))).unwrap_or_default()),
                Cell::Text(format!("{} − {}", name(x.first), name(x.second))),
                difference,
                Cell::interval(scaled(x.interval, unit), decimals),
                p(test.as_ref().ok().map(|test| test.wilcoxon.p)),
                p(*holm),
                Cell::number(x.tasks.to_string()),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let mean = |d: usize, model: usize| c.models.get(model)?.dimensions.get(d)?.mean;
        let is_reversed = c.differences.iter().any(|x| {
            let means = mean(x.dimension, x.first).zip(mean(x.dimension, x.second));
            means.zip(x.mean).is_some_and(|((first, second), difference)| opposed(first - second, difference))
        });
        let over = if is_reversed {
            self.say(
                " Each difference is over the tasks that both models have, the means are adjusted over the tasks of all models: the two orders are not the same.",
                "每项差异按两个模型的共同任务计算，均值则按全部模型的任务调整，因此两者的先后不完全一致。",
            )
        } else {
            String::new()
        };
        let columns = [
            (self.say("Dimension", "维度"), Kind::Text),
            (self.say("Models", "模型"), Kind::Text),
            (self.say("Difference", "差异"), Kind::Number),
            (self.interval(), Kind::Interval),
            (self.say("Wilcoxon p", "Wilcoxon p 值"), Kind::Figures),
            (self.say("Holm-corrected", "Holm 校正"), Kind::Figures),
            ("n".to_owned(), Kind::Number),
        ];
        let on = self.on_dataset();
        let rule = match self.print.lang {
            Lang::En => format!(
                "Differences in mean scores{on} over the n common tasks of two models, with 95% intervals; p of Wilcoxon's signed-rank test, Holm-corrected over all rows. Bold: significant (interval excludes zero and corrected p < 0.05)."
            ),
            Lang::Zh => format!(
                "均值差异{on}：按两个模型的 n 个共同任务，含 95% 置信区间；Wilcoxon 符号秩检验 p 值，按全部行作 Holm 校正。粗体：差异显著（区间不含零且校正后 p < 0.05）。"
            ),
        };
        (!rows.is_empty()).then(|| Table {
            label: Name::Differences.name(),
            caption: rule + &over,
            columns: columns.into_iter().map(|(head, kind)| Column { head, kind }).collect(),
            rows,
        })
    }

    fn agreement(&self, human: &Human) -> Table {
        let decimals = self.print.decimals;
        let of = |known: Known<Estimate>, unit: f64, decimals: u8| {
            let value = known.ok().map(|estimate| estimate.value * unit);
            let interval = known.ok().and_then(|estimate| estimate.interval.ok());
            [Cell::fixed(value, decimals), Cell::interval(scaled(interval, unit), decimals)]
        };
        let rows = human.comparison.rubric.dimensions.iter().zip(&human.reliability).map(|(dimension, r)| {
            let mut row = vec![Cell::Text(dimension.name.get(self.print.lang).to_owned())];
            row.extend([r.alpha, r.ac2, r.icc1, r.icc2].into_iter().flat_map(|known| of(known, 1.0, decimals.scores)));
            row.extend(of(r.exact, 100.0, decimals.percent));
            // Yes and no are always within one level.
            match dimension.checklist {
                true => row.extend([Cell::Missing, Cell::Missing]),
                false => row.extend(of(r.within_one, 100.0, decimals.percent)),
            }
            row.push(Cell::number(r.pairs.to_string()));
            row
        });
        let heads = [
            self.say("Krippendorff's α", "Krippendorff α"),
            "AC2".into(),
            "ICC(1)".into(),
            "ICC(2,1)".into(),
            self.say("Exact (%)", "完全一致 (%)"),
            self.say("Within one level (%)", "相差不超过一级 (%)"),
        ];
        let mut columns = vec![Column { head: self.say("Dimension", "维度"), kind: Kind::Text }];
        columns.extend(heads.into_iter().flat_map(|head| {
            [Column { head, kind: Kind::Number }, Column { head: self.interval(), kind: Kind::Interval }]
        }));
        columns.push(Column { head: self.say("Pairs", "对数"), kind: Kind::Number });
        let (on, raters) = (self.on_dataset(), human.raters);
        let caption = match self.print.lang {
            Lang::En => format!(
                "Agreement of {raters} raters{on}, with 95% intervals. Pairs: pairs of ratings of the same output."
            ),
            Lang::Zh => {
                format!("{raters} 位评分者的一致性{on}，含 95% 置信区间。对数：同一输出的评分对。")
            }
        };
        Table { label: Name::Agreement.name(), caption, columns, rows: rows.collect() }
    }
}

/// An interval in another unit.
fn scaled(interval: Option<Interval>, unit: f64) -> Option<Interval> {
    interval.map(|i| Interval { low: i.low * unit, high: i.high * unit })
}

/// The k above 1 for which a model has pass@k.
pub(super) fn ks(automated: &Automated) -> BTreeSet<u32> {
    automated.models.iter().flatten().flat_map(|c| &c.pass_at).map(|p| p.k).filter(|k| *k > 1).collect()
}

#[cfg(test)]
mod tests {
    use model::{
        lang::Bilingual,
        ratings::{Comparison, DimensionScores, ModelScores},
        rubric::{Dimension, Level, Rubric},
        run::Metrics,
    };

    use super::*;

    /// Models with a mean score on one dimension over so many tasks, and pass@1 over twenty.
    fn figures(models: &[(&str, Option<f64>, u64)]) -> ComparisonFigures {
        let levels = (1..=4).map(|score| Level { score, label: Bilingual::default(), text: Bilingual::default() });
        let dimension = Dimension {
            key: "correctness".into(),
            checklist: false,
            name: Bilingual { en: "Correctness".into(), zh: "正确性".into() },
            question: Bilingual::default(),
            levels: levels.collect(),
        };
        let scores = |mean: Option<f64>| DimensionScores {
            mean,
            interval: mean.map(|mean| Interval { low: mean - 0.125, high: mean + 0.125 }),
            own_mean: mean,
            own_interval: None,
            distribution: Vec::new(),
        };
        let checked = |mean: Option<f64>| Checked {
            run: None,
            metrics: Metrics { tasks: 20, answered: 20, pass_at_1: mean.unwrap_or(0.0) / 4.0, ..Metrics::default() },
            pass_interval: None,
            ratio_interval: None,
            pass_at: Vec::new(),
            published: None,
            verdicts: Vec::new(),
            anomalies: Vec::new(),
            missing: 0,
        };
        ComparisonFigures {
            models: models.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            human: Some(Human {
                raters: 2,
                adjudicated: 0,
                comparison: Comparison {
                    rubric: Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension] },
                    models: models
                        .iter()
                        .map(|(name, mean, tasks)| ModelScores {
                            model: (*name).to_owned(),
                            ratings: tasks * 2,
                            tasks: *tasks,
                            dimensions: vec![scores(*mean)],
                        })
                        .collect(),
                    differences: Vec::new(),
                    agreement: Vec::new(),
                    resamples: 1,
                    seed: "1".into(),
                },
                tests: Vec::new(),
                holm: Vec::new(),
                adjusted: Vec::new(),
                reliability: Vec::new(),
                instructions: Vec::new(),
            }),
            automated: Some(Automated {
                models: models.iter().map(|(_, mean, _)| Some(checked(*mean))).collect(),
                pairs: Vec::new(),
            }),
            ..ComparisonFigures::default()
        }
    }

    #[test]
    fn n_is_in_the_caption_and_a_column_only_where_models_differ() {
        let print = Print { dataset: "Starter".into(), ..Print::default() };
        let same = markdown(&figures(&[("a", Some(3.0), 13), ("b", Some(2.0), 13)]), &print);
        assert!(same.contains("Mean scores by people on Starter: n = 13 tasks and 26 ratings"), "{same}");
        assert!(same.contains("Automated tests on Starter: percentages over n = 20 tasks"), "{same}");
        assert!(same.contains("| Model | Correctness (1–4) | 95% CI |"), "{same}");
        let differ = markdown(&figures(&[("a", Some(3.0), 13), ("b", Some(2.0), 10), ("c", None, 0)]), &print);
        assert!(differ.contains("n = 10 to 13 tasks and 20 to 26 ratings"), "{differ}");
        assert!(differ.contains("| Model | Tasks | Ratings | Correctness (1–4) | 95% CI |"), "{differ}");
        assert!(differ.contains("| c | – | – | – | – |"), "{differ}");
    }

    #[test]
    fn outputs_without_a_verdict_are_counted() {
        let mut found = figures(&[("a", Some(3.0), 13), ("b", Some(2.0), 13)]);
        let print = Print::default();
        assert!(!markdown(&found, &print).contains("verdict |"), "{}", markdown(&found, &print));
        let first = found.automated.iter_mut().flat_map(|of| of.models.iter_mut().flatten()).next();
        let first = first.unwrap_or_else(|| panic!("a run"));
        (first.metrics.answered, first.missing) = (1, 19);
        let text = markdown(&found, &print);
        assert!(text.contains("| Model | Tasks with a verdict | Outputs without a verdict | Solved |"), "{text}");
        assert!(text.contains("| a | 1 | 19 |") && text.contains("| b | 20 | 0 |"), "{text}");
    }

    #[test]
    fn decimals_are_those_that_were_chosen_and_ties_are_all_bold() {
        let found = figures(&[("a", Some(3.004), 13), ("b", Some(2.996), 13), ("c", Some(1.0), 13)]);
        let with = |scores, percent| {
            let print = Print { decimals: Decimals { scores, percent }, ..Print::default() };
            String::from_utf8(csv(&found, Name::Manual, &print).unwrap()).unwrap() + &markdown(&found, &print)
        };
        let default = with(2, 1);
        assert!(default.contains("a,3.00,2.88,3.13\nb,3.00,2.87,3.12\nc,1.00,0.88,1.12\n"), "{default}");
        // What is printed alike is marked alike.
        assert!(default.contains("| a | **3.00** |") && default.contains("| b | **3.00** |"), "{default}");
        assert!(default.contains("| a | 0 | **75.1** |") && default.contains("| b | 0 | 74.9 |"), "{default}");
        let exact = with(4, 0);
        assert!(exact.contains("| a | **3.0040** |") && exact.contains("| b | 2.9960 |"), "{exact}");
        assert!(exact.contains("| a | 0 | **75** |") && exact.contains("| b | 0 | **75** |"), "{exact}");
    }

    #[test]
    fn a_table_without_data_is_not_found() {
        let found = figures(&[("a", Some(3.0), 13)]);
        assert!(csv(&found, Name::Differences, &Print::default()).is_err());
        assert!(csv(&ComparisonFigures::default(), Name::Manual, &Print::default()).is_err());
        // One model is not the best of anything.
        assert!(!markdown(&found, &Print::default()).contains("**3.00**"));
    }
}
