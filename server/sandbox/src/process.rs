//! The kernel's scheduler counts of a process: the time that its threads ran, and the time that they were
//! ready to run without a processor.

use std::{fs, time::Duration};

use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};

/// A process inside a sandbox, by its process ID outside.
#[derive(Clone, Copy, Debug)]
pub struct Process(Pid);

/// Scheduler counts of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Total running time of its threads.
    pub cpu: Duration,
    /// Total time in which those [`DELAYED_THREADS`] that were delayed most were ready to run but others ran; zero if the
    /// kernel does not count it (`CONFIG_SCHED_INFO`).
    pub delayed: Duration,
}

/// Of how many threads the delays count. Threads of one process delay each other, too: if dozens wake up at the same moments,
/// their delays add up to all of the time while they use little of it, and a process that waits would seem to be ready.
const DELAYED_THREADS: usize = 4;

impl Process {
    /// The process with this ID.
    pub fn new(number: i32) -> Process {
        Process(Pid::from_raw(number))
    }

    /// Total running time of its threads; `None` once it has ended.
    pub fn cpu(self) -> Option<Duration> {
        clock_gettime(clock_getcpuclockid(self.0).ok()?).ok().map(Duration::from)
    }

    /// Its counts so far; `None` once it has ended. Reads a file for each thread.
    pub fn used(self) -> Option<Used> {
        let cpu = self.cpu()?;
        let threads = fs::read_dir(format!("/proc/{}/task", self.0)).into_iter().flatten().flatten();
        let delays = threads.filter_map(|thread| delay(&fs::read_to_string(thread.path().join("schedstat")).ok()?));
        Some(Used { cpu, delayed: delayed(delays.collect()) })
    }
}

impl Used {
    /// The increase since an earlier count.
    pub fn since(self, earlier: Used) -> Used {
        // Threads that have ended no longer count, so the delay may decrease.
        Used { cpu: self.cpu.saturating_sub(earlier.cpu), delayed: self.delayed.saturating_sub(earlier.delayed) }
    }

    /// The part of the wall time `elapsed` in which the process was not ready to run. A lower bound, because
    /// simultaneous threads count several times.
    pub fn idle(self, elapsed: Duration) -> Duration {
        elapsed.saturating_sub(self.cpu + self.delayed)
    }
}

/// The delay of a process whose threads were delayed so much.
fn delayed(mut delays: Vec<Duration>) -> Duration {
    delays.sort_unstable_by(|a, b| b.cmp(a));
    delays.into_iter().take(DELAYED_THREADS).sum()
}

/// The second number of a thread's `schedstat`, in nanoseconds.
fn delay(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cpu_time_of_this_process() {
        let this = Process::new(std::process::id().cast_signed());
        let before = this.used().unwrap();
        let mut sum = 0_u64;
        while this.used().unwrap().since(before).cpu < Duration::from_millis(20) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
        // Above Linux's maximum process ID.
        assert_eq!(Process::new((1 << 22) + 1).used(), None);
        assert_eq!(delay("12 3400 5\n"), Some(Duration::from_nanos(3400)));
        assert_eq!(delay("no"), None);
    }

    #[test]
    fn threads_that_delay_each_other_do_not_hide_that_a_process_waits() {
        let ms = Duration::from_millis;
        // Sixty threads that wake up together every 10 ms, for 10 s, and run for 5 µs each time.
        let lockstep = delayed(vec![ms(150); 60]);
        let used = Used { cpu: ms(300), delayed: lockstep };
        assert!(used.idle(ms(10_000)) >= ms(9_000));
        // One thread that other processes delay, and those of a JVM that wait for each other.
        assert_eq!(delayed(vec![ms(9_000), ms(0)]), ms(9_000));
        assert_eq!(delayed(vec![ms(1), ms(5_000), ms(2_000), ms(0), ms(1_500), ms(2)]), ms(8_502));
    }

    #[test]
    fn process_that_gets_no_cpu_is_not_idle() {
        let seconds = Duration::from_secs;
        let check = |cpu, delayed, idle| {
            let used = Used { cpu: seconds(cpu), delayed: seconds(delayed) };
            assert_eq!(used.idle(seconds(60)), seconds(idle));
        };
        check(0, 0, 60);
        check(4, 56, 0);
        check(4, 0, 56);
        // Two simultaneous threads.
        check(100, 10, 0);
    }
}
