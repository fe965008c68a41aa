//! Views of code for requests: computed off the async threads, a bounded number at a time, once per content, and once more
//! for each item of a rater.
//!
//! An output that does not parse takes up to 0.3 s of CPU time, and a submission can consist of such
//! outputs. The first view of each of them waits for a permit; later views, and requests without code,
//! continue meanwhile.

use std::{
    num::NonZero,
    sync::{Arc, LazyLock},
};

use model::{
    code::{CodeView, Remark, visible},
    code_lang::CodeLang,
    error::AppError,
    ids::Token,
};
use quick_cache::{Weighter, sync::Cache};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::{LONGEST, highlight, make, packed::Packed};
use base::error::Failure;

/// Size of the cache. Views of 16,000 outputs of AixBench's length take about 25 MiB, packed.
const KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// Approximate number of these views.
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

/// Views computed at the same time: half the cores, so that the other half answers requests.
static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Arc::new(Semaphore::new((cores / 2).max(1)))
});

/// The view of `code` in this programming language, with the text around it in a chat response. The view adds
/// no identity beyond what the two texts contain.
pub async fn view(code: String, surrounding_text: String, lang: CodeLang) -> CodeView {
    view_in(String::new(), code, surrounding_text, lang).await
}

/// The same for an item that a rater rates. Each item has a view of its own, so that the time of an answer does not tell
/// whether another rater, or this one under another name, has had the same code: of most work nobody has, of a hidden check
/// somebody has.
pub async fn view_of_item(item: &Token, code: String, surrounding_text: String, lang: CodeLang) -> CodeView {
    view_in(item.0.clone(), code, surrounding_text, lang).await
}

/// `scope` separates views of equal code.
async fn view_in(scope: String, code: String, surrounding_text: String, lang: CodeLang) -> CodeView {
    let surrounding_text = visible(&surrounding_text).into_owned();
    // In a separate task, so that the work continues if the client disconnects, and the next request need not start
    // again.
    let view = tokio::spawn(computed(scope, code.clone(), surrounding_text.clone(), lang)).await;
    match view.map_err(Failure::internal).and_then(|view| view) {
        Ok(view) => view,
        Err(failure) => {
            // Logged here. A rater can read code without highlighting, and an error page would stop them.
            let _logged = AppError::from(failure);
            let remark = (lang == CodeLang::Java).then_some(Remark::DoesNotParse);
            CodeView { raw: highlight::plain(&code), remark, surrounding_text, ..CodeView::default() }
        }
    }
}

async fn computed(scope: String, code: String, surrounding_text: String, lang: CodeLang) -> Result<CodeView, Failure> {
    if code.len() > LONGEST {
        // Not formatted: splitting it into lines is faster than unpacking a view.
        return Ok(CodeView { surrounding_text, ..make(&code, lang) });
    }
    let hash = [scope.as_str(), lang.code(), &code]
        .into_iter()
        .fold(Sha256::new(), |hash, part| hash.chain_update(part.len().to_le_bytes()).chain_update(part));
    let key: Key = hash.finalize().into();
    // Requests for the same content wait here for the first one, without a permit.
    let packed = VIEWS.get_or_insert_async(&key, lay_out(code, lang)).await?;
    let unpack =
        move || packed.view(&surrounding_text).ok_or_else(|| Failure::internal("a cached view cannot be decoded"));
    tokio::task::spawn_blocking(unpack).await.map_err(Failure::internal)?
}

async fn lay_out(code: String, lang: CodeLang) -> Result<Arc<Packed>, Failure> {
    let permit = PERMITS.clone().acquire_owned().await.map_err(Failure::internal)?;
    let work = move || {
        let _permit = permit;
        #[cfg(test)]
        tests::note(&code);
        Packed::of(&make(&code, lang)).ok_or_else(|| Failure::internal("a view cannot be packed"))
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

    /// The threads on which code was formatted.
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
    async fn equal_code_is_formatted_once_off_the_async_thread() {
        for length in [200, 15_000, 17_000, 31_000] {
            let code = broken("once", length);
            let all = (0..16).map(|n| view(code.clone(), format!("said {n}"), CodeLang::Java));
            let views = futures::future::join_all(all).await;
            for (n, one) in views.iter().enumerate() {
                assert_eq!(one.surrounding_text, format!("said {n}"));
                assert_eq!((&one.raw, one.remark), (&views[0].raw, Some(Remark::Truncated)));
            }
            view(code.clone(), String::new(), CodeLang::Java).await;
            let [thread] = made(&code)[..] else { panic!("{length} bytes: {} times", made(&code).len()) };
            assert_ne!(thread, thread::current().id());
        }
    }

    #[tokio::test]
    async fn the_same_code_is_formatted_once_for_each_item() {
        let code = broken("each", 500);
        let of = |item: &str| {
            let (item, code) = (Token(item.to_owned()), code.clone());
            async move { view_of_item(&item, code, String::new(), CodeLang::Java).await }
        };
        let views = futures::future::join_all(["a", "b", "a", "b", "a"].map(of)).await;
        assert!(views.iter().all(|one| *one == views[0]));
        assert_eq!(made(&code).len(), 2);
        assert_eq!(view(code.clone(), String::new(), CodeLang::Java).await, views[0]);
        assert_eq!(made(&code).len(), 3);
    }

    #[tokio::test]
    async fn cached_code_needs_no_permit() {
        let known = broken("known", 500);
        let first = view(known.clone(), String::new(), CodeLang::Java).await;
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let all = u32::try_from((cores / 2).max(1)).unwrap();
        let taken = PERMITS.clone().acquire_many_owned(all).await.unwrap();
        assert_eq!(view(known, String::new(), CodeLang::Java).await, first);
        let long = view("x\n".repeat(LONGEST), String::new(), CodeLang::Java).await;
        assert!(long.laid_out.is_none());
        let unknown = tokio::spawn(view(broken("unknown", 500), String::new(), CodeLang::Java));
        tokio::task::yield_now().await;
        assert!(!unknown.is_finished());
        drop(taken);
        unknown.await.unwrap();
    }
}
