//! How long callers wait for the database.

use prometheus_client::metrics::histogram::Histogram;

/// Waiting times since the database was opened, in seconds.
#[derive(Clone, Debug)]
pub struct Waits {
    /// For a free reader.
    pub reader: Histogram,
    /// For a write, from its request until it is on disk.
    pub write: Histogram,
}

/// Upper ends of the buckets, in seconds.
const BUCKETS: [f64; 12] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0];

impl Default for Waits {
    fn default() -> Waits {
        let histogram = || Histogram::new(BUCKETS);
        Waits { reader: histogram(), write: histogram() }
    }
}
