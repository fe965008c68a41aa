//! Allows only the system calls that a program needs, by [`Profile`].
//!
//! This is an allow-list, because new kernels add calls. All other calls return ENOSYS, so that the C library falls
//! back (`clone3` to `clone`) and Java throws an exception for a process, a socket or a namespace. The crate
//! `seccompiler` compiles the program: it is small, depends only on libc, and Firecracker uses it for the same purpose.

use std::{collections::BTreeMap, io};

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use crate::Profile;

/// The filter as an array of `struct sock_filter`, the kernel's format.
///
/// The crate's program compares a call with the listed calls one by one. When the filter is set, the kernel runs it for
/// every existing call, which takes a large part of a millisecond. Therefore a binary search comes first for calls that
/// are allowed with any arguments ([`shortcut`]).
///
/// # Errors
/// Fails on a CPU architecture that the crate does not support.
pub fn program(profile: Profile) -> io::Result<Vec<u8>> {
    let whole = rules(profile).map_err(io::Error::other)?;
    let (plain, conditional): (Rules, Rules) = whole.into_iter().partition(|(_, conditions)| conditions.is_empty());
    let mut program = shortcut(plain.into_keys());
    program.extend(compiled(conditional)?);
    Ok(program
        .iter()
        .flat_map(|i| {
            let [a, b] = i.code.to_ne_bytes();
            let [c, d, e, f] = i.k.to_ne_bytes();
            [a, b, i.jt, i.jf, c, d, e, f]
        })
        .collect())
}

fn compiled(rules: Rules) -> io::Result<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow, arch)
        .map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

// From the kernel's <linux/bpf_common.h>, <linux/seccomp.h> and <linux/audit.h>.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_ABOVE: u16 = 0x25;
const JUMP_FROM: u16 = 0x35;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
/// `SECCOMP_RET_ERRNO` with error number 0: the call returns 0 and does nothing.
const SUCCESS: u32 = 0x0005_0000;
/// Offsets of the call's number, the architecture, and the lower half of the second argument in `struct seccomp_data`.
const NUMBER: u32 = 0;
const KIND: u32 = 4;
const COMMAND: u32 = 24;
/// The architecture, if the crate supports it.
const THIS_KIND: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else if cfg!(target_arch = "riscv64") {
    Some(0xc000_00f3)
} else {
    None
};

/// Allows these calls by binary search; all others continue after the last instruction.
fn shortcut(calls: impl Iterator<Item = i64>) -> BpfProgram {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    // Ascending, because they come from a sorted map.
    for call in calls.filter_map(|call| u32::try_from(call).ok()) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == call => *last = call,
            _ => ranges.push((call, call)),
        }
    }
    let Some(kind) = THIS_KIND else { return Vec::new() };
    let mut program =
        vec![op(LOAD, KIND, 0, 0), op(JUMP_EQUAL, kind, 1, 0), op(JUMP, BEHIND, 0, 0), op(LOAD, NUMBER, 0, 0)];
    program.extend(answered());
    program.extend(tree(&ranges));
    let length = program.len();
    for (at, op) in program.iter_mut().enumerate().filter(|(_, op)| op.code == JUMP && op.k == BEHIND) {
        op.k = u32::try_from(length - at - 1).unwrap_or(0);
    }
    program
}

/// Answers [`ANSWERED`] and locks with success. Expects the call's number to be loaded, and leaves it loaded.
fn answered() -> BpfProgram {
    let number = |call: i64| u32::try_from(call).unwrap_or(u32::MAX);
    let mut program = Vec::new();
    for &call in ANSWERED {
        program.extend([op(JUMP_EQUAL, number(call), 0, 1), op(RETURN, SUCCESS, 0, 0)]);
    }
    let mut locks = vec![op(LOAD, COMMAND, 0, 0)];
    for command in LOCKS {
        locks.extend([op(JUMP_EQUAL, command.cast_unsigned(), 0, 1), op(RETURN, SUCCESS, 0, 0)]);
    }
    locks.push(op(LOAD, NUMBER, 0, 0));
    program.push(op(JUMP_EQUAL, number(libc::SYS_fcntl), 0, u8::try_from(locks.len()).unwrap_or(u8::MAX)));
    program.extend(locks);
    program
}

/// Placeholder for a jump past the last instruction, until the length is known.
const BEHIND: u32 = u32::MAX;

fn tree(ranges: &[(u32, u32)]) -> BpfProgram {
    let leave = op(JUMP, BEHIND, 0, 0);
    match ranges {
        [] => vec![leave],
        [(first, last)] => {
            vec![op(JUMP_FROM, *first, 0, 2), op(JUMP_ABOVE, *last, 1, 0), op(RETURN, ALLOW, 0, 0), leave]
        }
        _ => {
            let (lower, upper) = ranges.split_at(ranges.len() / 2);
            let (below, above) = (tree(lower), tree(upper));
            // A conditional jump reaches at most 255 instructions, an unconditional one any number.
            let leap = op(JUMP, u32::try_from(below.len()).unwrap_or(0), 0, 0);
            let mut program = vec![op(JUMP_FROM, upper[0].0, 0, 1), leap];
            program.extend(below);
            program.extend(above);
            program
        }
    }
}

fn op(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(profile: Profile) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = CALLS.iter().chain(LEGACY).map(|&call| (call, Vec::new())).collect();
    if profile != Profile::Run {
        rules.extend(PIPES.iter().chain(TIMERS).map(|&call| (call, Vec::new())));
        rules.insert(libc::SYS_socketpair, vec![one(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)?]);
    }
    match profile {
        // Threads but no processes: `Runtime.exec`, `fork` and `subprocess` fail.
        Profile::Run | Profile::EventLoop => {
            let thread = libc::CLONE_THREAD as u64;
            rules.insert(libc::SYS_clone, vec![one(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
        }
        // Processes, but not in new namespaces.
        Profile::Build => {
            rules.extend(PROCESSES.iter().chain(HOST).map(|&call| (call, Vec::new())));
            rules.insert(libc::SYS_clone, vec![one(0, SeccompCmpOp::MaskedEq(NAMESPACES), 0)?]);
        }
        // Processes, each in its own process and mount namespace. These calls need a capability, which the processes
        // drop.
        Profile::ForkServer => {
            rules.extend(PROCESSES.iter().chain(HOST).chain(FORK_SERVER).map(|&call| (call, Vec::new())));
            rules.insert(libc::SYS_clone, vec![one(0, SeccompCmpOp::MaskedEq(NAMESPACES), 0)?]);
            let kinds = [libc::CLONE_NEWPID, libc::CLONE_NEWNS].map(|kind| one(0, SeccompCmpOp::Eq, kind as u64));
            rules.insert(libc::SYS_unshare, kinds.into_iter().collect::<Result<_, _>>()?);
            rules.insert(libc::SYS_setns, vec![one(1, SeccompCmpOp::Eq, libc::CLONE_NEWPID as u64)?]);
        }
    }
    rules.insert(libc::SYS_fcntl, any_of(1, COMMANDS)?);
    rules.insert(libc::SYS_madvise, any_of(2, ADVICE)?);
    // Memory that `RLIMIT_DATA` does not count: shared memory without a file, large pages, and a mapping that grows like
    // a stack. Large pages are also a store of the host that sandboxes would share.
    let uncounted = (libc::MAP_HUGETLB | libc::MAP_GROWSDOWN) as u64;
    let of = |flag: i32| one(3, SeccompCmpOp::MaskedEq(uncounted | flag as u64), 0);
    rules.insert(libc::SYS_mmap, vec![of(libc::MAP_SHARED)?, of(libc::MAP_ANONYMOUS)?]);
    // Thread names only. Not the parent-death signal, which ends the sandbox with the server.
    let mut options = vec![libc::PR_SET_NAME, libc::PR_GET_NAME];
    if profile == Profile::ForkServer {
        options.push(libc::PR_SET_SECCOMP);
    }
    rules.insert(libc::SYS_prctl, any_of(0, &options)?);
    // Only what the C library uses on a stream, FIONREAD, FIONBIO, and what Python uses instead of `fcntl` to close a
    // descriptor at `exec`. Not TIOCSTI.
    let ioctls = [libc::TCGETS, libc::FIONREAD, libc::FIONBIO, libc::TIOCGWINSZ, libc::FIOCLEX, libc::FIONCLEX];
    // The types differ between glibc and musl.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
    let ioctls = ioctls.iter().map(|&request| one(1, SeccompCmpOp::Eq, request as u64));
    rules.insert(libc::SYS_ioctl, ioctls.collect::<Result<_, _>>()?);
    Ok(rules)
}

/// Allows a call if an argument is one of these values.
fn any_of(argument: u8, values: &[i32]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    values.iter().map(|&value| one(argument, SeccompCmpOp::Eq, u64::from(value.cast_unsigned()))).collect()
}

fn one(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)?])
}

/// The commands of `fcntl` that concern a descriptor of the own process. Locks and leases are left out, and everything
/// that changes or shows a file, because every sandbox sees the same files.
const COMMANDS: &[i32] =
    &[libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL];

/// The commands of `fcntl` that lock a part of a file. They succeed and do nothing: other sandboxes would see the lock,
/// and the only process of a sandbox never waits for its own.
const LOCKS: [i32; 4] = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

/// The advice of `madvise` that concerns the own process only. Advice that loads, evicts or joins pages of a file is left
/// out, because every sandbox sees the same files.
const ADVICE: &[i32] = &[
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    // Forgets private pages. Of a file, it changes only this process's page table.
    libc::MADV_DONTNEED,
    // Fails for pages of a file.
    libc::MADV_FREE,
    libc::MADV_DONTFORK,
    libc::MADV_DOFORK,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK,
];

/// Calls that succeed and do nothing. A file that can be written is in memory, so nothing has to reach a disk; on any
/// other file they would change what other sandboxes can measure or lock.
const ANSWERED: &[i64] =
    &[libc::SYS_fdatasync, libc::SYS_flock, libc::SYS_fsync, libc::SYS_msync, libc::SYS_sync_file_range];

/// Calls on every architecture. `execve` is allowed because the filter is set before the program starts. It cannot be
/// abused: only the program itself is executable, and scratch folders are mounted `noexec`.
const CALLS: &[i64] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Threads, signals to the own process, waiting. `tgkill` suffices, so `kill` is left out.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_tgkill,
    libc::SYS_wait4,
    // Time and system information.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getcpu,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getrandom,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_nanosleep,
    libc::SYS_prlimit64,
    libc::SYS_times,
    libc::SYS_uname,
    // Files; the mounts decide which.
    libc::SYS_chdir,
    libc::SYS_close,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fstat,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_linkat,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_sendfile,
    libc::SYS_shutdown,
    libc::SYS_statx,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Calls that create pipes. Their inode numbers come from one counter of the host, which everything that creates pipes
/// advances and everything that has one can read.
const PIPES: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    libc::SYS_pipe2,
];

/// Calls that set a timer of the own process, by which pytest-timeout ends a test. The kernel counts it for this process
/// only, and no other process can see it.
const TIMERS: &[i64] = &[libc::SYS_getitimer, libc::SYS_setitimer];

/// Calls that show the state of the host: free memory, load, free disk space. Compilers size their memory by it; a
/// program could read from it what another sandbox did.
const HOST: &[i64] = &[libc::SYS_fstatfs, libc::SYS_statfs, libc::SYS_sysinfo];

/// The calls that a compiler's driver needs in addition to [`CALLS`], to start its programs and wait for them.
const PROCESSES: &[i64] = &[
    libc::SYS_getpgid,
    libc::SYS_kill,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_waitid,
];

/// The calls that a fork server needs in addition to [`PROCESSES`]: it receives descriptors, watches its processes, and
/// creates their mounts.
const FORK_SERVER: &[i64] = &[libc::SYS_capset, libc::SYS_mount, libc::SYS_pidfd_open, libc::SYS_recvmsg];

/// Flags of `clone` that create a namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS) as u64;

/// Older variants of these calls, which only this architecture has.
#[cfg(target_arch = "x86_64")]
const LEGACY: &[i64] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_chmod,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getdents,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(not(target_arch = "x86_64"))]
const LEGACY: &[i64] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILES: [Profile; 4] = [Profile::Run, Profile::EventLoop, Profile::Build, Profile::ForkServer];

    #[test]
    fn filter_size_is_within_the_kernels_limits() {
        for profile in PROFILES {
            let bytes = program(profile).unwrap();
            assert_eq!(bytes.len() % 8, 0);
            assert!((100..4096).contains(&(bytes.len() / 8)), "{profile:?} {}", bytes.len() / 8);
        }
    }

    /// Interprets a program as the kernel does, for the instructions that occur here.
    fn verdict(program: &BpfProgram, kind: u32, number: u32, args: [u64; 6]) -> u32 {
        let mut shown = [number, kind, 0, 0].to_vec();
        shown.extend(args.iter().flat_map(|arg| [*arg as u32, (arg >> 32) as u32]));
        let (mut at, mut held, mut steps) = (0, 0, 0);
        loop {
            let op = &program[at];
            let leap = |yes: bool| usize::from(if yes { op.jt } else { op.jf });
            at += 1;
            steps += 1;
            assert!(steps <= program.len(), "endless loop");
            match op.code {
                LOAD => held = shown[op.k as usize / 4],
                JUMP => at += op.k as usize,
                JUMP_EQUAL => at += leap(held == op.k),
                JUMP_ABOVE => at += leap(held > op.k),
                JUMP_FROM => at += leap(held >= op.k),
                // The crate's masks.
                0x54 => held &= op.k,
                RETURN => return op.k,
                other => panic!("unknown instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn shortcut_changes_no_verdict() {
        for profile in PROFILES {
            check_the_shortcut(profile);
        }
    }

    fn check_the_shortcut(profile: Profile) {
        let whole = compiled(rules(profile).unwrap()).unwrap();
        let is_answered = |kind, number: u32, args: [u64; 6]| {
            let call = i64::from(number);
            let is_lock = call == libc::SYS_fcntl && LOCKS.contains(&(args[1] as i32));
            kind == THIS_KIND.unwrap() && (is_lock || ANSWERED.contains(&call))
        };
        let (plain, conditional): (Rules, Rules) = rules(profile).unwrap().into_iter().partition(|(_, r)| r.is_empty());
        let mut quick = shortcut(plain.into_keys());
        quick.extend(compiled(conditional).unwrap());
        let this = THIS_KIND.unwrap();
        let mut allowed = 0;
        for kind in [this, 0x4000_0003, 0] {
            // All calls, those of the x32 ABI, and the limits of the number type.
            for number in (0..1_000).chain(0x4000_0000..0x4000_0400).chain([u32::MAX - 1, u32::MAX]) {
                for first in [0, 1, 2, libc::PR_SET_NAME as u64, libc::CLONE_THREAD as u64, u64::MAX] {
                    for second in [0, libc::TCGETS, libc::FIONREAD, libc::TIOCSTI, libc::F_SETLK as u64, u64::MAX] {
                        let args = [first, second, 0, 0, 0, 0];
                        let ours = verdict(&quick, kind, number, args);
                        let expected =
                            if is_answered(kind, number, args) { SUCCESS } else { verdict(&whole, kind, number, args) };
                        assert_eq!(ours, expected, "{kind:#x} {number} {args:?}");
                        allowed += usize::from(ours == ALLOW);
                    }
                }
            }
        }
        assert!(allowed > 1_000, "{allowed}");
    }

    /// The verdict of a profile's filter on a call of this architecture.
    fn of(profile: Profile, call: i64, args: [u64; 6]) -> u32 {
        let (plain, conditional): (Rules, Rules) = rules(profile).unwrap().into_iter().partition(|(_, r)| r.is_empty());
        let mut program = shortcut(plain.into_keys());
        program.extend(compiled(conditional).unwrap());
        verdict(&program, THIS_KIND.unwrap(), u32::try_from(call).unwrap(), args)
    }

    #[test]
    fn calls_change_and_show_nothing_that_sandboxes_share() {
        let refused = 0x0005_0000 | libc::ENOSYS as u32;
        let fcntl = |command: i32| (libc::SYS_fcntl, [3, command as u64, 0, 0, 0, 0]);
        let madvise = |advice: i32| (libc::SYS_madvise, [0, 4096, advice as u64, 0, 0, 0]);
        let mmap = |flags: i32| (libc::SYS_mmap, [0, 4096, 3, flags as u64, 3, 0]);
        let plain = |call: i64| (call, [3, 0, 0, 0, 0, 0]);
        for profile in PROFILES {
            // Every number but those in the list, among them commands of later kernels, and with bits that the kernel
            // ignores.
            for command in (-1..20).chain(1_020..1_050) {
                let (call, args) = fcntl(command);
                let expected = match command {
                    _ if COMMANDS.contains(&command) => ALLOW,
                    _ if LOCKS.contains(&command) => SUCCESS,
                    _ => refused,
                };
                for high in [0, 1 << 32, u64::MAX << 32] {
                    let args = [args[0], args[1] & 0xffff_ffff | high, 0, 0, 0, 0];
                    assert_eq!(of(profile, call, args), expected, "{profile:?} fcntl {command}");
                }
            }
            for advice in -1..120 {
                let expected = if ADVICE.contains(&advice) { ALLOW } else { refused };
                let (call, args) = madvise(advice);
                assert_eq!(of(profile, call, args), expected, "{profile:?} madvise {advice}");
            }
            let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            for (flags, expected) in [
                (private, ALLOW),
                (private | libc::MAP_NORESERVE | libc::MAP_STACK | libc::MAP_FIXED, ALLOW),
                (libc::MAP_PRIVATE, ALLOW),
                (libc::MAP_SHARED, ALLOW),
                (libc::MAP_SHARED | libc::MAP_ANONYMOUS, refused),
                (libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, refused),
                (private | libc::MAP_HUGETLB, refused),
                (libc::MAP_SHARED | libc::MAP_HUGETLB, refused),
                (private | libc::MAP_GROWSDOWN, refused),
            ] {
                let (call, args) = mmap(flags);
                assert_eq!(of(profile, call, args), expected, "{profile:?} mmap {flags:#x}");
            }
            for call in [
                libc::SYS_fadvise64,
                libc::SYS_mincore,
                libc::SYS_readahead,
                libc::SYS_mlock,
                libc::SYS_membarrier,
                451,
            ] {
                assert_eq!(of(profile, call, plain(call).1), refused, "{profile:?} {call}");
            }
            for &call in ANSWERED {
                assert_eq!(of(profile, call, plain(call).1), SUCCESS, "{profile:?} {call}");
            }
        }
        for profile in [Profile::Run, Profile::EventLoop] {
            for &call in HOST {
                assert_eq!(of(profile, call, plain(call).1), refused, "{profile:?} {call}");
            }
        }
        for (profile, expected) in [(Profile::Run, refused), (Profile::EventLoop, ALLOW)] {
            for &call in PIPES {
                assert_eq!(of(profile, call, plain(call).1), expected, "{profile:?} {call}");
            }
            assert_eq!(
                of(profile, libc::SYS_socketpair, [libc::AF_UNIX as u64, 1, 0, 0, 0, 0]),
                expected,
                "{profile:?}"
            );
        }
    }

    #[test]
    fn forbids_calls_that_reach_outside() {
        for profile in [Profile::Run, Profile::EventLoop, Profile::Build] {
            let rules = rules(profile).unwrap();
            for call in [
                libc::SYS_socket,
                libc::SYS_connect,
                libc::SYS_ptrace,
                libc::SYS_unshare,
                libc::SYS_setns,
                libc::SYS_mount,
                libc::SYS_clone3,
                libc::SYS_bpf,
                libc::SYS_io_uring_setup,
            ] {
                assert!(!rules.contains_key(&call), "{profile:?} {call}");
            }
            for call in [libc::SYS_clone, libc::SYS_fcntl, libc::SYS_ioctl, libc::SYS_madvise, libc::SYS_prctl] {
                assert!(!rules[&call].is_empty(), "{profile:?} {call} needs a condition");
            }
        }
        for call in PROCESSES.iter().chain(FORK_SERVER) {
            assert!(!rules(Profile::Run).unwrap().contains_key(call), "{call}");
            assert!(!rules(Profile::EventLoop).unwrap().contains_key(call), "{call}");
        }
        let server = rules(Profile::ForkServer).unwrap();
        for call in [libc::SYS_socket, libc::SYS_connect, libc::SYS_ptrace, libc::SYS_clone3, libc::SYS_bpf] {
            assert!(!server.contains_key(&call), "{call}");
        }
        for call in [libc::SYS_clone, libc::SYS_unshare, libc::SYS_setns, libc::SYS_prctl] {
            assert!(!server[&call].is_empty(), "{call} needs a condition");
        }
    }
}
