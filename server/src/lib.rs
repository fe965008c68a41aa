//! AixGrade's server: everything behind the pages, and the command line.
//!
//! [`state`] puts it together; [`http`] turns requests into calls on [`services`]; they authorise,
//! then read or write once through [`db`]. See ARCHITECTURE.md for a walk through three journeys.

pub mod clock;
pub mod config;
pub mod db;
pub mod error;
//pub mod http;
// Until the real one lands: see branch `formats`.
pub mod layout {
    //! Readable code.
    /// How `code` is shown.
    pub fn view(_code: &str, said: &str) -> app::model::code::CodeView {
        app::model::code::CodeView { said: said.to_owned(), ..Default::default() }
    }
}
pub mod report;
pub mod services;
//pub mod state;
pub mod stats;
