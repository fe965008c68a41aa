//! The kinds of failures that HumanEval-X's authors count.

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// Why an output fails as published, in the classes of the benchmark's `inspect_result.py`. Each language has
        /// some of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum FailureClass { $($(#[$doc])* $name,)+ }

        impl FailureClass {
            /// Every class.
            pub const ALL: &[FailureClass] = &[$(FailureClass::$name,)+];

            /// The name in data files and in the database.
            pub fn name(self) -> &'static str {
                match self { $(FailureClass::$name => $text,)+ }
            }

            /// The class of that name.
            pub fn from_name(name: &str) -> Option<FailureClass> {
                FailureClass::ALL.iter().copied().find(|class| class.name() == name)
            }
        }
    };
}

classes! {
    /// A test found a wrong answer.
    AssertionError = "assertion_error",
    /// The compiler rejects the program (C++, Java, Rust).
    CompilationError = "compilation_error",
    /// The program is not valid in its language.
    SyntaxError = "syntax_error",
    /// A name is used that is not defined.
    UndefinedError = "undefined_error",
    /// A value or an expression has the wrong type.
    TypeError = "type_error",
    /// A package or variable is declared and not used (Go).
    UnusedError = "unused_error",
    /// It exceeds the evaluator's time limit.
    TimeoutError = "timeout_error",
    /// An index is out of bounds (Java, Rust).
    IndexError = "index_error",
    /// A length or an index is out of range (C++, JavaScript).
    RangeError = "range_error",
    /// A cast to a class that the object does not have (Java).
    ClassCastError = "class_cast_error",
    /// Null is dereferenced (Java).
    NullPointerError = "null_pointer_error",
    /// A pointer is freed twice or was never valid (C++).
    PointerError = "pointer_error",
    /// An argument does not fit the called function (Java, C++).
    InvalidArgument = "invalid_argument",
    /// A text is no number (Java, Rust).
    NumberFormatError = "number_format_error",
    /// An element is read that a collection does not have (Java).
    NoSuchElement = "no_such_element",
    /// A method does not support the operation (Java).
    UnsupportedOperation = "unsupported_operation",
    /// Arithmetic without a result, such as a division by zero (Java, Rust).
    ArithmeticError = "arithmetic_error",
    /// The stack is exhausted (Java, Rust).
    StackOverflow = "stack_overflow",
    /// Memory is exhausted (Java, C++, Rust).
    OutOfMemory = "out_of_memory",
    /// Another exception that ends the program (C++).
    UncaughtException = "uncaught_exception",
    /// Another error while the program runs (Python, JavaScript, Go, Rust).
    RuntimeError = "runtime_error",
    /// None of the language's other classes (C++, Java, Go).
    Other = "other",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_are_those_of_json() {
        for class in FailureClass::ALL {
            assert_eq!(serde_json::to_string(class).unwrap(), format!("\"{}\"", class.name()));
            assert_eq!(FailureClass::from_name(class.name()), Some(*class));
        }
    }
}
