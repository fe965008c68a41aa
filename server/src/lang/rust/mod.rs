//! Rust.

pub mod display;
