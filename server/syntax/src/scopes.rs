//! Names that functions bind, in Python and JavaScript: parameters, local variables, functions within them.
//!
//! Local variables of a block in JavaScript count as those of the whole function.

use std::collections::{HashMap, HashSet};

use model::code_lang::CodeLang;
use tree_sitter::Node;

/// A step of a walk through a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Before the children of the node.
    Enter,
    /// After them.
    Leave,
}

/// Visits a node and everything in it.
pub fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, Step)) {
    let mut cursor = root.walk();
    loop {
        visit(cursor.node(), Step::Enter);
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            visit(cursor.node(), Step::Leave);
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The names that the functions around a place bind, on a walk through a tree.
pub struct Bound<'c> {
    lang: CodeLang,
    /// The names that each function binds, in the order in which a walk enters the functions.
    functions: Vec<HashSet<&'c str>>,
    entered: usize,
    /// The functions around the place, by their number.
    around: Vec<usize>,
    /// How many of these bind a name.
    counts: HashMap<&'c str, usize>,
}

impl<'c> Bound<'c> {
    /// At the beginning of a walk through a tree.
    pub fn before(root: Node<'_>, code: &'c str, lang: CodeLang) -> Bound<'c> {
        let mut functions: Vec<(HashSet<&str>, Vec<&str>)> = Vec::new();
        let mut around: Vec<usize> = Vec::new();
        walk(root, |node, step| {
            if step == Step::Leave {
                if is_function(node, lang) {
                    around.pop();
                }
                return;
            }
            let add = |names: Vec<&'c str>, functions: &mut Vec<(HashSet<&'c str>, Vec<&'c str>)>| {
                if let Some((bound, _)) = around.last().and_then(|last| functions.get_mut(*last)) {
                    bound.extend(names);
                }
            };
            if matches!(node.kind(), "global_statement" | "nonlocal_statement") {
                let names = names(vec![node], code);
                if let Some((_, outer)) = around.last().and_then(|last| functions.get_mut(*last)) {
                    outer.extend(names);
                }
                return;
            }
            if is_declared(node) {
                add(names(node.child_by_field_name("name").into_iter().collect(), code), &mut functions);
            }
            if is_function(node, lang) {
                around.push(functions.len());
                functions.push((HashSet::new(), Vec::new()));
                // A parameter without parentheses.
                let add = names(node.child_by_field_name("parameter").into_iter().collect(), code);
                if let Some((bound, _)) = functions.last_mut() {
                    bound.extend(add);
                }
            } else if let Some(pattern) = pattern(node) {
                add(names(vec![pattern], code), &mut functions);
            }
        });
        let functions = functions.into_iter().map(|(mut bound, outer)| {
            outer.iter().for_each(|name| {
                bound.remove(name);
            });
            bound
        });
        Bound { lang, functions: functions.collect(), entered: 0, around: Vec::new(), counts: HashMap::new() }
    }

    /// Goes on with a step of the same walk.
    pub fn go(&mut self, node: Node<'_>, step: Step) {
        if !is_function(node, self.lang) {
            return;
        }
        match step {
            Step::Enter => {
                for name in self.functions.get(self.entered).into_iter().flatten() {
                    *self.counts.entry(name).or_default() += 1;
                }
                self.around.push(self.entered);
                self.entered += 1;
            }
            Step::Leave => {
                for name in self.around.pop().and_then(|left| self.functions.get(left)).into_iter().flatten() {
                    if let Some(count) = self.counts.get_mut(name) {
                        *count -= 1;
                    }
                }
            }
        }
    }

    /// Whether a name is one of a function around the place.
    pub fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
    }
}

/// Whether a node has names of its own.
fn is_function(node: Node<'_>, lang: CodeLang) -> bool {
    match lang {
        CodeLang::Python => {
            matches!(
                node.kind(),
                "function_definition"
                    | "lambda"
                    | "list_comprehension"
                    | "set_comprehension"
                    | "dictionary_comprehension"
                    | "generator_expression"
            ) && node.is_named()
        }
        CodeLang::JavaScript => matches!(
            node.kind(),
            "function_declaration"
                | "function_expression"
                | "arrow_function"
                | "method_definition"
                | "generator_function"
                | "generator_function_declaration"
        ),
        _ => false,
    }
}

/// Whether a node binds its name in what is around it.
fn is_declared(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_definition"
            | "class_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
    )
}

/// The part of a node that consists of names which it binds.
fn pattern(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parameters" | "lambda_parameters" | "formal_parameters" | "as_pattern_target" => Some(node),
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" | "for_in_statement" => {
            node.child_by_field_name("left")
        }
        "named_expression" | "variable_declarator" => node.child_by_field_name("name"),
        "catch_clause" => node.child_by_field_name("parameter"),
        _ => None,
    }
}

/// The names in patterns, without those in default values, types, and places such as `a[0]` and `a.b`.
fn names<'c>(patterns: Vec<Node<'_>>, code: &'c str) -> Vec<&'c str> {
    let (mut left, mut names) = (patterns, Vec::new());
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.extend(code.get(node.byte_range())),
            "default_parameter" | "typed_default_parameter" => left.extend(node.child_by_field_name("name")),
            "assignment_pattern" | "object_assignment_pattern" => left.extend(node.child_by_field_name("left")),
            "pair_pattern" => left.extend(node.child_by_field_name("value")),
            "typed_parameter" => left.extend(node.child(0)),
            "parameters"
            | "lambda_parameters"
            | "formal_parameters"
            | "as_pattern_target"
            | "global_statement"
            | "nonlocal_statement"
            | "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "object_pattern"
            | "array_pattern"
            | "rest_pattern" => left.extend(node.children(&mut node.walk())),
            _ => {}
        }
    }
    names
}
