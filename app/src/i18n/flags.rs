//! Raters' flags.

use crate::model::flag::{Flag, FlagReason};

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
    sentences {
        with_text(reason: &str, text: &str) { format!("{reason}: {text}") } { format!("{reason}：{text}") }
    }
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

    /// A flag: its reason, and what the rater wrote about it.
    pub fn flag(&self, flag: &Flag) -> String {
        match (flag.reason, flag.text.trim()) {
            (reason, "") => self.reason(reason).to_owned(),
            (FlagReason::Other, text) => text.to_owned(),
            (reason, text) => (self.with_text)(self.reason(reason), text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_its_reason_and_its_text() {
        let words = |reason, text: &str| EN.flag(&Flag { reason, text: text.to_owned() });
        assert_eq!(words(FlagReason::CannotJudge, ""), "I cannot judge this");
        assert_eq!(words(FlagReason::CannotJudge, "No Spring here."), "I cannot judge this: No Spring here.");
        assert_eq!(words(FlagReason::Other, "Two readings."), "Two readings.");
        assert_eq!(words(FlagReason::Other, ""), "Something else");
        assert_eq!(words(FlagReason::CodeTruncated, " "), "Code is cut off");
    }
}
