//! Runs of automated tests: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use crate::model::run::{LimitHit, RunStatus, Verdict};

macro_rules! texts {
    ($($word:ident: $en:literal, $zh:literal;)*) => {
        /// The texts of the pages about runs.
        pub struct RunTexts {
            $(pub $word: &'static str,)*
        }
        /// English.
        pub const EN: RunTexts = RunTexts { $($word: $en,)* };
        /// Chinese.
        pub const ZH: RunTexts = RunTexts { $($word: $zh,)* };
    };
}

texts! {
    again: "Run this output again", "重新运行该输出";
    assembled: "The class that was compiled", "实际编译的类";
    cached: "from the cache", "来自缓存";
    cancel: "Stop this run", "停止运行";
    case: "Case", "用例";
    cases: "Cases", "用例";
    changes: "What was changed to make a class of it", "为组成类所做的改动";
    clamped: "where no task counts for more than 1", "每个任务最多计 1";
    clock_time: "Time", "耗时";
    compiler: "What the compiler said", "编译器信息";
    cpu: "Processor time", "处理器时间";
    done: "Done", "已完成";
    engine_failed: "The engine itself failed; this says nothing about the output.", "引擎自身出错，与该输出无关。";
    environment: "Where it ran", "运行环境";
    every_verdict: "Every verdict", "全部结果";
    export_csv: "CSV", "CSV";
    export_jsonl: "JSON Lines", "JSON Lines";
    flags: "To look at", "值得注意";
    fresh: "Also what was run before, unchanged", "未变动的也重新运行";
    left: "Time left, about", "预计剩余";
    limit: "Limit reached", "触及的限制";
    line: "line", "行";
    memory: "Memory", "内存";
    metrics: "Figures", "指标";
    model_text: "The model's own text", "模型原文";
    no_runs: "No run yet", "还没有运行";
    no_runs_hint: "Open a submission whose dataset has tests and start one there.", "请打开带有测试的数据集的模型输出，在那里开始运行。";
    passed_cases: "Cases passed", "通过的用例";
    printed: "What it printed", "打印内容";
    ratio: "AvgPassRatio", "AvgPassRatio";
    run: "Run", "运行";
    runs: "Runs", "测试运行";
    share: "of all tasks", "占全部任务";
    solved: "Tasks passed", "通过的任务";
    start: "Run the tests", "运行测试";
    started: "Begun", "开始时间";
    state: "State", "状态";
    verdict: "Verdict", "结果";
    waiting: "waiting", "等待中";
    at_work: "at work", "运行中";
    why: "Why", "原因";
}

impl RunTexts {
    fn pick(&self, en: &'static str, zh: &'static str) -> &'static str {
        // The two catalogues are told apart by a word of theirs.
        if self.run == EN.run { en } else { zh }
    }

    /// A verdict's name.
    pub fn verdict_name(&self, verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Passed => self.pick("passed", "通过"),
            Verdict::Failed => self.pick("failed", "未通过"),
            Verdict::CompileError => self.pick("compile error", "编译错误"),
            Verdict::Timeout => self.pick("timeout", "超时"),
            Verdict::OutOfMemory => self.pick("out of memory", "内存不足"),
            Verdict::Crashed => self.pick("crashed", "崩溃"),
            Verdict::NoResult => self.pick("no result", "没有结果"),
            Verdict::Tampered => self.pick("tampered", "篡改"),
            Verdict::Anomaly => self.pick("anomaly", "异常"),
        }
    }

    /// What a verdict means, in a sentence.
    pub fn verdict_meaning(&self, verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Passed => self.pick("Every test case passed.", "全部测试用例通过。"),
            Verdict::Failed => self.pick("Some test case did not pass.", "有测试用例未通过。"),
            Verdict::CompileError => self.pick("It does not compile.", "无法编译。"),
            Verdict::Timeout => self.pick("It ran out of time.", "超出时间限制。"),
            Verdict::OutOfMemory => self.pick("It ran out of memory or threads.", "超出内存或线程限制。"),
            Verdict::Crashed => {
                self.pick("It ended the tests or the whole Java machine.", "测试或整个 Java 虚拟机被其终止。")
            }
            Verdict::NoResult => self.pick("It left before there was a result.", "在得出结果之前退出。"),
            Verdict::Tampered => self.pick("It changed what the tests rest on.", "改动了测试所依赖的环境。"),
            Verdict::Anomaly => self.pick("The tests reported something that cannot be.", "测试报告了不可能的数字。"),
        }
    }

    /// A limit's name.
    pub fn limit_name(&self, limit: LimitHit) -> &'static str {
        match limit {
            LimitHit::Cpu => self.pick("processor time", "处理器时间"),
            LimitHit::Wall => self.pick("time on the clock", "时钟时间"),
            LimitHit::Heap => self.pick("memory", "内存"),
            LimitHit::Threads => self.pick("threads", "线程"),
            LimitHit::Printed => self.pick("amount printed", "打印量"),
        }
    }

    /// A run's state.
    pub fn status_name(&self, status: RunStatus) -> &'static str {
        match status {
            RunStatus::Running => self.pick("running", "进行中"),
            RunStatus::Finished => self.pick("finished", "已完成"),
            RunStatus::Cancelled => self.pick("stopped", "已停止"),
        }
    }
}
