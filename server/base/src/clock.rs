//! The server's clock and random names, the two inputs that pure code does not read itself.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use model::{ids::Token, time::Timestamp};
use rand::Rng;

/// How far tests have moved this process's clock, in milliseconds; 0 in every other process.
static ADVANCED: AtomicI64 = AtomicI64::new(0);

/// Now.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Timestamp(now.saturating_add(ADVANCED.load(Ordering::Relaxed)))
}

/// Moves this process's clock forward or back by this many milliseconds, for tests of leases and of clock
/// changes.
#[doc(hidden)]
pub fn advance(milliseconds: i64) {
    ADVANCED.fetch_add(milliseconds, Ordering::Relaxed);
}

/// A new opaque name: 128 bits of the operating system's randomness.
pub fn token() -> Token {
    Token(hex::encode(rand::rng().random::<[u8; 16]>()))
}
