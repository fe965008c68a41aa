//! The usual dresses of an answer: what models write around a right function, such as imports, helpers, a class or tests of
//! their own. A development dependency of the crates whose tests read or run such answers: each must get the verdict of the
//! function alone.
//!
//! This crate may know the model's types only.

use model::code_lang::CodeLang;

/// Fewest dresses of a language.
pub const FEWEST: usize = 6;

/// A task as far as an answer to it repeats it.
pub struct Asked<'t> {
    pub prompt: &'t str,
    pub declaration: &'t str,
    pub canonical_solution: &'t str,
}

/// The canonical solution in each usual dress of its language, with the name of the dress.
pub fn dresses(lang: CodeLang, asked: &Asked<'_>) -> Vec<(&'static str, String)> {
    let whole = function(lang, asked);
    let opening = asked.declaration.get(..start(lang, asked.declaration)).unwrap_or_default();
    let mut all = vec![("function", whole.clone())];
    match lang {
        CodeLang::Python => python(opening, &whole, &mut all),
        CodeLang::Cpp => cpp(opening, &whole, &mut all),
        CodeLang::Java => java(&whole, &mut all),
        CodeLang::JavaScript => javascript(opening, &whole, &mut all),
        CodeLang::Go => go(asked, &whole, &mut all),
        CodeLang::Rust => rust(&whole, &mut all),
    }
    all
}

/// The function with the canonical body; Java: without the brace that ends the class.
fn function(lang: CodeLang, asked: &Asked<'_>) -> String {
    let text = if lang == CodeLang::Rust { asked.declaration } else { asked.prompt };
    let head = text.get(start(lang, text)..).unwrap_or_default();
    let whole = format!("{}\n{}\n", head.trim_end(), asked.canonical_solution.trim_end());
    match lang {
        CodeLang::Java => whole.trim_end().trim_end_matches('}').trim_end().to_owned() + "\n",
        _ => whole,
    }
}

/// Where the line of the last function begins.
fn start(lang: CodeLang, text: &str) -> usize {
    let begins: &[&str] = match lang {
        CodeLang::Python => &["def "],
        CodeLang::Java => &["    public "],
        CodeLang::JavaScript => &["const "],
        CodeLang::Go => &["func "],
        CodeLang::Rust => &["fn ", "pub fn "],
        CodeLang::Cpp => &[],
    };
    let is_head = |line: &str| match lang {
        CodeLang::Cpp => line.contains('(') && line.trim_end().ends_with('{') && !line.starts_with([' ', '\t', '/']),
        _ => begins.iter().any(|word| line.starts_with(word)) && line.contains(['(', '=']),
    };
    let mut at = text.len();
    for line in text.split_inclusive('\n').rev() {
        at -= line.len();
        if is_head(line) {
            return at;
        }
    }
    0
}

type Dresses = Vec<(&'static str, String)>;

fn python(opening: &str, whole: &str, all: &mut Dresses) {
    let helper = "def unused_helper(x):\n    return x\n";
    let example = "\n\nif __name__ == \"__main__\":\n    print(\"example\")\n";
    let imports = "import math\nfrom functools import lru_cache\nfrom typing import Dict, List, Optional\n";
    all.push(("opening, helper", format!("{opening}\n{helper}\n{whole}")));
    all.push(("imports, helper", format!("{imports}\n\n{helper}\n\n{whole}")));
    all.push(("helper after it, example", format!("{whole}\n\n{helper}{example}")));
    all.push((
        "future, imports, example",
        format!("from __future__ import annotations\n{imports}\n\n{whole}{example}"),
    ));
    let (head, body) = whole.split_once(":\n").unwrap_or((whole, ""));
    all.push(("text that is not indented", format!("{head}:\n    \"\"\"\nText.\n    \"\"\"\n# A comment.\n{body}")));
    all.push(("decorator", format!("def same(f):\n    return f\n\n\n@same\n{whole}")));
    let test = "import pytest\n\n\n@pytest.mark.parametrize(\"x\", [1])\ndef test_own(x):\n    assert False\n";
    all.push(("pytest", format!("{whole}\n\n{test}")));
    all.push((
        "constant and helper after it",
        format!("{head}:\n    own = unused_helper(OWN_CONSTANT)\n{body}\n\nOWN_CONSTANT = 1\n\n\n{helper}"),
    ));
    let name = whole.trim_start_matches("def ").split('(').next().unwrap_or_default();
    let other = whole.replacen(&format!("def {name}("), "def own_name(", 1);
    all.push(("another name", format!("{imports}\n\n{other}\n\n{name} = own_name{example}")));
    all.push(("lambda", format!("{other}\n\n{name} = lambda *values: own_name(*values)\n")));
}

fn cpp(opening: &str, whole: &str, all: &mut Dresses) {
    let helper = "int unused_helper(int x) { return x; }\n";
    let main = "\nint main() {\n    return 0;\n}\n";
    let includes = "#include <algorithm>\n#include <cmath>\n#include <map>\n#include <string>\n#include <vector>\n";
    let mut qualified = whole.to_owned();
    for name in ["vector<", "map<", "pair<", "set<", "string ", "string>", "string("] {
        let parts: Vec<&str> = qualified.split(name).collect();
        let mut text = parts[0].to_owned();
        for part in &parts[1..] {
            let is_word = text.ends_with(|c: char| c.is_alphanumeric() || "_:.\"".contains(c));
            text.push_str(if is_word { "" } else { "std::" });
            text.push_str(name);
            text.push_str(part);
        }
        qualified = text;
    }
    all.push(("opening, helper", format!("{opening}\n{helper}\n{whole}")));
    all.push(("includes, std::", format!("{includes}\n{qualified}")));
    all.push(("includes, type, std::", format!("{includes}\nstruct count {{ int x; }};\n\n{qualified}{main}")));
    all.push(("everything", format!("#include <bits/stdc++.h>\nusing namespace std;\n\n{helper}\n{whole}{main}")));
    all.push(("helper", format!("{helper}\n{whole}")));
    let types = "struct Own {\n    int value;\n};\nenum class Kind { none };\n";
    let everything = "#include <bits/stdc++.h>\nusing namespace std;\n";
    all.push(("everything, types", format!("{everything}\n{types}\n{whole}{main}")));
    let names = "static int distance = 0;\nenum class hash { none };\n";
    all.push(("includes, names of the library, std::", format!("{includes}\n{names}\n{qualified}")));
    let test = "\nTEST(Own, Fails) {\n    EXPECT_TRUE(false);\n}\n";
    all.push((
        "own tests",
        format!("#include \"solution.h\"\n#include <gtest/gtest.h>\n{everything}\n{whole}{test}{main}"),
    ));
    all.push((
        "helper after its declaration",
        format!("int later(int x);\n\n{whole}\nint later(int x) {{ return x; }}\n"),
    ));
}

fn java(whole: &str, all: &mut Dresses) {
    const CLASSES: [&str; 12] = [
        "ArrayList",
        "Arrays",
        "Collections",
        "Deque",
        "HashMap",
        "HashSet",
        "LinkedList",
        "List",
        "Map",
        "Objects",
        "Optional",
        "Set",
    ];
    let named = CLASSES.iter().filter(|name| whole.contains(*name));
    let imports: String = named.map(|name| format!("import java.util.{name};\n")).collect();
    let helper = "    private static int unusedHelper(int x) {\n        return x;\n    }\n";
    let main = "\n    public static void main(String[] args) {\n        System.out.println(\"example\");\n    }\n";
    let star = "import java.util.*;\n";
    all.push(("method, helper", format!("{helper}\n{whole}")));
    all.push(("imports, method, helper after it", format!("{imports}\n{whole}\n{helper}")));
    all.push(("imports, class", format!("{imports}\npublic class Solution {{\n{whole}}}\n")));
    all.push(("all imports, class, helper", format!("{star}\nclass Solution {{\n{helper}\n{whole}}}\n")));
    all.push(("imports, other class, main", format!("{imports}\npublic class Answer {{\n{whole}{main}}}\n")));
    let own = "class Pair {\n    int a;\n}\n";
    let tests = format!("\nclass Main {{{main}}}\n");
    all.push((
        "package, types, class Main",
        format!("package a.b;\n\n{imports}{own}\nclass Solution {{\n{whole}}}\n{tests}"),
    ));
    let constructor = "    private Solution() {\n        throw new UnsupportedOperationException();\n    }\n\n";
    all.push((
        "utility class, public types",
        format!("{star}\npublic final class Solution {{\n{constructor}{whole}}}\n\npublic interface Own {{}}\n"),
    ));
    let indented = format!("@SuppressWarnings(\"all\") public class Solution {{\n{whole}}}\n");
    let indented: String = indented.split_inclusive('\n').map(|line| format!("    {line}")).collect();
    all.push(("indented, annotated", format!("{star}{indented}")));
    let test = "    @Test\n    void own() {\n        throw new IllegalStateException();\n    }\n";
    let junit = "import org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n";
    all.push((
        "own tests",
        format!("{junit}{star}\nclass Solution {{\n{whole}\n{test}}}\n\nclass SolutionTest {{\n{test}}}\n"),
    ));
}

fn javascript(opening: &str, whole: &str, all: &mut Dresses) {
    let helper = "function unusedHelper(x) { return x; }\n";
    let example = "\nconsole.log(\"example\");\n";
    let name = whole.trim_start_matches("const ").split(' ').next().unwrap_or_default();
    all.push(("opening, helper", format!("{opening}\n{helper}\n{whole}")));
    all.push(("helper, example", format!("\"use strict\";\n{helper}\n{whole}{example}")));
    all.push(("exported", format!("export {whole}\nexport default {name};\n")));
    all.push(("module", format!("{whole}\nmodule.exports = {{ {name} }};\n")));
    let value = whole.trim_start_matches("const ");
    all.push(("exported value", format!("{helper}\nexports.{value}")));
    all.push(("declared before", format!("let {name};\n{value}{example}")));
    let loaded = "const same = (f) => f;\nclass Own {}\n";
    all.push(("code that runs", format!("{loaded}\n{whole}\nconst own = new Own();\nconst again = same({name});\n")));
    let cases = "\nconst cases = [1, 2];\ncases.forEach((one) => {\n  console.log(one);\n});\n";
    let run = format!("function runTests() {{\n  console.log({name});\n}}\nrunTests();\n");
    let library = "describe('own', () => {\n  it('fails', () => {\n    throw new Error();\n  });\n});\n";
    all.push(("own tests", format!("const assert = require('assert');\n{whole}{cases}{run}{library}assert(false);\n")));
    let imports = "import assert from 'assert';\nimport { inspect as show } from 'node:util';\n";
    all.push(("imports", format!("{imports}\nexport {whole}\nconst own = () => assert(show(1));\n{example}")));
    let head = whole.split_once(" => {").filter(|(head, _)| !head.contains('\n'));
    if let Some((head, body)) = head {
        let parameters = head.split_once('=').map_or("", |(_, rest)| rest.trim());
        let parameters = parameters.trim_start_matches('(').trim_end_matches(')');
        all.push(("function declaration", format!("{helper}\nfunction {name}({parameters}) {{{body}")));
    }
}

fn go(asked: &Asked<'_>, whole: &str, all: &mut Dresses) {
    const PACKAGES: [&str; 9] =
        ["bytes", "crypto/md5", "fmt", "math", "regexp", "sort", "strconv", "strings", "math/rand"];
    let uses = |package: &&&str| {
        let name = package.rsplit('/').next().unwrap_or(package);
        asked.canonical_solution.contains(&format!("{name}."))
    };
    let used: Vec<&&str> = PACKAGES.iter().filter(uses).collect();
    let lines: String = used.iter().map(|package| format!("import \"{package}\"\n")).collect();
    let block: String = used.iter().map(|package| format!("\t\"{package}\"\n")).collect();
    let block = if block.is_empty() { String::new() } else { format!("import (\n{block})\n") };
    let helper = "func unusedHelper(x int) int {\n\tif x > 0 {\n\t\treturn x\n\t}\n\treturn 0\n}\n";
    let test = "\nfunc TestOwn(t *testing.T) {\n\tt.Fatal(\"own\")\n}\n";
    all.push(("helper", format!("{helper}\n{whole}")));
    all.push(("package, imports", format!("package main\n\n{lines}\n{whole}")));
    all.push(("package, imports, helper", format!("package main\n\n{block}\n{helper}\n{whole}")));
    all.push(("main", format!("package main\n\n{block}\n{whole}\nfunc main() {{\n\tprintln(\"example\")\n}}\n")));
    let assert = "func assert(ok bool) {\n\tif !ok {\n\t\tpanic(\"own\")\n\t}\n}\n";
    all.push((
        "own assert",
        format!("package main\n\n{block}\n{assert}\n{whole}\nfunc main() {{\n\tassert(true)\n}}\n"),
    ));
    all.push(("own test", format!("package main\n\nimport \"testing\"\n{lines}\n{whole}{test}")));
}

fn rust(whole: &str, all: &mut Dresses) {
    let helper = "fn unused_helper(x: i32) -> i32 {\n    x\n}\n";
    let main = "\nfn main() {\n    println!(\"example\");\n}\n";
    let tests =
        "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn own() {\n        panic!();\n    }\n}\n";
    let public = format!("pub {}", whole.trim_start_matches("pub "));
    all.push(("public", public.clone()));
    all.push(("main", format!("{whole}{main}")));
    all.push(("own tests", format!("{public}{tests}")));
    all.push(("use", format!("use std::collections::HashMap;\nuse std::cmp;\n\n{whole}")));
    all.push((
        "use group, helper",
        format!("use std::collections::{{BTreeMap, HashMap, HashSet}};\n\n{helper}\n{public}"),
    ));
    all.push(("attributes", format!("#![allow(unused)]\n//! Answer.\n\n/// Text.\n#[allow(dead_code)]\n{whole}")));
    let clash = "fn replace(x: i32) -> i32 {\n    x\n}\nmacro_rules! own {\n    () => {};\n}\n";
    all.push(("names of the opening", format!("{clash}\n{public}{main}{tests}")));
    let user = "fn user(x: i32) -> i32 {\n    replace(x)\n}\nstruct Index;\nimpl Index {\n    fn at(&self) -> i32 {\n        user(1)\n    }\n}\n";
    let clash = "fn replace(x: i32) -> i32 {\n    x\n}\n";
    all.push(("names of the opening, used", format!("use std::fmt;\n{user}\n{public}\n{clash}")));
    if let Some((head, body)) = whole.split_once("{\n").filter(|(head, _)| !head.contains(['<', '\n'])) {
        let (name, rest) = head.split_once('(').unwrap_or((head, ")"));
        let (parameters, result) = rest.rsplit_once(')').unwrap_or((rest, ""));
        let head = format!("{name}(\n    {parameters},\n){result}");
        all.push(("formatted", format!("{helper}\npub {} {{\n{body}", head.trim_start_matches("pub "))));
    }
}

/// Blocks that models write before or behind the block with the code: examples of its use, and tests in a file of their own.
/// None of them belongs to the code.
pub fn examples(lang: CodeLang, asked: &Asked<'_>) -> Vec<String> {
    let declaration = asked.declaration;
    let head = declaration.get(start(lang, declaration)..).unwrap_or_default();
    let (before, rest) = head.split_once('(').unwrap_or((head, ""));
    let name = match lang {
        CodeLang::JavaScript => before.trim_start_matches("const ").split(' ').next().unwrap_or_default(),
        _ => before.rsplit(' ').next().unwrap_or_default(),
    };
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let parameters = rest.split(')').next().unwrap_or_default().split(',');
    let parameters: Vec<&str> =
        parameters.filter_map(|one| one.split([':', '=']).next()).map(str::trim).filter(is_name).collect();
    let call = format!("{name}({})", parameters.join(", "));
    let values = |before: &str, end: &str| -> String {
        parameters.iter().map(|parameter| format!("{before}{parameter} = [1, 2]{end}\n")).collect()
    };
    match lang {
        CodeLang::Python => vec![
            format!("{}result = {call}\nprint(result)\n", values("", "")),
            format!("from solution import {name}\n\n{}assert {call}\n", values("", "")),
            "result = sorted([1, 2])\nx = i = n = result\n".to_owned(),
        ],
        CodeLang::JavaScript => vec![
            format!("{}console.log({call});\n", values("const ", ";")),
            format!("const {name} = require('./{name}');\n\ntest('own', () => {{\n  expect({call}).toBe(1);\n}});\n"),
        ],
        CodeLang::Cpp => vec![format!(
            "#include \"solution.h\"\n#include <iostream>\n\nint main() {{\n    std::cout << {name}(1);\n}}\n"
        )],
        CodeLang::Java => vec![format!(
            "public class Main {{\n    public static void main(String[] args) {{\n        System.out.println(new Solution().{name}(1));\n    }}\n}}\n"
        )],
        CodeLang::Go => vec![format!("func main() {{\n\tfmt.Println({name}(1))\n}}\n")],
        CodeLang::Rust => vec![format!("fn main() {{\n    println!(\"{{:?}}\", {name}(1));\n}}\n")],
    }
}
