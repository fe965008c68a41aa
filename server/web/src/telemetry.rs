//! Figures that the server records about itself for monitoring.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
};
use tokio::{sync::Mutex, time::timeout};

use db::Db;

/// Requests by route.
#[derive(Clone)]
pub struct Requests {
    /// Number of requests.
    pub count: Family<Answered, Counter>,
    /// Time until the response begins, in seconds.
    pub seconds: Family<Routed, Histogram, fn() -> Histogram>,
}

/// The labels of an answered request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// The label of a route.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Routed {
    route: String,
}

/// Upper ends of the buckets, in seconds. The targets of docs/operating.md are among them: 50 and 100 ms.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

impl Default for Requests {
    fn default() -> Requests {
        let histogram = || Histogram::new(BUCKETS);
        Requests { count: Family::default(), seconds: Family::new_with_constructor(histogram) }
    }
}

impl Requests {
    /// Counts a request. `elapsed` is the time until its response began.
    pub fn record(&self, method: &'static str, route: String, status: u16, elapsed: Duration) {
        self.seconds.get_or_create(&Routed { route: route.clone() }).observe(elapsed.as_secs_f64());
        self.count.get_or_create(&Answered { method, route, status }).inc();
    }
}

/// How long an answer about readiness counts, so that asking often costs nothing.
const FRESH: Duration = Duration::from_secs(1);

/// How long the database may take to answer before the server is not ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the server can serve people, asked at most once a second.
#[derive(Clone, Default)]
pub struct Readiness(Arc<Mutex<Option<Asked>>>);

/// When the database was asked, and why it is not ready, if so.
type Asked = (Instant, Result<(), &'static str>);

impl Readiness {
    /// Whether the database can be read and written.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn check(&self, db: &Db) -> Result<(), &'static str> {
        let mut last = self.0.lock().await;
        if let Some((asked, answer)) = *last
            && asked.elapsed() < FRESH
        {
            return answer;
        }
        let answer = ready(db).await;
        *last = Some((Instant::now(), answer));
        answer
    }
}

async fn ready(db: &Db) -> Result<(), &'static str> {
    let read = db.read(|conn| Ok(conn.query_row("SELECT 1", [], |_| Ok(()))?));
    match timeout(PATIENCE, read).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) => return Err("the database cannot be read"),
        Err(_) => return Err("the database does not answer: all readers are busy"),
    }
    // An empty transaction takes the lock and writes nothing.
    match timeout(PATIENCE, db.write(|_| Ok(()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err("the database cannot be written"),
        Err(_) => Err("the database does not answer: the writer is busy"),
    }
}
