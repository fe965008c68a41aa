//! The inbox: each text with both its languages side by side.

use super::I18n;
use model::{
    inbox::{InboxAct, InboxKind},
    lang::Lang,
};

impl I18n {
    /// The admins' inbox.
    pub fn inbox(&self) -> &'static InboxTexts {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    /// The texts about the inbox.
    InboxTexts
    words {
        title: "Inbox", "待办";
        empty: "Nothing needs your attention", "没有待办事项";
        empty_hint: "Flags, disagreements, raters who need attention, stopped runs, failed deliveries and failed backups appear here.", "标记、分歧、需要关注的评分者、已停止的运行、失败的推送和失败的备份会显示在这里。";
        empty_filter: "No items of this kind", "没有此类待办事项";
        show_all: "Show all items", "显示全部待办";
        kinds: "Kinds", "类型";
        all: "All", "全部";
        study: "Study", "评分项目";
        all_studies: "All studies", "全部项目";
        filter: "Filter", "筛选";
        items: "Items", "事项";
        of_no_study: "Test runs, webhooks and the server", "测试运行、Webhook 和服务器";
        preview: "Current item", "当前事项";
        choose: "Select an item to see what it is about.", "选择一项以查看详情。";
        back_to_list: "Back to the list", "返回列表";
        undo: "Undo", "撤销";
        latest: "Latest ratings", "最近的评分";
        latest_task: "Task", "任务";
        latest_scores: "Scores", "分数";
        latest_known: "Known scores", "标准分数";
        latest_seconds: "Seconds", "秒";
        latest_at: "Submitted", "提交时间";
        paused_short: "paused", "已暂停";
        select_all: "Select all on this page", "全选本页";
        with_selected: "Act on the selected items", "对所选事项";
        shortcuts: "Keyboard shortcuts", "快捷键";
        key_next: "Next item", "下一项";
        key_previous: "Previous item", "上一项";
        key_select: "Select or deselect the item", "选中或取消选中";
        key_open: "Open the item, or reply to the flag", "打开该项，或答复标记";
        key_resolve: "Apply the default action to the selected items, or to this one", "对所选事项或当前事项执行常用操作";
        key_undo: "Undo the last action", "撤销上一操作";
        key_help: "Show or hide this list", "显示或隐藏此列表";
        keys_off: "Single-key shortcuts are off for your account.", "您的账户已关闭单键快捷键。";
        keys_change: "Change", "更改";

        flag: "Flag", "标记";
        disagreement: "Disagreement", "分歧";
        calibration: "Calibration not passed", "校准未通过";
        pace: "Too fast", "评分过快";
        checks: "Misses hidden checks", "隐藏检验题出错";
        plan: "Ratings without a rater", "评分无人可做";
        run: "Stopped run", "已停止的运行";
        engine: "Engine errors", "引擎错误";
        delivery: "Failed delivery", "推送失败";
        backup: "Failed backup", "备份失败";
        integrity: "Database check failed", "数据库检查失败";

        resolve: "Resolve", "标为已处理";
        add_rater: "Add one more rater", "再请一位评分者";
        restart: "Repeat calibration", "重新校准";
        admit: "Allow to rate", "放行";
        resume: "Resume rating", "继续评分";
        retry: "Retry", "重试";
        dismiss: "Dismiss", "忽略";

        adjudicate: "Adjudicate", "裁定";
        own: "You rated this output yourself, so another adjudicator must decide.", "您自己评过这个输出，须由其他裁定者裁定。";
        open_ratings: "Open the ratings", "查看评分";
        open_calibration: "Open the calibration", "查看校准";
        open_plan: "Open the plan", "查看分配方案";
        open_run: "Open the run", "查看运行";
        routine_never: "It has not succeeded yet.", "尚未成功过。";
        open_webhook: "Open the webhooks", "查看 Webhook";
        not_blind: "All items of this study, with model names", "该项目的全部内容（显示模型名称）";
        calibration_text: "did not pass the calibration and cannot rate.", "未通过校准，无法评分。";
        paused: "The rater is paused until you decide.", "该评分者已暂停，等待您的处理。";
        plan_draft: "The study is a draft.", "该项目仍是草稿。";
    }
    sentences {
        waiting_n(n: &str) { format!("{n} waiting") } { format!("{n} 项待办") }
        since(when: &str) { format!("since {when}") } { format!("{when} 起") }
        select_n(n: i64) { format!("Select item {n}") } { format!("选择第 {n} 项") }
        task(id: &str) { format!("Task {id}") } { format!("任务 {id}") }
        fast_n(count: u64, of: u64, s: u32) { format!("submitted {count} of {of} ratings in less than {s} seconds.") } { format!("{of} 条评分中有 {count} 条不足 {s} 秒。") }
        missed_n(count: u64, of: u64) { format!("missed {count} of {of} hidden known-score items.") } { format!("{of} 道隐藏的标准题中有 {count} 道出错。") }
        unassigned_n(n: u64) { if n == 1 { "1 planned rating cannot be assigned to any rater of the study. Add a rater.".into() } else { format!("{n} planned ratings cannot be assigned to any rater of the study. Add a rater.") } } { format!("{n} 次评分无法分配给项目中的任何评分者，请添加评分者。") }
        inactive(names: &str) { format!("Deactivated, but with remaining work: {names}. Remove them from the study to reassign it.") } { format!("已停用但仍有剩余工作：{names}。将其移出项目即可重新分配。") }
        run_n(run: &str, dataset: &str) { format!("Run {run} of {dataset}") } { format!("运行 {run}（{dataset}）") }
        errors_n(n: u64) { if n == 1 { "The engine failed on 1 output, which has no verdict.".into() } else { format!("The engine failed on {n} outputs, which have no verdict.") } } { format!("测试引擎在 {n} 个输出上出错，它们没有测试结果。") }
        attempts_n(n: u32) { if n == 1 { "1 attempt".into() } else { format!("{n} attempts") } } { format!("已尝试 {n} 次") }
        routine_since(when: &str) { format!("It last succeeded {when}.") } { format!("上次成功：{when}。") }

        confirm_resolve(n: u64) { if n == 1 { "The flag will be resolved without a reply. Its rater sees that it is resolved.".into() } else { format!("{n} flags will be resolved without a reply. Their raters see that they are resolved.") } } { format!("{n} 个标记将被标为已处理，没有答复；评分者会看到处理状态。") }
        confirm_add_rater(n: u64) { if n == 1 { "One more rater will rate the output, and the median will be final.".into() } else { format!("One more rater will rate each of {n} outputs, and the median will be final.") } } { format!("将为 {n} 个输出各再请一位评分者，并以中位数为准。") }
        confirm_restart(n: u64) { if n == 1 { "The rater will repeat the calibration before rating.".into() } else { format!("{n} raters will repeat the calibration before rating.") } } { format!("{n} 位评分者须重新校准后才能评分。") }
        confirm_admit(n: u64) { if n == 1 { "The rater will rate although they did not pass the calibration. Their ratings count.".into() } else { format!("{n} raters will rate although they did not pass the calibration. Their ratings count.") } } { format!("{n} 位评分者未通过校准，但将可以评分，其评分计入结果。") }
        confirm_resume(n: u64) { if n == 1 { "The rater can rate again. Their ratings are kept.".into() } else { format!("{n} raters can rate again. Their ratings are kept.") } } { format!("{n} 位评分者将可以继续评分，原有评分保留。") }
        confirm_retry(n: u64) { if n == 1 { "It will be run or sent again.".into() } else { format!("{n} items will be run or sent again.") } } { format!("{n} 项将重新运行或再次推送。") }
        confirm_dismiss(n: u64) { if n == 1 { "It is removed from the inbox until it happens again. Nothing else changes.".into() } else { format!("{n} items are removed from the inbox until they happen again. Nothing else changes.") } } { format!("{n} 项将从待办中移除，再次发生时才会出现；其他内容不变。") }

        undone_n(n: u64) { if n == 1 { "1 item is back in the inbox.".into() } else { format!("{n} items are back in the inbox.") } } { format!("{n} 项已回到待办。") }
        gone_n(n: u64) { if n == 1 { "1 item was already resolved, or its cause no longer exists.".into() } else { format!("{n} items were already resolved, or their cause no longer exists.") } } { format!("{n} 项无需处理：他人已处理，或起因已不存在。") }
        refused_n(n: u64) { if n == 1 { "1 item does not allow this action.".into() } else { format!("{n} items do not allow this action.") } } { format!("{n} 项无法以此方式处理。") }
    }
}

impl InboxTexts {
    /// The name of a kind.
    pub fn kind(&self, kind: InboxKind) -> &'static str {
        match kind {
            InboxKind::Flag => self.flag,
            InboxKind::Disagreement => self.disagreement,
            InboxKind::Calibration => self.calibration,
            InboxKind::Pace => self.pace,
            InboxKind::Checks => self.checks,
            InboxKind::Plan => self.plan,
            InboxKind::Run => self.run,
            InboxKind::Engine => self.engine,
            InboxKind::Delivery => self.delivery,
            InboxKind::Backup => self.backup,
            InboxKind::Integrity => self.integrity,
        }
    }

    /// The button of an act.
    pub fn act(&self, act: InboxAct) -> &'static str {
        match act {
            InboxAct::Resolve => self.resolve,
            InboxAct::AddRater => self.add_rater,
            InboxAct::Restart => self.restart,
            InboxAct::Admit => self.admit,
            InboxAct::Resume => self.resume,
            InboxAct::Retry => self.retry,
            InboxAct::Dismiss => self.dismiss,
        }
    }

    /// What is wrong with a rater, after the rater's name.
    pub fn about_rater(&self, kind: InboxKind, count: u64, of: u64, seconds: u32) -> String {
        match kind {
            InboxKind::Pace => (self.fast_n)(count, of, seconds),
            InboxKind::Checks => (self.missed_n)(count, of),
            _ => self.calibration_text.to_owned(),
        }
    }

    /// The consequence of an act on this many items.
    pub fn consequence(&self, act: InboxAct, items: u64) -> String {
        match act {
            InboxAct::Resolve => (self.confirm_resolve)(items),
            InboxAct::AddRater => (self.confirm_add_rater)(items),
            InboxAct::Restart => (self.confirm_restart)(items),
            InboxAct::Admit => (self.confirm_admit)(items),
            InboxAct::Resume => (self.confirm_resume)(items),
            InboxAct::Retry => (self.confirm_retry)(items),
            InboxAct::Dismiss => (self.confirm_dismiss)(items),
        }
    }
}
