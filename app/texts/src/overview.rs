//! The admins' first page.

use super::I18n;

texts! {
    OverviewTexts
    words {
        waiting: "Waiting for you", "等待处理";
        waiting_none: "Nothing waits in the inbox.", "没有待办事项。";
        studies: "Studies in progress", "进行中的评分项目";
        studies_none: "No study is in progress.", "没有进行中的评分项目。";
        study: "Study", "评分项目";
        progress: "Progress", "进度";
        pace: "Ratings a day", "每天评分数";
        due: "Due", "截止日期";
        agreement: "Agreement", "一致性";
        agreement_note: "Ratings a day: mean of the last 7 days, or of the days since the study started. Agreement: Krippendorff's alpha of the dimension on which raters agree least.", "每天评分数：最近 7 天（或项目开始以来）的平均值。一致性：评分者一致性最低的维度的 Krippendorff's alpha。";
        complete: "Complete", "已完成";
        late: "Behind", "落后";
        compare: "View comparison", "查看模型比较";
        days: "Ratings of the last 14 days", "最近 14 天的评分数";
        days_none: "No ratings in the last 14 days.", "最近 14 天没有评分。";
        days_utc: "Days in UTC.", "日期按 UTC 计。";
        late_raters: "Raters without activity for 3 days", "3 天没有活动的评分者";
        late_none: "No rater with work left has been inactive for 3 days.", "没有评分者在有剩余任务时连续 3 天没有活动。";
        late_more: "There are others. The pages of the studies list them.", "还有其他评分者，请在项目页面查看。";
        in_progress: "Runs and collections in progress", "进行中的测试运行与采集";
        in_progress_none: "No run and no collection is in progress.", "没有进行中的测试运行或采集。";
        changes: "Changes since your last visit", "上次访问以来的变更";
        changes_first: "Latest changes", "最近的变更";
        changes_none: "Others have changed nothing since.", "此后其他人没有更改任何内容。";
        all_changes: "Audit log", "审计日志";
    }
    sentences {
        needed(n: &str) { format!("{n} needed") } { format!("需 {n}") }
        needed_a_day(n: &str) { format!("The line marks the {n} ratings a day that the due dates need.") } { format!("虚线表示按截止日期每天需要的 {n} 次评分。") }
        late_left(n: u64, since: &str)
            { format!("{} left, last active {since}", if n == 1 { "1 rating".to_owned() } else { format!("{} ratings", I18n::of(model::lang::Lang::En).number(n)) }) }
            { format!("剩余 {} 次评分，最近活动：{since}", I18n::of(model::lang::Lang::Zh).number(n)) }
        run(model: &str, dataset: &str) { format!("Test run: {model}, {dataset}") } { format!("测试运行：{model}，{dataset}") }
        collection(model: &str, dataset: &str) { format!("Collection: {model}, {dataset}") } { format!("采集：{model}，{dataset}") }
        judging(model: &str, dataset: &str) { format!("Judging: {model}, {dataset}") } { format!("评判：{model}，{dataset}") }
        since(at: &str) { format!("Since {at}.") } { format!("自 {at} 起。") }
        overdue(date: &str) { format!("{date}, passed") } { format!("{date}，已过期") }
        kind_n(kind: &str, n: &str) { format!("{kind}: {n}") } { format!("{kind}：{n}") }
    }
}
