//! How a study's work is shared: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

texts! {
    /// The texts about plans.
    PlanTexts
    words {
        draft: "Draft", "草稿";

        // New study
        sharing: "Shared", "分配方式";
        sharing_hint: "Who reads which language stands under People.", "每人能阅读的语言在“成员”页面设置。";
        by_count: "evenly, whatever the language", "平均分配，不分语言";
        by_language: "evenly, by the languages each reads", "按各自能阅读的语言平均分配";
        by_hand: "by hand, so many for each", "手动指定每人数量";
        presentation: "Shown", "呈现方式";
        one: "one output at a time", "每次一个输出";
        side_by_side: "all outputs of a task side by side", "同一任务的输出并排显示";
        pace: "Seconds a rating", "每次评分所需秒数";
        pace_hint: "For the hours in the preview. Leave empty to take it from earlier studies.", "用于预览中的工时。留空则采用以往项目的实测值。";
        share: "Share", "份额";
        share_hint: "A share counts outputs, or tasks where outputs stand side by side.", "份额的单位为输出；并排显示时为任务。";
        preview_button: "Preview the plan", "预览分配方案";

        // The plan
        plan: "Plan", "分配方案";
        plan_link: "Plan and people", "方案与人员";
        start: "Start the study", "开始评分";
        to_study: "To the study", "返回项目";
        clone: "Clone", "复制";
        clone_hint: "A draft with the same settings and people and a new seed", "以相同的设置和人员、新的随机种子创建草稿";
        draft_lead: "Nobody sees this study yet. Look at what it comes to, then start it.", "该项目尚未公开。核对方案之后即可开始。";
        running_lead: "People may join and leave, and the study may grow; what is rated stays.", "可以增减人员、扩充项目；已有的评分始终保留。";
        ratings_wanted: "Ratings in all", "评分总数";
        hours_left: "Time to come", "剩余工时";
        hours_head: "Hours", "工时";
        to_come: "To come", "待评";
        pace_button: "Set pace", "设定";
        pace_unknown: "Not known yet: write what you expect, or leave it until some ratings are there.", "尚无数据：可填写预期值，或等有了评分之后自动测得。";
        shares: "Who rates how much", "各人的工作量";
        shares_lead: "Planned and rated together, by model and by language.", "已评与待评合计，按模型和语言列出。";
        leave: "Take out", "移出";
        join_head: "Somebody joins", "增加人员";
        join_lead: "They take over a fair part of what nobody has begun.", "新成员会接手一部分尚未开始的工作。";
        join_draft: "The plan is then made anew from the same seed.", "方案会以同一随机种子重新生成。";
        joins: "Person", "成员";
        join: "Let them join", "加入";
        nobody_else: "Everybody with an account is in it already.", "所有成员都已在项目中。";
        extend_head: "More to rate", "扩充项目";
        extend_lead: "Add outputs, tasks or raters per output. Nothing is ever taken away.", "可以增加模型输出、任务或每个输出的评分人数，不会减少已有内容。";
        extend: "Extend the study", "扩充";
        history: "What changed the plan", "方案变更记录";
        was_started: "The study was started.", "项目已开始。";
        reads: "Reads", "阅读语言";
        reads_both: "English and Chinese", "英文和中文";
        reads_save: "Save", "保存";
    }
    sentences {
        plan_of(title: &str) { format!("Plan: {title}") } { format!("分配方案：{title}") }
        hours(hours: &str) { format!("{hours} hours") } { format!("{hours} 小时") }
        pace_set(s: u32) { if s == 1 { "1 second, as set here.".into() } else { format!("{s} seconds, as set here.") } } { format!("按此处设定的 {s} 秒计算。") }
        pace_measured(s: u32) { if s == 1 { "1 second, the median measured so far with this rubric.".into() } else { format!("{s} seconds, the median measured so far with this rubric.") } } { format!("按本评分标准迄今实测的中位数 {s} 秒计算。") }
        waiting(n: u64) {
            if n == 1 { "1 rating waits: nobody in the study may be given it. Let somebody join.".into() } else { format!("{n} ratings wait: nobody in the study may be given them. Let somebody join.") }
        } { format!("有 {n} 次评分无人可分配，请增加人员。") }
        left_on(at: &str) { format!("left {at}") } { format!("{at} 离开") }
        leave_whose(name: &str) { format!("Take {name} out") } { format!("将 {name} 移出") }
        share_of(name: &str) { format!("Share of {name}") } { format!("{name} 的份额") }
        reads_whose(name: &str) { format!("Languages that {name} reads") } { format!("{name} 能阅读的语言") }
        reads_save_whose(name: &str) { format!("Save the languages of {name}") } { format!("保存 {name} 的阅读语言") }
        submission_n(id: &str) { format!("submission {id}") } { format!("提交 {id}") }
        tasks_most(n: u64) { format!("At most {n}.") } { format!("最多 {n} 个。") }
        was_planned(n: u64) { if n == 1 { "1 rating was planned.".into() } else { format!("{n} ratings were planned.") } } { format!("规划了 {n} 次评分。") }
        has_joined(who: &str, n: u64) { if n == 1 { format!("{who} joined and took over 1 rating.") } else { format!("{who} joined and took over {n} ratings.") } } { format!("{who} 加入，接手 {n} 次评分。") }
        has_left(who: &str, n: u64) { if n == 1 { format!("{who} left; 1 rating was shared out again.") } else { format!("{who} left; {n} ratings were shared out again.") } } { format!("{who} 离开，{n} 次评分重新分配。") }
        was_extended(n: u64) { if n == 1 { "1 rating was added.".into() } else { format!("{n} ratings were added.") } } { format!("增加了 {n} 次评分。") }
        taken(n: u64) {
            if n == 1 { "1 output went over to somebody who had finished early.".into() } else { format!("{n} outputs went over to somebody who had finished early.") }
        } { format!("有 {n} 个输出转给了提前完成的评分者。") }
    }
}
