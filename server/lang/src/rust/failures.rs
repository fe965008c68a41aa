//! How failures in Rust are classified. The benchmark's script has no classes for Rust; these are those of other
//! languages that fit.

use model::failure_class::FailureClass::{
    ArithmeticError, AssertionError, CompilationError, IndexError, NumberFormatError, OutOfMemory, RuntimeError,
    StackOverflow, SyntaxError, TypeError, UndefinedError,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["compilation error", "error[E0308]"], TypeError),
        (&["compilation error", "error[E0277]"], TypeError),
        (&["compilation error", "error[E0425]"], UndefinedError),
        (&["compilation error", "error[E0412]"], UndefinedError),
        (&["compilation error", "error[E0432]"], UndefinedError),
        (&["compilation error", "error[E0433]"], UndefinedError),
        (&["compilation error", "error[E0599]"], UndefinedError),
        (&["compilation error", "error: expected"], SyntaxError),
        (&["compilation error", "error: unexpected"], SyntaxError),
        (&["compilation error", "delimiter"], SyntaxError),
        (&["compilation error"], CompilationError),
        (&["overflowed its stack"], StackOverflow),
        (&["memory allocation of"], OutOfMemory),
        (&["index out of bounds"], IndexError),
        (&["byte index"], IndexError),
        (&["out of range for slice"], IndexError),
        (&["ParseIntError"], NumberFormatError),
        (&["ParseFloatError"], NumberFormatError),
        (&["attempt to divide by zero"], ArithmeticError),
        (&["attempt to", "overflow"], ArithmeticError),
        (&["assertion failed"], AssertionError),
        (&["assertion `"], AssertionError),
    ],
    any_case: false,
    otherwise: RuntimeError,
};
