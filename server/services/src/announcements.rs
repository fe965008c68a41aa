//! Announcements of admins to people.

use async_trait::async_trait;
use model::{
    announcement::{Announced, Announcement, Audience, LONGEST_ANNOUNCEMENT, NewAnnouncement},
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Admin, Person},
    error::{Answer, AppError},
    ids::{AnnouncementId, Token, UserId},
    page::{PageOf, Paged},
};
use port::announcements::Announcements;
use rusqlite::Transaction;

use super::quality::masking;
use base::error::Failure;
use db::{Db, announcements, audit::Change};

pub struct AnnouncementService {
    db: Db,
}

impl AnnouncementService {
    pub fn new(db: Db) -> Self {
        AnnouncementService { db }
    }

    /// The announcements that an account has not read, oldest first.
    pub async fn unread_by(&self, user: UserId) -> Result<Vec<Announced>, Failure> {
        self.db.read(move |conn| announcements::unread(conn, user)).await
    }
}

/// The announcement with trimmed texts.
fn checked(mut new: NewAnnouncement) -> Result<NewAnnouncement, AppError> {
    for (field, text) in [("en", &mut new.text.en), ("zh", &mut new.text.zh)] {
        *text = text.replace("\r\n", "\n").trim().to_owned();
        if text.chars().count() > LONGEST_ANNOUNCEMENT {
            return Err(AppError::invalid(
                field,
                (
                    format!("the text is longer than {LONGEST_ANNOUNCEMENT} characters"),
                    format!("文字超过 {LONGEST_ANNOUNCEMENT} 个字符"),
                ),
                ("Shorten it, or put the details into the guidelines", "请缩短，或改用评分指南"),
            ));
        }
    }
    if new.text.en.is_empty() && new.text.zh.is_empty() {
        let what = ("the announcement has no text", "公告没有文字");
        return Err(AppError::invalid(
            "en",
            what,
            ("Write a text in one language at least", "请至少填写一种语言的文字"),
        ));
    }
    Ok(new)
}

#[async_trait]
impl Announcements for AnnouncementService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<Announcement>> {
        Ok(self.db.read(move |conn| announcements::list(conn, &of)).await?)
    }

    async fn audiences(&self, _: &Admin, also: Option<Audience>) -> Answer<Vec<(Audience, String)>> {
        let found = self.db.read(move |conn| {
            let mut found = announcements::audiences(conn)?;
            if let Some(also) = also.filter(|also| !found.iter().any(|(other, _)| other == also))
                && let Some(name) = announcements::audience_name(conn, also)?
            {
                found.push((also, name));
            }
            Ok(found)
        });
        Ok(found.await?)
    }

    async fn publish(&self, admin: &Admin, new: NewAnnouncement) -> Answer<AnnouncementId> {
        let new = checked(new)?;
        let by = admin.id();
        let text = new.text.clone();
        // Searched before the transaction, so that no rating waits for it.
        let named = self.db.read(move |conn| Ok(masking::leak_finder(conn)?.find(0, "", &text.en, &text.zh))).await?;
        if let Some(leak) = named.filter(|_| !new.allow_names) {
            return Err(AppError::invalid(
                "text",
                (format!("the text names a model: {}", leak.name), format!("文字中出现了模型名称：{}", leak.name)),
                (
                    "Raters must not connect a model with an output. Rephrase it, or allow names",
                    "评分者不得知道输出来自哪个模型。请改写，或允许出现模型名称",
                ),
            ));
        }
        let publish = move |tx: &Transaction<'_>| {
            let name = announcements::audience_name(tx, new.to)?.ok_or_else(|| Failure::not_found("audience"))?;
            let id = announcements::insert(tx, &new, by)?;
            let name = (!name.is_empty()).then_some(Fact::Name(name));
            let facts: Vec<Fact> = [Fact::Audience(new.to.to_string())].into_iter().chain(name).collect();
            Ok(Change::of(Object::Announcement(id), facts, id))
        };
        Ok(self.db.write_audited(admin, Action::AnnouncementPublish, publish).await?)
    }

    async fn withdraw(&self, admin: &Admin, id: AnnouncementId) -> Answer<()> {
        let withdraw = move |tx: &Transaction<'_>| match announcements::withdraw(tx, id)? {
            None => Err(Failure::not_found("announcement")),
            Some(true) => Ok(Change::of(Object::Announcement(id), [], ())),
            Some(false) => Ok(Change::each(Vec::new(), ())),
        };
        Ok(self.db.write_audited(admin, Action::AnnouncementWithdraw, withdraw).await?)
    }

    async fn unread(&self, person: &Person) -> Answer<Vec<Announced>> {
        Ok(self.unread_by(person.id).await?)
    }

    async fn note_read(&self, person: &Person, announcement: &Token) -> Answer<()> {
        let (user, token) = (person.id, announcement.clone());
        match self.db.write(move |tx| announcements::note_read(tx, user, &token)).await? {
            true => Ok(()),
            false => Err(AppError::NotFound("announcement".into())),
        }
    }
}
