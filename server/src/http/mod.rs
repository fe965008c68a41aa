//! The HTTP edge: thin adapters between requests and services.

pub mod account;
pub mod assets;
pub mod audit;
pub mod comparisons;
pub mod compress;
#[cfg(debug_assertions)]
pub mod dev;
pub mod download;
pub mod errors;
pub mod grade;
pub mod guard;
pub mod health;
pub mod listen;
pub mod metrics;
pub mod overload;
pub mod pages;
pub mod request_id;
pub mod rest;
pub mod results;
pub mod router;
mod rubrics;
pub mod runs;
pub mod session;
pub mod settings;
pub mod single_sign_on;
pub mod studies;
mod submissions;
pub mod upload;

pub use router::{router, watched};
