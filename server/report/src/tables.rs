//! A comparison's tables for a paper: Markdown, and LaTeX with booktabs. Pure.

use std::{collections::BTreeSet, fmt::Write};

use model::{
    claims::opposed,
    comparison::{Automated, Checked, ComparisonFigures},
    lang::Lang,
    ratings::Interval,
    stats::{Estimate, Known},
};
use texts::I18n;

use super::published;

/// A table with caption, header and rows. Every cell is plain text.
struct Table {
    /// Label in LaTeX.
    label: &'static str,
    caption: String,
    /// Number of leading text columns; the others are numeric.
    words: usize,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Every table in Markdown.
pub fn markdown(figures: &ComparisonFigures, lang: Lang) -> String {
    let mut out = String::new();
    for table in tables(figures, lang) {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape_markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<&str> = (0..table.head.len()).map(|at| if at < table.words { "---" } else { "---:" }).collect();
        _ = write!(out, "**{}**\n\n{}| {} |\n", escape_markdown(&table.caption), line(&table.head), rule.join(" | "));
        table.rows.iter().for_each(|row| out += &line(row));
        out.push('\n');
    }
    out
}

/// Every table in LaTeX.
pub fn latex(figures: &ComparisonFigures, lang: Lang) -> String {
    let mut out = String::from("% Needs \\usepackage{booktabs,adjustbox}");
    out += match lang {
        Lang::En => ".\n",
        Lang::Zh => " and, for the Chinese text, \\usepackage{ctex} with XeLaTeX or LuaLaTeX.\n",
    };
    for table in tables(figures, lang) {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape_latex(cell)).collect();
            format!("    {} \\\\\n", cells.join(" & "))
        };
        let columns = "l".repeat(table.words) + &"r".repeat(table.head.len().saturating_sub(table.words));
        _ = write!(
            out,
            "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n  \\begin{{adjustbox}}{{max width=\\textwidth}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{}    \\midrule\n",
            escape_latex(&table.caption),
            table.label,
            line(&table.head)
        );
        table.rows.iter().for_each(|row| out += &line(row));
        out += "    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n\\end{table}\n";
    }
    out
}

#[allow(clippy::too_many_lines, reason = "one table after the other, in the order of the bundle")]
fn tables(figures: &ComparisonFigures, lang: Lang) -> Vec<Table> {
    let say = |en: &str, zh: &str| match lang {
        Lang::En => en.to_owned(),
        Lang::Zh => zh.to_owned(),
    };
    let models = |first: String| [first].into_iter().chain(figures.models.iter().cloned()).collect::<Vec<_>>();
    let mut tables = Vec::new();
    if let Some(automated) = &figures.automated {
        let row = |name: String, of: &dyn Fn(&Checked) -> String| {
            let cells = automated.models.iter().map(|m| m.as_ref().map_or_else(|| "–".to_owned(), of));
            [name].into_iter().chain(cells).collect::<Vec<_>>()
        };
        let mut rows = vec![
            row(say("Tasks", "任务数"), &|c| c.metrics.tasks.to_string()),
            row(say("Tasks with an output", "有输出的任务数"), &|c| c.metrics.answered.to_string()),
            row("pass@1".into(), &|c| {
                let m = c.metrics;
                let share = || format!("{} ({:.2}%{})", m.solved, m.pass_at_1 * 100.0, shares(c.pass_interval));
                counted(c, share)
            }),
            row("AvgPassRatio".into(), &|c| {
                let m = c.metrics;
                let share = || format!("{:.4} ({:.2}%{})", m.ratio_sum, m.ratio_mean * 100.0, shares(c.ratio_interval));
                counted(c, share)
            }),
            row(say("AvgPassRatio, clamped to 1 per task", "AvgPassRatio（每题最多计 1）"), &|c| {
                let m = c.metrics;
                counted(c, || format!("{:.4} ({:.2}%)", m.ratio_sum_clamped, m.ratio_mean_clamped * 100.0))
            }),
        ];
        for k in ks(automated) {
            rows.push(row(format!("pass@{k}"), &|c| {
                let found = c.pass_at.iter().find(|p| p.k == k);
                found.map_or_else(|| "–".into(), |p| format!("{:.2}%{}", p.value * 100.0, shares(p.interval)))
            }));
        }
        if automated.models.iter().flatten().any(|c| c.metrics.not_counted > 0) {
            let name = I18n::of(lang).comparison().not_counted.to_owned();
            rows.push(row(name, &|c| c.metrics.not_counted.to_string()));
        }
        rows.extend(published::rows(automated, lang));
        tables.push(Table {
            label: "automatic",
            words: 1,
            caption: say(
                "Automatic comparison on correctness (95% intervals in brackets)",
                "正确性的自动比较（方括号内为 95% 置信区间）",
            ),
            head: models(say("Metrics", "指标")),
            rows,
        });
    }
    if let Some(human) = &figures.human {
        let c = &human.comparison;
        let rows = c.rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
            let cells = c.models.iter().map(|model| {
                let scores = model.dimensions.get(d);
                match scores.and_then(|s| s.mean) {
                    None => "–".to_owned(),
                    Some(mean) => format!("{mean:.4}{}", range(scores.and_then(|s| s.interval))),
                }
            });
            [dimension.name.get(lang).to_owned()].into_iter().chain(cells).collect()
        });
        let count = |name: String, of: fn(&model::ratings::ModelScores) -> u64| {
            [name].into_iter().chain(c.models.iter().map(|m| of(m).to_string())).collect::<Vec<_>>()
        };
        tables.push(Table {
            label: "manual",
            words: 1,
            caption: if c.has_adjusted() {
                say(
                    "Manual comparison (means adjusted for tasks, because the models have different tasks; 95% interval in brackets)",
                    "人工比较（各模型的任务不同，均值已按任务调整；方括号内为 95% 置信区间）",
                )
            } else {
                say("Manual comparison (mean, 95% interval in brackets)", "人工比较（均值，方括号内为 95% 置信区间）")
            },
            head: models(say("Metrics", "指标")),
            rows: rows
                .chain([count(say("Ratings", "评分数"), |m| m.ratings), count(say("Tasks", "任务数"), |m| m.tasks)])
                .collect(),
        });
        let p = |p: Option<f64>| {
            p.map_or_else(|| "–".to_owned(), |p| if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") })
        };
        let rows = c.differences.iter().zip(human.tests.iter().zip(&human.holm)).filter(|(x, _)| x.mean.is_some()).map(
            |(x, (test, holm))| {
                let name = |at: usize| figures.models.get(at).cloned().unwrap_or_default();
                vec![
                    c.rubric.dimensions.get(x.dimension).map(|d| d.name.get(lang).to_owned()).unwrap_or_default(),
                    format!("{} − {}", name(x.first), name(x.second)),
                    x.mean.map_or_else(|| "–".into(), |mean| minus(format!("{mean:.4}{}", range(x.interval)))),
                    p(test.as_ref().ok().map(|test| test.wilcoxon.p)),
                    p(*holm),
                    x.tasks.to_string(),
                ]
            },
        );
        let rows: Vec<_> = rows.collect();
        let mean = |d: usize, model: usize| c.models.get(model)?.dimensions.get(d)?.mean;
        let is_reversed = c.differences.iter().any(|x| {
            let means = mean(x.dimension, x.first).zip(mean(x.dimension, x.second));
            means.zip(x.mean).is_some_and(|((first, second), difference)| opposed(first - second, difference))
        });
        if !rows.is_empty() {
            let over = if is_reversed {
                say(
                    ". Each difference is over the tasks that both models have, the means are adjusted over the tasks of all models: the two orders are not the same",
                    "。每项差异按两个模型的共同任务计算，均值则按全部模型的任务调整，因此两者的先后不完全一致",
                )
            } else {
                String::new()
            };
            tables.push(Table {
                label: "differences",
                words: 2,
                caption: say(
                    "Differences between models (95% intervals in brackets; p of Wilcoxon's signed-rank test, corrected over all rows)",
                    "模型之间的差异（方括号内为 95% 置信区间；Wilcoxon 符号秩检验 p 值，按全部行校正）",
                ) + &over,
                head: vec![
                    say("Dimension", "维度"),
                    say("Models", "模型"),
                    say("Difference", "差异"),
                    say("Wilcoxon p", "Wilcoxon p 值"),
                    say("Holm-corrected", "Holm 校正"),
                    say("Tasks", "任务数"),
                ],
                rows,
            });
        }
        let figure = |known: Known<Estimate>| match known {
            Err(_) => "–".to_owned(),
            Ok(estimate) => {
                let range = estimate.interval.ok().map(|i| format!(" [{:.3}, {:.3}]", i.low, i.high));
                minus(format!("{:.3}{}", estimate.value, range.unwrap_or_default()))
            }
        };
        tables.push(Table {
            label: "agreement",
            words: 1,
            caption: say(
                "Agreement between raters (95% intervals in brackets)",
                "评分者一致性（方括号内为 95% 置信区间）",
            ),
            head: vec![
                say("Dimension", "维度"),
                say("Krippendorff's alpha", "Krippendorff α"),
                "AC2".into(),
                "ICC(1)".into(),
                "ICC(2,1)".into(),
                say("Exact", "完全一致"),
                say("Within one level", "相差不超过一级"),
                say("Pairs", "对数"),
            ],
            rows: c
                .rubric
                .dimensions
                .iter()
                .zip(&human.reliability)
                .map(|(d, r)| {
                    let name = d.name.get(lang).to_owned();
                    let mut figures = [r.alpha, r.ac2, r.icc1, r.icc2, r.exact, r.within_one].map(figure);
                    // Yes and no are always within one level.
                    if d.checklist {
                        figures[5] = "–".into();
                    }
                    [name].into_iter().chain(figures).chain([r.pairs.to_string()]).collect()
                })
                .collect(),
        });
    }
    tables
}

/// A figure of a run, unless no task counts in it.
fn counted(checked: &Checked, shown: impl FnOnce() -> String) -> String {
    if checked.metrics.has_tasks() { shown() } else { "–".to_owned() }
}

/// The k above 1 for which a model has pass@k.
pub(super) fn ks(automated: &Automated) -> BTreeSet<u32> {
    automated.models.iter().flatten().flat_map(|c| &c.pass_at).map(|p| p.k).filter(|k| *k > 1).collect()
}

/// Replaces hyphens in figures by minus signs.
fn minus(figures: String) -> String {
    figures.replace('-', "−")
}

fn range(interval: Option<Interval>) -> String {
    interval.map(|i| format!(" [{:.4}, {:.4}]", i.low, i.high)).unwrap_or_default()
}

pub(super) fn shares(interval: Option<Interval>) -> String {
    interval.map(|i| format!(" [{:.2}, {:.2}]", i.low * 100.0, i.high * 100.0)).unwrap_or_default()
}

/// Escapes text for a Markdown table's cell, so that a model's name cannot end the cell or start markup.
pub(super) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for LaTeX.
fn escape_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '−' => out += "$-$",
            '–' => out += "--",
            // Brackets after `\\` would be its optional argument.
            '[' => out += "{[}",
            ']' => out += "{]}",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let check = |text, markdown, latex| {
            assert_eq!((escape_markdown(text), escape_latex(text)), (String::from(markdown), String::from(latex)))
        };
        check("a|b_c", "a\\|b\\_c", "a|b\\_c");
        check(
            "50 % & $x^2$ \\end{table}",
            "50 % & $x^2$ \\\\end{table}",
            "50 \\% \\& \\$x\\textasciicircum{}2\\$ \\textbackslash{}end\\{table\\}",
        );
        check("通义\n[1] −", "通义 \\[1\\] −", "通义 {[}1{]} $-$");
    }
}
