//! What stands before a task's function: imports, a class, helpers. Tests use it, so an answer's own items join it.

use std::collections::HashSet;

use model::code_lang::CodeLang;

use super::{declaration, squeezed};
use crate::{chat, humaneval::Task};
use benchmarks::humaneval::{CPP_INCLUDES, PYTHON_IMPORTS};
use syntax::items::{self, Item, ItemKind};

/// A task's opening.
pub struct Opening {
    pub lang: CodeLang,
    /// Its text. Java: with a brace after it, which closes the class.
    pub code: String,
    pub items: Vec<Item>,
    /// The items that an answer need not repeat, without white space. The prompt has other comments than the declaration.
    known: HashSet<String>,
}

impl Opening {
    pub fn of(lang: CodeLang, task: &Task) -> Opening {
        let code = match lang {
            CodeLang::Go => go_opening(task),
            CodeLang::Java => format!("{}}}", declaration(task).opening),
            _ => declaration(task).opening.to_owned(),
        };
        let items = items::items(&code, lang);
        let added: Vec<&str> = match lang {
            CodeLang::Python => PYTHON_IMPORTS.lines().collect(),
            CodeLang::Cpp => CPP_INCLUDES.to_vec(),
            _ => Vec::new(),
        };
        let members = items.iter().filter_map(|item| item.class.as_ref()).flat_map(|class| &class.members);
        let own = items.iter().chain(members).filter(|item| item.kind != ItemKind::Comment);
        let beginning = items::items(task.beginning(), lang);
        let repeated = beginning.iter().map(|item| item.text(task.beginning()));
        let known = own.map(|item| item.text(&code)).chain(repeated).chain(added).map(squeezed).collect();
        Opening { lang, code, items, known }
    }

    /// Whether the opening, or what the evaluator adds, has an item of an answer in the same words.
    pub fn has(&self, item: &Item, answer: &str) -> bool {
        item.kind == ItemKind::Comment || self.known.contains(&squeezed(item.text(answer)))
    }

    /// Of these items of the opening, those that the answer's own do not define again.
    pub fn without<'i>(&self, items: &'i [Item], own: &[&Item]) -> Vec<&'i Item> {
        let is_same = |given: &Item, own: &Item| {
            let overloads = matches!(self.lang, CodeLang::Cpp | CodeLang::Java);
            let count = |item: &Item| item.parameters.as_ref().map(Vec::len).filter(|_| overloads);
            given.names.iter().any(|name| own.names.contains(name)) && count(given) == count(own)
        };
        items.iter().filter(|given| !own.iter().any(|own| is_same(given, own))).collect()
    }
}

/// The text of items with what stands before each.
pub fn joined(items: &[&Item], code: &str) -> String {
    items.iter().map(|item| item.whole_text(code)).collect()
}

/// Texts one after the other, each on a line of its own.
pub fn glued(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !text.is_empty() && !text.ends_with('\n') && !part.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(part);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The helpers of a Go prompt. Its imports are those that the evaluator removes.
fn go_opening(task: &Task) -> String {
    let beginning = task.beginning();
    let head = chat::name(CodeLang::Go, declaration(task).line).map(|name| format!("func {name}("));
    let end = head.and_then(|head| beginning.rfind(&head)).unwrap_or_default();
    let imports = task.import.as_deref().filter(|imports| !imports.is_empty());
    let opening = beginning.get(..end).unwrap_or_default();
    imports.map_or_else(|| opening.to_owned(), |imports| opening.replace(imports, ""))
}
