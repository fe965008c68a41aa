//! The sandbox's helper as a program: what it does whoever starts it, and whichever of the two it is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    path::Path,
    process::{Command, Stdio},
};

use helper::{ARGUMENT, Limits, Order, Report, VERSION};

const SMALL: &str = env!("CARGO_BIN_EXE_aixgrade-sandbox");
const WHOLE: &str = env!("CARGO_BIN_EXE_aixgrade");

/// An order to write a file into scratch, with nothing of the host but its programs.
fn order(version: &str) -> Order {
    let shown = ["/bin", "/lib", "/lib64", "/usr"].into_iter().filter(|folder| Path::new(folder).is_dir());
    Order {
        version: version.to_owned(),
        command: helper::Command {
            argv: ["/bin/sh", "-c", "echo written > /work/file && read text < /work/file && echo $text"]
                .map(str::to_owned)
                .into(),
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

/// What the helper reports and what was printed inside, where it is started with this mask for files.
#[allow(clippy::disallowed_methods, reason = "the helper itself is what is tried")]
fn run(program: &str, mask: &str, order: &Order) -> (Report, String) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "umask $0 && exec \"$@\"", mask, program, ARGUMENT]).arg(serde_json::to_string(order).unwrap());
    // As bubblewrap.rs does for the whole program.
    shell.env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
    // Closed, standard input would be a server that is gone.
    let (_server, control) = std::os::unix::net::UnixStream::pair().unwrap();
    shell.stdin(std::os::fd::OwnedFd::from(control)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = shell.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let report = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}"));
    (report, String::from_utf8(output.stdout).unwrap())
}

#[test]
fn both_programs_put_up_the_same_walls_whatever_the_servers_mask() {
    for program in [SMALL, WHOLE] {
        for mask in ["022", "077"] {
            let (report, printed) = run(program, mask, &order(VERSION));
            assert_eq!((report.code, report.fault, printed.as_str()), (Some(0), None, "written\n"), "{program} {mask}");
        }
    }
}

#[test]
fn a_helper_of_another_version_runs_nothing_and_says_so() {
    let (report, printed) = run(SMALL, "022", &order("0.0.1"));
    let fault = report.fault.unwrap();
    assert!(fault.contains("0.0.1") && fault.contains(VERSION) && fault.contains("install both"), "{fault}");
    assert_eq!((report.code, printed.as_str()), (None, ""));
}
