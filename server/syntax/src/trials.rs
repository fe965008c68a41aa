//! What an answer in Python or JavaScript has at its top level only to try itself out: printed examples, tests, a `main`.
//!
//! The program of a benchmark must not print, and has tests of its own.

use std::collections::{BTreeSet, HashMap, HashSet};

use model::code_lang::CodeLang;
use tree_sitter::Node;

use crate::{
    build::{children, is_comment},
    outline::{LONGEST, definitions, is_import_kind, is_required, uses},
    parse,
    scopes::{Step, walk},
};

/// The functions by which test libraries declare tests and check values.
const TESTS: [&str; 12] = [
    "describe",
    "test",
    "it",
    "suite",
    "expect",
    "assert",
    "before",
    "after",
    "beforeAll",
    "afterAll",
    "beforeEach",
    "afterEach",
];

/// Maximum number of statements that lack a semicolon: each is found by parsing the code again.
const MOST_SPLITS: usize = 4;

/// A part of the code at its top level.
struct Part<'t> {
    node: Node<'t>,
    /// The names that it defines, imports included.
    names: Vec<String>,
    uses: BTreeSet<String>,
    is_import: bool,
    /// Whether it runs where it stands, unlike the definition of a function.
    runs: bool,
    /// Whether what it defines has a body that does something.
    is_complete: bool,
    prints: bool,
}

/// Code without what only tries it out, and without imports that only this needs. `function` is the name of the function that
/// the task asks for. Code with a syntax error and code in other languages stays as it is.
pub fn without_trials(code: &str, lang: CodeLang, function: Option<&str>) -> String {
    without(code, lang, function, MOST_SPLITS)
}

/// The same, with so many statements split at most.
fn without(code: &str, lang: CodeLang, function: Option<&str>, splits: usize) -> String {
    let is_script = matches!(lang, CodeLang::Python | CodeLang::JavaScript) && code.len() <= LONGEST;
    let tree = Some(code).filter(|_| is_script).and_then(|code| parse::parse(code, lang));
    let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else { return code.to_owned() };
    if let Some(at) = unfinished(tree.root_node()).filter(|_| splits > 0) {
        let (before, after) = code.split_at(at);
        return without(&format!("{before};{after}"), lang, function, splits - 1);
    }
    let nodes = children(tree.root_node()).into_iter().filter(|node| !is_comment(*node));
    let parts: Vec<Part<'_>> = nodes.map(|node| Part::of(node, code, lang)).collect();
    let dropped = match lang {
        CodeLang::Python => function.map(|function| behind(&parts, function)).unwrap_or_default(),
        _ => trials(&parts, code, function),
    };
    let (mut out, mut from) = (String::with_capacity(code.len()), 0);
    for part in &parts {
        // What stands before a part, such as a comment, belongs to it.
        let end = part.node.end_byte().max(from);
        if !dropped.contains(&part.node.start_byte()) {
            out.push_str(code.get(from..end).unwrap_or_default());
        }
        from = end;
    }
    out.push_str(code.get(from..).unwrap_or_default());
    out
}

/// JavaScript: where the first statement at the top level ends that lacks a semicolon which the language supplies and the parser
/// does not: behind a function with an arrow, before a parenthesis.
fn unfinished(root: Node<'_>) -> Option<usize> {
    let end = |declarator: Node<'_>| {
        let mut node = declarator.child_by_field_name("value")?;
        let value = node;
        loop {
            node = match node.kind() {
                "call_expression" => node.child_by_field_name("function")?,
                "member_expression" => node.child_by_field_name("object")?,
                "arrow_function" => return (node != value).then_some(node.end_byte()),
                _ => return None,
            };
        }
    };
    let declarations = children(root).into_iter().filter(|node| node.kind().ends_with("_declaration"));
    declarations.flat_map(children).filter(|node| node.kind() == "variable_declarator").find_map(end)
}

/// Python: where the parts behind the function begin that neither it nor what stands before it needs, and earlier versions of it.
/// Statements behind it that are no definitions, and those that use it, are examples.
fn behind(parts: &[Part<'_>], function: &str) -> HashSet<usize> {
    let is_target = |part: &Part<'_>| !part.is_import && part.names.iter().any(|name| name == function);
    // Of several versions, Python uses the last one.
    let is_version = |part: &Part<'_>| is_target(part) && part.is_complete && !part.runs;
    let Some(at) = parts.iter().rposition(is_version).or_else(|| parts.iter().position(is_target)) else {
        return HashSet::new();
    };
    let (before, behind) = parts.split_at(at + 1);
    let mut places: HashMap<&str, Vec<&Part<'_>>> = HashMap::new();
    let is_example = |part: &&Part<'_>| part.runs && part.uses.contains(function);
    for part in behind.iter().filter(|part| !is_target(part) && !is_example(part)) {
        part.names.iter().for_each(|name| places.entry(name).or_default().push(part));
    }
    let mut left: Vec<&str> = before.iter().flat_map(Part::used).chain(["*"]).collect();
    let (mut known, mut needed) = (HashSet::new(), HashSet::new());
    while let Some(name) = left.pop() {
        for part in places.get(name).into_iter().flatten().filter(|_| known.insert(name)) {
            if needed.insert(part.node.start_byte()) {
                left.extend(part.used());
            }
        }
    }
    let is_dropped = |part: &&Part<'_>| !needed.contains(&part.node.start_byte());
    let dropped: Vec<&Part<'_>> = behind.iter().filter(is_dropped).collect();
    let used = |parts: &mut dyn Iterator<Item = &Part<'_>>| -> HashSet<String> {
        parts.filter(|part| !part.is_import).flat_map(Part::used).map(str::to_owned).collect()
    };
    let of_dropped = used(&mut dropped.iter().copied());
    let of_rest = used(&mut before.iter().chain(behind.iter().filter(|part| !is_dropped(part))));
    // An import of a test library, for example.
    let is_spare = |part: &&Part<'_>| {
        let is_only = |name: &String| of_dropped.contains(name) && !of_rest.contains(name);
        part.is_import && !part.names.is_empty() && part.names.iter().all(is_only)
    };
    let earlier = parts.iter().take(at).filter(|part| (is_target(part) && !part.runs) || is_example(part));
    let dropped = dropped.into_iter().chain(before.iter().filter(is_spare)).chain(earlier);
    dropped.map(|part| part.node.start_byte()).collect()
}

/// JavaScript: where the parts begin that only try the code out.
fn trials(parts: &[Part<'_>], code: &str, function: Option<&str>) -> HashSet<usize> {
    let mut printing = printing(parts);
    printing.extend(function);
    let (trials, rest): (Vec<&Part<'_>>, Vec<&Part<'_>>) =
        parts.iter().partition(|part| part.is_trial(code, &printing));
    let used: HashSet<&str> = rest.iter().filter(|part| !part.is_import).flat_map(|part| part.used()).collect();
    let is_needed = |part: &&Part<'_>| {
        part.names.iter().any(|name| used.contains(name.as_str()) || function == Some(name.as_str()))
    };
    // The value of a variable may come from an example and be needed all the same.
    let trials = trials.into_iter().filter(|part| !is_needed(part));
    let spare = rest.iter().copied().filter(|part| part.is_import && !part.names.is_empty() && !is_needed(part));
    trials.chain(spare).map(|part| part.node.start_byte()).collect()
}

impl Part<'_> {
    fn of<'t>(node: Node<'t>, code: &str, lang: CodeLang) -> Part<'t> {
        let found = definitions(node, code);
        let declares = matches!(node.kind(), "lexical_declaration" | "variable_declaration");
        let mut declarators =
            children(node).into_iter().filter(|child| child.kind() == "variable_declarator").peekable();
        let is_module = |declarator: Node<'_>| {
            let value = declarator.child_by_field_name("value");
            value.is_some_and(|value| is_required(code.get(value.byte_range()).unwrap_or_default()))
        };
        let is_required = declares && declarators.peek().is_some() && declarators.all(is_module);
        let names = match lang {
            CodeLang::JavaScript if is_required || is_import_kind(node.kind()) => imported(node, code),
            _ => found.iter().filter(|one| !one.is_member).map(|one| one.name.clone()).collect(),
        };
        let runs = found.is_empty() || found.iter().any(|one| one.runs);
        let is_import = is_required || is_import_kind(node.kind());
        let is_complete = found.iter().all(|one| one.is_member || one.is_complete);
        let (uses, prints) = (uses(node, code, lang), prints(node, code));
        Part { node, names, uses, is_import, runs, is_complete, prints }
    }

    /// The names that it uses of other parts.
    fn used(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().map(String::as_str).filter(|name| !self.names.iter().any(|own| own == name))
    }

    /// Whether it only tries out what these names stand for: functions that print, and the function that is asked for.
    fn is_trial(&self, code: &str, names: &HashSet<&str>) -> bool {
        if self.is_import || !self.runs {
            return false;
        }
        if !self.names.is_empty() {
            return self.prints || self.used().any(|name| names.contains(name));
        }
        let inner = children(self.node).into_iter().find(Node::is_named);
        let expression = inner.filter(|_| self.node.kind() == "expression_statement");
        match expression.map_or(self.node.kind(), |expression| expression.kind()) {
            // `let f;`, `f.cache = {};`
            kind if kind.ends_with("_declaration") || kind.contains("assignment") => false,
            // `"use strict"` would hold for the tests, too.
            "string" => true,
            _ => {
                let called = expression.and_then(|expression| root(expression, code));
                let is_test = called.is_some_and(|called| TESTS.contains(&called));
                is_test || self.prints || self.used().any(|name| names.contains(name))
            }
        }
    }
}

/// The names of functions that print, or call one that does.
fn printing<'p>(parts: &'p [Part<'_>]) -> HashSet<&'p str> {
    let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut left: Vec<&str> = Vec::new();
    for part in parts.iter().filter(|part| !part.runs) {
        for name in &part.names {
            part.used().for_each(|used| callers.entry(used).or_default().push(name));
            left.extend(Some(name.as_str()).filter(|_| part.prints));
        }
    }
    let mut found = HashSet::new();
    while let Some(name) = left.pop() {
        if found.insert(name) {
            left.extend(callers.get(name).into_iter().flatten());
        }
    }
    found
}

/// Whether a call in a node prints.
fn prints(node: Node<'_>, code: &str) -> bool {
    let mut found = false;
    walk(node, |node, step| {
        let callee =
            node.child_by_field_name("function").filter(|_| step == Step::Enter && node.kind() == "call_expression");
        let callee = callee.and_then(|callee| code.get(callee.byte_range())).unwrap_or_default();
        found |= callee.starts_with("console.") || callee.starts_with("process.stdout.");
    });
    found
}

/// The name with which a chain of calls and members begins, such as `expect` in `expect(a).toBe(b)`.
fn root<'c>(node: Node<'_>, code: &'c str) -> Option<&'c str> {
    let mut node = node;
    loop {
        node = match node.kind() {
            "call_expression" => node.child_by_field_name("function")?,
            "member_expression" => node.child_by_field_name("object")?,
            "identifier" => return code.get(node.byte_range()),
            _ => return None,
        };
    }
}

/// The names that an import makes known.
fn imported(node: Node<'_>, code: &str) -> Vec<String> {
    let mut names = Vec::new();
    walk(node, |node, step| {
        let is_name = matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern");
        if step == Step::Enter && is_name {
            names.extend(code.get(node.byte_range()).filter(|name| *name != "require").map(str::to_owned));
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTION: &str = "const DIGITS = \"01\";\nconst f = (x) => {\n  return x + DIGITS;\n}\n";

    #[test]
    fn what_only_tries_the_code_out_is_left_out() {
        for trial in [
            "// Example\nconsole.log(f(1));\n",
            "process.stdout.write(String(f(1)));\n",
            "const cases = [1];\ncases.forEach((one) => console.log(f(one)));\n",
            "for (const one of [1, 2]) {\n  console.log(f(one));\n}\n",
            "function runTests() {\n  console.log(f(1));\n}\nrunTests();\n",
            "const show = (x) => console.log(x);\nconst main = () => {\n  show(f(1));\n};\nmain();\n",
            "(() => {\n  console.log(f(1));\n})();\n",
            "(async () => {\n  console.log(await f(1));\n})();\n",
            "'use strict';\n",
            "if (typeof f === 'function') {\n  console.log(f(1));\n}\n",
            "if (require.main === module) {\n  f(1);\n}\n",
            "try {\n  console.log(f(1));\n} catch (error) {\n  console.error(error);\n}\n",
            "{\n  console.log(f(1));\n}\n",
            "const result = f(1);\nconsole.log(result);\n",
            "const assert = require('assert');\nassert.strictEqual(f(1), 2);\n",
            "const { test, expect } = require('vitest');\ntest('f', () => {\n  expect(f(1)).toBe(2);\n});\n",
            "import { it } from 'vitest';\nit('is', () => {});\n",
            "describe('f', () => {\n  it('is', () => {});\n});\n",
            "if (f(1) !== 2) {\n  throw new Error('wrong');\n}\n",
        ] {
            let left = without_trials(&format!("{FUNCTION}{trial}"), CodeLang::JavaScript, Some("f"));
            let rest = left.strip_prefix(FUNCTION.trim_end()).unwrap_or_else(|| panic!("{left}"));
            let rest = rest.trim_start_matches(';');
            // What is not called does no harm.
            let runs = rest.lines().any(|line| {
                let calls =
                    ["console", "process", "main()", "runTests()", "cases.", "for", "if", "try", "assert", "import"];
                calls.iter().any(|call| line.starts_with(call)) || line.contains("require(")
            });
            assert!(!runs, "{trial}: {left}");
        }
    }

    #[test]
    fn what_the_code_needs_stays() {
        for code in [
            "const fs = require('fs');\nconst f = (x) => fs.a(x);\n",
            "const memo = new Map();\nmemo.set(0, 1);\nconst f = (x) => memo.get(x);\n",
            "const f = (x) => f.cache[x];\nf.cache = {};\nf.cache[0] = 1;\n",
            "Array.prototype.own = function () { return 1; };\nconst f = (x) => x.own();\n",
            "let f = (x) => x;\nf = memoize(f);\n",
            "let f;\nf = (x) => x;\n",
            "const f = memoize((x) => {\n  console.log(x);\n});\n",
            "const f = (x) => {\n  console.log(x);\n  return x;\n};\n",
            "const log = console.log;\nconst f = (x) => x;\n",
            "const primes = [];\nfor (let i = 0; i < 9; i++) {\n  primes.push(i);\n}\nconst f = (x) => primes[x];\n",
            "const f = (x) => g(x,",
            "",
        ] {
            assert_eq!(without_trials(code, CodeLang::JavaScript, Some("f")), code);
        }
        let needed = "const f = (x) => table[x];\nconst table = fill();\nfunction fill() {\n  console.log(1);\n  return [];\n}\n";
        assert_eq!(without_trials(needed, CodeLang::JavaScript, Some("f")), needed);
    }

    #[test]
    fn what_stands_behind_a_function_in_python_stays_if_it_is_needed() {
        let function = "import os\n\ndef f(x):\n    return g(x) + K\n";
        let check = |behind: &str, expected: &str| {
            let left = without_trials(&format!("{function}{behind}"), CodeLang::Python, Some("f"));
            assert_eq!(left, format!("{}{expected}", function.trim_end()), "{behind}");
        };
        check(
            "\nK = 1\n\ndef unused():\n    pass\n\ndef g(x):\n    return h(x)\nh = lambda x: x\n",
            "\n\nK = 1\n\ndef g(x):\n    return h(x)\nh = lambda x: x\n",
        );
        let own = "import pytest\nimport os\ndef f(x):\n    return x\n";
        let left =
            without_trials(&format!("{own}@pytest.mark.a\ndef test_f():\n    os.a()\n"), CodeLang::Python, Some("f"));
        assert_eq!(left, "\ndef f(x):\n    return x\n");
        check("import pytest\n@pytest.mark.a\ndef test_f():\n    assert f(1) == 2\n", "\n");
        check("from b import *\nimport unittest\nclass T(unittest.TestCase):\n    pass\n", "\nfrom b import *\n");
        check("K = f(1)\nf = g\nif True:\n    f(1)\nprint(f(2))\n# End\n", "\n");
        let first = "def f(x):\n    return x\n\nf(1)\n";
        let second = "\ndef f(x):\n    return 2 * x";
        let left = without_trials(&format!("{first}{second}\nf(2)\n"), CodeLang::Python, Some("f"));
        assert_eq!(left, format!("\n{second}\n"));
        let left = without_trials(&format!("{first}def f(x):\n    pass\n"), CodeLang::Python, Some("f"));
        assert_eq!(left, "def f(x):\n    return x\n");
        for code in ["def g(x):\n    return x\nprint(1)\n", "def f(x:\n    return x\nprint(1)\n"] {
            assert_eq!(without_trials(code, CodeLang::Python, Some("f")), code);
        }
    }
}
