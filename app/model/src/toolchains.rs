//! Toolchains that this machine lacks, and their installation.

use serde::{Deserialize, Serialize};

/// A language whose outputs cannot be run on this machine, or whose toolchain was just installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// Its code in the list of toolchains: `python`, `codeif`.
    pub code: String,
    /// Its name, the same in every language that people read.
    pub name: String,
    /// What is missing and which commands install it, in English; empty if nothing is.
    pub missing: String,
    /// Whether the server can install a part of it.
    pub can_install: bool,
    /// The latest installation since the server started.
    pub installation: Installation,
}

/// How far an installation is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Installation {
    /// Not started.
    #[default]
    None,
    /// At work.
    Running {
        /// What is being installed.
        what: String,
        /// Parts that are installed.
        done: u32,
        /// All parts.
        of: u32,
    },
    /// Some parts could not be installed.
    Failed {
        /// Why, in the words of the package managers.
        why: String,
    },
    /// All parts are installed.
    Done,
}

impl Toolchain {
    /// Whether its installation is at work.
    pub fn is_running(&self) -> bool {
        matches!(self.installation, Installation::Running { .. })
    }
}
