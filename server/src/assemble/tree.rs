//! Small questions to a syntax tree. Walks are loops, not recursion: a hostile text can nest deeper
//! than a stack is. They carry what they know of a node's parent, because tree-sitter finds a parent by descending
//! from the root.

use std::{ops::ControlFlow, time::Duration};

use nix::time::{ClockId, clock_gettime};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::budget::{Budget, Refusal};

/// The parser reports progress after so many steps of its own (`OP_COUNT_PER_PARSER_CALLBACK_CHECK`).
const STEPS_A_REPORT: u64 = 100;

/// How many steps parsing may take. What remains of a [`Budget`] is for walking through the tree.
const MOST_PARSE_STEPS: u64 = 4_000_000;

/// How deep brackets may nest. No program comes near; for the parser's recovery, text that opens and
/// never closes costs the square of its length and more, and it reports no progress meanwhile.
const DEEPEST: usize = 256;

/// How many `<` may stay open, in one statement and in all. Each could begin a comparison or type arguments, and the
/// parser keeps both readings: memory grows with the square of their number, to 100 MB here. The largest real outputs
/// have some dozens.
const MOST_OPEN_IN_A_ROW: usize = 256;
const MOST_OPEN: usize = 2_000;

/// Parses Java. Broken text gives a tree with errors in it.
///
/// # Errors
/// Where the parser cannot find its way through in bounded work, and where the run was cancelled.
pub fn parse(text: &str, budget: &mut Budget<'_>) -> Result<Tree, Refusal> {
    budget.spend(text.len() as u64)?;
    if deepest(text) > DEEPEST || has_many_open(text) {
        return Err(Refusal::TooDeep);
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).map_err(|_| Refusal::TooManySteps)?;
    let end = budget.spent() + MOST_PARSE_STEPS;
    let mut stopped = Refusal::TooManySteps;
    let (begun, cpu) = (cpu_time(), budget.cpu());
    let mut watch = |_: &ParseState| match budget.spend(STEPS_A_REPORT) {
        Ok(()) if cpu_time().saturating_sub(begun) > cpu => {
            stopped = Refusal::TooMuchCpu;
            ControlFlow::Break(())
        }
        Ok(()) if budget.spent() <= end => ControlFlow::Continue(()),
        Ok(()) => ControlFlow::Break(()),
        Err(why) => {
            stopped = why;
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    tree.ok_or(stopped)
}

/// CPU time of this thread. Linux always has this clock; without it there is no such limit.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// Whether more `<` stay open than [`MOST_OPEN_IN_A_ROW`] or [`MOST_OPEN`]. A `>` closes one of its own statement; the
/// one of `->` or `>=` closes none.
fn has_many_open(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut open, mut before) = (0_usize, 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => open += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' || bytes.get(at + 1) == Some(&b'=') => {}
            b'>' => open = open.saturating_sub(1),
            b';' | b'{' | b'}' => {
                before += open;
                open = 0;
            }
            _ => {}
        }
        if open > MOST_OPEN_IN_A_ROW || before + open > MOST_OPEN {
            return true;
        }
    }
    false
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

/// A node and everything below it, in the text's order. Each node costs one step.
pub struct Walk<'t> {
    cursor: TreeCursor<'t>,
    /// The nodes above the current one, and how many of their named children were visited.
    above: Vec<(Node<'t>, usize)>,
    begun: bool,
    done: bool,
}

impl<'t> Walk<'t> {
    /// A walk from this node on, which is the first that it visits.
    pub fn new(root: Node<'t>) -> Walk<'t> {
        Walk { cursor: root.walk(), above: Vec::new(), begun: false, done: false }
    }

    /// Goes to the next node; `None` after the last.
    ///
    /// # Errors
    /// The budget is spent.
    pub fn next(&mut self, budget: &mut Budget<'_>) -> Result<Option<Node<'t>>, Refusal> {
        if self.done {
            return Ok(None);
        }
        budget.spend(1)?;
        if !self.begun {
            self.begun = true;
            return Ok(Some(self.cursor.node()));
        }
        let node = self.cursor.node();
        if self.cursor.goto_first_child() {
            self.above.push((node, 0));
        } else {
            loop {
                if self.above.is_empty() {
                    self.done = true;
                    return Ok(None);
                }
                if self.cursor.goto_next_sibling() {
                    break;
                }
                self.cursor.goto_parent();
                self.above.pop();
            }
        }
        let node = self.cursor.node();
        if let Some((_, visited)) = self.above.last_mut() {
            *visited += usize::from(node.is_named());
        }
        Ok(Some(node))
    }

    /// The current node's parent, within the walk.
    pub fn parent(&self) -> Option<Node<'t>> {
        self.above.last().map(|(parent, _)| *parent)
    }

    /// Whether the current node, a named one, is the first such child of its parent.
    pub fn is_first(&self) -> bool {
        self.above.last().is_some_and(|(_, visited)| *visited == 1)
    }

    /// What the current node is to its parent, as `object` of a `method_invocation`.
    pub fn field(&self) -> Option<&'t str> {
        self.cursor.field_name()
    }
}

/// Whether some node from this one on is what is asked for.
///
/// # Errors
/// The budget is spent.
pub fn any(root: Node<'_>, budget: &mut Budget<'_>, wanted: impl Fn(Node<'_>) -> bool) -> Result<bool, Refusal> {
    let mut walk = Walk::new(root);
    while let Some(node) = walk.next(budget)? {
        if wanted(node) {
            return Ok(true);
        }
    }
    Ok(false)
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

/// What stands directly in a type's body; of an enum the constants and what follows them.
pub fn members<'t>(class: Node<'t>) -> Vec<Node<'t>> {
    let Some(body) = class.child_by_field_name("body") else { return Vec::new() };
    let mut members = Vec::new();
    let mut cursor = body.walk();
    for member in body.named_children(&mut cursor) {
        if member.kind() == "enum_body_declarations" {
            let mut cursor = member.walk();
            members.extend(member.named_children(&mut cursor));
        } else {
            members.push(member);
        }
    }
    members
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
    if let Some(first) = modifier_words(declaration).first() {
        return first.start_byte();
    }
    let mut cursor = declaration.walk();
    let mut children = declaration.children(&mut cursor);
    let Some(modifiers) = children.find(|n| n.kind() == "modifiers") else { return declaration.start_byte() };
    // Annotations alone: what follows them is the declaration's next child. (A node's own `next_sibling` would look
    // for its parent from the root.)
    children.next().map_or(modifiers.end_byte(), |n| n.start_byte())
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
