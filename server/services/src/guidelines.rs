//! Guidelines of studies, and the defaults of datasets.

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Admin, Person},
    error::{Answer, AppError},
    guidelines::{GuidelinesDetail, GuidelinesSheet, GuidelinesState, LONGEST_GUIDELINES},
    ids::Token,
    lang::{Bilingual, Lang},
};
use port::guidelines::Guidelines;
use rusqlite::{Connection, Transaction};

use base::error::Failure;
use db::{
    Db,
    audit::Change,
    grading,
    guidelines::{self, Owner},
};
use formats::markdown;

pub struct GuidelineService {
    db: Db,
}

impl GuidelineService {
    pub fn new(db: Db) -> Self {
        GuidelineService { db }
    }
}

fn owner(conn: &Connection, object: &Object) -> Result<(Owner, String), Failure> {
    Owner::of(conn, object)?.ok_or_else(|| Failure::not_found("object"))
}

fn html(text: &Bilingual) -> Bilingual {
    Bilingual { en: markdown::to_html(&text.en), zh: markdown::to_html(&text.zh) }
}

/// The texts with one kind of line ends, as browsers and files have different ones.
fn checked(text: Bilingual) -> Result<Bilingual, AppError> {
    let text = Bilingual { en: text.en.replace("\r\n", "\n"), zh: text.zh.replace("\r\n", "\n") };
    for (field, text) in [("en", &text.en), ("zh", &text.zh)] {
        if text.chars().count() > LONGEST_GUIDELINES {
            return Err(AppError::invalid(
                field,
                (
                    format!("the text is longer than {LONGEST_GUIDELINES} characters"),
                    format!("文字超过 {LONGEST_GUIDELINES} 个字符"),
                ),
                ("Shorten it, or link to a longer document", "请缩短，或链接到更长的文档"),
            ));
        }
    }
    Ok(text)
}

#[async_trait]
impl Guidelines for GuidelineService {
    async fn get(&self, _: &Admin, object: Object, version: Option<u32>) -> Answer<GuidelinesDetail> {
        let (name, found, versions) = self
            .db
            .read(move |conn| {
                let (owner, name) = owner(conn, &object)?;
                let found = guidelines::get(conn, owner, version)?;
                if version.is_some() && found.is_none() {
                    return Err(Failure::not_found("version"));
                }
                Ok((name, found, guidelines::versions(conn, owner)?))
            })
            .await?;
        let (version, text) = found.map_or_else(Default::default, |found| (found.version, found.text));
        Ok(GuidelinesDetail { name, html: html(&text), text, version, versions })
    }

    async fn save(&self, admin: &Admin, object: Object, text: Bilingual, expected: Option<u32>) -> Answer<()> {
        let text = checked(text)?;
        let by = admin.id();
        let save = move |tx: &Transaction<'_>| {
            let (owner, _) = owner(tx, &object)?;
            let newest = guidelines::get(tx, owner, None)?;
            let version = newest.as_ref().map_or(0, |newest| newest.version);
            if expected.is_some_and(|expected| expected != version) {
                return Err(Failure::conflict((
                    format!("Somebody saved version {version} meanwhile. Copy your changes, and edit that version."),
                    format!("已有人保存了第 {version} 版。请先复制您的修改，再编辑该版本。"),
                )));
            }
            let is_same = match &newest {
                Some(newest) => newest.text == text,
                None => text == Bilingual::default(),
            };
            if is_same {
                return Ok(Change::each(Vec::new(), ()));
            }
            let version = guidelines::append(tx, owner, &text, by)?;
            Ok(Change::of(object, [Fact::Version(version)], ()))
        };
        Ok(self.db.write_audited(admin, Action::GuidelinesSave, save).await?)
    }

    async fn preview(&self, _: &Admin, text: Bilingual) -> Answer<Bilingual> {
        Ok(html(&checked(text)?))
    }

    async fn read(&self, person: &Person, study: &Token) -> Answer<GuidelinesSheet> {
        let (rater, lang, token) = (person.id, person.lang, study.clone());
        let (title, found, unread) = self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                let found = guidelines::get(conn, Owner::Study(study.id.0), None)?;
                let found = found.filter(|found| !found.is_empty());
                let found = found.ok_or_else(|| Failure::not_found("guidelines"))?;
                let is_read = guidelines::state(conn, study.id, rater)? == GuidelinesState::Read;
                Ok((study.title, found, (!is_read).then_some(study.id)))
            })
            .await?;
        if let Some(study) = unread {
            let version = found.version;
            self.db.write(move |tx| guidelines::note_read(tx, study, rater, version)).await?;
        }
        let text = found.text.get(lang);
        let is_own = !lang.pick(&found.text.en, &found.text.zh).trim().is_empty();
        let lang = if is_own { lang } else { lang.pick(Lang::Zh, Lang::En) };
        Ok(GuidelinesSheet { title, html: markdown::to_html(text), lang, at: found.created_at })
    }
}
