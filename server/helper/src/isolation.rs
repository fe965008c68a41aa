//! Sets up the isolation, runs a command and reports how it ended.

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
        resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit},
        signal::{Signal, kill},
        stat::{Mode, umask},
        statvfs::{FsFlags, statvfs},
        wait::wait,
    },
    time::{ClockId, clock_getcpuclockid, clock_gettime},
    unistd::{Gid, Pid, Uid, close, geteuid, getgid, getuid, mkdir, setgid, setgroups, setuid},
};
use rustix::process::{getpriority_process, setpriority_process};
use serde::Deserialize;

use crate::{Command, Keep, Limits, Order, Profile, Report, Started, landlock, seccomp};

/// The priority of everything in a sandbox, as `nice` counts it: a third of the processor time that the server gets when
/// both want it.
const NICE: i32 = 5;

/// Lowers the priority of this process and of those that it starts, unless it is that low already. Where the host refuses
/// that, the sandbox keeps the server's: its limits count CPU time, so no verdict depends on this.
fn lower_priority() {
    if getpriority_process(None).is_ok_and(|nice| nice < NICE) {
        let _ = setpriority_process(None, NICE);
    }
}

/// Closes what the server inherited from the program that started it (a shell, a service manager) and passed on: the program
/// inside would have the same open files as those of all other sandboxes.
fn close_inherited() -> io::Result<()> {
    let entries = fs::read_dir("/proc/self/fd")?;
    let numbers: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|&number| number > 2) {
        // Among them is the one that listed them, which is closed already.
        let _ = close(number);
    }
    Ok(())
}

/// Sets up the isolation, runs the command inside, and reports how it ended.
///
/// # Errors
/// Fails if an isolation layer cannot be set up. Nothing has run then.
pub fn run(order: &Order) -> io::Result<Report> {
    close_inherited()?;
    // Bubblewrap ends before the first process inside does. That process then becomes our child, so that its CPU time
    // is counted and nothing is left when we end.
    set_child_subreaper(true)?;
    lower_priority();
    // Services often run with a umask that denies access to other users. The sandbox's user is another user, and must
    // be able to enter the folders that are created for it.
    umask(Mode::from_bits_truncate(0o022));
    // The server's end of the control socket arrives as standard input. The program inside gets it under another
    // number, because any code can use descriptor 0.
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    for group in &order.groups {
        fs::write(group.join("cgroup.procs"), "0")?;
    }
    // Opened while we still have the server's permissions, which the sandbox's user does not have.
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
    // A program that is not told the socket's number does not get the socket.
    let kept = usize::from(!order.command.argv.iter().any(|argument| argument == CONTROL));
    for fd in &handed_down[kept..] {
        fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    }
    let mut bubblewrap = bwrap(order, &stage, handed_down.map(|fd| fd.as_raw_fd().to_string()))?;
    if order.command.control_is_input {
        bubblewrap.stdin(control.try_clone()?);
    }
    let mut child = bubblewrap.spawn()?;
    // The command has a copy of the socket.
    drop(bubblewrap);
    drop(status_in);
    drop(filter);
    let [over_cpu, over_memory] = accompany(Pid::from_raw(child.id().cast_signed()), &control, status, &order.command);
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
        out_of_memory: over_memory,
        fault: None,
    })
}

/// The private mount namespace: everything that will be visible inside, in one folder.
///
/// Bubblewrap could create each of these mounts. It reads the list of all mounts after each one, which is slow, so it
/// gets one prepared folder.
struct Stage {
    /// The future root folder. It is invisible outside.
    root: PathBuf,
    /// The first scratch folder, by its path outside of the sandbox.
    first_scratch: PathBuf,
}

/// The devices that programs expect. There is no terminal and no shared memory; `/dev/zero` would be shared memory, which
/// no resource limit counts.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/random", "/dev/urandom"];

const NOTHING: Option<&str> = None;

/// The argument that becomes the number of the control socket.
const CONTROL: &str = "{control}";

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
        // Mount on a folder that every system has and that hides none of the sources.
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
        // A separate mount, so that it can be made read-only while the scratch folders stay writable.
        mount(Some(&stage.root), &stage.root, NOTHING, MsFlags::MS_BIND, NOTHING)?;
        // Mounted while we can still read the data folder, which the sandbox's user cannot.
        for (source, inside) in &order.command.read_only {
            read_only(&stage.bind(source, inside)?, MsFlags::MS_NODEV)?;
        }
        for device in DEVICES {
            // A device can be written on a read-only mount, but its owner and times cannot.
            read_only(&stage.bind(Path::new(device), device)?, MsFlags::MS_NOEXEC)?;
        }
        for (number, inside) in order.command.scratch.iter().enumerate() {
            let folder = place.join(format!("scratch-{number}"));
            mkdir(&folder, Mode::from_bits_truncate(0o700))?;
            if root {
                std::os::unix::fs::chown(&folder, Some(order.uid), Some(order.uid))?;
            }
            stage.bind(&folder, inside)?;
        }
        for (number, (source, inside)) in order.command.copies.iter().enumerate() {
            stage.copy(source, inside, &place.join(format!("copy-{number}")), root.then_some(order.uid))?;
        }
        read_only(&stage.root, MsFlags::MS_NODEV)?;
        if root {
            setgroups(&[])?;
            setgid(Gid::from_raw(order.uid))?;
            setuid(Uid::from_raw(order.uid))?;
        }
        Ok(stage)
    }

    /// Mounts a file or folder at its path inside. Returns its present path.
    fn bind(&self, source: &Path, inside: &str) -> io::Result<PathBuf> {
        let target = self.root.join(inside.trim_start_matches('/'));
        let folders = |path: &Path| DirBuilder::new().recursive(true).mode(0o755).create(path);
        if source.is_dir() {
            folders(&target)?;
        } else {
            folders(target.parent().unwrap_or(&self.root))?;
            // Never an existing file: below a folder that is mounted already, it would be a file of the host.
            OpenOptions::new().write(true).create_new(true).open(&target)?;
        }
        mount(Some(source), &target, NOTHING, MsFlags::MS_BIND, NOTHING)?;
        Ok(target)
    }
}

impl Stage {
    /// Mounts a copy of a folder, with what is written to it in the folder `own`. Where the kernel refuses such a mount,
    /// copies the files. `user` is the sandbox's user if it is another one than ours.
    fn copy(&self, source: &Path, inside: &str, own: &Path, user: Option<u32>) -> io::Result<()> {
        let target = self.root.join(inside.trim_start_matches('/'));
        let create = |folder: &Path| {
            DirBuilder::new().mode(0o755).create(folder)?;
            user.map_or(Ok(()), |user| std::os::unix::fs::chown(folder, Some(user), Some(user)))
        };
        let (upper, work) = (own.join("upper"), own.join("work"));
        for folder in [&target, own, &upper, &work] {
            create(folder)?;
        }
        let options = format!("lowerdir={},upperdir={},workdir={}", source.display(), upper.display(), work.display());
        // Without root, the kernel keeps its notes in attributes that users may set.
        let options = if user.is_some() { options } else { options + ",userxattr" };
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        // Both characters separate paths in the options.
        let is_plain = !source.to_string_lossy().contains([':', ',', '\\']);
        if is_plain && mount(Some("overlay"), &target, Some("overlay"), flags, Some(options.as_str())).is_ok() {
            return Ok(());
        }
        copy_files(source, &target, user)
    }
}

/// Copies what is in a folder. Links are copied as they are.
fn copy_files(source: &Path, target: &Path, user: Option<u32>) -> io::Result<()> {
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, target.join(entry.file_name()));
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, &to)?;
        } else if kind.is_dir() {
            DirBuilder::new().mode(0o755).create(&to)?;
            copy_files(&entry.path(), &to, user)?;
        } else if kind.is_file() {
            // With its time, by which Python knows what is compiled.
            let copied = entry.metadata()?.modified()?;
            fs::copy(entry.path(), &to)?;
            fs::File::open(&to)?.set_modified(copied)?;
        }
        if let Some(user) = user.filter(|_| !kind.is_symlink()) {
            std::os::unix::fs::chown(&to, Some(user), Some(user))?;
        }
    }
    Ok(())
}

/// Makes a mount read-only, disables set-user-ID programs in it, and sets further flags.
fn read_only(target: &Path, more: MsFlags) -> io::Result<()> {
    // Without root, the kernel requires that a `noexec` mount stays `noexec`.
    let held = statvfs(target)?.flags().contains(FsFlags::ST_NOEXEC);
    let kept = if held { MsFlags::MS_NOEXEC } else { MsFlags::empty() };
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    mount(NOTHING, target, NOTHING, flags | MsFlags::MS_NOSUID | more | kept, NOTHING)?;
    Ok(())
}

/// Copies a file that the command left in its first scratch folder. Ignores anything but a regular file.
fn copy_out(stage: &Stage, keep: &Keep, mut host: fs::File, most: u64) -> io::Result<()> {
    let name = Path::new(&keep.name);
    if name.file_name() != Some(name.as_os_str()) {
        return Err(io::Error::other("the file to keep must be named without folders"));
    }
    // Links are not followed, because they could lead to a file of the host.
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

/// Signals that may be pending in a sandbox. If the server is not root, the kernel counts them for all sandboxes together: one
/// that used up the user's limit would be noticed in the others.
const PENDING_SIGNALS: u64 = 128;

/// Bytes of addresses, in addition to the memory that a process may use. Runtimes reserve some gigabytes and use little of
/// them. But a page that is only read costs a page of the kernel's tables, which no other limit counts without control
/// groups: these are 128 MiB of tables at most.
const ADDRESSES: u64 = 64 << 30;

/// Sets a limit, unless the server's own is lower.
fn at_most(resource: Resource, value: u64) -> io::Result<()> {
    let value = value.min(getrlimit(resource)?.1);
    setrlimit(resource, value, value).map_err(io::Error::from)
}

/// The stack of a program in bytes, as Linux gives it by default.
const STACK: u64 = 8 << 20;

/// The stack to which a compiler may raise its own limit, as GCC does.
const COMPILERS_STACK: u64 = 64 << 20;

/// Resident memory beyond the limit of data that a program can have without a trick: its stack, and pages of files that it
/// has changed.
const MEMORY_SLACK: u64 = 64 << 20;

/// How many bytes a thread can fill in a second, at most: the kernel clears each page first.
const FASTEST: f64 = (4_u64 << 30) as f64;

/// Memory is not read more often.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

fn limit(limits: &Limits, profile: Profile) -> io::Result<()> {
    let set = |resource, soft, hard| setrlimit(resource, soft, hard).map_err(io::Error::from);
    // A backstop only. The kernel checks this limit against a count that it takes at clock ticks, which differs from
    // the clock that `accompany` reads by 20% and more on a busy or virtual machine. It must never decide first.
    let backstop = match profile {
        Profile::Run | Profile::EventLoop | Profile::ForkServer => limits.cpu_s * 4 + 60,
        // Here it decides, for each process of the compiler, because `accompany` reads the clock of the first one only.
        Profile::Build => limits.cpu_s,
    };
    set(Resource::RLIMIT_CPU, backstop, backstop)?;
    set(Resource::RLIMIT_DATA, limits.data_bytes, limits.data_bytes)?;
    // A stack does not count as data. Compilers raise their own limit.
    let (stack, most) = getrlimit(Resource::RLIMIT_STACK)?;
    let highest = if profile == Profile::Build { COMPILERS_STACK } else { STACK }.min(most);
    set(Resource::RLIMIT_STACK, stack.min(STACK).min(highest), highest)?;
    set(Resource::RLIMIT_NPROC, limits.threads, limits.threads)?;
    set(Resource::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
    set(Resource::RLIMIT_NOFILE, limits.open_files, limits.open_files)?;
    set(Resource::RLIMIT_CORE, 0, 0)?;
    set(Resource::RLIMIT_MSGQUEUE, 0, 0)?;
    at_most(Resource::RLIMIT_SIGPENDING, PENDING_SIGNALS)?;
    at_most(Resource::RLIMIT_AS, ADDRESSES + limits.data_bytes)?;
    set(Resource::RLIMIT_MEMLOCK, 0, 0)
}

/// The bubblewrap command. It inherits the control socket (for the program inside), a pipe for its status, and a pipe
/// with the filter.
#[allow(clippy::disallowed_methods, reason = "the one place where bubblewrap is started")]
fn bwrap(order: &Order, stage: &Stage, [control, status, filter]: [String; 3]) -> io::Result<Process> {
    let mut process = Process::new(&order.bwrap);
    process.args(["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]);
    process.args(["--new-session", "--die-with-parent", "--cap-drop", "ALL"]);
    if order.command.profile == Profile::ForkServer {
        // In its own user namespace only, for the namespaces and mounts of its processes, which drop the capability.
        process.args(["--cap-add", "CAP_SYS_ADMIN"]);
    }
    // A program cannot start processes, and a compiler waits for its own, so no init process is needed.
    process.arg("--as-pid-1");
    process.arg("--dev-bind").arg(&stage.root).arg("/");
    if let Some(first) = order.command.scratch.first() {
        process.args(["--chdir", first]);
    }
    process.args(["--json-status-fd", &status, "--seccomp", &filter, "--"]);
    process.args(order.command.argv.iter().map(|arg| if arg == CONTROL { &control } else { arg }));
    process.env_clear().envs(order.command.env.iter().map(|(name, value)| (name, value)));
    // Only the helper's report goes to standard error. Inside, both streams are the server's pipe.
    // Opened on the sandbox's own read-only mount: through a descriptor of the host's mount, a program could change the
    // device's times.
    process.stdin(fs::File::open(stage.root.join("dev/null"))?).stdout(Stdio::inherit());
    if let Ok(out) = io::stdout().as_fd().try_clone_to_owned() {
        process.stderr(out);
    }
    process.process_group(0);
    Ok(process)
}

/// Waits for the end of bubblewrap. Kills the process inside if the server closes the socket or the process has used up
/// its CPU time. Returns whether the latter happened.
///
/// Only the CPU clock of the process decides (the scheduler's count, in nanoseconds, over all threads), at the moment
/// of the kill. The usage reported after the end comes from the same count.
///
/// Memory is watched as well, because the limit of data counts mappings: a program can fill one and then make it read-only,
/// after which it counts no more.
fn accompany(bubblewrap: Pid, control: &OwnedFd, status: PipeReader, command: &Command) -> [bool; 2] {
    let cpu_s = command.limits.cpu_s;
    let most = command.limits.data_bytes + MEMORY_SLACK;
    let mut status = BufReader::new(status);
    let started = process_inside(&mut status);
    if let Some(inside) = started {
        let line = serde_json::to_string(&Started { inside: inside.as_raw() }).unwrap_or_default();
        // Without this line the server knows less about a process that waits. The report does not depend on it.
        let _ = writeln!(io::stderr(), "{line}");
    }
    // Killing only the process inside lets bubblewrap wait for it, so that its CPU time is counted.
    let inside = started.unwrap_or(bubblewrap);
    let clock = started.and_then(|inside| clock_getcpuclockid(inside).ok());
    let cores = cores();
    let (mut hung_up, mut over_cpu, mut over_memory) = (false, false, false);
    loop {
        let is_killed = over_cpu || over_memory;
        let mut left = clock.filter(|_| !is_killed).and_then(|clock| left(clock, cpu_s));
        if left.is_some_and(|left| left.is_zero()) {
            over_cpu = true;
            let _ = kill(inside, Signal::SIGKILL);
            continue;
        }
        // Compilers run no code of models.
        if left.is_some() && command.profile != Profile::Build {
            let soonest = |room: u64| Duration::from_secs_f64(room as f64 / FASTEST).max(LEAST_PAUSE);
            // A fork server may start a process at any time.
            left = left.map(|left| left.min(soonest(most)));
            for process in watched(inside, command.profile) {
                let Some(room) = room(process, most) else { continue };
                if room == 0 {
                    over_memory |= process == inside;
                    let _ = kill(process, Signal::SIGKILL);
                }
                left = left.map(|left| left.min(soonest(room)));
            }
        }
        let [told, gone] = ready(status.get_ref(), (!hung_up).then_some(control), pause(left, cores));
        if told && matches!(status.read(&mut [0; 256]), Ok(0) | Err(_)) {
            return [over_cpu, over_memory];
        }
        if gone {
            hung_up = true;
            let _ = kill(inside, Signal::SIGKILL);
        }
    }
}

/// The processes whose memory is watched: the one inside, or those that it has started if it is a fork server. None where the
/// kernel does not tell them.
fn watched(inside: Pid, profile: Profile) -> Vec<Pid> {
    if profile != Profile::ForkServer {
        return vec![inside];
    }
    let children = fs::read_to_string(format!("/proc/{inside}/task/{inside}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|id| id.parse().ok()).map(Pid::from_raw).collect()
}

/// How many bytes a process may still use of `most`; `None` if it has ended, or the kernel does not tell.
fn room(process: Pid, most: u64) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let counted = ["RssAnon:", "RssShmem:", "VmSwap:"];
    let kilobytes = |name| {
        let value = status.lines().find_map(|line| line.strip_prefix(name))?;
        value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let used: Option<u64> = counted.into_iter().map(kilobytes).sum();
    Some(most.saturating_sub(used? << 10))
}

/// CPU time left on a process's clock; `None` once the process has ended.
fn left(clock: ClockId, cpu_s: u64) -> Option<Duration> {
    let used = clock_gettime(clock).ok()?;
    Some(Duration::from_secs(cpu_s).saturating_sub(Duration::from(used)))
}

/// The minimum time in which the process can use up what is left, if all its threads run at once. At least 1 ms, so
/// that the helper does not spin at the end; at most 1 h, because a compiler's limit is days and `poll` takes no more.
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
    // Unknown: more than any machine has, so that the clock is only read more often.
    if count == 0 { 1024 } else { u32::try_from(count).unwrap_or(1024) }
}

/// Waits until the pipe can be read, the socket's other end is closed, or the time is over. Returns whether each of the
/// first two happened.
fn ready(status: &PipeReader, control: Option<&OwnedFd>, pause: PollTimeout) -> [bool; 2] {
    let mut fds = vec![PollFd::new(status.as_fd(), PollFlags::POLLIN)];
    // Requests no event: a hang-up is always reported.
    fds.extend(control.map(|control| PollFd::new(control.as_fd(), PollFlags::empty())));
    // After an interruption, neither is ready.
    let _ = poll(&mut fds, pause);
    [0, 1].map(|at| fds.get(at).and_then(PollFd::any) == Some(true))
}

/// The ID of the process inside, from the first line that bubblewrap writes: `{ "child-pid": N, … }`.
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
