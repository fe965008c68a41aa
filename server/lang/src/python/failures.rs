//! How failures in Python are classified.

use model::failure_class::FailureClass::{
    AssertionError, RuntimeError, SyntaxError, TimeoutError, TypeError, UndefinedError,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["assertionerror"], AssertionError),
        (&["syntax"], SyntaxError),
        (&["indent"], SyntaxError),
        (&["literal"], SyntaxError),
        (&["not defined"], UndefinedError),
        (&["timeout"], TimeoutError),
        (&["type"], TypeError),
    ],
    any_case: true,
    otherwise: RuntimeError,
};
