//! How failures in C++ are classified.

use model::failure_class::FailureClass::{
    AssertionError, CompilationError, InvalidArgument, Other, OutOfMemory, PointerError, RangeError, UncaughtException,
};

use crate::failures::Failures;

pub const FAILURES: Failures = Failures {
    rules: &[
        (&["compilation error"], CompilationError),
        (&["int main(): assertion"], AssertionError),
        (&["out_of_range"], RangeError),
        (&["corrupted top size"], RangeError),
        (&["length_error"], RangeError),
        (&["invalid_argument"], InvalidArgument),
        (&["invalid pointer"], PointerError),
        (&["double free"], PointerError),
        (&["free()"], PointerError),
        (&["logic_error"], PointerError),
        (&["sysmalloc: assertion"], PointerError),
        (&["stack smashing"], OutOfMemory),
        (&["bad_alloc"], OutOfMemory),
        (&["terminate called after throwing an instance of"], UncaughtException),
    ],
    any_case: true,
    otherwise: Other,
};
