//! Queries on a syntax tree. Walks are loops, not recursion, because a hostile text can nest deeper than a
//! stack. They track each node's parent, because tree-sitter finds a parent by descending from the root.

use std::ops::ControlFlow;

use model::code_lang::CodeLang;
use tree_sitter::{Node, Tree, TreeCursor};

use super::budget::{Budget, Refusal};

/// Maximum number of parsing steps. The rest of a [`Budget`] is for walks through the tree.
const MOST_PARSE_STEPS: u64 = 4_000_000;

/// Parses Java. Invalid text gives a tree with errors.
///
/// # Errors
///
/// Fails if parsing exceeds its limits, or the run was cancelled.
pub fn parse(text: &str, budget: &mut Budget<'_>) -> Result<Tree, Refusal> {
    budget.spend(text.len() as u64)?;
    let end = budget.spent() + MOST_PARSE_STEPS;
    let cpu = budget.cpu();
    let mut stopped = Refusal::TooManySteps;
    let mut watch = || match budget.spend(parsers::STEPS_A_REPORT) {
        Ok(()) if budget.spent() <= end => ControlFlow::Continue(()),
        Ok(()) => ControlFlow::Break(()),
        Err(why) => {
            stopped = why;
            ControlFlow::Break(())
        }
    };
    let tree = parsers::parse(text, CodeLang::Java, cpu, &mut watch);
    tree.map_err(|why| match why {
        parsers::Refusal::TooDeep => Refusal::TooDeep,
        parsers::Refusal::TooMuchCpu => Refusal::TooMuchCpu,
        parsers::Refusal::TooMuchMemory => Refusal::TooMuchMemory,
        parsers::Refusal::Stopped => stopped,
    })
}

/// A node and its descendants in the text's order. Each node costs one step.
pub struct Walk<'t> {
    cursor: TreeCursor<'t>,
    /// The ancestors of the current node, and how many of their named children were visited.
    above: Vec<(Node<'t>, usize)>,
    begun: bool,
    done: bool,
}

impl<'t> Walk<'t> {
    /// A walk that starts at this node.
    pub fn new(root: Node<'t>) -> Walk<'t> {
        Walk { cursor: root.walk(), above: Vec::new(), begun: false, done: false }
    }

    /// Goes to the next node; `None` after the last.
    ///
    /// # Errors
    ///
    /// The budget is used up.
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

    /// The role of the current node in its parent, such as `object` of a `method_invocation`.
    pub fn field(&self) -> Option<&'t str> {
        self.cursor.field_name()
    }
}

/// Whether this node or any of its descendants satisfies the condition.
///
/// # Errors
///
/// The budget is used up.
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

/// The direct members of a type's body; for an enum, the constants and the members after them.
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

/// The keywords among a declaration's modifiers, without annotations.
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

/// The position where a modifier can be inserted: after the annotations, before everything else.
pub fn after_annotations(declaration: Node<'_>) -> usize {
    if let Some(first) = modifier_words(declaration).first() {
        return first.start_byte();
    }
    let mut cursor = declaration.walk();
    let mut children = declaration.children(&mut cursor);
    let Some(modifiers) = children.find(|n| n.kind() == "modifiers") else { return declaration.start_byte() };
    // Only annotations: the declaration's next child follows them. (A node's own `next_sibling` would
    // search for its parent from the root.)
    children.next().map_or(modifiers.end_byte(), |n| n.start_byte())
}

/// The name in an import's text: `java.util.List` or `static java.lang.Math.*`.
pub fn import_name(import: &str) -> String {
    let text = import.trim().trim_start_matches("import").trim_end_matches(';');
    let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (is_static, rest) = match squeezed.strip_prefix("static ") {
        Some(rest) => ("static ", rest),
        None => ("", squeezed.as_str()),
    };
    format!("{is_static}{}", rest.replace(' ', ""))
}
