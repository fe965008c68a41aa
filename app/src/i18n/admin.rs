//! The admin's pages.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

/// The texts of the admin's pages.
pub struct Admin {
    pub home_title: &'static str,
}

/// English.
pub const EN: Admin = Admin { home_title: "Overview" };

/// Chinese.
pub const ZH: Admin = Admin { home_title: "总览" };
