//! The audit log: each text with both its languages side by side.

use model::audit::{Action, Object};

texts! {
    /// The texts about the audit log.
    AuditTexts
    words {
        title: "Audit log", "审计日志";
        lead: "All changes by admins, programs and the command line. Newest first. Filter dates are in UTC.", "管理员、程序和命令行所做的全部变更，最新的在前。筛选日期按 UTC 计算。";
        when: "Date", "时间";
        who: "Person", "操作者";
        what: "Action", "操作";
        object: "Object", "对象";
        detail: "Details", "详情";
        origin: "Origin", "来源";
        person: "Person", "操作者";
        action: "Action", "操作";
        containing: "Object or details contain", "对象或详情包含";
        from: "From", "起始日期";
        to: "To", "截止日期";
        any: "All", "全部";
        download: "Download CSV", "导出 CSV";
        older: "Older", "更早";
        newest: "Newest", "最新";
        pages: "Pages", "分页";
        storage: "Data folder", "数据文件夹";
        none: "No entries match", "没有符合条件的记录";
        command_line: "Command line", "命令行";
        browser: "Browser", "浏览器";
        unknown: "Not recorded", "未记录";

        adjudicator_add: "Added an adjudicator", "添加裁定者";
        adjudicator_remove: "Removed an adjudicator", "移除裁定者";
        announcement_publish: "Published an announcement", "发布公告";
        announcement_withdraw: "Withdrew an announcement", "撤回公告";
        calibration_admit: "Allowed a rater to rate regardless of calibration", "放行评分者（不论校准结果）";
        calibration_reset: "Restarted a rater's calibration", "让评分者重新校准";
        collection_create: "Created a collection", "创建采集";
        collection_delete: "Deleted a collection", "删除采集";
        collection_resume: "Resumed a collection", "继续采集";
        collection_start: "Started a collection", "开始采集";
        collection_stop: "Stopped a collection", "停止采集";
        dataset_import: "Imported a dataset", "导入数据集";
        dataset_set_rubric: "Set a dataset's default rubric", "设置数据集的默认评分标准";
        flag_reply: "Replied to a flag", "答复标记";
        group_create: "Created a group", "创建分组";
        group_delete: "Deleted a group", "删除分组";
        group_rename: "Renamed a group", "重命名分组";
        group_set_members: "Changed the members of a group", "更改分组成员";
        guidelines_save: "Saved guidelines", "保存评分指南";
        inbox_dismiss: "Dismissed an inbox item", "忽略待办事项";
        invitation_accept: "Accepted an invitation", "接受邀请";
        invitation_create: "Created an invitation", "创建邀请";
        invitation_revoke: "Revoked an invitation", "撤销邀请";
        judging_create: "Created a judging", "创建评判";
        known_scores_add: "Added a known-score item", "添加标准题";
        known_scores_remove: "Removed a known-score item", "移除标准题";
        known_scores_activate: "Activated a known-score item", "启用标准题";
        known_scores_deactivate: "Deactivated a known-score item", "停用标准题";
        known_scores_set_pool: "Changed the pool of a known-score item", "更改标准题的用途";
        object_archive: "Archived an object", "归档对象";
        object_delete: "Deleted an object", "删除对象";
        object_rename: "Renamed an object", "重命名对象";
        object_restore: "Restored a deleted object", "恢复已删除的对象";
        object_unarchive: "Unarchived an object", "取消归档";
        output_add_rating: "Requested one more rating", "请求补充评分";
        output_adjudicate: "Adjudicated a disagreement", "裁定分歧";
        public_link_create: "Created a public link", "创建公开链接";
        public_link_revoke: "Revoked a public link", "撤销公开链接";
        ratings_import: "Imported ratings", "导入评分";
        rubric_save: "Saved a version of a rubric", "保存评分标准的新版本";
        run_stop: "Stopped a test run", "停止测试运行";
        output_choose_block: "Chose the code of a response", "选定回答中的代码";
        run_rerun: "Re-ran outputs", "重新运行输出";
        toolchain_install: "Installed a toolchain", "安装工具链";
        worker_remove: "Removed a worker", "移除工作进程";
        run_start: "Started a test run", "开始测试运行";
        storage_back_up: "Started a backup", "开始备份";
        storage_prune: "Pruned unused data", "清理未使用的数据";
        study_add_rater: "Added a rater to a study", "将评分者加入项目";
        study_duplicate: "Duplicated a study", "复制项目";
        study_create: "Created a study", "创建评分项目";
        study_edit: "Edited a draft", "编辑草稿";
        study_extend: "Extended a study", "扩充项目";
        study_pause_rater: "Paused a rater", "暂停评分者";
        study_resume_rater: "Resumed a paused rater", "让评分者继续";
        study_remove_rater: "Removed a rater from a study", "将评分者移出项目";
        study_reopen: "Reopened a study", "重新开启项目";
        study_set_pace: "Set a study's pace", "设定项目的评分速度";
        study_set_quality: "Changed a study's quality settings", "修改项目的质量设置";
        study_set_status: "Changed a study's status", "修改项目状态";
        submission_import: "Imported a submission", "导入输出集";
        submission_mask: "Masked model names in a submission", "隐去输出集中的模型名称";
        submission_unmask: "Showed model names in a submission again", "恢复显示输出集中的模型名称";
        token_create: "Created an access token", "创建访问令牌";
        token_revoke: "Revoked an access token", "撤销访问令牌";
        user_activate: "Activated an account", "启用账户";
        user_create: "Created an account", "创建账户";
        user_create_reset: "Created a password reset link", "创建密码重置链接";
        user_deactivate: "Deactivated an account", "停用账户";
        user_link: "Linked an account to single sign-on", "将账户关联到单点登录";
        user_unlink: "Removed an account's single sign-on", "取消账户的单点登录";
        user_set_languages: "Set the languages that a person reads", "设置成员的阅读语言";
        user_set_password: "Changed a password", "修改密码";
        user_set_role: "Changed the role of an account", "更改账户角色";
        webhook_create: "Created a webhook", "创建 Webhook";
        webhook_remove: "Deleted a webhook", "删除 Webhook";
        webhook_retry: "Sent a webhook delivery again", "重新推送 Webhook";
        webhook_test: "Tested a webhook", "测试 Webhook";
    }
    sentences {
        token_n(id: i64) { format!("Access token {id}") } { format!("访问令牌 {id}") }
        account_n(name: &str) { format!("Account {name}") } { format!("账户 {name}") }
        dataset_n(slug: &str) { format!("Dataset {slug}") } { format!("数据集 {slug}") }
        group_n(id: i64) { format!("Group {id}") } { format!("分组 {id}") }
        invitation_n(id: i64) { format!("Invitation {id}") } { format!("邀请 {id}") }
        rubric_n(slug: &str) { format!("Rubric {slug}") } { format!("评分标准 {slug}") }
        announcement_n(id: i64) { format!("Announcement {id}") } { format!("公告 {id}") }
        collection_n(id: i64) { format!("Collection {id}") } { format!("采集 {id}") }
        run_n(id: i64) { format!("Run {id}") } { format!("运行 {id}") }
        study_n(id: i64) { format!("Study {id}") } { format!("评分项目 {id}") }
        submission_n(id: i64) { format!("Submission {id}") } { format!("输出集 {id}") }
        toolchain_n(code: &str) { format!("Toolchain {code}") } { format!("工具链 {code}") }
        worker_n(name: &str) { format!("Worker {name}") } { format!("工作进程 {name}") }
        webhook_n(id: i64) { format!("Webhook {id}") } { format!("Webhook {id}") }
    }
}

impl AuditTexts {
    /// The action, in words.
    pub fn action_name(&self, action: Action) -> &'static str {
        match action {
            Action::AdjudicatorAdd => self.adjudicator_add,
            Action::AdjudicatorRemove => self.adjudicator_remove,
            Action::AnnouncementPublish => self.announcement_publish,
            Action::AnnouncementWithdraw => self.announcement_withdraw,
            Action::CalibrationAdmit => self.calibration_admit,
            Action::CalibrationReset => self.calibration_reset,
            Action::CollectionCreate => self.collection_create,
            Action::CollectionDelete => self.collection_delete,
            Action::CollectionResume => self.collection_resume,
            Action::CollectionStart => self.collection_start,
            Action::CollectionStop => self.collection_stop,
            Action::DatasetImport => self.dataset_import,
            Action::DatasetSetRubric => self.dataset_set_rubric,
            Action::FlagReply => self.flag_reply,
            Action::GroupCreate => self.group_create,
            Action::GroupDelete => self.group_delete,
            Action::GroupRename => self.group_rename,
            Action::GroupSetMembers => self.group_set_members,
            Action::GuidelinesSave => self.guidelines_save,
            Action::InboxDismiss => self.inbox_dismiss,
            Action::InvitationAccept => self.invitation_accept,
            Action::InvitationCreate => self.invitation_create,
            Action::InvitationRevoke => self.invitation_revoke,
            Action::JudgingCreate => self.judging_create,
            Action::KnownScoresAdd => self.known_scores_add,
            Action::KnownScoresRemove => self.known_scores_remove,
            Action::KnownScoresActivate => self.known_scores_activate,
            Action::KnownScoresDeactivate => self.known_scores_deactivate,
            Action::KnownScoresSetPool => self.known_scores_set_pool,
            Action::StudyPauseRater => self.study_pause_rater,
            Action::StudyResumeRater => self.study_resume_rater,
            Action::ObjectArchive => self.object_archive,
            Action::ObjectDelete => self.object_delete,
            Action::ObjectRename => self.object_rename,
            Action::ObjectRestore => self.object_restore,
            Action::ObjectUnarchive => self.object_unarchive,
            Action::OutputAddRating => self.output_add_rating,
            Action::OutputAdjudicate => self.output_adjudicate,
            Action::PublicLinkCreate => self.public_link_create,
            Action::PublicLinkRevoke => self.public_link_revoke,
            Action::RatingsImport => self.ratings_import,
            Action::RubricSave => self.rubric_save,
            Action::RunStop => self.run_stop,
            Action::OutputChooseBlock => self.output_choose_block,
            Action::RunRerun => self.run_rerun,
            Action::RunStart => self.run_start,
            Action::StorageBackUp => self.storage_back_up,
            Action::StoragePrune => self.storage_prune,
            Action::StudyAddRater => self.study_add_rater,
            Action::StudyDuplicate => self.study_duplicate,
            Action::StudyCreate => self.study_create,
            Action::StudyEdit => self.study_edit,
            Action::StudyExtend => self.study_extend,
            Action::StudyRemoveRater => self.study_remove_rater,
            Action::StudyReopen => self.study_reopen,
            Action::StudySetPace => self.study_set_pace,
            Action::StudySetQuality => self.study_set_quality,
            Action::StudySetStatus => self.study_set_status,
            Action::SubmissionImport => self.submission_import,
            Action::SubmissionMask => self.submission_mask,
            Action::SubmissionUnmask => self.submission_unmask,
            Action::TokenCreate => self.token_create,
            Action::TokenRevoke => self.token_revoke,
            Action::ToolchainInstall => self.toolchain_install,
            Action::UserActivate => self.user_activate,
            Action::UserCreate => self.user_create,
            Action::UserCreateReset => self.user_create_reset,
            Action::UserDeactivate => self.user_deactivate,
            Action::UserLink => self.user_link,
            Action::UserUnlink => self.user_unlink,
            Action::UserSetLanguages => self.user_set_languages,
            Action::UserSetPassword => self.user_set_password,
            Action::UserSetRole => self.user_set_role,
            Action::WorkerRemove => self.worker_remove,
            Action::WebhookCreate => self.webhook_create,
            Action::WebhookRemove => self.webhook_remove,
            Action::WebhookRetry => self.webhook_retry,
            Action::WebhookTest => self.webhook_test,
        }
    }

    /// The changed object, in words.
    pub fn object_name(&self, object: &Object) -> String {
        match object {
            Object::Account(name) => (self.account_n)(name),
            Object::Announcement(id) => (self.announcement_n)(id.0),
            Object::Collection(id) => (self.collection_n)(id.0),
            Object::Dataset(slug) => (self.dataset_n)(slug),
            Object::Group(id) => (self.group_n)(id.0),
            Object::Invitation(id) => (self.invitation_n)(*id),
            Object::Rubric(slug) => (self.rubric_n)(slug),
            Object::Run(id) => (self.run_n)(id.0),
            Object::Storage => self.storage.to_owned(),
            Object::Study(id) => (self.study_n)(id.0),
            Object::Submission(id) => (self.submission_n)(id.0),
            Object::Token(id) => (self.token_n)(id.0),
            Object::Toolchain(code) => (self.toolchain_n)(code),
            Object::Webhook(id) => (self.webhook_n)(id.0),
            Object::Worker(name) => (self.worker_n)(name),
        }
    }
}
