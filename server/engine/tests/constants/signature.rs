//! What the signature of a task of AixBench declares.

/// A type without the packages of the JDK: `int`, `List<String>`, `T[]`.
pub type Type = String;

pub struct Parameter {
    pub name: String,
    pub of: Type,
}

pub struct Signature {
    /// `void` if the method returns nothing.
    pub result: Type,
    pub parameters: Vec<Parameter>,
}

/// What a type contains, as far as answers differ by it.
pub enum Shape<'a> {
    Truth,
    /// A number, boxed or not.
    Number,
    Character,
    Text,
    /// Of these items.
    Array(&'a str),
    /// A list, or any collection.
    List(&'a str),
    Set(&'a str),
    Map(&'a str, &'a str),
    /// A class, without its type arguments.
    Other(&'a str),
}

pub fn read(signature: &str) -> Signature {
    let (head, rest) = signature.split_once('(').unwrap();
    let (inside, _) = rest.rsplit_once(')').unwrap();
    let (head, _) = last_word(head);
    let words = ["public ", "static "];
    let head = words.iter().fold(head.trim(), |head, word| head.strip_prefix(word).unwrap_or(head).trim());
    // The method's own type parameters.
    let head = match head.strip_prefix('<') {
        Some(rest) => &rest[closing(rest)..],
        None => head,
    };
    let parameters = split(inside).into_iter().map(|part| {
        let (of, name) = last_word(part);
        Parameter { name: name.to_owned(), of: without_packages(of.trim().trim_start_matches("final ")) }
    });
    Signature { result: without_packages(head), parameters: parameters.collect() }
}

pub fn shape(of: &str) -> Shape<'_> {
    if let Some(item) = of.strip_suffix("[]") {
        return Shape::Array(item);
    }
    let (name, inside) = match of.split_once('<') {
        Some((name, inside)) => (name, split(&inside[..closing(inside) - 1])),
        None => (of, Vec::new()),
    };
    match (name, &inside[..]) {
        ("boolean", _) => Shape::Truth,
        ("byte" | "short" | "int" | "long" | "float" | "double", _)
        | ("Byte" | "Short" | "Integer" | "Long" | "Float" | "Double", _) => Shape::Number,
        ("char", _) => Shape::Character,
        ("String", _) => Shape::Text,
        ("List" | "ArrayList" | "LinkedList" | "Collection", [item]) => Shape::List(item),
        ("Set" | "HashSet", [item]) => Shape::Set(item),
        ("Map", [key, value]) => Shape::Map(key, value),
        _ => Shape::Other(name),
    }
}

/// Whether two types are the same, or one of them is the other boxed.
pub fn is_same(one: &str, other: &str) -> bool {
    let boxed = |of: &str| match of {
        "int" => "integer".to_owned(),
        of => of.to_lowercase(),
    };
    let is_number = |of: &str| matches!(shape(of), Shape::Number);
    one == other || is_number(one) && is_number(other) && boxed(one) == boxed(other)
}

fn without_packages(of: &str) -> Type {
    of.trim().replace("java.util.", "").replace("java.io.", "")
}

fn last_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_at(text.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1))
}

/// The position after the bracket that closes one before the text.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    let end = text.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '<') - i32::from(*c == '>');
        depth == 0
    });
    end.unwrap().0 + 1
}

/// Splits a list at the commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_comma = |c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c == ','
    };
    text.split(is_comma).map(str::trim).filter(|part| !part.is_empty()).collect()
}
