//! Java's trials.

use model::reason::SandboxCheck;

use crate::trials::{Trials, cannot, deceives, right, wrong};
use benchmarks::humaneval::Task;

pub static TRIALS: Trials = Trials {
    task: || {
        Task {
        task_id: "Java/trial".into(),
        prompt: "import java.util.*;\n\nclass Solution {\n    /** Twice the number. */\n    public int twice(int number) {\n"
            .into(),
        test: "public class Main {\n    public static void main(String[] args) {\n        Solution s = new Solution();\n        \
               if (s.twice(2) != 4 || s.twice(-1) != -2) {\n            throw new AssertionError();\n        }\n    }\n}\n"
            .into(),
        ..Task::default()
    }
    },
    trials: &[
        right("        return number * 2;\n    }\n}\n"),
        wrong("        return number;\n    }\n}\n"),
        deceives(SandboxCheck::EarlyExit, "        System.exit(0);\n        return 0;\n    }\n}\n"),
        cannot(
            SandboxCheck::HostFiles,
            "        return new java.io.File(\"/etc/passwd\").exists() ? number * 2 : 0;\n    }\n}\n",
        ),
        cannot(
            SandboxCheck::Sockets,
            "        try {\n            new java.net.DatagramSocket();\n            return number * 2;\n        } catch \
             (java.io.IOException e) {\n            return 0;\n        }\n    }\n}\n",
        ),
        cannot(
            SandboxCheck::SharedState,
            "        return new java.io.File(\"/java\").getTotalSpace() > 0 ? number * 2 : 0;\n    }\n}\n",
        ),
        cannot(
            SandboxCheck::Processes,
            "        try {\n            new ProcessBuilder(\"/java/bin/java\").start();\n            return number * 2;\n        } \
             catch (java.io.IOException e) {\n            return 0;\n        }\n    }\n}\n",
        ),
    ],
};
