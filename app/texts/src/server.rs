//! The server's page, and what the overview tells about the server.

use model::{
    mail::MailKind,
    server::{Maintenance, Skipped, Source},
};

texts! {
    ServerTexts
    words {
        title: "Server", "服务器";
        about: "Backups, disk space, checks, toolchains and settings.", "备份、磁盘空间、检查、工具链与设置。";
        good: "OK", "正常";
        care: "Check", "注意";
        bad: "Problem", "异常";
        unchecked: "Not checked", "未检查";
        // The list of facts.
        backups: "Backups", "备份";
        database: "Database", "数据库";
        disk: "Disk", "磁盘";
        sandbox: "Sandbox", "沙箱";
        engine: "Test engine", "测试引擎";
        admins: "Admins", "管理员";
        backups_off: "This server makes no backups.", "该服务器不做备份。";
        no_backup_yet: "There is no backup yet.", "还没有备份。";
        database_unchecked: "Not checked yet. The server checks it once a day.", "尚未检查。服务器每天检查一次。";
        disk_unknown: "The operating system does not report its free space.", "操作系统未报告可用空间。";
        disk_short: "Free some space: a full disk stops ratings and backups.", "请释放空间：磁盘写满后将无法保存评分和备份。";
        sandbox_unchecked: "Not checked since the server started.", "服务器启动以来尚未检查。";
        engine_ready: "This machine can run Java test classes.", "该机器可以运行 Java 测试类。";
        no_broker: "The server cannot reach the broker.", "服务器无法连接消息中间件。";
        check_now: "Check database and sandbox", "检查数据库和沙箱";
        // Backups.
        back_up_now: "Back up now", "立即备份";
        backups_how: "Start the server with a folder on another disk, and it makes a backup every day:", "启动服务器时指定另一块磁盘上的文件夹，即可每天自动备份：";
        backup: "Backup", "备份";
        files: "Files", "文件数";
        size: "Size", "大小";
        schema: "Schema", "数据库结构版本";
        restore_how: "\"aixgrade restore\" makes a data folder of a backup.", "可用 aixgrade restore 从备份恢复数据文件夹。";
        // Storage.
        storage: "Storage", "存储";
        uploads: "Uploaded files", "上传的文件";
        engine_files: "Engine: images and compiled tests", "引擎：镜像与已编译的测试";
        toolchains: "Toolchains", "工具链";
        free: "Free on the disk", "磁盘可用空间";
        write_ahead_log: "Write-ahead log", "预写日志";
        data: "Data", "数据";
        number: "Number", "数量";
        preview_prune: "Show unused data", "查看可清理的数据";
        unused: "Unused data", "可清理的数据";
        unused_none: "There is no unused data.", "没有可清理的数据。";
        unused_lead: "Ratings, results and the files of submissions are never deleted here.", "此操作不会删除评分、结果和输出集的文件。";
        cancel: "Cancel", "取消";
        prune: "Delete unused data", "清理这些数据";
        total: "Total", "合计";
        // Languages.
        languages: "Programming languages", "编程语言";
        languages_lead: "Outputs in these languages can be run on this machine. Grading by people needs none of them.", "该机器可以运行以下语言的输出。人工评分不需要这些工具链。";
        ready: "Ready", "就绪";
        not_ready: "Not ready", "未就绪";
        language: "Language", "语言";
        state: "State", "状态";
        found: "Found", "已安装";
        how_to_install: "What is missing", "缺少的内容";
        workers_run: "Workers on other machines run the outputs.", "输出由其他机器上的工作进程运行。";
        // Connections.
        connections: "Connections", "外部连接";
        connections_lead: "The server itself connects only to these, to its SMTP server and to the broker of its workers.", "服务器自身只连接以上地址、SMTP 服务器以及工作进程的消息中间件。";
        endpoints: "Endpoints of models", "模型端点";
        webhook_hosts: "Hosts of webhooks", "Webhook 主机";
        identity_provider: "Identity provider", "身份提供方";
        none: "None", "无";
        with_key: "key set", "已设置密钥";
        without_key: "no key", "未设置密钥";
        // Email.
        mail: "Email", "邮件";
        smtp_server: "SMTP server", "SMTP 服务器";
        sender: "Sender", "发件人";
        waiting: "To send", "待发送";
        given_up: "Given up in the last 30 days", "近 30 天放弃发送";
        last_sent: "Last sent", "最近发送";
        never: "Never", "从未";
        problems: "Messages that were not delivered", "未送达的邮件";
        recipient: "Recipient", "收件人";
        message: "Message", "邮件";
        attempts: "Attempts", "尝试次数";
        next_attempt: "Next attempt", "下次尝试";
        given_up_state: "Given up", "已放弃";
        why: "Reason", "原因";
        kind_verify: "Verification of an address", "地址验证";
        kind_invitation: "Invitation", "邀请";
        kind_due: "Due tomorrow", "明天截止";
        kind_digest: "Digest", "摘要";
        kind_test: "Test", "测试";
        test_address: "Send a test message to", "发送测试邮件至";
        test_send: "Send test message", "发送测试邮件";
        test_sent: "The SMTP server has accepted the test message.", "SMTP 服务器已接受测试邮件。";
        // Settings.
        settings: "Settings", "设置";
        settings_lead: "Set by the operator. A change takes effect when the server starts again.", "由运维人员设置，修改后重新启动服务器生效。";
        setting: "Setting", "设置项";
        value: "Value", "值";
        source: "Set by", "来源";
        default: "default", "默认";
        data_folder: "Data folder", "数据文件夹";
        reload: "Reload the page to see the result.", "请刷新页面查看结果。";
        no_backups: "This server makes no backups. Without a copy elsewhere, a broken disk loses all ratings.", "该服务器不做备份。若没有其他副本，磁盘损坏会丢失全部评分。";
        open_server: "Open the server's page", "查看服务器状态";
    }
    sentences {
        lead(version: &str, schema: u32, started: &str)
            { format!("AixGrade {version}, database schema {schema}, running since {started}.") }
            { format!("AixGrade {version}，数据库结构版本 {schema}，自 {started} 起运行。") }
        newest(at: &str) { format!("The newest is from {at}.") } { format!("最近一次备份：{at}。") }
        backup_failed(at: &str, why: &str) { format!("The last attempt, {at}, failed. {why}") } { format!("最近一次尝试（{at}）失败。{why}") }
        backup_late(at: &str) { format!("The newest backup is from {at}, more than 36 hours ago.") } { format!("最近一次备份是 {at}，已超过 36 小时。") }
        database_good(at: &str) { format!("No damage found. Checked {at}.") } { format!("未发现损坏。检查时间：{at}。") }
        database_bad(at: &str, why: &str) { format!("Checked {at}. {why}") } { format!("检查时间：{at}。{why}") }
        disk_free(free: &str, size: &str) { format!("{free} of {size} are free.") } { format!("可用 {free}，共 {size}。") }
        sandbox_good(n: u64, at: &str) { format!("All {n} checks passed, {at}.") } { format!("{n} 项检查全部通过，{at}。") }
        sandbox_bad(n: u64, at: &str) { format!("Failed checks, {at}: {n}. Do not run outputs that you do not trust.") } { format!("{at} 有 {n} 项检查未通过，请勿运行不可信的输出。") }
        sandbox_list(n: u64) { format!("Checks that passed: {n}") } { format!("通过的检查：{n} 项") }
        workers(ready: u64, all: u64) { format!("Workers that get jobs: {ready} of {all}.") } { format!("可接收作业的工作进程：{ready} 个，共 {all} 个。") }
        folder(folder: &str, days: u64, weeks: u64, months: u64)
            { format!("A backup is made every day in {folder}. It keeps the newest of each of {days} days, {weeks} weeks and {months} months.") }
            { format!("每天备份到 {folder}，保留最近 {days} 天、{weeks} 周、{months} 个月各自的最新备份。") }
        more_backups(shown: &str, all: &str) { format!("The newest {shown} of {all}") } { format!("最近 {shown} 个，共 {all} 个") }
        defaults(n: &str) { format!("Settings with their default: {n}") } { format!("使用默认值的设置：{n} 项") }
        install(name: &str) { format!("Install {name}") } { format!("安装 {name}") }
        disk_notice(free: &str, size: &str)
            { format!("The server's disk is short of space: {free} of {size} are free.") }
            { format!("服务器磁盘空间不足：可用 {free}，共 {size}。") }
    }
}

impl ServerTexts {
    /// What a message is about.
    pub fn mail_kind(&self, kind: MailKind) -> &'static str {
        match kind {
            MailKind::Verify => self.kind_verify,
            MailKind::Invitation => self.kind_invitation,
            MailKind::Due => self.kind_due,
            MailKind::Digest => self.kind_digest,
            MailKind::Test => self.kind_test,
        }
    }

    /// Why data of a kind stay.
    pub fn skipped(&self, why: Skipped) -> &'static str {
        let (en, zh) = match why {
            Skipped::RunInProgress => {
                ("a run is in progress; try again after it has finished", "有运行正在进行，请在其结束后重试")
            }
            Skipped::NoJdk => {
                ("no JDK was found, so the files in use cannot be determined", "未找到 JDK，无法确定哪些文件仍在使用")
            }
        };
        self.lang.pick(en, zh)
    }

    /// Where a setting's value comes from.
    pub fn source_of(&self, source: &Source) -> String {
        match source {
            Source::Default => self.default.to_owned(),
            Source::Argument(name) | Source::Variable(name) => name.clone(),
            Source::File { path, line } => {
                self.lang.pick(format!("{path}, line {line}"), format!("{path} 第 {line} 行"))
            }
        }
    }

    /// Maintenance in progress.
    pub fn running(&self, what: Maintenance) -> &'static str {
        let (en, zh) = match what {
            Maintenance::BackUp => ("A backup is being made.", "正在备份。"),
            Maintenance::Prune => ("Unused data is being deleted.", "正在清理数据。"),
            Maintenance::Check => ("The database and the sandbox are being checked.", "正在检查数据库和沙箱。"),
        };
        self.lang.pick(en, zh)
    }

    /// Maintenance that ended well.
    pub fn done(&self, what: Maintenance) -> &'static str {
        let (en, zh) = match what {
            Maintenance::BackUp => ("The backup is complete and was read back.", "备份已完成，并已重新读取校验。"),
            Maintenance::Prune => ("Unused data was deleted.", "数据已清理。"),
            Maintenance::Check => ("The check has ended.", "检查已结束。"),
        };
        self.lang.pick(en, zh)
    }

    /// Maintenance that failed.
    pub fn failed(&self, what: Maintenance) -> &'static str {
        let (en, zh) = match what {
            Maintenance::BackUp => ("The backup failed.", "备份失败。"),
            Maintenance::Prune => ("Not all unused data could be deleted.", "部分数据未能清理。"),
            Maintenance::Check => ("The check could not be completed.", "检查未能完成。"),
        };
        self.lang.pick(en, zh)
    }
}
