//! Rust: outputs are shown but not run.

pub mod display;
