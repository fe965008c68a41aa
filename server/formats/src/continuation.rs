//! Makes of a chat response what HumanEval-X judges: a text that continues a prompt.
//!
//! Models answer with a whole function. Where it repeats the task's own beginning, what follows is the continuation.
//! If it has something else before the function, such as helpers or other parameter names, that joins the task's own opening
//! in a prompt of the sample's own, which the published evaluator knows as well (`sample["prompt"]`). Everything in the
//! opening stays, because tests use its imports and helpers, but for helpers that the answer defines itself.

use model::code_lang::CodeLang;

use super::{
    chat::{self, Answer, Wanted},
    humaneval::Task,
};
use assigned::{assigned, declared};
use benchmarks::{humaneval, whole};
use opening::{Opening, glued, joined};
use syntax::{
    items::{self, Item, ItemKind},
    java, outline, trials,
};

mod assigned;
mod opening;
mod rust;

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
    let answered = code;
    let code = &*as_in_benchmark(lang, task, answered);
    let Some(function) = find(lang, task, code) else {
        return assigned(lang, task, code).unwrap_or_else(|| only_body(lang, code));
    };
    let items = items::items(code, lang);
    if lang == CodeLang::Rust {
        return rust::continuation(task, code, &function, &items);
    }
    let opening = Opening::of(lang, task);
    if lang == CodeLang::Java {
        return java(&opening, code, &function, &items);
    }
    let answer = Parts::of(&opening, code, &function, &items);
    match lang {
        CodeLang::Python => python(&opening, &answer),
        CodeLang::Cpp => cpp(&opening, &answer, &items),
        CodeLang::Go => go(task, &opening, &answer, answered),
        _ => javascript(&opening, &answer),
    }
}

/// An answer, taken apart.
struct Parts<'c> {
    code: &'c str,
    /// The items before the function that the opening does not have.
    before: Vec<&'c Item>,
    /// The text between them and the head: comments, a decorator, a template's parameters.
    lead: &'c str,
    has_lead: bool,
    head: &'c str,
    /// The text after the head.
    after: &'c str,
    /// Where the function ends in it, if it has no syntax error.
    end: Option<usize>,
    later: &'c [Item],
    is_exact: bool,
}

impl<'c> Parts<'c> {
    /// The parts of a text that consists of these items, or whose class does.
    fn of(opening: &Opening, code: &'c str, function: &Function, items: &'c [Item]) -> Parts<'c> {
        let at = items.iter().position(|item| item.range.contains(&function.start));
        let (earlier, later) = items.split_at(at.unwrap_or(items.len()));
        let target = later.first();
        let lead = target.map_or(function.start, |target| target.range.start.min(function.start));
        let start = target.map_or(function.start, |target| target.start.min(function.start));
        let whole = target.filter(|target| target.kind == ItemKind::Definition && target.range.end >= function.end);
        Parts {
            code,
            before: earlier.iter().filter(|item| !opening.has(item, code)).collect(),
            lead: &code[lead..function.start],
            has_lead: !code[start..function.start].trim().is_empty(),
            head: &code[function.start..function.end],
            after: &code[function.end..],
            end: whole.map(|target| target.range.end - function.end),
            later: later.get(1..).unwrap_or_default(),
            is_exact: function.is_exact,
        }
    }

    /// What it defines besides the function.
    fn own(&self) -> Vec<&'c Item> {
        self.before.iter().copied().chain(self.later).collect()
    }

    /// The items before the function but for imports, for languages in which they may follow it.
    fn appended(&self) -> String {
        let items: Vec<&Item> = self.before.iter().filter(|item| item.kind != ItemKind::Import).copied().collect();
        if items.is_empty() { String::new() } else { format!("\n\n{}\n", joined(&items, self.code).trim()) }
    }
}

fn own(prompt: String, generation: String) -> Continuation {
    Continuation { prompt: Some(prompt), generation }
}

fn python(opening: &Opening, answer: &Parts<'_>) -> Continuation {
    let (body, definitions) = match answer.end {
        Some(end) => {
            let later: Vec<&Item> = answer.later.iter().filter(|item| item.kind != ItemKind::Comment).collect();
            let definitions = joined(&later, answer.code);
            let definitions = Some(definitions.trim_matches('\n')).filter(|text| !text.is_empty());
            (body(&answer.after[..end]), definitions.map(|text| format!("{text}\n")).unwrap_or_default())
        }
        None => python_parts(answer.after),
    };
    let given = opening.without(&opening.items, &answer.own());
    let is_usual = answer.is_exact && has_usual_indent(&body) && !answer.has_lead;
    // The evaluator ends a generation at its first line that is not indented, such as one of a text.
    let unindented = |(start, line): (usize, &str)| {
        let is_unindented = !line.trim().is_empty() && !line.starts_with([' ', '\t']);
        is_unindented.then_some(start + line.len())
    };
    let cut = lines(&body).filter_map(unindented).last().unwrap_or_default();
    if is_usual && cut == 0 && answer.before.is_empty() && definitions.is_empty() && given.len() == opening.items.len()
    {
        return Continuation { prompt: None, generation: body };
    }
    let (before, given) = (joined(&answer.before, answer.code), joined(&given, &opening.code));
    let (lead, head, (above, rest)) = (answer.lead, answer.head, body.split_at(cut));
    own(format!("{}{head}\n{above}", glued(&[&given, &before, &definitions, lead])), rest.to_owned())
}

/// The line of the opening that tests need to name types.
const USING_STD: &str = "using namespace std;";

/// `items` are all of the answer.
fn cpp(opening: &Opening, answer: &Parts<'_>, items: &[Item]) -> Continuation {
    let mut given = opening.without(&opening.items, &answer.own());
    if answer.is_exact && answer.before.is_empty() && !answer.has_lead && given.len() == opening.items.len() {
        return Continuation { prompt: None, generation: answer.after.to_owned() };
    }
    // Types and variables of an answer that writes `std::` may have names of the standard library.
    let is_using = |text: &str| squeezed(text) == squeezed(USING_STD);
    let texts = || items.iter().map(|item| item.text(answer.code));
    let is_qualified = texts().any(|text| text.starts_with("#include")) && !texts().any(is_using);
    let clashes = |item: &&Item| item.kind == ItemKind::Definition && item.parameters.is_none();
    let mut end = String::new();
    if is_qualified && answer.own().iter().any(clashes) && !given.iter().any(|item| item.parameters.is_some()) {
        let before = given.len();
        given.retain(|item| !is_using(item.text(&opening.code)));
        if given.len() < before {
            end = format!("\n{USING_STD}\n");
        }
    }
    let (before, given) = (joined(&answer.before, answer.code), joined(&given, &opening.code));
    let (lead, head, after) = (answer.lead, answer.head, answer.after);
    own(glued(&[&given, &before, lead]), format!("{head}{after}{end}"))
}

/// The order of definitions does not matter, so what stands before the function may follow it. `answered` is the answer with
/// what was left out.
fn go(task: &Task, opening: &Opening, answer: &Parts<'_>, answered: &str) -> Continuation {
    let imports = answer.before.iter().filter(|item| item.kind == ItemKind::Import);
    let imports: String = imports.map(|item| format!("{}\n", item.text(answer.code))).collect();
    let (mut imports, _) = whole::go_parts(&imports);
    imports.retain(|import| whole::go_uses(import, answer.code) || !whole::go_uses(import, answered));
    let given = opening.without(&opening.items, &answer.own());
    let is_usual = answer.is_exact && given.len() == opening.items.len();
    let head = if is_usual { "" } else { answer.head };
    let generation = format!("{head}{}{}", answer.after.trim_end(), answer.appended());
    let given = joined(&given, &opening.code);
    let setup = task.test_setup.as_deref().unwrap_or_default();
    let imports = humaneval::go_prompt_imports(setup, &given, &generation, &imports);
    let imports: String = imports.iter().map(|import| format!("import {import}\n")).collect();
    match (is_usual, imports.is_empty()) {
        (true, true) => Continuation { prompt: None, generation },
        (true, false) => own(format!("{imports}{}", task.beginning()), generation),
        (false, _) => own(format!("{imports}{given}"), generation),
    }
}

/// Code that runs when the program is loaded may need what stands before it, so nothing changes its place.
fn javascript(opening: &Opening, answer: &Parts<'_>) -> Continuation {
    let given = opening.without(&opening.items, &answer.own());
    let rest = answer.after.trim_end();
    if answer.is_exact && answer.before.is_empty() && !answer.has_lead && given.len() == opening.items.len() {
        return Continuation { prompt: None, generation: rest.to_owned() };
    }
    let (before, given) = (joined(&answer.before, answer.code), joined(&given, &opening.code));
    own(glued(&[&given, &before, answer.lead]), format!("{}{rest}", answer.head))
}

fn java(opening: &Opening, code: &str, function: &Function, all: &[Item]) -> Continuation {
    let at = all.iter().position(|item| item.class.is_some() && item.range.contains(&function.start));
    let class = at.and_then(|at| all[at].class.as_ref().map(|class| (&all[at], class)));
    let members = class.map_or(all, |(_, class)| &class.members);
    let mut answer = Parts::of(opening, code, function, members);
    let outside = |item: &&Item| item.kind == ItemKind::Import && !opening.has(item, code);
    let mut top: Vec<&Item> = all.iter().take(at.unwrap_or_default()).filter(|item| !opening.has(item, code)).collect();
    if class.is_none() {
        top = answer.before.iter().copied().filter(|item| outside(item)).collect();
        answer.before.retain(|item| item.kind != ItemKind::Import);
    }
    let Some((around, given_class)) = opening.items.iter().find_map(|item| Some((item, item.class.as_ref()?))) else {
        return own(code[..function.start].to_owned(), code[function.start..].to_owned());
    };
    let given = opening.without(&given_class.members, &answer.own());
    let imports = opening.code.get(..around.start).unwrap_or_default();
    let usual = opening.code.get(around.start..given_class.range.start).unwrap_or_default();
    let header = class.and_then(|(item, class)| code.get(item.start..class.range.start)).unwrap_or(usual);
    let end = if class.is_some() { "" } else { "\n}" };
    let after = format!("{}{end}", answer.after.trim_end());
    let has_more = !top.is_empty() || !answer.before.is_empty() || answer.has_lead;
    let is_usual = squeezed(header) == squeezed(usual) && given.len() == given_class.members.len();
    if answer.is_exact && is_usual && !has_more {
        return Continuation { prompt: None, generation: after };
    }
    let (top, given) = (joined(&top, code), joined(&given, &opening.code));
    let (before, lead) = (joined(&answer.before, code), answer.lead);
    own(glued(&[imports, &top, header, &given, &before, lead]), format!("{}{after}", answer.head))
}

/// A text without white space.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Code without what cannot stand in a program of the benchmark, although the function is right: a `main` beside the tests'
/// own, printed examples, its own tests, exports, a public class, a class of another name.
fn as_in_benchmark(lang: CodeLang, task: &Task, code: &str) -> String {
    const LEFT_OUT: [ItemKind; 3] = [ItemKind::Example, ItemKind::Test, ItemKind::OfFile];
    let name = chat::name(lang, declaration(task).line);
    match lang {
        // The program begins with imports; from this version of Python on, the annotations work without it.
        CodeLang::Python => trials::without_trials(&whole::python_futures(code).1, lang, name),
        CodeLang::JavaScript => {
            trials::without_trials(&declared(&whole::javascript_script(code), name.unwrap_or_default()), lang, name)
        }
        CodeLang::Cpp | CodeLang::Rust => items::without(code, lang, &LEFT_OUT),
        CodeLang::Go => without_clash(task, items::without(code, lang, &LEFT_OUT)),
        CodeLang::Java => in_own_class(task, code),
    }
}

/// Go in which nothing has the name of a package that the tests import.
fn without_clash(task: &Task, code: String) -> String {
    let imports = task.test_setup.as_deref().map(|setup| whole::go_parts(setup).0).unwrap_or_default();
    let items = items::items(&code, CodeLang::Go);
    let names = items.iter().flat_map(|item| &item.names);
    let package =
        |import: &String| import.split('"').nth(1).and_then(|path| path.rsplit('/').next().map(str::to_owned));
    let packages: Vec<String> = imports.iter().filter_map(package).collect();
    let clashing = names.filter(|name| packages.contains(name));
    clashing.fold(code.clone(), |code, name| outline::renamed(&code, CodeLang::Go, name, &format!("{name}OfAnswer")))
}

/// Java with the method in the class that the tests create. No type is public, because the file is named after another.
fn in_own_class(task: &Task, code: &str) -> String {
    let code = java::package_private(code);
    let own = declaration(task).opening.split("class ").last().and_then(|rest| rest.split([' ', '{', '\n']).next());
    let (Some(own), Some(name)) =
        (own.filter(|own| !own.is_empty()), chat::name(CodeLang::Java, declaration(task).line))
    else {
        return code;
    };
    let code = match outline::class_of(&code, CodeLang::Java, name) {
        Some(class) if class != own => outline::renamed(&code, CodeLang::Java, &class, own),
        _ => code,
    };
    let items = items::items(&code, CodeLang::Java);
    // The tests' class, and tests of the answer's own.
    let is_of_tests = |item: &Item| item.names.iter().any(|name| name == "Main") || item.kind == ItemKind::Test;
    let text = |item: &Item| match &item.class {
        Some(class) if item.names.iter().any(|name| name == own) => {
            let members = class.members.iter().filter(|member| member.kind != ItemKind::Test);
            let members: String = members.map(|member| constructible(member, own, &code)).collect();
            let (before, after) = (&code[item.range.start..class.range.start], &code[class.range.end..item.range.end]);
            format!("{before}{members}{after}")
        }
        _ => item.whole_text(&code).to_owned(),
    };
    let is_own = |item: &Item| item.names.iter().any(|name| name == own);
    items.iter().filter(|item| is_own(item) || !is_of_tests(item)).map(text).collect()
}

/// A member of the class `own`, which the tests create: a private constructor is not, and does not throw.
fn constructible(member: &Item, own: &str, code: &str) -> String {
    let text = member.whole_text(code);
    let private = format!("private {own}(");
    let has_no_parameters = member.parameters.as_ref().is_some_and(Vec::is_empty);
    if !has_no_parameters || !member.text(code).starts_with(&private) {
        return text.to_owned();
    }
    let (head, body) = text.split_once('{').unwrap_or((text, ""));
    let head = head.replacen(&private, &private["private ".len()..], 1);
    let body = if body.trim_start().starts_with("throw ") { "}" } else { body };
    format!("{head}{{{body}")
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
    let wanted = squeezed(declared);
    if !wanted.is_empty()
        && !goes_on
        && let Some((start, end)) = exact(code, &wanted)
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
        CodeLang::Rust => follows(&["fn ", "pub fn ", "pub(crate) fn "], &['(', '<']),
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

/// The body of a Python function, which may begin on the line of its head.
fn body(text: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim();
    let rest_begins_body = first.is_empty() || first.starts_with('#');
    let body = if rest_begins_body { rest.to_owned() } else { format!("    {first}\n{rest}") };
    body.trim_end().to_owned()
}

/// The text after the head of a Python function with a syntax error: the body, up to the first line that is not indented, and the
/// definitions and imports behind it, which the evaluator would cut off. Other statements are examples.
fn python_parts(after: &str) -> (String, String) {
    let (_, rest) = after.split_once('\n').unwrap_or((after, ""));
    let mut end = after.len();
    let (mut definitions, mut in_body, mut kept) = (String::new(), true, false);
    for (start, line) in lines(rest) {
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            // A closing bracket or an `else` belongs to what stands before it.
            let begins = ["def ", "async def ", "class ", "import ", "from ", "@"];
            let continues = kept && line.starts_with([')', ']', '}']);
            end = end.min(after.len() - rest.len() + start);
            in_body = false;
            kept =
                continues || begins.iter().any(|word| line.starts_with(word)) || (kept && is_decorated(&definitions));
        }
        if !in_body && kept {
            definitions.push_str(line);
        }
    }
    if !definitions.is_empty() && !definitions.ends_with('\n') {
        definitions.push('\n');
    }
    (body(&after[..end]), definitions)
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
