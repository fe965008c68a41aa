//! How long callers wait for the database.

use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

/// Waiting times since the database was opened, in seconds.
#[derive(Clone, Debug)]
pub struct Waits {
    /// For a free reader.
    pub reader: Histogram,
    /// For a write, from its request until it is on disk.
    pub write: Histogram,
}

impl Default for Waits {
    fn default() -> Waits {
        // From a tenth of a millisecond to 26 seconds.
        let histogram = || Histogram::new(exponential_buckets(0.0001, 4.0, 10));
        Waits { reader: histogram(), write: histogram() }
    }
}
