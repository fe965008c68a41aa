//! Group commit: writes share their waits for the disk.
//!
//! A separate thread takes writes off a queue and commits all waiting ones together: while one commit waits
//! for the disk, the next writes gather. Each write is a savepoint, so a failed write undoes only itself.
//! The caller gets its answer after the commit, never before: success means that the change is on disk. A
//! failed commit fails every write in it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::{
    audit::{self, Origin},
    lock,
};
use base::error::Failure;

/// Maximum number of writes per commit, and the time for which they gather: the first ones wait for the
/// last.
const TOGETHER: usize = 64;
const GATHER: Duration = Duration::from_millis(10);

/// The sending end of the queue; the thread stops when this is dropped.
pub struct Writer {
    queue: Sender<Box<dyn Job>>,
    most_rows: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the thread that writes over `connection`.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot start a thread.
    pub fn start(connection: Arc<Mutex<Connection>>) -> std::io::Result<Writer> {
        let (sender, queue) = channel();
        let most_rows = Arc::new(AtomicU64::new(0));
        let most = most_rows.clone();
        thread::Builder::new().name("writer".into()).spawn(move || serve(&connection, &queue, &most))?;
        Ok(Writer { queue: sender, most_rows })
    }

    /// The most rows that one transaction has changed.
    pub fn most_rows(&self) -> u64 {
        self.most_rows.load(Ordering::Relaxed)
    }

    /// Runs `work` in a transaction and waits until it is committed.
    pub async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let (answer, wait) = oneshot::channel();
        let job = Write { work: Some(work), origin: audit::current(), done: None, answer };
        self.queue.send(Box::new(job)).map_err(|_| Failure::internal("the writing thread has ended"))?;
        wait.await.unwrap_or_else(|_| Err(Failure::internal("the writing thread has ended")))
    }
}

/// A write in the queue.
trait Job: Send {
    /// Executes it; returns whether it succeeded.
    fn run(&mut self, tx: &Transaction<'_>) -> bool;
    /// Answers the caller; `lost` is the reason why nothing was stored, if so.
    fn end(self: Box<Self>, lost: Option<&str>);
}

struct Write<T, F> {
    work: Option<F>,
    origin: Option<Origin>,
    done: Option<Result<T, Failure>>,
    answer: oneshot::Sender<Result<T, Failure>>,
}

impl<T, F> Job for Write<T, F>
where
    T: Send,
    F: FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send,
{
    fn run(&mut self, tx: &Transaction<'_>) -> bool {
        let Some(work) = self.work.take() else { return false };
        // A panic fails this write only: its savepoint undoes what it did.
        let done = catch_unwind(AssertUnwindSafe(|| audit::carried(self.origin, || work(tx))))
            .unwrap_or_else(|_| Err(Failure::internal("a database task ended early: it panicked")));
        let succeeded = done.is_ok();
        self.done = Some(done);
        succeeded
    }

    fn end(self: Box<Self>, lost: Option<&str>) {
        let answer = match (self.done, lost) {
            (Some(Err(failure)), _) => Err(failure),
            (_, Some(why)) => Err(Failure::internal(why.to_owned())),
            (Some(done), None) => done,
            (None, None) => Err(Failure::internal("a database task was never begun")),
        };
        // Nobody waits for the answer of an aborted request.
        let _ = self.answer.send(answer);
    }
}

fn serve(connection: &Mutex<Connection>, queue: &Receiver<Box<dyn Job>>, most_rows: &AtomicU64) {
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        let mut connection = lock(connection);
        let before = connection.total_changes();
        let committed = together(&mut connection, &mut jobs, queue);
        most_rows.fetch_max(connection.total_changes().saturating_sub(before), Ordering::Relaxed);
        drop(connection);
        let lost = committed.err().map(|e| format!("the transaction was not committed: {e}"));
        for job in jobs {
            job.end(lost.as_deref());
        }
    }
}

/// Executes the first of `jobs`, and those that arrive meanwhile, which it adds, in one transaction.
fn together(
    connection: &mut Connection,
    jobs: &mut Vec<Box<dyn Job>>,
    queue: &Receiver<Box<dyn Job>>,
) -> rusqlite::Result<()> {
    // Immediate: a deferred transaction that writes later fails at once if another process (such as the
    // command line) is writing, despite the busy timeout.
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let begun = Instant::now();
    let mut done = 0;
    while let Some(job) = jobs.get_mut(done) {
        tx.prepare_cached("SAVEPOINT one")?.execute([])?;
        let succeeded = job.run(&tx);
        // Some failures (a full disk) make SQLite roll the whole transaction back by itself.
        if tx.is_autocommit() {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT_ROLLBACK),
                Some("it was rolled back".into()),
            ));
        }
        if !succeeded {
            tx.prepare_cached("ROLLBACK TO one")?.execute([])?;
        }
        tx.prepare_cached("RELEASE one")?.execute([])?;
        done += 1;
        if done < TOGETHER
            && begun.elapsed() < GATHER
            && let Ok(next) = queue.try_recv()
        {
            jobs.push(next);
        }
    }
    tx.commit()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::Db;
    use super::*;

    fn model(name: &'static str) -> impl FnOnce(&Transaction<'_>) -> Result<(), Failure> + Send {
        move |tx| {
            tx.execute("INSERT INTO models (name) VALUES (?1)", [name])?;
            Ok(())
        }
    }

    #[tokio::test]
    async fn failed_write_undoes_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        // Hold the writer until all are in the queue, so that they share a transaction.
        let (go, wait) = mpsc::channel::<()>();
        let (begun, is_begun) = mpsc::channel::<()>();
        let blocker = db.clone();
        let first = tokio::spawn(async move {
            blocker
                .write(move |tx| {
                    begun.send(()).unwrap();
                    wait.recv().unwrap();
                    model("first")(tx)
                })
                .await
        });
        tokio::task::spawn_blocking(move || is_begun.recv().unwrap()).await.unwrap();
        let kept = db.write(model("kept"));
        let undone = db.write(|tx| {
            model("undone")(tx)?;
            Err::<(), _>(Failure::conflict("on purpose"))
        });
        let twice = db.write(model("kept"));
        let panics = db.write(|tx| {
            model("panics")(tx)?;
            if tx.is_autocommit() { Ok(()) } else { panic!("on purpose") }
        });
        let last = db.write(model("last"));
        let release = async move { go.send(()).unwrap() };
        let (kept, undone, twice, panics, last, ()) = tokio::join!(kept, undone, twice, panics, last, release);
        first.await.unwrap().unwrap();
        kept.unwrap();
        assert!(matches!(undone, Err(Failure::App(_))));
        assert!(twice.is_err() && panics.is_err());
        last.unwrap();
        // After the answer, a caller finds what they wrote.
        let names = db
            .read(|conn| {
                let mut statement = conn.prepare("SELECT name FROM models ORDER BY id")?;
                Ok(statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?)
            })
            .await
            .unwrap();
        assert_eq!(names, ["first", "kept", "last"]);
    }

    #[tokio::test]
    async fn failed_commit_fails_its_writes_only() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        // A dangling reference, which is checked at the commit.
        let dangling = db
            .write(|tx| {
                tx.execute_batch("PRAGMA defer_foreign_keys = ON")?;
                tx.execute("INSERT INTO handouts (token, study_id, output_id, user_id) VALUES ('t', 9, 9, 9)", [])?;
                Ok(())
            })
            .await;
        assert!(matches!(dangling, Err(Failure::Internal(_))));
        db.write(model("after")).await.unwrap();
        let count = db.read(|c| Ok(c.query_row("SELECT count(*) FROM handouts", [], |r| r.get::<_, i64>(0))?)).await;
        assert_eq!(count.unwrap(), 0);
    }
}
