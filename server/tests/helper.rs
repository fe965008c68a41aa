//! The sandbox's helper as a program: what it does whoever starts it, and whichever of the two it is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::{
        fd::OwnedFd,
        unix::{fs::symlink, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use helper::{ARGUMENT, Limits, Order, Report, VERSION};
use server::sandbox::{Sandbox, bubblewrap::Bubblewrap};

const WHOLE: &str = env!("CARGO_BIN_EXE_aixgrade");

/// The small one, where the engine finds it.
fn small() -> PathBuf {
    let helper = Path::new(WHOLE).with_file_name("aixgrade-sandbox");
    assert!(helper.is_file(), "{} is missing: `cargo xtask build` makes it", helper.display());
    helper
}

/// Writes a file into scratch, where it starts, and reads it.
const WRITES: &str = "echo written > file && read text < file && echo $text";

/// An order to run a script with nothing of the host but its programs.
fn order(version: &str, script: &str) -> Order {
    let shown = ["/bin", "/lib", "/lib64", "/usr"].into_iter().filter(|folder| Path::new(folder).is_dir());
    Order {
        version: version.to_owned(),
        command: helper::Command {
            argv: ["/bin/sh", "-c", script].map(str::to_owned).into(),
            env: Vec::new(),
            read_only: shown.map(|folder| (folder.into(), folder.to_owned())).collect(),
            scratch: vec!["/work".to_owned()],
            limits: Limits {
                cpu_s: 10,
                data_bytes: 1 << 30,
                threads: 64,
                file_bytes: 1 << 20,
                open_files: 64,
                scratch_bytes: 1 << 20,
                scratch_files: 16,
                printed_bytes: 1 << 20,
            },
        },
        bwrap: server::sandbox::bubblewrap::find("bwrap").unwrap(),
        uid: 60_990,
        groups: Vec::new(),
    }
}

/// A helper at work, and the server's end of its control socket: closed, it is a server that is gone.
#[allow(clippy::disallowed_methods, reason = "the helper itself is what is tried")]
fn start(program: &Path, mask: &str, order: &Order) -> (Child, UnixStream) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "umask $0 && exec \"$@\"", mask]).arg(program);
    shell.arg(ARGUMENT).arg(serde_json::to_string(order).unwrap());
    // As bubblewrap.rs does for the whole program.
    shell.env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
    let (server, control) = UnixStream::pair().unwrap();
    shell.stdin(OwnedFd::from(control)).stdout(Stdio::piped()).stderr(Stdio::piped());
    (shell.spawn().unwrap(), server)
}

/// What the helper reports at its end, as its last line, and what was printed inside.
fn end(helper: Child) -> (Report, String) {
    let output = helper.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let last = said.lines().last().unwrap_or_default();
    let report = serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {said}"));
    (report, String::from_utf8(output.stdout).unwrap())
}

fn run(program: &Path, mask: &str, order: &Order) -> (Report, String) {
    let (helper, _server) = start(program, mask, order);
    end(helper)
}

#[test]
fn both_programs_put_up_the_same_walls_whatever_the_servers_mask() {
    for program in [&*small(), Path::new(WHOLE)] {
        for mask in ["022", "077"] {
            let (report, printed) = run(program, mask, &order(VERSION, WRITES));
            let what = (report.code, report.fault, printed.as_str());
            assert_eq!(what, (Some(0), None, "written\n"), "{} {mask}", program.display());
        }
    }
}

#[test]
fn a_helper_of_another_version_runs_nothing_and_says_so() {
    let (report, printed) = run(&small(), "022", &order("0.0.1", WRITES));
    let fault = report.fault.unwrap();
    assert!(fault.contains("0.0.1") && fault.contains(VERSION) && fault.contains("install both"), "{fault}");
    assert_eq!((report.code, printed.as_str()), (None, ""));
}

#[test]
fn only_a_helper_of_this_build_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let aixgrade = folder.path().join("aixgrade");
    let started_by = || Bubblewrap::new(aixgrade.clone()).unwrap().started_by().unwrap();
    assert!(started_by().contains("does not lie beside"), "{}", started_by());
    let beside = folder.path().join("aixgrade-sandbox");
    // Links, because a program that is being written cannot be started, and another test's child may hold it open.
    symlink("/bin/echo", &beside).unwrap();
    assert!(started_by().contains("beside it is") && started_by().contains(VERSION), "{}", started_by());
    fs::remove_file(&beside).unwrap();
    symlink(small(), &beside).unwrap();
    assert_eq!(started_by(), "aixgrade-sandbox");
}

#[test]
fn what_is_ended_from_outside_has_its_processor_time_counted() {
    let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; times; exec sleep 3600";
    let (mut helper, server) = start(&small(), "022", &order(VERSION, work));
    // The shell's own count, "0m0.410000s 0m0.020000s": user and system; then that of its children.
    let mut said = String::new();
    BufReader::new(helper.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
    let micros = |text: &str| {
        let (minutes, seconds) = text.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60e6 + seconds.parse::<f64>().unwrap() * 1e6
    };
    let counted: f64 = said.split_whitespace().map(micros).sum();
    assert!(counted > 0.0, "{said}");
    drop(server);
    let (report, _) = end(helper);
    assert_eq!((report.code, &report.fault), (Some(137), &None));
    assert!(report.cpu_us as f64 >= counted, "{report:?} where the shell counted {said}");
}

#[test]
fn the_helper_ends_what_has_used_up_its_processor_time_and_says_so() {
    let limited = |script| {
        let mut order = order(VERSION, script);
        order.command.limits.cpu_s = 1;
        run(&small(), "022", &order).0
    };
    let busy = limited("while true; do i=1; done");
    assert!(busy.over_cpu && busy.cpu_us >= 1_000_000, "{busy:?}");
    assert_eq!((busy.code, &busy.fault), (Some(137), &None));
    // Ended by the same signal, and by nobody's limit.
    let quick = limited("exit 137");
    assert!(!quick.over_cpu && quick.cpu_us < 1_000_000, "{quick:?}");
    assert_eq!(quick.code, Some(137));
}

#[test]
fn nothing_inside_outlives_the_helper_however_it_ends() {
    let work = "echo here; i=0; while [ $i -lt 4000000 ]; do i=$((i+1)); done; echo survived";
    let (mut helper, _server) = start(&small(), "022", &order(VERSION, work));
    let mut printed = BufReader::new(helper.stdout.take().unwrap());
    let mut line = String::new();
    printed.read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    helper.kill().unwrap();
    // Its end comes when nobody holds the pipe any more.
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
    helper.wait().unwrap();
    assert_eq!(rest, "");
}
