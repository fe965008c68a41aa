//! Texts of the results pages: leaderboard, a model, a dataset's results.

texts! {
    /// The texts of the results pages.
    ResultsTexts
    words {
        results: "Results", "结果";
        slices_lead: "By difficulty, length or language, for the tasks of one dataset:", "按难度、长度或语言，针对某个数据集的任务：";
        lead: "Mean final scores by people, and pass@k by tests: the share of tasks solved with k samples. Where models were rated on different tasks, means are adjusted for tasks. In brackets: 95% interval, bootstrapped over tasks.", "人工：最终评分的均值（各模型的任务不同时按任务调整）；测试：pass@k，即用 k 个样本解决的任务比例。方括号内为 95% 置信区间（按任务自助抽样）。";
        lead_own: "Mean final scores by people and pass@1 by tests, of each model over its own tasks in the slice. In brackets: 95% interval, bootstrapped over tasks.", "人工：最终评分的均值；测试：pass@1。各模型只计其自己在该组中的任务。方括号内为 95% 置信区间（按任务自助抽样）。";
        dataset: "Dataset", "数据集";
        all_datasets: "All datasets", "全部数据集";
        model: "Model", "模型";
        model_name: "Model name contains", "模型名称包含";
        highest: "Highest value", "最高值";
        show: "Show", "显示";
        csv: "Download CSV", "导出 CSV";
        people: "People", "人工";
        tests: "Tests", "测试";
        tasks: "Tasks", "任务";
        no_data: "no data", "无数据";
        no_outputs: "no outputs", "无输出";
        nothing: "No results yet", "尚无结果";
        nothing_hint: "Import a dataset, upload model outputs, and start a study or a test run.", "请导入数据集、上传模型输出，并开始评分项目或测试运行。";
        none_match: "No model matches the filter.", "没有模型符合筛选条件。";
        computing: "These figures are being computed for the first time. The page shows them as soon as they are ready.", "正在首次计算这些数据，完成后本页会自动显示。";
        behind: "Newer ratings or verdicts are being processed.", "正在处理新的评分或测试结果。";
        comparison: "Comparison with tests of the differences", "含差异检验的模型比较";
        about_dataset: "About the dataset", "数据集信息";
        dataset_results: "Results by task", "各任务的结果";
        leaderboard: "Models", "模型";
        task_lead: "Every task with ratings or test results: final scores and verdicts of all models. Follow a task to see all outputs side by side.", "所有有评分或测试结果的任务：全部模型的最终评分与测试结果。点击任务可并排查看所有输出。";
        baseline: "Baseline", "基线模型";
        no_baseline: "None", "无";
        metric: "Metric", "指标";
        value: "Value", "数值";
        difference: "Difference", "差值";
        holm: "Holm-corrected p", "Holm 校正 p 值";
        conclusion: "Conclusion", "结论";
        higher: "higher than the baseline", "高于基线";
        lower: "lower than the baseline", "低于基线";
        not_significant: "no significant difference", "差异不显著";
        other_order_of_means: "the means, adjusted for tasks, have the other order", "按任务调整后的均值先后相反";
        not_comparable: "cannot be compared", "无法比较";
        versus_note: "Differences are model minus baseline over their n common tasks, for tests over the n tasks that have tests and count for both (a task without an output or a verdict counts 0). The Holm correction covers all pairs of models and dimensions for ratings, and all pairs of models for tests.", "差值为模型减基线，仅含 n 个共同任务；测试则含对两者都计入的 n 个有测试的任务（没有输出或没有测试结果的任务按 0 计）。Holm 校正：评分涵盖全部模型对和维度，测试涵盖全部模型对。";
        submissions: "Submissions", "输出集";
        file: "File", "文件";
        uploaded: "Uploaded", "上传时间";
        version: "Dataset version", "数据集版本";
        outputs: "Outputs", "输出";
        runs: "Test runs", "测试运行";
        studies: "Studies", "评分项目";
        history: "Test runs over time", "历次测试运行";
        history_title: "pass@1 by run", "历次运行的 pass@1";
        history_note: "Each run against the baseline's newest run; p-values are of that one comparison.", "每次运行与基线最新一次运行比较，p 值仅针对该次比较。";
        run: "Run", "运行";
        no_submissions: "This model has no outputs.", "该模型没有输出。";
        dataset_pages: "Pages of datasets", "数据集分页";
        short: "Short description", "描述较短";
        medium: "Description of medium length", "描述长度中等";
        long: "Long description", "描述较长";
        only_tasks: "Only tasks of this slice", "仅含该组任务";
        slice_same: "Figures, ranks and highest values are of these tasks alone.", "数值、名次和最高值都只按这些任务计算。";
        slice_length: "Figures, ranks and highest values are of these tasks alone. Each dataset's tasks are split by length into up to three parts of about the same size, so the bounds, below its name, are its own. Descriptions of the same length stay together: of two parts, one is short and one is long; tasks that are all in one part are neither.", "数值、名次和最高值都只按这些任务计算。各数据集的任务按描述长度分为至多三组，各组任务数大致相同，因此界限因数据集而异，见其名称下方。长度相同的描述在同一组：只有两组时，一组为较短、一组为较长；全部在同一组时，两者都不是。";
        slice_difficulty: "Figures are of these tasks alone. A task's difficulty for a model is the share of the other models with an output for it that pass it (pass@1). A model's own result does not decide, so each model has its own tasks in the slice. That is why there are no ranks and no marks on the highest values, and why means are not adjusted for tasks.", "数值只按这些任务计算。任务对某个模型的难度，是其他对该任务有输出的模型的通过比例（pass@1）。模型自身的结果不参与判定，因此各模型在该组中的任务不同：这里没有名次，不标最高值，均值也不按任务调整。";
        no_tasks: "no tasks", "无任务";
        no_task_in_slice: "no task in this slice", "该组中没有任务";
    }
    sentences {
        found(found: &str, models: &str) { format!("{found} of {models} models") } { format!("共 {models} 个模型，找到 {found} 个") }
        without_ratings(dataset: &str, n: u64)
            { if n == 1 { format!("{dataset}: 1 model has no ratings yet.") } else { format!("{dataset}: {n} models have no ratings yet.") } }
            { format!("{dataset}：{n} 个模型尚无评分。") }
        without_runs(dataset: &str, n: u64)
            { if n == 1 { format!("{dataset}: 1 model has no test run yet.") } else { format!("{dataset}: {n} models have no test run yet.") } }
            { format!("{dataset}：{n} 个模型尚无测试运行。") }
        empty_models(n: u64)
            { if n == 1 { "1 model without results".into() } else { format!("{n} models without results") } }
            { format!("{n} 个模型尚无结果") }
        without_ratings_here(dataset: &str, n: u64)
            { if n == 1 { format!("{dataset}: 1 model has no ratings for these tasks.") } else { format!("{dataset}: {n} models have no ratings for these tasks.") } }
            { format!("{dataset}：{n} 个模型没有这些任务的评分。") }
        without_tests_here(dataset: &str, n: u64)
            { if n == 1 { format!("{dataset}: 1 model has no test results for these tasks.") } else { format!("{dataset}: {n} models have no test results for these tasks.") } }
            { format!("{dataset}：{n} 个模型没有这些任务的测试结果。") }
        none_in_slice(dataset: &str)
            { format!("{dataset}: no task with ratings or test results is in this slice.") }
            { format!("{dataset}：该组中没有任何有评分或测试结果的任务。") }
        mixed_lengths(dataset: &str)
            { format!("{dataset}: descriptions are in two languages, and a Chinese one has fewer characters than an English one that says the same.") }
            { format!("{dataset}：描述有两种语言；同样的内容，中文描述的字符数比英文少。") }
        tasks_for_some(n: &str, all: &str) { format!("{n} of {all} tasks with results, for at least one model") } { format!("{all} 个有结果的任务中的 {n} 个（至少对一个模型）") }
        tasks_with_results(n: &str, all: &str) { format!("{n} of {all} tasks with results") } { format!("{all} 个有结果的任务中的 {n} 个") }
        empty_models_here(n: u64)
            { if n == 1 { "1 model without results for these tasks".into() } else { format!("{n} models without results for these tasks") } }
            { format!("{n} 个模型没有这些任务的结果") }
        more_empty(n: &str) { format!("And {n} more. Filter by name to find them.") } { format!("另有 {n} 个，可按名称筛选。") }
        datasets_shown(first: u64, last: u64, all: u64)
            { if first == last { format!("Dataset {first} of {all}") } else { format!("Datasets {first} to {last} of {all}") } }
            { if first == last { format!("第 {first} 个数据集，共 {all} 个") } else { format!("第 {first}–{last} 个数据集，共 {all} 个") } }
        sort_by(column: &str) { format!("Sort by {column}") } { format!("按{column}排序") }
        rated(tasks: &str, ratings: &str) { format!("tasks: {tasks}, ratings: {ratings}") } { format!("{tasks} 个任务，{ratings} 条评分") }
        tested(answered: u64, tasks: u64)
            { if answered < tasks { format!("verdicts for {answered} of {tasks} tasks") } else { format!("tasks: {tasks}") } }
            { if answered < tasks { format!("{tasks} 个任务中 {answered} 个有测试结果") } else { format!("{tasks} 个任务") } }
        dataset_title(name: &str) { format!("Results: {name}") } { format!("结果：{name}") }
        older_runs(n: u64) { if n == 1 { "1 older run is not shown.".into() } else { format!("{n} older runs are not shown.") } } { format!("另有 {n} 次更早的运行未显示。") }
        run_label(run: i64, date: &str) { format!("Run {run} · {date}") } { format!("运行 {run} · {date}") }
        compared_on(dataset: &str) { format!("Results on {dataset}") } { format!("{dataset} 上的结果") }
    }
}
