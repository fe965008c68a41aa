//! The tests of a dataset version, as the database has them, and as they are sent to workers on other machines.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use model::{
    code_lang::CodeLang,
    conversation::Way,
    dataset,
    ids::{DatasetVersionId, TaskRevisionId},
    reason::Fault,
};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::job::{Job, JobKind};
use base::error::Failure;
use db::{
    datasets,
    runs::{self, Leased},
};
use engine::suite::{TestKind, TestTree};
use lang::suite;

/// Tests, ready to be prepared by a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tests {
    /// Test classes: their format, the classes that tasks name, and their files.
    Classes(TestKind, BTreeSet<String>, TestTree),
    /// Test programs: the texts of each language.
    Programs(BTreeMap<CodeLang, Vec<String>>),
    /// Conversations of CodeIF-Bench: the text of each task's tests.
    Conversations(Vec<String>),
    /// The same at repository level. They run only where the operator has the projects' sources, so they are not sent.
    Repositories(Vec<String>),
}

/// Tests of a dataset version, with what is needed to make jobs of its outputs.
pub struct VersionTests {
    pub tests: Tests,
    /// The [`suite::digest`] of each task's tests, if they are programs.
    digests: HashMap<TaskRevisionId, String>,
}

impl VersionTests {
    /// Reads the tests of a dataset version.
    ///
    /// # Errors
    /// Fails if the database cannot be read. The inner fault says why the version has no usable tests.
    pub fn load(conn: &Connection, version: DatasetVersionId) -> Result<Result<VersionTests, Fault>, Failure> {
        let kind = datasets::test_kind(conn, version)?;
        if let Some(kind) = kind.filter(|kind| kind.is_conversation()) {
            let tests = runs::task_tests(conn, version)?;
            let digests = tests.iter().map(|(revision, _, text)| (*revision, suite::digest(text))).collect();
            let texts = tests.into_iter().map(|(.., text)| text).collect();
            let tests = match kind {
                dataset::TestKind::Repositories => Tests::Repositories(texts),
                _ => Tests::Conversations(texts),
            };
            return Ok(Ok(VersionTests { tests, digests }));
        }
        if kind.is_some_and(dataset::TestKind::is_program) {
            let (mut programs, mut digests) = (BTreeMap::<_, Vec<String>>::new(), HashMap::new());
            for (revision, lang, text) in runs::task_tests(conn, version)? {
                digests.insert(revision, suite::digest(&text));
                programs.entry(lang).or_default().push(text);
            }
            return Ok(Ok(VersionTests { tests: Tests::Programs(programs), digests }));
        }
        let Some((kind, tree)) = datasets::tests(conn, version)? else { return Ok(Err(Fault::NoTests)) };
        let Some(kind) = TestKind::from_name(kind.name()) else {
            return Ok(Err(Fault::System { detail: format!("no test classes: {}", kind.name()) }));
        };
        let classes = runs::test_classes(conn, version)?.into_iter().collect();
        Ok(Ok(VersionTests { tests: Tests::Classes(kind, classes, tree), digests: HashMap::new() }))
    }

    /// The job of a leased item.
    pub fn job(&self, item: &Leased) -> Job {
        let (kind, tests) = match self.tests {
            Tests::Classes(..) => (JobKind::Classes, item.test_class.clone()),
            Tests::Programs(_) => (JobKind::Programs(item.code_lang), self.digests.get(&item.revision).cloned()),
            Tests::Conversations(_) | Tests::Repositories(_) => {
                (JobKind::Conversations, self.digests.get(&item.revision).cloned())
            }
        };
        Job {
            item: item.item,
            attempt: item.attempt,
            kind,
            // Without tests, the engine fails on the output and says so.
            tests: tests.unwrap_or_default(),
            signature: item.signature.clone(),
            prompt: item.prompt.clone(),
            published_text: item.published_text.clone(),
            code: item.code.clone(),
            turn: item.turn,
            answered: item.answered.clone().filter(|_| matches!(self.tests, Tests::Repositories(_))),
            alone: item.alone,
        }
    }

    /// The job of an answer in a conversation that belongs to no run.
    pub fn answer_job(&self, revision: TaskRevisionId, (way, turn): (Way, u32), code: String) -> Job {
        Job {
            item: 0,
            attempt: 1,
            kind: JobKind::Conversations,
            // Without tests, the engine fails on the answer and says so.
            tests: self.digests.get(&revision).cloned().unwrap_or_default(),
            signature: None,
            prompt: None,
            published_text: None,
            code,
            turn: Some((way, turn)),
            answered: None,
            alone: false,
        }
    }

    /// The suites to send: one for each kind of job, so that a worker needs the toolchains of its own languages only.
    ///
    /// # Errors
    /// Fails if a suite cannot be encoded.
    pub fn bundles(&self) -> Result<BTreeMap<JobKind, Bundle>, Failure> {
        let bundle = |kind, content: &Content| {
            let bytes = serde_json::to_vec(content)?;
            Ok((kind, Bundle { name: hex::encode(Sha256::digest(&bytes)), bytes }))
        };
        match &self.tests {
            Tests::Classes(kind, classes, tree) => {
                let files = tree.iter().map(|(path, bytes)| (path.clone(), STANDARD.encode(bytes))).collect();
                let content = Content::Classes { format: kind.name().to_owned(), classes: classes.clone(), files };
                Ok(BTreeMap::from([bundle(JobKind::Classes, &content)?]))
            }
            Tests::Repositories(_) => Ok(BTreeMap::new()),
            Tests::Conversations(tests) => {
                let content = Content::Conversations { tests: tests.clone() };
                Ok(BTreeMap::from([bundle(JobKind::Conversations, &content)?]))
            }
            Tests::Programs(programs) => {
                let each = programs.iter().map(|(lang, tests)| {
                    bundle(JobKind::Programs(*lang), &Content::Programs { lang: *lang, tests: tests.clone() })
                });
                each.collect()
            }
        }
    }
}

/// A suite as bytes, named by their SHA-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What the bytes of a [`Bundle`] contain. The maps and sets are ordered, so that the same tests have the same name.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Content {
    Classes { format: String, classes: BTreeSet<String>, files: BTreeMap<String, String> },
    Programs { lang: CodeLang, tests: Vec<String> },
    Conversations { tests: Vec<String> },
}

/// Whether a text is the name of a bundle, and thus safe as a file name.
pub fn is_name(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Reads the bytes of the bundle `name`.
///
/// # Errors
/// Says what is wrong with bytes that are not this bundle.
pub fn open(name: &str, bytes: &[u8]) -> Result<Tests, String> {
    if hex::encode(Sha256::digest(bytes)) != name {
        return Err(format!("the suite {name} does not have this checksum"));
    }
    let content: Content = serde_json::from_slice(bytes).map_err(|e| format!("the suite {name}: {e}"))?;
    match content {
        Content::Conversations { tests } => Ok(Tests::Conversations(tests)),
        Content::Programs { lang, tests } => Ok(Tests::Programs(BTreeMap::from([(lang, tests)]))),
        Content::Classes { format, classes, files } => {
            let kind =
                TestKind::from_name(&format).ok_or_else(|| format!("the suite {name}: unknown format {format}"))?;
            let decoded = files.into_iter().map(|(path, text)| {
                let bytes = STANDARD.decode(text).map_err(|e| format!("the suite {name}, {path}: {e}"))?;
                Ok((path, bytes))
            });
            Ok(Tests::Classes(kind, classes, decoded.collect::<Result<_, String>>()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_have_one_name_for_one_content_and_refuse_other_bytes() {
        let tree = BTreeMap::from([("a/Test.java".to_owned(), vec![0, 159, 146]), ("b".to_owned(), Vec::new())]);
        let classes = Tests::Classes(TestKind::Aixbench, BTreeSet::from(["a.Test".to_owned()]), tree);
        let texts = |lang| vec![format!("{lang} one"), format!("{lang} two")];
        let programs =
            Tests::Programs([CodeLang::Python, CodeLang::Go].into_iter().map(|lang| (lang, texts(lang))).collect());
        let conversations = Tests::Conversations(vec!["one".into(), "two".into()]);
        for tests in [classes, programs, conversations] {
            let version = VersionTests { tests: tests.clone(), digests: HashMap::new() };
            let bundles = version.bundles().unwrap();
            assert_eq!(bundles, version.bundles().unwrap());
            for (kind, bundle) in &bundles {
                assert!(is_name(&bundle.name));
                let opened = open(&bundle.name, &bundle.bytes).unwrap();
                match (&tests, opened, kind) {
                    (Tests::Programs(all), Tests::Programs(one), JobKind::Programs(lang)) => {
                        assert_eq!(one, BTreeMap::from([(*lang, all[lang].clone())]));
                    }
                    (all, one, _) => assert_eq!(*all, one),
                }
                let mut changed = bundle.bytes.clone();
                changed.push(b' ');
                assert!(open(&bundle.name, &changed).unwrap_err().contains("checksum"));
            }
        }
        for unsafe_name in ["../../../etc/passwd", "", "ABCDEF"] {
            assert!(!is_name(unsafe_name));
        }
    }
}
