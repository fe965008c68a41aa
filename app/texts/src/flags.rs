//! Raters' flags.

use model::flag::FlagReason;

texts! {
    /// Texts of flags.
    FlagTexts
    words {
        none: "No flag", "无标记";
        description_unclear: "Description is unclear", "任务描述不清楚";
        cannot_judge: "I cannot judge this", "无法判断";
        code_truncated: "Code is cut off", "代码不完整";
        other: "Something else", "其他问题";
        text: "What is the problem?", "有什么问题？";
        text_optional: "Details (optional)", "具体说明（可选）";
    }
    sentences {}
}

impl FlagTexts {
    /// A reason, as forms offer it.
    pub fn reason(&self, reason: FlagReason) -> &'static str {
        match reason {
            FlagReason::DescriptionUnclear => self.description_unclear,
            FlagReason::CannotJudge => self.cannot_judge,
            FlagReason::CodeTruncated => self.code_truncated,
            FlagReason::Other => self.other,
        }
    }
}
