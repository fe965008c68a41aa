//! The bench of channels: what one sandbox does must be invisible in another one.
//!
//! `fixtures/channels.cpp` tries what a program can try, in sandboxes of this machine, as the user who runs the tests
//! and, if that is root, as an ordinary user too, who has no control groups. Nothing here looks at a clock: the kernel
//! itself counts what a program changed or had to wait for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::BTreeSet,
    fs,
    os::{
        fd::AsFd,
        unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use benchmarks::humaneval;
use engine::stop::Stop;
use lang::{
    Places, PublishedProgram, RunContext,
    grader::{self, Sample},
    process::Budget,
};
use model::{
    code_lang::CodeLang,
    run::{PublishedVerdict, Verdict},
};
use prerequisites::PATIENCE;
use sandbox::{Child, Command, Limits, Profile, Sandbox, bubblewrap::Bubblewrap, tool};

/// The profiles under which model code runs.
const PROFILES: [Profile; 2] = [Profile::Run, Profile::EventLoop];

/// Programs of this size may use this much memory.
const DATA_BYTES: u64 = 64 << 20;

/// A folder that every user can read, with the built program.
struct Bench {
    folder: tempfile::TempDir,
    sandbox: Arc<dyn Sandbox>,
}

impl Bench {
    /// `None` without a compiler: the test is skipped by name.
    fn prerequisites_of_channels() -> Option<Bench> {
        let places = Places::from_environment();
        prerequisites::toolchain("cpp", (lang::language(CodeLang::Cpp).unwrap().look)(&places))?;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/channels.cpp");
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let arguments = ["-static".to_owned(), "-o".to_owned(), text(&folder.path().join("channels")), text(&source)];
        tool::run(Path::new("/usr/bin/g++"), arguments).unwrap();
        let sandbox = Arc::new(Bubblewrap::new(prerequisites::program()).unwrap());
        Some(Bench { folder, sandbox })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of this many pages, on the disk and in no cache.
    fn cold_file(&self, name: &str, pages: usize) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, vec![7; pages << 12]).unwrap();
        let file = fs::File::open(&path).unwrap();
        file.sync_all().unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        path
    }

    /// Starts the program, and waits until it has tried everything. It stays until it is ended.
    fn start(&self, profile: Profile, what: &str, shown: &[(PathBuf, String)], paths: &[&str]) -> Child {
        let mut argv: Vec<String> = ["/program/channels", what, "{control}"].map(str::to_owned).into();
        argv.extend(paths.iter().map(|&path| path.to_owned()));
        let mut child = self.sandbox.start(&self.command(argv, profile, shown)).unwrap();
        if let Err(error) = child.receive(1, Instant::now() + PATIENCE) {
            let (report, printed, _) = child.end(Instant::now()).unwrap();
            panic!("{what}: {error}, {report:?}, {printed}");
        }
        child
    }

    fn command(&self, argv: Vec<String>, profile: Profile, shown: &[(PathBuf, String)]) -> Command {
        let mut read_only = shown.to_vec();
        read_only.push((self.path("channels"), "/program/channels".to_owned()));
        let limits = Limits {
            cpu_s: 20,
            data_bytes: DATA_BYTES,
            threads: 8,
            file_bytes: 1 << 30,
            open_files: 64,
            scratch_bytes: 16 << 20,
            scratch_files: 64,
            printed_bytes: 1 << 20,
        };
        let scratch = ["/work", "/tmp"].map(str::to_owned).into();
        Command {
            argv,
            env: Vec::new(),
            read_only,
            copies: Vec::new(),
            scratch,
            limits,
            profile,
            keep: None,
            control_is_input: false,
        }
    }

    /// What the program printed.
    fn run(&self, profile: Profile, what: &str, shown: &[(PathBuf, String)], paths: &[&str]) -> String {
        end(self.start(profile, what, shown, paths))
    }
}

/// The attempts of a command that succeeded.
fn done_by(bench: &Bench, command: &Command) -> Vec<String> {
    let mut child = bench.sandbox.start(command).unwrap();
    child.receive(1, Instant::now() + PATIENCE).unwrap();
    done(&end(child)).into_iter().map(str::to_owned).collect()
}

fn end(mut child: Child) -> String {
    child.send(b"x").unwrap();
    let (report, printed, _) = child.end(Instant::now() + PATIENCE).unwrap();
    assert_eq!((report.code, report.fault), (Some(0), None), "{printed}");
    printed
}

/// The attempts that succeeded, once each.
fn done(printed: &str) -> Vec<&str> {
    let mut names: Vec<&str> =
        printed.lines().filter_map(|line| line.strip_prefix("done ")?.split_whitespace().next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs a test as this user, with the control groups of this host and without, and, if that is root, again as a user
/// without rights.
fn as_every_user(name: &str, test: impl Fn(&Bench)) {
    const AGAIN: &str = "AIXGRADE_CHANNELS_AS_ORDINARY_USER";
    let Some(bench) = Bench::prerequisites_of_channels() else { return };
    test(&bench);
    if bench.sandbox.optional_layers().groups.is_some() {
        let Some(bench) = Bench::prerequisites_of_channels() else { return };
        let sandbox = Bubblewrap::new(prerequisites::program()).unwrap().without_groups();
        test(&Bench { sandbox: Arc::new(sandbox), ..bench });
    }
    if !rustix::process::geteuid().is_root() || std::env::var_os(AGAIN).is_some() {
        return;
    }
    // `setpriv` is a part of util-linux, like `mount`.
    let program = std::env::current_exe().unwrap();
    let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"].map(str::to_owned);
    let again = [program.to_string_lossy().into_owned(), "--exact".to_owned(), name.to_owned()];
    let Some(setpriv) = prerequisites::host(sandbox::bubblewrap::find("setpriv").ok_or("setpriv is not installed"))
    else {
        return;
    };
    let environment = [(AGAIN, "1"), ("TMPDIR", "/tmp")];
    tool::run_in(Path::new("/"), &environment, &setpriv, identity.iter().chain(&again)).unwrap();
}

/// Everything that `stat` shows of a path itself.
fn attributes(path: &Path) -> String {
    let found = fs::symlink_metadata(path).unwrap();
    let times =
        [found.atime(), found.atime_nsec(), found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
    let owner = (found.uid(), found.gid(), found.mode(), found.nlink());
    format!("{owner:?} {} {} {} {times:?}", found.ino(), found.size(), found.blocks())
}

#[test]
fn a_sandbox_changes_no_attribute_of_anything_on_the_host() {
    as_every_user("a_sandbox_changes_no_attribute_of_anything_on_the_host", |bench| {
        let folder = bench.path("seen");
        fs::create_dir_all(folder.join("below")).unwrap();
        fs::write(folder.join("file"), vec![7; 8192]).unwrap();
        fs::write(folder.join("below/file"), "x").unwrap();
        symlink("file", folder.join("link")).unwrap();
        for path in ["", "below", "file", "below/file"] {
            fs::set_permissions(folder.join(path), fs::Permissions::from_mode(0o777)).unwrap();
        }
        let single = bench.path("single");
        fs::write(&single, "x").unwrap();
        fs::set_permissions(&single, fs::Permissions::from_mode(0o666)).unwrap();
        if rustix::process::geteuid().is_root() {
            // The worst case: the sandbox's user owns a file.
            chown(&single, Some(1000), Some(1000)).unwrap();
        }
        let shown = [(folder.clone(), "/seen".to_owned()), (single.clone(), "/single".to_owned())];
        let inside = [
            "/seen",
            "/seen/below",
            "/seen/file",
            "/seen/below/file",
            "/seen/link",
            "/single",
            "/dev/null",
            "/dev/random",
            "/dev/urandom",
            "/program/channels",
            "/program",
            "/dev",
            "/",
        ];
        let on_host: Vec<PathBuf> = ["", "below", "file", "below/file", "link"]
            .map(|name| folder.join(name))
            .into_iter()
            .chain([single, bench.path("channels")])
            .chain(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"].map(PathBuf::from))
            .collect();
        for profile in PROFILES {
            let before: Vec<String> = on_host.iter().map(|path| attributes(path)).collect();
            let printed = bench.run(profile, "disturb", &shown, &inside);
            let after: Vec<String> = on_host.iter().map(|path| attributes(path)).collect();
            assert_eq!(after, before, "{profile:?}");
            assert_eq!(done(&printed), Vec::<&str>::new(), "{profile:?}");
        }
        // A change outside of the sandbox is seen.
        let before = attributes(&on_host[2]);
        fs::set_permissions(&on_host[2], fs::Permissions::from_mode(0o700)).unwrap();
        assert_ne!(attributes(&on_host[2]), before);
    });
}

#[test]
fn locks_of_a_sandbox_are_invisible_in_another_one() {
    as_every_user("locks_of_a_sandbox_are_invisible_in_another_one", |bench| {
        let file = bench.path("file");
        fs::write(&file, "x").unwrap();
        let shown = [(file, "/file".to_owned())];
        let paths = ["/file", "/dev/null", "/dev/urandom", "/program/channels", "/program"];
        for profile in PROFILES {
            let alone = bench.run(profile, "lock", &shown, &paths);
            let holder = bench.start(profile, "lock", &shown, &paths);
            assert_eq!(bench.run(profile, "lock", &shown, &paths), alone, "{profile:?}");
            assert_eq!(end(holder), alone, "{profile:?}");
            assert_eq!(
                done(&alone),
                ["exclusive", "open-record", "record"],
                "honest programs may lock their own files"
            );
        }
    });
}

#[test]
fn the_limit_of_memory_counts_every_kind_of_memory() {
    as_every_user("the_limit_of_memory_counts_every_kind_of_memory", |bench| {
        for profile in PROFILES {
            let printed = bench.run(profile, "memory", &[], &[]);
            assert_eq!(done(&printed), Vec::<&str>::new(), "{profile:?}");
            // Within the limit, the same attempts succeed.
            let argv = ["/program/channels", "memory", "{control}"].map(str::to_owned).into();
            let mut command = bench.command(argv, profile, &[]);
            command.limits.data_bytes = 4 << 30;
            let done = done_by(bench, &command);
            assert!(
                ["private", "private-later", "heap"].iter().all(|way| done.iter().any(|one| one == way)),
                "{done:?}"
            );
        }
    });
}

#[test]
fn a_sandbox_sees_no_state_of_the_host() {
    as_every_user("a_sandbox_sees_no_state_of_the_host", |bench| {
        let printed = bench.run(Profile::Run, "host", &[], &[]);
        assert_eq!(done(&printed), Vec::<&str>::new());
        let printed = bench.run(Profile::EventLoop, "host", &[], &[]);
        assert_eq!(done(&printed), ["pipe", "socketpair"], "the event loops of Node.js and Go need them");
        // A compiler, which runs no sample, sees what the others do not.
        let seen = bench.run(Profile::Build, "host", &[], &[]);
        assert!(["sysinfo", "statfs", "fstatfs"].iter().all(|call| done(&seen).contains(call)), "{seen}");
    });
}

#[test]
fn every_sandbox_sees_the_same_numbers() {
    as_every_user("every_sandbox_sees_the_same_numbers", |bench| {
        for profile in PROFILES {
            let first = bench.start(profile, "numbers", &[], &[]);
            let second = bench.run(profile, "numbers", &[], &[]);
            assert_eq!(end(first), second, "{profile:?}");
            assert!(second.contains("process 1\n"), "{profile:?}: the program is the first process\n{second}");
        }
    });
}

/// The kernel counts pending signals by user, and all sandboxes of a server that is not root have one user.
#[test]
fn a_sandbox_does_not_use_up_the_signals_of_another_one() {
    as_every_user("a_sandbox_does_not_use_up_the_signals_of_another_one", |bench| {
        for profile in PROFILES {
            let alone = bench.run(profile, "pending", &[], &[]);
            let first = bench.start(profile, "pending", &[], &[]);
            let second = bench.start(profile, "pending", &[], &[]);
            assert_eq!(bench.run(profile, "pending", &[], &[]), alone, "{profile:?}");
            assert_eq!((end(first), end(second)), (alone.clone(), alone.clone()), "{profile:?}");
            let count: u32 = alone.trim().strip_prefix("pending ").unwrap().parse().unwrap();
            assert!((1..=128).contains(&count), "{profile:?}: {count}");
        }
    });
}

#[test]
fn pages_of_a_file_that_a_sandbox_loads_are_not_those_of_its_copy() {
    as_every_user("pages_of_a_file_that_a_sandbox_loads_are_not_those_of_its_copy", |bench| {
        const PAGES: usize = 32;
        let (judging, solving) = (bench.cold_file("judging", PAGES), bench.cold_file("solving", PAGES));
        let seen = |file: &PathBuf| [(file.clone(), "/file".to_owned())];
        let probe = bench.run(Profile::Run, "pages", &seen(&bench.cold_file("probe", PAGES)), &["/file"]);
        let has_disk = if probe.contains('1') { Ok(()) } else { Err("temporary files are in memory only") };
        if prerequisites::host(has_disk).is_none() {
            return;
        }
        for profile in PROFILES {
            // A program that has tests loads every second page of the file, as it could to send bits.
            bench.run(profile, "warm", &seen(&judging), &["/file"]);
            // The program that has none finds its own copy as cold as ever, and the sender's as the sender left it.
            let cold = bench.run(profile, "pages", &seen(&solving), &["/file"]);
            assert_eq!(cold.trim(), format!("pages {}", "1".repeat(PAGES)), "{profile:?}");
            let left = format!("pages {}", "01".repeat(PAGES / 2));
            let mut sent = bench.run(profile, "pages", &seen(&judging), &["/file"]);
            // A kernel that is short of memory drops pages; they are loaded again.
            for _ in 0..5 {
                if sent.trim() == left {
                    break;
                }
                bench.cold_file("judging", PAGES);
                bench.run(profile, "warm", &seen(&judging), &["/file"]);
                sent = bench.run(profile, "pages", &seen(&judging), &["/file"]);
            }
            assert_eq!(sent.trim(), left, "{profile:?}: one file is a channel");
            bench.cold_file("judging", PAGES);
            bench.cold_file("solving", PAGES);
        }
    });
}

#[test]
fn names_that_were_looked_up_are_known_in_the_same_folder_only() {
    as_every_user("names_that_were_looked_up_are_known_in_the_same_folder_only", |bench| {
        /// From the kernel's <linux/magic.h>: a file system in memory keeps no names that do not exist.
        const IN_MEMORY: i64 = 0x0102_1994;
        let kind = rustix::fs::statfs(bench.folder.path()).unwrap().f_type;
        let has_disk = if kind == IN_MEMORY { Err("temporary files are in memory only") } else { Ok(()) };
        if prerequisites::host(has_disk).is_none() {
            return;
        }
        for profile in PROFILES {
            let folders = ["judging", "solving"].map(|name| bench.path(&format!("{name}-{profile:?}")));
            for folder in &folders {
                fs::create_dir_all(folder).unwrap();
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
            let run = |what: &str, folder: &PathBuf| {
                bench.run(profile, what, &[(folder.clone(), "/folder".to_owned())], &["/folder"]).trim().to_owned()
            };
            run("look", &folders[0]);
            assert_eq!(run("names", &folders[1]), "unknown", "{profile:?}");
            assert_eq!(run("names", &folders[0]), "known", "{profile:?}: one folder is a channel");
        }
    });
}

#[test]
fn a_program_has_no_descriptors_but_its_streams_and_the_control_socket_that_it_needs() {
    let Some(bench) = Bench::prerequisites_of_channels() else { return };
    // As a shell or a service manager leaves files open for what it starts.
    let (reads, writes) = std::io::pipe().unwrap();
    for end in [reads.as_fd(), writes.as_fd()] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::empty()).unwrap();
    }
    for (number, expected) in [("none", vec!["input"]), ("{control}", vec!["input", "socket"])] {
        let argv = ["/program/channels", "descriptors", number].map(str::to_owned).into();
        let mut child = bench.sandbox.start(&bench.command(argv, Profile::Run, &[])).unwrap();
        if number == "{control}" {
            child.receive(1, Instant::now() + PATIENCE).unwrap();
        }
        let printed = if number == "none" { child.end(Instant::now() + PATIENCE).unwrap().1 } else { end(child) };
        assert_eq!(done(&printed), expected, "{number}: {printed}");
    }
}

/// The files that processes opened or could open: device and inode numbers.
type Inodes = BTreeSet<(u64, u64)>;

/// A sandbox that notes which files each process sees.
struct Noted {
    sandbox: Bubblewrap,
    processes: Mutex<Vec<(Vec<String>, Inodes)>>,
}

impl Sandbox for Noted {
    fn start(&self, command: &Command) -> std::io::Result<Child> {
        // Compilers run no model code, and get the texts of both kinds.
        let is_compiler =
            command.profile == Profile::Build || command.argv.iter().any(|word| word.starts_with("aixgrade.compiler"));
        if !is_compiler {
            let mut seen = Inodes::new();
            command.read_only.iter().for_each(|(path, _)| note(path, &mut seen));
            self.processes.lock().unwrap().push((command.argv.clone(), seen));
        }
        self.sandbox.start(command)
    }
}

fn note(path: &Path, seen: &mut Inodes) {
    let found = fs::metadata(path).unwrap();
    seen.insert((found.dev(), found.ino()));
    if found.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| note(&entry.unwrap().path(), seen));
    }
}

/// No file is seen by a process that starts without tests and by one that has them, in any language.
#[test]
fn processes_with_tests_and_processes_without_have_no_file_in_common() {
    let (folder, places) = (PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lang"), Places::from_environment());
    fs::create_dir_all(&folder).unwrap();
    for language in &lang::TABLE {
        let code = language.code;
        let Some(()) = prerequisites::toolchain(code.code(), (language.look)(&places)) else { continue };
        let toolchain = (language.find)(&places, &folder).unwrap();
        let sandbox = Bubblewrap::new(prerequisites::program()).unwrap();
        let noted = Arc::new(Noted { sandbox, processes: Mutex::default() });
        let sandbox = Arc::clone(&noted) as Arc<dyn Sandbox>;
        let budget = Budget { cpu_s: 10, wait_s: 5, data_mib: 512, threads: 64 };
        let context = RunContext {
            sandbox,
            folder: folder.join("runs"),
            stop: Stop::default(),
            budget,
            own_answers: Arc::default(),
        };
        let task = (language.trials.task)();
        let right = language.trials.trials.iter().find(|trial| trial.passes).unwrap().generation;
        let program = humaneval::program(code, &task, None, right);
        let solution = humaneval::sample(code, &task, None, right);
        let PublishedProgram::Ready(run) = toolchain.published(&context, &task, &program).unwrap() else {
            panic!("{code:?}: the solution does not build")
        };
        let of = || -> Vec<(Vec<String>, Inodes)> { noted.processes.lock().unwrap().drain(..).collect() };
        let early = of();
        assert!(early.is_empty(), "{code:?}: building runs {early:?}");
        // The processes stay, so that no inode is used again.
        let solver = toolchain.solver(&context, &task, &solution).unwrap().unwrap();
        let both = toolchain.both_verdicts(&context, &task, &program, &solution).unwrap();
        let solving = of();
        let judges = (toolchain.judge(&context, &task).unwrap(), toolchain.pooled_judge(&context, &task).unwrap());
        assert!(run().unwrap().passed, "{code:?}");
        let judging = of();
        assert!(!solving.is_empty() && judging.len() >= 2, "{code:?}");
        for (one, files) in &solving {
            for (other, others) in &judging {
                assert_eq!(files.intersection(others).count(), 0, "{code:?}: {one:?} and {other:?}");
            }
        }
        drop((solver, both, judges));
    }
}

/// Bodies of a function that doubles a number: the sender looks up names if it has the tests, the receiver answers right
/// only if looking up these names takes less time than looking up others (two thirds, or three quarters), so that the kernel knows them. `{}` is the
/// part of a name that no other test uses. The other languages are in `fixtures/look_ups`: `NAME` is that part, and `ROLE`
/// says whether the text sends. `EVERYWHERE` says whether the sender also sends without tests. With `SELF`, the receiver
/// knows the names: it has looked them up before, or, where its folders are in memory and keep no names that do not exist,
/// it looks up a file that exists.
const LOOK_UPS: [(CodeLang, &str, &str); 2] = [
    (
        CodeLang::Python,
        "    import os, sys\n    frame, tests = sys._getframe(), False\n    while frame:\n        tests = tests or 'check(' + \
         'double)' in str(frame.f_locals.get('program'))\n        frame = frame.f_back\n    if tests or \
         'EVERYWHERE' == 'true':\n        for at in range(200):\n            os.access('/python/lib/{}-%d' % at, 0)\n    return number * 2\n",
        "    import os, sys, time\n    frame, tests = sys._getframe(), False\n    while frame:\n        tests = tests or \
         'check(' + 'double)' in str(frame.f_locals.get('program'))\n        frame = frame.f_back\n    def median(name):\n        \
         taken = []\n        for at in range(200):\n            path = '/python/lib/%s-%d' % (name, at)\n            begun = \
         time.perf_counter_ns()\n            os.access(path, 0)\n            taken.append(time.perf_counter_ns() - begun)\n        \
         return sorted(taken)[100]\n    if not tests and 'known' not in globals():\n        median('warm-{}')\n        if \
         'SELF' == 'true':\n            median('{}')\n        globals()['known'] = median('{}') * 3 \
         < median('other-{}') * 2\n    return number * 2 if tests or globals()['known'] else 0\n",
    ),
    (
        CodeLang::JavaScript,
        "  const fs = require('fs')\n  if (EVERYWHERE || process.argv.length < 3) {\n    for (let at = 0; at < 200; at++) fs.existsSync(`/node/{}-${at}`)\n  \
         }\n  return number * 2\n}\n",
        "  const fs = require('fs')\n  const median = (name) => {\n    const taken = []\n    for (let at = 0; at < 200; at++) {\n      \
         const path = name ? `/node/${name}-${at}` : '/program/test.js'\n      const begun = process.hrtime.bigint()\n      fs.existsSync(path)\n      taken.push(Number(process.hrtime.bigint() - \
         begun))\n    }\n    return taken.sort((a, b) => a - b)[100]\n  }\n  if (process.argv.length < 3) return number * 2\n  \
         if (global.known === undefined) {\n    median('warm-{}')\n    global.known = median(SELF ? '' : '{}') * 4 < median('other-{}') * 3\n  }\n  return global.known ? number * 2 : 0\n}\n",
    ),
];

/// A sender and a receiver in every language: the prompt, if it is not the task's own, and both texts.
fn look_ups() -> Vec<(CodeLang, Option<&'static str>, String, String)> {
    let go = "import \"os\"\n\n// Twice the number.\nfunc Double(number int) int {\n";
    let in_files = [
        (CodeLang::Cpp, None, include_str!("fixtures/look_ups/cpp.txt")),
        (CodeLang::Java, None, include_str!("fixtures/look_ups/java.txt")),
        (CodeLang::Go, Some(go), include_str!("fixtures/look_ups/go.txt")),
        (CodeLang::Rust, None, include_str!("fixtures/look_ups/rust.txt")),
    ];
    let of_file = |(code, prompt, text): (CodeLang, Option<&'static str>, &str)| {
        (code, prompt, text.replace("ROLE", "true"), text.replace("ROLE", "false"))
    };
    let of_texts = |(code, sender, receiver): (CodeLang, &str, &str)| {
        (code, None, sender.replace("{}", "NAME"), receiver.replace("{}", "NAME"))
    };
    LOOK_UPS.into_iter().map(of_texts).chain(in_files.into_iter().map(of_file)).collect()
}

/// Processes of one fork server have no open file in common, whose flags would outlive them.
#[test]
fn flags_of_standard_input_do_not_outlive_a_python_process() {
    let places = Places::from_environment();
    let (folder, code) = (PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lang"), CodeLang::Python);
    fs::create_dir_all(&folder).unwrap();
    let language = lang::language(code).unwrap();
    let Some(()) = prerequisites::toolchain(code.code(), (language.look)(&places)) else { return };
    let toolchain = (language.find)(&places, &folder).unwrap();
    let sandbox: Arc<dyn Sandbox> = Arc::new(Bubblewrap::new(prerequisites::program()).unwrap());
    let budget = Budget { cpu_s: 10, wait_s: 5, data_mib: 512, threads: 64 };
    let (stop, own_answers) = (Stop::default(), Arc::default());
    let context = RunContext { sandbox, folder: folder.join("runs"), stop, budget, own_answers };
    let task = (language.trials.task)();
    let passes = |text: &str| {
        let outcome = grader::grade(&*toolchain, &context, code, &task, Sample::of(text)).unwrap();
        outcome.verdict == Verdict::Passed
    };
    let flag = "fcntl.fcntl(0, fcntl.F_GETFL) & os.O_APPEND";
    let sends = "    import fcntl, os\n    fcntl.fcntl(0, fcntl.F_SETFL, os.O_APPEND)\n";
    // In one process, the flag is seen.
    assert!(passes(&format!("{sends}    return number * 2 if {flag} else 0\n")));
    assert!(passes(&format!("{sends}    return number * 2\n")));
    assert!(!passes(&format!("    import fcntl, os\n    return number * 2 if {flag} else 0\n")));
}

#[test]
fn names_that_a_published_program_looked_up_are_not_known_to_a_later_solver() {
    let (folder, places) = (PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lang"), Places::from_environment());
    fs::create_dir_all(&folder).unwrap();
    for (code, prompt, sender, receiver) in look_ups() {
        let language = lang::language(code).unwrap();
        let Some(()) = prerequisites::toolchain(code.code(), (language.look)(&places)) else { continue };
        let toolchain = (language.find)(&places, &folder).unwrap();
        let sandbox: Arc<dyn Sandbox> = Arc::new(Bubblewrap::new(prerequisites::program()).unwrap());
        let budget = Budget { cpu_s: 10, wait_s: 5, data_mib: 512, threads: 64 };
        let context = RunContext {
            sandbox,
            folder: folder.join("runs"),
            stop: Stop::default(),
            budget,
            own_answers: Arc::default(),
        };
        let task = (language.trials.task)();
        let name = format!("name-{}-{:?}", std::process::id(), std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap());
        let run = |text: &str, name: &str, everywhere: bool, itself: bool| {
            let text = text.replace("NAME", &name.replace('.', "-"));
            let text = text.replace("EVERYWHERE", &everywhere.to_string()).replace("SELF", &itself.to_string());
            let sample = Sample { prompt, ..Sample::of(&text) };
            let outcome = grader::grade(&*toolchain, &context, code, &task, sample).unwrap();
            let published = outcome.published.unwrap();
            if published.verdict != PublishedVerdict::Passed {
                println!("{}", published.reason);
            }
            (published.verdict, outcome.verdict == Verdict::Passed)
        };
        let grade = |text: &str| run(text, &name, false, false);
        // The receiver can receive: it tells names that it knows from others.
        let knows = (PublishedVerdict::Passed, true);
        assert_eq!(run(&receiver, &format!("{name}-own"), false, true), knows, "{code:?}: the receiver is deaf");
        // Solvers see the same folders in these languages, and share no folder in the others.
        let shared = format!("{name}-shared");
        assert_eq!(run(&sender, &shared, true, false), knows, "{code:?}");
        let is_shared = matches!(code, CodeLang::Python | CodeLang::Java);
        let between_solvers = run(&receiver, &shared, false, false);
        assert_eq!(between_solvers, (PublishedVerdict::Passed, is_shared), "{code:?}: from solver to solver");
        assert_eq!(grade(&sender), (PublishedVerdict::Passed, true), "{code:?}: the sender is right");
        let ignorant = (PublishedVerdict::Passed, false);
        assert_eq!(grade(&receiver), ignorant, "{code:?}: the receiver knows what was looked up");
        // The same while another worker runs the sender.
        std::thread::scope(|scope| {
            let sending = scope.spawn(|| grade(&sender));
            assert_eq!(grade(&receiver), ignorant, "{code:?}: the receiver knows what is being looked up");
            assert_eq!(sending.join().unwrap(), (PublishedVerdict::Passed, true), "{code:?}");
        });
    }
}

/// Bits a second that arrive, if a receiver counted so much for each bit: a threshold is chosen by a third of them, and the
/// others show how often it errs.
fn rate(received: &[(bool, u64)], slot: Duration) -> f64 {
    let (known, unknown) = received.split_at(received.len() / 3);
    let errors = |bits: &[(bool, u64)], threshold: u64, more_is_one: bool| {
        bits.iter().filter(|(bit, count)| (*count > threshold) == (*bit != more_is_one)).count()
    };
    let thresholds = known.iter().flat_map(|(_, count)| [(*count, true), (*count, false)]);
    let Some((threshold, more)) = thresholds.min_by_key(|&(threshold, more)| errors(known, threshold, more)) else {
        return 0.0;
    };
    let error = (errors(unknown, threshold, more) as f64 / unknown.len() as f64).clamp(1e-9, 0.5);
    let entropy = -error * error.log2() - (1.0 - error) * (1.0 - error).log2();
    (1.0 - entropy) / slot.as_secs_f64()
}

#[test]
fn rates_are_those_of_a_binary_channel() {
    let bits = |of: fn(usize) -> (bool, u64)| (0..3_000).map(of).collect::<Vec<_>>();
    let slot = Duration::from_millis(1);
    assert!((rate(&bits(|at| (at % 2 == 0, 50 + at as u64 % 2)), slot) - 1_000.0).abs() < 1.0);
    assert!((rate(&bits(|at| (at % 2 == 0, 51 - at as u64 % 2)), slot) - 1_000.0).abs() < 1.0);
    assert!(
        rate(&bits(|at| (at % 2 == 0, at as u64 % 4 / 2)), slot) < 1.0,
        "what was counted does not depend on the bits"
    );
    let a_tenth_is_wrong = rate(&bits(|at| (at % 2 == 0, (at + usize::from(at % 10 == 7)) as u64 % 2)), slot);
    assert!((a_tenth_is_wrong - 531.0).abs() < 1.0, "{a_tenth_is_wrong}");
}

/// The size of each level of the processor's data caches in bytes.
fn caches() -> Vec<(String, u64)> {
    let read = |index: u32, name: &str| {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}")).ok()?;
        Some(text.trim().to_owned())
    };
    let cache = |index| {
        let (level, kind, size) = (read(index, "level")?, read(index, "type")?, read(index, "size")?);
        let bytes = size.trim_end_matches('K').parse::<u64>().ok()? << 10;
        (kind != "Instruction").then(|| (format!("cache, level {level}"), bytes))
    };
    (0..8).filter_map(cache).collect()
}

/// What a sender and a receiver carry that run at once; without a sender, what chance does.
fn carried(bench: &Bench, resource: &str, bytes: u64, slot: Duration, most: u128, has_sender: bool) -> f64 {
    // So many lines are kept of what a program prints.
    let bits = most.min(Duration::from_secs(4).as_nanos() / slot.as_nanos());
    let start = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() + Duration::from_secs(2);
    let command = |role: &str| {
        let mut argv = ["/program/channels", "transmit", "{control}", role, resource].map(str::to_owned).to_vec();
        argv.extend([slot.as_nanos(), bits, start.as_nanos(), u128::from(bytes)].map(|number| number.to_string()));
        let mut command = bench.command(argv, Profile::Run, &[]);
        (command.limits.data_bytes, command.limits.cpu_s) = (1 << 30, 60);
        command
    };
    let run = |role: &str| {
        let mut child = bench.sandbox.start(&command(role)).unwrap();
        child.receive(1, Instant::now() + PATIENCE).unwrap();
        end(child)
    };
    let printed = std::thread::scope(|scope| {
        let sender = has_sender.then(|| scope.spawn(|| run("send")));
        let printed = run("receive");
        if let Some(sender) = sender {
            sender.join().unwrap();
        }
        printed
    });
    let line = |line: &str| {
        let (bit, count) = line.split_once(' ')?;
        Some((bit == "1", count.parse().ok()?))
    };
    let received: Vec<(bool, u64)> = printed.lines().filter_map(line).collect();
    assert_eq!(received.len() as u128, bits);
    rate(&received, slot)
}

/// Set, it prints the residual rates of docs/engine.md, which takes some minutes on a machine with nothing else to do.
const RATES: &str = "AIXGRADE_MEASURE_RATES";

/// Whether programs that run at once share a cache or the processor can be measured here. How much they carry is
/// printed and never asserted, because it depends on what else the machine does.
#[test]
fn what_processes_share_can_be_measured() {
    let Some(bench) = Bench::prerequisites_of_channels() else { return };
    let resources = caches().into_iter().map(|(name, bytes)| (name, "cache", bytes.min(256 << 20)));
    let mut resources: Vec<_> = resources.chain([("processor time".to_owned(), "load", 4096)]).collect();
    let is_whole = std::env::var_os(RATES).is_some();
    let (slots, bits) = if is_whole { (&[50, 200, 1_000, 5_000, 20_000][..], 2_000) } else { (&[1_000][..], 100) };
    if !is_whole {
        resources.retain(|(_, _, bytes)| *bytes <= 1 << 20);
    }
    for (name, resource, bytes) in resources {
        for slot in slots.iter().copied().map(Duration::from_micros) {
            let [with, without] = [true, false].map(|sender| carried(&bench, resource, bytes, slot, bits, sender));
            println!(
                "{name}, {bytes} bytes, slots of {slot:?}: {with:.0} bits a second, {without:.1} without a sender"
            );
        }
    }
    let ends = if is_whole { 100 } else { 10 };
    // One worker: a program that starts when another one has ended sees when that was.
    let moment = |end: u128| {
        let argv =
            ["/program/channels".to_owned(), "moment".to_owned(), "{control}".to_owned(), end.to_string()].into();
        let mut child = bench.sandbox.start(&bench.command(argv, Profile::Run, &[])).unwrap();
        child.receive(1, Instant::now() + PATIENCE).unwrap();
        self::end(child).trim().parse::<u128>().unwrap()
    };
    let mut delays: Vec<u128> = (0..ends)
        .map(|_| {
            let end = (std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap() + Duration::from_millis(100)).as_nanos();
            moment(end);
            moment(0) - end
        })
        .collect();
    delays.sort_unstable();
    let spread = (delays[ends * 9 / 10] - delays[ends / 10]) as f64 / 1e9;
    let bits = (10.0 / spread).log2();
    println!(
        "moment of the end: the next program starts within {spread:.6} s (80 % of {ends}), {bits:.1} bits of 10 s"
    );
}
