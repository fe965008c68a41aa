//! Texts of the pages about test runs.

use model::{
    ids::RunId,
    run::{EngineNeed, EngineReadiness, LimitHit, Verdict},
    usual_failure::UsualFailure,
};

texts! {
    RunTexts
    words {
        again: "Re-run this output", "重新运行该输出";
        agree: "Same verdict", "结果一致";
        again_all: "Re-run everything", "全部重新运行";
        again_all_warning: "Creates a new run of the same outputs that ignores cached results. It takes as long as the first run. This run does not change.", "对相同的输出新建一次运行，不使用缓存结果，耗时与首次运行相当。当前运行保持不变。";
        again_changed: "Re-run outdated results", "重新运行过期的结果";
        again_changed_warning: "Re-runs outputs whose results may differ today because the engine, its limits or the toolchain has changed, and replaces their results. If nothing has changed, nothing is run.", "重新运行因测试引擎、限制或工具链变化而可能得到不同结果的输出，并替换其结果。若没有变化，则不运行任何内容。";
        again_failed: "Re-run engine errors", "重新运行引擎出错的输出";
        again_failed_warning: "Re-runs every output on which the engine failed, one at a time.", "逐个重新运行引擎出错的输出。";
        again_head: "Re-run", "重新运行";
        all_tasks: "All", "全部";
        anomaly_hint: "The tests reported more passed cases than cases, or no cases at all. The numbers are kept as reported.", "测试报告的通过数多于用例数，或没有任何用例。数字按原样保留。";
        as_reported: "as reported by the tests", "按测试原始报告";
        assembled: "Program that ran", "实际运行的程序";
        assembled_hint: "Lines from the model's output have line numbers. Added and changed lines are marked; changed lines also show the original.", "模型输出中的行标有行号；新增或改动的行另有标记，改动的行附有原文。";
        at_work: "running", "进行中";
        cached: "from cache: the same code and tests were run before with the same toolchain.", "个来自缓存：相同的代码和测试此前已用相同的工具链运行过。";
        cached_short: "From cache", "来自缓存";
        cancel: "Stop this run", "停止运行";
        cancel_warning: "Finished outputs keep their results. You can resume the run later.", "已完成的结果会保留，之后可以继续运行其余部分。";
        case: "Case", "用例";
        case_passed: "Passed", "是否通过";
        cases: "Test cases", "测试用例";
        changed_from: "original:", "模型原文：";
        changes: "Changes made to compile", "为编译所做的改动";
        choose_others: "Choose other runs", "选择其他运行";
        choose_runs: "Choose two runs of the same dataset", "选择同一数据集的两次运行";
        clamped: "clamped to 1 per task", "每个任务最多计 1";
        clock_time: "Wall time", "实际用时";
        compare: "Compare", "比较";
        compare_runs: "Compare two runs", "比较两次运行";
        compiler: "Compiler messages", "编译器信息";
        cpu: "CPU time", "CPU 时间";
        difference: "Difference", "差异";
        differs: "differs", "不同";
        differs_published: "passed only as published", "仅按发布方式通过";
        done: "Finished", "完成时间";
        done_count: "Finished", "已完成";
        encoding: "Encoding", "编码";
        engine_failed: "Engine error. The output was not judged.", "引擎错误，该输出未得到测试结果。";
        engine_failed_short: "engine error", "引擎错误";
        engine_install: "Install it with this command:", "请用以下命令安装：";
        environment: "Environment", "运行环境";
        every_verdict: "Verdicts", "测试结果分布";
        export_csv: "Export CSV", "导出 CSV";
        flagged: "With warnings", "有警告";
        flags: "Warnings", "警告";
        nothing_passes: "No output passes.", "没有输出通过。";
        first_of_these: "Open the first of these outputs", "打开其中第一个输出";
        getting_ready: "The engine is starting. The first start after an update takes longer.", "测试引擎正在启动。更新后首次启动所需时间较长。";
        go_on: "Resume this run", "继续运行";
        in_all: "Total", "合计";
        left: "Time remaining, about", "预计剩余";
        limit: "Limit reached", "触及的限制";
        line: "line", "行";
        locale: "Locale", "区域设置";
        lost: "The connection to the server is lost. The run continues, and this page keeps trying to reconnect.", "与服务器的连接已断开。运行不受影响，页面正在重新连接。";
        memory: "Memory", "内存";
        missing: "no output", "没有输出";
        missing_meaning: "The submission has no output for the task, which counts as 0.", "输出集没有该任务的输出，按 0 计。";
        missing_hint: "The submission has no output for this task. It counts as 0.", "该输出集没有此任务的输出，按 0 计。";
        mixed_one: "This output was run with a different engine, toolchain or limits than the other outputs of this run.", "此输出所用的测试引擎、工具链或限制与本次运行的其他输出不同。";
        model_text: "Output of the model", "模型输出原文";
        neighbors: "Previous and next output", "前后的输出";
        next: "Next", "下一个";
        next_difference: "Next difference", "下一处差异";
        no_runs: "No test runs yet", "还没有测试运行";
        no_runs_hint: "Open a submission whose dataset has tests and start a run there.", "请打开带测试数据集的输出集，在其中开始运行。";
        not_passed: "does not pass", "未通过";
        of_all: "Share", "占比";
        only_differ: "Where the runs differ", "两者不同的任务";
        open_output: "Open output", "查看该输出";
        order_hint: "Tasks on which the two runs differ come first.", "两者不同的任务排在前面。";
        output_page: "Original output", "原始输出";
        outputs_done: "Outputs finished", "已完成的输出";
        passed_cases: "Cases passed", "通过的用例";
        passes: "passes", "通过";
        pass_table: "Tasks by verdict in both runs", "按两次运行的通过情况统计任务";
        points: "pp", "个百分点";
        previous: "Previous", "上一个";
        previous_difference: "Previous difference", "上一处差异";
        printed: "Printed output", "打印内容";
        ratio: "AvgPassRatio", "AvgPassRatio";
        ratio_clamped: "AvgPassRatio, clamped", "AvgPassRatio（截断）";
        ratio_sum: "Sum of pass ratios", "通过率之和";
        reload: "Reload this page to update the progress.", "刷新页面可查看最新进度。";
        run: "Run", "运行";
        run_a: "First run", "第一次运行";
        run_b: "Second run", "第二次运行";
        runs: "Test runs", "测试运行";
        same: "same", "相同";
        their_verdict: "Their verdict", "对方的判定";
        theirs_hint: "The verdicts that came with the file of outputs, from a benchmark's authors or another evaluation tool, beside ours.", "随输出文件而来的判定（来自基准的作者或其他评测工具），与我们的测试结果对照。";
        theirs_only: "Passed by their verdict only", "仅按对方的判定通过";
        ours_only: "Passed by our verdict only", "仅按我们的测试结果通过";
        see_differing: "Show these outputs", "查看这些输出";
        show: "Show", "显示";
        so_far: "Preliminary: unfinished outputs count as 0.", "暂时的指标：未完成的输出按 0 计。";
        nothing_yet: "No output has a result yet.", "尚无输出得到结果。";
        solved: "Tasks passed", "通过的任务";
        solved_turns: "Turns passed", "通过的轮次";
        no_lenient_tests: "At least 40 constants and other degenerate answers were tried for each task. By the verdict that counts, its tests refuse all of them.", "每个任务都试过至少 40 个常量和其他退化答案。按计入指标的测试结果，其测试全部拒绝。";
        lenient_tests_what: "At least 40 constants and other degenerate answers were tried for each task. These pass by the verdict that counts, so a pass of these tasks proves little.", "每个任务都试过至少 40 个常量和其他退化答案。以下答案按计入指标的测试结果通过，因此这些任务的通过说明不了多少问题。";
        not_tested: "The tests of these outputs have not been run. Run them to get verdicts, pass@k and AvgPassRatio.", "这些输出的测试尚未运行。运行后才有判定、pass@k 和 AvgPassRatio。";
        start: "Run tests", "运行测试";
        start_dates: "Set the date to June 2022", "将日期设为 2022 年 6 月";
        start_dates_hint: "Outputs and tests see 15 June 2022 as the current date. Use this for tests that pass only in the month in which they were written. The server needs libfaketime.", "输出和测试看到的日期为 2022 年 6 月 15 日，适用于只在编写当月成立的测试。服务器需要安装 libfaketime。";
        start_fast: "Fast mode", "快速模式";
        start_fast_hint: "Java outputs without visible side effects share a JVM. Only clean passes in it count; every other output is run again on its own, so verdicts are the same as in strict mode.", "没有明显副作用的 Java 输出共用一个 JVM，只采纳其中完全通过的结果；其余输出再单独运行，因此结果与严格模式相同。";
        start_fresh: "Ignore cached results", "不使用缓存结果";
        start_fresh_hint: "Runs every output, even if the same code and tests were run before with the same toolchain.", "运行全部输出，包括以前用相同代码、测试和工具链运行过的输出。";
        start_how: "Run with options", "设置选项后运行";
        start_now: "Start run", "开始运行";
        started: "Started", "开始时间";
        state: "State", "状态";
        stopped_hint: "This run is stopped. Finished outputs keep their results. Resume the run to run the others.", "该运行已停止。已完成的结果保留，其余部分可以继续运行。";
        submission: "Submission", "输出集";
        toolchain: "Toolchain", "工具链";
        toolchain_by_server: "The server fetches it with this machine's own package managers and checks every file by its recorded hash.", "服务器使用本机自己的包管理器获取，并按记录的哈希值校验每个文件。";
        toolchain_reload: "Reload the page to see how far it is.", "请重新载入页面查看进度。";
        time_zone: "Time zone", "时区";
        to_all_tasks: "All tasks", "全部任务";
        totals: "Metrics of both runs", "两次运行的指标";
        verdict: "Verdict", "测试结果";
        not_counted_short: "Not counted", "未计入";
        engine_errors: "Engine errors (outputs without a verdict)", "引擎错误（没有测试结果的输出）";
        published: "As published", "按发布方式";
        published_short: "as published", "按发布方式";
        published_hint: "The verdict of the evaluator that was published with the benchmark. The guarded verdict counts: for it, the tests run in a process that the output cannot reach.", "基准自带评测程序的结果。以防篡改结果为准：测试在输出无法触及的进程中运行。";
        guarded: "Guarded", "防篡改";
        waiting: "waiting", "等待中";
        not_run: "not run", "未运行";
        no_sources: "needs sources", "缺少项目源码";
        why: "Details", "说明";
    }
    sentences {
        usual_failure(outputs: u32, of: u32, what: &str)
            { if of == 1 { format!("1 output fails: {what}") } else if outputs == of { format!("All {of} failing outputs that were examined fail in the same way: {what}") } else { format!("{outputs} of {of} failing outputs that were examined {} in the same way: {what}", if outputs == 1 { "fails" } else { "fail" }) } }
            { if of == 1 { format!("1 个输出未通过：{what}") } else { format!("在所查看的 {of} 个未通过的输出中，有 {outputs} 个的失败情况相同：{what}") } }
        lenient_tests(n: u64)
            { if n == 1 { "The tests of 1 task accept a constant or another degenerate answer".to_owned() } else { format!("The tests of {n} tasks accept a constant or another degenerate answer") } }
            { format!("{n} 个任务的测试接受常量或其他退化答案") }
        toolchain_missing(name: &str, why: &str)
            { format!("Outputs in {name} cannot be run on this machine: {why}.") }
            { format!("此机器无法运行 {name} 的输出：{why}。") }
        toolchain_install(name: &str)
            { format!("Install {name}'s toolchain") }
            { format!("安装 {name} 的工具链") }
        toolchain_running(name: &str, what: &str, done: u32, of: u32)
            { format!("Installing {name}'s toolchain, part {} of {of}: {what}", done + 1) }
            { format!("正在安装 {name} 的工具链，第 {} 部分，共 {of} 部分：{what}", done + 1) }
        toolchain_failed(name: &str, why: &str)
            { format!("{name}'s toolchain could not be installed: {why}") }
            { format!("无法安装 {name} 的工具链：{why}") }
        toolchain_done(name: &str)
            { format!("{name}'s toolchain is installed.") }
            { format!("{name} 的工具链已安装。") }
        run_n(id: RunId) { format!("run {id}") } { format!("运行 {id}") }
        run_of(model: &str, id: RunId) { format!("{model}, run {id}") } { format!("{model}，运行 {id}") }
        lacks_sources(id: RunId)
            { format!("No process is working on this run: its tests need the sources of projects, which this server does not have. On the server's machine, run \"aixgrade run --resume {id} --repositories DIR\", or restart the server with --repositories DIR and without --nats (docs/operating.md).") }
            { format!("目前没有进程执行此运行：其测试需要项目源码，而本服务器没有。请在服务器所在的机器上执行 \"aixgrade run --resume {id} --repositories DIR\"，或使用 --repositories DIR 且不带 --nats 重新启动服务器（docs/operating.md）。") }
        behind(id: RunId)
            { format!("Waiting for run {id} to finish.") }
            { format!("正在等待运行 {id} 完成。") }
        failures(count: u32) {
            match count {
                1 => "The engine failed on 1 output, which has no verdict. A task without any verdict counts as 0.".into(),
                n => format!("The engine failed on {n} outputs, which have no verdict. A task without any verdict counts as 0."),
            }
        } { format!("测试引擎在 {count} 个输出上出错，这些输出没有测试结果。没有任何测试结果的任务按 0 计。") }
        without_verdict_n(count: u32) { format!("{count} without a verdict") } { format!("{count} 个没有测试结果") }
        not_counted(count: u32) {
            match count {
                1 => "1 output is not counted: a defect of the benchmark's data prevents a verdict.".into(),
                n => format!("{n} outputs are not counted: defects of the benchmark's data prevent a verdict."),
            }
        } { format!("{count} 个输出未计入：基准数据存在缺陷，无法判定。") }
        not_counted_n(count: u32) { format!("{count} not counted") } { format!("{count} 个未计入") }
        pairs_not_counted(count: u32) {
            match count {
                1 => "1 task is not counted: a defect of the benchmark's data prevents a verdict.".into(),
                n => format!("{n} tasks are not counted: defects of the benchmark's data prevent a verdict."),
            }
        } { format!("{count} 个任务未计入：基准数据存在缺陷，无法判定。") }
        taken_over(count: u32) {
            match count {
                1 => "This run was interrupted and has resumed. 1 output was reassigned from a worker that stopped and counts once.".into(),
                n => format!("This run was interrupted and has resumed. {n} outputs were reassigned from workers that stopped; each counts once."),
            }
        } { format!("本次运行曾经中断，现已恢复：{count} 个输出由其他工作进程接手，每个只计一次。") }
        mixed(count: u32) {
            match count {
                1 => "1 output was run with a different engine, toolchain or limits than the others. Use \"Re-run outdated results\" to make them consistent.".into(),
                n => format!("{n} outputs were run with a different engine, toolchain or limits than the others. Use \"Re-run outdated results\" to make them consistent."),
            }
        } { format!("{count} 个输出所用的测试引擎、工具链或限制与其他输出不同。点击“重新运行过期的结果”可使其一致。") }
        pass_significant(one: &str, other: &str, n: u64, m: u64, p: &str)
            { format!("{one} passes significantly more tasks than {other}: {n} that {other} does not, and {m} the other way round (McNemar's mid-p test, p {p}; one comparison, not corrected).") }
            { format!("{one} 通过的任务显著多于 {other}：有 {n} 个任务仅 {one} 通过，{m} 个任务仅 {other} 通过（McNemar mid-p 检验，p {p}；单次比较，未校正）。") }
        pass_not_significant(one: &str, other: &str, n: u64, m: u64, p: &str)
            { format!("There is no significant difference between {one} and {other}: {n} tasks only {one} passes, {m} only {other} (McNemar's mid-p test, p {p}; one comparison, not corrected).") }
            { format!("{one} 与 {other} 之间无显著差异：{n} 个任务仅 {one} 通过，{m} 个任务仅 {other} 通过（McNemar mid-p 检验，p {p}；单次比较，未校正）。") }
        only_passes(name: &str) { format!("Only {name} passes") } { format!("仅 {name} 通过") }
    }
}

impl RunTexts {
    /// How most failing outputs fail: the verdict with the reason and the message, if there are any.
    pub fn failure_line(&self, usual: &UsualFailure) -> String {
        let reason = usual.reason.as_ref().map(|reason| self.reason(reason));
        let message = Some(usual.message.clone()).filter(|message| !message.is_empty());
        let parts = [Some(self.verdict_name(usual.verdict).to_owned()), reason, message];
        parts.into_iter().flatten().collect::<Vec<_>>().join(self.lang.pick(": ", "："))
    }

    /// What to look at where most outputs fail with this verdict.
    pub fn likely_cause(&self, verdict: Verdict) -> Option<&'static str> {
        let (en, zh) = match verdict {
            Verdict::CompileError => (
                "A likely cause is how the responses were read. The page of an output shows which part of its response is the code.",
                "可能的原因是回答的读取方式。输出的页面会显示回答的哪一部分是代码。",
            ),
            Verdict::Failed => (
                "A likely cause is that the outputs belong to other tasks, for example because the file has the IDs of another dataset.",
                "可能的原因是输出属于其他任务，例如文件中的编号来自另一个数据集。",
            ),
            Verdict::Crashed | Verdict::NoResult => (
                "A likely cause is that the code lacks what the tests call, or an import, or that it reads input.",
                "可能的原因是代码缺少测试所调用的内容或某个导入，或者代码会读取输入。",
            ),
            _ => return None,
        };
        Some(self.lang.pick(en, zh))
    }

    /// A verdict's name.
    pub fn verdict_name(&self, verdict: Verdict) -> &'static str {
        let (en, zh) = match verdict {
            Verdict::Passed => ("passed", "通过"),
            Verdict::Failed => ("failed", "未通过"),
            Verdict::CompileError => ("compile error", "编译错误"),
            Verdict::Timeout => ("timeout", "超时"),
            Verdict::OutOfMemory => ("out of memory", "内存不足"),
            Verdict::Crashed => ("crashed", "崩溃"),
            Verdict::NoResult => ("no result", "没有结果"),
            Verdict::Tampered => ("tampered", "篡改"),
            Verdict::Anomaly => ("anomaly", "异常"),
        };
        self.lang.pick(en, zh)
    }

    /// The meaning of a verdict, in a sentence.
    pub fn verdict_meaning(&self, verdict: Verdict) -> &'static str {
        let (en, zh) = match verdict {
            Verdict::Passed => ("All test cases passed.", "全部测试用例通过。"),
            Verdict::Failed => ("At least one test case did not pass.", "有测试用例未通过。"),
            Verdict::CompileError => ("The code does not compile.", "代码无法编译。"),
            Verdict::Timeout => ("The code exceeded its time limit.", "超出时间限制。"),
            Verdict::OutOfMemory => ("The code exceeded its memory or thread limit.", "超出内存或线程限制。"),
            Verdict::Crashed => (
                "The code ended its process, or an error in the code ended the tests.",
                "代码终止了进程，或因错误中断了测试。",
            ),
            Verdict::NoResult => ("The code exited before there was a result.", "代码在得出结果之前退出。"),
            Verdict::Tampered => ("The code changed what the tests rely on.", "代码改动了测试所依赖的环境。"),
            Verdict::Anomaly => ("The tests reported impossible numbers.", "测试报告了不可能的数字。"),
        };
        self.lang.pick(en, zh)
    }

    /// A limit's name.
    pub fn limit_name(&self, limit: LimitHit) -> &'static str {
        let (en, zh) = match limit {
            LimitHit::Cpu => ("CPU time", "CPU 时间"),
            LimitHit::Wait => ("waiting time", "等待时间"),
            LimitHit::Heap => ("memory", "内存"),
            LimitHit::Threads => ("threads", "线程数"),
            LimitHit::Printed => ("printed output", "打印量"),
            LimitHit::Stack => ("stack", "栈"),
            LimitHit::Steps => ("parsing steps", "解析步数"),
        };
        self.lang.pick(en, zh)
    }

    /// A requirement of the engine that this machine lacks.
    pub fn engine_lacks(&self, missing: &[EngineNeed]) -> String {
        let name = |need: &EngineNeed| match need {
            EngineNeed::Jdk => self.lang.pick("a JDK 17 or newer with jlink", "带 jlink 的 JDK 17 或更高版本"),
            EngineNeed::Bubblewrap => "bubblewrap",
            EngineNeed::Libfaketime => "libfaketime",
        };
        let names = missing.iter().map(name).collect::<Vec<_>>().join(self.lang.pick(" and ", "和"));
        self.lang.pick(
            format!("This server cannot run tests yet: {names} must be installed first."),
            format!("此服务器暂时无法运行测试：需要先安装{names}。"),
        )
    }

    /// The same with the command that installs it, in one line.
    pub fn engine_lacks_line(&self, readiness: &EngineReadiness) -> String {
        let install = readiness.install.as_ref().map(|command| format!(" {} {command}", self.engine_install));
        self.engine_lacks(&readiness.missing) + &install.unwrap_or_default()
    }
}
