//! Formats statements and declarations. Expressions: [`super::expressions`].

use tree_sitter::Node;

use super::{
    build::{BLOCK, Builder, CONTINUED, children, is_comment},
    expressions,
};

/// Writes a node that has children.
pub fn write<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    match node.kind() {
        "program" => items(b, &children(node), Items::Statements),
        "block" | "constructor_body" => braces(b, node, Items::Statements),
        "class_body" | "interface_body" | "annotation_type_body" => braces(b, node, Items::Members),
        "module_body" | "switch_block" => braces(b, node, Items::Statements),
        "enum_body" => enum_body(b, node),
        "switch_block_statement_group" => switch_group(b, node),
        "if_statement" => if_statement(b, node),
        "while_statement" | "for_statement" | "enhanced_for_statement" | "do_statement" => loop_statement(b, node),
        "labeled_statement" => labeled(b, node),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration"
        | "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration" => declaration(b, node),
        "resource_specification" => resources(b, node),
        _ => expressions::write(b, node),
    }
}

/// The kind of list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Items {
    /// Statements; a lone semicolon is one.
    Statements,
    /// Members of a class; a semicolon among them has no meaning.
    Members,
}

/// Statements or members, each on its own line. At most one empty line is kept between them, and members
/// with bodies are always surrounded by empty lines.
pub fn items<'s>(b: &mut Builder<'s>, nodes: &[Node<'s>], of: Items) {
    let mut before: Option<Node<'_>> = None;
    let mut trailing = false;
    for node in nodes {
        let same_row = b.last_row() == Some(node.start_position().row);
        if node.kind() == ";" && same_row && before.is_some() && of == Items::Members {
            // A redundant semicolon after a member stays on its line.
            b.node(*node);
            continue;
        }
        if is_comment(*node) && same_row && (before.is_some() || node.kind() == "line_comment") {
            // A comment at the end of a line stays there.
            b.node(*node);
            trailing = true;
            continue;
        }
        if let Some(before) = before {
            let leads = is_comment(before) && same_row && !trailing && before.kind() == "block_comment";
            let gap = b.last_row().map_or(0, |row| node.start_position().row.saturating_sub(row));
            if gap > 1 || wants_room(before, *node) {
                b.blank();
            } else if !leads {
                b.hard();
            }
        } else if b.last_row().is_some() {
            b.hard();
        }
        b.node(*node);
        trailing = false;
        before = Some(*node);
    }
}

/// Whether two adjacent items always have an empty line between them.
fn wants_room(before: Node<'_>, after: Node<'_>) -> bool {
    let bodied = |n: Node<'_>| {
        matches!(
            n.kind(),
            "method_declaration"
                | "constructor_declaration"
                | "compact_constructor_declaration"
                | "class_declaration"
                | "interface_declaration"
                | "enum_declaration"
                | "record_declaration"
                | "annotation_type_declaration"
                | "static_initializer"
        ) && (n.child_by_field_name("body").is_some() || n.kind() == "static_initializer")
    };
    let import = |n: Node<'_>| matches!(n.kind(), "import_declaration" | "package_declaration");
    if is_comment(before) {
        return false;
    }
    bodied(before) && !import(after)
        || bodied(after)
        || before.kind() == "package_declaration"
        || import(before) && !import(after) && !is_comment(after)
}

fn braces<'s>(b: &mut Builder<'s>, node: Node<'s>, of: Items) {
    let nodes = children(node);
    let [open, inner @ .., close] = nodes.as_slice() else {
        return b.children(node);
    };
    b.node(*open);
    if !inner.is_empty() {
        b.indented(BLOCK, |b| items(b, inner, of));
        b.hard();
    }
    b.node(*close);
}

/// `A, B, C;` on one line or each on its own, then the members.
fn enum_body<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    let [open, inner @ .., close] = nodes.as_slice() else {
        return b.children(node);
    };
    b.node(*open);
    b.indented(BLOCK, |b| {
        let constants = inner.iter().take_while(|n| n.kind() != "enum_body_declarations").count();
        let (constants, rest) = inner.split_at(constants);
        if !inner.is_empty() {
            b.hard();
        }
        b.group(|b| {
            for (i, n) in constants.iter().enumerate() {
                if i > 0 && n.kind() != "," && !(is_comment(*n) && b.last_row() == Some(n.start_position().row)) {
                    b.soft();
                }
                b.node(*n);
            }
        });
        for declarations in rest {
            let nodes = children(*declarations);
            let Some((semicolon, members)) = nodes.split_first() else { continue };
            b.node(*semicolon);
            if !members.is_empty() {
                if b.last_row() != Some(members[0].start_position().row) || !is_comment(members[0]) {
                    b.blank();
                }
                items(b, members, Items::Members);
            }
        }
    });
    if !inner.is_empty() {
        b.hard();
    }
    b.node(*close);
}

fn switch_group<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    let labels = nodes.iter().rposition(|n| n.kind() == ":").map_or(0, |colon| colon + 1);
    let (labels, statements) = nodes.split_at(labels);
    for (i, n) in labels.iter().enumerate() {
        if i > 0 && n.kind() == "switch_label" {
            b.hard();
        }
        b.node(*n);
    }
    match statements {
        [] => {}
        // `case 1: { … }`
        [only] if only.kind() == "block" => b.node(*only),
        _ => b.indented(BLOCK, |b| {
            // The colon was written last, so a comment on its row trails it.
            items(b, statements, Items::Statements);
        }),
    }
}

fn if_statement<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let mut branch_was_block = false;
    // A loop instead of recursion, because a model can write an `else if` chain of any length.
    let mut current = node;
    loop {
        let mut next = None;
        let mut cursor = current.walk();
        let mut more = cursor.goto_first_child();
        let mut after_else = false;
        while more {
            let child = cursor.node();
            match cursor.field_name() {
                Some("consequence") => {
                    branch_was_block = child.kind() == "block";
                    body(b, child);
                }
                Some("alternative") if child.kind() == "if_statement" && after_else => next = Some(child),
                Some("alternative") => body(b, child),
                _ => {
                    if child.kind() == "else" && !branch_was_block {
                        b.hard();
                    }
                    after_else = child.kind() == "else";
                    b.node(child);
                }
            }
            more = cursor.goto_next_sibling();
        }
        match next {
            Some(n) => current = n,
            None => return,
        }
    }
}

fn loop_statement<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    let mut header = Vec::new();
    let mut body_was_block = true;
    while more {
        let child = cursor.node();
        if cursor.field_name() == Some("body") {
            header_of(b, node, &header);
            header.clear();
            body_was_block = child.kind() == "block";
            body(b, child);
        } else {
            if child.kind() == "while" && node.kind() == "do_statement" && !body_was_block {
                b.hard();
            }
            header.push(child);
        }
        more = cursor.goto_next_sibling();
    }
    header_of(b, node, &header);
}

/// `for (int i = 0; i < n; i++)`, which may be broken after its semicolons.
fn header_of<'s>(b: &mut Builder<'s>, node: Node<'s>, header: &[Node<'s>]) {
    if node.kind() != "for_statement" || header.is_empty() {
        return header.iter().for_each(|n| b.node(*n));
    }
    b.group(|b| {
        b.indented(CONTINUED, |b| {
            let mut semicolon = false;
            for n in header {
                if semicolon && !matches!(n.kind(), ";" | ")") {
                    b.soft();
                }
                b.node(*n);
                semicolon = n.kind() == ";" || n.kind() == "local_variable_declaration";
            }
        });
    });
}

/// The statement under an `if`, an `else` or a loop: a block or an empty statement stays on the line, anything else
/// goes on the next one.
fn body<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    match node.kind() {
        "block" | ";" => b.node(node),
        _ => b.indented(BLOCK, |b| {
            b.hard();
            b.node(node);
        }),
    }
}

fn labeled<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    for child in children(node) {
        b.node(child);
        if child.kind() == ":" {
            b.hard();
        }
    }
}

/// Annotations on their own lines, then the header, which may be broken, then the body.
fn declaration<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    let body = nodes.iter().position(|n| n.kind().ends_with("body") || n.kind() == "block").unwrap_or(nodes.len());
    let (header, rest) = nodes.split_at(body);
    let (modifiers, header) = match header.split_first() {
        Some((first, rest)) if first.kind() == "modifiers" => (Some(*first), rest),
        _ => (None, header),
    };
    if let Some(modifiers) = modifiers {
        let mut annotated = false;
        for m in children(modifiers) {
            let annotation = matches!(m.kind(), "annotation" | "marker_annotation");
            if annotated && !(is_comment(m) && b.last_row() == Some(m.start_position().row)) {
                b.hard();
            }
            annotated = annotation || (annotated && is_comment(m));
            b.child_of(modifiers, m);
        }
        if annotated {
            b.hard();
        }
    }
    b.group(|b| {
        for n in header {
            match n.kind() {
                "throws" | "superclass" | "super_interfaces" | "extends_interfaces" | "permits" => {
                    b.indented(CONTINUED, |b| {
                        b.soft();
                        b.node(*n);
                    });
                }
                _ => b.node(*n),
            }
        }
    });
    for n in rest {
        b.node(*n);
    }
}

fn resources<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    b.group(|b| {
        b.indented(CONTINUED, |b| {
            let mut semicolon = false;
            for n in children(node) {
                if semicolon && n.kind() != ")" {
                    b.soft();
                }
                b.node(n);
                semicolon = n.kind() == ";";
            }
        });
    });
}
