//! Comparisons: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

macro_rules! texts {
    (
        words { $($word:ident: $en:literal, $zh:literal;)* }
        $($say:ident($($arg:ident: $kind:ty),*): $say_en:literal, $say_zh:literal;)*
    ) => {
        /// The texts of the comparison's pages.
        pub struct CompareTexts {
            $(pub $word: &'static str,)*
            $(pub $say: fn($($kind),*) -> String,)*
        }
        /// English.
        pub const EN: CompareTexts = CompareTexts {
            $($word: $en,)*
            $($say: |$($arg),*| format!($say_en),)*
        };
        /// Chinese.
        pub const ZH: CompareTexts = CompareTexts {
            $($word: $zh,)*
            $($say: |$($arg),*| format!($say_zh),)*
        };
    };
}

texts! {
    words {
        compare: "Compare models", "比较模型";
        comparison: "Comparison", "比较";
        what: "What is compared", "比较内容";
        models: "Models", "模型";
        studies: "Studies", "评分项目";
        runs: "Test runs", "测试运行";
        raters: "Raters", "评分者";
        all_raters: "None ticked: everybody", "不勾选则包含所有人";
        scores: "Scores", "评分";
        scores_raw: "every rating", "全部评分";
        scores_final: "adjudicated where there is a final say", "有裁定的采用裁定";
        lang: "Descriptions in", "描述语言";
        both_langs: "both languages", "两种语言";
        show: "Compare these", "比较所选";
        exact_link: "Link to exactly this choice", "此选择的固定链接";
        in_short: "In short", "概要";
        by_people: "Graded by people", "人工评分";
        by_tests: "Automated tests", "自动测试";
        tests_and_people: "Tests against people", "测试与人工对照";
        tasks: "Tasks", "任务";
        as_paper: "As the paper prints it", "按论文格式";
        as_page: "With intervals and pictures", "含区间和图表";
        table_2: "Table 2: automatic comparison on correctness", "表 2：正确性的自动比较";
        table_3: "Table 3: manual comparison", "表 3：人工比较";
        figure_3: "Figure 3: automatic comparison on correctness", "图 3：正确性的自动比较";
        figure_4: "Figure 4: manual comparison", "图 4：人工比较";
        pass_rates: "pass@1 and AvgPassRatio, with 95 % intervals", "pass@1 与 AvgPassRatio（95 % 区间）";
        each_pair: "Every two models", "两两比较";
        grid_head: "Every task of every model", "所有模型的所有任务";
        grid_shows: "Shown:", "显示：";
        judges: "Judge models against people", "评判模型与人工对照";
        judges_lead: "A judge model is compared with people over the outputs that both scored. Its scores are in no mean and no test above.", "评判模型仅在双方都评过的输出上与人工比较，其评分不计入上面的任何均值和检验。";
        judge: "the judge", "评判模型";
        people: "people", "人工";
        who: "By", "评分者";
        between: "Between", "对照";
        judge_and_people: "the judge and people", "评判模型与人工";
        people_alone: "people among themselves", "人工之间";
        judge_means: "Mean scores over the outputs that both scored", "双方都评过的输出上的平均分";
        judge_kappas: "Weighted kappa of the judge with each rater", "评判模型与每位评分者的加权 kappa";
        metrics: "Metrics", "指标";
        metric: "Figure", "指标";
        nothing: "Nothing to compare yet", "还没有可比较的内容";
        nothing_hint: "Choose a study with ratings or a run with results, or upload outputs and begin one.", "请选择有评分的任务或有结果的运行，或先上传模型输出。";
        no_ratings: "No rating of these models is chosen.", "所选范围内没有这些模型的评分。";
        no_runs: "No run of these models is chosen.", "所选范围内没有这些模型的测试运行。";
        pass_at_1: "Tasks passed (pass@1)", "通过的任务（pass@1）";
        ratio: "AvgPassRatio, as published", "AvgPassRatio（按发布方式）";
        ratio_clamped: "AvgPassRatio, no task above 1", "AvgPassRatio（每题最多计 1）";
        ratio_sum: "Sum of pass ratios", "通过率之和";
        tasks_with_tests: "Tasks with tests", "有测试的任务";
        answered: "Answered", "有输出";
        anomalies: "More passes than cases", "通过数多于用例数";
        missing: "Without a verdict", "没有结果";
        verdicts: "Verdicts", "测试结果";
        verdicts_desc: "How often each model's outputs came to each verdict. The same figures stand in the table.", "每个模型的输出得到各种结果的次数，表格中有相同数字。";
        pairs: "Two models, task by task", "两两逐题比较";
        pair: "Models", "模型";
        both_pass: "Both pass", "都通过";
        only_first: "Only the first", "仅前者";
        only_second: "Only the second", "仅后者";
        neither: "Neither", "都未通过";
        pass_difference: "pass@1 difference", "pass@1 之差";
        ratio_difference: "AvgPassRatio difference", "AvgPassRatio 之差";
        mcnemar: "McNemar p", "McNemar p 值";
        interval_note: "In brackets: 95 % interval, by bootstrap over tasks.", "方括号内为 95 % 区间（按任务自助抽样）。";
        adjusted: "Adjusted for raters' severity", "按评分者宽严调整";
        adjusted_hint: "What the means would be if every rater were as severe as the average one.", "假设每位评分者宽严相同时的均值。";
        pair_tests: "Tests of the differences", "差异检验";
        difference: "Difference", "差异";
        wilcoxon: "Wilcoxon p", "Wilcoxon p 值";
        permutation: "Permutation p", "置换检验 p 值";
        holm: "Holm-corrected", "Holm 校正";
        effect: "Rank-biserial", "秩双列相关";
        more: "More ratings, about", "约需再增评分";
        tests_lead: "Two-sided, over tasks that both models have ratings for. Holm's correction covers every row of this table.", "双侧检验，仅含两个模型都有评分的任务；Holm 校正涵盖本表全部各行。";
        correlation_lead: "How far the share of test cases passed goes with what people scored, over outputs that have both.", "在两者都有的输出上，用例通过率与人工评分的一致程度。";
        all_together: "All together", "合计";
        outputs: "Outputs", "输出";
        spearman: "Spearman", "Spearman";
        kendall: "Kendall tau-b", "Kendall tau-b";
        part_most: "Where they part ways most", "分歧最大的任务";
        people_kinder: "people kinder", "人工更宽";
        tests_kinder: "tests kinder", "测试更宽";
        pass_ratio: "Pass ratio", "通过率";
        mean_score: "Mean score", "平均分";
        un_nothing: "no data", "没有数据";
        un_too_few: "too few", "数量太少";
        un_no_pairs: "nothing rated twice", "没有重复评分";
        un_no_variation: "no variation", "没有差异可比";
        un_no_divisor: "divided by a variance of 0", "除数方差为 0";
        un_not_crossed: "no two outputs rated by everybody", "没有两个以上输出由所有人评过";
        un_several_samples: "several samples a task", "每题有多个样本";
        un_unstable: "too unstable", "过于不稳定";
        ac2: "Gwet's AC2", "Gwet AC2";
        icc1: "ICC(1)", "ICC(1)";
        icc2: "ICC(2,1)", "ICC(2,1)";
        icc2k: "ICC(2,k)", "ICC(2,k)";
        kappas: "Weighted kappa of each two raters", "两两评分者的加权 kappa";
        dz: "Cohen's d_z", "Cohen d_z";
        cliff: "Cliff's delta", "Cliff delta";
        model: "Model", "模型";
        any_model: "Any", "任意";
        any_spot: "Show all", "显示全部";
        score: "Score", "评分";
        verdict: "Verdict", "结果";
        disagreement: "Raters disagree", "评分分歧";
        any: "Any", "任意";
        none_yet: "None yet.", "暂无。";
        by_one: "by 1 or more", "至少 1 分";
        by_two: "by 2 or more", "至少 2 分";
        differ: "Models", "模型之间";
        differing: "that differ", "有差异";
        order: "Order", "排序";
        order_dataset: "the dataset's", "数据集顺序";
        order_spread: "raters disagree most", "评分分歧最大";
        order_gap: "models differ most", "模型差异最大";
        order_apart: "tests and people part most", "测试与人工分歧最大";
        before: "Previous task", "上一个任务";
        after: "Next task", "下一个任务";
        no_output: "No model chosen has an output for this task.", "所选模型对该任务都没有输出。";
        take_away: "Take away", "导出";
        ratings_csv: "Ratings, CSV", "评分 CSV";
        ratings_jsonl: "Ratings, JSON Lines", "评分 JSON Lines";
        verdicts_csv: "Verdicts, CSV", "测试结果 CSV";
        verdicts_jsonl: "Verdicts, JSON Lines", "测试结果 JSON Lines";
        tables_md: "Tables, Markdown", "表格 Markdown";
        tables_tex: "Tables, LaTeX", "表格 LaTeX";
        bundle: "Everything, to reproduce it (zip)", "可复现的完整数据包 (zip)";
        take_away_hint: "Raters go under pseudonyms that stay the same in a study.", "评分者以化名出现，同一项目中保持不变。";
        counting: "The figures of this choice are being computed for the first time. This page shows them as soon as they are there; without JavaScript, load it again in a moment.", "正在首次计算此选择的数字，完成后本页会自动显示；未启用 JavaScript 时请稍后重新加载。";
        behind: "Newer ratings or verdicts are being counted; these figures are the last ones.", "正在计入新的评分或结果，当前为之前的数字。";
        live: "Ratings or results may still come. This page follows them.", "仍可能有新的评分或结果，本页会随之更新。";
        updated: "The figures were brought up to date.", "数字已更新。";
        next_page: "Next page", "下一页";
        previous_page: "Previous page", "上一页";
        see_run: "the run", "查看运行";
        still_going: "still going", "进行中";
        legend: "Each model: mean scores in the rubric's order, then its verdict.", "每个模型：按评分标准顺序的平均分，然后是测试结果。";
        best_hint: "Bold: significantly higher than every other model with ratings (95% interval excludes zero, Holm-corrected p < 0.05).", "粗体：显著高于其他所有有评分的模型（95% 置信区间不含零，Holm 校正后 p < 0.05）。";
    }
    title(name: &str): "Comparison: {name}", "比较：{name}";
    facts(models: u64, ratings: &str, raters: u64, runs: u64):
        "Models: {models} · ratings: {ratings} · raters: {raters} · test runs: {runs}",
        "模型 {models} · 评分 {ratings} · 评分者 {raters} · 测试运行 {runs}";
    adjudicated_n(n: u64): "{n} outputs count by their adjudicated score.", "{n} 个输出按裁定分计。";
    say_solved(model: &str, solved: u32, tasks: u32, share: &str):
        "{model} passes {solved} of {tasks} tasks ({share}).",
        "{model} 通过 {tasks} 个任务中的 {solved} 个（{share}）。";
    un_disconnected(groups: u32): "raters fall into {groups} groups without a common output", "评分者分为 {groups} 组，互无共同评过的输出";
    run_n(id: i64): "run {id}", "运行 {id}";
    ratings_n(n: &str): "{n} ratings", "{n} 条评分";
    tasks_of(found: &str, all: &str): "{found} of {all} tasks", "{all} 个任务中的 {found} 个任务";
    judge_facts(outputs: &str, both: &str):
        "It judged {outputs} outputs of these models; people rated {both} of them.",
        "评判了这些模型的 {outputs} 个输出，其中 {both} 个也有人工评分。";
    on_spot(percent: &str, score: &str):
        "Only tasks with an output that passes about {percent} % of the tests and was given about {score}.",
        "仅显示输出通过率约 {percent} %、评分约 {score} 的任务。";
    grid_left_off(n: &str): "{n} more tasks do not fit into the picture; a filter above brings them in.", "另有 {n} 个任务图中放不下，可用上方筛选查看。";
    apart_n(name: &str): "{name} against pass ratio", "{name}与通过率对照";
}
