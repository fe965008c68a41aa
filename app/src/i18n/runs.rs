//! Runs of automated tests: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use crate::model::{
    ids::RunId,
    run::{Change, Conditions, Flag, LimitHit, RunStatus, Sums, Verdict, said},
};

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
    again_all: "Run everything again", "全部重新运行";
    again_all_warning: "Makes a new run of the same outputs and leaves everything that is known of them alone. It takes as long as the first time. This run stays as it is.", "对相同的输出新建一次运行，不使用任何已知结果，耗时与首次运行相当。当前运行保持不变。";
    again_changed: "Run again what has changed", "重新运行有变化的输出";
    again_changed_warning: "The engine looks which outputs could come to something else today, because the engine itself, its limits or the Java build are others than then, and runs those. Their results are replaced. Where nothing has changed, nothing is run.", "引擎会检查哪些输出如今可能得到不同结果（引擎本身、限制或 Java 版本已改变），只重新运行这些输出并替换其结果。若没有变化，则不运行任何内容。";
    again_failed: "Run the engine's failures again", "重新运行引擎出错的输出";
    again_failed_warning: "Runs every output again on which the engine itself failed, one after the other.", "逐个重新运行引擎自身出错的输出。";
    again_head: "Run again", "重新运行";
    all_tasks: "all", "全部";
    anomaly_hint: "The tests reported more passes than cases, or no case at all. The numbers are kept as reported.", "测试报告的通过数多于用例数，或没有任何用例。数字按原样保留。";
    as_reported: "as the tests reported it", "按测试原始报告";
    assembled: "The class that was compiled", "实际编译的类";
    assembled_hint: "The model's own lines carry their numbers. Lines that were added or changed are marked, with what the model wrote.", "模型原有的行标有行号；补充或改动的行另有标记，并附上模型的原文。";
    at_work: "at work", "运行中";
    cached: "answered from the cache: the same code, tests and Java were run before.", "来自缓存：相同的代码、测试与 Java 版本此前已运行过。";
    cached_short: "from the cache", "来自缓存";
    cancel: "Stop this run", "停止运行";
    cancel_warning: "What is done stays. You can go on with the rest later.", "已完成的结果会保留，之后可以继续运行其余部分。";
    case: "Case", "用例";
    case_passed: "Passed", "是否通过";
    cases: "Cases", "用例";
    changed_from: "the model wrote:", "模型原文：";
    changes: "What was changed to make a class of it", "为组成类所做的改动";
    choose_others: "Choose other runs", "选择其他运行";
    choose_runs: "Choose two runs of one dataset", "选择同一数据集的两次运行";
    clamped: "where no task counts for more than 1", "每个任务最多计 1";
    clock_time: "Time", "耗时";
    compare: "Compare", "比较";
    compare_runs: "Compare two runs", "比较两次运行";
    compiler: "What the compiler said", "编译器信息";
    cpu: "Processor time", "处理器时间";
    difference: "Difference", "差异";
    differs: "differs", "不同";
    done: "Done", "已完成";
    encoding: "Encoding", "编码";
    engine_failed: "The engine itself failed; this says nothing about the output.", "引擎自身出错，与该输出无关。";
    engine_failed_short: "engine failed", "引擎出错";
    environment: "Where it ran", "运行环境";
    every_verdict: "Every verdict", "全部结果";
    export_csv: "CSV", "CSV";
    export_jsonl: "JSON Lines", "JSON Lines";
    flagged: "Only what has something to look at", "只看有值得注意之处的";
    flags: "To look at", "值得注意";
    getting_ready: "The engine is getting ready: the first time it makes itself a small Java, which takes some seconds.", "引擎正在准备：首次使用时需要制作精简版 Java，约需数秒。";
    go_on: "Go on with it", "继续运行";
    in_all: "All", "合计";
    left: "Time left, about", "预计剩余";
    limit: "Limit reached", "触及的限制";
    line: "line", "行";
    locale: "Locale", "区域设置";
    lost: "The connection to the server is lost. The run goes on without it; this page keeps trying.", "与服务器的连接已断开。运行不受影响，页面正在重新连接。";
    memory: "Memory", "内存";
    missing: "no output", "没有输出";
    missing_hint: "The submission has no output for this task; it counts 0.", "该提交没有此任务的输出，按 0 计。";
    mixed_one: "Run with another engine, Java build or limits than the run's other outputs.", "所用的引擎、Java 版本或限制与本次运行的其他输出不同。";
    model_text: "The model's own text", "模型原文";
    neighbours: "Outputs before and after", "前后的输出";
    next: "Next", "下一个";
    next_difference: "Next difference", "下一处差异";
    no_runs: "No run yet", "还没有运行";
    no_runs_hint: "Open a submission whose dataset has tests and start one there.", "请打开带有测试的数据集的模型输出，在那里开始运行。";
    not_passed: "does not pass", "未通过";
    of_all: "of all", "占比";
    only_differ: "where the two differ", "两者不同的任务";
    open_output: "Open this output", "查看该输出";
    order_hint: "Tasks on which the two differ come first.", "两者不同的任务排在前面。";
    output_page: "The output as it was taken", "接收时的输出";
    outputs_done: "Outputs done", "已完成的输出";
    passed_cases: "Cases passed", "通过的用例";
    passes: "passes", "通过";
    pass_table: "Tasks by which run passes them", "按通过情况统计的任务数";
    points: "pp", "个百分点";
    previous: "Previous", "上一个";
    previous_difference: "Previous difference", "上一处差异";
    printed: "What it printed", "打印内容";
    ratio: "AvgPassRatio", "AvgPassRatio";
    ratio_clamped: "AvgPassRatio, clamped", "AvgPassRatio（截断）";
    ratio_sum: "Sum of pass ratios", "通过率之和";
    reload: "Load this page again to see how far it is.", "刷新页面可查看进度。";
    run: "Run", "运行";
    run_a: "Left run", "左侧运行";
    run_b: "Right run", "右侧运行";
    runs: "Runs", "测试运行";
    same: "same", "相同";
    show: "Show", "显示";
    so_far: "Figures so far; what is not done counts 0.", "目前的指标；未完成的按 0 计。";
    solved: "Tasks passed", "通过的任务";
    start: "Run the tests", "运行测试";
    start_dates: "As of June 2022", "以 2022 年 6 月为当前日期";
    start_dates_hint: "Outputs and tests see 15 June 2022, for tests that hold only in the month in which they were written. The server needs libfaketime.", "程序和测试看到的日期为 2022 年 6 月 15 日，适用于只在编写当月成立的测试。服务器需要安装 libfaketime。";
    start_fast: "Fast", "快速模式";
    start_fast_hint: "Outputs that visibly keep to themselves share a JVM. Only a clean pass counts there; everything else is decided alone, so the verdicts are the same.", "明显互不影响的输出共用一个 JVM，其中只采纳完全通过的结果；其余输出仍单独判定，因此结论相同。";
    start_fresh: "Leave earlier results alone", "不使用已有结果";
    start_fresh_hint: "Everything is run, also what was run before with the same code, tests and Java.", "全部运行，包括以前用相同代码、测试和 Java 运行过的输出。";
    start_how: "Run differently", "其他运行方式";
    start_now: "Start this run", "开始此运行";
    started: "Begun", "开始时间";
    state: "State", "状态";
    stopped_hint: "This run was stopped. What was done stays, and the rest can be run.", "该运行已停止。已完成的结果保留，其余部分可以继续运行。";
    submission: "Submission", "模型输出";
    time_zone: "Time zone", "时区";
    to_all_tasks: "All tasks", "全部任务";
    totals: "Figures of both", "两者的指标";
    verdict: "Verdict", "结果";
    waiting: "waiting", "等待中";
    why: "Why", "原因";
}

impl RunTexts {
    fn pick<T>(&self, en: T, zh: T) -> T {
        // The two catalogues are told apart by a word of theirs.
        if self.run == EN.run { en } else { zh }
    }

    /// A run by its number.
    pub fn run_n(&self, id: RunId) -> String {
        match self.pick("en", "zh") {
            "en" => format!("run {id}"),
            _ => format!("运行 {id}"),
        }
    }

    /// Who has to be done first.
    pub fn behind(&self, id: RunId) -> String {
        match self.pick("en", "zh") {
            "en" => format!("Run {id} is at work. This one waits for it."),
            _ => format!("运行 {id} 正在进行，本次运行排在其后。"),
        }
    }

    /// On how many outputs the engine failed.
    pub fn failures(&self, count: u32) -> String {
        match self.pick("en", "zh") {
            "en" if count == 1 => "The engine itself failed on one output. It has no verdict, and counts 0.".into(),
            "en" => format!("The engine itself failed on {count} outputs. They have no verdict, and count 0."),
            _ => format!("引擎自身在 {count} 个输出上出错。这些输出没有结果，按 0 计。"),
        }
    }

    /// How many outputs were taken over.
    pub fn taken_over(&self, count: u32) -> String {
        match self.pick("en", "zh") {
            "en" if count == 1 => {
                "This run was interrupted and went on: one output was taken over from a worker that was gone. It counts once.".into()
            }
            "en" => format!(
                "This run was interrupted and went on: {count} outputs were taken over from workers that were gone. Each counts once."
            ),
            _ => format!("本次运行曾经中断并已继续：{count} 个输出由其他工作进程接手，每个只计一次。"),
        }
    }

    /// How many outputs were run in another environment.
    pub fn mixed(&self, count: u32) -> String {
        match self.pick("en", "zh") {
            "en" if count == 1 => {
                "One output was run with another engine, Java build or limits than the rest. “Run again what has changed” makes them alike.".into()
            }
            "en" => format!(
                "{count} outputs were run with another engine, Java build or limits than the rest. “Run again what has changed” makes them alike."
            ),
            _ => format!("{count} 个输出所用的引擎、Java 版本或限制与其余不同。点击“重新运行有变化的输出”可使其一致。"),
        }
    }

    /// What a filter calls the tasks that only this one passes.
    pub fn only_passes(&self, name: &str) -> String {
        match self.pick("en", "zh") {
            "en" => format!("only {name} passes"),
            _ => format!("仅 {name} 通过"),
        }
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

    /// What was done to an output so that it compiles. The engine keeps its own words, which are English and name
    /// the classes; in Chinese they follow what kind of change it was.
    pub fn change(&self, change: &Change) -> String {
        let names: Vec<&str> = change.names.iter().map(String::as_str).collect();
        let chinese = match (change.kind.as_str(), names.as_slice()) {
            ("fence", [from, to]) => format!("仅取第 {from} 至 {to} 行的代码块"),
            ("package", [said]) => format!("省略 {said}：包由数据集决定"),
            ("wrap", []) => "文本只有方法体：补上任务的方法签名和类".into(),
            ("wrap", [class]) => format!("为方法补上类 {class}"),
            ("rename", [old, new]) => format!("类 {old} 改名为 {new}"),
            ("public", []) => "一个文件只能有一个公有类".into(),
            ("public", [name, said]) => format!("{name} 原为 {said}，测试需要调用它"),
            ("constructor", _) => "构造方法原为私有，测试需要调用它".into(),
            ("abstract", _) => "改为可以实例化的类".into(),
            ("extends", [base]) => format!("补上基类 {base}"),
            ("extends", [base, said]) => format!("基类由 {said} 改为 {base}"),
            ("implements", [interface]) => format!("补上接口 {interface}"),
            ("static", [name]) => format!("{name} 去掉 static：它覆盖对象的方法"),
            ("static", [other, name]) => format!("{other} 去掉 static：它调用 {name}"),
            ("import", [full]) => format!("补上导入 {full}"),
            ("import_left_out", [name]) => format!("省略导入 {name}：此处没有，也未使用"),
            // What was noted before names were kept, and what a later engine may note.
            _ => change.detail.clone(),
        };
        self.pick(change.detail.clone(), chinese)
    }

    /// What a person should look at.
    pub fn flag(&self, flag: &Flag) -> String {
        let said = match flag.kind.as_str() {
            "exit" => "结束 Java 虚拟机",
            "process" => "启动进程",
            "native" => "试图使用本地代码",
            "reflection" => "通过反射查看运行环境",
            "descriptor" => "使用文件描述符",
            "host" => "访问主机上的文件",
            "network" => "打开套接字",
            "defaults" => "修改整个 Java 虚拟机的默认设置",
            "equals" => "自定义 equals，测试可能会信任它",
            "threads" => "启动线程，或留下仍在运行的线程",
            _ => return flag.detail.clone(),
        };
        self.pick(flag.detail.clone(), said.to_owned())
    }

    /// What was said of an output's end, by the engine or by Java, and the language where that is not the page's.
    pub fn message(&self, message: &str) -> (String, Option<&'static str>) {
        let chinese = match message {
            said::NO_FRAME => "控制套接字收到了不成帧的数据".to_owned(),
            said::FALSE_RESULT => "控制套接字收到了伪造的结果".into(),
            said::PRINTED => "不停地打印，超出了打印量限制".into(),
            said::CPU => "处理器时间已用尽".into(),
            said::MEMORY => "所用内存超出沙箱的上限".into(),
            said::WALL => "一直等待，直至时钟时间用尽".into(),
            said::LEFT => "在得出结果之前，Java 虚拟机已退出".into(),
            said::LOST => "Java 虚拟机失去联系".into(),
            said::NO_PAIR => "测试类没有返回两个数字".into(),
            _ => match (message.strip_prefix(said::SIGNAL), message.strip_prefix(said::CHANGED)) {
                (Some(signal), _) => format!("Java 虚拟机被信号 {signal} 终止"),
                (_, Some(what)) => format!("改动了测试所依赖的环境：{what}"),
                _ => return (message.to_owned(), self.pick(None, Some("en"))),
            },
        };
        (self.pick(message.to_owned(), chinese), None)
    }

    /// Under what a run's outputs ran: what each figure is called, and the figure.
    pub fn conditions(&self, c: &Conditions) -> Vec<(&'static str, String)> {
        let mode = if c.fast {
            self.pick("fast: outputs that keep to themselves share a JVM", "快速：互不影响的输出共用一个 Java 虚拟机")
        } else {
            self.pick("strict: a JVM for each output", "严格：每个输出使用独立的 Java 虚拟机")
        };
        let mut said = vec![
            (self.pick("Processor time, at most", "处理器时间上限"), format!("{} s", c.cpu_s)),
            (self.pick("Time on the clock, at most", "时钟时间上限"), format!("{} s", c.wall_s)),
            (self.pick("Heap, at most", "堆内存上限"), format!("{} MiB", c.heap_mib)),
            (self.pick("Threads, at most", "线程数上限"), c.threads.to_string()),
            (self.pick("Mode", "模式"), mode.to_owned()),
            (self.pick("Network", "网络"), self.pick("off", "关闭").to_owned()),
            (self.pick("Date", "日期"), c.dates.clone().unwrap_or_else(|| self.pick("today's", "当天").into())),
        ];
        let none = self.pick("not on this host", "此主机不支持");
        said.extend(self.walls(c.landlock, c.groups).map(|(wall, held)| (wall, held.unwrap_or(none).to_owned())));
        let fallen = self.pick("The operator let it run although walls had fallen", "部分隔离失效，但操作者仍允许运行");
        said.extend(c.fallen.clone().map(|why| (fallen, why)));
        said
    }

    /// The walls that not every host has, and what each holds where it stands.
    pub fn walls(&self, landlock: bool, groups: Option<Sums>) -> [(&'static str, Option<&'static str>); 2] {
        let reach = "TCP, abstract sockets and signals, as far as the kernel can";
        let sums = groups.map(|sums| match sums {
            Sums::Memory => self.pick("memory as one sum", "内存合计"),
            Sums::Threads => self.pick("threads as one sum", "线程合计"),
            Sums::MemoryAndThreads => self.pick("memory and threads as one sum each", "内存与线程分别合计"),
        });
        [
            ("Landlock", landlock.then(|| self.pick(reach, "TCP、抽象套接字和信号，视内核支持而定"))),
            (self.pick("Control groups", "控制组"), sums),
        ]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_says_has_chinese_words_and_javas_stays_as_it_is() {
        let (signal, changed) = (format!("{}9", said::SIGNAL), format!("{}java.util.Locale", said::CHANGED));
        let engine = [said::NO_FRAME, said::FALSE_RESULT, said::PRINTED, said::CPU, said::MEMORY, said::WALL];
        for message in engine.into_iter().chain([said::LEFT, said::LOST, said::NO_PAIR, &signal, &changed]) {
            let (text, lang) = ZH.message(message);
            assert!(lang.is_none() && text.chars().any(|c| c > '\u{3000}'), "{message}: {text}");
            assert_eq!(EN.message(message), (message.to_owned(), None));
        }
        let java = "java.lang.StackOverflowError";
        assert_eq!(ZH.message(java), (java.to_owned(), Some("en")));
    }
}
