//! Texts of the grading page: line notes, keyboard shortcuts, unsent ratings, side by side, the tour.

texts! {
    GradingTexts
    words {
        notes: "Line notes", "行注";
        notes_plain_hint: "One note per line, starting with the line number of the original code: \"12: never closed\".", "每行一条，以原始代码的行号开头，例如“12: 未关闭”。";
        notes_hint: "Click or tap a line to add a note.", "点击某一行即可添加行注。";
        note_edit: "Edit", "编辑";
        note_remove: "Delete", "删除";
        note_done: "Done", "完成";
        note_hint: "Press Enter to save, Esc to discard your changes.", "按 Enter 保存，按 Esc 放弃修改。";
        no_lines: "This output has no lines to annotate.", "此输出没有可以添加行注的代码行。";

        not_skipped: "This output cannot be skipped.", "此输出不能跳过。";
        undo: "Undo", "撤回";
        undone: "Submission undone. Your scores are unchanged. Correct them and submit again.", "已撤回提交，分数保持不变，请修改后重新提交。";
        undo_nothing: "There is nothing to undo.", "没有可以撤回的提交。";

        key_note: "Go to the lines of the code to add a note", "移到代码行，添加行注";
        bookmark: "Bookmark", "书签";
        bookmark_remove: "Remove bookmark", "移除书签";
        bookmarked: "Bookmarked. My ratings lists your bookmarks.", "已加书签，可在“我的评分”中找到。";
        unbookmarked: "Bookmark removed.", "已移除书签。";
        key_bookmark: "Bookmark the output, or remove the bookmark", "为此输出加书签或移除书签";
        break_note: "You have worked for a while. A short break helps; your work is saved.", "您已连续评分一段时间，休息片刻会更好。内容均已保存。";
        break_done: "Dismiss", "知道了";

        key_undo: "Undo the last rating", "撤回上一条评分";
        key_left: "Go to the output on the left (side by side)", "移到左边的输出（并排时）";
        key_right: "Go to the output on the right (side by side)", "移到右边的输出（并排时）";
        keys_change: "Customize keyboard shortcuts", "自定义快捷键";
        keys_title: "Keyboard shortcuts", "快捷键";
        keys_lead: "One key per action. Digits, arrow keys, Enter and Esc cannot be changed. In browse mode, screen readers use letter keys themselves; the keys reach the grading page when the focus is on a score or a button.", "每项操作对应一个按键。数字键、方向键、Enter 与 Esc 固定不变。读屏软件在浏览模式下会占用字母键，焦点位于评分项或按钮上时则由评分页面处理。";
        keys_off: "Turn off single-key shortcuts (Enter, Esc and arrow keys still work)", "停用单键快捷键（Enter、Esc 与方向键仍有效）";
        keys_save: "Save shortcuts", "保存快捷键";
        keys_reset: "Reset to defaults", "恢复默认设置";
        keys_done: "Your keyboard shortcuts are saved.", "快捷键已保存。";
        key_digit: "Digits are used for scores. Choose another key.", "数字键用于打分，请换一个键。";
        key_browser: "The browser uses this key. Choose another.", "浏览器会占用此键，请换一个。";
        key_odd: "Enter one letter or symbol that is on a standard keyboard.", "请输入标准键盘上的一个字母或符号。";

        state_logged_out: "Your session has expired. You can continue: your work is saved in this browser. After you log in again, you return to this output.", "登录已过期。您可以继续评分，内容都保存在此浏览器中；重新登录后会回到这个输出。";
        state_waits_for_you: "Not submitted yet: the rating is saved in this browser and is sent after you log in again.", "尚未提交：评分已保存在此浏览器中，待您重新登录后发送。";
        elsewhere: "You have already rated this output in another tab.", "您已在另一个标签页评过这个输出。";
        log_in_again: "Log in again", "重新登录";

        queue_title: "Unsent ratings", "未发送的评分";
        queue_unreachable: "The server cannot be reached. Retrying automatically; you can continue.", "无法连接服务器，正在自动重试。您可以继续评分。";
        queue_busy: "The server is busy. Retrying automatically; you can continue.", "服务器繁忙，正在自动重试。您可以继续评分。";
        queue_logged_out: "Your session has expired. You can continue; log in again to send your ratings.", "登录已过期。您可以继续评分，重新登录后会自动发送。";
        queue_delivered: "All ratings have been sent.", "评分已全部发送。";
        queue_refused: "A rating was not accepted.", "有一条评分未被接受。";
        queue_open: "Open", "查看";
        queue_discard: "Dismiss", "忽略";
        leave_title: "Log out now?", "现在退出登录吗？";
        leave_stay: "Stay logged in", "继续停留";
        leave_keep: "Log out and keep unsent ratings", "退出，保留未发送的评分";
        leave_discard: "Log out and discard unsent ratings", "退出，丢弃未发送的评分";

        rubric_lead: "Print this page, or keep it open while you rate.", "可打印本页，或在评分时打开对照。";
        rubric_print: "Print", "打印";
        rubric_open: "Rubric", "评分标准";

        guidelines: "Guidelines", "评分指南";
        guidelines_new: "new", "新";
        guidelines_changed: "changed", "已更新";
        key_guidelines: "Open the guidelines", "打开评分指南";

        side_by_side_differences: "Mark what only one output has", "标出仅一个输出有的内容";
        side_by_side_outputs: "Outputs of this task", "此任务的输出";
        side_by_side_submitted: "Submitted", "已提交";
        side_by_side_hint: "You can also submit each output on its own. Move between outputs:", "也可以逐个提交。在各输出之间移动：";
        side_by_side_all: "Submit all", "全部提交";
        side_by_side_said: "All outputs of this task are rated.", "此任务的输出已全部评完。";

        tour_title: "Guided tour", "新手引导";
        tour_offer: "New here? This two-minute tour shows how to rate. Nothing that you do in the tour counts.", "第一次来？用两分钟了解如何评分，其中的操作不会计入结果。";
        tour_go: "Start the tour", "开始引导";
        tour_later: "Not now", "暂不需要";
        tour_again: "Repeat the tour", "再看一遍引导";
        tour_read: "This is the grading page with a sample output; nothing is sent to the server. Read the task description, then the code below it.", "这就是评分页面，所示输出为示例，任何内容都不会发送到服务器。先阅读任务描述，再阅读下面的代码。";
        tour_score: "Score each dimension: press a digit to choose a level and go to the next. Every level has a description.", "为每个维度打分：按数字键选择等级，并自动移到下一项。每个等级都有说明。";
        tour_note: "Point out a problem where it is: click a line of the code, type a note and press Enter.", "在出错的位置说明问题：点击代码行，输入行注，按 Enter。";
        tour_comment: "Write a comment about the output as a whole, or add a flag to report a problem to the admins.", "对整个输出有意见？写评语。需要管理员处理？添加标记。";
        tour_submit: "Press Enter to submit. If you make a mistake, undo it: the output reopens with your scores.", "按 Enter 提交。点错了可以撤回，分数会保持不变。";
        tour_next: "Next step", "下一步";
        tour_back: "Back", "上一步";
        tour_done: "You are ready to rate", "引导已完成";
        tour_done_lead: "You can stop rating at any time: scores are saved as you enter them, even when you are offline. Your studies are listed under My studies.", "评分时随时可以停下：分数会即时保存，断网时也不会丢失。您的评分项目列在“我的评分项目”中。";
        tour_finish: "Go to my studies", "前往我的评分项目";
        tour_skip: "Skip the tour", "跳过引导";
        tour_task: "Return the largest number in a list; return 0 for an empty list.", "返回列表中最大的数；列表为空时返回 0。";
    }
    sentences {
        line_label(n: usize, text: &str) { format!("Line {n}: {text}") } { format!("第 {n} 行：{text}") }
        note_label(n: usize) { format!("Note on line {n}") } { format!("第 {n} 行的行注") }
        note_edit_label(n: usize) { format!("Edit the note on line {n}") } { format!("编辑第 {n} 行的行注") }
        note_remove_label(n: usize) { format!("Delete the note on line {n}") } { format!("删除第 {n} 行的行注") }
        notes_unread(n: usize) {
            match n {
                0 => "A line note is too long or refers to a line that does not exist.".into(),
                n => format!("Line {n} of the line notes cannot be read. Start it with the number of a line of the code, for example \"12: never closed\"."),
            }
        } {
            match n {
                0 => "有行注过长，或对应的行不存在。".into(),
                n => format!("第 {n} 条行注无法识别，请以代码行号开头，例如“12: 未关闭”。"),
            }
        }
        mine_notes_n(n: usize) { if n == 1 { "1 line note".into() } else { format!("{n} line notes") } } { format!("{n} 条行注") }
        line_n(n: u32) { format!("Line {n}") } { format!("第 {n} 行") }
        key_taken(what: &str) { format!("This key is already used for \"{what}\". Choose another.") } { format!("此键已用于“{what}”，请换一个。") }

        queue_waits(n: u64, since: &str)
            { if n == 1 { format!("1 rating has been waiting to be sent since {since}.") } else { format!("{n} ratings are waiting to be sent, the oldest since {since}.") } }
            { format!("有 {n} 条评分尚未发送，最早的一条自 {since} 起等待。") }
        queue_somebody_else(name: &str)
            { format!("{name} is now logged in in this browser. Your ratings stay here, invisible to others, until you log in again.") }
            { format!("此浏览器当前登录的是 {name}。您的评分会保留在这里，他人无法查看，待您重新登录后发送。") }
        leave_lead(n: u64)
            { if n == 1 { "1 rating has not reached the server yet. If you stay logged in, it is sent as soon as possible.".into() } else { format!("{n} ratings have not reached the server yet. If you stay logged in, they are sent as soon as possible.") } }
            { format!("有 {n} 条评分尚未到达服务器。保持登录时会尽快自动发送。") }
        output_letter(letter: &str) { format!("Output {letter}") } { format!("输出 {letter}") }
        tour_step(n: usize, all: usize) { format!("Step {n} of {all}") } { format!("第 {n} 步，共 {all} 步") }
    }
}
