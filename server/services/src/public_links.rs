//! Public pages of closed studies: their links and their content.
//!
//! What must stay true: nothing here names a rater or distinguishes raters. Figures cover all raters, those
//! of single raters are removed ([`anonymous`]), and no rating of a task is included.

use std::sync::Arc;

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use model::{
    api::{CreatedPublicLink, NewPublicLink, PublicLinkRow, PublicStudy, PublicTask, Publication},
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Admin, System},
    comparison::ComparisonFigures,
    error::{Answer, AppError},
    ids::{PublicLinkId, StudyId, TaskId},
    page::{PageOf, Paged},
    study::StudyStatus,
    text::excerpt,
    time::{DAY_MS, Timestamp},
};
use port::{Comparisons, Studies, api::PublicLinks};
use rand::Rng;
use rusqlite::{Connection, Transaction};

use super::{
    comparisons::{
        ComparisonService,
        export::File,
        figure_files::{self, Kind},
    },
    spool::Download,
    studies::StudyService,
    tokens::hash,
};
use base::{clock, error::Failure};
use db::{Db, audit::Change, public_links, studies};
use report::{citation::Cited, figures::RenderOptions, tables::Print};

pub struct PublicLinkService {
    db: Db,
    studies: Arc<StudyService>,
    comparisons: Arc<ComparisonService>,
}

impl PublicLinkService {
    /// Shows what `comparisons` computes: once per revision, however many people look.
    pub fn new(db: Db, studies: Arc<StudyService>, comparisons: Arc<ComparisonService>) -> Self {
        PublicLinkService { db, studies, comparisons }
    }

    async fn resolve(&self, secret: &str) -> Answer<(StudyId, PublicLinkRow)> {
        let secret_hash = hash(secret);
        let found = self.db.read(move |conn| public_links::open(conn, &secret_hash)).await?;
        found.ok_or_else(|| AppError::NotFound("page".into()))
    }

    /// A figure of the page as a file; without an id, the first one. None is about single raters.
    ///
    /// # Errors
    ///
    /// The link opens no page, or there is no such figure.
    pub async fn figure(
        &self,
        secret: &str,
        figure: (Option<&str>, Kind),
        options: RenderOptions,
    ) -> Result<Vec<u8>, Failure> {
        let (study, _) = self.resolve(secret).await?;
        let admin = System.admin();
        let selection = self.comparisons.study_selection(&admin, study, true).await?;
        self.comparisons.public_figure(&admin, selection, anonymous, figure, options).await
    }

    /// A file with the data behind the page, and its media type. It names no rater: there are only means over the raters of an
    /// output. Where an output has one rater, that is this rating.
    ///
    /// # Errors
    ///
    /// The link opens no page, or there is no such file.
    pub async fn file(&self, secret: &str, name: &str, print: Print) -> Result<(Download, &'static str), Failure> {
        let (study, link) = self.resolve(secret).await?;
        let admin = System.admin();
        let file = File::of(name).filter(|_| FILES.contains(&name)).ok_or_else(|| Failure::not_found("file"))?;
        let selection = self.comparisons.study_selection(&admin, study, true).await?;
        let download = if name == OUTPUTS {
            self.comparisons.public_outputs(&admin, selection, link.code).await?
        } else {
            let ready = self.comparisons.ready(&admin, selection, file, print).await?;
            self.comparisons.export(ready).await?
        };
        Ok((download, file.kind()))
    }

    async fn tasks(&self, study: StudyId) -> Answer<Vec<(TaskId, String, String)>> {
        let tasks = self.db.read(move |conn| studies::tasks(conn, study)).await?;
        Ok(tasks.into_iter().map(|task| (task.id, task.task_id, excerpt(&task.raw_nl, 160))).collect())
    }
}

/// The mean scores and the verdict of each output.
const OUTPUTS: &str = "outputs.csv";
/// The files of a public page.
const FILES: [&str; 6] = [OUTPUTS, "means.csv", "pairs.csv", "slices.csv", "tables.md", "tables.tex"];

/// Checks what an admin wrote about a study, and removes space around it.
fn checked(about: Publication) -> Answer<Publication> {
    let check = |field: &str, text: String, most: usize| {
        let text = text.trim().to_owned();
        if text.chars().count() <= most {
            return Ok(text);
        }
        Err(AppError::invalid(
            field,
            (format!("the text has more than {most} characters"), format!("文字超过 {most} 个字符")),
            ("Shorten it", "请缩短文字"),
        ))
    };
    Ok(Publication {
        purpose: check("purpose", about.purpose, Publication::PURPOSE)?,
        authors: check("authors", about.authors, Publication::LINE)?,
        contact: check("contact", about.contact, Publication::LINE)?,
        license: check("license", about.license, Publication::LINE)?,
    })
}

/// Removes data about single raters, links that only admins can follow, and what says nothing of quality.
fn anonymous(mut figures: ComparisonFigures) -> ComparisonFigures {
    if let Some(human) = &mut figures.human {
        human.reliability.iter_mut().for_each(|figures| figures.kappas.clear());
        human.adjusted.iter_mut().flatten().for_each(|adjusted| adjusted.raters.clear());
    }
    let runs = figures.automated.iter_mut().flat_map(|automated| &mut automated.models).flatten();
    runs.for_each(|checked| checked.run = None);
    figures.judges.clear();
    figures.tokens.clear();
    figures
}

#[async_trait]
impl PublicLinks for PublicLinkService {
    async fn list(&self, _: &Admin, study: StudyId, of: PageOf) -> Answer<Paged<PublicLinkRow>> {
        Ok(self
            .db
            .read(move |conn| {
                studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
                public_links::list(conn, study, &of)
            })
            .await?)
    }

    async fn create(&self, admin: &Admin, study: StudyId, new: NewPublicLink) -> Answer<CreatedPublicLink> {
        if new.days.is_some_and(|days| !(1..=3650).contains(&days)) {
            return Err(AppError::invalid(
                "days",
                ("a link is valid for 1 to 3,650 days, or does not expire", "链接的有效期为 1 到 3,650 天，或永不过期"),
                ("Enter a number from 1 to 3,650, or leave the field empty", "请输入 1 到 3,650 之间的数字，或留空"),
            ));
        }
        let new = NewPublicLink { about: checked(new.about)?, ..new };
        let secret = BASE64_URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>());
        let expires_at = new.days.map(|days| Timestamp(clock::now().0 + i64::from(days) * DAY_MS));
        let (by, secret_hash) = (admin.id(), hash(&secret));
        let row = self
            .db
            .write_audited(admin, Action::PublicLinkCreate, move |tx| {
                let row = studies::get(tx, study)?.ok_or_else(|| Failure::not_found("study"))?;
                if row.status != StudyStatus::Closed {
                    return Err(Failure::conflict((
                        "Only a closed study can have public links. Close the study first.",
                        "只有已结束的项目才能创建公开链接，请先结束项目。",
                    )));
                }
                let id = public_links::insert(tx, study, &secret_hash, &new, expires_at, by)?;
                let row = public_links::get(tx, id)?.ok_or_else(|| Failure::internal("the new link is missing"))?;
                Ok(Change::of(Object::Study(study), [Fact::Link(id)], row))
            })
            .await?;
        Ok(CreatedPublicLink { row, path: format!("/public/{secret}") })
    }

    async fn revoke(&self, admin: &Admin, id: PublicLinkId) -> Answer<()> {
        let revoke = move |tx: &Transaction<'_>| {
            let study = public_links::revoke(tx, id)?.ok_or_else(|| Failure::not_found("active link"))?;
            Ok(Change::of(Object::Study(study), [Fact::Link(id)], ()))
        };
        Ok(self.db.write_audited(admin, Action::PublicLinkRevoke, revoke).await?)
    }

    async fn open(&self, secret: &str) -> Answer<PublicStudy> {
        let (study, link) = self.resolve(secret).await?;
        // Without the raters' progress, which nobody outside may see.
        let read = move |conn: &Connection| {
            let row = studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
            let setup = studies::setup(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
            Ok((row, setup.raters_per_output))
        };
        let (row, raters_per_output) = self.db.read(read).await?;
        let selection = self.comparisons.study_selection(&System.admin(), study, true).await?;
        let compared = self.comparisons.get(&System.admin(), selection).await?;
        let tasks = if link.code { self.tasks(study).await? } else { Vec::new() };
        let figures = anonymous(compared.figures);
        let rated = figures.human.iter().flat_map(|human| &human.comparison.models);
        let ratings = rated.map(|model| model.ratings).sum();
        let cited = Cited {
            title: &row.title,
            dataset: &row.dataset,
            about: &link.about,
            ratings,
            raters: row.raters,
            published_at: link.created_at,
        };
        Ok(PublicStudy {
            citation: cited.citation(),
            ratings,
            title: row.title,
            dataset: row.dataset,
            about: link.about,
            raters: row.raters,
            raters_per_output,
            done: row.done,
            wanted: row.wanted,
            created_at: row.created_at,
            published_at: link.created_at,
            captions: figure_files::public_captions(&compared.options.name, &figures),
            figures,
            counting: compared.counting,
            tasks,
        })
    }

    async fn task(&self, secret: &str, task: TaskId) -> Answer<PublicTask> {
        let (study, link) = self.resolve(secret).await?;
        if !link.code {
            return Err(AppError::NotFound("page".into()));
        }
        let found = self.studies.task(&System.admin(), study, task).await?;
        let outputs = found.outputs.into_iter().map(|output| (output.model, output.code)).collect();
        Ok(PublicTask { title: found.title, task: found.task, outputs })
    }
}
