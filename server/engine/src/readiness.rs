//! Checks whether the host has what the engine needs, and names the command that installs what is missing.
//!
//! Only looks for files, which takes microseconds, because pages call it. The isolation layers are checked before the
//! first run ([`super::self_test`]). Called by `services::runs` and the command line.

use model::run::{Dates, EngineNeed, EngineReadiness};

use super::{dates, toolchain};
use sandbox::bubblewrap;
use toolchains::system::{self, Distribution, Need};

/// Looks for a JDK, bubblewrap and, if the run has a date, libfaketime.
pub fn check(date: Option<Dates>) -> EngineReadiness {
    let mut missing = Vec::new();
    if toolchain::find_jdk().is_err() {
        missing.push(EngineNeed::Jdk);
    }
    if bubblewrap::find("bwrap").is_none() {
        missing.push(EngineNeed::Bubblewrap);
    }
    if date.is_some_and(|date| dates::needs(date).is_err()) {
        missing.push(EngineNeed::Libfaketime);
    }
    let needs: Vec<_> = missing.iter().map(|need| need_of(*need)).collect();
    let install = Distribution::here().and_then(|here| here.command(&needs));
    EngineReadiness { missing, install }
}

/// The entry in the list of what root installs.
fn need_of(need: EngineNeed) -> &'static Need {
    match need {
        EngineNeed::Jdk => &system::JDK,
        EngineNeed::Bubblewrap => &system::BUBBLEWRAP,
        EngineNeed::Libfaketime => &system::LIBFAKETIME,
    }
}
