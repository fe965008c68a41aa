//! Texts of charts.

use model::stats::Undefined;

texts! {
    ChartTexts
    words {
        axis_share: "Share", "占比";
        axis_levels: "levels of the scale", "评分级";
        axis_points: "percentage points", "百分点";
        letters: "Group", "组别";
        n: "Tasks", "任务数";
        frontier: "Frontier", "前沿";
        on_frontier: "yes", "是";
        tokens_mean: "Generated tokens per output (mean)", "每个输出生成的词元数（均值）";
        tokens_desc: "One point per model, with the 95% interval of its score. Filled points are on the frontier, the stepped line: no other model has at least their score with fewer tokens. The table lists the exact values.", "每个模型一个点，竖线为分数的 95% 置信区间。实心点位于前沿（阶梯线）上：没有其他模型以更少的词元达到同样的分数。表格列有准确数值。";
        column_width: "One column, 89 mm", "单栏 89 mm";
        page_width: "Full page, 183 mm", "通栏 183 mm";
        data_csv: "Data, CSV", "数据 CSV";
        captions: "Captions", "图注";
        pdf: "PDF", "PDF";
        value: "Value", "数值";
        columns_desc: "One group of bars per metric, one bar per model. The table contains the same values.", "每项指标一组柱，每个模型一根柱。表格列有相同的数据。";
        differences_desc: "Each point is the difference between two models, each line its 95% interval. A line that crosses zero shows no difference.", "圆点为两个模型之差，横线为 95% 置信区间。横线跨过零，则差异不显著。";
        bins_desc: "Each circle stands for the outputs with about the same pass ratio and score: the larger the circle, the more outputs. It links to their tasks; the table lists the counts per model.", "通过率与评分相近的输出合为一个圆，圆越大输出越多；点击可查看相应任务，表格列有各模型的数量。";
        difference: "Difference", "差值";
        distribution_desc: "One bar per model, divided by the share of each score, lowest on the left.", "每个模型一条，按各分数所占比例分段，低分在左。";
        figure: "Metric", "指标";
        grid_desc: "One cell per model and task: darker is better. Empty cells have no data.", "每个模型与任务对应一格：颜色越深越好。空格表示没有数据。";
        heat_desc: "Quadratic-weighted kappa for each pair of raters: the darker, the higher the agreement. 1 is perfect agreement, 0 is agreement by chance.", "每对评分者的二次加权 kappa：颜色越深，一致性越高。1 为完全一致，0 相当于随机水平。";
        hint: "Use the arrow keys to move between values.", "用方向键逐个查看数值。";
        human_score: "Mean human score", "人工平均分";
        interval: "95% interval", "95% 置信区间";
        itself: "the same rater", "同一评分者";
        kappa: "Kappa", "Kappa";
        mean: "Mean", "平均分";
        means_desc: "Each point is the mean of a model, each line its 95% interval.", "圆点为各模型的平均分，横线为 95% 置信区间。";
        model: "Model", "模型";
        none: "no data", "无数据";
        no_ratings: "no ratings", "暂无评分";
        outputs: "Shared outputs", "共同输出";
        outputs_all: "Outputs", "输出数";
        pair: "Pair", "评分者对";
        pass_ratio: "Pass ratio", "测试通过率";
        png: "PNG", "PNG";
        scatter_desc: "One dot per output that has both tests and ratings. Overlapping dots are moved apart slightly; the table lists the exact values.", "每个既有测试又有评分的输出对应一个点。重叠的点略微错开，表格列有准确数值。";
        score: "Score", "分数";
        sum: "Total", "合计";
        shares_desc: "Each point is a share, each line its 95% interval.", "圆点为各项比例，横线为 95% 置信区间。";
        svg: "SVG", "SVG";
        export: "Export figure", "导出图表";
        task: "Task", "任务";
        the_figures: "Data", "数据表";
        failures_desc: "One bar per model, divided by the share of each class of failure, the most frequent class on the left.", "每个模型一条，按各类失败所占比例分段，最常见的在左。";
        no_failures: "no failures", "没有失败";
        other_classes: "other classes", "其余类别";
        verdicts: "Test outcomes", "各输出的测试结果";
        verdicts_desc: "One bar per model, divided by the share of each verdict, passed on the left.", "每个模型一条，按各测试结果所占比例分段，通过在左。";
    }
    sentences {
        // Titles of axes, with their units.
        axis_mean(name: &str, low: u8, high: u8)
            { format!("Mean {} ({low}–{high})", name.to_lowercase()) } { format!("{name}平均分（{low}–{high}）") }
        axis_difference(name: &str, unit: &str)
            { format!("Difference in {} ({unit})", if name.contains('@') { name.to_owned() } else { name.to_lowercase() }) }
            { format!("{name}之差（{unit}）") }
        shares_title(metric: &str) { format!("{metric} by model") } { format!("各模型的 {metric}") }

        // Titles of charts: a dimension or a metric, and the figure.
        distribution_title(name: &str) { format!("{name}: distribution of scores") } { format!("{name}：各分数的分布") }
        means_title(name: &str) { format!("{name}: means") } { format!("{name}：平均分") }
        differences_title(name: &str) { format!("{name}: differences") } { format!("{name}：差值") }
        heat_title(name: &str) { format!("{name}: agreement between raters") } { format!("{name}：评分者两两一致性") }
        tokens_title(name: &str) { format!("{name} and generated tokens") } { format!("{name}与生成的词元数") }
        tokens_tip(model: &str, tokens: &str, score: &str)
            { format!("{model}: {tokens} tokens per output, {score}") }
            { format!("{model}：每个输出 {tokens} 个词元，{score}") }
        outputs_of(counted: &str, all: &str) { format!("{counted} of {all}") } { format!("{counted} / {all}") }
        scatter_title(name: &str) { format!("Tests and human scores: {name}") } { format!("测试与人工评分：{name}") }
        grid_title(name: &str) { format!("{name}, task by task") } { format!("{name}：逐任务") }

        // Tips: one value of a chart.
        part_tip(model: &str, score: u8, count: u64, whole: u64)
            { format!("{model}: score {score} given {count} of {whole} times ({:.0}%)", percent(count, whole)) }
            { format!("{model}：{score} 分，{whole} 次中的 {count} 次（{:.0}%）", percent(count, whole)) }
        verdict_tip(model: &str, verdict: &str, count: u64, whole: u64)
            { format!("{model}: {verdict}, {count} of {whole} outputs ({:.0}%)", percent(count, whole)) }
            { format!("{model}：{verdict}，{whole} 个输出中的 {count} 个（{:.0}%）", percent(count, whole)) }
        failure_tip(model: &str, class: &str, count: u64, whole: u64)
            { format!("{model}: {class}, {count} of {whole} failures ({:.0}%)", percent(count, whole)) }
            { format!("{model}：{class}，{whole} 次失败中的 {count} 次（{:.0}%）", percent(count, whole)) }
        failures_n(n: u64) { if n == 1 { "1 failure".into() } else { format!("{n} failures") } } { format!("{n} 次失败") }
        outputs_n(n: u64) { if n == 1 { "1 output".into() } else { format!("{n} outputs") } } { format!("{n} 个输出") }
        ratings(n: u64) { if n == 1 { "1 rating".into() } else { format!("{n} ratings") } } { format!("{n} 次评分") }
        kappa_tip(first: &str, second: &str, kappa: &str, outputs: u32)
            { format!("{first} and {second}: {kappa}, {outputs} shared outputs") }
            { format!("{first} 与 {second}：{kappa}，共 {outputs} 个输出") }
        bin_tip(outputs: &str, ratio: f64, score: f64)
            { format!("Outputs: {outputs}, pass ratio about {:.0}%, score about {score:.2}", ratio * 100.0) }
            { format!("{outputs} 个输出：通过率约 {:.0}%，评分约 {score:.2}", ratio * 100.0) }
        dot_tip(model: &str, task: &str, ratio: f64, score: f64)
            { format!("{model}, task {task}: pass ratio {:.0}%, score {score:.2}", ratio * 100.0) }
            { format!("{model}，任务 {task}：通过 {:.0}% 的测试，得分 {score:.2}", ratio * 100.0) }
        // Why a value is missing.
        why(reason: Undefined) {
            match reason {
                Undefined::Nothing => "no data".into(),
                Undefined::TooFew => "not enough data".into(),
                Undefined::NoPairs => "no output was rated twice".into(),
                Undefined::NoVariation => "all values are equal".into(),
                Undefined::NoDivisor => "division by a variance of 0".into(),
                Undefined::NotCrossed => "fewer than two outputs were rated by every rater".into(),
                Undefined::Disconnected(groups) => format!("the raters form {groups} groups that share no output"),
                Undefined::SeveralSamples => "a task has more than one output".into(),
                Undefined::Unstable => "undefined in most resamples".into(),
            }
        } {
            match reason {
                Undefined::Nothing => "没有数据".into(),
                Undefined::TooFew => "数据太少".into(),
                Undefined::NoPairs => "没有输出被评过两次".into(),
                Undefined::NoVariation => "所有数值相同".into(),
                Undefined::NoDivisor => "作为除数的方差为 0".into(),
                Undefined::NotCrossed => "被所有评分者评过的输出不足两个".into(),
                Undefined::Disconnected(groups) => format!("评分者分为 {groups} 组，组间没有共同评过的输出"),
                Undefined::SeveralSamples => "有任务包含多个输出".into(),
                Undefined::Unstable => "在多数重抽样中无定义".into(),
            }
        }
    }
}

/// A share in percent; 0 of an empty whole.
fn percent(count: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { count as f64 * 100.0 / whole as f64 }
}
