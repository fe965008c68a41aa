//! Texts for raters about a study's quality: calibration, replies to flags, their own figures. A separate
//! catalog, so that a rater's part of the client contains none of the admin's texts; a few are in both.
//! Both languages of each side by side.

use super::I18n;
use model::lang::Lang;

impl I18n {
    pub fn feedback(&self) -> &'static Feedback {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    Feedback
    words {
        pace: "Pace", "速度";
        active: "Active time", "用时";
        leniency: "Leniency", "宽松度";
        leniency_hint: "Mean difference from the other raters on shared outputs, in levels. Values above 0 are more lenient.", "在共同评分的输出上与其他评分者的平均差（级）：大于 0 为偏宽松。";
        with_peers: "Agreement with others", "与他人一致";
        with_known_scores: "Known scores matched", "与标准评分一致";
        with_self: "Agreement with own ratings", "与自己一致";
        asked_signature: "Signature", "方法签名";
        calibration_must_note: "Calibration: score these outputs as you would any other. You see your result at the end.", "校准：请像平常一样评分，结束后会告知结果。";
        calibration_train_note: "Calibration: after you score the output, you see the known scores and the reasons.", "校准：评分之后，您会看到标准评分及其理由。";
        known_head: "Known scores", "标准评分";
        yours_head: "Your score", "您的分数";
        known_col: "Known score", "标准分数";
        same: "match", "一致";
        go_on: "Continue", "继续";
        passed_head: "Calibration complete", "校准已完成";
        passed_lead: "From now on, your ratings count.", "从现在起，您的评分将计入结果。";
        begin: "Start rating", "开始评分";
        stopped_head: "Calibration not passed", "校准未通过";
        stopped_lead: "Thank you for taking part. Your scores differed from the known scores by more than this study allows; a rubric can be read in more than one way. The study's admins have been notified and can allow you to rate or to repeat the calibration.", "感谢您的参与。您的评分与标准评分的差距超出了本项目的范围；评分标准可能有不同的理解。管理员已收到通知，可以放行或请您重新校准。";
        paused_head: "You are paused in this study", "您在此项目中已被暂停";
        paused_lead: "An admin will review your recent ratings before you continue. All your ratings and drafts are saved.", "管理员将查看您最近的评分，再决定如何继续。您的评分和草稿都已保存。";
        warned_head: "Please take your time", "请放慢速度，仔细评分";
        warned_lead: "Read each description, the code and the rubric before you score. Your ratings are saved.", "请在评分前仔细阅读任务描述、代码和评分标准。您的评分都已保存。";
        warned_far: "Some of your recent scores are further from the rubric than this study expects.", "您最近的部分评分与评分标准的偏差超出了此项目的要求。";
        to_my_studies: "Back to my studies", "返回我的评分项目";
        replies_title: "Replies to your flags", "标记的答复";
        reply_from: "Reply to your flag", "对您标记的答复";
        no_words: "Resolved. Thank you for reporting it.", "已处理，感谢您指出。";
        you_raised: "Your flag:", "您的标记：";
        mark_read: "Mark as read", "标为已读";
        new: "new", "新";
        own_figures: "My statistics", "我的统计";
    }
    sentences {
        warned_fast(fast: u64, of: u64, seconds: u32) { format!("{fast} of your last {of} ratings took less than {seconds} seconds.") } { format!("您最近的 {of} 次评分中有 {fast} 次不足 {seconds} 秒。") }
        per_hour(n: &str) { format!("{n} per hour") } { format!("每小时 {n} 个") }
        hours(h: u64, m: u64) { if h > 0 { format!("{h} h {m} min") } else { format!("{m} min") } } { if h > 0 { format!("{h} 小时 {m} 分") } else { format!("{m} 分") } }
        step_of(n: u64, of: u64) { format!("Item {n} of {of}") } { format!("第 {n} 题，共 {of} 题") }
        off_by(n: u8) { if n == 1 { "1 level off".into() } else { format!("{n} levels off") } } { format!("相差 {n} 级") }
        result_of(right: u64, of: u64) { format!("Correct items: {right} of {of}.") } { format!("{of} 题中有 {right} 题正确。") }
        result_needed(n: u64) { format!("Required: {n}.") } { format!("需要 {n} 题。") }
        decide_n(n: u64) { if n == 1 { "1 disagreement to adjudicate".into() } else { format!("{n} disagreements to adjudicate") } } { format!("{n} 处分歧待裁定") }
        outputs_n(n: u64) { if n == 1 { "1 output".into() } else { format!("{n} outputs") } } { format!("{n} 个输出") }
        matches(share: f64, near: f64) { format!("{:.0}% exact, {:.0}% within one level", share * 100.0, near * 100.0) } { format!("完全一致 {:.0}%，相差不超过一级 {:.0}%", share * 100.0, near * 100.0) }
    }
}
