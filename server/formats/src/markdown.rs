//! Markdown to HTML that is safe to show to others.
//!
//! HTML in the source is text. Links lead to `http`, `https` and `mailto` only; others keep their words. Images are their
//! alternative texts, so that a page loads nothing from elsewhere.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// The text as HTML. Its headings begin at the second level, below the page's own.
pub fn to_html(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links = Vec::new();
    let events = Parser::new_ext(text, options).map(|event| safe(event, &mut links));
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    html::push_html(&mut out, events);
    out
}

/// An event without what could harm. `links` says of each open link whether it is kept.
fn safe<'a>(event: Event<'a>, links: &mut Vec<bool>) -> Event<'a> {
    let nothing = || Event::Text(CowStr::Borrowed(""));
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => nothing(),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => {
            let address = match link_type {
                LinkType::Email => format!("mailto:{dest_url}"),
                _ => dest_url.to_string(),
            };
            links.push(is_allowed(&address));
            match is_allowed(&address) {
                true => {
                    let address = escape(&address);
                    Event::InlineHtml(
                        format!("<a href=\"{address}\" target=\"_blank\" rel=\"noopener nofollow\">").into(),
                    )
                }
                false => nothing(),
            }
        }
        Event::End(TagEnd::Link) => match links.pop() {
            Some(true) => Event::InlineHtml("</a>".into()),
            _ => nothing(),
        },
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: below(level), id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        // Alignment would be a style attribute, which the pages' policy forbids.
        Event::Start(Tag::Table(_)) => Event::Start(Tag::Table(Vec::new())),
        other => other,
    }
}

fn below(level: HeadingLevel) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + 1).unwrap_or(HeadingLevel::H6)
}

fn is_allowed(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markdown_becomes_html() {
        let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected, "{text}");
        check("# Title", "<h2>Title</h2>");
        check("###### Deep", "<h6>Deep</h6>");
        check("a **b** `c<d`", "<p>a <strong>b</strong> <code>c&lt;d</code></p>");
        check("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>");
        check(
            "[x](https://a.example/?b=1&c=2)",
            "<p><a href=\"https://a.example/?b=1&amp;c=2\" target=\"_blank\" rel=\"noopener nofollow\">x</a></p>",
        );
        check(
            "<me@a.example>",
            "<p><a href=\"mailto:me@a.example\" target=\"_blank\" rel=\"noopener nofollow\">me@a.example</a></p>",
        );
        assert!(to_html("| a | b |\n|:--|--:|\n| 1 | 2 |").contains("<td>1</td>"));
    }

    #[test]
    fn nothing_but_known_elements_comes_through() {
        let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected, "{text}");
        check("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
        check("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>");
        check("[x](javascript:alert(1))", "<p>x</p>");
        check("[x](JaVaScRiPt&colon;alert(1))", "<p>x</p>");
        check("[x](data:text/html;base64,AAAA)", "<p>x</p>");
        check("[x](/admin)", "<p>x</p>");
        check("![secret *word*](https://evil.example/pixel.png)", "<p>secret <em>word</em></p>");
        check("[![i](https://e.example/i.png)](vbscript:x)", "<p>i</p>");
        let quoted = to_html("[x](<https://a.example/\" onmouseover=\"alert(1)>)");
        assert!(quoted.contains("href=\"https://a.example/&quot; onmouseover=&quot;alert(1)\""), "{quoted}");
        assert!(!to_html("```js\" onload=\"x\ncode\n```").contains("\" onload=\""));
        check("[a]: javascript:x\n\n[a]", "<p>a</p>");
    }

    proptest! {
        /// Every element that comes out is one that Markdown has, with no attribute but the known ones.
        #[test]
        fn any_text_is_safe(text in "(<|>|script|img|a|\\[|\\]|\\(|\\)|!|javascript:|https://x|\"|'|=|onload| |\n|`|#|&lt;|\\*|<!--|-->|\\|){0,40}") {
            let html = to_html(&text);
            for tag in html.split('<').skip(1) {
                let tag = tag.split('>').next().unwrap_or_default().trim_end_matches(" /");
                let known = [
                    "p", "/p", "h2", "/h2", "h3", "/h3", "h4", "/h4", "h5", "/h5", "h6", "/h6", "em", "/em", "strong",
                    "/strong", "code", "/code", "pre", "/pre", "ul", "/ul", "ol", "/ol", "li", "/li", "blockquote",
                    "/blockquote", "hr", "br", "del", "/del", "table", "/table", "thead", "/thead", "tbody", "/tbody",
                    "tr", "/tr", "th", "/th", "td", "/td", "/a",
                ];
                let link = tag.strip_prefix("a href=\"").and_then(|rest| rest.strip_suffix("\" target=\"_blank\" rel=\"noopener nofollow\""));
                let link = link.is_some_and(|address| is_allowed(address) && !address.contains('"'));
                prop_assert!(known.contains(&tag) || link || tag.starts_with("code class=\"language-") && tag.matches('"').count() == 2, "{tag} in {html}");
            }
        }
    }
}
