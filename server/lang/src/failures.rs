//! The class of a failure from what the published evaluator says, as the benchmark's `inspect_result.py` finds it.
//!
//! The script counts no failure whose text lacks the word "failed", such as "timed out", and no failure in Go that
//! fits none of its classes. Here every failure has a class: [`FailureClass::TimeoutError`] and the language's last
//! resort.

use model::{failure_class::FailureClass, run::PublishedVerdict};

/// How a language's failures are classified.
pub struct Failures {
    /// The first rule of which all texts occur decides.
    pub rules: &'static [(&'static [&'static str], FailureClass)],
    /// Whether upper and lower case are the same; the texts of the rules are in lower case then.
    pub any_case: bool,
    /// The class of all other failures.
    pub otherwise: FailureClass,
}

impl Failures {
    /// The class of a result such as `failed: AssertionError`; `None` if it passed.
    pub fn class(&self, verdict: PublishedVerdict, result: &str) -> Option<FailureClass> {
        let text = if self.any_case { &result.to_lowercase() } else { result };
        match verdict {
            PublishedVerdict::Passed => None,
            PublishedVerdict::Timeout => Some(FailureClass::TimeoutError),
            PublishedVerdict::Failed => {
                let fits = |(texts, _): &&(&[&str], _)| texts.iter().all(|part| text.contains(part));
                Some(self.rules.iter().find(fits).map_or(self.otherwise, |(_, class)| *class))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use model::code_lang::CodeLang;

    use super::*;
    use crate::language;

    #[track_caller]
    fn check(lang: CodeLang, result: &str, expected: FailureClass) {
        let failures = &language(lang).unwrap().failures;
        assert_eq!(failures.class(PublishedVerdict::Failed, result), Some(expected), "{result}");
    }

    #[test]
    fn every_language_has_its_classes() {
        use FailureClass::*;
        check(CodeLang::Python, "failed: AssertionError", AssertionError);
        check(CodeLang::Python, "failed: unterminated string literal (<string>, line 3)", SyntaxError);
        check(CodeLang::Python, "failed: name 'x' is not defined", UndefinedError);
        check(CodeLang::Python, "failed: unsupported operand type(s) for +: 'int' and 'str'", TypeError);
        check(CodeLang::Python, "failed: list index out of range", RuntimeError);
        check(CodeLang::Cpp, "failed: compilation error: expected ';'", CompilationError);
        check(CodeLang::Cpp, "failed: test: test.cpp:9: int main(): Assertion `f(1) == 2' failed.", AssertionError);
        check(CodeLang::Cpp, "failed: terminate called after throwing an instance of 'std::out_of_range'", RangeError);
        check(CodeLang::Cpp, "failed: terminate called after throwing an instance of 'int'", UncaughtException);
        check(CodeLang::Cpp, "failed: ", Other);
        check(CodeLang::Java, "failed: wrong answer", AssertionError);
        check(CodeLang::Java, "failed: java.lang.NullPointerException: no", NullPointerError);
        check(CodeLang::Java, "failed: something else", Other);
        check(CodeLang::JavaScript, "failed: Assertion failed", AssertionError);
        check(CodeLang::JavaScript, "failed: TypeError: x is not a function", TypeError);
        check(CodeLang::JavaScript, "failed: Error: own", RuntimeError);
        check(CodeLang::Go, "failed: Error:      \tNot equal: \n --- FAIL", AssertionError);
        check(CodeLang::Go, "failed: ./main.go:3:1: undefined: x\nFAIL", UndefinedError);
        check(CodeLang::Go, "failed: expected ';', found x", SyntaxError);
        check(CodeLang::Go, "failed: panic: own\nFAIL", RuntimeError);
        check(CodeLang::Go, "failed: \"os\" imported and not used", UnusedError);
        check(CodeLang::Go, "failed: nothing known", Other);
        check(CodeLang::Rust, "failed: compilation error: error[E0308]: mismatched types", TypeError);
        check(CodeLang::Rust, "failed: compilation error: error[E0425]: cannot find value `x`", UndefinedError);
        check(CodeLang::Rust, "failed: compilation error: error: expected `;`, found `}`", SyntaxError);
        check(CodeLang::Rust, "failed: compilation error: error[E0502]: cannot borrow `x`", CompilationError);
        check(CodeLang::Rust, "failed: panicked at main.rs:1:1:\nassertion `left == right` failed", AssertionError);
        check(CodeLang::Rust, "failed: panicked at main.rs:1:1:\nassertion failed: f(1) == 2", AssertionError);
        check(CodeLang::Rust, "failed: panicked at main.rs:1:1:\nattempt to add with overflow", ArithmeticError);
        check(CodeLang::Rust, "failed: index out of bounds: the len is 0 but the index is 1", IndexError);
        check(CodeLang::Rust, "failed: called `Option::unwrap()` on a `None` value", RuntimeError);
    }

    #[test]
    fn a_timeout_is_counted_and_a_pass_has_no_class() {
        for language in &crate::TABLE {
            let class = |verdict, text| language.failures.class(verdict, text);
            assert_eq!(class(PublishedVerdict::Timeout, "timed out"), Some(FailureClass::TimeoutError));
            assert_eq!(class(PublishedVerdict::Passed, "passed"), None);
        }
    }
}
