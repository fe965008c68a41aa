//! Rubrics: listing, saving, importing, and the default of a dataset.

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::{Answer, AppError},
    page::{PageOf, Paged},
    problem::Problem,
    rubric::{Rubric, RubricChoices, RubricDetail, RubricRow, RubricSummary, SavedRubric},
};
use port::rubrics::Rubrics;
use rusqlite::{Connection, Transaction};

use crate::plans;
use base::error::Failure;
use db::{Db, audit::Change, datasets, rubrics};
use formats::{
    bundled,
    kind::{self, FileKind},
};

pub struct RubricService {
    db: Db,
}

impl RubricService {
    /// A service over `db`, in which the bundled rubric is stored.
    ///
    /// # Errors
    ///
    /// The database cannot be written, or the program is damaged.
    pub fn open(db: Db) -> Result<RubricService, Failure> {
        let bundled = bundled::rubric().map_err(|problem| Failure::App(AppError::Invalid(vec![problem])))?;
        let slug = bundled.slug.clone();
        if db.read_blocking(move |conn| rubrics::get(conn, &slug, None))?.is_none() {
            db.write_blocking(|tx| rubrics::store(tx, &bundled))?;
        }
        Ok(RubricService { db })
    }
}

#[async_trait]
impl Rubrics for RubricService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<RubricRow>> {
        Ok(self.db.read(move |conn| rubrics::list(conn, &of)).await?)
    }

    async fn get(&self, _: &Admin, slug: &str, version: Option<u32>) -> Answer<RubricDetail> {
        let slug = slug.to_owned();
        Ok(self
            .db
            .read(move |conn| {
                let found = rubrics::get(conn, &slug, version)?.ok_or_else(|| Failure::not_found("rubric"))?;
                let (versions, archived) = (rubrics::versions(conn, &slug)?, rubrics::is_archived(conn, &slug)?);
                Ok(RubricDetail { rubric: found.rubric, versions, archived })
            })
            .await?)
    }

    async fn save(&self, admin: &Admin, mut rubric: Rubric, expected: Option<u32>) -> Answer<SavedRubric> {
        rubric.complete_checklist();
        let problems = rubric.problems();
        if !problems.is_empty() {
            return Err(AppError::Invalid(problems));
        }
        let by = admin.id();
        let save = move |tx: &Transaction<'_>| {
            let slug = rubric.slug.clone();
            let newest = rubrics::get(tx, &slug, None)?.map(|stored| stored.rubric);
            let version = newest.as_ref().map_or(0, |newest| newest.version);
            if expected.is_some_and(|expected| expected != version) {
                return Err(changed_meanwhile(&slug, version, expected == Some(0)));
            }
            if newest.is_some_and(|newest| Rubric { version: rubric.version, ..newest } == rubric) {
                return Ok(Change::each(Vec::new(), SavedRubric { slug, version, new: false }));
            }
            let version = rubrics::append(tx, &rubric, by)?.rubric.version;
            let saved = SavedRubric { slug: slug.clone(), version, new: true };
            Ok(Change::of(Object::Rubric(slug), [Fact::Version(version)], saved))
        };
        Ok(self.db.write_audited(admin, Action::RubricSave, save).await?)
    }

    async fn import(&self, admin: &Admin, file: &str, json: &[u8]) -> Answer<SavedRubric> {
        kind::check(&FileKind::Rubric, file, std::io::Cursor::new(json))
            .map_err(|problem| AppError::Invalid(vec![problem]))?;
        let rubric = serde_json::from_slice(json).map_err(|e| {
            let problem = Problem::new(
                file,
                (format!("the file is not a rubric: {e}"), format!("该文件不是评分标准：{e}")),
                (
                    "Export a rubric to see the format; datasets/README.md describes its fields",
                    "可先导出一份评分标准查看格式，字段说明见 datasets/README.md",
                ),
            );
            AppError::Invalid(vec![problem.at(u64::try_from(e.line()).unwrap_or_default())])
        })?;
        self.save(admin, rubric, None).await
    }

    async fn choices(&self, _: &Admin, dataset: &str) -> Answer<RubricChoices> {
        let dataset = dataset.to_owned();
        Ok(self
            .db
            .read(move |conn| {
                let default = rubrics::of_dataset(conn, &dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let measured_s = plans::measured_pace(conn, default.id, None)?;
                let default = RubricSummary::from(&default.rubric);
                let all = rubrics::list(conn, &PageOf::first(PageOf::MOST))?.rows;
                let others = all.into_iter().map(|row| row.newest).filter(|other| other.name() != default.name());
                Ok(RubricChoices { others: others.collect(), default, measured_s })
            })
            .await?)
    }

    async fn set_default(&self, admin: &Admin, dataset: &str, rubric: &str) -> Answer<()> {
        let (dataset, rubric) = (dataset.to_owned(), rubric.to_owned());
        let set = move |tx: &Transaction<'_>| {
            datasets::get(tx, &dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
            let chosen = named(tx, &rubric)?;
            rubrics::set_of_dataset(tx, &dataset, chosen.id)?;
            Ok(Change::of(Object::Dataset(dataset), [Fact::Rubric(chosen.rubric.name())], ()))
        };
        Ok(self.db.write_audited(admin, Action::DatasetSetRubric, set).await?)
    }
}

/// The version of a rubric that a form or a request names.
///
/// # Errors
///
/// There is none.
pub(super) fn named(conn: &Connection, name: &str) -> Result<rubrics::Stored, Failure> {
    rubrics::named(conn, name)?.ok_or_else(|| {
        Failure::invalid(
            "rubric",
            (format!("there is no rubric \"{name}\""), format!("没有评分标准“{name}”")),
            (
                "Name a rubric, with a version if it is not the newest, such as `aixbench 1`",
                "请填写评分标准的名称，若不用最新版本请加上版本号，如 `aixbench 1`",
            ),
        )
    })
}

fn changed_meanwhile(slug: &str, version: u32, is_new: bool) -> Failure {
    if is_new {
        return Failure::conflict((
            format!("There is already a rubric {slug}. Choose another short name, or edit that rubric."),
            format!("评分标准 {slug} 已存在，请换一个短名称，或直接编辑它。"),
        ));
    }
    Failure::conflict((
        format!("Somebody saved version {version} of {slug} meanwhile. Copy your changes, and edit that version."),
        format!("已有人保存了 {slug} 的第 {version} 版。请先复制您的修改，再编辑该版本。"),
    ))
}
