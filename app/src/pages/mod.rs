//! One file per route. A page creates its resource at its top, waits for it with `Load`, and draws.

pub mod account;
pub mod adjudicate;
pub mod admin;
pub mod grade;
pub mod guidelines;
pub mod join;
pub mod log_in;
pub mod mine;
pub mod my_studies;
pub mod new_password;
pub mod not_found;
pub mod public;
pub mod rater_feedback;
pub mod reset;
pub mod rubric;
