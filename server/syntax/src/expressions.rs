//! Formats expressions, lists and headers, and breaks those that are too long.

use tree_sitter::Node;

use super::build::{BLOCK, Builder, CONTINUED, children, holds_block, is_comment};

/// Writes a node that has children and no statement layout.
pub fn write<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    match node.kind() {
        "argument_list"
        | "formal_parameters"
        | "annotation_argument_list"
        | "record_pattern_body"
        | "inferred_parameters" => {
            list(b, node);
        }
        "array_initializer" | "element_value_array_initializer" => array(b, node),
        "method_invocation" | "field_access" => chain(b, node),
        "binary_expression" => binary(b, node),
        "ternary_expression" => ternary(b, node),
        "assignment_expression" | "variable_declarator" | "resource" => assignment(b, node),
        "local_variable_declaration" | "field_declaration" | "constant_declaration" => variables(b, node),
        _ => b.children(node),
    }
}

/// `(a, b, c)`: on one line, otherwise all on the next, otherwise one per line.
fn list<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    let [open, inner @ .., close] = nodes.as_slice() else {
        return b.children(node);
    };
    b.node(*open);
    if hugs(inner) {
        // `submit(() -> {` … `})`: the block's lines are indented like a separate block.
        inner.iter().for_each(|n| b.node(*n));
    } else if !inner.is_empty() {
        b.group(|b| {
            b.indented(CONTINUED, |b| {
                b.soft();
                b.group(|b| separated(b, inner));
            });
        });
    }
    b.node(*close);
}

/// Whether only the last element takes several lines and may start on the first.
fn hugs(elements: &[Node<'_>]) -> bool {
    let Some((last, before)) = elements.split_last() else { return false };
    let opens_block = match last.kind() {
        "lambda_expression" | "switch_expression" | "object_creation_expression" | "string_literal" => true,
        "array_initializer" | "element_value_array_initializer" => before.is_empty(),
        _ => false,
    };
    opens_block
        && (holds_block(*last) || last.kind().ends_with("array_initializer"))
        && !before.iter().any(|n| holds_block(*n))
        && before.iter().map(|n| n.byte_range().len()).sum::<usize>() <= 60
}

/// Elements with commas; the line may break after each.
fn separated<'s>(b: &mut Builder<'s>, elements: &[Node<'s>]) {
    let mut comma = false;
    for n in elements {
        let trails = is_comment(*n) && b.last_row() == Some(n.start_position().row);
        if comma && !trails {
            b.soft();
        }
        b.node(*n);
        comma = n.kind() == "," || (comma && trails);
    }
}

/// `{1, 2, 3}`: as many on a line as fit.
fn array<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    let [open, inner @ .., close] = nodes.as_slice() else {
        return b.children(node);
    };
    if inner.is_empty() {
        return b.children(node);
    }
    let nested = inner.iter().any(|n| n.kind() == node.kind());
    b.group(|b| {
        b.node(*open);
        b.indented(BLOCK, |b| {
            b.soft();
            if nested {
                separated(b, inner);
            } else {
                filled(b, inner);
            }
        });
        b.soft();
        b.node(*close);
    });
}

/// Elements with commas, as many on a line as fit.
fn filled<'s>(b: &mut Builder<'s>, elements: &[Node<'s>]) {
    let mut comma = false;
    for n in elements {
        if comma {
            b.fill();
        }
        b.node(*n);
        comma = n.kind() == ",";
    }
}

/// `a.b().c().d()`: with three or more calls, one per line if the chain is too long.
fn chain<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    // From the last call to the first, because the tree nests them that way.
    let mut links = vec![node];
    let mut base = node;
    while let Some(object) = base.child_by_field_name("object") {
        base = object;
        if !matches!(object.kind(), "method_invocation" | "field_access") {
            break;
        }
        links.push(object);
    }
    links.reverse();
    let calls = links.iter().filter(|n| n.kind() == "method_invocation").count();
    let parts = calls > 2 || calls == 2 && !holds_block(node);
    // A first call without an object is its own base.
    let apart = links.first() != Some(&base);
    let write = |b: &mut Builder<'s>| {
        if apart {
            b.node(base);
        }
        let mut called = false;
        for (i, link) in links.iter().enumerate() {
            let object = link.child_by_field_name("object");
            let is_call = link.kind() == "method_invocation";
            if is_call && object.is_some() && parts && (called || i > 0 || !stays(base, *link)) {
                b.soft();
            }
            called |= is_call;
            // Everything of this link except the object, which is already written.
            for n in children(*link).into_iter().filter(|n| Some(*n) != object) {
                b.child_of(*link, n);
            }
        }
    };
    if parts { b.group(|b| b.indented(CONTINUED, write)) } else { write(b) }
}

/// Whether a chain's first call stays with its object: `it.next()`, `people.stream()`.
fn stays(base: Node<'_>, first: Node<'_>) -> bool {
    let bare = first.child_by_field_name("arguments").is_some_and(|a| a.named_child_count() == 0);
    base.byte_range().len() <= BLOCK || base.kind() == "identifier" && bare
}

/// `a + b + c`: breaks before operators. Operators of one precedence share a level.
fn binary<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let by = if b.outer() == "binary_expression" { BLOCK } else { CONTINUED };
    // The tree nests to the left. A loop, because a concatenation of a thousand parts must not recurse.
    let level = precedence(node);
    let mut parts = Vec::new();
    let mut first = node;
    loop {
        let nodes = children(first);
        let left = first.child_by_field_name("left");
        parts.push(nodes.into_iter().filter(|n| Some(*n) != left).collect::<Vec<_>>());
        match left {
            Some(left) if left.kind() == "binary_expression" && precedence(left) == level => first = left,
            Some(left) => {
                first = left;
                break;
            }
            None => break,
        }
    }
    parts.reverse();
    let write = |b: &mut Builder<'s>| {
        b.node(first);
        for part in &parts {
            let mut operator_stands = false;
            for n in part {
                if !operator_stands && !is_comment(*n) {
                    b.soft();
                    operator_stands = true;
                }
                b.node(*n);
            }
        }
    };
    if holds_block(node) {
        b.group(write);
    } else {
        b.group(|b| b.indented(by, write));
    }
}

fn precedence(node: Node<'_>) -> u8 {
    match node.child_by_field_name("operator").map_or("", |o| o.kind()) {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" | ">>>" => 8,
        "+" | "-" => 9,
        _ => 10,
    }
}

/// `c ? a : b`: breaks before `?` and `:`; a chain shares one level.
fn ternary<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    b.group(|b| {
        b.indented(CONTINUED, |b| {
            let mut current = node;
            loop {
                let mut next = None;
                for n in children(current) {
                    if matches!(n.kind(), "?" | ":") {
                        b.soft();
                    }
                    let alternative = current.child_by_field_name("alternative") == Some(n);
                    if alternative && n.kind() == "ternary_expression" {
                        next = Some(n);
                    } else {
                        b.node(n);
                    }
                }
                match next {
                    Some(n) => current = n,
                    None => break,
                }
            }
        });
    });
}

/// `x = value`: a value that can break by itself stays on the line; others may move to the next.
fn assignment<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let value = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
    let moves = value.is_some_and(|v| {
        let breaks_itself = matches!(
            v.kind(),
            "array_initializer"
                | "array_creation_expression"
                | "lambda_expression"
                | "switch_expression"
                | "assignment_expression"
        );
        !breaks_itself && !holds_block(v)
    });
    for n in children(node) {
        if moves && Some(n) == value {
            b.group(|b| {
                b.indented(CONTINUED, |b| {
                    b.soft();
                    b.group(|b| b.node(n));
                });
            });
        } else {
            b.node(n);
        }
    }
}

/// `int a = 1, b = 2;`
fn variables<'s>(b: &mut Builder<'s>, node: Node<'s>) {
    let nodes = children(node);
    if !nodes.iter().any(|n| n.kind() == ",") {
        return nodes.iter().for_each(|n| b.node(*n));
    }
    b.group(|b| b.indented(CONTINUED, |b| separated(b, &nodes)));
}
