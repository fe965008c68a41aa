//! Landlock: a second lock on what seccomp and the name spaces have closed already.
//!
//! What it can take over here: connecting and listening over TCP, sockets without a file name, and
//! signals to processes outside. Its rules for files are left alone: a process under them may not
//! mount, and bubblewrap has yet to mount everything that the program inside will see. The crate is by
//! Landlock's own authors; it asks for what the kernel knows and says what it got.

use std::io;

use landlock::{ABI, Access, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope};

/// Restricts the calling thread and all that it starts from here on, as far as the kernel can.
/// Returns whether anything is held.
///
/// # Errors
/// Where a kernel that knows Landlock refuses.
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

/// Whether this kernel holds anything, tried on a thread of its own that ends with the answer.
pub fn holds() -> bool {
    std::thread::spawn(restrict).join().is_ok_and(|answer| answer.unwrap_or(false))
}
