//! Renders a figure as PNG with resvg, a complete, well-maintained SVG renderer in Rust.

use chart::figure::Figure;
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};

use super::{RenderOptions, drawn, fonts};
use base::error::Failure;

/// Resolution, in pixels per inch: what journals ask for in figures with lines and letters.
const DPI: f64 = 600.0;
/// Maximum pixels of a file; larger charts have a lower resolution. 32 million pixels need 128 MB while drawing.
const MOST: f64 = 32e6;

/// The figure as PNG at 600 pixels per inch.
///
/// # Errors
///
/// Fails if a name has characters that neither the shipped fonts nor this machine's have, instead of drawing boxes. The
/// SVG needs no fonts.
pub fn png(figure: &Figure, caption: &str, options: RenderOptions) -> Result<Vec<u8>, Failure> {
    let (tree, width, height) = tree(figure, caption, options)?;
    let scale = (DPI / 72.0).min((MOST / (width * height)).sqrt());
    let pixels = |length: f64| (length * scale).round().clamp(1.0, MOST) as u32;
    let mut map =
        Pixmap::new(pixels(width), pixels(height)).ok_or_else(|| Failure::internal("a picture without size"))?;
    let fill = |own: f32, pixels: u32| pixels as f32 / own;
    let transform =
        Transform::from_scale(fill(tree.size().width(), map.width()), fill(tree.size().height(), map.height()));
    resvg::render(&tree, transform, &mut map.as_mut());
    map.encode_png().map_err(Failure::internal)
}

/// The figure parsed for rendering, with its size in points.
pub(super) fn tree(figure: &Figure, caption: &str, options: RenderOptions) -> Result<(Tree, f64, f64), Failure> {
    let (text, width, height) = drawn(figure, caption, options, "");
    if let Some(c) = fonts::missing(&text) {
        let en = format!(
            "This machine has no font with the character \"{c}\". Install one (on Debian: fonts-noto-cjk), start AixGrade again, or export the SVG."
        );
        let zh = format!(
            "本机没有包含字符“{c}”的字体。请安装字体（Debian 上为 fonts-noto-cjk）并重新启动 AixGrade，或导出 SVG。"
        );
        return Err(Failure::conflict((en, zh)));
    }
    let options = Options { fontdb: fonts::for_text(&text), ..Options::default() };
    Ok((Tree::from_str(&text, &options).map_err(Failure::internal)?, width, height))
}

#[cfg(test)]
mod tests {
    use model::lang::Lang;

    use super::*;
    use crate::figures::{Theme, print::Width, tests::every_kind};

    #[test]
    fn every_kind_is_drawn_at_the_width_of_a_journal() {
        // At 600 pixels per inch without optimization, every kind at both widths would take minutes; the PDF's test draws
        // them all from the same tree.
        for (lang, width, across, ids) in [
            (Lang::En, Width::Column, 2102, ["c-means", "verdicts"]),
            (Lang::Zh, Width::Column, 2102, ["c-distribution", "paper"]),
        ] {
            for figure in every_kind(lang).into_iter().filter(|figure| ids.contains(&figure.id.as_str())) {
                let options = RenderOptions { width, theme: Theme::Light, lang };
                let bytes = png(&figure, "", options).unwrap_or_else(|e| panic!("{}: {e:?}", figure.id));
                let map = Pixmap::decode_png(&bytes).unwrap();
                assert!(map.width().abs_diff(across) <= 1, "{}: {}", figure.id, map.width());
                let white = map.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) == (255, 255, 255)).count();
                let share = white as f64 / map.pixels().len() as f64;
                assert!((0.1..0.995).contains(&share), "{}: {share} of it is white", figure.id);
            }
        }
    }
}
