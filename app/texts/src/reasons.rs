//! Reasons, changes, flags, faults and limits of test runs in words.

use super::runs::RunTexts;
use model::{
    reason::{Change, DataDefect, FailedCheck, Fault, ProjectProblem, Reason, SandboxCheck, Setting, Sign},
    run::{Conditions, Dates, Sums},
};

/// A duration in milliseconds as seconds.
fn seconds(ms: u64) -> String {
    match ms % 1000 {
        0 => (ms / 1000).to_string(),
        _ => format!("{:.1}", ms as f64 / 1000.0),
    }
}

/// That the disk of a file or folder is full, and what to do, in English and Chinese.
pub fn disk_full(path: &str) -> (String, String) {
    (
        format!(
            "The disk is full: {path} cannot be written. Free some space, for example with \"aixgrade prune\", then try again."
        ),
        format!("磁盘已满，无法写入 {path}。请清理空间（例如运行 aixgrade prune），然后重试。"),
    )
}

impl RunTexts {
    /// Why the engine reached a verdict.
    #[allow(clippy::too_many_lines, reason = "one arm for each reason")]
    pub fn reason(&self, reason: &Reason) -> String {
        let both = |en: String, zh: String| self.lang.pick(en, zh);
        let words = |en: &str, zh: &str| self.lang.pick(en, zh).to_owned();
        match reason {
            Reason::OutputTooLong { limit_bytes } if limit_bytes % (1 << 20) == 0 => {
                let mib = limit_bytes >> 20;
                both(format!("the output is longer than {mib} MiB"), format!("输出超过 {mib} MiB"))
            }
            Reason::OutputTooLong { limit_bytes } => {
                both(format!("the output is longer than {limit_bytes} bytes"), format!("输出超过 {limit_bytes} 字节"))
            }
            Reason::NoCode => words("the output contains no code", "输出中没有代码"),
            Reason::NestedTooDeep { brackets, angles } => both(
                format!("the output nests brackets more than {brackets} deep, or leaves more than {angles} \"<\" open"),
                format!("输出中的括号嵌套超过 {brackets} 层，或有超过 {angles} 个未闭合的 <"),
            ),
            Reason::ParsingCost => {
                words("parsing the output takes too much CPU time or memory", "解析输出所需的 CPU 时间或内存过多")
            }
            Reason::ParsingSteps => words(
                "parsing the output took more steps than its length allows",
                "解析输出所需的步数超过其长度所允许的上限",
            ),
            Reason::CompilerError { line: Some(line) } => {
                both(format!("the compiler reported an error in line {line}"), format!("编译器报告第 {line} 行有错误"))
            }
            Reason::CompilerError { line: None } => words("the compiler reported an error", "编译器报告错误"),
            Reason::CompilerSilent => {
                words("the compiler rejected the code without a message", "编译器拒绝此代码，且未给出任何信息")
            }
            Reason::CompilerCpu => {
                words("the compiler exceeded its CPU time limit on this code", "编译此代码时，编译器超出 CPU 时间限制")
            }
            Reason::CompilerStack => {
                words("the compiler ran out of stack on this code", "编译此代码时，编译器的栈溢出")
            }
            Reason::CompilerMemory => {
                words("the compiler ran out of memory on this code", "编译此代码时，编译器的内存不足")
            }
            Reason::CompilerCrash => words("the compiler crashed on this code", "编译此代码时，编译器崩溃"),
            Reason::CpuTime { limit_ms: ms } => both(
                format!("the program exceeded its CPU time limit of {} s", seconds(*ms)),
                format!("程序超出 {} 秒的 CPU 时间限制", seconds(*ms)),
            ),
            Reason::WaitingTime { limit_ms: ms } => both(
                format!("the program waited longer than its limit of {} s", seconds(*ms)),
                format!("程序超出 {} 秒的等待时间限制", seconds(*ms)),
            ),
            Reason::SandboxMemory => {
                words("the program used more memory than the sandbox allows", "程序所用内存超出沙箱的限制")
            }
            Reason::PrintedTooMuch => words("the program exceeded its limit of printed output", "程序超出打印量限制"),
            Reason::EndedEarly { exit_code: Some(code) } => both(
                format!("the program ended with exit code {code} before there was a result"),
                format!("在得出结果之前，程序已退出（退出码 {code}）"),
            ),
            Reason::EndedEarly { exit_code: None } => {
                words("the program ended before there was a result", "在得出结果之前，程序已退出")
            }
            Reason::Signal { signal } => {
                both(format!("the program was ended by signal {signal}"), format!("程序被信号 {signal} 终止"))
            }
            Reason::CannotJudge { defect } => {
                let why = self.data_defect(defect);
                both(
                    format!("the benchmark's tests cannot judge this answer: {why}"),
                    format!("基准的测试无法判定此回答：{why}"),
                )
            }
            Reason::Lost => words("the program ended in an unknown way", "程序已结束，结束方式未知"),
            Reason::NotAFrame => {
                words("the control socket received data that is not a frame", "控制套接字收到了不成帧的数据")
            }
            Reason::FalseResult => words("the control socket received a forged result", "控制套接字收到了伪造的结果"),
            Reason::ChangedSettings { settings } => {
                let names: Vec<&str> = settings.iter().map(|setting| self.setting(*setting)).collect();
                both(
                    format!("the program changed settings that the tests rely on: {}", names.join(", ")),
                    format!("程序改动了测试所依赖的设置：{}", names.join("、")),
                )
            }
            Reason::Unconfirmed => words(
                "the program reported a pass that its own answers do not support",
                "程序报告测试通过，但其实际答案并不支持这一结果",
            ),
            Reason::AnswersRefused => words("the tests do not accept the program's answers", "测试不接受程序的答案"),
            Reason::AnswerNotPlain => {
                words("the program answered with an object that is not plain data", "程序的答案不是普通数据")
            }
            Reason::ChangesRefused => words(
                "the tests do not accept the program's answers; it changes arguments that the dataset's own solution \
                 does not change here, and such changes do not count",
                "测试不接受程序的答案；程序改动了数据集自带解法在此处不改动的参数，这类改动不予计入",
            ),
            Reason::PublishedReadsFences => words(
                "passed: the code is in a code fence, which the published evaluator reads as part of the program",
                "通过：代码位于代码围栏中，而已发布的评测程序会把围栏当作程序的一部分",
            ),
            Reason::AnswerNan => words(
                "the answer contains NaN, which the dataset's own solution does not return here",
                "答案含有 NaN，而数据集自带解法在此处不返回 NaN",
            ),
            Reason::AnswerInfinite => words(
                "the answer contains an infinity or the smallest integer of its type, which the dataset's own solution \
                 does not return here",
                "答案含有无穷大或其类型的最小整数，而数据集自带解法在此处不返回这类值",
            ),
            Reason::AnswerFarOff => words(
                "the answer contains a number far larger than those that the dataset's own solution returns here",
                "答案中有数远大于数据集自带解法在此处返回的数",
            ),
            Reason::AnswerOfAnotherType => words(
                "the answer's type differs from that of the dataset's own solution, and the tests convert it to a number",
                "答案的类型与数据集自带解法的不同，而测试会把它转换为数",
            ),
            Reason::AnswerTooLarge => words(
                "the answer is far larger than that of the dataset's own solution",
                "答案远大于数据集自带解法的答案",
            ),
            Reason::NoAnswer => words("the program ended before it answered the tests", "程序在回答测试之前已结束"),
            Reason::NoCounts => words("the test class did not return two numbers", "测试类没有返回两个数字"),
            Reason::ImpossibleCounts { passed, total } => both(
                format!("the tests reported {passed} of {total} cases passed"),
                format!("测试报告 {total} 个用例中有 {passed} 个通过"),
            ),
        }
    }

    /// The name of a process-wide setting.
    pub fn setting(&self, setting: Setting) -> &'static str {
        let (en, zh) = match setting {
            Setting::Locale => ("locale", "区域设置"),
            Setting::TimeZone => ("time zone", "时区"),
            Setting::StandardInput => ("standard input", "标准输入"),
            Setting::StandardOutput => ("standard output", "标准输出"),
            Setting::StandardError => ("standard error", "标准错误"),
            Setting::SystemProperties => ("system properties", "系统属性"),
            Setting::SecurityProperties => ("security properties", "安全属性"),
            Setting::ExceptionHandler => ("handler of uncaught exceptions", "未捕获异常的处理器"),
        };
        self.lang.pick(en, zh)
    }

    /// A change to an output that makes it compile.
    pub fn change(&self, change: &Change) -> String {
        let (en, zh) = match change {
            Change::Fence { first, last } => (
                format!("used only the code block in lines {first} to {last}"),
                format!("仅取第 {first} 至 {last} 行的代码块"),
            ),
            Change::Package { declaration } => (
                format!("removed \"{declaration}\": the dataset determines the package"),
                format!("去掉 {declaration}：包由数据集决定"),
            ),
            Change::WrapBody => (
                "wrapped the method body in the task's signature and a class".into(),
                "为方法体补上任务的方法签名和类".into(),
            ),
            Change::Wrap { class } => {
                (format!("wrapped the method in the class {class}"), format!("为方法补上类 {class}"))
            }
            Change::Rename { from, to } => {
                (format!("renamed the class {from} to {to}"), format!("将类 {from} 改名为 {to}"))
            }
            Change::OnePublicClass => (
                "removed \"public\" from a class: only one class of a file may be public".into(),
                "去掉一个类的 public：一个文件只能有一个公有类".into(),
            ),
            Change::Public { method, was } => (
                format!("made {method} public (it was {was}), because the tests call it"),
                format!("将 {method} 由 {was} 改为 public：测试需要调用它"),
            ),
            Change::Constructor => (
                "made the constructor public, because the tests call it".into(),
                "将构造方法改为 public：测试需要调用它".into(),
            ),
            Change::Abstract => (
                "removed \"abstract\" from the class, because the tests create objects of it".into(),
                "去掉类的 abstract：测试需要创建其对象".into(),
            ),
            Change::Extends { base, was: None } => (format!("added the base class {base}"), format!("补上基类 {base}")),
            Change::Extends { base, was: Some(was) } => {
                (format!("replaced the base class {was} with {base}"), format!("将基类由 {was} 改为 {base}"))
            }
            Change::Implements { interface } => {
                (format!("added the interface {interface}"), format!("补上接口 {interface}"))
            }
            Change::Static { method } => (
                format!("removed \"static\" from {method}, because it overrides an instance method"),
                format!("去掉 {method} 的 static：它覆盖实例方法"),
            ),
            Change::StaticCaller { member: Some(member), calls } => (
                format!("removed \"static\" from {member}, because it calls {calls}"),
                format!("去掉 {member} 的 static：它调用 {calls}"),
            ),
            Change::StaticCaller { member: None, calls } => (
                format!("removed \"static\" from a member that calls {calls}"),
                format!("去掉调用 {calls} 的成员的 static"),
            ),
            Change::Import { name } => (format!("added the import {name}"), format!("补上导入 {name}")),
            Change::ImportLeftOut { name } => (
                format!("removed the import {name}: it does not exist here and is not used"),
                format!("去掉导入 {name}：此处不存在，也未使用"),
            ),
        };
        self.lang.pick(en, zh)
    }

    /// A warning about an output's code.
    pub fn sign(&self, sign: &Sign) -> String {
        let (en, zh) = match sign {
            Sign::Exit => ("ends the program", "结束程序"),
            Sign::Process => ("starts a process", "启动进程"),
            Sign::Native => ("uses native code", "使用本地代码"),
            Sign::Reflection => ("inspects its environment by reflection", "通过反射查看运行环境"),
            Sign::Descriptor => ("uses file descriptors", "使用文件描述符"),
            Sign::Host => ("accesses files of the host", "访问主机上的文件"),
            Sign::Network => ("opens sockets", "打开套接字"),
            Sign::Defaults => ("changes process-wide defaults", "修改整个进程的默认设置"),
            Sign::Equals => ("defines its own equality, which a test might trust", "自定义相等比较，测试可能会信任它"),
            Sign::Threads => ("starts threads", "启动线程"),
            Sign::ThreadsLeft { count: 1 } => ("left 1 thread running", "留下 1 个仍在运行的线程"),
            Sign::ThreadsLeft { count } => {
                let en = format!("left {count} threads running");
                return self.lang.pick(en, format!("留下 {count} 个仍在运行的线程"));
            }
            Sign::Unconfirmed => {
                ("the pass could not be repeated outside of its process", "无法在其进程之外重现这次通过")
            }
        };
        self.lang.pick(en, zh).to_owned()
    }

    /// Why the engine failed, and what another program said of it, in that program's words.
    pub fn fault<'a>(&self, fault: &'a Fault) -> (String, Option<&'a str>) {
        let (en, zh, detail): (_, _, &str) = match fault {
            Fault::Sandbox { detail } => (
                "The sandbox could not be started. Run \"aixgrade doctor\" to see which check fails.",
                "沙箱无法启动。请运行 aixgrade doctor 查看未通过的检查。",
                detail,
            ),
            Fault::Toolchain { detail } => ("The toolchain is missing.", "缺少工具链。", detail),
            Fault::Harness { detail } => ("The harness inside the sandbox failed.", "沙箱内的测试框架出错。", detail),
            Fault::Busy { detail } => {
                ("The host was too busy to reach a verdict.", "主机过于繁忙，无法得出结果。", detail)
            }
            Fault::Tests { reason: Some(reason), .. } => {
                let why = self.reason(reason);
                let words = self.lang.pick(
                    format!("The tests of the dataset cannot be used: {why}."),
                    format!("数据集的测试无法使用：{why}。"),
                );
                return (words, None);
            }
            Fault::Tests { reason: None, detail } => {
                ("The tests of the dataset cannot be used.", "数据集的测试无法使用。", detail)
            }
            Fault::NoTests => ("The dataset has no tests.", "该数据集没有测试。", ""),
            Fault::NoRepositories => (
                "The tests need the sources of projects. Start the run with --repositories DIR (docs/operating.md).",
                "测试需要项目源码。请使用 --repositories DIR 启动运行（docs/operating.md）。",
                "",
            ),
            Fault::Project { project, problem } => return self.project(project, problem),
            Fault::FailedChecks { checks } => {
                let failed: Vec<String> = checks.iter().map(|check| self.failed_check(check)).collect();
                let words = self.lang.pick(
                    format!(
                        "Sandbox checks failed, so nothing was run: {}. Run \"aixgrade doctor\" for all checks; \
                         docs/engine.md lists what each isolation layer needs.",
                        failed.join("; ")
                    ),
                    format!(
                        "沙箱检查未通过，因此没有运行任何内容：{}。可运行 aixgrade doctor 执行全部检查；各隔离层的要求见 \
                         docs/engine.md。",
                        failed.join("；")
                    ),
                );
                return (words, None);
            }
            Fault::DiskFull { folder } => {
                let (en, zh) = disk_full(folder);
                return (self.lang.pick(en, zh), None);
            }
            Fault::WorkersLost { times } => {
                let words = self.lang.pick(
                    format!("{times} workers got this output, and each stopped without a result. The output may have ended them."),
                    format!("先后有 {times} 个工作进程运行该输出，均未返回结果便已停止，可能正是由该输出造成。"),
                );
                return (words, None);
            }
            Fault::System { detail } => ("The server failed.", "服务器出错。", detail),
        };
        (self.lang.pick(en, zh).to_owned(), Some(detail).filter(|detail| !detail.is_empty()))
    }

    /// A defect of a benchmark's data.
    pub fn data_defect(&self, defect: &DataDefect) -> String {
        match defect {
            DataDefect::Indent { answer, code } => self.lang.pick(
                format!(
                    "answers are indented by {answer} spaces and the code that they replace by {code}, so an answer \
                     becomes part of the function before it"
                ),
                format!("回答的缩进为 {answer} 个空格，而它所替换的代码为 {code} 个，因此回答会成为前一个函数的一部分"),
            ),
            DataDefect::EarlyLines { lines } => self.lang.pick(
                format!(
                    "the lines that an answer replaces begin {} before the function, and the function's end remains",
                    if *lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
                ),
                format!("回答所替换的行比函数早 {lines} 行开始，函数的末尾会保留下来"),
            ),
            DataDefect::SharedTest { test, task } => self.lang.pick(
                format!("several tests have the ID {test} (also of {task}), and the file can have only one of them"),
                format!("多个测试使用同一 ID {test}（另见 {task}），而文件中只能有其中之一"),
            ),
            DataDefect::QuotedTest { test } => self.lang.pick(
                format!("the test ID {test} begins with a quotation mark, so pytest finds no such file"),
                format!("测试 ID {test} 以引号开头，pytest 找不到该文件"),
            ),
            DataDefect::InvalidTest { test } => self.lang.pick(
                format!("the text of the test {test} is not valid Python"),
                format!("测试 {test} 的文本不是有效的 Python"),
            ),
        }
    }

    fn project<'f>(&self, project: &str, problem: &'f ProjectProblem) -> (String, Option<&'f str>) {
        let (words, detail) = match problem {
            ProjectProblem::Missing => (
                self.lang.pick(
                    format!("The project {project} is missing below Source_Code."),
                    format!("Source_Code 下没有项目 {project}。"),
                ),
                "",
            ),
            ProjectProblem::Environment { detail } => (
                self.lang.pick(
                    format!("The project {project} has no Python environment with pytest."),
                    format!("项目 {project} 没有装有 pytest 的 Python 环境。"),
                ),
                &**detail,
            ),
            ProjectProblem::OtherVersion { file, line, offset: None } => (
                self.lang.pick(
                    format!(
                        "The project {project} is another version than the dataset's: {file} does not have the \
                         task's code, which belongs at line {line}."
                    ),
                    format!("项目 {project} 与数据集的版本不同：{file} 中没有任务的代码（应位于第 {line} 行）。"),
                ),
                "",
            ),
            ProjectProblem::OtherVersion { file, line, offset: Some(offset) } => {
                let found = i64::from(*line) + i64::from(*offset);
                (
                    self.lang.pick(
                        format!(
                            "The project {project} is another version than the dataset's: {file} has the task's code \
                             at line {found} instead of line {line} ({offset:+})."
                        ),
                        format!(
                            "项目 {project} 与数据集的版本不同：{file} 中任务的代码位于第 {found} 行，而不是第 {line} 行（{offset:+}）。"
                        ),
                    ),
                    "",
                )
            }
            ProjectProblem::OwnCode { test, detail } => (
                self.lang.pick(
                    format!("The test {test} of the project {project} cannot judge: the project's own code fails it, or it does not run."),
                    format!("项目 {project} 的测试 {test} 无法用于判定：项目自身的代码未通过，或该测试未运行。"),
                ),
                &**detail,
            ),
            ProjectProblem::Unreadable { detail } => (
                self.lang.pick(
                    format!("The files of the project {project} cannot be copied."),
                    format!("无法复制项目 {project} 的文件。"),
                ),
                &**detail,
            ),
        };
        (words, Some(detail).filter(|detail| !detail.is_empty()))
    }

    /// The same in one text.
    pub fn fault_line(&self, fault: &Fault) -> String {
        match self.fault(fault) {
            (words, Some(detail)) => format!("{words} {detail}"),
            (words, None) => words,
        }
    }

    /// The property that a passing sandbox check shows.
    pub fn sandbox_check(&self, check: SandboxCheck) -> &'static str {
        let (en, zh) = match check {
            SandboxCheck::RightCode => ("correct code passes", "正确的代码通过"),
            SandboxCheck::WrongCode => ("wrong code fails", "错误的代码不通过"),
            SandboxCheck::HostFiles => ("files of the host cannot be read", "无法读取主机上的文件"),
            SandboxCheck::Writes => ("only scratch folders can be written", "只能写入临时目录"),
            SandboxCheck::ScratchSize => ("the size of scratch folders is limited", "临时目录的大小受限"),
            SandboxCheck::ScratchCode => ("code in scratch folders cannot be loaded", "无法加载临时目录中的代码"),
            SandboxCheck::OwnMemory => {
                ("the process cannot open its own memory as a file", "进程无法以文件形式打开自身内存")
            }
            SandboxCheck::Sockets => ("sockets cannot be opened", "无法打开套接字"),
            SandboxCheck::Processes => ("processes cannot be started", "无法启动进程"),
            SandboxCheck::SharedState => ("nothing can be passed on to another sandbox", "无法向其他沙箱传递信息"),
            SandboxCheck::UnsafeMemory => ("memory cannot be accessed unsafely", "无法绕过检查访问内存"),
            SandboxCheck::NativeBinding => ("native code cannot be bound", "无法绑定本地代码"),
            SandboxCheck::Libraries => ("libraries cannot be loaded", "无法加载本地库"),
            SandboxCheck::BorrowedAccess => {
                ("access rights of JDK code cannot be borrowed", "无法借用 JDK 代码的访问权限")
            }
            SandboxCheck::ForeignMemory => ("foreign memory and functions cannot be used", "无法使用外部内存与函数"),
            SandboxCheck::DescriptorByReflection => {
                ("the control descriptor cannot be created by reflection", "无法通过反射构造控制描述符")
            }
            SandboxCheck::DescriptorByNumber => {
                ("the control descriptor cannot be reached by its number", "无法通过编号使用控制描述符")
            }
            SandboxCheck::ForgedResults => ("results cannot be forged by native code", "无法用本地代码伪造结果"),
            SandboxCheck::ExpectedValues => ("expected values cannot be read", "无法读取期望值"),
            SandboxCheck::Confirmation => {
                ("passes are confirmed outside of the program's process", "通过的结果会在程序进程之外确认")
            }
            SandboxCheck::EarlyExit => ("exiting early is not a pass", "提前退出不算通过"),
            SandboxCheck::LyingEquality => {
                ("an object that is equal to everything is not a pass", "与任何值都相等的对象不算通过")
            }
            SandboxCheck::ChangedDefaults => ("changed defaults are detected", "能发现被修改的默认设置"),
        };
        self.lang.pick(en, zh)
    }

    /// The result of a failed sandbox check.
    pub fn failed_check_result(&self, failed: &FailedCheck) -> String {
        let (expected, found) = (self.verdict_name(failed.expected), self.verdict_name(failed.found));
        let reason = failed.reason.as_ref().map(|reason| self.reason(reason));
        let reported = Some(failed.message.clone()).filter(|message| !message.is_empty());
        let why: Vec<String> = reason.into_iter().chain(reported).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(": ")) };
        self.lang.pick(
            format!("the verdict should be \"{expected}\" and is \"{found}\"{why}"),
            format!("结果应为“{expected}”，实际为“{found}”{why}"),
        )
    }

    /// A sandbox check that failed, and what came of it.
    pub fn failed_check(&self, failed: &FailedCheck) -> String {
        let (check, result) = (self.sandbox_check(failed.check), self.failed_check_result(failed));
        let of = failed.lang.map(|lang| format!("{}: ", lang.name())).unwrap_or_default();
        self.lang.pick(format!("check \"{of}{check}\" failed, {result}"), format!("检查“{of}{check}”未通过，{result}"))
    }

    /// The limits and isolation layers under which a run's outputs ran: names and values.
    pub fn conditions(&self, c: &Conditions) -> Vec<(&'static str, String)> {
        let pick = |en, zh| self.lang.pick(en, zh);
        let mode = if c.fast {
            pick("fast: outputs without side effects share a process", "快速：没有副作用的输出共用一个进程")
        } else {
            pick("strict: each output has a process of its own", "严格：每个输出使用独立的进程")
        };
        let date = match c.dates.as_deref().map(|name| (Dates::from_name(name), name)) {
            None => pick("current", "当天"),
            Some((Some(Dates::June2022), _)) => pick("15 June 2022", "2022 年 6 月 15 日"),
            Some((None, other)) => other,
        };
        let mut facts = vec![
            (pick("CPU time limit", "CPU 时间上限"), format!("{} s", c.cpu_s)),
            (pick("Waiting time limit", "等待时间上限"), format!("{} s", c.wait_s)),
            (pick("Heap limit", "堆内存上限"), format!("{} MiB", c.heap_mib)),
            (pick("Thread limit", "线程数上限"), c.threads.to_string()),
            (pick("Mode", "模式"), mode.to_owned()),
            (pick("Network", "网络"), pick("off", "关闭").to_owned()),
            (pick("Date", "日期"), date.to_owned()),
        ];
        let none = pick("not available on this host", "此主机不支持");
        facts.extend(
            self.isolation_layers(c.landlock, c.groups).map(|(layer, what)| (layer, what.unwrap_or(none).to_owned())),
        );
        let degraded = pick("Degraded sandbox, allowed by the operator", "运维人员允许的降级沙箱");
        facts.extend(c.failed_checks.iter().map(|failed| (degraded, self.failed_check(failed))));
        facts
    }

    /// The isolation layers that not every host has, and what each restricts where it is available.
    pub fn isolation_layers(&self, landlock: bool, groups: Option<Sums>) -> [(&'static str, Option<&'static str>); 2] {
        let pick = |en, zh| self.lang.pick(en, zh);
        let sums = groups.map(|sums| match sums {
            Sums::Memory => pick("total memory", "内存合计"),
            Sums::Threads => pick("total threads", "线程合计"),
            Sums::MemoryAndThreads => pick("total memory and total threads", "内存与线程分别合计"),
        });
        let landlock = landlock.then(|| {
            pick(
                "TCP, abstract sockets and signals, if the kernel supports them",
                "TCP、抽象套接字和信号，视内核支持而定",
            )
        });
        [("Landlock", landlock), (pick("Control groups", "控制组"), sums)]
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::runs::{EN, ZH},
        *,
    };
    use model::run::Verdict;

    fn is_chinese(text: &str) -> bool {
        text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
    }

    /// Each value in both languages, and through JSON and back.
    fn check<T, W>(values: Vec<T>, words: W)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
        W: Fn(&RunTexts, &T) -> String,
    {
        for value in values {
            let (en, zh) = (words(&EN, &value), words(&ZH, &value));
            assert!(!en.is_empty() && !is_chinese(&en), "{value:?}: {en}");
            assert!(is_chinese(&zh), "{value:?}: {zh}");
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
        }
    }

    fn name() -> String {
        "x".into()
    }

    #[test]
    fn reasons_are_worded_in_both_languages() {
        check(
            vec![
                Reason::OutputTooLong { limit_bytes: 1 << 20 },
                Reason::OutputTooLong { limit_bytes: 1000 },
                Reason::NoCode,
                Reason::NestedTooDeep { brackets: 256, angles: 2000 },
                Reason::ParsingCost,
                Reason::ParsingSteps,
                Reason::CompilerError { line: Some(3) },
                Reason::CompilerError { line: None },
                Reason::CompilerSilent,
                Reason::CompilerCpu,
                Reason::CompilerStack,
                Reason::CompilerMemory,
                Reason::CompilerCrash,
                Reason::CpuTime { limit_ms: 10_000 },
                Reason::WaitingTime { limit_ms: 1_500 },
                Reason::SandboxMemory,
                Reason::PrintedTooMuch,
                Reason::EndedEarly { exit_code: Some(0) },
                Reason::EndedEarly { exit_code: None },
                Reason::Signal { signal: 9 },
                Reason::CannotJudge { defect: DataDefect::Indent { answer: 8, code: 4 } },
                Reason::CannotJudge { defect: DataDefect::EarlyLines { lines: 2 } },
                Reason::CannotJudge { defect: DataDefect::SharedTest { test: name(), task: name() } },
                Reason::CannotJudge { defect: DataDefect::QuotedTest { test: name() } },
                Reason::CannotJudge { defect: DataDefect::InvalidTest { test: name() } },
                Reason::Lost,
                Reason::NotAFrame,
                Reason::FalseResult,
                Reason::ChangedSettings { settings: Setting::ALL.map(|(setting, _)| setting).into() },
                Reason::Unconfirmed,
                Reason::AnswersRefused,
                Reason::AnswerNotPlain,
                Reason::ChangesRefused,
                Reason::AnswerNan,
                Reason::AnswerInfinite,
                Reason::AnswerFarOff,
                Reason::AnswerOfAnotherType,
                Reason::AnswerTooLarge,
                Reason::NoAnswer,
                Reason::NoCounts,
                Reason::ImpossibleCounts { passed: -1, total: 4 },
            ],
            |texts, reason| texts.reason(reason),
        );
        assert!(EN.reason(&Reason::CpuTime { limit_ms: 10_000 }).contains("10 s"));
        assert!(EN.reason(&Reason::WaitingTime { limit_ms: 1_500 }).contains("1.5 s"));
        let json = serde_json::to_string(&Reason::Signal { signal: 9 }).unwrap();
        assert_eq!(json, r#"{"code":"signal","signal":9}"#, "stored, so it stays");
        for (setting, called) in Setting::ALL {
            assert_eq!(Setting::from_harness(called), Some(setting));
        }
        assert_eq!(Setting::from_harness("weather"), None);
    }

    #[test]
    fn changes_and_flags_are_worded_in_both_languages() {
        check(
            vec![
                Change::Fence { first: 1, last: 9 },
                Change::Package { declaration: "package a;".into() },
                Change::WrapBody,
                Change::Wrap { class: name() },
                Change::Rename { from: name(), to: name() },
                Change::OnePublicClass,
                Change::Public { method: name(), was: "private".into() },
                Change::Constructor,
                Change::Abstract,
                Change::Extends { base: name(), was: None },
                Change::Extends { base: name(), was: Some(name()) },
                Change::Implements { interface: name() },
                Change::Static { method: name() },
                Change::StaticCaller { member: Some(name()), calls: name() },
                Change::StaticCaller { member: None, calls: name() },
                Change::Import { name: name() },
                Change::ImportLeftOut { name: name() },
            ],
            |texts, change| texts.change(change),
        );
        let sign = [Sign::Exit, Sign::Process, Sign::Native, Sign::Reflection, Sign::Descriptor, Sign::Host];
        let more = [Sign::Network, Sign::Defaults, Sign::Equals, Sign::Threads, Sign::Unconfirmed];
        let left = [Sign::ThreadsLeft { count: 1 }, Sign::ThreadsLeft { count: 2 }];
        check(sign.into_iter().chain(more).chain(left).collect(), |texts, sign| texts.sign(sign));
    }

    #[test]
    fn faults_and_sandbox_checks_are_worded_in_both_languages() {
        let checks = [
            SandboxCheck::RightCode,
            SandboxCheck::WrongCode,
            SandboxCheck::HostFiles,
            SandboxCheck::Writes,
            SandboxCheck::ScratchSize,
            SandboxCheck::ScratchCode,
            SandboxCheck::OwnMemory,
            SandboxCheck::Sockets,
            SandboxCheck::Processes,
            SandboxCheck::SharedState,
            SandboxCheck::UnsafeMemory,
            SandboxCheck::NativeBinding,
            SandboxCheck::Libraries,
            SandboxCheck::BorrowedAccess,
            SandboxCheck::ForeignMemory,
            SandboxCheck::DescriptorByReflection,
            SandboxCheck::DescriptorByNumber,
            SandboxCheck::ForgedResults,
            SandboxCheck::ExpectedValues,
            SandboxCheck::Confirmation,
            SandboxCheck::EarlyExit,
            SandboxCheck::ChangedDefaults,
        ];
        check(checks.into(), |texts, check| texts.sandbox_check(*check).to_owned());
        let failed = FailedCheck {
            lang: None,
            check: SandboxCheck::Sockets,
            expected: Verdict::Failed,
            found: Verdict::Crashed,
            reason: Some(Reason::Lost),
            message: String::new(),
        };
        check(vec![failed.clone()], |texts, failed| texts.failed_check(failed));
        check(
            vec![
                Fault::Sandbox { detail: name() },
                Fault::Toolchain { detail: name() },
                Fault::Harness { detail: name() },
                Fault::Busy { detail: name() },
                Fault::Tests { reason: None, detail: name() },
                Fault::Tests { reason: Some(Reason::CompilerCpu), detail: String::new() },
                Fault::NoTests,
                Fault::NoRepositories,
                Fault::Project { project: "a/b".into(), problem: ProjectProblem::Missing },
                Fault::Project { project: "a/b".into(), problem: ProjectProblem::Environment { detail: name() } },
                Fault::Project {
                    project: "a/b".into(),
                    problem: ProjectProblem::OtherVersion { file: name(), line: 7, offset: None },
                },
                Fault::Project {
                    project: "a/b".into(),
                    problem: ProjectProblem::OtherVersion { file: name(), line: 7, offset: Some(-2) },
                },
                Fault::Project {
                    project: "a/b".into(),
                    problem: ProjectProblem::OwnCode { test: name(), detail: name() },
                },
                Fault::Project { project: "a/b".into(), problem: ProjectProblem::Unreadable { detail: name() } },
                Fault::FailedChecks { checks: vec![failed] },
                Fault::DiskFull { folder: "/data/engine".into() },
                Fault::WorkersLost { times: 5 },
                Fault::System { detail: name() },
            ],
            |texts, fault| texts.fault_line(fault),
        );
        // Another program's text stays separate from ours.
        assert_eq!(ZH.fault(&Fault::Sandbox { detail: name() }).1, Some("x"));
    }
}
