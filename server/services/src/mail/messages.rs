//! What messages say. A rater's message names no model, no submission and no output: of a study, only its title.

use model::{
    lang::Lang,
    mail::{MailKind, VERIFY_HOURS},
    overview::Overview,
    server::ServerNotice,
    study::IDLE_DAYS,
    user::Role,
};
use texts::{
    I18n,
    messages::{EN, Messages, ZH},
};

use super::Invited;
use model::day::Day;

/// Subject and text of a message.
pub struct Text {
    pub subject: String,
    pub body: String,
}

fn texts(lang: Lang) -> &'static Messages {
    lang.pick(&EN, &ZH)
}

/// A title that an admin entered, in one line.
fn one_line(title: &str) -> String {
    title
        .split(|c: char| c.is_control() || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// What stands before the link that ends messages of a kind.
pub fn how_to_stop(lang: Lang, kind: MailKind) -> &'static str {
    let t = texts(lang);
    match kind {
        MailKind::Due => t.stop_due,
        MailKind::Digest => t.stop_digest,
        MailKind::Verify | MailKind::Invitation | MailKind::Test => t.stop_all,
    }
}

/// Asks the owner of an address to verify it.
pub fn verification(lang: Lang, url: &str, name: &str, secret: &str) -> Text {
    let t = texts(lang);
    let body = (t.verify_body)(name, url, &format!("{url}/mail/{secret}"), VERIFY_HOURS);
    Text { subject: t.verify_subject.to_owned(), body }
}

/// The link of an invitation.
pub fn invitation(lang: Lang, url: &str, invited: &Invited<'_>) -> Text {
    let t = texts(lang);
    let what = match (invited.role, invited.study) {
        (Role::Admin, _) => t.invited_admin.to_owned(),
        (Role::Rater, None) => t.invited_rater.to_owned(),
        (Role::Rater, Some(title)) => (t.invited_study)(&one_line(title)),
    };
    let until = I18n::of(lang).time(invited.expires_at);
    let body = (t.invitation_body)(&what, &format!("{url}/join/{}", invited.secret), &until);
    Text { subject: t.invitation_subject.to_owned(), body }
}

/// A study is due. It names the date, not the day before: a message that waits for the SMTP server can be a day late.
pub fn due(lang: Lang, url: &str, title: &str, day: Day) -> Text {
    let (t, title, day) = (texts(lang), one_line(title), I18n::of(lang).day(day));
    let body = (t.due_body)(&title, &day, &format!("{url}/my-studies"));
    Text { subject: (t.due_subject)(&title, &day), body }
}

/// A test of the SMTP server.
pub fn test(lang: Lang, url: &str) -> Text {
    let t = texts(lang);
    Text { subject: t.test_subject.to_owned(), body: (t.test_body)(url) }
}

/// What waits for an admin; `None` if nothing does.
pub fn digest(i: I18n, url: &str, overview: &Overview, server: &[ServerNotice]) -> Option<Text> {
    let t = texts(i.lang);
    let mut parts = Vec::new();
    let mut part = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let lines = lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n");
            parts.push(format!("{title}\n{lines}"));
        }
    };
    let waiting = overview.waiting.iter();
    let inbox = waiting.clone().map(|count| (t.count)(i.inbox().kind(count.kind), &i.number(count.waiting)));
    part(t.inbox, inbox.collect());
    let late = overview.in_progress.iter().filter(|pace| pace.is_late());
    let studies = late.filter_map(|pace| {
        let (title, left) = (one_line(&pace.row.title), i.number(pace.left()));
        Some((t.late_study)(&title, &i.day(pace.row.due?), &left))
    });
    part(t.late_studies, studies.collect());
    let raters = overview.late_raters.iter();
    let raters = raters.map(|late| (t.late_rater)(&late.name, &one_line(&late.title), &i.number(late.left)));
    part(&(t.late_raters)(IDLE_DAYS), raters.collect());
    let notices = server.iter().filter_map(|notice| match notice {
        ServerNotice::DiskShort { .. } => Some(t.disk_short.to_owned()),
        ServerNotice::BackupLate { .. } => Some(t.backup_late.to_owned()),
        // A decision of the operator, not news.
        ServerNotice::NoBackups => None,
    });
    part(t.server, notices.collect());
    if parts.is_empty() {
        return None;
    }
    let items: u64 = waiting.map(|count| count.waiting).sum();
    let body = format!("{}\n\n{}", parts.join("\n\n"), (t.open_overview)(&format!("{url}/admin")));
    Some(Text { subject: (t.digest_subject)(items, &i.number(items)), body })
}
