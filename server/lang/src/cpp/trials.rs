//! C++'s trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || {
        Task {
        task_id: "CPP/trial".into(),
        prompt: "/* Twice the number. */\n#include<stdio.h>\nusing namespace std;\nint twice(int number){\n".into(),
        test: "#undef NDEBUG\n#include<assert.h>\nint main(){\n    assert (twice(2) == 4);\n    assert (twice(-1) == -2);\n}\n"
            .into(),
        ..Task::default()
    }
    },
    trials: &[
        right("    return number * 2;\n}\n"),
        wrong("    return number;\n}\n"),
        deceives(SandboxCheck::EarlyExit, "    exit(0);\n}\n"),
        cannot(
            SandboxCheck::HostFiles,
            "    if (!fopen(\"/etc/passwd\", \"r\")) abort();\n    return number * 2;\n}\n",
        ),
        cannot(SandboxCheck::HostFiles, "    return number * 2;\n}\n#include \"/etc/passwd\"\n"),
        cannot(
            SandboxCheck::Sockets,
            "    extern int open_one();\n    if (open_one() < 0) abort();\n    return number * 2;\n}\n\
             #include <sys/socket.h>\nint open_one() { return socket(AF_INET, SOCK_DGRAM, 0); }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    extern bool reaches();\n    if (!reaches()) abort();\n    return number * 2;\n}\n\
             #include <sys/stat.h>\n#include <fcntl.h>\n\
             bool reaches() { return utimensat(AT_FDCWD, \"/dev/null\", 0, 0) == 0 || futimens(0, 0) == 0; }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    extern bool reaches();\n    if (!reaches()) abort();\n    return number * 2;\n}\n\
             #include <fcntl.h>\nbool reaches() { return posix_fadvise(open(\"/program/a.out\", O_RDONLY), 0, 0, 4) == 0; }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    extern bool reaches();\n    if (!reaches()) abort();\n    return number * 2;\n}\n\
             #include <sys/mman.h>\nbool reaches() { return mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    extern bool reaches();\n    if (!reaches()) abort();\n    return number * 2;\n}\n\
             #include <sys/sysinfo.h>\nbool reaches() { struct sysinfo all; return sysinfo(&all) == 0; }\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    extern bool reaches();\n    if (!reaches()) abort();\n    return number * 2;\n}\n\
             #include <fcntl.h>\n#include <unistd.h>\n\
             bool reaches() { struct flock of = {}; return fcntl(open(\"/dev/null\", O_RDWR), F_GETLK, &of) == 0; }\n",
        ),
        cannot(
            SandboxCheck::Processes,
            "    extern int child();\n    if (child() < 0) abort();\n    return number * 2;\n}\n\
             #include <unistd.h>\nint child() { return fork(); }\n",
        ),
    ],
};
