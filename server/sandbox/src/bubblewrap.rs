//! The real backend: bubblewrap's namespaces and mounts, with our own filter and limits.
//!
//! Bubblewrap is a small, well-maintained program that Flatpak uses and every distribution packages; it
//! needs no root. See `helper` for the process between the server and bubblewrap.

use std::{
    io::{self, BufRead, BufReader},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Command as Program, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use helper::{Order, Started, landlock};

use super::{
    Child, Command, OptionalLayers, Printed, Report, Sandbox, cgroup::Places, process::Process, tool, user_id::UserId,
};

/// How many sandboxes this process has started, over all [`Bubblewrap`]s: names of control groups must not repeat.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Starts processes with bubblewrap.
#[derive(Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    helper: PathBuf,
    /// Why the separate helper is not used, if it is not.
    slower: Option<String>,
    groups: Places,
}

impl Bubblewrap {
    /// Uses bubblewrap from the search path and the helper next to `aixgrade`. If no helper of the same build is there,
    /// `aixgrade` itself is the helper.
    ///
    /// # Errors
    ///
    /// Fails if bubblewrap is not installed.
    pub fn new(aixgrade: PathBuf) -> io::Result<Bubblewrap> {
        let beside = aixgrade.with_file_name("aixgrade-sandbox");
        let (helper, slower) = match of_this_build(&beside) {
            Ok(()) => (beside, None),
            Err(why) => (aixgrade, Some(why)),
        };
        let program = find("bwrap").ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                "bubblewrap (bwrap) is not installed. Install the package `bubblewrap`; without it no tests are run",
            )
        })?;
        Ok(Bubblewrap { program, helper, slower, groups: Places::find() })
    }

    /// The same without control groups, as on a host that lets us create none.
    #[must_use]
    pub fn without_groups(self) -> Bubblewrap {
        Bubblewrap { groups: Places::default(), ..self }
    }
}

impl Sandbox for Bubblewrap {
    #[allow(clippy::disallowed_methods, reason = "the one place where sandboxes start")]
    fn start(&self, command: &Command) -> io::Result<Child> {
        let (control, theirs) = UnixStream::pair()?;
        let (output, output_in) = io::pipe()?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let user = UserId::claim(std::process::id().wrapping_add(number));
        // The helper and bubblewrap join the groups, too.
        let groups = Arc::new(self.groups.make(number, command.limits.data_bytes, command.limits.threads + 8));
        let order = Order {
            version: helper::VERSION.to_owned(),
            command: command.clone(),
            bwrap: self.program.clone(),
            uid: user.get(),
            groups: groups.folders.clone(),
        };
        let mut process = Program::new(&self.helper);
        process.arg(helper::ARGUMENT).arg(serde_json::to_string(&order)?);
        // When `aixgrade` itself is the helper, mimalloc's reserved arena would count against RLIMIT_DATA.
        process.env_clear().env("MIMALLOC_ARENA_EAGER_COMMIT", "0");
        process.stdin(std::os::fd::OwnedFd::from(theirs)).stdout(output_in).stderr(Stdio::piped());
        let mut started = process.spawn()?;
        // `process` owns our copies of the child's descriptors.
        drop(process);

        let (printed, reader) = Printed::read(output, command.limits.printed_bytes, &control)?;
        let inside = Arc::new(OnceLock::new());
        let (known, own_groups) = (Arc::clone(&inside), Arc::clone(&groups));
        let wait = move || {
            let mut line = String::new();
            if let Some(said) = started.stderr.take() {
                let mut said = BufReader::new(said);
                said.read_line(&mut line)?;
                if let Ok(Started { inside }) = serde_json::from_str(&line) {
                    let _ = known.set(Process::new(inside));
                    line.clear();
                    said.read_line(&mut line)?;
                }
            }
            let status = started.wait()?;
            let _ = reader.join();
            // Nothing runs inside any more.
            drop(user);
            let report = serde_json::from_str::<Report>(&line)
                .map_err(|_| io::Error::other(format!("the sandbox helper exited with {status} and sent {line:?}")))?;
            let out_of_memory = report.out_of_memory || own_groups.out_of_memory() > 0;
            Ok(Report { out_of_memory, ..report })
        };
        Ok(Child::new(control, printed, wait).known_as(inside).in_groups(groups))
    }

    fn optional_layers(&self) -> OptionalLayers {
        OptionalLayers { landlock: landlock::holds(), groups: self.groups.held() }
    }

    fn started_by(&self) -> Option<String> {
        Some(match &self.slower {
            None => "aixgrade-sandbox".to_owned(),
            Some(why) => format!("aixgrade itself, some milliseconds slower per sandbox, because {why}"),
        })
    }
}

/// Whether the separate helper exists and is from our own build. The error says why not.
fn of_this_build(helper: &Path) -> Result<(), String> {
    if !is_program(helper) {
        return Err("aixgrade-sandbox is not installed next to it".to_owned());
    }
    let version = tool::run(helper, ["--version"]).map_err(|e| e.to_string())?;
    match version.lines().next().unwrap_or_default() {
        helper::VERSION => Ok(()),
        other => Err(format!("the aixgrade-sandbox next to it is {other}, and this build's is {}", helper::VERSION)),
    }
}

/// The path of a program on the search path.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
