//! What of a study's quality comes before its raters: calibration, answers to flags, their own figures.
//! A catalogue of its own, so that a rater's part of the client holds none of the admin's words; a few
//! are in both. Each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use super::I18n;
use crate::model::lang::Lang;

impl I18n {
    /// What comes back to a rater.
    pub fn feedback(&self) -> &'static Feedback {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    /// The texts of this area.
    Feedback
    words {
        pace: "Pace", "速度";
        active: "Active", "用时";
        severity: "Severity", "宽严";
        severity_hint: "Mean difference from the others on shared outputs, in levels: above 0 is milder.", "在共同评分的输出上与他人的平均差（级）：大于 0 为偏宽。";
        with_peers: "With others", "与他人一致";
        with_gold: "With known scores", "与标准一致";
        with_self: "With themselves", "与自己一致";
        asked_signature: "Signature", "方法签名";
        opening_must_note: "Calibration: score these as you would any other. How you did is said at the end.", "校准：请像平常一样评分，结束后会告知结果。";
        opening_train_note: "Calibration: score it, and you will see the known scores and why.", "校准：评分之后，您会看到标准评分及其理由。";
        known_head: "The known scores", "标准评分";
        yours_head: "Yours", "您的评分";
        known_col: "Known", "标准";
        same: "the same", "一致";
        go_on: "Go on", "继续";
        passed_head: "You can begin", "可以开始了";
        passed_lead: "The calibration is behind you. From here on, your ratings count.", "校准已完成。从现在起，您的评分将计入结果。";
        begin: "Start grading", "开始评分";
        stopped_head: "Thank you for trying", "感谢您的尝试";
        stopped_lead: "Your scores were further from the known ones than this study allows. That happens: rubrics can be read in more than one way. The study's admin has been told, and can let you in or have you try again.", "您的评分与标准评分的差距超出了本项目的范围。这很常见，评分标准可以有不同的理解。管理员已经知晓，可以放行或请您重新校准。";
        to_desk: "To your desk", "返回工作台";
        came_back: "What came back", "给您的答复";
        reply_from: "Answer to your flag", "对您标记的答复";
        no_words: "Settled. Thank you for pointing it out.", "已处理，感谢您指出。";
        you_raised: "You raised:", "您的标记：";
        mark_read: "I have read this", "我已阅读";
        new: "new", "新";
        own_figures: "Your figures", "您的数据";
    }
    sentences {
        per_hour(n: f64) { format!("{n:.0} an hour") } { format!("每小时 {n:.0} 个") }
        hours(h: u64, m: u64) { if h > 0 { format!("{h} h {m} min") } else { format!("{m} min") } } { if h > 0 { format!("{h} 小时 {m} 分") } else { format!("{m} 分") } }
        step_of(n: u64, of: u64) { format!("Item {n} of {of}") } { format!("第 {n} 题，共 {of} 题") }
        off_by(n: u8) { if n == 1 { "1 level off".into() } else { format!("{n} levels off") } } { format!("相差 {n} 级") }
        result_of(right: u64, of: u64) { format!("{right} of {of} items were right.") } { format!("{of} 题中有 {right} 题正确。") }
        result_needed(n: u64) { format!("{n} were needed.") } { format!("需要 {n} 题。") }
        decide_n(n: u64) { if n == 1 { "1 disagreement waits for your decision".into() } else { format!("{n} disagreements wait for your decision") } } { format!("{n} 处分歧等待您裁决") }
        outputs_n(n: u64) { if n == 1 { "1 output".into() } else { format!("{n} outputs") } } { format!("{n} 个输出") }
        matches(share: f64, near: f64) { format!("{:.0} % exact, {:.0} % within one", share * 100.0, near * 100.0) } { format!("完全一致 {:.0} %，相差不超过一级 {:.0} %", share * 100.0, near * 100.0) }
    }
}
