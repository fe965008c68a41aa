//! User IDs of sandboxes if the server runs as root.
//!
//! The kernel's limit on threads (`RLIMIT_NPROC`) counts the threads of a user, not of a sandbox. Two sandboxes with
//! one user ID would use up each other's threads, and a verdict would depend on what else runs. So each sandbox claims
//! its user ID on this host for as long as it runs: by an abstract socket with the ID in its name, which one process can
//! bind, and which the kernel frees even if the server is killed.

use std::{
    io,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram},
    },
};

/// Above people and services, below the range that systemd assigns (61184) and within the 65536 that a container
/// usually has.
const FIRST: u32 = 58_000;
const COUNT: u32 = 3_000;

/// A user ID that no other sandbox on this host has until it is dropped.
#[derive(Debug)]
pub struct UserId {
    id: u32,
    /// `None` if sockets cannot be bound here, or all IDs are claimed; then other sandboxes may have the same ID.
    _claim: Option<UnixDatagram>,
}

impl UserId {
    /// Claims the first free ID. `number` says where to start, so that processes seldom try the same ones.
    pub fn claim(number: u32) -> UserId {
        for step in 0..COUNT {
            let id = FIRST + number.wrapping_add(step) % COUNT;
            match bind(id) {
                Ok(socket) => return UserId { id, _claim: Some(socket) },
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => {
                    tracing::warn!(%error, "the user ID of a sandbox cannot be claimed");
                    break;
                }
            }
        }
        UserId { id: FIRST + number % COUNT, _claim: None }
    }

    /// The number of the ID.
    pub fn get(&self) -> u32 {
        self.id
    }
}

fn bind(id: u32) -> io::Result<UnixDatagram> {
    UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(format!("aixgrade-sandbox-uid-{id}"))?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

    use super::*;

    #[test]
    fn an_id_is_claimed_once_until_it_is_dropped() {
        // Other sandboxes of this host may take some of these, so only what holds anyway is asserted.
        let first = UserId::claim(2_990);
        let second = UserId::claim(2_990);
        assert!(first._claim.is_some() && second._claim.is_some());
        assert_ne!(first.get(), second.get());
        let many: Vec<UserId> = (0..40).map(|_| UserId::claim(2_990)).collect();
        let mut ids: Vec<u32> = many.iter().chain([&first, &second]).map(UserId::get).collect();
        assert!(ids.iter().all(|id| (FIRST..FIRST + COUNT).contains(id)));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 42);

        // What another process claimed looks the same: the name is bound.
        assert_eq!(bind(first.get()).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        let id = first.get();
        drop(first);
        drop(bind(id).unwrap());
    }
}
