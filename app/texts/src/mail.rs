//! Email: what people choose to get, and the pages behind the links in messages.

use model::mail::{Digest, MailKind};

texts! {
    MailTexts
    words {
        title: "Email notices", "邮件通知";
        lead: "You get only what you choose here, in your language.", "您只会收到在此选择的邮件，邮件使用您的界面语言。";
        address: "Email address", "邮箱地址";
        address_hint: "Leave it empty to get no email.", "留空则不接收邮件。";
        what: "Send me", "发送内容";
        due: "A message when a study of mine is due tomorrow", "我的评分项目明天截止时的提醒";
        digest: "Digest of what waits for admins", "管理员待处理事项摘要";
        digest_off: "Never", "不发送";
        digest_daily: "Every day", "每天";
        digest_weekly: "Every Monday", "每周一";
        save: "Save email notices", "保存邮件通知";
        // What came of it.
        saved: "Your email notices have been saved.", "邮件通知设置已保存。";
        link_sent: "Saved. Open the link in the message that you get now. It works for 24 hours.", "已保存。请打开刚发送的邮件中的链接，24 小时内有效。";
        removed: "Your email address has been removed.", "邮箱地址已删除。";
        bad: "This is not an email address. Write it as ada@example.org.", "这不是邮箱地址，请写成 ada@example.org 的形式。";
        slow: "Too many messages were requested. Try again in an hour.", "请求的邮件过多，请一小时后再试。";
        refused: "The owner of this address wants no email from this server.", "该邮箱的所有者不希望收到此服务器的邮件。";
        // The pages of links.
        verify_title: "Verify your email address", "验证邮箱地址";
        verify_button: "Verify address", "验证地址";
        verified: "Your email address is verified", "邮箱地址已验证";
        verified_lead: "You get the notices that you chose.", "您将收到所选的通知。";
        stop_title: "Stop email", "停止接收邮件";
        stop_button: "Stop", "停止";
        stopped: "Email stopped", "已停止发送邮件";
        allow: "Allow email again", "重新允许发送邮件";
        open: "Choose email notices", "设置邮件通知";
        account: "Account", "账户";
        gone: "This link is no longer valid", "此链接已失效";
        gone_hint: "It has been used or replaced, or it has expired. Save your address again to get a new one.", "该链接已被使用、已被替换或已过期。请重新保存地址以获取新链接。";
    }
    sentences {
        verified_address(address: &str) { format!("Messages are sent to {address}.") } { format!("邮件会发送到 {address}。") }
        unverified(address: &str)
            { format!("{address} is not verified. Open the link in the message that was sent to it, or save again to get another. Nothing else is sent to it before.") }
            { format!("{address} 尚未验证。请打开发送到该邮箱的邮件中的链接；再次保存可重新获取。在此之前不会发送其他邮件。") }
        verify_lead(name: &str, address: &str)
            { format!("Notices for the account {name} are then sent to {address}.") }
            { format!("验证后，账户 {name} 的通知将发送到 {address}。") }
    }
}

impl MailTexts {
    /// How often a digest comes.
    pub fn digest_name(&self, digest: Digest) -> &'static str {
        match digest {
            Digest::Off => self.digest_off,
            Digest::Daily => self.digest_daily,
            Digest::Weekly => self.digest_weekly,
        }
    }

    /// What ends when messages of a kind are stopped.
    pub fn stop_lead(&self, kind: MailKind, address: &str) -> String {
        let (en, zh) = match kind {
            MailKind::Due => (
                format!("This ends messages to {address} about studies that are due tomorrow."),
                format!("停止后，{address} 不再收到评分项目明天截止的提醒。"),
            ),
            MailKind::Digest => {
                (format!("This ends the digests to {address}."), format!("停止后，{address} 不再收到待处理事项摘要。"))
            }
            _ => (
                format!("This ends all email from this server to {address}."),
                format!("停止后，此服务器不再向 {address} 发送任何邮件。"),
            ),
        };
        self.lang.pick(en, zh)
    }

    /// What has ended.
    pub fn stopped_lead(&self, kind: MailKind, address: &str) -> String {
        let (en, zh) = match kind {
            MailKind::Due => (
                format!("{address} gets no more messages about studies that are due tomorrow."),
                format!("{address} 不再收到评分项目明天截止的提醒。"),
            ),
            MailKind::Digest => {
                (format!("{address} gets no more digests."), format!("{address} 不再收到待处理事项摘要。"))
            }
            _ => (
                format!("This server sends no more email to {address}."),
                format!("此服务器不再向 {address} 发送任何邮件。"),
            ),
        };
        self.lang.pick(en, zh)
    }
}
