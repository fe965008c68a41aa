//! Why a request or a daily routine failed, in words: sentences, without the full stop where a message of another program
//! may follow.

use super::reasons::disk_full;
use model::{
    fault::{FolderProblem, MailFault, MailStep, RequestFault, RoutineFault},
    lang::Lang,
    message::Message,
};

/// Words, and after a colon what another program said, if it said anything.
fn with_detail(words: &str, colon: &str, detail: &str) -> String {
    if detail.is_empty() { words.to_owned() } else { format!("{words}{colon}{detail}") }
}

/// Why a request failed: a sentence without its full stop.
pub fn request_fault(lang: Lang, fault: &RequestFault) -> String {
    let both = |en: String, zh: String| lang.pick(en, zh);
    let words = |en: &str, zh: &str, detail: &str| match lang {
        Lang::En => with_detail(en, ": ", detail),
        Lang::Zh => with_detail(zh, "：", detail),
    };
    match fault {
        RequestFault::HostNotAllowed => words(
            "The operator does not allow webhooks to this host (--webhook-host)",
            "运维人员不允许向此主机发送 Webhook（--webhook-host）",
            "",
        ),
        RequestFault::DamagedSecret => words(
            "The secret of the webhook is damaged. Delete the webhook and create a new one",
            "Webhook 的密钥已损坏，请删除该 Webhook 并重新创建",
            "",
        ),
        RequestFault::Redirect { status } => both(
            format!("HTTP {status}: a redirect, which is not followed"),
            format!("HTTP {status}：重定向，不会跟随"),
        ),
        RequestFault::Status { status, detail } => {
            let http = format!("HTTP {status}");
            words(&http, &http, detail)
        }
        RequestFault::Timeout { seconds: 1 } => {
            words("No complete response within 1 second", "1 秒内未收到完整响应", "")
        }
        RequestFault::Timeout { seconds } => {
            both(format!("No complete response within {seconds} seconds"), format!("{seconds} 秒内未收到完整响应"))
        }
        RequestFault::Network { detail } => words("The connection failed", "连接失败", detail),
        RequestFault::BodyTooLarge { limit_bytes } => both(
            format!("The answer is larger than {} MiB", limit_bytes >> 20),
            format!("回复超过 {} MiB", limit_bytes >> 20),
        ),
        RequestFault::ResponseTooLong { limit_bytes } => both(
            format!("The response is longer than {} KiB", limit_bytes >> 10),
            format!("模型回答超过 {} KiB", limit_bytes >> 10),
        ),
        RequestFault::ErrorInAnswer { status: Some(status), detail } => {
            words(&format!("The answer is an error ({status})"), &format!("回复是错误（{status}）"), detail)
        }
        RequestFault::ErrorInAnswer { status: None, detail } => words("The answer is an error", "回复是错误", detail),
        RequestFault::NotJson { detail } => words("The answer is not JSON", "回复不是 JSON", detail),
        RequestFault::StreamCutOff => {
            words("The stream ended before the response was complete", "流式回复在完成之前中断", "")
        }
        RequestFault::NotACompletion { detail } => {
            words("The answer is not a chat completion", "回复不是对话补全（chat completion）", detail)
        }
        RequestFault::NoChoice => words("The answer contains no response of the model", "回复中没有模型回答", ""),
        RequestFault::NotSent { detail } => {
            words("The server could not make the request", "服务器无法发出请求", detail)
        }
    }
}

/// Why a message could not be sent: a sentence without its full stop.
pub fn mail_fault(lang: Lang, fault: &MailFault) -> String {
    let words = |en: &str, zh: &str, detail: &str| match lang {
        Lang::En => with_detail(en, ": ", detail),
        Lang::Zh => with_detail(zh, "：", detail),
    };
    match fault {
        MailFault::NameNotFound { host, detail } => words(
            &format!("The name of the SMTP server, {host}, has no address"),
            &format!("无法解析 SMTP 服务器的名称 {host}"),
            detail,
        ),
        MailFault::Connection { detail } => {
            words("The connection to the SMTP server failed", "与 SMTP 服务器的连接失败", detail)
        }
        MailFault::Tls { detail } => {
            words("The TLS connection to the SMTP server failed", "与 SMTP 服务器的 TLS 连接失败", detail)
        }
        MailFault::NoStartTls => words(
            "The SMTP server does not offer STARTTLS, so nothing was sent to it",
            "SMTP 服务器不支持 STARTTLS，因此未发送任何内容",
            "",
        ),
        MailFault::NoLogIn => words(
            "The SMTP server offers no login with a password (PLAIN or LOGIN)",
            "SMTP 服务器不支持密码登录（PLAIN 或 LOGIN）",
            "",
        ),
        MailFault::Refused { step, status, detail } => {
            let (en, zh) = match step {
                MailStep::Greeting => ("The SMTP server refused the connection", "SMTP 服务器拒绝了连接"),
                MailStep::LogIn => ("The SMTP server refused the login", "SMTP 服务器拒绝了登录"),
                MailStep::Sender => ("The SMTP server refused the sender's address", "SMTP 服务器拒绝了发件人地址"),
                MailStep::Recipient => {
                    ("The SMTP server refused the recipient's address", "SMTP 服务器拒绝了收件人地址")
                }
                MailStep::Message => ("The SMTP server refused the message", "SMTP 服务器拒绝了邮件"),
            };
            words(&format!("{en} ({status})"), &format!("{zh}（{status}）"), detail)
        }
        MailFault::Timeout { seconds } => words(
            &format!("The SMTP server did not answer within {seconds} seconds"),
            &format!("SMTP 服务器在 {seconds} 秒内没有应答"),
            "",
        ),
        MailFault::NotSent { detail } => words("The message cannot be sent", "邮件无法发送", detail),
        MailFault::Stopped => words(
            "The owner of the address wants no email from this server",
            "该邮箱的所有者不希望收到此服务器的邮件",
            "",
        ),
    }
}

/// Why a daily routine failed: sentences.
pub fn routine_fault(fault: &RoutineFault) -> Message {
    match fault {
        RoutineFault::DiskFull { path } => disk_full(path).into(),
        RoutineFault::Damaged { detail } => (
            format!(
                "SQLite found damage in the database: {detail}. Make a copy of the data folder, restore the last \
                 backup, and check the disk. `aixgrade doctor` checks the database again."
            ),
            format!(
                "SQLite 发现数据库损坏：{detail}。请先复制数据文件夹，恢复最近的备份，并检查磁盘。可用 `aixgrade doctor` 再次检查。"
            ),
        )
            .into(),
        RoutineFault::BackupRunning { folder } => (
            format!("Another backup of the data folder {folder} is being made. Try again when it has ended."),
            format!("数据文件夹 {folder} 的另一个备份正在进行，请在其结束后重试。"),
        )
            .into(),
        RoutineFault::BackupFolder { folder, problem } => backup_folder(folder, problem),
        RoutineFault::Backup { detail } => {
            (format!("The backup failed: {detail}"), format!("备份失败：{detail}")).into()
        }
        RoutineFault::Internal { incident } => (
            format!("The server had an internal error. The log has it as {incident}."),
            format!("服务器内部错误，日志中的编号为 {incident}。"),
        )
            .into(),
    }
}

fn backup_folder(folder: &str, problem: &FolderProblem) -> Message {
    let (en, zh) = match problem {
        FolderProblem::Unreadable { detail } => (
            format!("The folder of backups {folder} cannot be read: {detail}. Choose another folder."),
            format!("无法读取备份文件夹 {folder}：{detail}。请选择其他文件夹。"),
        ),
        FolderProblem::Unwritable { detail } => (
            format!("The folder of backups {folder} cannot be written: {detail}. Choose another folder."),
            format!("无法写入备份文件夹 {folder}：{detail}。请选择其他文件夹。"),
        ),
        FolderProblem::OtherFiles => (
            format!("The folder of backups {folder} contains other files. Choose an empty folder."),
            format!("备份文件夹 {folder} 中有其他文件。请选择空文件夹。"),
        ),
        FolderProblem::OtherServer => (
            format!("The folder of backups {folder} has backups of another server. Choose a folder for each server."),
            format!("备份文件夹 {folder} 中有其他服务器的备份。请为每台服务器单独选择文件夹。"),
        ),
        FolderProblem::InUse => (
            format!("Another process writes to the folder of backups {folder}. Try again when it has ended."),
            format!("另一个进程正在写入备份文件夹 {folder}，请在其结束后重试。"),
        ),
    };
    (en, zh).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_han(text: &str) -> bool {
        text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
    }

    /// Every fault once. The match makes a new variant fail here until it is in the list.
    fn requests() -> Vec<RequestFault> {
        let detail = || "refused".to_owned();
        let all = vec![
            RequestFault::HostNotAllowed,
            RequestFault::DamagedSecret,
            RequestFault::Redirect { status: 302 },
            RequestFault::Status { status: 400, detail: detail() },
            RequestFault::Timeout { seconds: 1 },
            RequestFault::Timeout { seconds: 10 },
            RequestFault::Network { detail: detail() },
            RequestFault::BodyTooLarge { limit_bytes: 4 << 20 },
            RequestFault::ResponseTooLong { limit_bytes: 256 << 10 },
            RequestFault::ErrorInAnswer { status: Some(502), detail: detail() },
            RequestFault::ErrorInAnswer { status: None, detail: detail() },
            RequestFault::NotJson { detail: detail() },
            RequestFault::NotACompletion { detail: detail() },
            RequestFault::StreamCutOff,
            RequestFault::NoChoice,
            RequestFault::NotSent { detail: detail() },
        ];
        for fault in &all {
            match fault {
                RequestFault::HostNotAllowed
                | RequestFault::DamagedSecret
                | RequestFault::Redirect { .. }
                | RequestFault::Status { .. }
                | RequestFault::Timeout { .. }
                | RequestFault::Network { .. }
                | RequestFault::BodyTooLarge { .. }
                | RequestFault::ResponseTooLong { .. }
                | RequestFault::ErrorInAnswer { .. }
                | RequestFault::NotJson { .. }
                | RequestFault::NotACompletion { .. }
                | RequestFault::StreamCutOff
                | RequestFault::NoChoice
                | RequestFault::NotSent { .. } => {}
            }
        }
        all
    }

    #[test]
    fn faults_of_requests_are_in_both_languages_and_keep_their_details() {
        for fault in requests() {
            let (en, zh) = (request_fault(Lang::En, &fault), request_fault(Lang::Zh, &fault));
            let is_status = matches!(fault, RequestFault::Status { .. });
            assert!(!has_han(&en) && !en.ends_with('.'), "{en}");
            assert!((is_status || has_han(&zh)) && !zh.ends_with('。'), "{zh}");
            let stored = serde_json::to_string(&fault).unwrap();
            assert_eq!(serde_json::from_str::<RequestFault>(&stored).unwrap(), fault);
            let has_detail = stored.contains("refused");
            assert_eq!((en.ends_with(": refused"), zh.ends_with("：refused")), (has_detail, has_detail), "{en} {zh}");
        }
        let plain = RequestFault::Status { status: 503, detail: String::new() };
        assert_eq!(request_fault(Lang::En, &plain), "HTTP 503");
        let large = RequestFault::BodyTooLarge { limit_bytes: 4 << 20 };
        assert_eq!(request_fault(Lang::En, &large), "The answer is larger than 4 MiB");
    }

    #[test]
    fn faults_of_routines_are_in_both_languages_and_keep_their_details() {
        let folder = |problem| RoutineFault::BackupFolder { folder: "/kept".into(), problem };
        let all = [
            RoutineFault::DiskFull { path: "/kept".into() },
            RoutineFault::Damaged { detail: "/kept".into() },
            RoutineFault::BackupRunning { folder: "/kept".into() },
            folder(FolderProblem::Unreadable { detail: "refused".into() }),
            folder(FolderProblem::Unwritable { detail: "refused".into() }),
            folder(FolderProblem::OtherFiles),
            folder(FolderProblem::OtherServer),
            folder(FolderProblem::InUse),
            RoutineFault::Backup { detail: "/kept".into() },
            RoutineFault::Internal { incident: "/kept".into() },
        ];
        for fault in all {
            match &fault {
                RoutineFault::DiskFull { .. }
                | RoutineFault::Damaged { .. }
                | RoutineFault::BackupRunning { .. }
                | RoutineFault::Backup { .. }
                | RoutineFault::Internal { .. } => {}
                RoutineFault::BackupFolder { problem, .. } => match problem {
                    FolderProblem::Unreadable { .. }
                    | FolderProblem::Unwritable { .. }
                    | FolderProblem::OtherFiles
                    | FolderProblem::OtherServer
                    | FolderProblem::InUse => {}
                },
            }
            let Message { en, zh } = routine_fault(&fault);
            assert!(en.contains("/kept") && !has_han(&en), "{en}");
            assert!(zh.contains("/kept") && has_han(&zh), "{zh}");
            let stored = serde_json::to_string(&fault).unwrap();
            assert_eq!(stored.contains("refused"), en.contains("refused") && zh.contains("refused"), "{en} {zh}");
            assert_eq!(serde_json::from_str::<RoutineFault>(&stored).unwrap(), fault);
        }
    }
}
