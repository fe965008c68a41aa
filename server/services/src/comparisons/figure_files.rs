//! A figure of a comparison as a file: SVG, PNG, PDF, its data, its caption.

use chart::{comparison, figure::Figure};
use model::{
    caller::Admin,
    comparison::{Caption, ComparisonFigures, Selection, TaskFilter},
    lang::{Bilingual, Lang},
};
use rusqlite::Connection;
use texts::{I18n, captions};
use tokio::sync::Semaphore;

use super::ComparisonService;
use ::comparison::input::ComparisonInput;
use base::{background, error::Failure};
use db::comparison_lines;
use report::{
    figures::{self, RenderOptions},
    tasks,
};

/// Format of a chart file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SVG with text as text.
    Svg,
    /// Pixels, 600 per inch.
    Png,
    /// PDF with text as text.
    Pdf,
    /// The data behind it.
    Csv,
    /// The caption.
    Text,
}

impl Kind {
    /// Parses a file name into the chart's id and format.
    pub fn of(file: &str) -> Option<(&str, Kind)> {
        let (id, end) = file.rsplit_once('.')?;
        match end {
            "svg" => Some((id, Kind::Svg)),
            "png" => Some((id, Kind::Png)),
            "pdf" => Some((id, Kind::Pdf)),
            "csv" => Some((id, Kind::Csv)),
            "txt" => Some((id, Kind::Text)),
            _ => None,
        }
    }

    pub fn media(self) -> &'static str {
        match self {
            Kind::Svg => "image/svg+xml",
            Kind::Png => "image/png",
            Kind::Pdf => "application/pdf",
            Kind::Csv => "text/csv; charset=utf-8",
            Kind::Text => "text/plain; charset=utf-8",
        }
    }
}

/// The captions of a comparison's figures.
pub(super) fn captions(dataset: &Bilingual, figures: &ComparisonFigures, raters: &[String]) -> Vec<Caption> {
    captions::all(dataset, figures, &ids(figures, raters))
}

/// The ids of a comparison's figures.
fn ids(figures: &ComparisonFigures, raters: &[String]) -> Vec<String> {
    let figures = comparison::all(I18n::of(Lang::En), figures, raters);
    figures.into_iter().map(|figure| figure.id).chain(["tasks-grid".to_owned()]).collect()
}

impl ComparisonService {
    /// The names of a selection's figures.
    ///
    /// # Errors
    /// Fails if the selection is invalid.
    pub async fn figure_names(&self, admin: &Admin, selection: Selection) -> Result<Vec<String>, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        let computed = self.computed(&resolved).await?;
        let raters: Vec<String> = computed.input.raters.iter().map(|(_, name)| name.clone()).collect();
        Ok(ids(&computed.figures, &raters))
    }

    /// The raters' names as files show them, in the order of the input's raters.
    async fn pseudonyms(&self, selection: &Selection, input: &ComparisonInput) -> Result<Vec<String>, Failure> {
        self.draw_pseudonyms(selection).await?;
        let (studies, mut raters) = (input.studies.clone(), input.raters.clone());
        let hide = move |conn: &Connection| {
            comparison_lines::hide_names(conn, &studies, &mut raters)?;
            Ok(raters.into_iter().map(|(_, name)| name).collect())
        };
        self.db.read(hide).await
    }

    /// Renders a chart by its id; the filter applies to the grid of tasks.
    ///
    /// # Errors
    /// Fails if the selection is invalid or has no such chart, or this machine has no
    /// fonts for a PNG.
    pub async fn figure_file(
        &self,
        admin: &Admin,
        (selection, filter): (Selection, TaskFilter),
        (id, kind): (&str, Kind),
        options: RenderOptions,
    ) -> Result<Vec<u8>, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        let computed = self.computed(&resolved).await?;
        let i = I18n::of(options.lang);
        let found = if id == "tasks-grid" {
            let page = tasks::page(&computed.input, &computed.lines, &filter);
            comparison::grid(i, &page.models, &page.grid, None)
        } else {
            let raters = self.pseudonyms(&resolved.selection, &computed.input).await?;
            comparison::all(i, &computed.figures, &raters).into_iter().find(|figure| figure.id == id)
        };
        let figure = found.ok_or_else(|| Failure::not_found("picture of this comparison"))?;
        let caption = captions::caption(i, id, resolved.options.name.get(options.lang), &computed.figures);
        render(figure, caption, kind, options).await
    }

    /// The same for the public: `shareable` leaves out what concerns single raters, so figures of them do not exist. Without
    /// an id, the first figure.
    ///
    /// # Errors
    /// As [`Self::figure_file`].
    pub async fn public_figure(
        &self,
        admin: &Admin,
        selection: Selection,
        shareable: impl Fn(ComparisonFigures) -> ComparisonFigures,
        (id, kind): (Option<&str>, Kind),
        options: RenderOptions,
    ) -> Result<Vec<u8>, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        let figures = shareable(self.computed(&resolved).await?.figures.clone());
        let i = I18n::of(options.lang);
        let mut all = comparison::all(i, &figures, &[]).into_iter();
        let found = all.find(|figure| id.is_none_or(|id| figure.id == id));
        let figure = found.ok_or_else(|| Failure::not_found("picture of this study"))?;
        let caption = captions::caption(i, &figure.id, resolved.options.name.get(options.lang), &figures);
        render(figure, caption, kind, options).await
    }
}

/// The captions of the figures for the public, which have no raters.
pub fn public_captions(dataset: &Bilingual, figures: &ComparisonFigures) -> Vec<Caption> {
    let all = comparison::all(I18n::of(Lang::En), figures, &[]).into_iter();
    captions::all(dataset, figures, &all.map(|figure| figure.id).collect::<Vec<_>>())
}

/// Pictures drawn at the same time: one may need 128 MB, and anybody with a public link may ask for many.
static DRAWING: Semaphore = Semaphore::const_new(2);

/// The figure in a format.
async fn render(
    figure: Figure,
    caption: Option<String>,
    kind: Kind,
    options: RenderOptions,
) -> Result<Vec<u8>, Failure> {
    let caption = caption.unwrap_or_else(|| figure.desc.clone());
    let turn = match kind {
        Kind::Png | Kind::Pdf => Some(DRAWING.acquire().await.map_err(Failure::internal)?),
        Kind::Svg | Kind::Csv | Kind::Text => None,
    };
    let draw = move || {
        // Work goes on if the client disconnects, and so does its turn.
        let _turn = turn;
        match kind {
            Kind::Svg => Ok(figures::svg(&figure, &caption, options).into_bytes()),
            Kind::Png => figures::png(&figure, &caption, options),
            Kind::Pdf => figures::pdf(&figure, &caption, options),
            Kind::Csv => figures::data::csv(&figure),
            Kind::Text => Ok(format!("{caption}\n").into_bytes()),
        }
    };
    background::run(draw).await?
}
