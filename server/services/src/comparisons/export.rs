//! A comparison's downloads: tidy files, tables, the bundle.

use std::io::Write;

use model::{
    caller::Admin,
    comparison::Selection,
    dataset::TaskRow,
    ids::CollectionId,
    lang::{Bilingual, Lang},
    slices::SliceBy,
};
use rusqlite::Connection;

use super::ComparisonService;
use crate::{
    collections::{file, judging},
    spool::{Download, Out},
};
use base::{background, clock, error::Failure};
use comparison::{input::ComparisonInput, line::OutputLine};
use db::{collections, comparison_input, comparison_lines, comparisons, datasets, judgings};
use report::{
    bundle, comparison_figures, csv,
    dataset_folder::{self, About, FolderTable},
    lines::{self, Scope},
    pairs, slices,
    table::{Column, Form},
    tables::{self, Print},
};

/// A table with a line for each thing of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Every rating, including replaced ones.
    Ratings,
    /// Every verdict of the selected runs.
    Verdicts,
    /// Every output of the selected studies and runs, with its verdict and mean scores.
    Outputs,
    /// The ratings in a study's own columns.
    StudyRatings,
}

impl Table {
    const ALL: [Table; 4] = [Table::Ratings, Table::Verdicts, Table::Outputs, Table::StudyRatings];

    /// The name of its files, without the ending.
    pub fn name(self) -> &'static str {
        match self {
            Table::Ratings => "ratings",
            Table::Verdicts => "verdicts",
            Table::Outputs => "outputs",
            Table::StudyRatings => "study-ratings",
        }
    }
}

/// A file to download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// A line for each rating, verdict or output.
    Table(Table, Form),
    /// Means with their intervals, one line for each model and dimension.
    Means,
    /// Every pair of models.
    Pairs,
    /// Every model over slices of tasks, by every attribute.
    Slices,
    /// The tables in Markdown.
    Markdown,
    /// The tables in LaTeX.
    Latex,
    /// One of the tables as CSV.
    TableCsv(tables::Name),
    /// The reproducibility bundle.
    Bundle,
    /// The tables as a folder for `datasets.load_dataset`.
    DatasetFolder,
}

impl File {
    /// The file with this name in an address.
    pub fn of(name: &str) -> Option<File> {
        if let Some((table, form)) = name.split_once('.') {
            let table = Table::ALL.into_iter().find(|known| known.name() == table);
            let form = Form::ALL.into_iter().find(|known| known.ending() == form);
            if let Some((table, form)) = table.zip(form) {
                return Some(File::Table(table, form));
            }
            let printed = name.strip_prefix("table-").and_then(|name| name.strip_suffix(".csv"));
            if let Some(table) = tables::Name::ALL.into_iter().find(|known| Some(known.name()) == printed) {
                return Some(File::TableCsv(table));
            }
        }
        Some(match name {
            "means.csv" => File::Means,
            "pairs.csv" => File::Pairs,
            "slices.csv" => File::Slices,
            "tables.md" => File::Markdown,
            "tables.tex" => File::Latex,
            "bundle.zip" => File::Bundle,
            "dataset-folder.zip" => File::DatasetFolder,
            _ => return None,
        })
    }

    pub fn kind(self) -> &'static str {
        match self {
            File::Table(_, form) => form.media(),
            File::Means | File::Pairs | File::Slices | File::TableCsv(_) => Form::Csv.media(),
            File::Markdown => "text/markdown; charset=utf-8",
            File::Latex => "application/x-tex; charset=utf-8",
            File::Bundle | File::DatasetFolder => "application/zip",
        }
    }
}

/// Whether a request for a file is valid; if so, [`ComparisonService::export`] does not reject it.
pub struct Ready {
    admin: Admin,
    selection: Selection,
    name: Bilingual,
    file: File,
    print: Print,
    /// Whether outputs are without code and description.
    hides_code: bool,
}

impl ComparisonService {
    /// Looks whether the selection makes sense, and gives raters without a pseudonym theirs.
    /// `print` is for tables.
    pub async fn ready(
        &self,
        admin: &Admin,
        selection: Selection,
        file: File,
        print: impl Into<Print>,
    ) -> Result<Ready, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        self.draw_pseudonyms(&resolved.selection).await?;
        let (name, print) = (resolved.options.name, print.into());
        let print = Print { dataset: name.get(print.lang).to_owned(), ..print };
        Ok(Ready { admin: admin.clone(), selection: resolved.selection, name, file, print, hides_code: false })
    }

    /// The outputs of a selection as CSV for the public: with code and descriptions only if `code` says so.
    ///
    /// # Errors
    ///
    /// As [`Self::export`].
    pub async fn public_outputs(&self, admin: &Admin, selection: Selection, code: bool) -> Result<Download, Failure> {
        let ready = self.ready(admin, selection, File::Table(Table::Outputs, Form::Csv), Lang::En).await?;
        self.export(Ready { hides_code: !code, ..ready }).await
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
            File::Table(table, form) => self.table(ready, table, form).await,
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
            File::Slices => {
                let computed = self.fresh(&ready).await?;
                let all = move || SliceBy::ALL.map(|by| computed.sliced(by, |found| found.slices.clone()));
                let all = background::run(all).await?;
                let write = move |out: &mut Out| {
                    out.write_all(&slices::csv(&all)?)?;
                    Ok(0)
                };
                self.spool.write(write).await
            }
            File::Markdown | File::Latex | File::TableCsv(_) => {
                let computed = self.fresh(&ready).await?;
                let write = move |out: &mut Out| {
                    let bytes = match ready.file {
                        File::Latex => tables::latex(&computed.figures, &ready.print).into_bytes(),
                        File::TableCsv(table) => tables::csv(&computed.figures, table, &ready.print)?,
                        _ => tables::markdown(&computed.figures, &ready.print).into_bytes(),
                    };
                    out.write_all(&bytes)?;
                    Ok(0)
                };
                self.spool.write(write).await
            }
            File::Bundle => self.bundle(ready).await,
            File::DatasetFolder => self.dataset_folder(ready).await,
        }
    }

    async fn table(&self, ready: Ready, table: Table, form: Form) -> Result<Download, Failure> {
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                let input = match table {
                    // The mean scores need every rating.
                    Table::Outputs => super::input::read(conn, ready.name, &ready.selection)?,
                    Table::Ratings | Table::Verdicts | Table::StudyRatings => {
                        comparison_input::head(conn, ready.name, &ready.selection)?
                    }
                };
                match ready.hides_code {
                    true => write_outputs(conn, &input, (form, true), out),
                    false => write(conn, &input, (table, form), out),
                }
            })
        };
        self.spool.write(work).await
    }

    async fn dataset_folder(&self, ready: Ready) -> Result<Download, Failure> {
        let db = self.db.clone();
        let work = move |out: &mut Out| {
            db.read_blocking(|conn| {
                let input = super::input::read(conn, ready.name, &ready.selection)?;
                let dataset = datasets::get(conn, &input.selection.dataset)?;
                let about = dataset.map(|row| datasets::about(conn, row.version)).transpose()?.flatten();
                let (description, license, _) = about.ok_or_else(|| Failure::not_found("dataset"))?;
                let about = About { description: description.get(Lang::En).to_owned(), license };
                let table = |table: Table, meaning| FolderTable {
                    name: table.name(),
                    meaning,
                    columns: columns(&input, table),
                    write: Box::new({
                        let input = &input;
                        move |out| write(conn, input, (table, Form::Parquet), out)
                    }),
                };
                let tables = vec![
                    table(Table::Outputs, "What the models gave for the tasks, with verdicts and mean scores."),
                    table(Table::Ratings, "Every rating, including those that a newer one replaced."),
                    table(Table::Verdicts, "What the tests of the dataset came to for each output."),
                ];
                dataset_folder::write(out, &input, &about, tables)
            })?;
            Ok(0)
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
                let collected = collected(conn, &head)?;
                let csv = |table| (table, Form::Csv);
                let mut extras: Vec<bundle::Extra<'_>> = vec![
                    ("data/ratings.csv", Box::new(|out| write(conn, &head, csv(Table::Ratings), out).map(drop))),
                    ("data/verdicts.csv", Box::new(|out| write(conn, &head, csv(Table::Verdicts), out).map(drop))),
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

/// The columns of a table.
fn columns(input: &ComparisonInput, table: Table) -> Vec<Column> {
    let rubric = input.rubric.as_ref();
    match table {
        Table::Ratings => lines::ratings(rubric, Scope::Comparison).list().cloned().collect(),
        Table::StudyRatings => lines::ratings(rubric, Scope::Study).list().cloned().collect(),
        Table::Verdicts => lines::verdicts().list().cloned().collect(),
        Table::Outputs => lines::outputs(input).list().cloned().collect(),
    }
}

/// Writes a table of the selection, line by line as it is read. Returns the number of lines. Outputs need the whole
/// input, other tables its head.
fn write(
    conn: &Connection,
    input: &ComparisonInput,
    (table, form): (Table, Form),
    out: report::table::Out<'_>,
) -> Result<u64, Failure> {
    let ratings = |scope, out| {
        let mut file = lines::ratings(input.rubric.as_ref(), scope).table(form, out)?;
        let count = comparison_lines::each_rating(conn, input, |line| file.write(line))?;
        file.finish().map(|()| count)
    };
    match table {
        Table::Ratings => ratings(Scope::Comparison, out),
        Table::StudyRatings => ratings(Scope::Study, out),
        Table::Verdicts => {
            let mut file = lines::verdicts().table(form, out)?;
            let count = comparison_lines::each_verdict(conn, input, |line| file.write(line))?;
            file.finish().map(|()| count)
        }
        Table::Outputs => write_outputs(conn, input, (form, false), out),
    }
}

/// Writes the table of outputs, without code and descriptions if they are hidden.
fn write_outputs(
    conn: &Connection,
    input: &ComparisonInput,
    (form, hides_code): (Form, bool),
    out: report::table::Out<'_>,
) -> Result<u64, Failure> {
    let mut file = lines::outputs(input).table(form, out)?;
    let count = comparison_lines::each_output(conn, input, |line| {
        if !hides_code {
            return file.write(line);
        }
        let task = TaskRow { raw_nl: String::new(), signature: None, ..line.task.clone() };
        file.write(&OutputLine { code: "", task: &task, ..*line })
    })?;
    file.finish().map(|()| count)
}
