//! Tests of the whole server, one module per area, in one program, because each program would link the
//! server again.
//!
//! Tests that inspect their own process, or that need only the engine, are programs beside this folder.

mod accounts;
mod adjudicated_instructions;
mod announcements;
mod audit;
mod authorization;
mod authorship;
mod backup;
mod blindness;
mod cannot_judge;
mod chosen_blocks;
mod collections;
mod comparisons;
mod conversations;
mod conversing;
mod demo;
mod drafts;
mod dynamic;
mod endpoints;
mod exports;
#[path = "../../benches/fill.rs"]
#[allow(dead_code, reason = "a program of its own, of which tests need what fills a database")]
mod fill;
mod good_lines;
mod grading;
mod groups;
mod guidelines;
mod inbox;
mod judgings;
mod languages;
mod lists;
mod mail;
mod many_samples;
mod metrics;
mod overload;
mod overview;
mod packaged;
mod plan_changes;
mod plans;
mod pools;
mod public;
mod python;
mod quality;
mod replication;
mod rest;
mod results;
mod rubrics;
mod runs;
mod server_page;
mod settings_file;
mod single_sign_on;
mod sources;
mod stalls;
mod task_tests;
mod toolchains;
mod upkeep;
mod uploads;
#[path = "../util/mod.rs"]
mod util;
mod webhooks;
