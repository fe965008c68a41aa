//! Rust's trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || Task {
        task_id: "Rust/trial".into(),
        prompt: "\n/* Twice the number. */\n".into(),
        declaration: "\nuse rand::Rng;\nuse regex::Regex;\nuse md5;\n\nfn twice(number: i32) -> i32 {\n".into(),
        test: "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn test_twice() {\n        \
               assert_eq!(twice(2), 4);\n        assert!(twice(-1) == -2);\n    }\n}\n"
            .into(),
        ..Task::default()
    },
    trials: &[
        right("    number * 2\n}\n"),
        wrong("    number\n}\n"),
        deceives(SandboxCheck::EarlyExit, "    std::process::exit(0)\n}\n"),
        cannot(SandboxCheck::HostFiles, "    std::fs::read(\"/etc/passwd\").unwrap();\n    number * 2\n}\n"),
        cannot(SandboxCheck::HostFiles, "    number * 2\n}\nconst HOST: &str = include_str!(\"/etc/passwd\");\n"),
        cannot(SandboxCheck::Sockets, "    std::net::UdpSocket::bind(\"127.0.0.1:0\").unwrap();\n    number * 2\n}\n"),
        cannot(
            SandboxCheck::SharedState,
            "    let path = c\"/dev/null\".as_ptr();\n    use std::ptr::null;\n    \
             assert!(unsafe { utimensat(-100, path, null(), 0) == 0 || utimensat(0, null(), null(), 0) == 0 });\n    number * 2\n}\n\
             extern \"C\" { fn utimensat(at: i32, path: *const std::ffi::c_char, times: *const u8, flags: i32) -> i32; }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    assert_ne!(unsafe { mmap(std::ptr::null(), 4096, 3, 0x21, -1, 0) }, -1);\n    number * 2\n}\n\
             extern \"C\" { fn mmap(at: *const u8, size: usize, access: i32, flags: i32, file: i32, from: i64) -> isize; }\n",
        ),
        cannot(
            SandboxCheck::Processes,
            "    std::process::Command::new(std::env::args().next().unwrap()).spawn().unwrap();\n    number * 2\n}\n",
        ),
    ],
};
