//! Reads what the guard's two programs are made of: a prompt's function, the items behind it, and the tests.

use std::{ops::ControlFlow, time::Duration};

use model::code_lang::CodeLang;
use tree_sitter::{Node, Tree};

/// The function that a prompt begins.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// The type of its result; empty if it returns nothing.
    pub result: String,
    /// End of its body in the text that was read, in bytes.
    end: usize,
}

/// A task's tests as functions that a judge can call.
#[derive(Debug, PartialEq, Eq)]
pub struct Tests {
    /// The text without the attributes by which `rustc --test` finds tests.
    pub text: String,
    /// The paths of the test functions.
    pub paths: Vec<String>,
}

/// An enum that a function returns, with the variants that the tests name.
#[derive(Debug, PartialEq, Eq)]
pub struct Returned {
    name: String,
    /// Name of each variant, and its number of fields; `None` for a variant without brackets.
    variants: Vec<(String, Option<usize>)>,
}

/// CPU time of parsing a text of a task.
const LONGEST_PARSE: Duration = Duration::from_secs(5);

fn parsed(text: &str) -> Option<Tree> {
    parsers::parse(text, CodeLang::Rust, LONGEST_PARSE, &mut || ControlFlow::Continue(())).ok()
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn field<'a>(node: Node<'_>, name: &str, text: &'a str) -> Option<&'a str> {
    node.child_by_field_name(name).map(|node| &text[node.byte_range()])
}

/// The functions of a text that are in no module.
fn functions(text: &str) -> Vec<Function> {
    let Some(tree) = parsed(text) else { return Vec::new() };
    let read = |item: Node<'_>| {
        let name_of = |parameter: Node<'_>| {
            let pattern = field(parameter, "pattern", text)?;
            Some(pattern.trim_start_matches("mut ").trim().to_owned())
        };
        let parameters = children(item.child_by_field_name("parameters")?);
        Some(Function {
            name: field(item, "name", text)?.to_owned(),
            parameters: parameters.into_iter().filter_map(name_of).collect(),
            result: field(item, "return_type", text).unwrap_or_default().to_owned(),
            end: item.end_byte(),
        })
    };
    children(tree.root_node()).into_iter().filter(|item| item.kind() == "function_item").filter_map(read).collect()
}

/// The last function that a prompt begins. `declaration` ends with the brace that opens its body.
pub fn function(declaration: &str) -> Option<Function> {
    functions(&format!("{declaration}}}")).pop()
}

/// The items that the dataset's own solution has behind its function: functions and types that some tests use and no
/// prompt has. Empty if there are none.
pub fn items_behind<'a>(declaration: &str, solution: &'a str, name: &str) -> &'a str {
    let functions = functions(&format!("{declaration}{solution}"));
    let function = functions.iter().find(|function| function.name == name);
    let start = function.and_then(|function| function.end.checked_sub(declaration.len()));
    start.and_then(|start| solution.get(start..)).unwrap_or_default()
}

/// The enum among these items that a function returns.
pub fn returned(items: &str, result: &str, tests: &str) -> Option<Returned> {
    let tree = parsed(items)?;
    let is_named = |name: &str| result.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    let enums = children(tree.root_node()).into_iter().filter(|item| item.kind() == "enum_item");
    let (name, body) = enums
        .filter_map(|item| Some((field(item, "name", items)?, item.child_by_field_name("body")?)))
        .find(|(name, _)| is_named(name))?;
    let variant = |node: Node<'_>| {
        let variant = field(node, "name", items)?;
        let fields = node.child_by_field_name("body").map(|body| children(body).len());
        tests.contains(&format!("{name}::{variant}")).then(|| (variant.to_owned(), fields))
    };
    let variants = children(body).into_iter().filter(|node| node.kind() == "enum_variant").filter_map(variant);
    Some(Returned { name: name.to_owned(), variants: variants.collect() })
}

impl Returned {
    /// Writes a value of the type `result`. A variant that the tests do not name has one number for all.
    pub fn writer(&self, result: &str) -> String {
        let arm = |(at, (variant, fields)): (usize, &(String, Option<usize>))| {
            let put: String =
                (0..fields.unwrap_or(0)).map(|field| format!("aixgrade::Put::put(a{field}, out); ")).collect();
            let pattern = Returned::pattern(*fields, |field| format!("a{field}"));
            format!("            {}::{variant}{pattern} => {{ out.push({at}); {put}}}\n", self.name)
        };
        let arms: String = self.variants.iter().enumerate().map(arm).collect();
        format!(
            "\nimpl aixgrade::Put for {result} {{\n    fn put(&self, out: &mut Vec<u8>) {{\n        match self {{\n{arms}            \
             _ => out.push(255),\n        }}\n    }}\n}}\n"
        )
    }

    /// Reads what [`Returned::writer`] writes.
    pub fn reader(&self, result: &str) -> String {
        let arm = |(at, (variant, fields)): (usize, &(String, Option<usize>))| {
            let value = Returned::pattern(*fields, |_| "aixgrade::Get::get(input)".to_owned());
            format!("            {at} => {}::{variant}{value},\n", self.name)
        };
        let arms: String = self.variants.iter().enumerate().map(arm).collect();
        format!(
            "\nimpl aixgrade::Get for {result} {{\n    fn get(input: &mut &[u8]) -> Self {{\n        match \
             aixgrade::variant(input) {{\n{arms}            _ => aixgrade::reject(),\n        }}\n    }}\n}}\n"
        )
    }

    fn pattern(fields: Option<usize>, name: impl Fn(usize) -> String) -> String {
        fields.map_or_else(String::new, |count| format!("({})", (0..count).map(name).collect::<Vec<_>>().join(", ")))
    }
}

/// Reads tests. `None` if some of them are not functions that simply run: `#[should_panic]`, `#[ignore]`.
pub fn tests(text: &str) -> Option<Tests> {
    let tree = parsed(text)?;
    let (mut paths, mut edits) = (Vec::new(), Vec::new());
    read_tests(tree.root_node(), "", text, &mut paths, &mut edits)?;
    let mut text = text.to_owned();
    for (range, with) in edits.into_iter().rev() {
        text.replace_range(range, with);
    }
    Some(Tests { text, paths })
}

fn read_tests(
    items: Node<'_>,
    module: &str,
    text: &str,
    paths: &mut Vec<String>,
    edits: &mut Vec<(std::ops::Range<usize>, &'static str)>,
) -> Option<()> {
    let mut is_test = false;
    for item in children(items) {
        let plain: String = text[item.byte_range()].split_whitespace().collect();
        match item.kind() {
            "attribute_item" if plain == "#[test]" || plain == "#[cfg(test)]" => {
                is_test |= plain == "#[test]";
                edits.push((item.byte_range(), ""));
            }
            "attribute_item" if plain.starts_with("#[should_panic") || plain.starts_with("#[ignore") => return None,
            "attribute_item" | "line_comment" | "block_comment" => {}
            "function_item" if is_test => {
                is_test = false;
                paths.push(format!("{module}{}", field(item, "name", text)?));
                let is_public = children(item).first().is_some_and(|first| first.kind() == "visibility_modifier");
                if !is_public {
                    edits.push((item.start_byte()..item.start_byte(), "pub "));
                }
            }
            "mod_item" => {
                is_test = false;
                if let Some(body) = item.child_by_field_name("body") {
                    let name = field(item, "name", text)?;
                    read_tests(body, &format!("{module}{name}::"), text, paths, edits)?;
                }
            }
            _ => is_test = false,
        }
    }
    Some(())
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn reads_the_function_that_a_prompt_begins() {
        let check = |declaration: &str, expected: (&str, &[&str], &str)| {
            let Function { name, parameters, result, .. } = function(declaration).unwrap();
            let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
            assert_eq!((name.as_str(), parameters.as_slice(), result.as_str()), expected, "{declaration}");
        };
        check("use md5;\n\nfn f(n:i32) -> Vec<i32>{\n", ("f", &["n"], "Vec<i32>"));
        check("pub fn g(mut a: i32, b: HashMap<&str, &str>) {\n", ("g", &["a", "b"], ""));
        check("fn h<'a>(a:&'a dyn Any) -> R<String,f64>{\n\n/* fn no() {} */\n", ("h", &["a"], "R<String,f64>"));
        assert_eq!(function("use md5;\n"), None);
    }

    #[test]
    fn finds_what_a_solution_has_behind_its_function() {
        let declaration = "fn f(n: i32) -> i32 {\n";
        let check = |solution: &str, expected: &str| {
            assert_eq!(items_behind(declaration, solution, "f"), expected, "{solution}");
        };
        check("    let text = \"}\"; n\n}\n\nfn g() {}\n", "\n\nfn g() {}\n");
        check("    n\n}\n", "\n");
        check("    n }", "");
        assert_eq!(items_behind(declaration, "n }", "other"), "");
    }

    #[test]
    fn writes_and_reads_enums_that_tests_name() {
        let items = "pub enum R<S> {\n    Empty(),\n    Text(S),\n    None,\n    Two(i32, S),\n}\nfn g() {}\n";
        let tests = "assert_eq!(f(), R::Text(1)); assert!(f() == R::None || f() == R::Two(1, 2));";
        let found = returned(items, "R<String>", tests).unwrap();
        let variants = [("Text".into(), Some(1)), ("None".into(), None), ("Two".into(), Some(2))];
        assert_eq!(found, Returned { name: "R".into(), variants: variants.into() });
        assert!(found.writer("R<String>").contains("R::Two(a0, a1) => { out.push(2); "));
        assert!(found.reader("R<String>").contains("1 => R::None,\n"));
        assert_eq!(returned(items, "Vec<String>", tests), None);
    }

    #[test]
    fn makes_tests_plain_functions() {
        let text = "#[cfg(test)]\nmod tests {\n    use super::*;\n    fn helper() {}\n    #[test]\n    // fn no()\n    \
                    fn a() { let s = \"#[test]\"; }\n #[test] pub fn b() {}\n}\n/* #[test] fn c() {} */\n";
        let plain = "\nmod tests {\n    use super::*;\n    fn helper() {}\n    \n    // fn no()\n    pub fn a() { let s = \
                     \"#[test]\"; }\n  pub fn b() {}\n}\n/* #[test] fn c() {} */\n";
        let expected = Tests { text: plain.into(), paths: vec!["tests::a".into(), "tests::b".into()] };
        assert_eq!(tests(text), Some(expected));
        assert_eq!(tests("#[test]\n#[should_panic]\nfn a() {}"), None);
        assert_eq!(tests("/* #[test] fn c() {} */").map(|tests| tests.paths), Some(Vec::new()));
    }
}
