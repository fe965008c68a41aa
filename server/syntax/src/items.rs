//! The items of a piece of code: what stands at its top level, or in a class, one after the other.
//!
//! Readers of chat responses put together a program of an answer's items and those of a task.

use std::ops::Range;

use model::code_lang::CodeLang;
use tree_sitter::Node;

use crate::{
    build::children,
    outline::{self, LONGEST, innermost, is_comment, is_import_kind},
    parse,
};

/// A part of code: a function, a type, an import, a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub kind: ItemKind,
    /// The names that a definition or a test defines, without those of members and imports. None if it has a syntax error.
    pub names: Vec<String>,
    /// The parameters of a function, each as it is written.
    pub parameters: Option<Vec<String>>,
    /// Its text as byte offsets, with white space, comments and attributes before it. Together, the items are the whole text.
    pub range: Range<usize>,
    /// Where it begins behind comments and attributes.
    pub start: usize,
    /// What stands between the braces of a class in Java.
    pub class: Option<Class>,
}

/// The part of a class between its braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    pub range: Range<usize>,
    pub members: Vec<Item>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Import,
    /// A function, a type or a variable.
    Definition,
    /// A `main` function in C++ and Rust.
    Example,
    /// A test of the code's own, in Rust, Go, Java and C++, or an import that only such tests need.
    Test,
    /// What belongs to a whole file and must stand at its beginning: `#![allow(…)]`, `//! Text`.
    OfFile,
    /// Comments and blank lines at the end.
    Comment,
    Other,
}

impl Item {
    /// Its text without comments and attributes before it.
    pub fn text<'c>(&self, code: &'c str) -> &'c str {
        code.get(self.start..self.range.end).unwrap_or_default()
    }

    /// Its text with comments and attributes before it.
    pub fn whole_text<'c>(&self, code: &'c str) -> &'c str {
        code.get(self.range.clone()).unwrap_or_default()
    }

    /// The whole of a text whose parts are unknown.
    fn unknown(code: &str) -> Item {
        let range = 0..code.len();
        Item { kind: ItemKind::Other, names: Vec::new(), parameters: None, range, start: 0, class: None }
    }
}

/// The items of code; a single one if it cannot be parsed in reasonable time and memory.
pub fn items(code: &str, lang: CodeLang) -> Vec<Item> {
    let tree = Some(code).filter(|code| code.len() <= LONGEST).and_then(|code| parse::parse(code, lang));
    match tree {
        Some(tree) => Tiles { code, lang }.of(children(tree.root_node()), 0..code.len(), true),
        None => vec![Item::unknown(code)],
    }
}

/// Code without items of these kinds.
pub fn without(code: &str, lang: CodeLang, kinds: &[ItemKind]) -> String {
    let items = items(code, lang);
    if !items.iter().any(|item| kinds.contains(&item.kind)) {
        return code.to_owned();
    }
    items.iter().filter(|item| !kinds.contains(&item.kind)).map(|item| item.whole_text(code)).collect()
}

struct Tiles<'c> {
    code: &'c str,
    lang: CodeLang,
}

impl<'c> Tiles<'c> {
    /// The items that these nodes are, which stand in a part of the code.
    fn of(&self, nodes: Vec<Node<'_>>, within: Range<usize>, has_members: bool) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let (mut from, mut attributes) = (within.start, Vec::new());
        for node in nodes {
            let text = self.text(node);
            let is_inner = node.kind() == "inner_attribute_item" || text.starts_with("//!") || text.starts_with("/*!");
            if text == ";"
                && let Some(last) = items.last_mut().filter(|last| last.range.end == from)
            {
                last.range.end = node.end_byte();
                from = node.end_byte();
                continue;
            }
            if node.kind() == "attribute_item" {
                attributes.push(text.split_whitespace().collect::<String>());
                continue;
            }
            let is_of_file = self.lang == CodeLang::Rust && is_inner;
            if is_comment(node) && !is_of_file {
                continue;
            }
            let range = from..node.end_byte().max(from);
            from = range.end;
            let kind = if is_of_file { ItemKind::OfFile } else { self.kind(node, &attributes) };
            attributes.clear();
            let has_names = matches!(kind, ItemKind::Definition | ItemKind::Test);
            let names = if has_names { self.names(node) } else { Vec::new() };
            let body = node.child_by_field_name("body");
            let body = body.filter(|body| has_members && self.lang == CodeLang::Java && body.kind() == "class_body");
            let class = body.and_then(|body| self.class(body));
            let parameters = parameters(node).map(|all| all.iter().map(|one| self.text(*one).to_owned()).collect());
            items.push(Item { kind, names, parameters, start: node.start_byte().max(range.start), range, class });
        }
        if from < within.end {
            let (kind, range) = (ItemKind::Comment, from..within.end);
            items.push(Item { kind, start: from, range, ..Item::unknown("") });
        }
        items
    }

    fn class(&self, body: Node<'_>) -> Option<Class> {
        let mut nodes = children(body);
        let range = nodes.first()?.end_byte()..nodes.last()?.start_byte();
        nodes.retain(|node| range.contains(&node.start_byte()));
        let members = if range.is_empty() { Vec::new() } else { self.of(nodes, range.clone(), false) };
        Some(Class { range, members })
    }

    fn text(&self, node: Node<'_>) -> &'c str {
        self.code.get(node.byte_range()).unwrap_or_default()
    }

    fn kind(&self, node: Node<'_>, attributes: &[String]) -> ItemKind {
        if node.has_error() {
            return ItemKind::Other;
        }
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("declarator").map(innermost));
        let name = name.map_or("", |name| self.text(name));
        let is_test = || attributes.iter().any(|text| text == "#[cfg(test)]" || text == "#[test]");
        let tests = || parameters(node).is_some_and(|all| all.iter().any(|one| self.text(*one).contains("*testing.")));
        match (self.lang, node.kind()) {
            (lang, kind) if is_import_kind(kind) && is_of_tests(lang, self.text(node)) => ItemKind::Test,
            (_, kind) if is_import_kind(kind) => ItemKind::Import,
            (CodeLang::Rust, _) if is_test() => ItemKind::Test,
            (CodeLang::Go, "function_declaration") if name.starts_with("Test") && tests() => ItemKind::Test,
            (CodeLang::Cpp, "function_definition") | (CodeLang::Rust, "function_item") if name == "main" => {
                ItemKind::Example
            }
            (CodeLang::Cpp, "function_definition") if CPP_TESTS.contains(&name) => ItemKind::Test,
            (CodeLang::Java, _) if self.has_java_test(node) => ItemKind::Test,
            // Their members are not names of the text around them.
            (_, "namespace_definition" | "linkage_specification" | "mod_item") => ItemKind::Other,
            _ if self.names(node).is_empty() => ItemKind::Other,
            _ => ItemKind::Definition,
        }
    }

    fn names(&self, node: Node<'_>) -> Vec<String> {
        if self.lang == CodeLang::Cpp && matches!(node.kind(), "declaration" | "enum_specifier") {
            return self.cpp_names(node);
        }
        outline::names(node, self.code)
    }

    /// The variables of a declaration in C++, or the name of an enumeration.
    fn cpp_names(&self, node: Node<'_>) -> Vec<String> {
        let name = |node: Node<'_>| self.text(node).to_owned();
        if node.kind() == "enum_specifier" {
            return node.child_by_field_name("name").map(name).into_iter().collect();
        }
        let declarators = node.children_by_field_name("declarator", &mut node.walk()).collect::<Vec<_>>();
        let is_function = |declarator: &Node<'_>| parameters(*declarator).is_some();
        declarators.into_iter().filter(|one| !is_function(one)).map(|one| name(innermost(one))).collect()
    }

    /// Whether a method of Java is a test, or a class has one.
    fn has_java_test(&self, node: Node<'_>) -> bool {
        let is_test = |node: Node<'_>| {
            let modifiers = children(node).into_iter().filter(|child| child.kind() == "modifiers").flat_map(children);
            let names = modifiers.filter_map(|annotation| annotation.child_by_field_name("name"));
            names.into_iter().any(|name| JAVA_TESTS.contains(&self.text(name)))
        };
        match node.kind() {
            "method_declaration" => is_test(node),
            "class_declaration" => {
                node.child_by_field_name("body").is_some_and(|body| children(body).into_iter().any(is_test))
            }
            _ => false,
        }
    }
}

/// The macros by which test libraries of C++ declare tests.
const CPP_TESTS: [&str; 5] = ["TEST", "TEST_F", "TEST_P", "TEST_CASE", "BOOST_AUTO_TEST_CASE"];

/// The annotations of methods that test libraries of Java call.
const JAVA_TESTS: [&str; 9] = [
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "Before",
    "BeforeEach",
    "BeforeAll",
    "After",
    "AfterEach",
    "AfterAll",
];

/// Whether an import is of a test library, or of a file that is not part of an answer.
fn is_of_tests(lang: CodeLang, text: &str) -> bool {
    let path = text.trim_start_matches("import ").trim_start_matches("static ").trim_start_matches("#include").trim();
    let begins = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    match lang {
        CodeLang::Java => begins(&["org.junit.", "org.assertj.", "org.hamcrest.", "org.mockito.", "org.testng."]),
        CodeLang::Cpp => text.starts_with('#') && begins(&["\"", "<gtest/", "<gmock/", "<catch2/", "<boost/test/"]),
        _ => false,
    }
}

/// The parameters of a function.
fn parameters(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut node = node;
    loop {
        if let Some(all) = node.child_by_field_name("parameters") {
            return Some(children(all).into_iter().filter(|one| one.is_named() && !is_comment(*one)).collect());
        }
        // A declarator within one, as in `int& f(int x)`.
        let inner = || children(node).into_iter().rfind(|child| child.kind().ends_with("_declarator"));
        node = node.child_by_field_name("declarator").or_else(inner)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_the_whole_text() {
        for (lang, code) in [
            (CodeLang::Rust, "#![allow(x)]\n//! a\nuse a::b;\n\n/// c\n#[test]\nfn f() {}\nstruct S;\n// end\n"),
            (CodeLang::Cpp, "#include <a>\nstruct S { int x; };\ntemplate<class T> T f(T x) { return x; }\n"),
            (CodeLang::Java, "import a.B;\nclass C {\n  int f() { return 1; }\n  // g\n}\nint h("),
            (CodeLang::Python, "import os\n@cache\ndef f(x):\n    return x\n# end"),
            (CodeLang::Go, "package main\nimport (\n\t\"a\"\n)\nfunc F() {}\n"),
            (CodeLang::JavaScript, "const f = 1;;\nfunction g() {}\n"),
        ] {
            let whole: String = items(code, lang).iter().map(|item| item.whole_text(code)).collect();
            assert_eq!(whole, code);
        }
        assert!(items("", CodeLang::Rust).is_empty());
    }

    #[test]
    fn kinds_and_names() {
        let check = |lang, code: &str, expected: &[(ItemKind, &str)]| {
            let found: Vec<_> = items(code, lang).into_iter().map(|item| (item.kind, item.names.join(" "))).collect();
            let found: Vec<_> = found.iter().map(|(kind, names)| (*kind, names.as_str())).collect();
            assert_eq!(found, expected, "{code}");
        };
        use ItemKind::{Comment, Definition, Example, Import, OfFile, Other, Test};
        check(
            CodeLang::Rust,
            "#![allow(x)]\nuse a::b;\npub fn f() {}\n#[cfg(test)]\nmod tests {}\nmod m { fn g() {} }\nfn main() {}\n//",
            &[(OfFile, ""), (Import, ""), (Definition, "f"), (Test, ""), (Other, ""), (Example, ""), (Comment, "")],
        );
        check(
            CodeLang::Cpp,
            "#include <a>\nusing namespace std;\nstruct S {};\nint f(int a, int b) { return a; }\nint main() {}",
            &[(Import, ""), (Import, ""), (Definition, "S"), (Definition, "f"), (Example, "")],
        );
        check(
            CodeLang::Cpp,
            "#include \"a.h\"\n#include <gtest/gtest.h>\nstatic int a = 0, *b;\nenum class E { A };\nint f(int x);\nTEST(F, G) { f(1); }",
            &[(Test, ""), (Test, ""), (Definition, "a b"), (Definition, "E"), (Other, ""), (Test, "TEST")],
        );
        check(
            CodeLang::Java,
            "import static org.junit.Assert.*;\nimport java.util.*;\nclass C {}\nclass D { @Test void f() {} }",
            &[(Test, ""), (Import, ""), (Definition, "C"), (Test, "D")],
        );
        check(
            CodeLang::Go,
            "func F() {}\nfunc (t T) M() {}\nfunc TestF(t *testing.T) {}\nfunc TestCase(n int) {}",
            &[(Definition, "F"), (Other, ""), (Test, "TestF"), (Definition, "TestCase")],
        );
        check(CodeLang::JavaScript, "const a = 1, b = 2;\nconsole.log(a);", &[(Definition, "a b"), (Other, "")]);
    }

    #[test]
    fn members_and_parameters() {
        let code = "class C {\n    int f(int a, List<B> b) { return 1; }\n    int x;\n}";
        let members = items(code, CodeLang::Java).remove(0).class.unwrap().members;
        let texts: Vec<_> = members.iter().map(|member| member.text(code)).collect();
        assert_eq!(texts, ["int f(int a, List<B> b) { return 1; }", "int x;", "\n"]);
        assert_eq!(members[0].parameters, Some(vec!["int a".to_owned(), "List<B> b".to_owned()]));
        assert_eq!(members[1].parameters, None);
        let code = "std::vector<int>& f(const int& x) { return y; }";
        assert_eq!(items(code, CodeLang::Cpp)[0].parameters, Some(vec!["const int& x".to_owned()]));
    }

    #[test]
    fn what_a_program_of_a_benchmark_cannot_have_is_left_out() {
        let check = |lang, code: &str, expected: &str| {
            assert_eq!(without(code, lang, &[ItemKind::Example, ItemKind::Test]), expected);
        };
        check(
            CodeLang::Cpp,
            "int f() { return 1; }\nint main(int c, char** v) { return f(); }\n",
            "int f() { return 1; }\n",
        );
        check(CodeLang::Rust, "fn f() {}\nfn main() { f(); }", "fn f() {}");
        check(CodeLang::Rust, "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n", "fn f() {}\n");
    }
}
