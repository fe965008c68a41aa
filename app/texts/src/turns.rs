//! Texts of conversations as people read them.

use super::I18n;

texts! {
    /// The texts of a conversation.
    TurnTexts
    words {
        conversation: "Conversation", "对话";
        base: "Base prompt", "基础提示";
        rated: "this answer", "本回答";
        answer: "Answer", "回答";
        no_answer: "The model gave no answer to this turn.", "模型在该轮没有回答。";
        again: "Told that the answer fails the tests of this instruction.", "告知该回答未通过此指令的测试。";
        joined: "Asked in one message with the next turn.", "与下一轮在同一条消息中提出。";
        changes: "Changes since the previous answer", "与上一个回答相比的改动";
        no_changes: "The code equals that of the previous answer.", "代码与上一个回答相同。";
        added: "Added:", "新增：";
        removed: "Removed:", "删除：";
        too_long: "The code is too long to compare.", "代码过长，无法对比。";
    }
    sentences {
        turn_n(n: u32) { format!("Turn {n}") } { format!("第 {n} 轮") }
        unchanged_n(n: usize) { if n == 1 { "1 unchanged line".into() } else { format!("{n} unchanged lines") } } { format!("{n} 行未改动") }
        summary(added: usize, removed: usize) { format!("{added} added, {removed} removed") } { format!("新增 {added} 行，删除 {removed} 行") }
    }
}

impl I18n {
    /// The texts of a conversation.
    pub fn turns(&self) -> &'static TurnTexts {
        self.lang.pick(&EN, &ZH)
    }
}
