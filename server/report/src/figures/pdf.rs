//! Renders a figure as PDF with krilla, the well-kept PDF writer of Typst: lines stay lines, text stays text, and the
//! fonts' glyphs are embedded.

use chart::figure::Figure;
use krilla::{Document, geom::Size, metadata::Metadata, page::PageSettings};
use krilla_svg::{SurfaceExt, SvgSettings};

use super::{RenderOptions, png::tree};
use base::error::Failure;

/// The figure as PDF of one page, as large as the figure.
///
/// # Errors
///
/// As [`png`](super::png).
pub fn pdf(figure: &Figure, caption: &str, options: RenderOptions) -> Result<Vec<u8>, Failure> {
    let (tree, width, height) = tree(figure, caption, options)?;
    let none = || Failure::internal("a picture without size");
    let (width, height) = (width as f32, height as f32);
    let size = Size::from_wh(width, height).ok_or_else(none)?;
    let mut document = Document::new();
    let metadata = Metadata::new()
        .title(figure.title.clone())
        .description(caption.to_owned())
        .language(options.lang.tag().to_owned())
        .creator(concat!("AixGrade ", env!("CARGO_PKG_VERSION")).to_owned());
    document.set_metadata(metadata);
    let mut page = document.start_page_with(PageSettings::from_wh(width, height).ok_or_else(none)?);
    let mut surface = page.surface();
    surface.draw_svg(&tree, size, SvgSettings::default()).ok_or_else(none)?;
    surface.finish();
    page.finish();
    document.finish().map_err(|e| Failure::internal(format!("{e:?}")))
}

#[cfg(test)]
mod tests {
    use model::lang::Lang;

    use super::*;
    use crate::figures::{Theme, print::Width, tests::every_kind};

    #[test]
    fn every_kind_is_a_page_with_fonts_and_without_pixels() {
        for lang in Lang::ALL {
            for figure in every_kind(lang) {
                let options = RenderOptions { width: Width::Column, theme: Theme::Light, lang };
                let bytes = pdf(&figure, "Caption", options).unwrap_or_else(|e| panic!("{}: {e:?}", figure.id));
                let text = String::from_utf8_lossy(&bytes);
                assert!(text.starts_with("%PDF-"), "{}", figure.id);
                assert!(text.contains("AixGradeSans") && !text.contains("/Subtype /Image"), "{}", figure.id);
            }
        }
    }
}
