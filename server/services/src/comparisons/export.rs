//! A comparison's downloads: tidy files, tables, the bundle.

use std::io::Write;

use model::{
    caller::Admin,
    comparison::Selection,
    ids::CollectionId,
    lang::{Bilingual, Lang},
};
use rusqlite::Connection;

use super::ComparisonService;
use crate::{
    collections::{file, judging},
    spool::{Download, Out},
};
use base::{clock, error::Failure};
use comparison::input::ComparisonInput;
use db::{collections, comparison_input, comparison_lines, comparisons, judgings};
use report::{
    bundle, comparison_figures, csv,
    lines::{Columns, Form, RatingLines, VerdictLines},
    pairs, tables,
};

/// A file to download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// Every rating of the selection, including replaced ones.
    Ratings(Form),
    /// Every verdict of the selected runs.
    Verdicts(Form),
    /// The ratings in a study's own columns.
    StudyRatings,
    /// Means with their intervals, one line for each model and dimension.
    Means,
    /// Every pair of models.
    Pairs,
    /// The tables in Markdown.
    Markdown,
    /// The tables in LaTeX.
    Latex,
    /// The reproducibility bundle.
    Bundle,
}

impl File {
    /// The file with this name in an address.
    pub fn of(name: &str) -> Option<File> {
        Some(match name {
            "ratings.csv" => File::Ratings(Form::Csv),
            "ratings.jsonl" => File::Ratings(Form::JsonLines),
            "verdicts.csv" => File::Verdicts(Form::Csv),
            "verdicts.jsonl" => File::Verdicts(Form::JsonLines),
            "study-ratings.csv" => File::StudyRatings,
            "means.csv" => File::Means,
            "pairs.csv" => File::Pairs,
            "tables.md" => File::Markdown,
            "tables.tex" => File::Latex,
            "bundle.zip" => File::Bundle,
            _ => return None,
        })
    }

    pub fn kind(self) -> &'static str {
        match self {
            File::Ratings(Form::Csv) | File::Verdicts(Form::Csv) | File::StudyRatings | File::Means | File::Pairs => {
                "text/csv; charset=utf-8"
            }
            File::Ratings(Form::JsonLines) | File::Verdicts(Form::JsonLines) => "application/x-ndjson",
            File::Markdown => "text/markdown; charset=utf-8",
            File::Latex => "application/x-tex; charset=utf-8",
            File::Bundle => "application/zip",
        }
    }
}

/// Whether a request for a file is valid; if so, [`ComparisonService::export`] does not reject it.
pub struct Ready {
    admin: Admin,
    selection: Selection,
    name: Bilingual,
    file: File,
    lang: Lang,
}

impl ComparisonService {
    /// Looks whether the selection makes sense, and gives raters without a pseudonym theirs.
    pub async fn ready(&self, admin: &Admin, selection: Selection, file: File, lang: Lang) -> Result<Ready, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        self.draw_pseudonyms(&resolved.selection).await?;
        Ok(Ready { admin: admin.clone(), selection: resolved.selection, name: resolved.options.name, file, lang })
    }

    /// Gives the raters of the selected studies who have no pseudonym theirs.
    pub(super) async fn draw_pseudonyms(&self, selection: &Selection) -> Result<(), Failure> {
        let studies = selection.studies.clone().unwrap_or_default();
        let asked = studies.clone();
        if !self.db.read(move |conn| comparison_lines::all_named(conn, &asked)).await? {
            self.db.write(move |tx| comparison_lines::name_raters(tx, &studies)).await?;
        }
        Ok(())
    }

    /// Writes the file, in one snapshot of the database.
    ///
    /// # Errors
    ///
    /// [`model::error::AppError::TooMany`] while too many downloads are open.
    pub async fn export(&self, ready: Ready) -> Result<Download, Failure> {
        match ready.file {
            File::Ratings(form) => {
                self.lines(ready, move |head, conn, out| ratings(conn, head, (form, Columns::Comparison), out)).await
            }
            File::Verdicts(form) => self.lines(ready, move |head, conn, out| verdicts(conn, head, form, out)).await,
            File::StudyRatings => {
                self.lines(ready, |head, conn, out| ratings(conn, head, (Form::Csv, Columns::Study), out)).await
            }
            File::Means => {
                let comparison = self.by_people(&ready.admin, ready.selection).await?;
                let write = move |out: &mut Out| {
                    out.write_all(&csv::comparison(&comparison)?)?;
                    Ok(0)
                };
                self.spool.write(write).await
            }
            File::Pairs => {
                let computed = self.fresh(&ready).await?;
                let write = move |out: &mut Out| {
                    out.write_all(&pairs::csv(&computed.figures)?)?;
                    Ok(0)
                };
                self.spool.write(write).await
            }
            File::Markdown | File::Latex => {
                let computed = self.fresh(&ready).await?;
                let write = move |out: &mut Out| {
                    let text = match ready.file {
                        File::Latex => tables::latex(&computed.figures, ready.lang),
                        _ => tables::markdown(&computed.figures, ready.lang),
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
        write: impl FnOnce(&ComparisonInput, &Connection, &mut Out) -> Result<u64, Failure> + Send + 'static,
    ) -> Result<Download, Failure> {
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                let head = comparison_input::head(conn, ready.name, &ready.selection)?;
                write(&head, conn, out)
            })
        };
        self.spool.write(work).await
    }

    async fn fresh(&self, ready: &Ready) -> Result<std::sync::Arc<super::Computed>, Failure> {
        let resolved = self.resolve(&ready.admin, ready.selection.clone()).await?;
        self.computed(&resolved).await
    }

    async fn bundle(&self, ready: Ready) -> Result<Download, Failure> {
        let computed = self.fresh(&ready).await?;
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                // Figures and tables are read in one snapshot, so both include ratings that arrived since.
                let fresh = comparisons::revision(conn, &ready.selection)? == computed.revision;
                let mut input = match fresh {
                    true => computed.input.clone(),
                    false => super::input::read(conn, ready.name.clone(), &ready.selection)?,
                };
                let again = (!fresh).then(|| comparison_figures::compute(&input));
                let figures = again.as_ref().unwrap_or(&computed.figures);
                let head = comparison_input::head(conn, ready.name.clone(), &ready.selection)?;
                let form = (Form::Csv, Columns::Comparison);
                let collected = collected(conn, &head)?;
                let mut extras: Vec<bundle::Extra<'_>> = vec![
                    ("data/ratings.csv", Box::new(|out| ratings(conn, &head, form, out).map(drop))),
                    ("data/verdicts.csv", Box::new(|out| verdicts(conn, &head, Form::Csv, out).map(drop))),
                ];
                if !collected.is_empty() {
                    let ids = collected.clone();
                    extras
                        .push(("data/collections.jsonl", Box::new(move |out| file::export_settings(conn, &ids, out))));
                    extras.push((
                        "data/responses.jsonl",
                        Box::new(move |out| file::export_responses(conn, &collected, out)),
                    ));
                }
                let judged = match &head.rubric {
                    Some(rubric) => {
                        judgings::of_comparison(conn, &head.selection.dataset, &rubric.slug, rubric.version)?
                    }
                    None => Vec::new(),
                };
                if !judged.is_empty() {
                    let ids = judged.clone();
                    extras
                        .push(("data/judgings.jsonl", Box::new(move |out| judging::export_settings(conn, &ids, out))));
                    extras.push((
                        "data/judge_answers.jsonl",
                        Box::new(move |out| judging::export_answers(conn, &judged, out)),
                    ));
                }
                comparison_lines::hide_names(conn, &input.studies, &mut input.raters)?;
                let input = bundle::without_accounts(input);
                bundle::write(out, &input, figures, extras, &clock::now().rfc3339())
            })?;
            Ok(0)
        };
        self.spool.write(work).await
    }
}

/// The collections from whose responses outputs of the selection were imported.
fn collected(conn: &Connection, head: &ComparisonInput) -> Result<Vec<CollectionId>, Failure> {
    let models: Vec<_> = head.models.iter().map(|(id, _)| *id).collect();
    let studies: Vec<_> = head.studies.iter().map(|study| study.id).collect();
    let runs: Vec<_> = head.runs.iter().filter_map(|run| run.id).collect();
    collections::of_selection(conn, &models, &studies, &runs)
}

/// Every rating of the selection, written as it is read. Returns how many.
fn ratings(
    conn: &Connection,
    head: &ComparisonInput,
    (form, columns): (Form, Columns),
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let mut file = RatingLines::new(head.rubric.as_ref(), (form, columns), out)?;
    let count = comparison_lines::each_rating(conn, head, |line| file.write(line))?;
    file.finish()?;
    Ok(count)
}

/// Every output of the selection's runs, written as it is read. Returns how many.
fn verdicts(conn: &Connection, head: &ComparisonInput, form: Form, out: &mut dyn Write) -> Result<u64, Failure> {
    let mut file = VerdictLines::new(form, out)?;
    let count = comparison_lines::each_verdict(conn, head, |line| file.write(line))?;
    file.finish()?;
    Ok(count)
}
