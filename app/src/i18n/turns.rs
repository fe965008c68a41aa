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
        joined: "Asked in one message with the next turn.", "与下一轮在同一条消息中提出。";
        changes: "Changes since the previous answer", "与上一个回答相比的改动";
        no_changes: "The code equals that of the previous answer.", "代码与上一个回答相同。";
        added: "Added:", "新增：";
        removed: "Removed:", "删除：";
        too_long: "The code is too long to compare.", "代码过长，无法对比。";
        base_function: "The function itself", "函数本身";
        input_output: "Input and output", "输入与输出";
        exception_handling: "Exception handling", "异常处理";
        edge_case: "Edge cases", "边界情况";
        functionality_extension: "Extended functionality", "功能扩展";
        annotation_coverage: "Type annotations", "类型注解";
        code_complexity: "Code complexity", "代码复杂度";
        code_standard: "Code style", "代码规范";
        context_usage: "Use of the context", "上下文使用";
        context_usage_correctness: "Correct use of the context", "上下文的正确使用";
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
