//! What a piece of code defines and what it uses, from its syntax tree.
//!
//! Readers of chat responses choose the block of code that defines what a task asks for. Works on code with errors, too:
//! the parser recovers after each of them.

use std::{collections::BTreeSet, ops::Range};

use model::code_lang::CodeLang;
use tree_sitter::Node;

use crate::{
    build::children,
    parse,
    scopes::{Bound, Step, walk},
};

/// Maximum depth of classes, namespaces and the like whose members are looked at.
const DEEPEST: usize = 8;

/// What a piece of code defines and uses.
#[derive(Debug)]
pub struct Outline {
    pub definitions: Vec<Definition>,
    /// Names that occur outside of member access. Python and JavaScript: without parameters and local variables.
    pub uses: BTreeSet<String>,
    /// Whether it has statements at the top level that are no definitions. Python and JavaScript only.
    pub runs: bool,
    /// Whether it contains a syntax error.
    pub has_errors: bool,
    /// Whether it consists of imports, includes and comments.
    pub only_imports: bool,
}

/// Something with a name: a function, a type, a variable, or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// Its text, with decorators and modifiers, as byte offsets.
    pub range: Range<usize>,
    /// Whether it is a member of a class.
    pub is_member: bool,
    pub is_import: bool,
    /// Whether it has a body that does something, without syntax errors.
    pub is_complete: bool,
    /// Whether its value is computed where it stands, unlike that of a function or a class. Python and JavaScript only.
    pub runs: bool,
}

impl Definition {
    fn of(name: String, range: Range<usize>) -> Definition {
        Definition { name, range, is_member: false, is_import: false, is_complete: true, runs: false }
    }
}

impl Outline {
    /// The definitions of a name, other than imports.
    pub fn of<'o>(&'o self, name: &'o str) -> impl Iterator<Item = &'o Definition> {
        self.definitions.iter().filter(move |definition| definition.name == name && !definition.is_import)
    }
}

/// The outline of code in a language; `None` if it cannot be parsed in reasonable time and memory.
pub fn outline(code: &str, lang: CodeLang) -> Option<Outline> {
    if code.len() > LONGEST {
        return None;
    }
    let tree = parse::parse(code, lang)?;
    let mut reader = Reader { code, definitions: Vec::new() };
    reader.members(tree.root_node(), None, false, 0);
    let top: Vec<Node<'_>> = children(tree.root_node()).into_iter().filter(|node| !is_comment(*node)).collect();
    let is_script = matches!(lang, CodeLang::Python | CodeLang::JavaScript);
    Some(Outline {
        runs: is_script && top.iter().any(|node| definitions(*node, code).is_empty()),
        definitions: reader.definitions,
        uses: uses(tree.root_node(), code, lang),
        has_errors: tree.root_node().has_error(),
        only_imports: !top.is_empty() && top.iter().all(|node| is_import(*node)),
    })
}

/// Whether a text is code in a language: a program, or the rest of a function whose head it lacks. Words and sentences are
/// not, although some languages accept a single word.
pub fn is_code(text: &str, lang: CodeLang) -> bool {
    let does_something = text.contains(['=', '(', '{']) || text.contains("return") || text.contains("import ");
    if !does_something || text.len() > LONGEST {
        return false;
    }
    let head = match lang {
        CodeLang::Python => "def x():\n",
        CodeLang::Java => "class X { void x() {\n",
        CodeLang::Cpp => "void x() {\n",
        CodeLang::JavaScript => "function x() {\n",
        CodeLang::Go => "func x() {\n",
        CodeLang::Rust => "fn x() {\n",
    };
    for text in [text.to_owned(), format!("{head}{text}"), format!("{head}{text}\n}}")] {
        // With more around it, a text takes no less time and memory.
        let Some(tree) = parse::parse(&text, lang) else { return false };
        if !tree.root_node().has_error() {
            return !has_sentence_as_name(tree.root_node(), &text, lang);
        }
    }
    false
}

/// Whether a name has punctuation. The grammar of JavaScript takes a sentence in Chinese for a name, because it has no blanks.
fn has_sentence_as_name(root: Node<'_>, code: &str, lang: CodeLang) -> bool {
    let is_word =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\' | '{' | '}' | '\u{200c}' | '\u{200d}');
    let mut found = false;
    if lang == CodeLang::JavaScript && !code.is_ascii() {
        walk(root, |node, step| {
            let is_name = step == Step::Enter && node.kind().ends_with("identifier");
            found |= is_name && !code[node.byte_range()].chars().all(is_word);
        });
    }
    found
}

/// The name of the class of which a method of this name is a member, at the top level.
pub fn class_of(code: &str, lang: CodeLang, method: &str) -> Option<String> {
    let outline = outline(code, lang)?;
    let member = outline.of(method).find(|found| found.is_member)?;
    let around = |found: &&Definition| {
        !found.is_member
            && !found.is_import
            && found.range.start < member.range.start
            && member.range.end <= found.range.end
    };
    outline.definitions.iter().find(around).map(|class| class.name.clone())
}

/// Code in which every identifier `from` is `to`.
pub fn renamed(code: &str, lang: CodeLang, from: &str, to: &str) -> String {
    let Some(tree) = parse::parse(code, lang) else { return code.to_owned() };
    let (mut out, mut at) = (String::with_capacity(code.len()), 0);
    walk(tree.root_node(), |node, step| {
        let is_name = step == Step::Enter && node.child_count() == 0 && node.kind().ends_with("identifier");
        if is_name && code.get(node.byte_range()) == Some(from) {
            out.push_str(code.get(at..node.start_byte()).unwrap_or_default());
            out.push_str(to);
            at = node.end_byte();
        }
    });
    out.push_str(code.get(at..).unwrap_or_default());
    out
}

/// Longer code, in bytes, has no outline: an answer is far below, and parsing takes time.
pub const LONGEST: usize = 128 * 1024;

/// The names that a node defines, without those of members and imports.
pub fn names(node: Node<'_>, code: &str) -> Vec<String> {
    let own = definitions(node, code).into_iter().filter(|found| !found.is_member && !found.is_import);
    own.map(|found| found.name).collect()
}

/// What a node defines.
pub fn definitions(node: Node<'_>, code: &str) -> Vec<Definition> {
    let mut reader = Reader { code, definitions: Vec::new() };
    reader.item(node, node.byte_range(), false, 0);
    reader.definitions
}

struct Reader<'c> {
    code: &'c str,
    definitions: Vec<Definition>,
}

impl<'c> Reader<'c> {
    fn text(&self, node: Node<'_>) -> &'c str {
        self.code.get(node.byte_range()).unwrap_or_default()
    }

    /// Adds what the children of a node define. `outer` is the text that belongs to each of them, such as a decorator.
    fn members(&mut self, node: Node<'_>, outer: Option<Range<usize>>, is_member: bool, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for child in children(node) {
            self.item(child, outer.clone().unwrap_or_else(|| child.byte_range()), is_member, depth);
        }
    }

    fn item(&mut self, node: Node<'_>, range: Range<usize>, is_member: bool, depth: usize) {
        match node.kind() {
            // What stands around a definition.
            "decorated_definition" | "export_statement" | "template_declaration" | "declaration_list_item" => {
                self.members(node, Some(range), is_member, depth + 1);
            }
            "namespace_definition" | "mod_item" | "linkage_specification" | "ERROR" | "declaration_list" => {
                self.members(node, None, is_member, depth + 1);
            }
            kind if is_import_kind(kind) => self.imports(node),
            "function_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "method_declaration"
            | "method_definition"
            | "constructor_declaration"
            | "function_item" => {
                let declarator = node.child_by_field_name("declarator").map(innermost);
                if let Some(name) = node.child_by_field_name("name").or(declarator) {
                    let is_method = is_member || node.child_by_field_name("receiver").is_some();
                    self.add(name, range, is_method, is_complete(node, node, self.code));
                }
            }
            "class_definition"
            | "class_declaration"
            | "interface_declaration"
            | "record_declaration"
            | "enum_declaration"
            | "class_specifier"
            | "struct_specifier"
            | "struct_item"
            | "enum_item"
            | "trait_item" => {
                let body = node.child_by_field_name("body");
                if let Some(name) = node.child_by_field_name("name") {
                    self.add(name, range, is_member, !node.has_error());
                }
                if let Some(body) = body {
                    self.members(body, None, true, depth + 1);
                }
            }
            "impl_item" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.members(body, None, true, depth + 1);
                }
            }
            "type_declaration" | "const_declaration" | "var_declaration" => {
                for spec in children(node) {
                    if let Some(name) = spec.child_by_field_name("name") {
                        self.add(name, range.clone(), is_member, !node.has_error());
                    }
                }
            }
            "lexical_declaration" | "variable_declaration" => {
                for declarator in children(node) {
                    let value = declarator.child_by_field_name("value");
                    let Some((name, value)) = declarator.child_by_field_name("name").zip(value) else { continue };
                    if is_required(self.text(value)) {
                        let (name, range) = (self.text(name).to_owned(), range.clone());
                        self.definitions.push(Definition { is_import: true, ..Definition::of(name, range) });
                        continue;
                    }
                    self.add(name, range.clone(), is_member, is_complete(node, value, self.code));
                    self.run(value);
                }
            }
            // An assignment to a name: `f = lambda x: x`, `f = function () {}`, `exports.f = function () {}`.
            "expression_statement" => {
                let assigned = children(node).into_iter().find(|child| child.kind().starts_with("assignment"));
                let Some(assigned) = assigned else { return };
                let Some(left) = assigned.child_by_field_name("left") else { return };
                let Some(value) = assigned.child_by_field_name("right") else { return };
                let exported = left.child_by_field_name("property").filter(|_| {
                    let of = left.child_by_field_name("object").map(|object| self.text(object));
                    is_function(value) && of.is_some_and(|of| matches!(of, "exports" | "module.exports"))
                });
                if let Some(name) = exported.or(Some(left).filter(|left| left.kind() == "identifier")) {
                    self.add(name, range, is_member, is_complete(assigned, value, self.code));
                    self.run(value);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: Node<'_>, range: Range<usize>, is_member: bool, is_complete: bool) {
        let name = self.text(name);
        let name = name.rsplit("::").next().unwrap_or(name).to_owned();
        self.definitions.push(Definition { is_member, is_complete, ..Definition::of(name, range) });
    }

    /// Says of the last definition whether its value is computed where it stands.
    fn run(&mut self, value: Node<'_>) {
        if let Some(last) = self.definitions.last_mut() {
            last.runs = !is_function(value);
        }
    }

    /// The names that an import makes known: the last word of each path, or its alias.
    fn imports(&mut self, node: Node<'_>) {
        let mut names = BTreeSet::new();
        let mut text = self.text(node);
        // A header without its extension.
        if node.kind() == "preproc_include" {
            text =
                text.split(['<', '"']).nth(1).and_then(|path| path.split(['.', '>', '"']).next()).unwrap_or_default();
        }
        for part in text.split([',', ';', '{', '}', '\n', '(', ')']) {
            let mut words = part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*'));
            names.extend(words.rfind(|word| !word.is_empty()).map(str::to_owned));
            // `import a.b` makes `a` known.
            let first = part.trim().strip_prefix("import ").and_then(|rest| rest.split('.').next());
            names.extend(first.map(|first| first.trim().to_owned()));
        }
        for name in names {
            self.definitions.push(Definition { is_import: true, ..Definition::of(name, node.byte_range()) });
        }
    }
}

/// Whether a value is a function or a class.
fn is_function(value: Node<'_>) -> bool {
    ["lambda", "arrow_function", "function_expression", "generator_function", "class"].contains(&value.kind())
}

/// Whether a value of JavaScript is a module.
pub fn is_required(value: &str) -> bool {
    value.starts_with("require(") || value.starts_with("await import(")
}

pub fn is_import_kind(kind: &str) -> bool {
    matches!(
        kind,
        "import_statement"
            | "import_from_statement"
            | "future_import_statement"
            | "import_declaration"
            | "package_declaration"
            | "package_clause"
            | "preproc_include"
            | "using_declaration"
            | "use_declaration"
    )
}

fn is_import(node: Node<'_>) -> bool {
    is_import_kind(node.kind())
}

pub fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// The name in a declarator of C++, such as `*f(int x)`.
pub fn innermost(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator;
    for _ in 0..DEEPEST {
        let inner = node.child_by_field_name("declarator").or_else(|| {
            let wraps =
                matches!(node.kind(), "reference_declarator" | "pointer_declarator" | "parenthesized_declarator");
            children(node).into_iter().rfind(|child| wraps && child.is_named())
        });
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Whether a definition has a body that does something, and no syntax error.
fn is_complete(node: Node<'_>, function: Node<'_>, code: &str) -> bool {
    let Some(body) = function.child_by_field_name("body") else {
        // A variable with a value has none; a declaration of a function has none, either.
        return !node.has_error() && !matches!(node.kind(), "method_declaration" | "function_declaration");
    };
    let is_block = matches!(body.kind(), "block" | "compound_statement" | "statement_block" | "constructor_body");
    let is_placeholder = |part: &Node<'_>| {
        let text = code.get(part.byte_range()).unwrap_or_default();
        let words = ["NotImplemented", "UnsupportedOperation", "todo!(", "unimplemented!(", "not implemented"];
        match part.kind() {
            "pass_statement" => true,
            "expression_statement" => {
                let inner = children(*part).first().map_or("", |inner| inner.kind());
                matches!(inner, "string" | "ellipsis") || words.iter().any(|word| text.contains(word))
            }
            "raise_statement" | "throw_statement" | "macro_invocation" => words.iter().any(|word| text.contains(word)),
            _ => is_comment(*part),
        }
    };
    let does_nothing = is_block && children(body).iter().filter(|part| part.is_named()).all(is_placeholder);
    !node.has_error() && !does_nothing
}

/// The names in a tree but for those after a dot, and those that a function around them binds ([`Bound`]).
pub fn uses(root: Node<'_>, code: &str, lang: CodeLang) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut bound = Bound::before(root, code, lang);
    // Whether the node before is a dot, on each level. A node would look for it among all nodes around it.
    let mut after_dot = vec![false];
    walk(root, |node, step| {
        bound.go(node, step);
        if step == Step::Leave {
            after_dot.pop();
            return;
        }
        let is_member = after_dot.last().copied().unwrap_or_default();
        let is_name =
            matches!(node.kind(), "identifier" | "type_identifier" | "package_identifier" | "namespace_identifier");
        if let Some(name) = code.get(node.byte_range()).filter(|name| is_name && !is_member && !names.contains(*name))
            && !bound.has(name)
        {
            names.insert(name.to_owned());
        }
        if let Some(last) = after_dot.last_mut() {
            *last = node.kind() == ".";
        }
        after_dot.push(false);
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lang: CodeLang, code: &str, expected: &[(&str, bool)]) {
        let outline = outline(code, lang).unwrap();
        let found: Vec<_> = outline
            .definitions
            .iter()
            .filter(|definition| !definition.is_import)
            .map(|definition| (definition.name.as_str(), definition.is_complete))
            .collect();
        assert_eq!(found, expected, "{lang}: {code}");
    }

    #[test]
    fn definitions_of_every_language() {
        check(
            CodeLang::Python,
            "import os\n@cache\ndef f(x):\n    return x\nasync def g(): pass\nclass A:\n    def m(self):\n        return 1\nh = lambda x: x\n",
            &[("f", true), ("g", false), ("A", true), ("m", true), ("h", true)],
        );
        check(CodeLang::Python, "def f(x):\n    \"\"\"Text.\"\"\"\n    ...\n", &[("f", false)]);
        check(CodeLang::Python, "def f(x):\n    raise NotImplementedError\n", &[("f", false)]);
        check(
            CodeLang::Java,
            "import java.util.*;\nclass A { int f() { return 1; } abstract int g(); }\nint h() { return 2; }\n",
            &[("A", true), ("f", true), ("g", false), ("h", true)],
        );
        check(
            CodeLang::Cpp,
            "#include <vector>\ntemplate<class T> T f(T x) { return x; }\nint* g(int x);\nstd::vector<int>& h(int y) { static std::vector<int> v; return v; }\nstruct S { int m() { return 1; } };\nint C::k() { return 1; }\nint *p(int x) { return nullptr; }",
            &[("f", true), ("h", true), ("S", true), ("m", true), ("k", true), ("p", true)],
        );
        check(
            CodeLang::JavaScript,
            "function f(x) { return x; }\nconst g = (x) => x;\nexport const h = async (x) => { return x; };\nclass K {}\nvar e = function () { // nothing yet\n};\nk = function () { return 1; };",
            &[("f", true), ("g", true), ("h", true), ("K", true), ("e", false), ("k", true)],
        );
        check(
            CodeLang::Go,
            "package main\nimport \"sort\"\nfunc F(x int) int { return x }\ntype T struct{}\nfunc (t T) M() int { return 1 }\n",
            &[("F", true), ("T", true), ("M", true)],
        );
        check(
            CodeLang::Rust,
            "use std::io;\npub fn f(x: u8) -> u8 { x }\nstruct S;\nimpl S { fn m(&self) -> u8 { 1 } }\nfn g() { todo!() }",
            &[("f", true), ("S", true), ("m", true), ("g", false)],
        );
    }

    #[test]
    fn a_definition_that_is_cut_off_is_not_complete() {
        for (lang, code) in [
            (CodeLang::JavaScript, "function f(x) {\n  return g("),
            (CodeLang::Go, "func f(x int) int {\n\tif x > 1 {\n\t\treturn"),
            (CodeLang::Java, "int f(int x) {\n  for (int i = 0; i <"),
            (CodeLang::Python, "def f(x):\n    return g(x,"),
        ] {
            let found = outline(code, lang).unwrap();
            assert!(found.of("f").all(|definition| !definition.is_complete) && found.has_errors, "{code}");
        }
    }

    #[test]
    fn names_that_code_uses() {
        let outline = outline("def f(x):\n    return helper(x).sort() + os.path\n", CodeLang::Python).unwrap();
        for (name, expected) in [("helper", true), ("os", true), ("sort", false), ("path", false)] {
            assert_eq!(outline.uses.contains(name), expected, "{name}");
        }
    }

    /// Takes minutes if each name looks for the node before it among all others.
    #[test]
    fn names_of_long_expressions() {
        for lang in CodeLang::ALL {
            for (before, unit, after) in [("x = a", "|b", ";"), ("x = f(a", ", b", ");"), ("", "b;\n", "")] {
                let code = format!("{before}{}{after}", unit.repeat(60_000 / unit.len()));
                // Where parsing is slow, there is none.
                let Some(outline) = outline(&code, lang) else { continue };
                assert!(outline.uses.contains("b"), "{lang}: {unit}");
            }
        }
    }

    #[test]
    fn classes_get_another_name() {
        let code = "class Main {\n    Main() {}\n    static int f(Main m) { return Main.g(\"Main\"); }\n}";
        assert_eq!(class_of(code, CodeLang::Java, "f").as_deref(), Some("Main"));
        let renamed = renamed(code, CodeLang::Java, "Main", "Solution");
        assert_eq!(
            renamed,
            "class Solution {\n    Solution() {}\n    static int f(Solution m) { return Solution.g(\"Main\"); }\n}"
        );
        assert_eq!(class_of("int f() { return 1; }", CodeLang::Java, "f"), None);
    }

    #[test]
    fn imports_make_names_known() {
        let names = |lang, code: &str| {
            let found = outline(code, lang).unwrap();
            assert!(found.only_imports, "{code}");
            found.definitions.into_iter().map(|definition| definition.name).collect::<Vec<_>>()
        };
        assert!(
            names(CodeLang::Python, "import numpy as np\nfrom typing import List, Dict as D\nimport os.path\n")
                .iter()
                .any(|n| n == "np")
        );
        assert!(names(CodeLang::Python, "import os.path\n").contains(&"os".to_owned()));
        assert!(names(CodeLang::Go, "import (\n\t\"math/rand\"\n\t\"sort\"\n)\n").contains(&"rand".to_owned()));
        assert!(names(CodeLang::Java, "import java.util.*;").contains(&"*".to_owned()));
        assert!(names(CodeLang::Cpp, "#include <vector>\nusing namespace std;\n").contains(&"vector".to_owned()));
    }

    #[test]
    fn code_is_told_from_sentences() {
        let check = |lang, text: &str, expected: bool| assert_eq!(is_code(text, lang), expected, "{lang}: {text}");
        check(CodeLang::Python, "def f(x):\n    return x\n", true);
        check(CodeLang::Python, "    return x\n", true);
        check(CodeLang::Python, "Here is the function (a short one):", false);
        check(CodeLang::JavaScript, "Answer", false);
        check(CodeLang::Java, "  return a;\n    }\n}\n", true);
        check(CodeLang::Cpp, "  return a;\n}\n", true);
        check(CodeLang::Go, "\treturn a\n}\n", true);
        check(CodeLang::Rust, "    a + 1 == 2\n}\n", true);
    }
}
