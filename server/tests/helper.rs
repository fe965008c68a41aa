//! The sandbox's helper as a program, in both of its forms.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::{
        fd::OwnedFd,
        unix::{
            fs::{PermissionsExt, symlink},
            net::UnixStream,
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use helper::{ARGUMENT, Limits, Order, Report, VERSION};
use rustix::process::Pid;
use sandbox::{Sandbox, bubblewrap::Bubblewrap};

const WHOLE: &str = env!("CARGO_BIN_EXE_aixgrade");

/// The small helper, where the engine finds it.
fn small() -> PathBuf {
    let helper = Path::new(WHOLE).with_file_name("aixgrade-sandbox");
    assert!(helper.is_file(), "{} is missing: `cargo xtask build` makes it", helper.display());
    helper
}

/// Writes a file into scratch, the current folder, and reads it.
const WRITES: &str = "echo written > file && read text < file && echo $text";

/// A command that runs a script with nothing of the host except its programs.
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
            profile: helper::Profile::Run,
            keep: None,
            copies: Vec::new(),
            control_is_input: false,
        },
        bwrap: sandbox::bubblewrap::find("bwrap").unwrap(),
        uid: 60_990,
        groups: Vec::new(),
    }
}

/// A running helper, and the server's end of its control socket; closing it acts like a dead server.
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

/// The helper's report, its last line, and the output of the script.
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
fn both_programs_set_up_the_same_layers_whatever_the_servers_umask() {
    for program in [&*small(), Path::new(WHOLE)] {
        for mask in ["022", "077"] {
            let (report, printed) = run(program, mask, &order(VERSION, WRITES));
            let what = (report.code, report.fault, printed.as_str());
            assert_eq!(what, (Some(0), None, "written\n"), "{} {mask}", program.display());
        }
    }
}

#[test]
fn a_copy_of_a_folder_can_be_written_and_the_folder_stays() {
    let host = tempfile::tempdir().unwrap();
    // The path of the second cannot be named to the kernel, so its files are copied.
    for name in ["plain", "with,comma"] {
        let source = host.path().join(name);
        fs::create_dir_all(source.join("folder")).unwrap();
        fs::write(source.join("folder/file"), "old").unwrap();
        symlink("folder/file", source.join("link")).unwrap();
        for path in [source.clone(), source.join("folder"), source.join("folder/file")] {
            // As the images of projects, because the sandbox has another user than the server.
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let script = "cd copy && echo -n new >> folder/file && read text < link; echo $text; echo > folder/other";
        let mut order = order(VERSION, script);
        order.command.copies = vec![(source.clone(), "/work/copy".to_owned())];
        order.command.limits.scratch_files = 64;
        let (report, printed) = run(&small(), "022", &order);
        assert_eq!((report.fault, printed.as_str()), (None, "oldnew\n"), "{name}");
        assert_eq!(fs::read_to_string(source.join("folder/file")).unwrap(), "old", "{name}");
        assert_eq!(fs::read_dir(source.join("folder")).unwrap().count(), 1, "{name}");
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
    assert!(started_by().contains("is not installed next to"), "{}", started_by());
    let small_helper = folder.path().join("aixgrade-sandbox");
    // Links, because a program that is being written cannot be started, and another test's child may have
    // it open.
    symlink("/bin/echo", &small_helper).unwrap();
    assert!(started_by().contains("next to it is") && started_by().contains(VERSION), "{}", started_by());
    fs::remove_file(&small_helper).unwrap();
    symlink(small(), &small_helper).unwrap();
    assert_eq!(started_by(), "aixgrade-sandbox");
}

#[test]
fn what_is_ended_from_outside_has_its_processor_time_counted() {
    let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; times; exec sleep 3600";
    let (mut helper, server) = start(&small(), "022", &order(VERSION, work));
    // The shell's own CPU time, "0m0.410000s 0m0.020000s" (user and system), then that of its children.
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
    // Ended by the same signal, but not by a limit.
    let quick = limited("exit 137");
    assert!(!quick.over_cpu && quick.cpu_us < 1_000_000, "{quick:?}");
    assert_eq!(quick.code, Some(137));
}

/// Fills 2 GiB, 64 MiB at a time, and makes each part read-only, after which the limit of data counts it no more.
const FILLS: &str = "#include <sys/mman.h>
int main(void) {
    for (int part = 0; part < 32; part++) {
        char *at = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) return 3;
        for (int byte = 0; byte < 64 << 20; byte += 4096) at[byte] = 1;
        mprotect(at, 64 << 20, PROT_READ);
    }
    return 0;
}";

#[test]
#[allow(clippy::disallowed_methods, reason = "a compiler of the host, for a program of this test")]
fn memory_that_no_limit_counts_is_limited_without_control_groups() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (source, program) = (folder.path().join("fills.c"), folder.path().join("fills"));
    fs::write(&source, FILLS).unwrap();
    let compiled = Command::new("cc").arg("-o").args([&program, &source]).status();
    let Some(compiled) = prerequisites::host(compiled) else { return };
    assert!(compiled.success());
    let mut order = order(VERSION, "");
    order.command.argv = vec!["/tried/fills".to_owned()];
    order.command.read_only.push((folder.path().to_owned(), "/tried".to_owned()));
    order.command.limits.data_bytes = 512 << 20;
    let (report, _) = run(&small(), "022", &order);
    assert_eq!((report.code, report.out_of_memory, &report.fault), (Some(137), true, &None), "{report:?}");
    // Far from what it asked for, however late the helper looked.
    assert!(report.memory_kib < 2 << 20, "{report:?}");
    order.command.limits.data_bytes = 4 << 30;
    let (report, _) = run(&small(), "022", &order);
    assert_eq!((report.code, report.out_of_memory), (Some(0), false), "{report:?}");
    assert!(report.memory_kib >= 2 << 20, "{report:?}");
}

#[test]
fn a_stack_cannot_grow_beyond_the_usual_size() {
    let (report, printed) = run(&small(), "022", &order(VERSION, "ulimit -Hs; ulimit -s"));
    assert_eq!(report.fault, None);
    let limits: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert!(limits.len() == 2 && limits.iter().all(|limit| *limit <= 8192), "{printed}");
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
    // The pipe ends when no process has it open any more.
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
    helper.wait().unwrap();
    assert_eq!(rest, "");
}

/// Runs a script that leaves something behind under the name `kept`; what the host got.
fn kept(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().join("kept");
    fs::write(&host, "").unwrap();
    let mut order = order(VERSION, script);
    order.command.keep = Some(helper::Keep { name: "kept".to_owned(), host: host.clone() });
    let (report, _) = run(&small(), "022", &order);
    assert_eq!(report.fault, None);
    fs::read_to_string(host).unwrap()
}

#[test]
fn a_file_that_was_left_is_copied_out_and_a_link_is_not() {
    assert_eq!(kept("echo made > kept"), "made\n");
    assert_eq!(kept("true"), "");
    assert_eq!(kept("mkdir kept"), "");
    // Outside of the sandbox the link would lead to a file of the host.
    assert_eq!(kept("ln -s /etc/passwd kept || exit 1"), "");
    let mut outside = order(VERSION, "true");
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().join("kept");
    fs::write(&host, "").unwrap();
    outside.command.keep = Some(helper::Keep { name: "../kept".to_owned(), host });
    let (report, _) = run(&small(), "022", &outside);
    assert!(report.fault.is_some_and(|fault| fault.contains("without folders")));
}

#[test]
fn only_a_compiler_can_start_a_process() {
    let starts = |profile| {
        let mut order = order(VERSION, "/bin/true; echo $?");
        order.command.profile = profile;
        run(&small(), "022", &order).1
    };
    assert_eq!(starts(helper::Profile::Build), "0\n");
    assert_ne!(starts(helper::Profile::Run), "0\n");
}

#[test]
fn sandboxes_have_a_low_priority_and_never_a_higher_one_than_the_server() {
    let priority = |process| rustix::process::getpriority_process(process).unwrap();
    for program in [&*small(), Path::new(WHOLE)] {
        let (mut helper, server) = start(program, "022", &order(VERSION, "exec sleep 3600"));
        let mut first = String::new();
        BufReader::new(helper.stderr.take().unwrap()).read_line(&mut first).unwrap();
        let started: helper::Started = serde_json::from_str(&first).unwrap();
        assert_eq!(priority(Pid::from_raw(started.inside)), priority(None).max(5), "{}", program.display());
        drop(server);
        helper.wait().unwrap();
    }
}
