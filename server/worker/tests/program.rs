//! The program's arguments: it names a wrong one and ends before it connects to anything.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![allow(clippy::disallowed_methods, reason = "the program under test is a process")]

use std::process::Command;

#[test]
fn a_wrong_argument_is_named_before_anything_is_connected() {
    let broker = "nats://127.0.0.1:1";
    for (args, expected) in [
        (&[][..], "--nats <URL>"),
        (&["--nats", "ftp://broker"], "\"ftp://broker\" is not the address of a NATS server"),
        (&["--nats", broker, "--slots", "0"], "0 is not in 1..=1024"),
        (&["--nats", broker, "--languages", "cobol"], "use java, python"),
    ] {
        let ended = Command::new(env!("CARGO_BIN_EXE_aixgrade-worker")).args(args).output().unwrap();
        let error = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code() == Some(2) && error.contains(expected), "{args:?}: {error}");
        assert!(ended.stdout.is_empty(), "{args:?}");
    }
}
