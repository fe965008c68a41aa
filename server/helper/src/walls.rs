//! What the helper does with an order.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, BufRead, BufReader, PipeReader, Read, Write as _},
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{
            fs::{DirBuilderExt, OpenOptionsExt},
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
    time::Duration,
};

use nix::{
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl},
    mount::{MsFlags, mount},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sched::{CloneFlags, sched_getaffinity, unshare},
    sys::{
        prctl::set_child_subreaper,
        resource::{Resource, UsageWho, getrusage, setrlimit},
        signal::{Signal, kill},
        stat::{Mode, umask},
        statvfs::{FsFlags, statvfs},
        wait::wait,
    },
    time::{ClockId, clock_getcpuclockid, clock_gettime},
    unistd::{Gid, Pid, Uid, geteuid, getgid, getuid, mkdir, setgid, setgroups, setuid},
};
use serde::Deserialize;

use crate::{Keep, Limits, Order, Profile, Report, Started, landlock, seccomp};

/// Puts the walls up, runs the command inside, and tells how it ended.
///
/// # Errors
/// Where a wall cannot be put up; then nothing was run.
pub fn run(order: &Order) -> io::Result<Report> {
    // Bubblewrap ends before the first process inside has; that one becomes ours then, so that its
    // processor time is counted and nothing is left when we end.
    set_child_subreaper(true)?;
    // A service is often started with a mask that keeps its files from everybody else. The sandbox's user
    // is somebody else, and must get through the folders that are made for it.
    umask(Mode::from_bits_truncate(0o022));
    // The server's end of the control socket came as standard input; the program inside gets it
    // under another number, because anybody can use descriptor 0.
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    for group in &order.groups {
        fs::write(group.join("cgroup.procs"), "0")?;
    }
    // Opened while we still may write where the server may; the sandbox's user may not.
    let keep = order
        .command
        .keep
        .as_ref()
        .map(|keep| Ok::<_, io::Error>((keep, OpenOptions::new().write(true).open(&keep.host)?)));
    let keep = keep.transpose()?;
    let stage = Stage::build(order)?;
    landlock::restrict()?;
    limit(&order.command.limits, order.command.profile)?;
    let (status, status_in) = io::pipe()?;
    let (filter, mut filter_in) = io::pipe()?;
    filter_in.write_all(&seccomp::program(order.command.profile)?)?;
    drop(filter_in);
    let handed_down = [control.as_fd(), status_in.as_fd(), filter.as_fd()];
    for fd in handed_down {
        fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    }
    let mut bubblewrap = bwrap(order, &stage, handed_down.map(|fd| fd.as_raw_fd().to_string()));
    if order.command.control_is_input {
        bubblewrap.stdin(control.try_clone()?);
    }
    let mut child = bubblewrap.spawn()?;
    // It holds a copy of the socket.
    drop(bubblewrap);
    drop(status_in);
    drop(filter);
    let over_cpu = accompany(Pid::from_raw(child.id().cast_signed()), &control, status, order.command.limits.cpu_s);
    let end = child.wait()?;
    while wait().is_ok() {}
    if let Some((keep, host)) = keep {
        copy_out(&stage, keep, host, order.command.limits.file_bytes)?;
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |t: nix::sys::time::TimeVal| u64::try_from(t.tv_sec() * 1_000_000 + t.tv_usec()).unwrap_or(0);
    Ok(Report {
        code: end.code().or_else(|| end.signal().map(|s| 128 + s)),
        cpu_us: micros(usage.user_time()) + micros(usage.system_time()),
        over_cpu,
        memory_kib: u64::try_from(usage.max_rss()).unwrap_or(0),
        out_of_memory: false,
        fault: None,
    })
}

/// The private mount name space: everything that will be seen inside, in one place.
///
/// Bubblewrap could mount each of these by itself. It reads the list of all mounts after each, which is slow;
/// so it is handed one folder that is finished.
struct Stage {
    /// What becomes the root folder; nobody outside sees it.
    root: PathBuf,
    /// The first scratch folder, seen from outside of the sandbox.
    first_scratch: PathBuf,
}

/// What the JDK's random numbers and its `exec` of nothing want; no terminal, no shared memory.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];

const NOTHING: Option<&str> = None;

impl Stage {
    fn build(order: &Order) -> io::Result<Stage> {
        let (uid, gid) = (getuid(), getgid());
        let root = geteuid().is_root();
        if root {
            unshare(CloneFlags::CLONE_NEWNS)?;
        } else {
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
            fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        }
        mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NOTHING)?;
        // Any folder that every system has and that hides none of the sources.
        let sources = || order.command.read_only.iter().map(|(from, _)| from.as_path());
        let place = ["/mnt", "/media", "/srv", "/opt", "/tmp"]
            .into_iter()
            .map(Path::new)
            .find(|place| place.is_dir() && !sources().any(|source| source.starts_with(place)))
            .ok_or_else(|| io::Error::other("no folder to mount on (/mnt, /media, /srv, /opt, /tmp)"))?;
        let limits = &order.command.limits;
        let options = format!("size={},nr_inodes={},mode=0755", limits.scratch_bytes, limits.scratch_files + 128);
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("scratch"), place, Some("tmpfs"), flags, Some(options.as_str()))?;
        let stage = Stage { root: place.join("root"), first_scratch: place.join("scratch-0") };
        mkdir(&stage.root, Mode::from_bits_truncate(0o755))?;
        // A mount of its own, so that it can be made read-only and scratch beside it cannot.
        mount(Some(&stage.root), &stage.root, NOTHING, MsFlags::MS_BIND, NOTHING)?;
        // Bound here while we still may look into the data folder; the sandbox's user may not.
        for (source, inside) in &order.command.read_only {
            read_only(&stage.bind(source, inside)?)?;
        }
        for device in DEVICES {
            stage.bind(Path::new(device), device)?;
        }
        for (number, inside) in order.command.scratch.iter().enumerate() {
            let folder = place.join(format!("scratch-{number}"));
            mkdir(&folder, Mode::from_bits_truncate(0o700))?;
            if root {
                std::os::unix::fs::chown(&folder, Some(order.uid), Some(order.uid))?;
            }
            stage.bind(&folder, inside)?;
        }
        read_only(&stage.root)?;
        if root {
            setgroups(&[])?;
            setgid(Gid::from_raw(order.uid))?;
            setuid(Uid::from_raw(order.uid))?;
        }
        Ok(stage)
    }

    /// Shows a file or folder under its name inside; returns where that is for now.
    fn bind(&self, source: &Path, inside: &str) -> io::Result<PathBuf> {
        let target = self.root.join(inside.trim_start_matches('/'));
        let folders = |path: &Path| DirBuilder::new().recursive(true).mode(0o755).create(path);
        if source.is_dir() {
            folders(&target)?;
        } else {
            folders(target.parent().unwrap_or(&self.root))?;
            // Never one that is there: below a folder shown already that would be the host's.
            OpenOptions::new().write(true).create_new(true).open(&target)?;
        }
        mount(Some(source), &target, NOTHING, MsFlags::MS_BIND, NOTHING)?;
        Ok(target)
    }
}

/// Lets nobody write to a mount, own a program in it, or reach a device by it.
fn read_only(target: &Path) -> io::Result<()> {
    // Where we are not root, the kernel insists that what cannot be executed from stays so.
    let held = statvfs(target)?.flags().contains(FsFlags::ST_NOEXEC);
    let kept = if held { MsFlags::MS_NOEXEC } else { MsFlags::empty() };
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    mount(NOTHING, target, NOTHING, flags | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | kept, NOTHING)?;
    Ok(())
}

/// Copies a file that the command left in its first scratch folder. Anything but a plain file is left where it is.
fn copy_out(stage: &Stage, keep: &Keep, mut host: fs::File, most: u64) -> io::Result<()> {
    let name = Path::new(&keep.name);
    if name.file_name() != Some(name.as_os_str()) {
        return Err(io::Error::other("the file to keep must be named without folders"));
    }
    // Never through a link: it would lead to a file of the host.
    let left = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NOFOLLOW.bits() | OFlag::O_NONBLOCK.bits())
        .open(stage.first_scratch.join(name));
    let Ok(left) = left else { return Ok(()) };
    if left.metadata()?.is_file() {
        io::copy(&mut left.take(most), &mut host)?;
    }
    Ok(())
}

fn limit(limits: &Limits, profile: Profile) -> io::Result<()> {
    let set = |resource, soft, hard| setrlimit(resource, soft, hard).map_err(io::Error::from);
    // A backstop only. The kernel holds this limit against a count that it takes at clock ticks, which differs from
    // the clock that `accompany` reads by a fifth and more on a busy or virtual machine; it must never decide first.
    let backstop = match profile {
        Profile::Run | Profile::ForkServer => limits.cpu_s * 4 + 60,
        // Here it decides, for each process of the compiler: the clock that `accompany` reads is the first one's alone.
        Profile::Build => limits.cpu_s,
    };
    set(Resource::RLIMIT_CPU, backstop, backstop)?;
    set(Resource::RLIMIT_DATA, limits.data_bytes, limits.data_bytes)?;
    set(Resource::RLIMIT_NPROC, limits.threads, limits.threads)?;
    set(Resource::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
    set(Resource::RLIMIT_NOFILE, limits.open_files, limits.open_files)?;
    set(Resource::RLIMIT_CORE, 0, 0)?;
    set(Resource::RLIMIT_MSGQUEUE, 0, 0)?;
    set(Resource::RLIMIT_MEMLOCK, 0, 0)
}

/// Bubblewrap with what it gets: the control socket (for the program inside), a pipe that it tells its status
/// on, and one with the filter.
#[allow(clippy::disallowed_methods, reason = "the one place where the walls are started")]
fn bwrap(order: &Order, stage: &Stage, [control, status, filter]: [String; 3]) -> Process {
    let mut process = Process::new(&order.bwrap);
    process.args(["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]);
    process.args(["--new-session", "--die-with-parent", "--cap-drop", "ALL"]);
    if order.command.profile == Profile::ForkServer {
        // In its user namespace only: for the namespaces and mounts of its processes, which drop it.
        process.args(["--cap-add", "CAP_SYS_ADMIN"]);
    }
    // A program that runs cannot start a process, and a compiler collects its own: no first process is needed that would.
    process.arg("--as-pid-1");
    process.arg("--dev-bind").arg(&stage.root).arg("/");
    if let Some(first) = order.command.scratch.first() {
        process.args(["--chdir", first]);
    }
    process.args(["--json-status-fd", &status, "--seccomp", &filter, "--"]);
    process.args(order.command.argv.iter().map(|arg| if arg == "{control}" { &control } else { arg }));
    process.env_clear().envs(order.command.env.iter().map(|(name, value)| (name, value)));
    // Standard error is for the helper's report alone: inside, both streams are the server's pipe.
    process.stdin(Stdio::null()).stdout(Stdio::inherit());
    if let Ok(out) = io::stdout().as_fd().try_clone_to_owned() {
        process.stderr(out);
    }
    process.process_group(0);
    process
}

/// Returns when bubblewrap has ended. Ends the process inside once the server has hung up or the process has used
/// up its processor time; returns whether it was the latter.
///
/// The processor clock of the process (the scheduler's own count, in nanoseconds, over all threads) is the one clock
/// that decides, here, at the moment of the kill. Usage reported after the end comes from the same count.
fn accompany(bubblewrap: Pid, control: &OwnedFd, status: PipeReader, cpu_s: u64) -> bool {
    let mut status = BufReader::new(status);
    let started = process_inside(&mut status);
    if let Some(inside) = started {
        let line = serde_json::to_string(&Started { inside: inside.as_raw() }).unwrap_or_default();
        // Without it the server knows less of a process that waits; the report does not depend on it.
        let _ = writeln!(io::stderr(), "{line}");
    }
    // Ending the process inside leaves bubblewrap to collect it, so that its processor time is counted.
    let inside = started.unwrap_or(bubblewrap);
    let clock = started.and_then(|inside| clock_getcpuclockid(inside).ok());
    let cores = cores();
    let (mut hung_up, mut over_cpu) = (false, false);
    loop {
        let left = clock.filter(|_| !over_cpu).and_then(|clock| left(clock, cpu_s));
        if left.is_some_and(|left| left.is_zero()) {
            over_cpu = true;
            let _ = kill(inside, Signal::SIGKILL);
            continue;
        }
        let [told, gone] = ready(status.get_ref(), (!hung_up).then_some(control), pause(left, cores));
        if told && matches!(status.read(&mut [0; 256]), Ok(0) | Err(_)) {
            return over_cpu;
        }
        if gone {
            hung_up = true;
            let _ = kill(inside, Signal::SIGKILL);
        }
    }
}

/// Processor time left on a process's clock; `None` once the process is gone.
fn left(clock: ClockId, cpu_s: u64) -> Option<Duration> {
    let used = clock_gettime(clock).ok()?;
    Some(Duration::from_secs(cpu_s).saturating_sub(Duration::from(used)))
}

/// How long the process needs at least to use up what is left, if all its threads run at once. At least a
/// millisecond, so that the helper does not spin at the end; a compiler's limit is days, and poll takes no more.
fn pause(left: Option<Duration>, cores: u32) -> PollTimeout {
    let Some(left) = left else { return PollTimeout::NONE };
    let pause = (left / cores).clamp(Duration::from_millis(1), Duration::from_secs(3600));
    PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX)
}

/// How many threads of this process can run at once.
fn cores() -> u32 {
    let set = sched_getaffinity(Pid::from_raw(0)).ok();
    let count =
        set.map_or(0, |set| (0..nix::sched::CpuSet::count()).filter(|&cpu| set.is_set(cpu) == Ok(true)).count());
    // Unknown: as many as any machine has, which only means looking at the clock more often.
    if count == 0 { 1024 } else { u32::try_from(count).unwrap_or(1024) }
}

/// Waits until the pipe can be read, the socket's other end is gone, or the time is over; which of the first two.
fn ready(status: &PipeReader, control: Option<&OwnedFd>, pause: PollTimeout) -> [bool; 2] {
    let mut fds = vec![PollFd::new(status.as_fd(), PollFlags::POLLIN)];
    // Asking for nothing: a hang-up is reported all the same.
    fds.extend(control.map(|control| PollFd::new(control.as_fd(), PollFlags::empty())));
    // Interrupted, none is ready.
    let _ = poll(&mut fds, pause);
    [0, 1].map(|at| fds.get(at).and_then(PollFd::any) == Some(true))
}

/// The number of the process inside, from the first line that bubblewrap writes: `{ "child-pid": N, … }`.
fn process_inside(status: &mut impl BufRead) -> Option<Pid> {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Status {
        child_pid: i32,
    }
    let mut line = String::new();
    status.read_line(&mut line).ok()?;
    serde_json::from_str::<Status>(&line).ok().map(|status| Pid::from_raw(status.child_pid))
}
