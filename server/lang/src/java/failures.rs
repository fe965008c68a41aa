//! How failures in Java are classified.

use model::failure_class::FailureClass::{
    ArithmeticError, AssertionError, ClassCastError, CompilationError, IndexError, InvalidArgument, NoSuchElement,
    NullPointerError, NumberFormatError, Other, OutOfMemory, StackOverflow, TimeoutError, UnsupportedOperation,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["wrong answer"], AssertionError),
        (&["compilation error"], CompilationError),
        (&["time out"], TimeoutError),
        (&["IndexOutOfBounds"], IndexError),
        (&["UnsupportedOperation"], UnsupportedOperation),
        (&["ClassCast"], ClassCastError),
        (&["NullPointer"], NullPointerError),
        (&["NumberFormat"], NumberFormatError),
        (&["NoSuchElement"], NoSuchElement),
        (&["StackOverflow"], StackOverflow),
        (&["Arithmetic"], ArithmeticError),
        (&["OutOfMemory"], OutOfMemory),
        (&["IllegalArgument"], InvalidArgument),
    ],
    any_case: false,
    otherwise: Other,
};
