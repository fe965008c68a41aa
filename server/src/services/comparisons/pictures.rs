//! A chart of a comparison as a file.

use app::{
    i18n::I18n,
    model::{
        compare::{Choice, TaskFilter},
        lang::Lang,
    },
    port::Caller,
    ui::chart::compared,
};

use super::ComparisonService;
use crate::{
    error::Failure,
    report::{
        figures::{self, Theme},
        tasks,
    },
};

/// Format of a chart file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SVG with text as text.
    Svg,
    /// Pixels.
    Png,
}

impl Kind {
    /// Parses a file name into the chart's id and format.
    pub fn of(file: &str) -> Option<(&str, Kind)> {
        let (id, end) = file.rsplit_once('.')?;
        match end {
            "svg" => Some((id, Kind::Svg)),
            "png" => Some((id, Kind::Png)),
            _ => None,
        }
    }

    /// Its media type.
    pub fn media(self) -> &'static str {
        match self {
            Kind::Svg => "image/svg+xml",
            Kind::Png => "image/png",
        }
    }
}

impl ComparisonService {
    /// Renders a chart by its id; the filter applies to the grid of tasks.
    ///
    /// # Errors
    /// Fails if the caller is not an admin, the choice is invalid or has no such chart, or this machine has no
    /// fonts for a PNG.
    pub async fn picture(
        &self,
        caller: &Caller,
        (choice, filter): (Choice, TaskFilter),
        (id, kind): (&str, Kind),
        (theme, lang): (Theme, Lang),
    ) -> Result<Vec<u8>, Failure> {
        caller.admin()?;
        let settled = self.settled(caller, choice).await?;
        let computed = self.computed(&settled).await?;
        let i = I18n::of(lang);
        let found = if id == "tasks-grid" {
            let page = tasks::page(&computed.ground, &computed.lines, &filter);
            compared::grid(i, &page.models, &page.grid, None)
        } else {
            let raters: Vec<String> = computed.ground.raters.iter().map(|(_, name)| name.clone()).collect();
            compared::all(i, &computed.sheet, &raters).into_iter().find(|figure| figure.id == id)
        };
        let figure = found.ok_or_else(|| Failure::not_found("picture of this comparison"))?;
        let draw = move || match kind {
            Kind::Svg => Ok(figures::svg(&figure, theme, lang).into_bytes()),
            Kind::Png => figures::png(&figure, theme, lang),
        };
        tokio::task::spawn_blocking(draw).await.map_err(Failure::internal)?
    }
}
