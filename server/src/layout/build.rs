//! From a syntax tree to a document: which tokens may be parted, and how far lines are indented.
//!
//! Printed from tree-sitter's tree by code of our own: no maintained Rust crate lays out Java, and
//! the Java formatters need a JVM for every look at a page. What must stay true: every leaf of the
//! tree is written once, in order. [`Builder`] sees to it, because node printers only ever decide
//! what stands *between* tokens; a node that no printer knows is written token by token.

use tree_sitter::Node;

use super::{
    doc::Event,
    space::{self, Token},
    statements,
};

/// One level of a block.
pub const BLOCK: usize = 4;
/// A continued line.
pub const CONTINUED: usize = 8;

/// What stands between the token written last and the next one; later wishes only strengthen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// A space or nothing, as the two tokens ask.
    Close,
    /// The same, or a line break where the line gets too long.
    Soft,
    /// The same, but only where what follows does not fit.
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
    /// Where among the events the latest wish for a gap was made: that decides which group and
    /// which indentation the gap belongs to.
    gap_at: usize,
    /// The nodes being written, outermost first, with where they begin. Asking the tree for a
    /// node's parent would walk down from the root each time.
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

    /// A line break is wanted before the next token.
    pub fn hard(&mut self) {
        self.wish(Gap::Hard);
    }

    /// An empty line is wanted before the next token.
    pub fn blank(&mut self) {
        self.wish(Gap::Blank);
    }

    /// The line may be broken before the next token, if the group around is.
    pub fn soft(&mut self) {
        self.wish(Gap::Soft);
    }

    /// The line may be broken before the next token where what follows does not fit.
    pub fn fill(&mut self) {
        self.wish(Gap::Fill);
    }

    /// What is written by `inside` begins its lines further right.
    pub fn indented(&mut self, by: usize, inside: impl FnOnce(&mut Self)) {
        self.events.push(Event::Indent(by));
        inside(self);
        self.events.push(Event::Dedent);
    }

    /// What is written by `inside` is kept on one line if it fits.
    pub fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        self.events.push(Event::Begin);
        inside(self);
        self.events.push(Event::End);
    }

    /// The row of the source in which the token written last ends.
    pub fn last_row(&self) -> Option<usize> {
        self.previous.map(|_| self.previous_row)
    }

    /// Writes a node with everything in it.
    pub fn node(&mut self, node: Node<'s>) {
        if is_leaf(node) {
            return self.leaf(node);
        }
        self.around.push((node.kind(), node.start_byte()));
        statements::write(self, node);
        self.around.pop();
    }

    /// Writes a child of `parent`, where `parent` itself is not written by [`Builder::node`].
    pub fn child_of(&mut self, parent: Node<'s>, child: Node<'s>) {
        self.around.push((parent.kind(), parent.start_byte()));
        self.node(child);
        self.around.pop();
    }

    /// The kind of the node around the one being written.
    pub fn outer(&self) -> &'s str {
        self.around.len().checked_sub(2).and_then(|i| self.around.get(i)).map_or("", |(kind, _)| kind)
    }

    /// Writes a node's children one after the other, as tokens ask.
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
            // Only brackets of groups and indentations stand behind `gap_at`: this moves few.
            self.events.insert(at, gap);
        }
        self.gap = Gap::Close;
        self.write(&token);
        self.previous_row = node.end_position().row;
        if token.kind == "line_comment" {
            // The rest of its line is the comment's, so whatever follows begins a new one.
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
                // A comment with a column of stars moves with the code that it stands before.
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

/// Whether a node is written as it stands in the source.
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

/// Whether a node holds something that is always written over several lines.
pub fn holds_block(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    loop {
        let here = cursor.node();
        let lines = match here.kind() {
            // More than its two braces.
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
