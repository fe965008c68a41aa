//! The function that a C++ prompt asks for.

/// A function's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub result: String,
    pub name: String,
    /// Type and name of each parameter.
    pub parameters: Vec<(String, String)>,
}

impl Signature {
    /// The last function that a prompt begins: an unindented line that opens a body.
    pub fn read(prompt: &str) -> Option<Signature> {
        let opens = |line: &&str| {
            line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.contains('(') && line.trim_end().ends_with('{')
        };
        let line = prompt.lines().rev().find(opens)?;
        let (head, rest) = line.split_once('(')?;
        let (inside, _) = rest.rsplit_once(')')?;
        let (result, name) = last_word(head.trim())?;
        let parameters =
            split(inside).into_iter().map(|parameter| last_word(parameter.trim())).collect::<Option<_>>()?;
        Some(Signature { result, name, parameters })
    }
}

/// Splits a type from the name after it.
fn last_word(text: &str) -> Option<(String, String)> {
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))? + 1;
    let (before, name) = text.split_at(start);
    (!before.trim().is_empty() && !name.is_empty()).then(|| (before.trim().to_owned(), name.to_owned()))
}

/// Splits a parameter list at the commas that are not within `<…>`.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_last_signature_of_a_prompt() {
        let read = |prompt: &str| {
            let Signature { result, name, parameters } = Signature::read(prompt)?;
            let parameters: Vec<String> = parameters.into_iter().map(|(kind, name)| format!("{kind} {name}")).collect();
            Some(format!("{result} {name}: {}", parameters.join("; ")))
        };
        let two = "int f(int n){\n    return 1;\n}\nbool g(vector<int>l, map<string,int> m){ \n  /* f(x){\n */\n";
        assert_eq!(read(two).as_deref(), Some("bool g: vector<int> l; map<string,int> m"));
        assert_eq!(read("long long h( ){").as_deref(), Some("long long h: "));
        assert_eq!(read("#include<x>\n"), None);
    }
}
