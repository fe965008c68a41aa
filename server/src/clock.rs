//! The server's clock and its random names: the two things that pure code is not given to read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use app::model::{ids::Token, time::Timestamp};
use rand::Rng;

/// How far tests have moved this process's clock, in milliseconds; 0 in every other process.
static ADVANCED: AtomicI64 = AtomicI64::new(0);

/// Now.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Timestamp(now.saturating_add(ADVANCED.load(Ordering::Relaxed)))
}

/// Moves this process's clock by so many milliseconds, forward or back, for tests of leases and of a
/// clock that was set.
#[doc(hidden)]
pub fn advance(milliseconds: i64) {
    ADVANCED.fetch_add(milliseconds, Ordering::Relaxed);
}

/// Something to read the time from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The system's clock.
pub fn system() -> Clock {
    Arc::new(now)
}

/// A fresh opaque name: 128 bits of the operating system's randomness.
pub fn token() -> Token {
    Token(hex::encode(rand::rng().random::<[u8; 16]>()))
}
