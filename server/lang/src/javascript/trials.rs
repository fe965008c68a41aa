//! JavaScript's trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || Task {
        task_id: "JavaScript/trial".into(),
        prompt: "/* Twice the number. */\nconst double = (number) => {\n".into(),
        test: "console.assert(double(2) === 4)\nconsole.assert(double(-1) === -2)\n".into(),
        ..Task::default()
    },
    trials: &[
        right("  return number * 2\n}\n"),
        wrong("  return number\n}\n"),
        deceives(SandboxCheck::EarlyExit, "  process.exit(0)\n}\n"),
        cannot(SandboxCheck::HostFiles, "  require('fs').readFileSync('/etc/passwd')\n  return number * 2\n}\n"),
        cannot(SandboxCheck::Sockets, "  require('dgram').createSocket('udp4').bind(0)\n  return number * 2\n}\n"),
        cannot(SandboxCheck::SharedState, "  return require('os').freemem() ? number * 2 : 0\n}\n"),
        cannot(
            SandboxCheck::Processes,
            "  return require('child_process').spawnSync(process.execPath, ['-v']).error ? 0 : number * 2\n}\n",
        ),
    ],
};
