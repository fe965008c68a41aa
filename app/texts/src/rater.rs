//! Texts of a rater's own pages and of the grading page.

texts! {
    Rater
    words {
        overdue: "Overdue", "已过期";
        studies_lead: "You can rate in any order and stop at any time. Your work is saved automatically.", "顺序不限，随时可停，所有内容都会自动保存。";
        studies_empty: "No studies yet", "还没有评分项目";
        studies_empty_hint: "Studies appear here as soon as an admin adds you to one.", "管理员将您加入项目后，它会显示在这里。";
        start_rating: "Start rating", "开始评分";
        continue_rating: "Continue rating", "继续评分";
        all_rated: "All done", "全部完成";
        paused_or_closed: "Paused or closed", "已暂停或结束";
        you_are_paused: "You are paused", "您已被暂停";
        mine_skipped: "Skipped outputs", "跳过的输出";
        mine_bookmarks: "Bookmarks", "书签";
        mine_rated: "rated", "已评";
        mine_title: "My ratings", "我的评分";
        mine_lead: "Newest first. Open a rating to review or change it.", "按时间由新到旧排列。点开可查看或修改。";
        mine_empty: "You have no ratings in this study yet", "您在此项目中还没有评分";
        mine_not_found: "No rating has these words", "没有包含这些词的评分";
        mine_search: "Search descriptions, comments and notes", "搜索任务描述、评语和行注";
        mine_find: "Search", "搜索";
        mine_at: "Rated", "评分时间";
        mine_task: "Task", "任务";
        mine_scores: "Scores", "分数";
        mine_notes: "Comments and notes", "评语与行注";
        mine_commented: "comment", "有评语";
        mine_flagged: "flag", "有标记";
        to_my_studies: "Back to my studies", "返回我的评分项目";
        outputs_navigation: "Outputs of this study", "项目中的输出";
        back: "Previous", "上一个";
        forward: "Next", "下一个";
        no_back: "This is your first output in this study.", "这是您在此项目中的第一个输出。";
        no_forward: "This is the newest output. Submit or skip it to continue.", "这已经是最新的输出，请提交或跳过后继续。";
        back_to_last: "Review the last output", "查看上一个输出";
        task: "Task", "任务描述";
        signature: "Signature", "方法签名";
        rubric: "Rubric", "评分标准";
        rubric_language: "Rubric language", "评分标准的语言";
        rating: "Rating", "评分";
        checklist: "Checklist", "检查表";
        choose_score: "Choose a score.", "请选择一个分数。";
        comment: "Comment", "评语";
        flag: "Flag", "标记";
        submit: "Submit", "提交";
        submit_again: "Submit changes", "提交修改";
        skip: "Skip", "跳过";
        save_draft: "Save draft", "保存草稿";
        rated_before: "You have already rated this output. Submitting again replaces your rating; the earlier one stays on record.", "您已评过这个输出。再次提交会替换原来的评分，原评分仍会留档。";
        told_changed: "Your rating has been changed.", "您的评分已修改。";
        state_saving: "Saving draft", "正在保存草稿";
        state_saved: "Draft saved", "草稿已保存";
        state_retrying: "Draft not saved: the server cannot be reached. Retrying. Your scores are saved in this browser.", "草稿未保存：无法连接服务器，正在重试。分数已保存在此浏览器中。";
        state_logged_out: "Your session has expired. Your work is safe: log in again in another tab, then return here.", "登录已过期。内容没有丢失：请在新标签页重新登录，再回到这里。";
        state_sending: "Submitting", "正在提交";
        state_submit_retrying: "Not submitted yet: the server cannot be reached. Retrying. Your rating is saved in this browser and will count once.", "尚未提交：无法连接服务器，正在重试。评分已保存在此浏览器中，且只计一次。";
        state_submit_busy: "Not submitted yet: the server is busy. Retrying. Your rating is saved in this browser and will count once.", "尚未提交：服务器繁忙，正在重试。评分已保存在此浏览器中，且只计一次。";
        state_done: "Submitted", "已提交";
        log_in_again: "Log in (new tab)", "登录（新标签页）";
        rating_submitted: "Rating submitted.", "评分已提交。";
        rating_sending: "Sending your rating.", "正在提交评分。";
        skipped: "Skipped.", "已跳过。";
        skip_sending: "Skipping the output.", "正在跳过该输出。";
        saved_here: "Saved in this browser. It will be sent when the server can be reached.", "已保存在此浏览器中，连上服务器后会自动提交。";
        look_for_more: "Look for more outputs", "查看是否还有输出";
        finished_title: "You have rated all your outputs", "您的输出已全部评完";
        paused_title: "This study is not accepting ratings", "此项目目前不接受评分";
        paused_lead: "It is paused or closed. Your ratings are saved.", "项目已暂停或结束。您的评分都已保存。";
        progress_label: "Outputs rated", "已评分的输出";
        help_title: "Keyboard shortcuts", "快捷键";
        help_note: "Shortcuts are off while you type. The browser handles combinations with Ctrl, Alt or Command.", "输入文字时快捷键不起作用。与 Ctrl、Alt 或 Command 组合的按键仍由浏览器处理。";
        keys_on: "Keyboard shortcuts on", "启用快捷键";
        key_score: "Score the current dimension and go to the next", "为当前维度打分并移到下一项";
        key_move: "Move between dimensions", "在维度之间移动";
        key_level: "One level up or down", "在等级之间移动";
        key_submit: "Submit", "提交";
        key_comment: "Write a comment", "写评语";
        key_flag: "Add a flag", "添加标记";
        key_leave: "Leave the text field and return to the scores", "离开文本框，回到评分";
        key_skip: "Skip this output", "跳过此输出";
        key_back: "Previous output", "上一个输出";
        key_forward: "Next output", "下一个输出";
        key_raw: "Switch between formatted and original code", "切换格式化代码与原始代码";
        key_help: "Show keyboard shortcuts", "显示快捷键";
    }
    sentences {
        finished_lead(n: u64)
            { if n == 1 { "Your rating has been received. Thank you.".into() } else { format!("All {n} of your ratings have been received. Thank you.") } }
            { format!("您的 {n} 条评分都已收到，谢谢！") }
        due_on(day: &str) { format!("Due {day}") } { format!("截止日期：{day}") }
        progress_text(rated: u64, left: u64) { format!("{rated} rated, {left} left") } { format!("已评 {rated} 个，剩余 {left} 个") }
        mine_older(n: usize) { format!("Each list has only its newest {n} items.") } { format!("每个列表只显示最新的 {n} 项。") }
        skipped_text(n: u64) { format!("{n} skipped") } { format!("已跳过 {n} 个") }
        score_missing(name: &str) { format!("{name} has no score yet.") } { format!("“{name}”还没有评分。") }
        off_this_scale(name: &str, low: u8, high: u8)
            { format!("{name} is scored from {low} to {high}.") }
            { format!("“{name}”的分数为 {low} 到 {high}。") }
    }
}
