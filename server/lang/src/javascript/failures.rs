//! How failures in JavaScript are classified.

use model::failure_class::FailureClass::{
    AssertionError, RangeError, RuntimeError, SyntaxError, TimeoutError, TypeError, UndefinedError,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["Assertion failed"], AssertionError),
        (&["SyntaxError"], SyntaxError),
        (&["ReferenceError"], UndefinedError),
        (&["timed out"], TimeoutError),
        (&["TypeError"], TypeError),
        (&["RangeError"], RangeError),
    ],
    any_case: false,
    otherwise: RuntimeError,
};
