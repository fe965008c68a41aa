//! How failures in Go are classified.

use model::failure_class::FailureClass::{
    AssertionError, Other, RuntimeError, SyntaxError, TimeoutError, TypeError, UndefinedError, UnusedError,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["Error:      \tNot equal:"], AssertionError),
        (&["undefined"], UndefinedError),
        (&["expected", "found"], SyntaxError),
        (&["illegal"], SyntaxError),
        (&["unexpected"], SyntaxError),
        (&["FAIL"], RuntimeError),
        (&["timed out"], TimeoutError),
        (&["not used"], UnusedError),
        (&["type"], TypeError),
    ],
    any_case: false,
    otherwise: Other,
};
