//! Texts of the admin's pages, both languages of each side by side. `words` are fixed; `sentences` contain
//! figures or names.

use super::I18n;
use model::{lang::Lang, quality::Pool, state::State, user::Role};

impl I18n {
    /// A role, in words.
    pub fn role_name(&self, role: Role) -> &'static str {
        match role {
            Role::Admin => self.admin().role_admin,
            Role::Rater => self.admin().role_rater,
        }
    }

    /// The state of a study, a run, a collection or a judging, in words.
    pub fn state_name(&self, state: impl Into<State>) -> &'static str {
        let t = self.admin();
        match state.into() {
            State::Draft => t.state_draft,
            State::Running => t.state_running,
            State::Paused => t.state_paused,
            State::Stopped => t.state_stopped,
            State::Finished => t.state_finished,
            State::Closed => t.state_closed,
        }
    }

    /// Where a known-score item is used, in words.
    pub fn pool_name(&self, pool: Pool) -> &'static str {
        let t = self.quality();
        match pool {
            Pool::Calibration => t.pool_calibration,
            Pool::Hidden => t.pool_hidden,
            Pool::Both => t.pool_both,
        }
    }
}

texts! {
    Admin
    words {
        // Everywhere
        actions: "Actions", "操作";
        any: "Any", "不限";
        check_human: "Human rating", "人工评分";
        check_tests: "Automated tests", "自动测试";
        checks: "Evaluation", "评测方式";
        dataset: "Dataset", "数据集";
        datasets: "Datasets", "数据集";
        description: "Description", "任务描述";
        dimension: "Dimension", "维度";
        file: "File", "文件";
        filter: "Filter", "筛选";
        filter_text: "Search", "搜索";
        language: "Description language", "描述语言";
        lines: "Lines", "行数";
        model: "Model", "模型";
        models: "Models", "模型";
        name: "Name", "名称";
        new_study: "New study", "新建评分项目";
        no_ratings: "No ratings", "暂无评分";
        no_ratings_yet: "No ratings yet", "还没有评分";
        where_raters_begin: "Raters find this study under My studies after they log in.", "评分者登录后即可在“我的评分项目”中看到该项目。";
        none_match: "No results match the filter", "没有符合筛选条件的内容";
        outputs: "Outputs", "输出";
        ratings: "Ratings", "评分";
        sample: "Sample", "样本";
        samples: "Samples", "样本";
        signature: "Signature", "方法签名";
        studies: "Studies", "评分项目";
        submissions: "Submissions", "输出集";
        task: "Task", "任务";
        tasks: "Tasks", "任务";
        tasks_answered: "Tasks with an output", "有输出的任务";
        version: "Version", "版本";
        when: "Date", "时间";

        // Overview
        home: "Overview", "总览";
        next_step: "Next step", "下一步";
        next_import: "There is no data yet. Import a dataset first: the tasks that models solve.", "还没有数据。请先导入数据集，即模型要完成的任务。";
        next_upload: "The tasks are imported. Upload the outputs of a model next.", "任务已导入，接下来请上传模型的输出。";
        next_invite: "The outputs are imported. Invite the people who rate them next.", "模型输出已导入，接下来请邀请评分者。";
        next_study: "The outputs are imported. Create a study to have people rate them.", "模型输出已导入。新建评分项目，即可请人评分。";
        open_inbox: "Open inbox", "打开待办";
        no_studies: "No studies yet", "还没有评分项目";
        all_studies: "All studies", "全部评分项目";

        // Datasets
        no_datasets: "No datasets yet", "还没有数据集";
        graded_by_people: "Human rating", "人工评分";
        with_tests: "Automated tests", "自动测试";
        defects: "Defects of the data", "数据缺陷";
        defects_what: "The benchmark's tests cannot judge these answers. Verdicts as published are those of its program. Guarded, the answers are anomalies, and no guarded figure counts them.", "基准的测试无法判定这些回答。“按发布方式”的结果仍为其程序的判定；在防篡改判定中，这些回答记为异常，不计入任何防篡改指标。";
        defect: "Defect", "缺陷";
        cannot_be_judged: "Cannot be judged", "无法判定";
        all_answers: "All answers", "所有回答";
        imported_at: "Imported", "导入时间";
        import_dataset: "Import dataset", "导入数据集";
        import_what: "Choose one of the following:", "请选择以下任意一种：";
        import_checkout: "an archive (.zip or .tar.gz) of the published AixBench repository: both datasets, their tests, and the original rubric;", "已发布的 AixBench 仓库压缩包（.zip 或 .tar.gz）：包含两个数据集、测试和原版评分标准；";
        import_bare: "its data files (dataset_autotest_nl.jsonl, dataset_manual_nl.jsonl), with both README files if you want the original rubric;", "单独的数据文件（dataset_autotest_nl.jsonl、dataset_manual_nl.jsonl）；如需原版评分标准，请同时选择两个 README 文件；";
        import_humaneval: "HumanEval-X files (humaneval_<language>.jsonl.gz), which become one dataset per language, or an archive of its repository;", "HumanEval-X 的数据文件（humaneval_<语言>.jsonl.gz，每种语言一个数据集），或其仓库的压缩包；";
        import_codeif: "the data files of CodeIF-Bench (L_1_part_1.jsonl and others), or an archive of its repository;", "CodeIF-Bench 的数据文件（L_1_part_1.jsonl 等），或其仓库的压缩包；";
        import_translation: "Include the translation task of HumanEval-X: one dataset per pair of languages", "包括 HumanEval-X 的翻译任务：每对语言一个数据集";
        import_own: "a dataset in AixGrade's own format, as an archive of its folder.", "AixGrade 格式的数据集，将其文件夹打包即可。";
        import_check: "Check its tasks", "查看任务";
        import_again: "Importing the same files again changes nothing. Changed files become a new version; existing ratings are kept.", "重复导入相同的文件不会产生变化。内容有变化的文件会成为新版本，已有的评分全部保留。";
        import_files: "Files or archive", "文件或压缩包";
        import_files_hint: "You can choose several files at once.", "可以一次选择多个文件。";
        import_button: "Import", "导入";
        short_name: "Short name", "短名称";
        code_lang: "Programming language", "编程语言";
        source: "Source", "来源";
        license: "License", "许可证";
        versions: "Versions", "版本";
        changed: "Changed tasks", "变化的任务";

        // Submissions
        no_submissions: "No submissions yet", "还没有输出集";
        upload_outputs: "Upload outputs", "上传模型输出";
        show_all: "Show all", "显示全部";
        taken_at: "Imported", "导入时间";
        only_empty: "Without code", "只看没有代码的";
        no_code: "no code", "无代码";

        // Upload
        upload_lead: "Upload the outputs of one model for one dataset. You see a preview first. Nothing is saved until you confirm.", "上传一个模型在一个数据集上的输出。系统会先显示预览，确认之前不会保存任何内容。";
        upload_needs_dataset: "There is no dataset to match outputs with yet", "还没有可供匹配的数据集";
        upload_form: "Choose a file", "选择文件";
        upload_file: "Outputs", "输出文件";
        upload_file_hint: "JSON Lines with one output per line, optionally compressed with gzip or zstd, a file of another tool, or an archive with one Java class per task. Large files are supported.", "JSON Lines 格式，每行一个输出，可用 gzip 或 zstd 压缩；或其他工具的文件；或每个任务一个 Java 类的压缩包。支持大文件。";
        upload_button: "Upload and preview", "上传并预览";
        shapes_head: "Accepted formats", "支持的格式";
        shapes_lead: "In JSON Lines, each line is a JSON object in one of the first three formats. An archive contains classes instead.", "JSON Lines 的每一行是一个 JSON 对象，格式为前三种之一；压缩包则存放 Java 类。";
        shape_classes: "in a .zip or .tar.gz archive: one class per task, its name ending in the task ID, for example", "放在 .zip 或 .tar.gz 中：每个任务一个类，类名以任务编号结尾，例如";
        shapes_note: "Several lines for one task are several samples. Code fences are removed from chat responses; the text outside the code is kept.", "同一任务的多行视为多个样本。对话式回答中的代码围栏标记会被去除，代码以外的文字予以保留。";
        stop_sending: "Cancel upload", "取消上传";
        sending_label: "Upload", "上传进度";
        server_reads: "Upload complete. The server is reading the file.", "上传完成，服务器正在读取文件。";

        // Preview
        preview: "Preview", "预览";
        preview_none_matched: "No line matches a task, so nothing can be imported. Choose another dataset or another way of matching.", "没有一行能匹配到任务，无法导入。请更换数据集或匹配方式。";
        preview_same: "This file has already been imported.", "这个文件已经导入过。";
        open_submission: "Open submission", "查看该输出集";
        size: "Size", "大小";
        shape: "Format", "格式";
        matched: "Lines matched", "匹配的行";
        one_sample_each: "one per task", "每个任务一个";
        matching: "Matching", "匹配方式";
        matched_by_id: "Lines were matched to tasks by task_id.", "各行按 task_id 匹配到任务。";
        matched_by_description: "Lines were matched to tasks by description.", "各行按任务描述匹配到任务。";
        match_label: "Match lines to tasks", "将各行匹配到任务";
        match_auto: "Automatically", "自动";
        match_task_id: "By task_id", "按 task_id";
        match_description: "By description", "按任务描述";
        match_again: "Match again", "重新匹配";
        bad_lines: "Invalid lines", "无效的行";
        line: "Line", "行号";
        what: "Problem", "问题";
        remedy: "How to fix it", "修正方法";
        findings: "Findings", "检查结果";
        missing: "Tasks without an output", "没有输出的任务";
        missing_what: "These tasks count as unanswered and score 0.", "这些任务视为没有作答，按 0 计。";
        unknown: "Lines without a task", "没有对应任务的行";
        unknown_what: "The dataset has no task with the IDs of these lines. They are not imported.", "数据集中没有对应的任务（以下列出行号和任务编号），这些行不会导入。";
        duplicates: "Duplicate lines", "重复的行";
        duplicates_what: "These lines repeat the task and the code of an earlier line. Each output is imported once, unless the file contains different samples of a task: a repeated line is then a separate sample.", "与前面某行的任务和代码相同，只导入一次；若文件中同一任务有不同的样本，则重复的行也算一个样本。";
        empty_outputs: "Outputs without code", "没有代码的输出";
        empty_what: "These outputs are imported and count as unanswered.", "照常导入，视为没有作答。";
        identity_leaks: "Possible identity leaks", "可能的身份泄露";
        identity_leaks_what: "Raters would see this text and could guess the model. Check it before you import the file.", "评分者会看到这些文字，并可能猜出模型。导入之前请先检查。";
        import: "Import outputs", "导入模型输出";
        import_lead: "All matched lines are imported together, or none are.", "所有匹配的行一并导入，否则一行也不导入。";
        model_name: "Model", "模型名称";
        model_name_hint: "The model that produced these outputs. Raters never see this name. If it already exists, the outputs are added to that model.", "生成这些输出的模型，评分者不会看到。使用已有的名称则归入同一模型。";
        other_file: "Upload another file", "改为上传其他文件";

        // New study
        choose_dataset: "Choose a dataset", "选择数据集";
        study_needs_outputs: "This dataset has no outputs to rate yet", "该数据集还没有可供评分的模型输出";
        other_dataset: "Choose another dataset", "换一个数据集";
        study_title: "Title", "标题";
        study_title_hint: "Raters see the title, so do not mention model names.", "评分者会看到标题，请勿包含模型名称。";
        study_submissions: "Submissions to rate", "要评分的输出集";
        study_submissions_hint: "Choose one or more submissions for the same dataset version.", "至少选择一项，须属于数据集的同一版本。";
        study_raters: "Raters", "评分者";
        study_raters_hint: "The people who rate the outputs. You can add and remove raters later.", "负责评分的成员，之后仍可增减。";
        study_summary: "This study", "本项目";
        select_all: "Select all", "全选";
        select_matching: "Select matches", "选中匹配项";
        select_none: "Select none", "全不选";
        search_models: "Search by model or file", "按模型或文件名搜索";
        summary_per_rater: "Per rater", "每人";
        summary_hours: "Time per rater", "每人用时";
        summary_no_pace: "Known after the first ratings, or with the seconds per rating under More settings.", "有评分之后即可得知，也可在“更多设置”中填写每次评分所需秒数。";
        invite_people: "Invite people", "邀请成员";
        raters_per_output: "Raters per output", "每个输出的评分人数";
        raters_per_output_hint: "With two or more, the comparison also shows the agreement between raters.", "两人或以上时，还可以得到评分者之间的一致性。";
        study_more: "More settings", "更多设置";
        study_tasks: "Limit the number of tasks", "限制任务数";
        study_tasks_hint: "For a pilot: the seed selects this many tasks. Leave empty to include all.", "用于试评：按随机种子抽取指定数量的任务。留空则取全部。";
        seed: "Seed", "随机种子";
        seed_hint: "A whole number that determines the order. Leave empty to generate and record one.", "决定评分顺序的整数。留空则自动生成并记录。";
        estimate_open: "Choose submissions and raters to see the number of ratings.", "选择输出集和评分者后，这里会显示评分总数。";

        // A study
        state_draft: "Draft", "草稿";
        state_running: "Running", "进行中";
        state_paused: "Paused", "已暂停";
        state_stopped: "Stopped", "已停止";
        state_finished: "Finished", "已完成";
        state_closed: "Closed", "已结束";
        pause: "Pause", "暂停";
        resume: "Resume", "继续";
        close_study: "Close…", "结束…";
        close_warning: "A closed study accepts no ratings. Existing ratings are kept. Reopening it asks for a reason.", "结束后不再接受评分，已有的评分全部保留。重新开启时需填写原因。";
        close_for_good: "Close study", "确认结束";
        reopen_study: "Reopen…", "重新开启…";
        reopen_warning: "Raters can rate and change ratings again, and public links open no page until the study is closed again. The reason is kept in the audit log.", "评分者可以继续评分和修改评分；再次结束之前，公开链接无法打开。原因会记入审计日志。";
        reopen_reason: "Reason", "原因";
        reopen_confirm: "Reopen study", "确认重新开启";
        closed_note: "This study is closed. Its ratings are kept.", "该项目已结束，评分全部保留。";
        created_at: "Created", "创建时间";
        rubric: "Rubric", "评分标准";
        ratings_csv: "Export ratings (CSV)", "导出评分（CSV）";
        judge_with_model: "Judge with a model", "用模型评判";
        comparison_csv: "Export comparison (CSV)", "导出模型比较（CSV）";
        progress: "Progress", "进度";
        rater: "Rater", "评分者";
        rated: "Rated", "已评";
        skipped: "Skipped", "已跳过";
        handed_out: "In progress", "正在评分";
        last_rating: "Last rating", "最近评分";
        flags: "Flags", "标记";
        flag: "Flag", "标记";

        // Comparison
        comparison: "Comparison", "模型比较";
        means_desc: "Each point is the mean of a model, each line its 95% interval. The table above contains the same values.", "圆点为各模型的平均分，横线为 95% 置信区间。上方表格列有相同的数据。";
        differences_desc: "Each point is the difference between the means of two models, each line its 95% interval. A line that crosses zero shows no difference. The text above says the same.", "圆点为两个模型平均分之差，横线为 95% 置信区间。横线跨过零，则差异不显著。上方文字说明了同样的内容。";
        distribution_desc: "One bar per model, divided by the share of each score, lowest on the left. The table beside it lists the counts.", "每个模型一条，按各分数所占比例分段，低分在左。旁边的表格列有次数。";
        score: "Score", "分数";
        sum: "Total", "合计";
        agreement: "Agreement between raters", "评分者一致性";
        agreement_lead: "Computed over pairs of ratings of the same output. Alpha is 1 for perfect agreement and about 0 for agreement by chance.", "按同一输出的两两评分计算。完全一致时 α 为 1，仅有偶然一致时约为 0。";
        agreement_none: "No output has ratings by two people yet, so agreement cannot be computed.", "还没有输出得到两人评分，无法计算一致性。";
        alpha: "Krippendorff's alpha", "Krippendorff α";
        exact: "Exact", "完全一致";
        within_one: "Within one level", "相差不超过一级";
        pairs: "Pairs", "评分对数";
        show: "Show", "显示";
        all_tasks: "All tasks", "全部任务";
        rated_tasks: "With ratings", "已有评分";
        unrated_tasks: "Without ratings", "尚无评分";
        disagreement_tasks: "Disagreements", "有分歧";
        spread_of_instructions: "If the spread per dimension is limited, raters who answer differently about an instruction disagree, too.", "设定每个维度的分差上限后，评分者对同一指令的回答不同也视为分歧。";
        order: "Sort by", "排序";
        order_dataset: "Dataset order", "数据集顺序";
        order_spread: "Largest spread first", "分差大的在前";
        spread: "Spread", "分差";
        tasks_legend: "Spread: the largest difference between two ratings of the same output.", "分差：同一输出两条评分的最大差距。";
        replaced: "replaced", "已替换";

        // People
        people: "People", "成员";
        accounts: "Accounts", "账户";
        role: "Role", "角色";
        role_admin: "Admin", "管理员";
        role_rater: "Rater", "评分者";
        state: "State", "状态";
        enabled: "Active", "已启用";
        disabled: "Deactivated", "已停用";
        enable: "Activate", "启用";
        disable: "Deactivate", "停用";
        disable_hint: "Deactivating an account logs the person out. Their ratings are kept.", "停用账户会使其登录失效，已有的评分全部保留。";
        since: "Created", "创建时间";
        seen: "Last seen", "最近登录";
        not_seen: "Not yet", "尚未登录";
        promote: "Make admin", "设为管理员";
        promote_hint: "Admins see which model wrote each output and can change everything. Ratings that this person gives from then on are not blind.", "管理员可以看到每个输出由哪个模型生成，并可更改所有内容。此后此人的评分不再是盲评。";
        demote: "Make rater", "设为评分者";
        demote_hint: "This person can no longer open pages for admins and is logged out. Their access tokens stop working.", "此人将无法打开管理页面并被退出登录，其访问令牌失效。";
        thats_you: "You", "您自己";
        invite_many: "Invite many at once", "批量邀请";
        invite_many_lead: "One name or label per line. To choose a role, add a comma and \"rater\" or \"admin\". If a line is invalid, no invitation is created.", "每行一个名称或标签；若角色不同，请加逗号和 rater 或 admin。要么全部创建，要么都不创建。";
        invite_many_names: "Names, one per line", "名单（每行一个）";
        invite_many_button: "Create links", "创建链接";
        invite_many_once: "Copy these links now and send each to its person. They are not shown again.", "请立即复制这些链接并分别发送给对方，之后不再显示。";
        invite_many_list: "Labels and links, separated by tabs", "标签与链接（以制表符分隔）";
        reset: "Reset password", "重置密码";
        reset_once: "Copy this link now and send it to the person, who chooses a new password with it. It works once, for 48 hours, and is not shown again.", "请立即复制此链接并发送给对方，对方可用它设置新密码。链接仅可使用一次，48 小时内有效，之后不再显示。";
        reset_link: "Password reset link", "设置密码的链接";
        deactivate_none: "This person has no unfinished ratings. Finished ratings are kept.", "此人没有未完成的评分，已完成的评分全部保留。";
        deactivate_goes: "The other raters of these studies take them over after their own. To reassign them now, remove the person from the study's plan first.", "这些项目的其他评分者完成自己的部分后会接手。如需立即重新分配，请先在分配方案中移除此人。";
        invite_lead: "An invitation link lets one person create an account. Send it to them yourself, by email or chat. The label is only for you; people choose their own username.", "邀请链接可供一人创建账户，请自行通过邮件或聊天工具发送。标签仅供您备忘，对方可以自选用户名。";
        invite_study: "Study to join", "加入的评分项目";
        no_study: "No study", "不加入项目";
        invite_label: "Label", "标签";
        invite_send: "Also send the link by email; the label is then an address, or a name and an address in angle brackets", "同时通过邮件发送链接；此时标签应为邮箱地址，或“姓名 <邮箱地址>”";
        mail_waiting: "Email: being sent", "邮件：发送中";
        mail_sent: "Email: sent", "邮件：已发送";
        mail_withdrawn: "Email: not sent, because it was no longer needed", "邮件：不再需要，未发送";
        invite_days: "Expires after (days)", "有效天数";
        invite_button: "Create link", "创建链接";
        invite_once: "Copy this link now and send it to the person. It is not shown again.", "请立即复制此链接并发送给对方，之后不再显示。";
        invite_link: "Invitation link", "邀请链接";
        copy: "Copy", "复制";
        copied: "Copied", "已复制";
        copy_by_hand: "The text is selected. Copy it with your keyboard.", "文字已选中，请手动复制。";
        invitations: "Invitations", "邀请";
        no_invitations: "No invitations yet", "还没有邀请";
        open: "Active", "有效";
        ended: "No longer valid", "已失效";
        ends_at: "Expires", "到期时间";
        revoke: "Revoke", "撤销";
    }
    sentences {
        mail_again(why: &str)
            { format!("Email: not sent yet. {why}. The server tries again.") }
            { format!("邮件：尚未发送。{why}。服务器会重试。") }
        mail_failed(why: &str) { format!("Email: not sent. {why}.") } { format!("邮件：未发送。{why}。") }
        done_of(done: &str, wanted: &str, share: u64)
            { format!("{done} of {wanted} ({share}%)") }
            { format!("{done} / {wanted}（{share}%）") }
        shown_of(shown: u64, all: u64)
            { format!("Showing {} of {}", num(shown), num(all)) }
            { format!("显示 {} / {}", num(shown), num(all)) }
        ratings_n(n: u64) { some(n, "rating", "ratings") } { format!("{} 条评分", num(n)) }
        tasks_n(n: u64) { some(n, "task", "tasks") } { format!("{} 个任务", num(n)) }
        submissions_n(n: u64) { some(n, "submission", "submissions") } { format!("{} 个输出集", num(n)) }
        version_n(n: u32) { format!("version {n}") } { format!("版本 {n}") }
        sample_n(n: u32) { format!("sample {n}") } { format!("样本 {n}") }
        task_n(id: &str) { format!("Task {id}") } { format!("任务 {id}") }
        line_n(n: u64) { format!("line {}", num(n)) } { format!("第 {} 行", num(n)) }
        and_more(n: u64) { format!("and {} more", num(n)) } { format!("另有 {} 项", num(n)) }
        range(low: &str, high: &str) { format!("[{low}, {high}]") } { format!("[{low}, {high}]") }


        upload_for(slug: &str) { format!("Upload outputs for {slug}") } { format!("为 {slug} 上传模型输出") }
        only_dataset(slug: &str) { format!("Submissions for {slug} only.") } { format!("仅显示 {slug} 的输出集。") }
        sending(done: &str, whole: &str) { format!("{done} of {whole} sent") } { format!("已发送 {done} / {whole}") }
        output_of(model: &str, task: &str)
            { format!("{model}, task {task}") }
            { format!("{model}，任务 {task}") }
        import_new(slug: &str, number: u32, tasks: u64)
            { format!("Imported {slug}: version {number} with {} is now the newest.", some(tasks, "task", "tasks")) }
            { format!("{slug} 已导入：最新版本为 {number}，共 {} 个任务。", num(tasks)) }
        import_same(slug: &str, number: u32)
            { format!("{slug} is unchanged: version {number} already contains everything.") }
            { format!("{slug} 没有变化：版本 {number} 已包含全部内容。") }

        preview_bad(n: u64)
            { format!("{} invalid. Fix {} and upload the file again. Nothing is imported until every line is valid.", if n == 1 { "1 line is".into() } else { format!("{} lines are", num(n)) }, if n == 1 { "this line" } else { "these lines" }) }
            { format!("有 {} 行无效。请修正后重新上传：所有行都有效之前，不会导入任何内容。", num(n)) }
        preview_good(matched: u64, covered: u64, total: u64)
            { format!("Matched {}. {} of {} have an output.", some(matched, "output", "outputs"), num(covered), some(total, "task", "tasks")) }
            { format!("{} 行匹配到任务，{} / {} 个任务有输出。", num(matched), num(covered), num(total)) }
        samples_line(tasks: u64, most: u64)
            { format!("{} with several samples, at most {most}", some(tasks, "task", "tasks")) }
            { format!("{} 个任务有多个样本，最多 {most} 个", num(tasks)) }
        import_outputs_button(n: u64) { format!("Import {}", some(n, "output", "outputs")) } { format!("导入 {} 个输出", num(n)) }

        study_of(slug: &str) { format!("Dataset: {slug}.") } { format!("数据集：{slug}。") }
        submission_line(outputs: u64, tasks: u64, file: &str)
            { format!("{} for {}, from {file}", some(outputs, "output", "outputs"), some(tasks, "task", "tasks")) }
            { format!("{} 个输出，覆盖 {} 个任务，来自 {file}", num(outputs), num(tasks)) }
        selected_of(n: u64, all: u64) { format!("{} of {} selected", num(n), num(all)) } { format!("已选 {}，共 {}", num(n), num(all)) }
        summary_of(outputs: u64, ratings: u64, raters: u64)
            { format!("{} of {} by {}", some(ratings, "rating", "ratings"), some(outputs, "output", "outputs"), some(raters, "rater", "raters")) }
            { format!("{} 位评分者对 {} 个输出评分，共 {} 次", num(raters), num(outputs), num(ratings)) }
        about_n(n: u64) { format!("about {}", num(n)) } { format!("约 {} 次", num(n)) }
        about_hours(seconds: u64)
            { if seconds < 5400 { format!("about {} min", num(seconds.div_ceil(60))) } else { format!("about {:.1} h", seconds as f64 / 3600.0) } }
            { if seconds < 5400 { format!("约 {} 分钟", num(seconds.div_ceil(60))) } else { format!("约 {:.1} 小时", seconds as f64 / 3600.0) } }
        at_pace(seconds: u32) { format!("at {} per rating", some(seconds.into(), "second", "seconds")) } { format!("按每次评分 {seconds} 秒计算") }
        raters_per_output_short(raters_per_output: u64, raters: u64)
            { format!("{raters_per_output} raters per output require at least {raters_per_output} raters, but {} selected. Select more raters or lower the number of raters per output.", if raters == 1 { "1 is".into() } else { format!("{} are", num(raters)) }) }
            { format!("每个输出需 {raters_per_output} 位评分者，目前只选了 {} 位。请增加评分者或减少每个输出的评分人数。", num(raters)) }

        seconds(s: u64) { format!("{s} s") } { format!("{s} 秒") }
        minutes(m: u64, s: u64) { format!("{m} min {s} s") } { format!("{m} 分 {s} 秒") }

        how_computed(resamples: &str, seed: &str)
            { format!("Mean over tasks of the mean over raters. Intervals: bootstrap over tasks with raters nested, {resamples} resamples, seed {seed}.") }
            { format!("先对每个任务的评分者取平均，再对任务取平均。置信区间：按任务有放回抽样（嵌套评分者），{resamples} 次，随机种子 {seed}。") }

        enable_whom(name: &str) { format!("Activate {name}") } { format!("启用 {name}") }
        deactivate_open(ratings: &str, studies: u64)
            { if studies == 1 { format!("Unfinished ratings: {ratings}, in 1 study.") } else { format!("Unfinished ratings: {ratings}, in {studies} studies.") } }
            { format!("未完成的评分：{ratings} 条，涉及 {studies} 个项目。") }
        deactivate_alone(studies: u64)
            { if studies == 1 { "1 of the studies has no other rater. Add a rater to its plan; until then, its ratings wait.".into() } else { format!("{studies} of the studies have no other rater. Add a rater to their plans; until then, their ratings wait.") } }
            { format!("其中 {studies} 个项目没有其他评分者，请在分配方案中添加，否则这些评分无人完成。") }
        reset_whose(name: &str) { format!("Reset password of {name}") } { format!("重置密码：{name}") }
        promote_whom(name: &str) { format!("Make {name} an admin") } { format!("将 {name} 设为管理员") }
        demote_whom(name: &str) { format!("Make {name} a rater") } { format!("将 {name} 设为评分者") }
        disable_whom(name: &str) { format!("Deactivate {name}") } { format!("停用 {name}") }
        used_by(name: &str) { format!("Used by {name}") } { format!("已由 {name} 使用") }
        revoke_whose(label: &str) { format!("Revoke the invitation for {label}") } { format!("撤销给“{label}”的邀请") }
    }
}

/// An integer with thousands separators, the same in both languages.
fn num(n: u64) -> String {
    I18n::of(Lang::En).number(n)
}

/// A number with its noun.
fn some(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", num(n), if n == 1 { one } else { many })
}
