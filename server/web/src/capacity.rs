//! How many requests the server works on at once. `http/overload.rs` refuses one more.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Kinds of requests, whose places are separate: who waits for one thing must not keep others from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hashes a password.
    LogIn,
    /// A server function or a form.
    Call,
    /// A page or a download.
    Page,
    /// A page or a file of a public link, which anybody may ask for.
    Public,
    /// An operation of the API.
    Operation,
    /// A file that is sent.
    Upload,
}

impl Kind {
    /// Every kind, with its name in metrics.
    pub const ALL: [(Kind, &str); 6] = [
        (Kind::LogIn, "log_in"),
        (Kind::Call, "call"),
        (Kind::Page, "page"),
        (Kind::Public, "public"),
        (Kind::Operation, "operation"),
        (Kind::Upload, "upload"),
    ];
}

/// How many requests of each kind are in progress at most.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Two cores hash about twenty passwords a second.
    pub log_ins: usize,
    /// The database stores about 700 ratings a second.
    pub calls: usize,
    /// Pages need no writer: raters can read while writes are stuck.
    pub pages: usize,
    /// Readers of public links take no places of people who are logged in.
    pub public: usize,
    /// Programs do not take people's places.
    pub operations: usize,
    /// Uploads take as long as their clients send.
    pub uploads: usize,
    /// Memory for the large bodies of other requests, in KiB. Bodies are read before anybody knows who sends them.
    pub large_bodies_kib: usize,
}

/// The longest body that counts as small, in bytes: a rating with its comment and notes. There may be as many small
/// bodies as connections.
const SMALL_BODY: usize = 16 * 1024;

impl Default for Capacity {
    fn default() -> Self {
        Capacity {
            log_ins: 64,
            calls: 600,
            pages: 400,
            public: 64,
            operations: 100,
            uploads: 32,
            large_bodies_kib: 128 * 1024,
        }
    }
}

/// The places for requests; cheap to clone.
#[derive(Clone)]
pub struct Places {
    capacity: Capacity,
    log_ins: Arc<Semaphore>,
    calls: Arc<Semaphore>,
    pages: Arc<Semaphore>,
    public: Arc<Semaphore>,
    operations: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
}

impl Places {
    pub fn new(capacity: Capacity) -> Places {
        let places = |count| Arc::new(Semaphore::new(count));
        Places {
            capacity,
            log_ins: places(capacity.log_ins),
            calls: places(capacity.calls),
            pages: places(capacity.pages),
            public: places(capacity.public),
            operations: places(capacity.operations),
            uploads: places(capacity.uploads),
            large_bodies: places(capacity.large_bodies_kib),
        }
    }

    /// Takes a place until the result is dropped; `None` if there is none.
    pub fn take(&self, kind: Kind) -> Option<OwnedSemaphorePermit> {
        self.of(kind).0.clone().try_acquire_owned().ok()
    }

    /// Takes memory for a body of this many bytes until the result is dropped; `None` if other large bodies have it. A
    /// small body is always admitted.
    pub fn take_memory(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let kib = if bytes <= SMALL_BODY { 0 } else { u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX) };
        self.large_bodies.clone().try_acquire_many_owned(kib).ok()
    }

    /// How many are taken.
    pub fn taken(&self, kind: Kind) -> usize {
        let (places, all) = self.of(kind);
        all.saturating_sub(places.available_permits())
    }

    fn of(&self, kind: Kind) -> (&Arc<Semaphore>, usize) {
        match kind {
            Kind::LogIn => (&self.log_ins, self.capacity.log_ins),
            Kind::Call => (&self.calls, self.capacity.calls),
            Kind::Page => (&self.pages, self.capacity.pages),
            Kind::Public => (&self.public, self.capacity.public),
            Kind::Operation => (&self.operations, self.capacity.operations),
            Kind::Upload => (&self.uploads, self.capacity.uploads),
        }
    }
}

impl Default for Places {
    fn default() -> Self {
        Places::new(Capacity::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_share_a_limited_memory_and_small_ones_are_always_admitted() {
        let places = Places::new(Capacity { large_bodies_kib: 2048, ..Capacity::default() });
        let first = places.take_memory(1024 * 1024);
        let second = places.take_memory(1024 * 1024);
        assert!(first.is_some() && second.is_some());
        assert!(places.take_memory(SMALL_BODY + 1).is_none());
        assert!(places.take_memory(SMALL_BODY).is_some());
        assert!(places.take_memory(usize::MAX).is_none());
        drop(first);
        assert!(places.take_memory(SMALL_BODY + 1).is_some());
    }
}
