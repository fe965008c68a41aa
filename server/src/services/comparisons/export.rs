//! Taking a comparison away: tidy files, tables, the reproducibility bundle.

use std::io::{Seek, Write};

use app::{
    model::{compare::Choice, lang::Lang},
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
        lines::{self, Form},
        sheet, tables,
    },
};

/// A file to take away.
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
    name: app::model::lang::Bilingual,
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

    /// Writes the file as it is read from the database, in one snapshot. Returns how many lines it has,
    /// where it has lines.
    pub async fn export<W: Write + Send + 'static>(&self, ready: Ready, mut out: W) -> Result<u64, Failure> {
        match ready.file {
            File::Ratings(form) => {
                let read = move |head: &Ground, conn: &_| lines::ratings(conn, head, form, &mut out);
                self.lines(ready, read).await
            }
            File::Verdicts(form) => {
                let read = move |head: &Ground, conn: &_| lines::verdicts(conn, head, form, &mut out);
                self.lines(ready, read).await
            }
            File::Markdown | File::Latex => {
                let computed = self.fresh(&ready).await?;
                let text = match ready.file {
                    File::Latex => tables::latex(&computed.sheet, ready.lang),
                    _ => tables::markdown(&computed.sheet, ready.lang),
                };
                // Whoever reads may be slow: not on the async threads.
                let write = move || {
                    out.write_all(text.as_bytes())?;
                    out.flush()?;
                    Ok(0)
                };
                tokio::task::spawn_blocking(write).await.map_err(Failure::internal)?
            }
            File::Bundle => self.bundle(ready, out).await,
        }
    }

    async fn lines(
        &self,
        ready: Ready,
        read: impl FnOnce(&Ground, &rusqlite::Connection) -> Result<u64, Failure> + Send + 'static,
    ) -> Result<u64, Failure> {
        self.db
            .read(move |conn| {
                let head = results::head(conn, ready.name, &ready.choice)?;
                read(&head, conn)
            })
            .await
    }

    async fn fresh(&self, ready: &Ready) -> Result<std::sync::Arc<super::Computed>, Failure> {
        let choice = ready.choice.clone();
        let stamp = self.db.read(move |conn| results::stamp(conn, &choice)).await?;
        let known = super::lock(&self.held).get(&ready.choice).filter(|known| known.stamp == stamp);
        match known {
            Some(known) => Ok(known),
            None => self.compute(ready.choice.clone(), ready.name.clone()).await,
        }
    }

    async fn bundle<W: Write + Send + 'static>(&self, ready: Ready, mut out: W) -> Result<u64, Failure> {
        let computed = self.fresh(&ready).await?;
        let db = self.db.clone();
        let work = move || {
            // A zip's directory is written last, over places in the file: it cannot stream.
            let mut file = tempfile::tempfile()?;
            db.read_blocking(|conn| {
                // Figures and tables in one snapshot: what has come in since is in both.
                let fresh = results::stamp(conn, &ready.choice)? == computed.stamp;
                let ground = match fresh {
                    true => computed.ground.clone(),
                    false => results::ground(conn, ready.name.clone(), &ready.choice)?,
                };
                let again = (!fresh).then(|| sheet::compute(&ground));
                let figures = again.as_ref().unwrap_or(&computed.sheet);
                let head = results::head(conn, ready.name.clone(), &ready.choice)?;
                let ratings = |out: &mut dyn Write| lines::ratings(conn, &head, Form::Csv, out).map(drop);
                let verdicts = |out: &mut dyn Write| lines::verdicts(conn, &head, Form::Csv, out).map(drop);
                let extras: Vec<bundle::Extra<'_>> =
                    vec![("data/ratings.csv", Box::new(ratings)), ("data/verdicts.csv", Box::new(verdicts))];
                let ground = bundle::without_names(ground);
                bundle::write(&mut file, &ground, figures, extras, &clock::now().rfc3339())
            })?;
            file.rewind()?;
            std::io::copy(&mut file, &mut out)?;
            out.flush()?;
            Ok(0)
        };
        tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?
    }
}
