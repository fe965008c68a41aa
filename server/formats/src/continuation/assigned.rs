//! Functions that an answer assigns or exports instead of declaring them.

use model::code_lang::CodeLang;

use super::{
    Continuation, declaration, declares, lines,
    opening::{Opening, glued, joined},
    own,
};
use crate::{chat, humaneval::Task};
use syntax::{
    items::{self, Item},
    outline,
};

/// Code that gives the function's name to a lambda, to a function of another name or the like. Nothing in it continues the
/// task's own declaration.
pub fn assigned(lang: CodeLang, task: &Task, code: &str) -> Option<Continuation> {
    if !matches!(lang, CodeLang::Python | CodeLang::JavaScript) {
        return None;
    }
    let name = chat::name(lang, declaration(task).line)?;
    let outline = outline::outline(code, lang).filter(|outline| !outline.has_errors)?;
    outline.of(name).find(|found| !found.is_member)?;
    let (opening, items) = (Opening::of(lang, task), items::items(code, lang));
    let before = joined(&opening.without(&opening.items, &items.iter().collect::<Vec<&Item>>()), &opening.code);
    if lang == CodeLang::JavaScript {
        return Some(own(glued(&[&before]), code.to_owned()));
    }
    // The evaluator ends a generation at its first line that is not indented: it begins in the last such line, or below it.
    let code = code.trim_end();
    let is_unindented = |line: &str| !line.trim().is_empty() && !line.starts_with([' ', '\t']);
    let (at, last) = lines(code).filter(|(_, line)| is_unindented(line)).last()?;
    let cut = if at + last.len() < code.len() { at + last.len() } else { at + last.find(' ')? };
    let (above, generation) = code.split_at(cut);
    Some(own(format!("{}{above}", glued(&[&before])), generation.to_owned()))
}

/// JavaScript that declares what it only exports.
pub fn declared(code: &str, name: &str) -> String {
    let exports = [format!("exports.{name} ="), format!("module.exports.{name} =")];
    let value = |line: &str| exports.iter().find_map(|export| line.strip_prefix(export)).map(str::to_owned);
    let is_declared = code.lines().any(|line| declares(CodeLang::JavaScript, line, name));
    if name.is_empty() || is_declared || !code.lines().any(|line| value(line).is_some()) {
        return code.to_owned();
    }
    let line = |line: &str| value(line).map_or_else(|| line.to_owned(), |value| format!("const {name} ={value}"));
    code.split_inclusive('\n').map(line).collect()
}
