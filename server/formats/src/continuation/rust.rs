//! Rust: the program of the benchmark always begins with the task's imports and the head of its function.

use std::collections::{HashMap, HashSet};

use model::code_lang::CodeLang;
use syntax::items::{self, Item, ItemKind};

use super::{Continuation, Function, declaration, opening::Opening};
use crate::{chat, humaneval::Task};

/// Maximum depth of groups in a `use` declaration.
const DEEPEST: usize = 16;

/// What an answer has besides its function, for the two places where it may stand.
#[derive(Default)]
struct Places {
    /// At the beginning of the function's body, where names may be those of the opening.
    inside: String,
    /// After the function.
    after: String,
}

pub fn continuation(task: &Task, code: &str, function: &Function, items: &[Item]) -> Continuation {
    // A translation has its declaration before it once more, if it has no prompt of its own.
    let prompt = task.source.is_some().then(String::new);
    let opening = Opening::of(CodeLang::Rust, task);
    let given: HashMap<String, String> =
        opening.items.iter().flat_map(|item| imported(item.text(&opening.code))).collect();
    let target = items.iter().find(|item| item.range.contains(&function.start));
    let mut places = Places::default();
    let others: Vec<&Item> = items.iter().filter(|item| !target.is_some_and(|target| target == *item)).collect();
    let inside = inside(&others, code, &given);
    for (at, item) in others.into_iter().enumerate() {
        places.add(item, code, &given, inside.contains(&at));
    }
    let Places { inside, after } = places;
    let end = target.map_or(code.len(), |target| target.range.end);
    let text = |from: usize| code.get(from..end).unwrap_or_default().trim_end();
    let generation = if function.is_exact {
        format!("{}{}{after}", lines(&inside), text(function.end))
    } else if let Some(target) = target.filter(|target| target.kind == ItemKind::Definition)
        && let Some(call) = call(task)
    {
        // The task's function calls the answer's own, whose head is another.
        format!("{}\n{}\n    {call}\n}}\n{after}", lines(&inside), text(target.start))
    } else {
        format!("{}{after}", text(function.start))
    };
    Continuation { prompt, generation }
}

fn lines(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{}\n", text.trim_matches('\n')) }
}

/// Whether an item means another thing in the program than in the answer, or is known only behind its place.
fn clashes(item: &Item, code: &str, given: &HashMap<String, String>) -> bool {
    match item.kind {
        ItemKind::Import => {
            imported(item.text(code)).iter().any(|(name, path)| given.get(name).is_some_and(|given| given != path))
        }
        _ => item.names.iter().any(|name| given.contains_key(name)) || item.text(code).starts_with("macro_rules!"),
    }
}

/// Which items stand in the function's body: those whose names clash, and those that use one that stands there.
fn inside(items: &[&Item], code: &str, given: &HashMap<String, String>) -> HashSet<usize> {
    let mut users: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind != ItemKind::Import) {
        let words = item.text(code).split(|c: char| !(c.is_alphanumeric() || c == '_'));
        for word in words.collect::<HashSet<_>>() {
            users.entry(word).or_default().push(at);
        }
    }
    let mut left: Vec<usize> = (0..items.len()).filter(|at| clashes(items[*at], code, given)).collect();
    let mut inside = HashSet::new();
    while let Some(at) = left.pop() {
        if inside.insert(at) {
            let item = items[at];
            let imports = Some(item).filter(|item| item.kind == ItemKind::Import);
            let imported = imports.map(|item| imported(item.text(code))).unwrap_or_default();
            for name in item.names.iter().chain(imported.iter().map(|(name, _)| name)) {
                left.extend(users.get(name.as_str()).into_iter().flatten());
            }
        }
    }
    inside
}

impl Places {
    /// Adds an item, with `is_inside` in the function's body.
    fn add(&mut self, item: &Item, code: &str, given: &HashMap<String, String>, is_inside: bool) {
        let place = if is_inside { &mut self.inside } else { &mut self.after };
        match item.kind {
            ItemKind::Comment => {}
            ItemKind::Import => {
                let own = imported(item.text(code));
                if !own.iter().any(|(name, _)| given.contains_key(name)) {
                    place.push_str(&format!("\n{}", item.whole_text(code).trim()));
                    return;
                }
                for (name, path) in own {
                    match given.get(&name) {
                        Some(given) if *given == path => {}
                        _ if path.ends_with('*') => place.push_str(&format!("\nuse {path};")),
                        _ => place.push_str(&format!("\nuse {path} as {name};")),
                    }
                }
            }
            _ => place.push_str(&format!("\n\n{}", item.whole_text(code).trim())),
        }
    }
}

/// The names that a `use` declaration makes known, each with its path.
fn imported(text: &str) -> Vec<(String, String)> {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((_, tree)) = text.split_once("use ") else { return Vec::new() };
    let mut found = Vec::new();
    add_imported("", tree.trim_end_matches([';', ' ']), DEEPEST, &mut found);
    found
}

/// The same for a part of the declaration, such as `a::{b, c as d}`, behind its path.
fn add_imported(path: &str, tree: &str, left: usize, found: &mut Vec<(String, String)>) {
    let (tree, Some(left)) = (tree.trim(), left.checked_sub(1)) else { return };
    if let Some((before, group)) = tree.split_once('{') {
        let group = group.strip_suffix('}').unwrap_or(group);
        let (mut depth, mut from) = (0_usize, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    add_imported(&format!("{path}{}", before.trim()), &group[from..at], left, found);
                    from = at + 1;
                }
                _ => {}
            }
        }
        return add_imported(&format!("{path}{}", before.trim()), &group[from..], left, found);
    }
    let (tree, alias) = tree.split_once(" as ").map_or((tree, None), |(tree, alias)| (tree, Some(alias.trim())));
    let whole = format!("{path}{}", tree.trim());
    let whole = whole.strip_suffix("::self").unwrap_or(&whole).trim_start_matches("::");
    // The same items are known by these three names.
    let rest = ["core::", "alloc::"].iter().find_map(|start| whole.strip_prefix(start));
    let whole = rest.map_or_else(|| whole.to_owned(), |rest| format!("std::{rest}"));
    let name = alias.or_else(|| whole.rsplit("::").next()).unwrap_or_default().to_owned();
    if !tree.trim().is_empty() {
        found.push((name, whole));
    }
}

/// A call of the task's function within it, with the parameters of its declaration.
fn call(task: &Task) -> Option<String> {
    let line = declaration(task).line;
    let name = chat::name(CodeLang::Rust, line)?;
    let function = items::items(&format!("{line}}}"), CodeLang::Rust).pop()?;
    let names = function.parameters?;
    let names = names.iter().map(|parameter| {
        let name = parameter.split(':').next().unwrap_or_default().trim();
        name.strip_prefix("mut ").unwrap_or(name).to_owned()
    });
    Some(format!("{name}({})", names.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_imports_make_known() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = imported(text);
            let found: Vec<_> = found.iter().map(|(name, path)| (name.as_str(), path.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "use std::{slice::Iter, cmp::{max, self},\n    collections::{HashSet, HashMap}, ops::Index};",
            &[
                ("Iter", "std::slice::Iter"),
                ("max", "std::cmp::max"),
                ("cmp", "std::cmp"),
                ("HashSet", "std::collections::HashSet"),
                ("HashMap", "std::collections::HashMap"),
                ("Index", "std::ops::Index"),
            ],
        );
        check("pub use core::cmp::max as most;", &[("most", "std::cmp::max")]);
        check("use md5;", &[("md5", "md5")]);
        check("use std::collections::{HashMap, };", &[("HashMap", "std::collections::HashMap")]);
        check("fn f() {}", &[]);
    }
}
