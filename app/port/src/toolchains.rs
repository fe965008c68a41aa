//! Toolchains that this machine lacks, and their installation.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer, ids::SubmissionId, toolchains::Toolchain};

/// Toolchains of the languages in which outputs are run by the server's process.
#[async_trait]
pub trait Toolchains: Send + Sync {
    /// The languages of a submission that cannot be run, and those whose toolchain was just installed. Empty if workers on
    /// other machines run the outputs.
    async fn of_submission(&self, admin: &Admin, submission: SubmissionId) -> Answer<Vec<Toolchain>>;
    /// Starts the installation of what can be had without root, unless it is at work.
    async fn install(&self, admin: &Admin, code: &str) -> Answer<()>;
}
