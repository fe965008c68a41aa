//! What may stand beside a function in an output of our own dataset format, so that a right answer compiles with the tests.
//!
//! Models answer with programs: with imports that the tests have as well, with a `main` that shows an example, with
//! `export` before a function. Nothing here changes what a function does.

use std::collections::BTreeSet;

/// An import of Go: the line as it is written, such as `str "strings"`.
type GoImport = String;

/// A Go file without its package clause and imports, and the imports.
pub fn go_parts(code: &str) -> (Vec<GoImport>, String) {
    let (mut imports, mut rest) = (Vec::new(), String::new());
    let (mut in_block, mut is_head) = (false, true);
    let comments = blanked(code, Comments::Only);
    for (line, bare) in code.split('\n').zip(comments.split('\n')) {
        let text = bare.trim();
        // The line stays, so that errors name the line of the output.
        rest.push_str(match (in_block, is_head) {
            (true, _) => {
                in_block = !text.ends_with(')');
                imports.extend(text.trim_end_matches(')').split(';').map(|spec| spec.trim().to_owned()));
                ""
            }
            (false, true) if text.starts_with("package ") => "",
            (false, true) if text.starts_with("import") && text[6..].trim_start().starts_with('(') => {
                let inner = text[6..].trim_start().trim_start_matches('(');
                in_block = !inner.trim_end().ends_with(')');
                imports.extend(inner.trim_end_matches(')').split(';').map(|spec| spec.trim().to_owned()));
                ""
            }
            (false, true) if text.starts_with("import ") || text.starts_with("import\"") => {
                imports.push(text[6..].trim().trim_end_matches(';').to_owned());
                ""
            }
            _ => {
                is_head &= text.is_empty();
                line
            }
        });
        rest.push('\n');
    }
    rest.pop();
    imports.retain(|import| import.contains('"'));
    (imports, rest)
}

/// The path of an import of Go.
fn go_path(import: &str) -> &str {
    import.split('"').nth(1).unwrap_or_default()
}

/// The imports of a Go output that the tests do not have already, each once.
pub fn go_missing(imports: &[GoImport], test_setup: &str) -> Vec<GoImport> {
    let (of_tests, _) = go_parts(test_setup);
    let mut seen: BTreeSet<&str> = of_tests.iter().map(String::as_str).collect();
    imports.iter().filter(|import| seen.insert(import)).cloned().collect()
}

/// Whether Go code uses an import under the name of its package.
pub fn go_uses(import: &str, code: &str) -> bool {
    !go_unimported(&[go_path(import)], &[], "", code).is_empty()
}

/// Of these packages, those that a Go output uses without importing them.
pub fn go_unimported<'p>(packages: &[&'p str], imports: &[GoImport], test_setup: &str, code: &str) -> Vec<&'p str> {
    let (of_tests, _) = go_parts(test_setup);
    let known: BTreeSet<&str> = imports.iter().chain(&of_tests).map(|import| go_path(import)).collect();
    let text = blanked(code, Comments::AndStrings);
    let uses = |package: &str| {
        let name = package.rsplit('/').next().unwrap_or(package);
        text.match_indices(&format!("{name}."))
            .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.'))
    };
    packages.iter().filter(|package| !known.contains(**package) && uses(package)).copied().collect()
}

/// A Python output with its `from __future__` imports in front: they must come first in a program.
pub fn python_futures(code: &str) -> (String, String) {
    let (mut futures, mut rest) = (String::new(), String::new());
    let mut in_brackets = false;
    for line in code.split_inclusive('\n') {
        let begins = line.starts_with("from __future__ import");
        if begins || in_brackets {
            in_brackets = (in_brackets || line.contains('(')) && !line.contains(')');
            futures.push_str(line.trim_end());
            futures.push('\n');
            rest.push('\n');
        } else {
            rest.push_str(line);
        }
    }
    (futures, rest)
}

/// A JavaScript output as a script: `import` and `export` belong to modules. Line breaks stay.
pub fn javascript_script(code: &str) -> String {
    let is_of_modules = |line: &str| {
        ["export ", "export{", "import ", "import{", "import\"", "import'"].iter().any(|word| line.starts_with(word))
    };
    if !code.lines().any(is_of_modules) {
        return code.to_owned();
    }
    let mut script = String::new();
    let (mut in_list, mut import) = (false, String::new());
    for line in code.split_inclusive('\n') {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        if !import.is_empty() || (is_of_modules(line) && line.starts_with("import")) {
            import.push_str(line);
            if import.trim_end().ends_with(['\'', '"', ';']) {
                let breaks = "\n".repeat(import.matches('\n').count());
                match required(&import) {
                    Some(required) => script.extend([required, breaks]),
                    None => script.push_str(&import),
                }
                import.clear();
            }
            continue;
        }
        let rest = line.strip_prefix("export").map(str::trim_start);
        let declares = |text: &str| {
            ["function", "class", "async ", "const ", "let ", "var "].iter().any(|word| text.starts_with(word))
        };
        match rest {
            _ if in_list => {
                in_list = !line.contains('}');
                script.push_str(end);
            }
            Some(list) if list.starts_with('{') => {
                in_list = !list.contains('}');
                script.push_str(end);
            }
            Some(rest) if declares(rest) => script.push_str(rest),
            Some(rest) => match rest.strip_prefix("default ") {
                // Only a declaration has a name; `export default f;` names one that is declared elsewhere.
                Some(value) if declares(value) => script.push_str(value),
                Some(_) => script.push_str(end),
                None => script.push_str(line),
            },
            None => script.push_str(line),
        }
    }
    script + &import
}

/// An `import` of a module as declarations of a script.
fn required(import: &str) -> Option<String> {
    let import = import.strip_prefix("import")?.trim().trim_end_matches(';').trim_end();
    if import.starts_with(['\'', '"']) {
        return Some(format!("require({import});"));
    }
    let (names, module) = import.rsplit_once("from")?;
    let (names, module) = (names.trim(), module.trim());
    if names.is_empty() || !module.starts_with(['\'', '"']) || !module.ends_with(['\'', '"']) {
        return None;
    }
    let (whole, listed) = match names.split_once(',') {
        _ if names.starts_with(['{', '*']) => (None, Some(names)),
        Some((whole, listed)) => (Some(whole.trim()), Some(listed.trim())),
        None => (Some(names), None),
    };
    let listed = listed.map(|names| match names.strip_prefix('*').map(|rest| rest.trim().strip_prefix("as ")) {
        Some(name) => name.map(|name| name.trim().to_owned()),
        None => Some(names.split_whitespace().collect::<Vec<_>>().join(" ").replace(" as ", ": ")),
    });
    let patterns = whole.map(|name| Some(name.to_owned())).into_iter().chain(listed);
    let declarations: Option<Vec<String>> =
        patterns.map(|pattern| pattern.map(|pattern| format!("const {pattern} = require({module});"))).collect();
    declarations.map(|declarations| declarations.join(" "))
}

/// A C++ output in which `main` has another name, if it defines one: the tests have their own.
pub fn cpp_without_main(code: &str) -> String {
    let text = blanked(code, Comments::AndStrings);
    let defines = text.match_indices("main").any(|(at, _)| {
        let before = text[..at].trim_end();
        let is_typed = ["int", "void", "auto"].iter().any(|kind| before.ends_with(kind));
        is_typed && text[..at].ends_with(char::is_whitespace) && text[at + 4..].trim_start().starts_with('(')
    });
    match defines {
        true => format!("#define main main_of_the_output\n{code}\n#undef main\n"),
        false => code.to_owned(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    Only,
    AndStrings,
}

/// A text in a language with `//`, `/* */` and quotes, in which comments (and the content of strings) are blank. Line breaks
/// stay.
fn blanked(code: &str, what: Comments) -> String {
    let mut out = String::with_capacity(code.len());
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => {
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    out.extend(std::iter::repeat_n(' ', c.len_utf8()));
                }
                out.push(' ');
            }
            ('/', Some('*')) => {
                let mut last = ' ';
                out.push(' ');
                for c in chars.by_ref() {
                    out.push_str(if c == '\n' { "\n" } else { " " });
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ('"' | '`' | '\'', _) => {
                out.push(c);
                let mut is_escaped = false;
                for inner in chars.by_ref() {
                    let keeps = what == Comments::Only || inner == '\n' || (inner == c && !is_escaped);
                    out.push(if keeps { inner } else { ' ' });
                    if inner == c && !is_escaped || (inner == '\n' && c != '`') {
                        break;
                    }
                    is_escaped = inner == '\\' && !is_escaped && c != '`';
                }
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_imports_are_found_wherever_they_are_written() {
        let check = |code: &str, imports: &[&str], rest: &str| {
            let found = go_parts(code);
            assert_eq!(
                (found.0.as_slice(), found.1.as_str()),
                (imports.iter().map(|i| (*i).to_owned()).collect::<Vec<_>>().as_slice(), rest),
                "{code}"
            );
        };
        check("package main\n\nimport \"sort\"\n\nfunc F() {}\n", &["\"sort\""], "\n\n\n\nfunc F() {}\n");
        check(
            "import (\n\t\"fmt\" // prints\n\tstr \"strings\"\n)\nfunc F() {}",
            &["\"fmt\"", "str \"strings\""],
            "\n\n\n\nfunc F() {}",
        );
        check(
            "// Package x.\npackage x\nimport (\"fmt\"; \"sort\")\ntype T int",
            &["\"fmt\"", "\"sort\""],
            "// Package x.\n\n\ntype T int",
        );
        check(
            "/* import \"os\" */\nimport . \"math\"\nvar s = `\nimport \"os\"\n`\n",
            &[". \"math\""],
            "/* import \"os\" */\n\nvar s = `\nimport \"os\"\n`\n",
        );
        check("func F() {}\n", &[], "func F() {}\n");
    }

    #[test]
    fn go_packages_are_imported_where_code_uses_them() {
        let uses = |code: &str| {
            go_unimported(
                &["math", "strings", "sort"],
                &["\"sort\"".into()],
                "package main\nimport \"math/rand\"\n",
                code,
            )
        };
        assert_eq!(uses("func F() { strings.ToLower(math.X); sort.Ints(nil) }"), ["math", "strings"]);
        for code in ["// strings.\n", "/* math.Pi */", "x := \"strings.\"", "mymath.X", "a.math.B", "`math.`"] {
            assert!(uses(code).is_empty(), "{code}");
        }
        assert_eq!(
            go_missing(
                &["\"fmt\"".into(), "\"testing\"".into(), "\"fmt\"".into(), "t \"testing\"".into()],
                "package main\nimport (\n\t\"testing\"\n)\n"
            ),
            ["\"fmt\"", "t \"testing\""]
        );
    }

    #[test]
    fn futures_come_first() {
        let check = |code: &str, futures: &str, rest: &str| {
            assert_eq!(python_futures(code), (futures.to_owned(), rest.to_owned()));
        };
        check(
            "import os\nfrom __future__ import annotations\nx = 1\n",
            "from __future__ import annotations\n",
            "import os\n\nx = 1\n",
        );
        check(
            "from __future__ import (\n    annotations,\n)\nx = 1",
            "from __future__ import (\n    annotations,\n)\n",
            "\n\n\nx = 1",
        );
        check("x = 1\n", "", "x = 1\n");
    }

    #[test]
    fn exports_are_declarations() {
        let check = |code: &str, script: &str| assert_eq!(javascript_script(code), script);
        check("export const f = (x) => x;\n", "const f = (x) => x;\n");
        check("export default function f(x) { return x; }", "function f(x) { return x; }");
        check("export async function f(x) {}\n", "async function f(x) {}\n");
        check("const f = 1;\nexport { f };\nexport default f;\n", "const f = 1;\n\n\n");
        check("const f = 1;\nexport {\n  f,\n  f as g\n};\n", "const f = 1;\n\n\n\n\n");
        check("const exported = 1;\nmodule.exports = f;", "const exported = 1;\nmodule.exports = f;");
        check(
            "import a from 'a';\nimport * as b from \"b\"\nimport 'c';\n",
            "const a = require('a');\nconst b = require(\"b\");\nrequire('c');\n",
        );
        check(
            "import d, {\n  e as f,\n  g\n} from 'd';\nf(g);\n",
            "const d = require('d'); const { e: f, g } = require('d');\n\n\n\nf(g);\n",
        );
        check("import { a } from 'node:a'", "const { a } = require('node:a');");
        check("import x;\nimport(\"y\");\n", "import x;\nimport(\"y\");\n");
    }

    #[test]
    fn an_own_main_gets_another_name() {
        for code in ["int main() {}", "int main(int argc, char** argv) {}", "void\nmain() {}", "auto main() -> int {}"]
        {
            assert!(cpp_without_main(code).starts_with("#define main "), "{code}");
        }
        for code in [
            "int domain() {}",
            "// int main() {}\n",
            "const char* s = \"int main()\";",
            "int f() { main(); }",
            "int maintain() {}",
        ] {
            assert_eq!(cpp_without_main(code), code);
        }
    }
}
