//! Text in a `<textarea>`.

/// Text as the child of a `<textarea>`, escaped where the server renders it: Leptos writes the children of this element
/// as they are. A line break at the beginning is doubled, because browsers drop the first.
#[cfg(not(target_arch = "wasm32"))]
pub fn area_text(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if escaped.starts_with('\n') { format!("\n{escaped}") } else { escaped }
}

/// Text as the child of a `<textarea>`. The browser makes a text node of it.
#[cfg(target_arch = "wasm32")]
pub fn area_text(text: &str) -> String {
    text.to_owned()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::area_text;

    #[test]
    fn text_cannot_end_its_area() {
        assert_eq!(area_text("</textarea><b>&amp;"), "&lt;/textarea&gt;&lt;b&gt;&amp;amp;");
        assert_eq!(area_text("\n1"), "\n\n1");
    }
}
