//! Texts about announcements.

texts! {
    AnnouncementTexts
    words {
        announcements: "Announcements", "公告";
        lead: "An announcement is shown at the top of every page until its reader closes it.", "公告显示在每个页面顶部，直到读者关闭。";
        new: "New announcement", "新公告";
        to: "To", "对象";
        everyone: "Everyone", "所有人";
        english: "English", "英文";
        chinese: "Chinese", "中文";
        one_language: "One language is enough.", "填写一种语言即可。";
        last_day: "Show until (UTC)", "显示至（UTC）";
        last_day_hint: "Leave empty to show it until people have read it.", "留空则一直显示，直到读者关闭。";
        allow_names: "Allow names of models in the text", "允许文字中出现模型名称";
        publish: "Publish", "发布";
        none: "No announcements yet", "还没有公告";
        text: "Text", "内容";
        read_by: "Read by", "已读";
        published: "Published", "发布时间";
        state: "State", "状态";
        shown: "Shown", "显示中";
        ended: "Ended", "已结束";
        withdrawn: "Withdrawn", "已撤回";
        withdraw: "Withdraw", "撤回";
        withdraw_hint: "It is no longer shown to anyone.", "之后不再显示给任何人。";
        announce: "Announce to its raters", "向评分者发公告";
        write_to: "Announce", "发公告";
    }
    sentences {
        announce_whom(name: &str) { format!("Announce to {name}") } { format!("向 {name} 发公告") }
        raters_of(title: &str) { format!("Raters of \"{title}\"") } { format!("“{title}”的评分者") }
        group_of(name: &str) { format!("Group {name}") } { format!("分组 {name}") }
        until(day: &str) { format!("until {day}") } { format!("至 {day}") }
        read_n(read: u64, people: u64) { format!("{read} of {people}") } { format!("{people} 人中 {read} 人") }
    }
}
