//! The grading page's hands: line notes, keys, what waits to be sent, side by side, the tour. Each text
//! with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

macro_rules! texts {
    (
        words { $($word:ident: $word_en:literal, $word_zh:literal;)* }
        sentences { $($name:ident: fn($($kind:ty),*), $en:expr, $zh:expr;)* }
    ) => {
        /// The texts of the grading page.
        pub struct Bench {
            $(pub $word: &'static str,)*
            $(pub $name: fn($($kind),*) -> String,)*
        }
        /// English.
        pub const EN: Bench = Bench { $($word: $word_en,)* $($name: $en,)* };
        /// Chinese.
        pub const ZH: Bench = Bench { $($word: $word_zh,)* $($name: $zh,)* };
    };
}

texts! {
    words {
        notes: "Line notes", "行注";
        notes_plain_hint:
            "One a line, with the line’s number in the code as it came: “12: never closed”.",
            "每行一条，行号以原始代码为准，例如“12: 未关闭”。";
        notes_hint: "Click or tap a line to note something on it.", "点击某一行即可添加行注。";
        note_edit: "Edit", "修改";
        note_remove: "Remove", "删除";
        note_done: "Done", "完成";
        note_hint: "Enter keeps it, Escape puts back what was there.", "按 Enter 保留，按 Esc 恢复原样。";
        no_lines: "There is no line of code here to note something on.", "这里没有可以加行注的代码行。";

        not_skipped: "This one cannot be skipped.", "这一个不能跳过。";
        undo: "Take back", "撤回";
        undone:
            "Taken back. Your scores are as they were; submit them again when they are right.",
            "已撤回，分数保持原样，确认后请重新提交。";
        undo_nothing: "There is nothing of yours here to take back.", "这里没有可以撤回的提交。";

        key_note: "go to the lines of the code, to note something", "进入代码行，添加行注";
        key_undo: "take the last rating back", "撤回上一个评分";
        key_left: "the output on the left (side by side)", "左边的输出（并排时）";
        key_right: "the output on the right (side by side)", "右边的输出（并排时）";
        keys_change: "Choose keys of your own", "自定义按键";
        keys_title: "Keys", "快捷键";
        keys_lead:
            "One key for each. Digits, arrows, Enter and Esc stay as they are. A screen reader that is reading keeps letters to itself; on the scales and buttons they come through.",
            "每项一个按键。数字、方向键、Enter 与 Esc 固定不变。读屏软件在浏览模式下会占用字母键，在评分项和按钮上则会传给本页。";
        keys_off: "Single keys do nothing (Enter, Esc and arrows still do)", "停用单键（Enter、Esc 与方向键仍有效）";
        keys_save: "Save the keys", "保存按键";
        keys_reset: "Back to the keys as they come", "恢复默认按键";
        keys_done: "Your keys are saved.", "按键已保存。";
        key_digit: "Digits give scores. Choose another key.", "数字用于打分，请换一个键。";
        key_browser: "The browser needs this key itself. Choose another.", "浏览器自身要用这个键，请换一个。";
        key_odd: "One letter or sign that a plain keyboard has, please.", "请填写普通键盘上的一个字母或符号。";

        state_logged_out:
            "Your session has ended. Go on: everything is kept in this browser. Log in again and you come back to this output.",
            "登录已过期。可以继续评分，内容都保存在此浏览器中；重新登录后会回到这个输出。";
        state_waits_for_you:
            "Not submitted yet: the rating waits in this browser until you have logged in again.",
            "尚未提交：评分保存在此浏览器中，等您重新登录后发送。";
        elsewhere: "You have rated this one in another tab.", "您已在另一个标签页评过这一个。";
        log_in_again: "Log in again", "重新登录";

        outbox_title: "Not yet sent", "尚未发送";
        outbox_unreachable: "The server cannot be reached; it is tried again and again. You can go on.", "无法连接服务器，正在不断重试。您可以继续评分。";
        outbox_logged_out: "Your session has ended. You can go on; log in again to send them.", "登录已过期。您可以继续评分，重新登录后会自动发送。";
        outbox_delivered: "Everything has been sent.", "已全部发送。";
        outbox_refused: "Something you submitted was not taken.", "有一项提交未被接受。";
        outbox_open: "Look at it", "查看";
        outbox_discard: "Put it away", "不再保留";
        leave_title: "Log out now?", "现在退出登录吗？";
        leave_stay: "Stay", "留下";
        leave_keep: "Log out, keep them here until I am back", "退出，保留到我下次登录";
        leave_discard: "Log out and forget them", "退出并丢弃";

        rubric_lead: "Print this page, or keep it open beside your work.", "可打印本页，或在评分时放在一旁对照。";
        rubric_print: "Print", "打印";
        rubric_open: "The rubric", "评分标准";

        beside_outputs: "Outputs of this task", "此任务的输出";
        beside_submitted: "Submitted", "已提交";
        beside_hint: "Each output can also be submitted by itself. From column to column:", "也可以逐个提交。在各列之间移动：";
        beside_all: "Submit all", "全部提交";
        beside_said: "Submitted. All outputs of this task are rated.", "已提交，此任务的输出已全部评完。";

        tour_title: "A first tour", "新手导览";
        tour_offer:
            "New here? A tour of two minutes shows how grading goes. Nothing in it counts.",
            "第一次来？用两分钟了解如何评分，其中的操作不会计入结果。";
        tour_go: "Take the tour", "开始导览";
        tour_later: "Not now", "暂不需要";
        tour_again: "The tour again", "再看一遍导览";
        tour_lead:
            "This is the grading page with an output of our own. Try each step; nothing leaves this page.",
            "这就是评分页面，输出是我们准备的示例。请逐项试一试，任何内容都不会离开本页。";
        tour_read: "Read what was asked for, then the code below it.", "先读任务描述，再读下面的代码。";
        tour_score:
            "Score each dimension: press a digit and the mark moves on. Every level says what it means.",
            "为每个维度打分：按数字键即可，并自动移到下一项。每个等级都有说明。";
        tour_note:
            "Say what is wrong where it is wrong: click a line of the code, write, press Enter.",
            "在出错的地方说明问题：点击代码行，写下意见，按 Enter。";
        tour_comment:
            "Something about the whole? Write a comment. Something for the organisers? Raise a flag.",
            "对整体有看法？写评语。需要组织者注意？添加标记。";
        tour_submit:
            "Press Enter to submit. A slip? Take it back, it is reopened with your scores.",
            "按 Enter 提交。点错了？可以撤回，分数会保持原样。";
        tour_keep:
            "Stop whenever you like: scores are kept as you give them, even when the connection is gone.",
            "随时可以停下：分数随打随存，断网时也会保留。";
        tour_done: "That is all there is to it", "就是这么简单";
        tour_done_lead: "Your studies wait on the desk. The keys are one press away, at any time.", "评分项目就在工作台上，随时可以查看快捷键。";
        tour_finish: "To my desk", "去工作台";
        tour_skip: "Leave the tour", "离开导览";
        tour_task: "Return the largest number of a list; an empty list gives 0.", "返回列表中最大的数；列表为空时返回 0。";
    }
    sentences {
        line_label: fn(usize, &str), |n, text| format!("Line {n}: {text}"), |n, text| format!("第 {n} 行：{text}");
        note_label: fn(usize), |n| format!("What is wrong in line {n}?"), |n| format!("第 {n} 行有什么问题？");
        note_edit_label: fn(usize), |n| format!("Edit the note on line {n}"), |n| format!("修改第 {n} 行的行注");
        note_remove_label: fn(usize), |n| format!("Remove the note on line {n}"), |n| format!("删除第 {n} 行的行注");
        notes_unread: fn(usize),
            |n| match n {
                0 => "A line note stands on a line that the code does not have, or is too long.".into(),
                n => format!("Line {n} of the line notes cannot be read. Begin it with the number of a line of the code, as in “12: never closed”."),
            },
            |n| match n {
                0 => "有行注写在代码中不存在的行上，或内容过长。".into(),
                n => format!("第 {n} 条行注无法识别，请以代码行号开头，例如“12: 未关闭”。"),
            };
        mine_notes_n: fn(usize), |n| if n == 1 { "1 line note".into() } else { format!("{n} line notes") }, |n| format!("{n} 条行注");
        line_n: fn(u32), |n| format!("Line {n}"), |n| format!("第 {n} 行");
        key_taken: fn(&str), |what| format!("This key is taken: {what}."), |what| format!("此键已被占用：{what}。");
        key_for: fn(&str), |what| format!("Key: {what}"), |what| format!("按键：{what}");
        outbox_waits: fn(u64, &str),
            |n, since| if n == 1 { format!("1 rating waits to be sent, since {since}.") } else { format!("{n} ratings wait to be sent, the first since {since}.") },
            |n, since| format!("有 {n} 个评分等待发送，最早始于 {since}。");
        outbox_somebody_else: fn(&str),
            |name| format!("{name} is logged in in this browser now. They stay here, unseen by others, until you log in again."),
            |name| format!("此浏览器中现在登录的是 {name}。这些内容会留在这里，他人看不到，等您重新登录后再发送。");
        leave_lead: fn(u64),
            |n| if n == 1 { "One rating has not reached the server yet. It is sent as soon as that is possible while you stay logged in.".into() } else { format!("{n} ratings have not reached the server yet. They are sent as soon as that is possible while you stay logged in.") },
            |n| format!("有 {n} 个评分尚未到达服务器。保持登录时会尽快自动发送。");
        output_letter: fn(&str), |letter| format!("Output {letter}"), |letter| format!("输出 {letter}");
        steps_done: fn(usize, usize), |done, all| format!("{done} of {all} done"), |done, all| format!("已完成 {done}/{all}");
    }
}
