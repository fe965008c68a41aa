//! Views of code for requests: computed off the async threads, a bounded number at a time, once for each content.
//!
//! An output that does not parse takes up to 0.3 s of processor time, and a submission can consist of such outputs.
//! The first view of each of them waits for a permit; every later one, and every request that is not about code,
//! goes on meanwhile.

use std::{
    num::NonZero,
    sync::{Arc, LazyLock},
};

use app::{
    error::AppError,
    model::code::{CodeView, Remark},
};
use quick_cache::{Weighter, sync::Cache};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::{LONGEST, highlight, make, packed::Packed};
use crate::error::Failure;

/// Views that are kept, by content. A study shows the same outputs again and again, to every rater in another order:
/// those of a large study (16,000 outputs of AixBench's length) take about 25 MiB, packed.
const KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// About how many views that is.
const KEPT: usize = 32_768;

type Key = [u8; 32];

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Arc<Packed>> for ByBytes {
    fn weight(&self, _: &Key, packed: &Arc<Packed>) -> u64 {
        packed.bytes() as u64
    }
}

static VIEWS: LazyLock<Cache<Key, Arc<Packed>, ByBytes>> =
    LazyLock::new(|| Cache::with_weighter(KEPT, KEPT_BYTES, ByBytes));

/// Layouts that are computed at once: half the cores, so that the other half answers requests.
static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Arc::new(Semaphore::new((cores / 2).max(1)))
});

/// How `code` is shown; `said` is what a chat answer said around it. The view names nobody that the two texts do not
/// name.
pub async fn view(code: String, said: String) -> CodeView {
    // In a task of its own: a client that hangs up must not make the next one begin again.
    let view = tokio::spawn(computed(code.clone(), said.clone())).await;
    match view.map_err(Failure::internal).and_then(|view| view) {
        Ok(view) => view,
        Err(failure) => {
            // Logged here. A rater can read code without colours, and an error page would stop them.
            let _logged = AppError::from(failure);
            CodeView { raw: highlight::plain(&code), remark: Some(Remark::DoesNotParse), said, ..CodeView::default() }
        }
    }
}

async fn computed(code: String, said: String) -> Result<CodeView, Failure> {
    if code.len() > LONGEST {
        // Not laid out: splitting it into lines takes less than reading a packed view.
        return Ok(CodeView { said, ..make(&code) });
    }
    let key: Key = Sha256::digest(code.as_bytes()).into();
    // Requests for the same content wait here for the first of them, without a permit.
    let packed = VIEWS.get_or_insert_async(&key, lay_out(code)).await?;
    let unpack = move || packed.view(&said).ok_or_else(|| Failure::internal("a kept view cannot be read"));
    tokio::task::spawn_blocking(unpack).await.map_err(Failure::internal)?
}

async fn lay_out(code: String) -> Result<Arc<Packed>, Failure> {
    let permit = PERMITS.clone().acquire_owned().await.map_err(Failure::internal)?;
    let work = move || {
        let _permit = permit;
        #[cfg(test)]
        tests::note(&code);
        Packed::of(&make(&code)).ok_or_else(|| Failure::internal("a view cannot be packed"))
    };
    tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?.map(Arc::new)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashMap,
        sync::{Mutex, PoisonError},
        thread::{self, ThreadId},
    };

    use super::*;

    /// On which threads code was laid out.
    static MADE: Mutex<Option<HashMap<String, Vec<ThreadId>>>> = Mutex::new(None);

    pub(super) fn note(code: &str) {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.get_or_insert_default().entry(code.to_owned()).or_default().push(thread::current().id());
    }

    fn made(code: &str) -> Vec<ThreadId> {
        let made = MADE.lock().unwrap();
        made.as_ref().and_then(|made| made.get(code)).cloned().unwrap_or_default()
    }

    /// Code of `length` bytes that does not parse.
    fn broken(name: &str, length: usize) -> String {
        let unit = format!("( {name} < ");
        unit.repeat(length / unit.len())
    }

    #[tokio::test]
    async fn equal_code_is_laid_out_once_and_off_the_async_thread() {
        for length in [200, 15_000, 17_000, 31_000] {
            let code = broken("once", length);
            let all = (0..16).map(|n| view(code.clone(), format!("said {n}")));
            let views = futures::future::join_all(all).await;
            for (n, one) in views.iter().enumerate() {
                assert_eq!(one.said, format!("said {n}"));
                assert_eq!((&one.raw, one.remark), (&views[0].raw, Some(Remark::Truncated)));
            }
            view(code.clone(), String::new()).await;
            let [thread] = made(&code)[..] else { panic!("{length} bytes: {} times", made(&code).len()) };
            assert_ne!(thread, thread::current().id());
        }
    }

    #[tokio::test]
    async fn known_code_is_shown_while_every_permit_is_taken() {
        let known = broken("known", 500);
        let first = view(known.clone(), String::new()).await;
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let all = u32::try_from((cores / 2).max(1)).unwrap();
        let taken = PERMITS.clone().acquire_many_owned(all).await.unwrap();
        assert_eq!(view(known, String::new()).await, first);
        let long = view("x\n".repeat(LONGEST), String::new()).await;
        assert!(long.laid_out.is_none());
        let unknown = tokio::spawn(view(broken("unknown", 500), String::new()));
        tokio::task::yield_now().await;
        assert!(!unknown.is_finished());
        drop(taken);
        unknown.await.unwrap();
    }
}
