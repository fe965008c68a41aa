//! Splits a compiled program into the sample's classes and those of the tests, for a process that gives both verdicts.

use std::{iter::Peekable, str::Chars};

use benchmarks::humaneval::Task;
use engine::{shareable, wire::Files};

/// The classes of a published program.
pub struct Program {
    /// The sample's classes. They are the same as if the sample had been compiled without the tests.
    pub sample: Files,
    /// The class `Main`, which the dataset's tests declare, and its nested classes.
    pub tests: Files,
}

/// Splits a program. Returns `None` unless
/// - the tests declare `Main` and nothing else next to it, and the sample neither names `Main` nor is incomplete: the
///   compiler then cannot have put anything of the tests into the sample's classes;
/// - all classes name only harmless classes ([`shareable`]): the sample's first run cannot affect its second run.
pub fn split(task: &Task, solution: &str, classes: Files) -> Option<Program> {
    if !declares_only_main(&task.test) || !can_be_split_off(solution) || classes.keys().any(|name| name.contains('.')) {
        return None;
    }
    let is_test = |name: &String| name.split('$').next() == Some("Main");
    let (tests, sample): (Files, Files) = classes.into_iter().partition(|(name, _)| is_test(name));
    let is_whole = tests.contains_key("Main") && sample.contains_key("Solution");
    let is_harmless =
        shareable::are_shareable(&sample, &[&sample]) && shareable::are_shareable(&tests, &[&sample, &tests]);
    (is_whole && is_harmless).then_some(Program { sample, tests })
}

/// Whether tests declare the class `Main` and no other type, judging by their words.
fn declares_only_main(test: &str) -> bool {
    let words = test.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let declarations = words.filter(|word| ["class", "interface", "enum", "record"].contains(word)).count();
    declarations == 1 && test.contains("public class Main ")
}

/// Whether a sample compiles in the same way with and without the tests behind it: it does not name their class, and it
/// ends outside of all brackets, comments and modifiers. A Unicode escape could hide any of these.
fn can_be_split_off(solution: &str) -> bool {
    !solution.contains("Main") && !solution.contains("\\u") && is_complete(solution)
}

/// Whether a text's braces match and the last one ends its code. Text blocks count as incomplete, and so do characters
/// in code that are not ASCII or that control: the compiler ignores some of them inside a name.
fn is_complete(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    let (mut depth, mut last) = (0_usize, ' ');
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.next_if_eq(&'/').is_some() => {
                while chars.next_if(|&c| c != '\n' && c != '\r').is_some() {}
                continue;
            }
            '/' if chars.next_if_eq(&'*').is_some() => {
                if !ends_comment(&mut chars) {
                    return false;
                }
                continue;
            }
            '"' | '\'' if !ends_literal(&mut chars, c) => return false,
            '{' => depth += 1,
            '}' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ if !c.is_ascii() || c.is_ascii_control() && !c.is_ascii_whitespace() => return false,
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    depth == 0 && last == '}'
}

/// Skips the rest of a comment. Returns whether it ends.
fn ends_comment(chars: &mut impl Iterator<Item = char>) -> bool {
    let mut before = ' ';
    chars.any(|c| std::mem::replace(&mut before, c) == '*' && c == '/')
}

/// Skips the rest of a string or character literal. Returns whether it ends in its line and is no text block.
fn ends_literal(chars: &mut Peekable<Chars<'_>>, quote: char) -> bool {
    if quote == '"' && chars.next_if_eq(&'"').is_some() {
        return chars.peek() != Some(&'"');
    }
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\r' => return false,
            '\\' => drop(chars.next()),
            c if c == quote => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_samples_that_do_not_name_the_tests_are_split_off() {
        let check = |solution: &str, expected: bool| assert_eq!(can_be_split_off(solution), expected, "{solution}");
        check("class Solution { int f() { return 1; } }\n// done {\n", true);
        check("class Solution { String s = \"}{\\\"\", e = \"\"; char c = '{', q = '\\''; /* { ' */ } /**/", true);
        check("class Solution { int f() { return Main.ANSWER; } }", false);
        check("class Solution { int f() { return \\u004dain.ANSWER; } }", false);
        check("class Solution { int f() { return Ma\u{1}in.ANSWER; } }", false);
        check("class Solution { int f() { return Ma\u{ad}in.ANSWER; } }", false);
        check("class Solution { /* \u{ad} */ String s = \"é\"; }", true);
        check("class Solution { }\nclass Open {", false);
        check("class Solution { } }", false);
        check("class Solution { }\n/* hides the tests", false);
        check("class Solution { }\n/*/ hides the tests", false);
        check("class Solution { }\n@Deprecated", false);
        check("class Solution { }\n@Deprecated // }", false);
        check("class Solution { }\nabstract /* } */", false);
        check("class Solution { String s = \"\"\"\n}\"\"\"; }", false);
        check("class Solution { String s = \"}\n\"; }", false);
        check("", false);
    }

    #[test]
    fn tests_declare_one_class() {
        assert!(declares_only_main("public class Main {\n    // classes\n}\n"));
        assert!(!declares_only_main("public class Main {\n    static class Inner { }\n}\n"));
        assert!(!declares_only_main("record Key() { }\npublic class Main {\n}\n"));
        assert!(!declares_only_main("class Other { }"));
    }

    #[test]
    fn a_program_without_both_classes_is_not_split() {
        let task = Task { test: "public class Main {\n}".into(), ..Task::default() };
        let check = |names: &[&str]| {
            // A class file with an empty constant pool.
            let bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 1];
            let classes = names.iter().map(|&name| (name.to_owned(), bytes.clone())).collect();
            let names = |files: Files| files.into_keys().collect::<Vec<_>>().join(" ");
            split(&task, "class Solution { }", classes).map(|Program { sample, tests }| (names(sample), names(tests)))
        };
        let expected = ("MainPart Solution Solution$1".to_owned(), "Main Main$1".to_owned());
        assert_eq!(check(&["Main", "Main$1", "MainPart", "Solution", "Solution$1"]), Some(expected));
        assert_eq!(check(&["Solution"]), None);
        assert_eq!(check(&["Solution", "Solution$Main"]), None);
        assert_eq!(check(&["Main"]), None);
        assert_eq!(check(&["a.Main", "Main", "Solution"]), None);
    }
}
