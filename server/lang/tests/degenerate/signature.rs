//! The types of the function that a task of HumanEval-X asks for.

use benchmarks::humaneval::Task;
use model::code_lang::CodeLang;

/// A type, as far as constants of it differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Truth,
    Integer,
    Real,
    Character,
    Text,
    List(Box<Typed>),
    /// A tuple or an array of two.
    Tuple(Vec<Typed>),
    Map(Box<Typed>, Box<Typed>),
    Optional(Box<Typed>),
    Any,
    /// The enum `RtnType` of Rust/137.
    Enum,
}

/// A type with its text, which is without references.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    pub text: String,
    pub kind: Type,
}

#[derive(Debug)]
pub struct Signature {
    pub result: Typed,
    /// Name and type of each parameter.
    pub parameters: Vec<(String, Typed)>,
}

/// The last function that a task's prompt begins.
pub fn read(lang: CodeLang, task: &Task) -> Signature {
    let id = &task.task_id;
    let prompt = if lang == CodeLang::Rust { &task.declaration } else { &task.prompt };
    let begins = |line: &&str| match lang {
        CodeLang::Cpp => {
            line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.trim_end().ends_with('{') && line.contains('(')
        }
        CodeLang::Go => line.starts_with("func "),
        CodeLang::Java => line.trim_start().starts_with("public "),
        _ => line.trim_start().starts_with("fn ") || line.trim_start().starts_with("pub fn "),
    };
    let line = prompt.lines().rev().find(begins).unwrap_or_else(|| panic!("{id} has no function"));
    let (head, rest) = line.split_once('(').unwrap();
    let end = closing(rest).unwrap_or_else(|| panic!("{line}"));
    let (inside, behind) = (&rest[..end], rest[end + 1..].trim().trim_end_matches('{').trim());
    let result = match lang {
        CodeLang::Cpp => last_word(head).0,
        CodeLang::Java => last_word(head.trim().trim_start_matches("public ")).0,
        CodeLang::Go => behind,
        _ => behind.trim_start_matches("->"),
    };
    Signature { result: parse(lang, result), parameters: parameters(lang, inside) }
}

/// The position of the bracket that closes those before.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth < 0).then_some(at)
    })
}

fn last_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_at(text.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1))
}

fn parameters(lang: CodeLang, inside: &str) -> Vec<(String, Typed)> {
    let parts = split(inside);
    let mut parameters: Vec<(String, Typed)> = Vec::new();
    // In Go, a type can be that of several names before it.
    for part in parts.into_iter().rev() {
        let part = part.trim();
        let (name, kind) = match lang {
            CodeLang::Rust => part.split_once(':').unwrap(),
            CodeLang::Go => part.split_once(' ').unwrap_or((part, "")),
            _ => {
                let (kind, name) = last_word(part);
                (name, kind)
            }
        };
        let name = name.trim().trim_start_matches("mut ").trim().to_owned();
        let kind = match kind.trim() {
            "" => parameters.last().unwrap_or_else(|| panic!("{inside}")).1.clone(),
            kind => parse(lang, kind),
        };
        parameters.push((name, kind));
    }
    parameters.reverse();
    parameters
}

/// Splits a list at the commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

/// Reads a type.
///
/// # Panics
/// It is not one that a function of HumanEval-X has.
pub fn parse(lang: CodeLang, text: &str) -> Typed {
    let text = text.trim().trim_start_matches('&').trim_start_matches("'a ").trim();
    let of = |text: &str| Box::new(parse(lang, text));
    let kind = if lang == CodeLang::Go && text.starts_with('[') {
        match text.split_once(']').unwrap() {
            ("[", inner) => Type::List(of(inner)),
            ("[2", inner) => Type::Tuple(vec![*of(inner), *of(inner)]),
            _ => panic!("{text} is no known type"),
        }
    } else if let Some(rest) = text.strip_prefix("map[").filter(|_| lang == CodeLang::Go) {
        let (key, value) = rest.split_once(']').unwrap();
        Type::Map(of(key), of(value))
    } else if let Some(inside) = text.strip_prefix('(') {
        Type::Tuple(split(inside.trim_end_matches(')')).into_iter().map(|part| *of(part)).collect())
    } else if let Some((name, inside)) = text.split_once('<') {
        let inside: Vec<&str> = split(inside.strip_suffix('>').unwrap());
        match name {
            "vector" | "List" | "Vec" => Type::List(of(inside[0])),
            "map" | "Map" | "HashMap" => Type::Map(of(inside[0]), of(inside[1])),
            "Optional" | "Option" => Type::Optional(of(inside[0])),
            "RtnType" => Type::Enum,
            "Box" => Type::Any,
            _ => panic!("{text} is no known type"),
        }
    } else {
        match text {
            "bool" | "boolean" | "Boolean" => Type::Truth,
            "int" | "Integer" | "long" | "Long" | "long long" | "i32" | "i64" | "u32" => Type::Integer,
            "float" | "double" | "Double" | "float64" | "f32" | "f64" => Type::Real,
            "char" | "rune" => Type::Character,
            "string" | "String" | "str" => Type::Text,
            "boost::any" | "interface{}" | "Object" | "dyn Any" => Type::Any,
            "list_any" => Type::List(of("boost::any")),
            _ => panic!("{text} is no known type"),
        }
    };
    Typed { text: text.to_owned(), kind }
}
