//! Renders a figure as PNG with resvg, a complete, well-maintained SVG renderer in Rust.

use std::sync::{Arc, LazyLock};

use app::{model::lang::Lang, ui::chart::figure::Figure};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb},
};
use skrifa::{FontRef, MetadataProvider};

use super::{framed, theme::Theme};
use crate::error::Failure;

/// Pixels of the file per pixel of the chart, for sharp prints.
const SCALE: f64 = 2.0;
/// Maximum pixels of a file; larger charts are scaled less. 32 million pixels need 128 MB while drawing.
const MOST: f64 = 32e6;

/// The machine's fonts, read once.
static FONTS: LazyLock<Fonts> = LazyLock::new(|| {
    let mut db = fontdb::Database::new();
    db.load_system_fonts();
    let has = |c| db.faces().any(|face| covers(&db, face.id, c));
    let (latin, han) = (has('a'), has('中'));
    Fonts { db: Arc::new(db), latin, han }
});

struct Fonts {
    db: Arc<fontdb::Database>,
    latin: bool,
    han: bool,
}

/// The figure as PNG at twice its size in pixels.
///
/// # Errors
///
/// Fails if this machine has no fonts, or none with Chinese characters when the
/// figure needs them, instead of drawing boxes. The SVG needs no fonts.
pub fn png(figure: &Figure, theme: Theme, lang: Lang) -> Result<Vec<u8>, Failure> {
    let (text, width, height) = framed(figure, theme, lang);
    let fonts = &*FONTS;
    if !fonts.latin {
        return Err(Failure::conflict(
            "This machine has no fonts to draw letters with. Install some (on Debian: fonts-dejavu), start AixGrade again, or take the SVG.",
        ));
    }
    if !fonts.han && text.chars().any(|c| ('\u{2e80}'..='\u{9fff}').contains(&c)) {
        return Err(Failure::conflict(
            "This machine has no font with Chinese characters. Install one (on Debian: fonts-noto-cjk), start AixGrade again, or take the SVG.",
        ));
    }
    let options = Options { fontdb: fonts.db.clone(), ..Options::default() };
    let tree = Tree::from_str(&text, &options).map_err(Failure::internal)?;
    let scale = SCALE.min((MOST / (width * height)).sqrt());
    let pixels = |length: f64| (length * scale).round().clamp(1.0, MOST) as u32;
    let mut map =
        Pixmap::new(pixels(width), pixels(height)).ok_or_else(|| Failure::internal("a picture without size"))?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut map.as_mut());
    map.encode_png().map_err(Failure::internal)
}

fn covers(db: &fontdb::Database, face: fontdb::ID, c: char) -> bool {
    let has = |data: &[u8], index| FontRef::from_index(data, index).is_ok_and(|font| font.charmap().map(c).is_some());
    db.with_face_data(face, has).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figures::tests::every_kind;

    /// Every figure is drawn, or refused because of missing fonts only.
    #[test]
    fn every_kind_is_drawn_or_says_which_fonts_are_missing() {
        for lang in Lang::ALL {
            for figure in every_kind(lang) {
                match png(&figure, Theme::Light, lang) {
                    Ok(bytes) => {
                        assert!(FONTS.latin && bytes.starts_with(b"\x89PNG"));
                        let map = Pixmap::decode_png(&bytes).unwrap();
                        let (_, width, height) = framed(&figure, Theme::Light, lang);
                        let (wide, high) = ((width * SCALE).round() as u32, (height * SCALE).round() as u32);
                        assert_eq!((map.width(), map.height()), (wide, high), "{}", figure.id);
                        let white =
                            map.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) == (255, 255, 255)).count();
                        let share = white as f64 / map.pixels().len() as f64;
                        assert!((0.2..0.995).contains(&share), "{}: {share} of it is white", figure.id);
                    }
                    Err(Failure::App(error)) => assert!(!(FONTS.latin && FONTS.han), "{error}"),
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
}
