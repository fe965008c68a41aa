//! What the kernel counts of a process: the time that its threads ran, and the time that they were ready to run and
//! had no processor.

use std::{fs, time::Duration};

use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};

/// A process inside a sandbox, by its number outside.
#[derive(Clone, Copy, Debug)]
pub struct Process(Pid);

/// What a process has had of the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Time that its threads ran, together.
    pub cpu: Duration,
    /// Time that its threads were ready to run and other processes ran instead, together; zero where the kernel does
    /// not count it (`CONFIG_SCHED_INFO`).
    pub delayed: Duration,
}

impl Process {
    /// The process with this number.
    pub fn new(number: i32) -> Process {
        Process(Pid::from_raw(number))
    }

    /// Time that its threads have run so far, together; `None` once it has ended.
    pub fn cpu(self) -> Option<Duration> {
        clock_gettime(clock_getcpuclockid(self.0).ok()?).ok().map(Duration::from)
    }

    /// What it has used so far; `None` once it has ended. Reads a file for each thread.
    pub fn used(self) -> Option<Used> {
        let cpu = self.cpu()?;
        let threads = fs::read_dir(format!("/proc/{}/task", self.0)).into_iter().flatten().flatten();
        let delays = threads.filter_map(|thread| delay(&fs::read_to_string(thread.path().join("schedstat")).ok()?));
        Some(Used { cpu, delayed: delays.sum() })
    }
}

impl Used {
    /// What was added to it since an earlier count.
    pub fn since(self, earlier: Used) -> Used {
        // Threads that have ended take their delays with them, so that count may fall.
        Used { cpu: self.cpu.saturating_sub(earlier.cpu), delayed: self.delayed.saturating_sub(earlier.delayed) }
    }

    /// How much of this time on the clock the process let pass without wanting a processor. Threads that ran side by
    /// side count several times, so this is the least that it can have been.
    pub fn idle(self, elapsed: Duration) -> Duration {
        elapsed.saturating_sub(self.cpu + self.delayed)
    }
}

/// The second number of a thread's `schedstat`, in nanoseconds.
fn delay(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_this_process_uses() {
        let this = Process::new(std::process::id().cast_signed());
        let before = this.used().unwrap();
        let mut sum = 0_u64;
        while this.used().unwrap().since(before).cpu < Duration::from_millis(20) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
        // More than Linux numbers processes up to.
        assert_eq!(Process::new((1 << 22) + 1).used(), None);
        assert_eq!(delay("12 3400 5\n"), Some(Duration::from_nanos(3400)));
        assert_eq!(delay("no"), None);
    }

    #[test]
    fn a_process_that_gets_no_processor_is_not_idle() {
        let seconds = Duration::from_secs;
        let check = |cpu, delayed, idle| {
            let used = Used { cpu: seconds(cpu), delayed: seconds(delayed) };
            assert_eq!(used.idle(seconds(60)), seconds(idle));
        };
        check(0, 0, 60);
        check(4, 56, 0);
        check(4, 0, 56);
        // Two threads side by side.
        check(100, 10, 0);
    }
}
