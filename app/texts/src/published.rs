//! Texts for the verdicts of a benchmark's published evaluator, which are shown next to those that count.

use super::runs::RunTexts;
use model::{
    lang::Lang,
    published::Difference,
    reason::Reason,
    run::{ItemRow, PublishedVerdict},
};

impl RunTexts {
    /// The published evaluator's verdict, in a word.
    pub fn published_name(&self, verdict: PublishedVerdict) -> &'static str {
        let (en, zh) = match verdict {
            PublishedVerdict::Passed => ("passed", "通过"),
            PublishedVerdict::Failed => ("failed", "未通过"),
            PublishedVerdict::Timeout => ("timed out", "超时"),
        };
        self.lang.pick(en, zh)
    }

    /// The verdict that came with an output, in a word.
    pub fn their_name(&self, passed: bool) -> &'static str {
        self.published_name(if passed { PublishedVerdict::Passed } else { PublishedVerdict::Failed })
    }

    /// Why an output passes as published and not guarded, in a sentence.
    pub fn difference(&self, reason: Option<&Reason>) -> String {
        let words = |en: &str, zh: &str| self.lang.pick(en, zh).to_owned();
        match reason {
            Some(Reason::AnswersRefused) => words(
                "The tests do not accept its answers when they run in a process that the output cannot reach.",
                "测试在输出无法触及的进程中运行时，不接受其答案。",
            ),
            Some(Reason::AnswerNotPlain) => words(
                "It answers with an object that is not plain data, which cannot be sent to the tests.",
                "其答案不是普通数据，无法传给测试。",
            ),
            Some(Reason::NoAnswer) => {
                words("Its process ends before it answers the tests.", "其进程在回答测试之前已结束。")
            }
            Some(Reason::NotAFrame) => {
                words("It writes to the channel on which its answers are sent.", "它向传送答案的通道写入了数据。")
            }
            Some(Reason::SandboxMemory) => words(
                "It uses more memory than the sandbox has while it answers the tests.",
                "它在回答测试时所用内存超出沙箱的上限。",
            ),
            Some(Reason::PrintedTooMuch) => words(
                "It prints more than is accepted while it answers the tests.",
                "它在回答测试时打印的内容超出限制。",
            ),
            Some(Reason::CompilerError { .. }) => {
                words("It does not compile without the tests behind it.", "没有后接的测试代码时，它无法编译。")
            }
            Some(other) => {
                let why = self.reason(other);
                self.lang.pick(format!("Guarded, {why}."), format!("防篡改运行时，{why}。"))
            }
            None => words("The guarded run does not accept it.", "防篡改运行不接受它。"),
        }
    }

    /// A reason with the number of outputs that it concerns.
    pub fn difference_line(&self, difference: &Difference) -> String {
        let sentence = self.difference(difference.reason.as_ref());
        let outputs = self.outputs_count(difference.outputs);
        self.lang.pick(format!("{outputs}: {sentence}"), format!("{outputs}：{sentence}"))
    }

    /// Number of outputs that pass only as published.
    pub fn differ(&self, outputs: u32) -> String {
        match (self.lang, outputs) {
            (Lang::En, 0) => "No output passes only as published.".to_owned(),
            (Lang::En, 1) => "1 output passes only as published.".to_owned(),
            (Lang::En, n) => format!("{n} outputs pass only as published."),
            (Lang::Zh, 0) => "没有输出仅按发布方式通过。".to_owned(),
            (Lang::Zh, n) => format!("{n} 个输出仅按发布方式通过，防篡改运行未通过。"),
        }
    }

    /// `pass@k` by the verdicts as published.
    pub fn published_k(&self, k: u32) -> String {
        self.lang.pick(format!("pass@{k}, as published"), format!("pass@{k}（按发布方式）"))
    }

    fn outputs_count(&self, outputs: u32) -> String {
        let en = if outputs == 1 { "1 output".to_owned() } else { format!("{outputs} outputs") };
        self.lang.pick(en, format!("{outputs} 个输出"))
    }

    /// Why this output's two verdicts differ, if they do.
    pub fn why_differs(&self, item: &ItemRow) -> Option<String> {
        item.differs().then(|| self.difference(item.reason.as_ref()))
    }
}
