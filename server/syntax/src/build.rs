//! Turns a syntax tree into a document: where lines may break, and how far they are indented.
//!
//! This is our own code over tree-sitter's tree, because no maintained Rust crate formats Java, and the Java formatters
//! would need a JVM for every page view. Invariant: every leaf of the tree is written once, in order. [`Builder`]
//! guarantees it, because node printers only decide what comes *between* tokens; a node without a printer is written
//! token by token.

use tree_sitter::Node;

use super::{
    doc::Event,
    space::{self, Token},
    statements,
};

/// Indentation of a block, in columns.
pub const BLOCK: usize = 4;
/// Indentation of a continued line, in columns.
pub const CONTINUED: usize = 8;

/// The gap between the last token and the next one; later requests only strengthen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// A space or nothing, depending on the two tokens.
    Close,
    /// As above, or a line break if the line gets too long.
    Soft,
    /// As above, but only if what follows does not fit.
    Fill,
    /// A line break.
    Hard,
    /// A line break and an empty line.
    Blank,
}

/// Collects a document's events.
pub struct Builder<'s> {
    source: &'s str,
    events: Vec<Event>,
    previous: Option<Token<'s>>,
    /// The previous token's last row in the source.
    previous_row: usize,
    gap: Gap,
    /// Index of the event at which the latest gap was requested, which decides the group and
    /// the indentation of the gap.
    gap_at: usize,
    /// The nodes being written, outermost first, with their starts. Asking the tree for a
    /// node's parent would walk from the root each time.
    around: Vec<(&'s str, usize)>,
}

impl<'s> Builder<'s> {
    /// A builder for trees of `source`.
    pub fn new(source: &'s str) -> Self {
        Builder {
            source,
            events: Vec::new(),
            previous: None,
            previous_row: 0,
            gap: Gap::Close,
            gap_at: 0,
            around: Vec::new(),
        }
    }

    /// The document.
    pub fn finish(self) -> Vec<Event> {
        self.events
    }

    /// Requests a line break before the next token.
    pub fn hard(&mut self) {
        self.wish(Gap::Hard);
    }

    /// Requests an empty line before the next token.
    pub fn blank(&mut self) {
        self.wish(Gap::Blank);
    }

    /// Allows a line break before the next token if the enclosing group breaks.
    pub fn soft(&mut self) {
        self.wish(Gap::Soft);
    }

    /// Allows a line break before the next token if what follows does not fit.
    pub fn fill(&mut self) {
        self.wish(Gap::Fill);
    }

    /// Indents the lines that `inside` writes.
    pub fn indented(&mut self, by: usize, inside: impl FnOnce(&mut Self)) {
        self.events.push(Event::Indent(by));
        inside(self);
        self.events.push(Event::Dedent);
    }

    /// Keeps what `inside` writes on one line if it fits.
    pub fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        self.events.push(Event::Begin);
        inside(self);
        self.events.push(Event::End);
    }

    /// Source row in which the last token ends.
    pub fn last_row(&self) -> Option<usize> {
        self.previous.map(|_| self.previous_row)
    }

    /// Writes a node and its descendants.
    pub fn node(&mut self, node: Node<'s>) {
        if is_leaf(node) {
            return self.leaf(node);
        }
        self.around.push((node.kind(), node.start_byte()));
        statements::write(self, node);
        self.around.pop();
    }

    /// Writes a child of `parent` when `parent` itself is not written by [`Builder::node`].
    pub fn child_of(&mut self, parent: Node<'s>, child: Node<'s>) {
        self.around.push((parent.kind(), parent.start_byte()));
        self.node(child);
        self.around.pop();
    }

    /// Kind of the parent of the node being written.
    pub fn outer(&self) -> &'s str {
        self.around.len().checked_sub(2).and_then(|i| self.around.get(i)).map_or("", |(kind, _)| kind)
    }

    /// Writes a node's children in order with default gaps.
    pub fn children(&mut self, node: Node<'s>) {
        for child in children(node) {
            self.node(child);
        }
    }

    fn leaf(&mut self, node: Node<'s>) {
        let parent = self.around.last().copied().unwrap_or(("", usize::MAX));
        let token = Token {
            text: self.source.get(node.byte_range()).unwrap_or_default(),
            kind: node.kind(),
            parent: parent.0,
            grandparent: self.outer(),
            first: parent.1 == node.start_byte(),
        };
        if token.text.is_empty() {
            return;
        }
        let close = self.previous.as_ref().is_some_and(|previous| space::between(previous, &token));
        let gap = match self.gap {
            Gap::Close if close => Some(Event::Text(" ".into())),
            Gap::Close => None,
            Gap::Soft => Some(Event::Line(close)),
            Gap::Fill => Some(Event::Fill(close)),
            Gap::Hard => Some(Event::Hard),
            Gap::Blank => Some(Event::Blank),
        };
        if let (Some(gap), true) = (gap, self.previous.is_some()) {
            let at = if self.gap == Gap::Close { self.events.len() } else { self.gap_at };
            // Only group and indentation events follow `gap_at`, so this moves few events.
            self.events.insert(at, gap);
        }
        self.gap = Gap::Close;
        self.write(&token);
        self.previous_row = node.end_position().row;
        if token.kind == "line_comment" {
            // A line comment extends to the end of its line, so the next token starts a new one.
            self.wish(Gap::Hard);
        }
        self.previous = Some(token);
    }

    fn wish(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
        self.gap_at = self.events.len();
    }

    fn write(&mut self, token: &Token<'s>) {
        let aligned =
            token.kind == "block_comment" && token.text.lines().skip(1).all(|l| l.trim_start().starts_with('*'));
        match token.kind {
            "line_comment" => self.events.push(Event::Text(token.text.trim_end().to_owned())),
            "block_comment" if aligned => {
                // A block comment with a column of stars moves with the code after it.
                for (i, line) in token.text.lines().enumerate() {
                    if i > 0 {
                        self.events.push(Event::Hard);
                    }
                    let star = if i > 0 { " " } else { "" };
                    self.events.push(Event::Text(format!("{star}{}", line.trim())));
                }
            }
            _ => self.events.push(Event::Text(token.text.to_owned())),
        }
    }
}

/// Whether a node is written unchanged.
pub fn is_leaf(node: Node<'_>) -> bool {
    node.child_count() == 0 || node.kind() == "string_literal"
}

/// A node's children, comments included.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Whether a node is a comment.
pub fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment")
}

/// Whether a node contains something that always takes several lines.
pub fn holds_block(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    loop {
        let here = cursor.node();
        let lines = match here.kind() {
            // More than the two braces.
            "block" | "class_body" | "switch_block" => here.child_count() > 2,
            "line_comment" => true,
            "string_literal" | "block_comment" => here.start_position().row != here.end_position().row,
            _ => false,
        };
        if lines {
            return true;
        }
        if !is_leaf(here) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}
