//! Python's trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || Task {
        task_id: "Python/trial".into(),
        prompt: "def double(number: int) -> int:\n    \"\"\" Twice the number. \"\"\"\n".into(),
        test: "def check(double):\n    assert double(2) == 4\n    assert double(-1) == -2\n\ncheck(double)".into(),
        ..Task::default()
    },
    trials: &[
        right("    return np.int64(number) * 2\n"),
        wrong("    return number\n"),
        deceives(
            SandboxCheck::LyingEquality,
            "    class Equal:\n        __module__ = ''\n        def __eq__(self, other): return True\n    return Equal()\n",
        ),
        cannot(SandboxCheck::HostFiles, "    open('/etc/passwd')\n    return number * 2\n"),
        cannot(SandboxCheck::Sockets, "    import socket\n    socket.socket()\n    return number * 2\n"),
        cannot(
            SandboxCheck::SharedState,
            "    import os\n    for device in ('/dev/null', 0):\n        try:\n            os.utime(device)\n            return number * 2\n        \
             except OSError:\n            pass\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    import os\n    file = os.open('/python/bin/python3', os.O_RDONLY)\n    \
             os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)\n    return number * 2\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "    import fcntl, os\n    fcntl.fcntl(os.open('/dev/null', os.O_RDWR), fcntl.F_GETLK, bytes(32))\n    \
             return number * 2\n",
        ),
        cannot(SandboxCheck::SharedState, "    import mmap\n    mmap.mmap(-1, 4096)\n    return number * 2\n"),
        cannot(SandboxCheck::SharedState, "    import os\n    os.statvfs('/python')\n    return number * 2\n"),
        cannot(
            SandboxCheck::Processes,
            "    import ctypes\n    if ctypes.CDLL(None).fork() < 0:\n        return 0\n    return number * 2\n",
        ),
    ],
};
