//! A comparison's downloads: tidy files, tables, the reproducibility bundle.

use std::io::Write;

use app::{
    model::{
        compare::Choice,
        ids::StudyId,
        lang::{Bilingual, Lang},
    },
    port::Caller,
};

use super::ComparisonService;
use crate::{
    clock,
    db::{results, results_lines},
    error::Failure,
    report::{
        bundle,
        ground::Ground,
        lines::{self, Columns, Form},
        sheet, tables,
    },
    services::spool::{Download, Out},
};

/// A file to download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// Every rating of the choice, superseded ones included and marked.
    Ratings(Form),
    /// Every verdict of the choice's runs.
    Verdicts(Form),
    /// The tables in Markdown.
    Markdown,
    /// The tables in LaTeX.
    Latex,
    /// The reproducibility bundle.
    Bundle,
}

impl File {
    /// The file of that name in an address.
    pub fn of(name: &str) -> Option<File> {
        Some(match name {
            "ratings.csv" => File::Ratings(Form::Csv),
            "ratings.jsonl" => File::Ratings(Form::JsonLines),
            "verdicts.csv" => File::Verdicts(Form::Csv),
            "verdicts.jsonl" => File::Verdicts(Form::JsonLines),
            "tables.md" => File::Markdown,
            "tables.tex" => File::Latex,
            "bundle.zip" => File::Bundle,
            _ => return None,
        })
    }

    /// Its media type.
    pub fn kind(self) -> &'static str {
        match self {
            File::Ratings(Form::Csv) | File::Verdicts(Form::Csv) => "text/csv; charset=utf-8",
            File::Ratings(Form::JsonLines) | File::Verdicts(Form::JsonLines) => "application/x-ndjson",
            File::Markdown => "text/markdown; charset=utf-8",
            File::Latex => "application/x-tex; charset=utf-8",
            File::Bundle => "application/zip",
        }
    }
}

/// Whether a request for a file is in order; then [`ComparisonService::export`] is not refused.
pub struct Ready {
    choice: Choice,
    name: Bilingual,
    file: File,
    lang: Lang,
}

impl ComparisonService {
    /// Looks whether the caller may have the file and the choice makes sense, and gives raters without a
    /// pseudonym theirs.
    pub async fn ready(&self, caller: &Caller, choice: Choice, file: File, lang: Lang) -> Result<Ready, Failure> {
        caller.admin()?;
        let settled = self.settled(caller, choice).await?;
        let studies = settled.choice.studies.clone().unwrap_or_default();
        let asked = studies.clone();
        if !self.db.read(move |conn| results_lines::all_named(conn, &asked)).await? {
            self.db.write(move |tx| results_lines::name_raters(tx, &studies)).await?;
        }
        Ok(Ready { choice: settled.choice, name: settled.options.name, file, lang })
    }

    /// Makes the file, in one snapshot of the database.
    ///
    /// # Errors
    /// [`app::error::AppError::TooMany`] while too many downloads are open.
    pub async fn export(&self, ready: Ready) -> Result<Download, Failure> {
        match ready.file {
            File::Ratings(form) => {
                self.lines(ready, move |head, conn, out| lines::ratings(conn, head, (form, Columns::Comparison), out))
                    .await
            }
            File::Verdicts(form) => {
                self.lines(ready, move |head, conn, out| lines::verdicts(conn, head, form, out)).await
            }
            File::Markdown | File::Latex => {
                let computed = self.fresh(&ready).await?;
                let write = move |out: &mut Out| {
                    let text = match ready.file {
                        File::Latex => tables::latex(&computed.sheet, ready.lang),
                        _ => tables::markdown(&computed.sheet, ready.lang),
                    };
                    out.write_all(text.as_bytes())?;
                    Ok(0)
                };
                self.spool.write(write).await
            }
            File::Bundle => self.bundle(ready).await,
        }
    }

    async fn lines(
        &self,
        ready: Ready,
        write: impl FnOnce(&Ground, &rusqlite::Connection, &mut Out) -> Result<u64, Failure> + Send + 'static,
    ) -> Result<Download, Failure> {
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                let head = results::head(conn, ready.name, &ready.choice)?;
                write(&head, conn, out)
            })
        };
        self.spool.write(work).await
    }

    /// Every rating of one study as CSV, superseded ones included and marked.
    ///
    /// # Errors
    /// As [`ComparisonService::export`].
    pub async fn study_ratings(&self, caller: &Caller, id: StudyId) -> Result<Download, Failure> {
        caller.admin()?;
        let choice = self.study_choice(caller, id, false).await?;
        let ready = Ready { choice, name: Bilingual::default(), file: File::Ratings(Form::Csv), lang: Lang::En };
        self.lines(ready, |head, conn, out| lines::ratings(conn, head, (Form::Csv, Columns::Study), out)).await
    }

    async fn fresh(&self, ready: &Ready) -> Result<std::sync::Arc<super::Computed>, Failure> {
        let settled = self.settled(&Caller::Operator, ready.choice.clone()).await?;
        self.computed(&settled).await
    }

    async fn bundle(&self, ready: Ready) -> Result<Download, Failure> {
        let computed = self.fresh(&ready).await?;
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                // Figures and tables in one snapshot: both include what has come in since.
                let fresh = results::stamp(conn, &ready.choice)? == computed.stamp;
                let ground = match fresh {
                    true => computed.ground.clone(),
                    false => results::ground(conn, ready.name.clone(), &ready.choice)?,
                };
                let again = (!fresh).then(|| sheet::compute(&ground));
                let figures = again.as_ref().unwrap_or(&computed.sheet);
                let head = results::head(conn, ready.name.clone(), &ready.choice)?;
                let form = (Form::Csv, Columns::Comparison);
                let ratings = |out: &mut dyn Write| lines::ratings(conn, &head, form, out).map(drop);
                let verdicts = |out: &mut dyn Write| lines::verdicts(conn, &head, Form::Csv, out).map(drop);
                let extras: Vec<bundle::Extra<'_>> =
                    vec![("data/ratings.csv", Box::new(ratings)), ("data/verdicts.csv", Box::new(verdicts))];
                let ground = bundle::without_names(ground);
                bundle::write(out, &ground, figures, extras, &clock::now().rfc3339())
            })?;
            Ok(0)
        };
        self.spool.write(work).await
    }
}
