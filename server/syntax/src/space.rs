//! Decides whether two adjacent tokens have a space between them.

/// A token with its context.
#[derive(Clone, Copy, Debug)]
pub struct Token<'s> {
    /// Its text.
    pub text: &'s str,
    /// Kind in the grammar: `identifier`, `(`, `line_comment`.
    pub kind: &'s str,
    /// Kind of the parent node.
    pub parent: &'s str,
    /// Kind of the grandparent node.
    pub grandparent: &'s str,
    /// Whether it is the first child.
    pub first: bool,
}

/// Whether `left` and `right` are separated by a space on one line.
pub fn between(left: &Token<'_>, right: &Token<'_>) -> bool {
    would_merge(left.text, right.text) || wanted(left, right)
}

fn wanted(left: &Token<'_>, right: &Token<'_>) -> bool {
    if is_comment(left) || is_comment(right) {
        return true;
    }
    match right.text {
        ";" => return false,
        "," | "." | "::" | "..." | ")" | "]" => return false,
        ":" if matches!(right.parent, "labeled_statement" | "switch_block_statement_group") => return false,
        "[" if right.parent != "array_initializer" => return false,
        ">" if is_type_list(right.parent) => return false,
        "<" if right.parent == "type_parameters" => {
            return matches!(right.grandparent, "method_declaration" | "constructor_declaration") && left.text != "@";
        }
        "<" if right.parent == "type_arguments" => return left.text == "new",
        "++" | "--" if right.parent == "update_expression" && !right.first => return false,
        "(" if joins_its_name(right, left) => return false,
        "}" if is_braced_list(right.parent) || left.text == "{" => return false,
        _ => {}
    }
    match left.text {
        "(" | "[" | "." | "::" | "@" => false,
        "{" if is_braced_list(left.parent) => false,
        "<" if is_type_list(left.parent) => false,
        ">" if left.parent == "type_arguments" => match left.grandparent {
            "method_invocation" | "method_reference" | "explicit_constructor_invocation" => false,
            "object_creation_expression" => right.text == "{",
            _ => true,
        },
        "++" | "--" if left.parent == "update_expression" => !left.first,
        "+" | "-" | "!" | "~" if left.parent == "unary_expression" => false,
        _ => true,
    }
}

/// Whether an opening parenthesis follows a name directly, as in a call.
fn joins_its_name(paren: &Token<'_>, left: &Token<'_>) -> bool {
    match paren.parent {
        "formal_parameters" => paren.grandparent != "lambda_expression" || matches!(left.text, "("),
        "argument_list"
        | "annotation_argument_list"
        | "record_pattern_body"
        | "annotation_type_element_declaration" => true,
        _ => false,
    }
}

fn is_type_list(kind: &str) -> bool {
    matches!(kind, "type_arguments" | "type_parameters")
}

fn is_braced_list(kind: &str) -> bool {
    matches!(kind, "array_initializer" | "element_value_array_initializer")
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token.kind, "line_comment" | "block_comment")
}

/// Whether two texts without a space between them would be parsed differently.
fn would_merge(left: &str, right: &str) -> bool {
    let (Some(end), Some(start)) = (left.chars().next_back(), right.chars().next()) else {
        return false;
    };
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    if word(end) && word(start) {
        return true;
    }
    match (end, start) {
        ('+', '+') | ('-', '-') | ('-', '>') | ('/', '/') | ('/', '*') | (':', ':') | ('"', '"') => true,
        // `1.` and `.5` are numbers.
        ('.', d) if d.is_ascii_digit() => true,
        (d, '.') if d.is_ascii_digit() => left.starts_with(|c: char| c.is_ascii_digit()) && right == ".",
        _ => false,
    }
}
