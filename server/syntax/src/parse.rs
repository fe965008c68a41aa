//! Parses code as Java: a compilation unit, members of a class, or statements.

use std::{ops::ControlFlow, time::Duration};

use model::code_lang::CodeLang;
use tree_sitter::{Node, Tree};

use super::build::{children, is_comment, is_leaf};

/// Wrappers that turn a piece of code into a whole program. tree-sitter accepts methods and statements at the top
/// level; constructors and initializers need a class, `super(…)` a constructor.
const WRAPS: [(&str, &str); 3] = [("", ""), ("class X {\n", "\n}"), ("class X { X() {\n", "\n}}")];

/// Maximum nesting for formatting, because the printer recurses and stacks are limited. Readable code stays far below.
const DEEPEST: usize = 150;

/// Maximum nesting for highlighting: matching patterns takes longer the deeper the tree is.
const DEEPEST_HIGHLIGHT: usize = 1000;

/// Maximum number of children of a node for highlighting: the time for matching patterns grows with their square.
const WIDEST_HIGHLIGHT: usize = 2000;

/// CPU time limit for parsing: on long invalid text, the parser's error recovery can take minutes. Real code takes a
/// few milliseconds, so it is formatted on a busy host, too.
const LONGEST_PARSE: Duration = Duration::from_millis(250);

/// Code that parses without errors.
pub struct Parsed {
    /// The code with its wrapper.
    pub source: String,
    tree: Tree,
    wrap: usize,
}

impl Parsed {
    /// Parses `code` with the first wrapper that fits; `None` if none does.
    pub fn new(code: &str) -> Option<Parsed> {
        (0..WRAPS.len()).find_map(|wrap| Parsed::wrapped(code, wrap))
    }

    /// Parses `code` with the wrapper of `other`.
    pub fn like(other: &Parsed, code: &str) -> Option<Parsed> {
        Parsed::wrapped(code, other.wrap)
    }

    fn wrapped(code: &str, wrap: usize) -> Option<Parsed> {
        let (before, after) = WRAPS[wrap];
        let source = format!("{before}{code}{after}");
        let tree = parse(&source, CodeLang::Java)?;
        let parsed = Parsed { source, tree, wrap };
        if parsed.tree.root_node().has_error() || parsed.too_deep() || parsed.container().is_none() {
            return None;
        }
        Some(parsed)
    }

    /// The nodes of the code itself, without the wrapper.
    pub fn nodes(&self) -> Vec<Node<'_>> {
        let Some(container) = self.container() else { return Vec::new() };
        let nodes = children(container);
        match (self.wrap, nodes.as_slice()) {
            (0, _) => nodes,
            (_, [_, inner @ .., _]) => inner.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether the code consists of class members.
    pub fn is_members(&self) -> bool {
        self.wrap == 1
    }

    /// The parent of the code's nodes. For wrapped code, this is the node whose braces are those of the wrapper; `}
    /// void f() {` has no such node.
    fn container(&self) -> Option<Node<'_>> {
        let root = self.tree.root_node();
        let (before, after) = WRAPS[self.wrap];
        let Some(open) = before.rfind('{') else { return Some(root) };
        let close = self.source.len() - after.len() + after.find('}')? + 1;
        let mut node = root;
        loop {
            let body = children(node).into_iter().find(|n| n.start_byte() <= open && n.end_byte() > open)?;
            if body.start_byte() == open && body.child_count() >= 2 {
                return (body.end_byte() == close).then_some(body);
            }
            node = body;
        }
    }

    /// All tokens in order. Lines of comments are trimmed, because formatting moves them.
    pub fn tokens(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        for node in self.nodes() {
            let mut cursor = node.walk();
            'tree: loop {
                let here = cursor.node();
                if is_leaf(here) {
                    let text = self.source.get(here.byte_range()).unwrap_or_default();
                    match is_comment(here) {
                        true => tokens.push(text.lines().map(str::trim).collect::<Vec<_>>().join("\n")),
                        false if text.is_empty() => {}
                        false => tokens.push(text.to_owned()),
                    }
                } else if cursor.goto_first_child() {
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        break 'tree;
                    }
                }
            }
        }
        tokens
    }

    /// Whether the printer would recurse too deep. What it handles in a loop (long sums, chains of
    /// calls, `else if`) does not count.
    fn too_deep(&self) -> bool {
        let mut cursor = self.tree.walk();
        let mut path: Vec<(&str, usize)> = vec![(cursor.node().kind(), 0)];
        loop {
            if cursor.goto_first_child() {
                let kind = cursor.node().kind();
                let (outer, depth) = path.last().copied().unwrap_or(("", 0));
                let walked = outer == kind
                    && matches!(kind, "binary_expression" | "ternary_expression" | "if_statement")
                    || is_link(outer) && is_link(kind);
                path.push((kind, depth + usize::from(!walked)));
                if path.last().is_some_and(|(_, depth)| *depth > DEEPEST) {
                    return true;
                }
                continue;
            }
            loop {
                if cursor.goto_next_sibling() {
                    let kind = cursor.node().kind();
                    let depth = path.len().checked_sub(2).and_then(|i| path.get(i)).map_or(0, |(outer, depth)| {
                        let walked = *outer == kind
                            && matches!(kind, "binary_expression" | "ternary_expression" | "if_statement");
                        depth + usize::from(!walked)
                    });
                    if let Some(last) = path.last_mut() {
                        *last = (kind, depth);
                    }
                    break;
                }
                path.pop();
                if !cursor.goto_parent() {
                    return false;
                }
            }
        }
    }
}

/// Whether code completes a method whose head is in the task, and its class: statements and both closing braces.
pub fn completes_a_method(code: &str) -> bool {
    let tree = parse(&format!("class X {{ void x() {{\n{code}"), CodeLang::Java);
    tree.is_some_and(|tree| !tree.root_node().has_error())
}

/// Whether code can be parsed as this language in reasonable time and memory, including its errors, into a tree that is
/// neither too deep nor too wide. Highlighting has no limits of its own, so it requires this.
pub fn is_bearable(code: &str, lang: CodeLang) -> bool {
    let Some(tree) = parse(code, lang) else { return false };
    let mut cursor = tree.walk();
    // The number of children seen on each level. The cursor would recount its depth each time.
    let mut seen = vec![1];
    loop {
        if seen.len() > DEEPEST_HIGHLIGHT || seen.last().is_some_and(|children| *children > WIDEST_HIGHLIGHT) {
            return false;
        }
        if cursor.goto_first_child() {
            seen.push(1);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            seen.pop();
        }
        if let Some(children) = seen.last_mut() {
            *children += 1;
        }
    }
}

fn is_link(kind: &str) -> bool {
    matches!(kind, "method_invocation" | "field_access")
}

/// The syntax tree of a source; `None` if parsing it takes too much time or memory.
pub(super) fn parse(source: &str, lang: CodeLang) -> Option<Tree> {
    parsers::parse(source, lang, LONGEST_PARSE, &mut || ControlFlow::Continue(())).ok()
}
