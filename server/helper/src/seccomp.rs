//! The system calls that a JVM needs, and no others.
//!
//! An allow-list, because what it leaves out stays out when kernels grow. Everything else answers
//! ENOSYS, so that the C library falls back (`clone3` to `clone`) and Java throws an exception
//! where a process, a socket or a name space was wanted. The crate `seccompiler` writes the
//! program: small, without dependencies but libc, and used by Firecracker for the same purpose.

use std::{collections::BTreeMap, io};

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// The filter as the kernel reads it: an array of `struct sock_filter`.
///
/// # Errors
/// On a processor that the crate does not know.
pub fn program() -> io::Result<Vec<u8>> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let filter = SeccompFilter::new(
        rules().map_err(io::Error::other)?,
        SeccompAction::Errno(libc::ENOSYS as u32),
        SeccompAction::Allow,
        arch,
    )
    .map_err(io::Error::other)?;
    let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
    Ok(program
        .iter()
        .flat_map(|i| {
            let [a, b] = i.code.to_ne_bytes();
            let [c, d, e, f] = i.k.to_ne_bytes();
            [a, b, i.jt, i.jf, c, d, e, f]
        })
        .collect())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = CALLS.iter().chain(LEGACY).map(|&call| (call, Vec::new())).collect();
    // Threads, but no processes: what `Runtime.exec` starts with is not there.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![one(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    // A pair of connected sockets is how the JDK wakes its selectors; it reaches nobody else.
    rules.insert(libc::SYS_socketpair, vec![one(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)?]);
    // No terminal tricks (TIOCSTI): only what the C library asks of a stream, and FIONREAD, FIONBIO.
    let ioctls = [libc::TCGETS, libc::FIONREAD, libc::FIONBIO, libc::TIOCGWINSZ];
    let ioctls = ioctls.iter().map(|&request| one(1, SeccompCmpOp::Eq, request));
    rules.insert(libc::SYS_ioctl, ioctls.collect::<Result<_, _>>()?);
    Ok(rules)
}

fn one(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)?])
}

/// On every processor. `execve` is here because the filter stands before the JVM is started; with
/// nothing executable but the JVM itself, and scratch mounted `noexec`, it leads nowhere.
const CALLS: &[i64] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munmap,
    // Threads, signals to oneself, waiting. `kill` is left out: `tgkill` reaches the own process.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_membarrier,
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
    // Time and facts.
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
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    // Files: the mounts decide which.
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
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_linkat,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
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
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_symlinkat,
    libc::SYS_sync_file_range,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_write,
    libc::SYS_writev,
];

/// The same by their older names, which only this processor has.
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
    libc::SYS_pipe,
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

    #[test]
    fn is_a_program_of_a_size_that_the_kernel_takes() {
        let bytes = program().unwrap();
        assert_eq!(bytes.len() % 8, 0);
        assert!((100..4096).contains(&(bytes.len() / 8)), "{}", bytes.len() / 8);
    }

    #[test]
    fn leaves_out_what_leads_outside() {
        let rules = rules().unwrap();
        for call in [libc::SYS_socket, libc::SYS_connect, libc::SYS_ptrace, libc::SYS_unshare, libc::SYS_mount] {
            assert!(!rules.contains_key(&call), "{call}");
        }
        for call in [libc::SYS_clone, libc::SYS_socketpair, libc::SYS_ioctl] {
            assert!(!rules[&call].is_empty(), "{call} needs a condition");
        }
    }
}
