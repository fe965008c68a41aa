//! Texts of comparisons, both languages of each side by side.

use model::{dataset::TestPart, stats::DecidingTest};

use crate::I18n;

macro_rules! texts {
    (
        words { $($word:ident: $en:literal, $zh:literal;)* }
        $($say:ident($($arg:ident: $kind:ty),*): $say_en:literal, $say_zh:literal;)*
    ) => {
        pub struct ComparisonTexts {
            $(pub $word: &'static str,)*
            $(pub $say: fn($($kind),*) -> String,)*
        }
        pub const EN: ComparisonTexts = ComparisonTexts {
            $($word: $en,)*
            $($say: |$($arg),*| format!($say_en),)*
        };
        pub const ZH: ComparisonTexts = ComparisonTexts {
            $($word: $zh,)*
            $($say: |$($arg),*| format!($say_zh),)*
        };
    };
}

texts! {
    words {
        task_outputs: "Tests and outputs", "测试与输出";
        part_tests: "Tests", "测试";
        part_examples: "Tests that the description mentions", "描述中提到的测试";
        part_reference: "Reference solution", "参考答案";
        part_base: "Tests of the base prompt", "基础提示的测试";
        instructions: "Instructions followed", "指令遵循";
        instructions_lead: "Raters say for each instruction of a conversation whether the rated answer follows it. All tasks weigh the same; intervals are a bootstrap over tasks and answers.", "评分者对对话中的每条指令回答所评回答是否遵循。各任务权重相同，置信区间由对任务和回答的自助抽样得出。";
        instruction_kind: "Kind of instruction", "指令类型";
        answers_head: "Answers", "回答数";
        share_of_yes: "share of yes", "“是”的比例";
        compare: "Compare models", "比较模型";
        comparison: "Comparison", "模型比较";
        what: "Selection", "所选范围";
        models: "Models", "模型";
        studies: "Studies", "评分项目";
        runs: "Test runs", "测试运行";
        raters: "Raters", "评分者";
        all_raters: "Leave all unticked to include everyone", "不勾选则包含所有人";
        scores: "Scores", "评分";
        scores_raw: "All ratings", "全部评分";
        scores_final: "Adjudicated scores where available", "有裁定的采用裁定评分";
        lang: "Description language", "描述语言";
        both_langs: "Both languages", "两种语言";
        show: "Compare selection", "比较所选";
        exact_link: "Permalink to this selection", "所选范围的固定链接";
        in_short: "Summary", "概要";
        by_people: "Human ratings", "人工评分";
        by_tests: "Automated tests", "自动测试";
        tests_and_people: "Tests and human ratings", "测试与人工评分对照";
        tasks: "Tasks", "任务";
        as_paper: "AixBench paper layout", "AixBench 论文版式";
        as_page: "Layout with intervals and charts", "含区间和图表的版式";
        leader: "Leader", "领先模型";
        evidence: "Evidence", "依据";
        missing_data: "Missing data", "缺少的数据";
        means_adjusted: "The models were rated on different tasks, so these means are adjusted for tasks, as far as models share any: each is an estimate of the mean over all these tasks. It can lie slightly outside the scale.", "各模型被评分的任务不同，因此这些均值已在模型有共同任务的范围内按任务调整：每个值是对这些任务上均值的估计，可能略微超出量表范围。";
        own_means: "Means over each model's own tasks", "各模型自身任务上的均值";
        table_2: "Automatic comparison on correctness (layout of AixBench, table 2)", "正确性的自动比较（AixBench 表 2 版式）";
        table_3: "Manual comparison (layout of AixBench, table 3)", "人工比较（AixBench 表 3 版式）";
        figure_3: "Automatic comparison on correctness", "正确性的自动比较";
        figure_4: "Manual comparison", "人工比较";
        contents: "On this page", "本页内容";
        rank: "Rank", "名次";
        interval: "95% interval", "95% 置信区间";
        group: "Group", "组别";
        group_hint: "Between models that share a letter, no significant difference was found.", "有相同字母的模型之间未发现显著差异。";
        details_of: "Details: differences, scores", "详情：差异与评分分布";
        details_tests: "Details: verdicts, differences, all metrics", "详情：测试结果、差异与全部指标";
        details_people: "Details: agreement between raters, tests, adjusted means", "详情：评分者一致性、检验与调整均值";
        all_tasks: "All tasks", "全部任务";
        all_pairs: "All pairs of models", "全部模型两两比较";
        matrix_hint: "Row minus column, models in the order of the ranking. Bold: significant (95% interval excludes zero, Holm-corrected p < 0.05). Empty: not compared.", "行模型减列模型，顺序与排名相同。粗体：差异显著（95% 置信区间不含零，Holm 校正后 p < 0.05）；空白：未比较。";
        grid_head: "All tasks of all models", "所有模型的所有任务";
        grid_shows: "Show:", "显示：";
        judges: "Judge models and human ratings", "评判模型与人工评分对照";
        judges_lead: "A judge model is compared with people on outputs that both scored. Its scores do not enter any mean or test above.", "评判模型仅在双方都评过的输出上与人工比较，其评分不计入上面的任何均值和检验。";
        judge_instructions: "Instructions count as 1 (followed) or 0 (not followed), each instruction of an output by itself.", "指令按 1（遵循）或 0（未遵循）计，同一输出的各条指令分别计算。";
        judge: "judge model", "评判模型";
        people: "people", "人工";
        who: "Scored by", "评分者";
        between: "Agreement between", "对照";
        judge_and_people: "judge model and people", "评判模型与人工";
        people_alone: "people", "人工之间";
        judge_means: "Mean scores on outputs that both scored", "双方都评过的输出上的平均分";
        judge_bias: "Judge minus people", "评判减人工";
        judge_length_head: "Rank correlation of the judge model's score minus people's with the length of the code", "评判分数减人工分数与代码长度的秩相关";
        judge_length_hint: "Above 0: the judge model favors longer code more than people do.", "大于 0：评判模型比人更偏好较长的代码。";
        judge_confusion: "Pairs of scores: a row for each score of a person, a column for each of the judge model", "分数对：行为人工分数，列为评判模型分数";
        judge_kappas: "Weighted kappa of the judge model with each rater", "评判模型与每位评分者的加权 kappa";
        replace_head: "May the judge model replace a rater?", "评判模型能否替代一位评分者？";
        replace_lead: "Each rater in turn is compared with the judge model: who is closer to the other raters? The judge model passes if it wins against at least half of the raters. It may lose on a share ε of outputs, because it costs less.", "依次将每位评分者与评判模型比较：谁更接近其他评分者？若评判模型胜过至少一半评分者，则通过。由于成本更低，允许其在比例为 ε 的输出上落后。";
        replace_advantage: "At least as close", "至少同样接近";
        replace_needs: "Undefined: this needs at least three raters who each share 30 outputs with the judge model and another rater.", "未定义：需要至少三位评分者，且每位与评判模型及另一位评分者共同评过 30 个输出。";
        replace_passes: "passes", "通过";
        replace_fails: "does not pass", "未通过";
        metrics: "Metrics", "指标";
        metric: "Metric", "指标";
        nothing: "Nothing to compare yet", "还没有可比较的内容";
        nothing_hint: "Select a study with ratings or a test run with results, or upload outputs first.", "请选择有评分的评分项目或有结果的测试运行，或先上传模型输出。";
        no_ratings: "The selection contains no ratings of these models.", "所选范围内没有这些模型的评分。";
        no_runs: "The selection contains no test runs of these models.", "所选范围内没有这些模型的测试运行。";
        pass_at_1: "Tasks passed (pass@1)", "通过的任务（pass@1）";
        ratio: "AvgPassRatio, as published", "AvgPassRatio（按发布方式）";
        ratio_clamped: "AvgPassRatio, clamped to 1 per task", "AvgPassRatio（每题最多计 1）";
        ratio_sum: "Sum of pass ratios", "通过率之和";
        tasks_with_tests: "Tasks with tests", "有测试的任务";
        answered: "Tasks with a verdict", "有测试结果的任务";
        anomalies: "Tasks with more passes than cases", "通过数多于用例数的任务";
        missing: "Outputs without a verdict", "没有测试结果的输出";
        not_counted: "Outputs not counted (defects of the data)", "未计入的输出（数据有缺陷）";
        verdicts: "Verdicts", "测试结果";
        verdicts_desc: "Number of outputs of each model per verdict. The table contains the same values.", "每个模型的输出得到各种结果的次数，表格中有相同数字。";
        pairs: "Pairwise comparison by task", "按任务两两比较";
        pair: "Models", "模型";
        both_pass: "Both pass", "都通过";
        only_first: "First only", "仅前者";
        only_second: "Second only", "仅后者";
        neither: "Neither", "都未通过";
        pass_difference: "pass@1 difference", "pass@1 之差";
        ratio_difference: "AvgPassRatio difference", "AvgPassRatio 之差";
        uncorrected: "Uncorrected p", "未校正 p 值";
        interval_note: "In brackets: 95% interval, bootstrapped over tasks.", "方括号内为 95% 置信区间（按任务自助抽样）。";
        adjusted: "Adjusted for rater leniency", "按评分者宽松度调整";
        adjusted_hint: "Estimated means if all raters were equally lenient.", "假设所有评分者宽松度相同时的均值。";
        pair_tests: "Significance of the differences", "差异检验";
        difference: "Difference", "差异";
        wilcoxon: "Wilcoxon p", "Wilcoxon p 值";
        permutation: "Permutation p", "置换检验 p 值";
        holm: "Holm-corrected", "Holm 校正";
        effect: "Rank-biserial", "秩双列相关";
        more: "Additional ratings needed, about", "约需补充评分";
        tests_lead: "Two-sided, over tasks for which both models have ratings. The Holm correction covers all pairs and dimensions.", "双侧检验，仅含两个模型都有评分的任务；Holm 校正涵盖全部模型对和维度。";
        correlation_lead: "Correlation between pass ratio and human scores, over outputs that have both.", "在两者都有的输出上，测试通过率与人工评分的相关性。";
        all_together: "All models", "全部模型";
        outputs: "Outputs", "输出";
        spearman: "Spearman", "Spearman";
        kendall: "Kendall tau-b", "Kendall tau-b";
        part_most: "Largest disagreements", "分歧最大的任务";
        people_kinder: "people more lenient", "人工评分更宽松";
        tests_kinder: "tests more lenient", "测试更宽松";
        pass_ratio: "Pass ratio", "通过率";
        mean_score_short: "Value", "数值";
        mean_score: "Mean score", "平均分";
        un_nothing: "no data", "没有数据";
        un_too_few: "not enough data", "数据太少";
        un_no_pairs: "no output rated twice", "没有输出被评过两次";
        un_no_variation: "all values equal", "所有数值相同";
        un_no_divisor: "division by a variance of 0", "作为除数的方差为 0";
        un_not_crossed: "fewer than two outputs rated by everyone", "所有人都评过的输出不足两个";
        un_several_samples: "several outputs per task", "有任务包含多个输出";
        un_unstable: "undefined in most resamples", "在多数重抽样中无定义";
        ac2: "Gwet's AC2", "Gwet AC2";
        icc1: "ICC(1)", "ICC(1)";
        icc2: "ICC(2,1)", "ICC(2,1)";
        icc2k: "ICC(2,k)", "ICC(2,k)";
        kappas: "Weighted kappa for each pair of raters", "两两评分者的加权 kappa";
        dz: "Cohen's d_z", "Cohen d_z";
        cliff: "Cliff's delta", "Cliff delta";
        model: "Model", "模型";
        any_model: "Any", "不限";
        any_spot: "Show all", "显示全部";
        score: "Score", "评分";
        verdict: "Verdict", "测试结果";
        disagreement: "Spread", "分差";
        any: "Any", "不限";
        none_yet: "None yet.", "暂无。";
        by_one: "1 level or more", "至少 1 级";
        by_two: "2 levels or more", "至少 2 级";
        differ: "Models", "模型间差异";
        differing: "That differ", "有差异";
        order: "Sort by", "排序";
        order_dataset: "Dataset order", "数据集顺序";
        order_spread: "Largest spread first", "分差大的在前";
        order_gap: "Largest difference between models first", "模型差异大的在前";
        order_apart: "Largest difference between tests and people first", "测试与人工差异大的在前";
        before: "Previous task", "上一个任务";
        after: "Next task", "下一个任务";
        no_output: "None of the selected models has an output for this task.", "所选模型都没有该任务的输出。";
        export: "Export", "导出";
        export_ratings: "Ratings", "评分";
        export_verdicts: "Verdicts", "测试结果";
        export_outputs: "Outputs", "输出";
        export_pairs: "All pairs of models", "全部模型对";
        csv_for_excel: "CSV for Excel", "CSV（适用于 Excel）";
        pairs_csv: "All pairs of models, CSV", "全部模型对 CSV";
        print_tables: "Tables for print", "排版用表格";
        print_format: "Format", "格式";
        print_scores: "Decimals of scores", "评分小数位";
        print_percent: "Decimals of percentages", "百分比小数位";
        print_download: "Download tables", "下载表格";
        csv_automatic: "CSV: automated tests", "CSV：自动测试";
        csv_manual: "CSV: mean scores", "CSV：评分均值";
        csv_differences: "CSV: differences", "CSV：差异";
        csv_agreement: "CSV: agreement", "CSV：一致性";
        bundle: "Reproducible bundle (zip)", "可复现的完整数据包（zip）";
        dataset_folder: "Folder for Hugging Face datasets (zip)", "Hugging Face datasets 文件夹（zip）";
        export_hint: "Raters appear under pseudonyms, which stay the same within a study.", "评分者以化名出现，同一项目中保持不变。";
        counting: "These figures are being computed for the first time. The page shows them as soon as they are ready; without JavaScript, reload it in a moment.", "正在首次计算所选范围的数据，完成后本页会自动显示；未启用 JavaScript 时请稍后刷新页面。";
        behind: "Newer ratings or verdicts are being processed. These figures do not include them yet.", "正在处理新的评分或测试结果，当前数据尚未包含它们。";
        live: "New ratings or results may still arrive. This page updates automatically.", "仍可能有新的评分或结果，本页会自动更新。";
        updated: "The figures have been updated.", "数据已更新。";
        see_run: "run", "运行";
        still_going: "running", "进行中";
        differences_from: "Mark differences from", "标出差异，相对于";
        no_base: "No model", "不标出";
        models_pages: "Pages of models", "模型分页";
        slices: "Slices of tasks", "任务分组";
        slices_what: "Results by difficulty, length or language", "按难度、长度或语言查看结果";
        slice_by: "Slice by", "分组依据";
        by_difficulty: "Difficulty", "难度";
        by_length: "Length of the description", "描述长度";
        by_code_lang: "Programming language", "编程语言";
        hard: "Hard: under 1/3 pass", "困难：通过率低于 1/3";
        medium: "Medium: 1/3 to 2/3 pass", "中等：通过率 1/3 至 2/3";
        easy: "Easy: over 2/3 pass", "容易：通过率高于 2/3";
        unknown_difficulty: "Unknown: no other model tested", "未知：没有其他模型的测试结果";
        difficulty_rough: "With so few models, this share is a rough measure.", "模型很少，这一比例较为粗略。";
        difficulty_none: "Difficulty is the share of the other models that pass a task. It needs test results of at least two models.", "难度是其他模型中通过该任务的比例，至少需要两个模型的测试结果。";
        difficulty_own: "Means over slices are over each model's own tasks; those over all tasks are adjusted for tasks.", "各组的均值只含该模型自己的任务；全部任务的均值已按任务调整。";
        length_note: "The tasks are in up to three groups of about the same size. Descriptions of the same length are in the same group.", "任务按描述长度分为至多三组，各组任务数大致相同；长度相同的描述在同一组。";
        length_mixed: "A Chinese description has fewer characters than an English one that says the same: select one description language to compare like with like.", "同样的内容，中文描述的字符数比英文少：如需同等比较，请只选一种描述语言。";
        slice_adjusted: "Where the models have different tasks, their means are adjusted for tasks within the slice.", "各模型任务不同的组内，均值已按任务调整。";
        slice_intervals: "In brackets: 95% interval, bootstrapped over the tasks of the slice. Slices are not tested against each other; with several of them, some differ by chance.", "方括号内为 95% 置信区间（对组内任务自助抽样）。各组之间未作检验；分组较多时，部分差异可能出于偶然。";
        quality_and_tokens: "Quality and tokens", "质量与词元数";
        tokens_none: "A chart needs two models with both scores and token counts.", "至少两个模型同时有评分（或测试结果）和词元数，才能绘图。";
        tokens_differ: "Tokens are counted by each model's own tokenizer, as its endpoint or file reports them. Whether they include reasoning depends on the endpoint.", "词元数由各模型自己的分词器计算，按端点或文件的报告；是否包含推理内容取决于端点。";
        slices_csv: "All slices, CSV", "全部分组 CSV";
    }
    title(name: &str): "Comparison: {name}", "比较：{name}";
    export_as(format: &str, table: &str): "{format}: {table}", "{format}：{table}";
    facts(models: u64, ratings: &str, raters: u64, runs: u64):
        "Models: {models} · ratings: {ratings} · raters: {raters} · test runs: {runs}",
        "模型 {models} · 评分 {ratings} · 评分者 {raters} · 测试运行 {runs}";
    rated_facts(models: u64, ratings: &str, raters: u64):
        "Models: {models} · ratings: {ratings} · raters: {raters}",
        "模型 {models} · 评分 {ratings} · 评分者 {raters}";
    left_out(n: u64):
        "Models with neither ratings nor test results, left out: {n}.",
        "未列入：数据集中 {n} 个既无评分也无测试结果的模型。";
    adjudicated_n(n: u64): "Adjudicated scores are used for {n} outputs.", "{n} 个输出采用裁定评分。";
    answers(name: &str): "{name}: yes", "{name}：是";
    each_pair(n: u64): "Pairwise comparison: {n} pairs", "两两比较：{n} 对";
    pairs_cut(shown: u64, all: u64):
        "{shown} of {all} rows: significant differences first, then by size.",
        "共 {all} 行，显示 {shown} 行：先列显著差异，再按大小排列。";
    missing_because(coefficients: &str, why: &str): "– {coefficients}: {why}.", "– {coefficients}：{why}。";
    missing_in(coefficients: &str, dimensions: &str, why: &str):
        "– {coefficients} ({dimensions}): {why}.", "– {coefficients}（{dimensions}）：{why}。";
    un_disconnected(groups: u32): "the raters form {groups} groups that share no output", "评分者分为 {groups} 组，组间没有共同评过的输出";
    part_turn(turn: u32): "Tests of turn {turn}", "第 {turn} 轮的测试";
    task_outputs_of(task: &str): "Tests and outputs of task {task}", "任务 {task} 的测试与输出";
    column_of(model: &str, metric: &str): "{model}: {metric}", "{model}：{metric}";
    higher_than(base: &str): "higher than {base}", "高于 {base}";
    lower_than(base: &str): "lower than {base}", "低于 {base}";
    marks_key(base: &str): "▲ higher, ▼ lower than {base}", "▲ 高于、▼ 低于 {base}";
    models_shown(first: u64, last: u64, all: u64): "Models {first} to {last} of {all}", "第 {first}–{last} 个模型，共 {all} 个";
    characters(shortest: &str, longest: &str): "{shortest} to {longest} characters", "{shortest}–{longest} 个字符";
    characters_of(length: &str): "{length} characters", "{length} 个字符";
    slice_tasks(n: &str): "n = {n}", "n = {n}";
    slice_few(min: u64):
        "Without an interval: fewer than {min} tasks.",
        "无区间：任务少于 {min} 个。";
    slice_single(n: &str, name: &str):
        "All {n} tasks are in one slice ({name}), so there is nothing to compare.",
        "全部 {n} 个任务都在同一组（{name}），没有可比较的分组。";
    slice_models(shown: u64, all: u64):
        "{shown} of {all} models, highest values first; the CSV file has all.",
        "共 {all} 个模型，显示数值最高的 {shown} 个；CSV 文件包含全部。";
    difficulty_note(models: u64):
        "A task's difficulty for a model is the share of the other models with an output for it that pass it (pass@1; {models} models have test results). A model's own result does not decide its slice, so each model has its own tasks in a slice: compare slices in a row, not models in a column.",
        "任务对某个模型的难度，是其他对该任务有输出的模型的通过比例（pass@1；{models} 个模型有测试结果）。模型自身的结果不决定其所在组，因此各模型在同一组中的任务不同：请横向比较同一行的各组，不要纵向比较各模型。";
    tokens_without(models: &str): "Without token counts: {models}.", "没有词元数：{models}。";
    tokens_partly(models: &str): "With token counts for only some outputs: {models}.", "只有部分输出有词元数：{models}。";
    tokens_unscored(models: &str): "With token counts, but neither ratings nor test results: {models}.", "有词元数，但既无评分也无测试结果：{models}。";
    tokens_of(model: &str, counted: &str, all: &str): "{model} ({counted} of {all})", "{model}（{counted} / {all}）";
    further_models(n: u64): "{n} more", "另有 {n} 个";
    run_n(id: i64): "run {id}", "运行 {id}";
    ratings_n(n: &str): "{n} ratings", "{n} 条评分";
    tasks_of(found: &str, all: &str): "{found} of {all} tasks", "{all} 个任务中的 {found} 个";
    replace_won(won: &str, all: &str): "{won} of {all} raters", "{all} 位评分者中的 {won} 位";
    instruction_of_kind(kind: &str): "Instruction: {kind}", "指令：{kind}";
    replace_epsilon(epsilon: &str): "Won at ε = {epsilon}", "ε = {epsilon} 时胜过";
    judge_facts(outputs: &str, both: &str):
        "It scored {outputs} outputs of these models; people rated {both} of them.",
        "评判了这些模型的 {outputs} 个输出，其中 {both} 个也有人工评分。";
    on_spot(percent: &str, score: &str):
        "Only tasks with an output that passes about {percent}% of the tests and has a score of about {score}.",
        "仅显示输出通过率约 {percent}%、评分约 {score} 的任务。";
    grid_left_off(n: &str): "{n} more tasks do not fit in the chart. Use the filter above to find them.", "另有 {n} 个任务图中放不下，可用上方筛选查看。";
    apart_n(name: &str): "{name} and pass ratio", "{name}与通过率对照";
}

impl I18n {
    /// The name of a test, next to its p-value.
    pub fn deciding_test(&self, test: DecidingTest) -> &'static str {
        let (en, zh) = match test {
            DecidingTest::Wilcoxon => ("Wilcoxon", "Wilcoxon 检验"),
            DecidingTest::McNemarMid => ("McNemar, mid-p", "McNemar 检验，mid-p"),
            DecidingTest::Permutation => ("permutation", "置换检验"),
        };
        self.lang.pick(en, zh)
    }
}

impl ComparisonTexts {
    /// The name of a part of a task's tests.
    pub fn part_name(&self, part: TestPart) -> String {
        match part {
            TestPart::Tests => self.part_tests.to_owned(),
            TestPart::Examples => self.part_examples.to_owned(),
            TestPart::Reference => self.part_reference.to_owned(),
            TestPart::Turn(0) => self.part_base.to_owned(),
            TestPart::Turn(turn) => (self.part_turn)(turn),
        }
    }
}
