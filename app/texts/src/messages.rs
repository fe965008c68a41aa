//! The texts of messages by email. A rater's message says nothing of a study but its title and date.

texts! {
    Messages
    words {
        stop_due: "No more messages about due dates:", "不再接收截止提醒：";
        stop_digest: "No more digests:", "不再接收摘要：";
        stop_all: "No more email from this server:", "不再接收此服务器的邮件：";

        verify_subject: "Verify your email address", "验证您的邮箱地址";
        invitation_subject: "Invitation to AixGrade", "AixGrade 邀请";
        invited_admin: "You have been invited to AixGrade as an admin.", "您已受邀担任 AixGrade 的管理员。";
        invited_rater: "You have been invited to AixGrade, to rate code that models wrote.", "您已受邀使用 AixGrade 为模型生成的代码评分。";
        test_subject: "Test message from AixGrade", "AixGrade 测试邮件";
        doctor_body: "This is a test message from \"aixgrade doctor\". The server can send email.", "这是 aixgrade doctor 的测试邮件，说明服务器可以发送邮件。";

        inbox: "In the inbox", "待办";
        late_studies: "Studies that will not be complete by their due date at the recent pace", "按近期速度无法在截止日期前完成的评分项目";
        server: "Server", "服务器";
        disk_short: "The disk is short of space.", "磁盘空间不足。";
        backup_late: "The newest backup is more than 36 hours old.", "最近一次备份已超过 36 小时。";
    }
    sentences {
        verify_body(name: &str, url: &str, link: &str, hours: u32)
            { format!("This address was entered for the account {name} at {url}. Open this page to verify it; the link works for {hours} hours:\n\n{link}\n\nIf that was not you, ignore this message. Nothing else is sent to this address unless it is verified.") }
            { format!("{url} 的账户 {name} 填写了此邮箱。请打开以下页面进行验证，链接 {hours} 小时内有效：\n\n{link}\n\n如果不是您本人操作，请忽略此邮件。地址未经验证，不会收到其他邮件。") }
        invited_study(title: &str)
            { format!("You have been invited to AixGrade, to rate code that models wrote in the study “{title}”.") }
            { format!("您已受邀使用 AixGrade，在评分项目“{title}”中为模型生成的代码评分。") }
        invitation_body(what: &str, link: &str, until: &str)
            { format!("{what} Create your account here:\n\n{link}\n\nThe link can be used once and expires on {until}.") }
            { format!("{what}请在此创建账户：\n\n{link}\n\n该链接只能使用一次，有效期至 {until}。") }
        due_subject(title: &str, day: &str) { format!("Due on {day}: {title}") } { format!("{day}截止：{title}") }
        due_body(title: &str, day: &str, link: &str)
            { format!("Ratings in the study “{title}” are due on {day}, and some of yours are still open.\n\n{link}") }
            { format!("评分项目“{title}”将于 {day} 截止，您还有未完成的评分。\n\n{link}") }
        test_body(url: &str)
            { format!("This is a test message from the AixGrade server at {url}. It can send email.") }
            { format!("这是来自 {url} 的 AixGrade 服务器的测试邮件，说明该服务器可以发送邮件。") }
        count(name: &str, n: &str) { format!("{name}: {n}") } { format!("{name}：{n}") }
        late_study(title: &str, day: &str, left: &str)
            { format!("{title}: due {day}, ratings left: {left}") }
            { format!("{title}：{day} 截止，剩余 {left} 次评分") }
        late_raters(days: i64) { format!("Raters with work left who did nothing for {days} days") } { format!("有剩余工作但已 {days} 天未评分的评分者") }
        late_rater(name: &str, title: &str, left: &str)
            { format!("{name} in {title}, ratings left: {left}") }
            { format!("{name}（{title}），剩余 {left} 次评分") }
        digest_subject(n: u64, items: &str)
            {
                match n {
                    0 => "AixGrade: what needs you".to_owned(),
                    1 => "AixGrade: 1 item in the inbox".to_owned(),
                    _ => format!("AixGrade: {items} items in the inbox"),
                }
            }
            { if n == 0 { "AixGrade：需要您处理的事项".to_owned() } else { format!("AixGrade：{items} 条待办") } }
        open_overview(link: &str) { format!("Overview: {link}") } { format!("总览：{link}") }
    }
}
