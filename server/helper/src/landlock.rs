//! Landlock: a second layer behind seccomp and the namespaces.
//!
//! It restricts TCP connections and listeners, abstract sockets, and
//! signals to processes outside. Its file rules are not used: a process under them may not
//! mount, and bubblewrap still has to mount everything that the program inside will see. The crate is by
//! Landlock's authors; it requests what the kernel supports and reports what it got.

use std::io;

use landlock::{ABI, Access, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope};

/// Restricts the calling thread and everything that it starts from now on, as far as the kernel supports it.
/// Returns whether any restriction is in force.
///
/// # Errors
/// Fails if a kernel with Landlock refuses.
pub fn restrict() -> io::Result<bool> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessNet::from_all(ABI::V4))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.restrict_self())
        .map_err(io::Error::other)?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// Whether this kernel enforces any restriction. Tries it on a separate thread, which stays restricted.
pub fn holds() -> bool {
    std::thread::spawn(restrict).join().is_ok_and(|answer| answer.unwrap_or(false))
}
