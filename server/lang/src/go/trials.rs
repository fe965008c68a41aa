//! Go's trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot_with_prompt, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || Task {
        task_id: "Go/trial".into(),
        prompt: "\n// Twice the number.\nfunc Double(number int) int {\n".into(),
        test_setup: "package main\n\nimport (\n    \"testing\"\n    \"github.com/stretchr/testify/assert\"\n)\n".into(),
        test: "func TestDouble(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(4, Double(2))\n    \
               assert.Equal(-2, Double(-1))\n}\n"
            .into(),
        ..Task::default()
    },
    trials: &[
        right("    return number * 2\n}\n"),
        wrong("    return number\n}\n"),
        deceives(SandboxCheck::EarlyExit, "    return number\n}\n\nfunc TestMain(m *testing.M) {\n}\n"),
        cannot_with_prompt(
            "import \"os\"\n\nfunc Double(number int) int {\n",
            SandboxCheck::HostFiles,
            "    if _, err := os.ReadFile(\"/etc/passwd\"); err != nil {\n        return 0\n    }\n    return number * 2\n}\n",
        ),
        cannot_with_prompt(
            "import \"net\"\n\nfunc Double(number int) int {\n",
            SandboxCheck::Sockets,
            "    if _, err := net.ListenPacket(\"udp\", \"127.0.0.1:0\"); err != nil {\n        return 0\n    }\n    \
             return number * 2\n}\n",
        ),
        cannot_with_prompt(
            "import \"syscall\"\n\nfunc Double(number int) int {\n",
            SandboxCheck::SharedState,
            "    var disk syscall.Statfs_t\n    if syscall.Statfs(\"/dev/null\", &disk) != nil {\n        return 0\n    }\n    \
             return number * 2\n}\n",
        ),
        cannot_with_prompt(
            "import \"syscall\"\n\nfunc Double(number int) int {\n",
            SandboxCheck::SharedState,
            "    if _, err := syscall.Mmap(-1, 0, 4096, 3, 0x21); err != nil {\n        return 0\n    }\n    \
             return number * 2\n}\n",
        ),
        cannot_with_prompt(
            "import \"os/exec\"\n\nfunc Double(number int) int {\n",
            SandboxCheck::Processes,
            "    if err := exec.Command(\"/program/a.out\").Start(); err != nil {\n        return 0\n    }\n    return \
             number * 2\n}\n",
        ),
    ],
};
