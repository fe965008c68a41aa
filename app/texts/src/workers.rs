//! Texts about workers on other machines.

use model::workers::WorkerState;

texts! {
    WorkerTexts
    words {
        abilities: "Runs", "可运行";
        done: "Outputs", "输出数";
        idle: "No jobs are waiting or running.", "没有等待中或运行中的作业。";
        last_seen: "Last seen", "最近连接";
        no_broker: "The server cannot reach the broker, so no outputs are given to workers. It keeps trying.", "服务器无法连接消息中间件，暂不向工作进程分发输出，正在重试。";
        none: "No worker is connected. Start one with \"aixgrade-worker\".", "没有已连接的工作进程。可用 aixgrade-worker 启动。";
        queue: "Queue", "队列";
        queues: "Queues", "队列";
        rate: "Per minute", "每分钟";
        run_again: "Run these again", "重新运行这些输出";
        run_again_intro: "Removed workers reported these results. Run them again:", "以下结果由已移除的工作进程报告，请重新运行：";
        running: "Running", "运行中";
        slots: "Slots in use", "占用的槽位";
        state: "State", "状态";
        unanswered: "Unanswered", "未回报";
        waiting: "Waiting", "等待中";
        worker: "Worker", "工作进程";
        workers: "Workers", "工作进程";
    }
    sentences {
        results_of_run(run: i64, outputs: u32)
            { format!("Run {run}: {outputs} results") }
            { format!("运行 {run}：{outputs} 个结果") }
        unserved(queues: &str) { format!("Outputs wait, and no worker runs them: {queues}.") } { format!("有输出在等待，但没有工作进程可运行：{queues}。") }
        repaired(lost: u64, refused: u64)
            { format!("Since the server started, {lost} jobs were lost and sent again, and {refused} late or duplicate results were refused.") }
            { format!("服务器启动以来，有 {lost} 个作业丢失后重新分发，拒绝了 {refused} 个迟到或重复的结果。") }
        other_build(version: &str, build: &str)
            { format!("Version {version}, build {build}. Install the release of the server on this machine.") }
            { format!("版本 {version}，构建 {build}。请在该机器上安装与服务器相同的发行版本。") }
        checked(kind: &str, toolchain: &str, checks: u32)
            { format!("{kind}: {toolchain}, {checks} sandbox checks passed") }
            { format!("{kind}：{toolchain}，通过 {checks} 项沙箱检查") }
        failed(kind: &str, checks: &str)
            { format!("{kind}: sandbox checks failed, so it gets no jobs: {checks}") }
            { format!("{kind}：沙箱检查未通过，因此不分发作业：{checks}") }
        cannot(kind: &str, why: &str) { format!("{kind}: not available. {why}") } { format!("{kind}：不可用。{why}") }
    }
}

impl WorkerTexts {
    /// A worker's state.
    pub fn state_name(&self, state: WorkerState) -> &'static str {
        let (en, zh) = match state {
            WorkerState::Ready => ("ready", "就绪"),
            WorkerState::Draining => ("stopping", "正在停止"),
            WorkerState::Removed => ("removed, gets no jobs", "已移除，不分发作业"),
            WorkerState::OtherBuild => ("different build, gets no jobs", "构建不同，不分发作业"),
            WorkerState::FailedChecks => ("checks failed, gets no jobs", "检查未通过，不分发作业"),
            WorkerState::Gone => ("gone", "已断开"),
        };
        self.lang.pick(en, zh)
    }
}
