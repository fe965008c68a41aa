//! Makes of a chat response what HumanEval-X judges: a text that continues a prompt.
//!
//! Models answer with a whole function. Where it repeats the task's own beginning, what follows is the continuation.
//! If it has something else before the function, such as helpers or other parameter names, that becomes the sample's
//! own prompt, which the published evaluator knows as well (`sample["prompt"]`).

use std::collections::HashSet;

use model::code_lang::CodeLang;

use super::{
    chat::{self, Answer, Wanted},
    humaneval::Task,
};
use benchmarks::{
    humaneval::{CPP_INCLUDES, PYTHON_IMPORTS, is_go_import_added},
    whole,
};
use syntax::outline;

/// An output of HumanEval-X.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The text that it continues, if it is not the task's own beginning.
    pub prompt: Option<String>,
    pub generation: String,
}

/// Reads a response to a task's prompt: what it continues, and how its code was found.
pub fn read(lang: CodeLang, task: &Task, response: &str) -> (Continuation, Answer) {
    read_at(lang, task, response, None)
}

/// The same with the block of this number, from 0, as the code ([`chat::split_at`]).
pub fn read_at(lang: CodeLang, task: &Task, response: &str, chosen: Option<usize>) -> (Continuation, Answer) {
    let wanted = Wanted { lang, name: chat::name(lang, declaration(task).line).map(str::to_owned) };
    let answer = chat::split_at(response, &[lang], Some(&wanted), chosen);
    (of_code(lang, task, &answer.code), answer)
}

/// The continuation that code without fences is.
pub fn of_code(lang: CodeLang, task: &Task, code: &str) -> Continuation {
    let code = &*as_in_benchmark(lang, task, code);
    let Some(function) = find(lang, task, code) else { return only_body(lang, code) };
    let (before, after) = (&code[..function.start], &code[function.end..]);
    let head = &code[function.start..function.end];
    let extra = uncovered(lang, task, before);
    let own = |prompt: String, generation: String| Continuation { prompt: Some(prompt), generation };
    match lang {
        CodeLang::Python => {
            let (body, definitions) = python_parts(after);
            let continues = function.is_exact && has_usual_indent(&body);
            let prompt = (!continues || !extra.is_empty() || !definitions.is_empty())
                .then(|| format!("{before}{definitions}{head}\n"));
            Continuation { prompt, generation: body }
        }
        CodeLang::Go => {
            let (imports, helpers) = go_parts(task, &extra);
            let rest = format!("{}{helpers}", after.trim_end());
            match (function.is_exact, imports.is_empty()) {
                (true, true) => Continuation { prompt: None, generation: rest },
                (true, false) => own(format!("{imports}{}", task.beginning()), rest),
                (false, _) => own(imports, format!("{head}{rest}")),
            }
        }
        // The order of these does not matter, so what stands before the function may follow it.
        CodeLang::JavaScript | CodeLang::Rust => {
            let rest = format!("{}{}", after.trim_end(), appended(&extra));
            if function.is_exact {
                Continuation { prompt: None, generation: rest }
            } else {
                own(String::new(), format!("{head}{rest}"))
            }
        }
        CodeLang::Cpp => {
            if function.is_exact && extra.is_empty() {
                return Continuation { prompt: None, generation: after.to_owned() };
            }
            let includes = if before.contains("#include") { "" } else { declaration(task).opening };
            own(format!("{includes}{before}"), format!("{head}{after}"))
        }
        CodeLang::Java => {
            let in_class = before.lines().any(|line| line.contains("class "));
            let end = if in_class { "" } else { "\n}" };
            let after = format!("{}{end}", after.trim_end());
            match (function.is_exact && extra.is_empty(), in_class) {
                (true, _) => Continuation { prompt: None, generation: after },
                (false, true) => own(before.to_owned(), format!("{head}{after}")),
                (false, false) => own(format!("{}{before}", declaration(task).opening), format!("{head}{after}")),
            }
        }
    }
}

/// Code without what cannot stand in a program of the benchmark, although the function is right: a `main` beside the tests'
/// own, printed examples, exports, a public class, a class of another name.
fn as_in_benchmark(lang: CodeLang, task: &Task, code: &str) -> String {
    match lang {
        // The program begins with imports; from this version of Python on, the annotations work without it.
        CodeLang::Python => whole::python_futures(code).1,
        CodeLang::JavaScript => outline::without_examples(&whole::javascript_script(code), lang),
        CodeLang::Cpp | CodeLang::Rust => outline::without_examples(code, lang),
        CodeLang::Java => in_own_class(task, code),
        CodeLang::Go => code.to_owned(),
    }
}

/// Java with the method in the class that the tests create, which is not public, because the file is named after another.
fn in_own_class(task: &Task, code: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in code.lines() {
        let text = line.trim_start();
        let rest = text.strip_prefix("public ").map(|rest| rest.strip_prefix("final ").unwrap_or(rest));
        match rest {
            Some(rest) if line == text && rest.starts_with("class ") => lines.push(rest.to_owned()),
            _ if text.starts_with("package ") => lines.push(String::new()),
            _ => lines.push(line.to_owned()),
        }
    }
    let end = if code.ends_with('\n') { "\n" } else { "" };
    let code = format!("{}{end}", lines.join("\n"));
    let own = declaration(task).opening.split("class ").last().and_then(|rest| rest.split([' ', '{', '\n']).next());
    let (Some(own), Some(name)) =
        (own.filter(|own| !own.is_empty()), chat::name(CodeLang::Java, declaration(task).line))
    else {
        return code;
    };
    match outline::class_of(&code, CodeLang::Java, name) {
        Some(class) if class != own => outline::renamed(&code, CodeLang::Java, &class, own),
        _ => code,
    }
}

/// The position of the function in a response: its declaration up to the opening of the body.
struct Function {
    start: usize,
    end: usize,
    /// Whether the declaration is the task's, but for white space.
    is_exact: bool,
}

/// A task's declaration, split.
struct Declaration<'a> {
    /// The text before the function: imports, a class, helpers.
    opening: &'a str,
    /// The line that opens the function.
    line: &'a str,
    /// Whether it goes on after that line. A few tasks of the benchmark have a part of the body in their declaration.
    goes_on: bool,
}

fn declaration(task: &Task) -> Declaration<'_> {
    let text = task.declaration.trim_end();
    let opens = |line: &str| {
        let line = line.trim();
        let is_block = ["for", "if", "while", "else", "switch", "}"].iter().any(|word| line.starts_with(word));
        line.contains('(') && line.ends_with(['{', ':']) && !is_block
    };
    let mut end = text.len();
    for line in text.rsplit('\n') {
        let start = end - line.len();
        if opens(line) {
            return Declaration { opening: &text[..start], line: line.trim(), goes_on: end < text.len() };
        }
        end = start.saturating_sub(1);
    }
    Declaration { opening: text, line: "", goes_on: false }
}

fn find(lang: CodeLang, task: &Task, code: &str) -> Option<Function> {
    let Declaration { line: declared, goes_on, .. } = declaration(task);
    let squeezed: String = declared.chars().filter(|c| !c.is_whitespace()).collect();
    if !squeezed.is_empty()
        && !goes_on
        && let Some((start, end)) = exact(code, &squeezed)
    {
        return Some(Function { start, end, is_exact: true });
    }
    let name = chat::name(lang, declared)?;
    let (start, line) = lines(code).find(|(_, line)| declares(lang, line, name))?;
    let end = match lang {
        // A definition may take several lines.
        CodeLang::Python => start + python_head(&code[start..])?,
        // Only where the declaration begins matters.
        _ => start + (line.len() - line.trim_start().len()),
    };
    Some(Function { start, end, is_exact: false })
}

/// The lines of a text, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// The first text that begins a line and is `squeezed` but for white space, with the blank lines before it. No blank line
/// is looked at as a beginning: each would be followed through all the others.
fn exact(code: &str, squeezed: &str) -> Option<(usize, usize)> {
    let mut after_text = 0;
    lines(code).find_map(|(start, line)| {
        if line.trim().is_empty() {
            return None;
        }
        let begins = std::mem::replace(&mut after_text, start + line.len());
        matched(&code[start..], squeezed).map(|end| (begins, start + end))
    })
}

/// Where `squeezed` ends in a text that begins with it but for white space.
fn matched(text: &str, squeezed: &str) -> Option<usize> {
    let mut wanted = squeezed.chars();
    let mut next = wanted.next();
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            continue;
        }
        if next != Some(c) {
            return None;
        }
        next = wanted.next();
        if next.is_none() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// Whether a line begins the definition of the function of this name.
fn declares(lang: CodeLang, line: &str, name: &str) -> bool {
    let line = line.trim();
    let follows = |words: &[&str], then: &[char]| {
        words.iter().any(|word| {
            let rest = line.strip_prefix(word).and_then(|rest| rest.trim_start().strip_prefix(name));
            rest.is_some_and(|rest| rest.trim_start().starts_with(then))
        })
    };
    match lang {
        CodeLang::Python => follows(&["def ", "async def "], &['(']),
        CodeLang::Go => follows(&["func "], &['(', '[']),
        CodeLang::Rust => follows(&["fn ", "pub fn "], &['(', '<']),
        CodeLang::JavaScript => {
            follows(&["const ", "let ", "var "], &['=']) || follows(&["function ", "async function "], &['('])
        }
        // A type, the name, its parameters; not a call and not a declaration without a body.
        CodeLang::Java | CodeLang::Cpp => line.split_once('(').is_some_and(|(before, rest)| {
            let kind = before.trim_end().strip_suffix(name).unwrap_or_default();
            let is_type = kind.ends_with([' ', '*', '&', '>', ']']) && !kind.contains(['=', ';', '/', '"']);
            is_type && !kind.trim_start().starts_with("return ") && !rest.trim_end().ends_with(';')
        }),
    }
}

/// The length of a Python definition's head, up to its colon.
fn python_head(text: &str) -> Option<usize> {
    let (mut depth, mut comment) = (0_i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => comment = false,
            _ if comment => {}
            '#' => comment = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The text after the head of a Python definition: the body, and the definitions and imports after the
/// function, which the evaluator would cut off. Other statements after it are examples.
fn python_parts(after: &str) -> (String, String) {
    let (first, rest) = after.split_once('\n').unwrap_or((after, ""));
    let first = first.trim();
    let rest_begins_body = first.is_empty() || first.starts_with('#');
    let mut body = if rest_begins_body { String::new() } else { format!("    {first}\n") };
    let (mut definitions, mut in_body, mut kept) = (String::new(), true, false);
    for line in rest.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            // A closing bracket or an `else` belongs to what stands before it.
            let begins = ["def ", "async def ", "class ", "import ", "from ", "@"];
            let continues = kept && line.starts_with([')', ']', '}']);
            in_body = false;
            kept =
                continues || begins.iter().any(|word| line.starts_with(word)) || (kept && is_decorated(&definitions));
        }
        if in_body {
            body.push_str(line);
        } else if kept {
            definitions.push_str(line);
        }
    }
    if !definitions.is_empty() && !definitions.ends_with('\n') {
        definitions.push('\n');
    }
    (body.trim_end().to_owned(), definitions)
}

/// Whether a body may follow the description in the task's prompt, which is indented by four spaces.
fn has_usual_indent(body: &str) -> bool {
    let first = body.lines().find(|line| !line.trim().is_empty());
    first.and_then(|line| line.strip_prefix("    ")).is_some_and(|rest| !rest.starts_with([' ', '\t']))
}

/// Whether a decorator is the last line.
fn is_decorated(definitions: &str) -> bool {
    definitions.trim_end().lines().last().is_some_and(|line| line.starts_with('@'))
}

/// The lines before a function that the task's own beginning, or what the evaluator adds, does not already have.
fn uncovered<'a>(lang: CodeLang, task: &Task, before: &'a str) -> Vec<&'a str> {
    let squeeze = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let added: Vec<String> = match lang {
        CodeLang::Python => PYTHON_IMPORTS.lines().map(squeeze).collect(),
        CodeLang::Cpp => CPP_INCLUDES.iter().map(|line| squeeze(line)).collect(),
        _ => Vec::new(),
    };
    let own = [task.declaration.as_str(), task.beginning()];
    let known: HashSet<String> = own.iter().flat_map(|text| text.lines()).map(squeeze).chain(added).collect();
    let is_mark =
        |line: &str| line.is_empty() || line.starts_with("//") || (lang == CodeLang::Python && line.starts_with('#'));
    let more = || before.lines().map(|line| (line, squeeze(line))).filter(|(_, squeezed)| !known.contains(squeezed));
    if more().all(|(_, squeezed)| is_mark(&squeezed)) {
        return Vec::new();
    }
    // Comments and blank lines between the rest stay.
    more().map(|(line, _)| line).collect()
}

fn appended(extra: &[&str]) -> String {
    if extra.is_empty() { String::new() } else { format!("\n\n{}\n", extra.join("\n").trim()) }
}

/// Of the lines before a Go function: the imports that the evaluator does not add, and the rest, which may follow the
/// function.
fn go_parts(task: &Task, extra: &[&str]) -> (String, String) {
    let (mut imports, mut rest, mut in_block) = (String::new(), Vec::new(), false);
    for line in extra {
        let text = line.trim();
        let package = |text: &str| {
            let known = text.split('"').nth(1).is_none_or(|package| {
                is_go_import_added(package)
                    || task.test_setup.as_deref().unwrap_or_default().contains(&format!("\"{package}\""))
            });
            if known { String::new() } else { format!("import {text}\n") }
        };
        if in_block {
            in_block = text != ")";
            imports.push_str(&package(text));
        } else if text.starts_with("import (") || text.starts_with("import(") {
            in_block = !text.ends_with(')');
        } else if let Some(text) = text.strip_prefix("import ") {
            imports.push_str(&package(text.trim()));
        } else if !text.starts_with("package ") && text != ")" {
            rest.push(*line);
        }
    }
    (imports, appended(&rest))
}

/// A response without the function's declaration continues the task's beginning as it is.
fn only_body(lang: CodeLang, code: &str) -> Continuation {
    let first = code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let generation = if lang == CodeLang::Python && !first.starts_with([' ', '\t']) {
        code.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect()
    } else {
        code.to_owned()
    };
    Continuation { prompt: None, generation }
}

#[cfg(test)]
#[path = "continuation_test.rs"]
mod tests;
