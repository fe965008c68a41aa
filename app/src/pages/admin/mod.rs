//! The admin's pages: data in, studies, results.

pub mod audit;
pub mod compare;
pub mod dataset;
pub mod datasets;
mod engine;
mod filter;
pub mod guidelines;
pub mod home;
pub mod languages;
pub mod new_study;
pub mod output;
mod parts;
pub mod people;
pub mod plan;
pub mod preview;
pub mod programs;
pub mod quality;
pub mod ratings_import;
pub mod results;
pub mod rubrics;
pub mod runs;
mod sending;
pub mod studies;
pub mod study;
pub mod study_task;
pub mod submission;
pub mod submissions;
pub mod upkeep;
pub mod upload;

// Parts that the public page of a study shares.
pub use compare::{human::with_tests as by_people, tested};
pub use parts::task_text;
