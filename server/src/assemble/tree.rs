//! Small questions to a syntax tree. Walks are loops, not recursion: a hostile text can nest deeper
//! than a stack is.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

/// How often the parser may report progress before it is stopped: it does so after so many steps, and
/// not after so much time, so that the same text is stopped everywhere or nowhere.
const MOST_REPORTS: u32 = 40_000;

/// How deep brackets may nest. No program comes near; for the parser's recovery, text that opens and
/// never closes costs the square of its length and more, and it reports no progress meanwhile.
const DEEPEST: usize = 256;

/// Parses Java. Broken text gives a tree with errors in it; nothing comes of text that the parser
/// cannot find its way through in bounded work.
pub fn parse(text: &str) -> Option<Tree> {
    if deepest(text) > DEEPEST {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    let mut reports = 0;
    let mut watch = |_: &ParseState| {
        reports += 1;
        if reports > MOST_REPORTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// How deep brackets of any kind nest. Those in texts and comments count, too: it is no parser.
fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// A node and everything below it, in the text's order.
pub fn walk<'t>(root: Node<'t>) -> Walk<'t> {
    Walk { cursor: root.walk(), depth: 0, done: false }
}

/// See [`walk`].
pub struct Walk<'t> {
    cursor: TreeCursor<'t>,
    depth: usize,
    done: bool,
}

impl<'t> Iterator for Walk<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.done {
            return None;
        }
        let node = self.cursor.node();
        if self.cursor.goto_first_child() {
            self.depth += 1;
            return Some(node);
        }
        loop {
            if self.depth == 0 {
                self.done = true;
                break;
            }
            if self.cursor.goto_next_sibling() {
                break;
            }
            self.cursor.goto_parent();
            self.depth -= 1;
        }
        Some(node)
    }
}

/// Whether the node declares a type.
pub fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

/// What stands directly in a type's body.
pub fn members<'t>(class: Node<'t>) -> Vec<Node<'t>> {
    let Some(body) = class.child_by_field_name("body") else { return Vec::new() };
    let mut cursor = body.walk();
    body.named_children(&mut cursor).collect()
}

/// The words among a declaration's modifiers; annotations are not words.
pub fn modifier_words<'t>(declaration: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = declaration.walk();
    let modifiers = declaration.children(&mut cursor).find(|n| n.kind() == "modifiers");
    let Some(modifiers) = modifiers else { return Vec::new() };
    let mut cursor = modifiers.walk();
    modifiers.children(&mut cursor).filter(|n| !n.is_named()).collect()
}

/// One modifier of a declaration.
pub fn modifier<'t>(declaration: Node<'t>, text: &str, word: &str) -> Option<Node<'t>> {
    modifier_words(declaration).into_iter().find(|n| &text[n.byte_range()] == word)
}

/// Where a modifier can be put in: after the annotations, before everything else.
pub fn after_annotations(declaration: Node<'_>) -> usize {
    let mut cursor = declaration.walk();
    let modifiers = declaration.children(&mut cursor).find(|n| n.kind() == "modifiers");
    let Some(modifiers) = modifiers else { return declaration.start_byte() };
    if let Some(first) = modifier_words(declaration).first() {
        return first.start_byte();
    }
    // Annotations alone: what follows them is the declaration's next child.
    modifiers.next_sibling().map_or(modifiers.end_byte(), |n| n.start_byte())
}

/// `java.util.List` or `static java.lang.Math.*` of an import's text.
pub fn import_name(import: &str) -> String {
    let text = import.trim().trim_start_matches("import").trim_end_matches(';');
    let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (is_static, rest) = match squeezed.strip_prefix("static ") {
        Some(rest) => ("static ", rest),
        None => ("", squeezed.as_str()),
    };
    format!("{is_static}{}", rest.replace(' ', ""))
}
