//! Toolchains that the server's machine lacks.

use leptos::prelude::*;

use model::{error::AppError, ids::SubmissionId, toolchains::Toolchain};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The languages of a submission that the server cannot run, and those whose toolchain was just installed.
#[server(prefix = "/rpc", endpoint = "submission_toolchains", protocol = Call)]
pub async fn submission_toolchains(submission: SubmissionId) -> Result<Vec<Toolchain>, AppError> {
    let (ports, admin) = ports()?;
    ports.toolchains.of_submission(&admin, submission).await
}

/// Starts the installation of a toolchain.
#[server(prefix = "/rpc", endpoint = "install_toolchain")]
pub async fn install_toolchain(code: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.toolchains.install(&admin, &code).await
}
