//! The server's clock and its random names: the two things that pure code is not given to read.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use app::model::{ids::Token, time::Timestamp};
use rand::Rng;

/// Now.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
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
