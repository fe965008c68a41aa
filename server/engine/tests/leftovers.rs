//! Hostile outputs leave nothing behind on the host. A separate test program, because it inspects all
//! processes that it has started.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use engine::{
    grader::{Grader, Task, Worker},
    runner::Allowance,
    suite::{TestKind, TestTree},
};
use sandbox::bubblewrap::Bubblewrap;

#[test]
fn hostile_outputs_leave_nothing_behind() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
    let program = prerequisites::program();
    // Its own, because other test programs prepare files in theirs at the same time.
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("leftovers");
    fs::create_dir_all(&folder).unwrap();
    let test = fs::read(fixtures.join("tests/SumTest.java")).unwrap();
    let tree: TestTree = BTreeMap::from([("tests/SumTest.java".to_owned(), test)]);
    let class = "aixgrade.fixture.SumTest".to_owned();
    let classes = BTreeSet::from([class.clone()]);
    let task = Task { test_class: class, signature: None };
    for fast in [false, true] {
        let allowance = Allowance { cpu_s: 2, wait_s: 5, heap_mib: 64, threads: 16, fast, dates: None };
        let sandbox = Arc::new(Bubblewrap::new(program.clone()).unwrap());
        let grader = Grader::prepare(sandbox, &folder, TestKind::Aixgrade, &tree, &classes, allowance, 1).unwrap();
        let before = files(&folder);
        let mut worker = Worker::new(Arc::new(grader), Arc::default());
        for name in [
            "crashed_output_flood",
            "failed_exec",
            "failed_fills_the_disk",
            "failed_left_over_threads",
            "failed_writes_outside",
            "no_result_halt",
            "out_of_memory_threads",
            "timeout_deadlock",
            "timeout_endless_loop",
        ] {
            let code = fs::read_to_string(fixtures.join(format!("outputs/{name}.java"))).unwrap();
            let outcome = worker.grade(&task, &code).unwrap();
            assert!(name.starts_with(outcome.verdict.name()), "{name}: {outcome:#?}");
        }
        assert!(!descendants().is_empty(), "the worker keeps a JVM ready, which this test must be able to see");
        drop(worker);
        assert_eq!(descendants(), Vec::<String>::new(), "processes were left");
        assert_eq!(files(&folder), before, "files were left");
    }
}

/// The names of this process's children and their descendants.
fn descendants() -> Vec<String> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // Gone meanwhile, or hidden because it belongs to another user.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // `pid (name) state ppid …`; a name may contain anything.
        let (head, tail) = stat.rsplit_once(") ").unwrap();
        let parent: u32 = tail.split(' ').nth(1).unwrap().parse().unwrap();
        parents.insert(pid, (parent, head.split_once('(').unwrap().1.to_owned()));
    }
    let ours = |mut pid: u32| {
        while let Some((parent, _)) = parents.get(&pid) {
            if *parent == std::process::id() {
                return true;
            }
            pid = *parent;
        }
        false
    };
    parents.iter().filter(|(pid, _)| ours(**pid)).map(|(_, (_, name))| name.clone()).collect()
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let list = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    // The Java images are large and read-only inside: their folders' names are enough.
    list(folder).into_iter().collect()
}
