//! Texts about plans, both languages of each side by side.

texts! {
    PlanTexts
    words {
        // New study
        sharing: "Assign work", "分配方式";
        sharing_hint: "You can set the languages that each person reads under People.", "每人能阅读的语言在“成员”页面设置。";
        by_count: "Evenly, regardless of language", "平均分配，不分语言";
        by_language: "Evenly, by the languages that each rater reads", "按各自能阅读的语言平均分配";
        by_hand: "Manually, with a number for each rater", "手动指定每人数量";
        answers: "Answers to rate", "要评的回答";
        answers_last: "The last answer of each conversation", "每段对话的最后一个回答";
        answers_each: "Each answer", "每个回答";
        presentation: "Presentation", "显示方式";
        one: "One output at a time", "每次一个输出";
        side_by_side: "All outputs of a task side by side", "同一任务的输出并排显示";
        pace: "Seconds per rating", "每次评分所需秒数";
        pace_hint: "Used to estimate the hours in the preview. Leave empty to use the pace of earlier studies.", "用于估算预览中的工时。留空则采用以往项目的实测值。";
        share: "Share", "份额";
        share_hint: "Counts outputs, or tasks if outputs are shown side by side.", "份额的单位为输出；并排显示时为任务。";
        preview_button: "Save draft and preview plan", "保存草稿并预览分配方案";

        // The plan
        plan: "Plan", "分配方案";
        plan_link: "Plan and raters", "方案与评分者";
        start: "Start study", "开始评分项目";
        clone: "Duplicate", "复制";
        clone_hint: "Creates a draft with the same settings, known-score items, raters and adjudicators, and a new seed", "以相同的设置、标准题、评分者和裁定者，以及新的随机种子创建草稿";
        edit: "Edit", "编辑";
        edit_lead: "Everything can be changed until the study starts. Saving draws the plan anew.", "项目开始前可以修改全部设置。保存后会重新生成分配方案。";
        edit_save: "Save and preview plan", "保存并预览分配方案";
        edit_cancel: "Cancel", "取消";
        edit_started: "This study has started, so its settings can no longer be changed. You can extend it, add and remove raters, or duplicate it as a new draft.", "该项目已经开始，其设置不能再修改。可以扩充项目、添加或移除评分者，或复制为新的草稿。";
        leaks_title: "Start even though raters can see model names?", "评分者会看到模型名称，仍要开始吗？";
        leaks_consequence: "Raters who know the model no longer rate blind, and existing ratings cannot be made blind later. Hiding the names does not change the stored outputs.", "评分者知道模型后就不再是盲评，已给出的评分事后也无法补救。隐去名称不会改变保存的输出。";
        leaks_mask_start: "Hide names and start", "隐去名称并开始";
        leaks_start: "Start without hiding", "不隐去，直接开始";
        leaks_unread: "The submissions are large, so their outputs were not searched for model names.", "输出集较大，尚未查找其中的模型名称。";
        leaks_submission: "Open the submission", "查看输出集";
        draft_lead: "This study is not visible to raters yet. Check the plan, then start the study.", "评分者还看不到该项目。核对方案之后即可开始。";
        running_lead: "You can add and remove raters and extend the study. Existing ratings are kept.", "可以添加或移除评分者、扩充项目；已有的评分全部保留。";
        ratings_wanted: "Total ratings", "评分总数";
        hours_left: "Time remaining", "剩余工时";
        hours_head: "Hours", "工时";
        to_come: "Remaining", "待评";
        break_minutes: "Suggest a break after, in minutes", "工作多少分钟后提示休息";
        break_hint: "Raters then see a note between two outputs that suggests a break. It does not stop their work. Leave it empty for none.", "评分者连续工作达到此时长后，会在两个输出之间看到休息提示，但不会被中断。留空则不提示。";
        pace_button: "Set pace", "设定";
        pace_unknown: "Not known yet. Enter an estimate, or wait for the first ratings.", "尚无数据。可填写预估值，或等有了评分之后自动测得。";
        shares: "Ratings per rater", "各评分者的工作量";
        shares_lead: "Completed and remaining ratings together, by model and language.", "已评与待评合计，按模型和语言列出。";
        leave: "Remove", "移除";
        join_head: "Add a rater", "添加评分者";
        join_lead: "The new rater takes over a fair share of the work that has not been started.", "新的评分者会接手一部分尚未开始的工作。";
        join_draft: "The plan is then recomputed from the same seed.", "方案会以同一随机种子重新生成。";
        joins: "Rater", "评分者";
        join: "Add", "添加";
        nobody_else: "All people are already in this study.", "所有成员都已在项目中。";
        extend_head: "Extend the study", "扩充项目";
        extend_lead: "Add submissions, tasks or raters per output. Nothing is removed.", "可以增加输出集、任务或每个输出的评分人数，不会减少已有内容。";
        extend: "Extend study", "扩充";
        history: "Plan history", "方案变更记录";
        was_started: "Study started.", "项目已开始。";
        reads: "Reads", "阅读语言";
        reads_both: "English and Chinese", "英文和中文";
        reads_saved: "Languages saved", "阅读语言已保存";
        reads_save: "Save", "保存";
    }
    sentences {
        leaks_n(n: u64, names: &str) { if n == 1 { format!("1 output may reveal its model to raters: {names}.") } else { format!("{n} outputs may reveal their model to raters: {names}.") } } { format!("{n} 个输出可能会向评分者透露模型：{names}。") }
        edit_of(title: &str) { format!("Edit: {title}") } { format!("编辑：{title}") }
        hours(hours: &str) { format!("{hours} hours") } { format!("{hours} 小时") }
        pace_set(s: u32) { if s == 1 { "1 second, set manually.".into() } else { format!("{s} seconds, set manually.") } } { format!("按手动设定的 {s} 秒计算。") }
        pace_measured(s: u32) { if s == 1 { "1 second, the median of ratings with this rubric so far.".into() } else { format!("{s} seconds, the median of ratings with this rubric so far.") } } { format!("按本评分标准迄今实测的中位数 {s} 秒计算。") }
        waiting(n: u64) {
                if n == 1 { "1 rating cannot be assigned to any rater of this study. Add a rater.".into() } else { format!("{n} ratings cannot be assigned to any rater of this study. Add a rater.") }
            } { format!("有 {n} 次评分无人可分配，请添加评分者。") }
        left_on(at: &str) { format!("removed {at}") } { format!("{at} 移除") }
        leave_leads_to(open: &str)
            { format!("Ratings that are submitted stay. The {open} that remain go to the other raters. You can add the person again.") }
            { format!("已提交的评分会保留，剩余的 {open} 条评分分给其他评分者。之后可以重新添加该成员。") }
        leave_whose(name: &str) { format!("Remove {name}") } { format!("移除 {name}") }
        share_of(name: &str) { format!("Share: {name}") } { format!("份额：{name}") }
        reads_whose(name: &str) { format!("Languages: {name}") } { format!("阅读语言：{name}") }
        reads_save_whose(name: &str) { format!("Save languages of {name}") } { format!("保存 {name} 的阅读语言") }
        submission_n(id: &str) { format!("submission {id}") } { format!("输出集 {id}") }
        tasks_most(n: u64) { format!("Maximum: {n}.") } { format!("最多 {n} 个。") }
        was_planned(n: u64) { if n == 1 { "1 rating planned.".into() } else { format!("{n} ratings planned.") } } { format!("规划了 {n} 次评分。") }
        was_added(who: &str, n: u64) { if n == 1 { format!("{who} was added and took over 1 rating.") } else { format!("{who} was added and took over {n} ratings.") } } { format!("添加了 {who}，接手 {n} 次评分。") }
        was_removed(who: &str, n: u64) { if n == 1 { format!("{who} was removed; 1 rating was reassigned.") } else { format!("{who} was removed; {n} ratings were reassigned.") } } { format!("移除了 {who}，{n} 次评分重新分配。") }
        was_extended(n: u64) { if n == 1 { "1 rating added.".into() } else { format!("{n} ratings added.") } } { format!("增加了 {n} 次评分。") }
        taken_over(n: u64) {
                if n == 1 { "1 output was reassigned to a rater who finished early.".into() } else { format!("{n} outputs were reassigned to raters who finished early.") }
            } { format!("有 {n} 个输出转给了提前完成的评分者。") }
    }
}
