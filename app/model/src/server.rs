//! The state of the server for its admins: what the operator's commands `doctor`, `config`, `backup`, `prune` and
//! `toolchains` print. Nothing here is secret: keys and passwords stay with the operator.

use serde::{Deserialize, Serialize};

use super::{
    audit_details::Unused,
    collection::EndpointRow,
    error::AppError,
    fault::RoutineFault,
    mail::MailQueue,
    names::names,
    reason::{FailedCheck, SandboxCheck},
    run::EngineNeed,
    time::{DAY_MS, Timestamp},
    toolchains::Installation,
};

/// The newest backups that the page lists.
pub const BACKUPS_SHOWN: usize = 8;
/// A server that makes daily backups and has none of this age, in milliseconds, is late. The alerts in docs/operating have
/// the same limit.
pub const BACKUP_LATE_MS: i64 = DAY_MS + DAY_MS / 2;

/// The state of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerState {
    /// The version of AixGrade.
    pub version: String,
    /// The version of the database's schema.
    pub schema: u32,
    pub started_at: Timestamp,
    pub data_folder: String,
    /// Active admins.
    pub admins: u64,
    pub disk: Disk,
    pub backups: Backups,
    /// The daily check of the database.
    pub database: RoutineState,
    pub engine: EngineState,
    pub languages: Vec<LanguageState>,
    pub endpoints: Vec<EndpointRow>,
    /// Hosts to which webhooks may be sent.
    pub webhook_hosts: Vec<String>,
    /// The name of the identity provider.
    pub identity_provider: Option<String>,
    /// Email; absent if the operator has named no SMTP server.
    pub mail: Option<MailQueue>,
    /// The operator's settings; empty if this process was not started by `aixgrade serve`.
    pub settings: Vec<Setting>,
    /// What an admin last asked for on this page, since the server started.
    pub work: Option<Work>,
}

/// The space that the data folder needs, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Free space and size of the disk; absent if the operating system does not say.
    pub space: Option<(u64, u64)>,
    pub database: u64,
    pub write_ahead_log: u64,
    /// Uploaded files.
    pub uploads: u64,
    /// Images of toolchains, and compiled tests.
    pub engine: u64,
    /// Toolchains that the server installed.
    pub toolchains: u64,
}

impl Disk {
    /// Whether the disk is nearly full, or has no space for the copy of the database that a backup makes. The alerts in
    /// docs/operating have the same limits.
    pub fn is_short(&self) -> bool {
        self.space.is_some_and(|(free, size)| free < size / 10 || free < self.database + self.database / 2)
    }
}

/// The server's backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backups {
    /// The folder of daily backups; absent if the operator named none.
    pub folder: Option<String>,
    /// Days, weeks and months of which the newest backup is kept.
    pub keep: (u64, u64, u64),
    /// The newest backups in the folder, newest first.
    pub newest: Vec<Backup>,
    /// All backups in the folder.
    pub count: u64,
    /// Why the folder cannot be read.
    pub unreadable: Option<AppError>,
    /// How the last backup by this server ended.
    pub last: RoutineState,
}

/// A backup in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// The name under which `aixgrade restore --at` finds it.
    pub name: String,
    pub created_at: Timestamp,
    /// Version of the database's schema.
    pub schema: u32,
    pub files: u64,
    /// Size of the files before compression.
    pub bytes: u64,
}

/// How something ended that the server does every day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutineState {
    pub succeeded_at: Option<Timestamp>,
    /// Since its last success: when it failed, and why.
    pub failed: Option<(Timestamp, RoutineFault)>,
}

/// What runs the outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EngineState {
    /// This server's machine.
    Here {
        /// What the machine lacks for Java test classes.
        missing: Vec<EngineNeed>,
        /// The last check of the sandbox since the server started.
        checks: Option<SandboxReport>,
    },
    /// Workers on other machines.
    Workers {
        /// Whether the server reaches the broker.
        connected: bool,
        /// Workers that get jobs.
        ready: u64,
        /// Workers that were heard in the last minutes.
        all: u64,
    },
}

/// What programs that try to break the sandbox came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SandboxReport {
    pub checked_at: Timestamp,
    /// Checks that passed.
    pub passed: Vec<SandboxCheck>,
    pub failed: Vec<FailedCheck>,
}

/// A programming language, and whether its outputs can be run on the server's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageState {
    /// Its code in the list of toolchains.
    pub code: String,
    /// Its name, the same in every language that people read.
    pub name: String,
    /// Programs with their versions, and installed parts.
    pub found: Vec<String>,
    /// What is missing and which commands install it, in English; empty if nothing is.
    pub missing: String,
    /// Whether the server can install a part of it.
    pub can_install: bool,
    /// The latest installation since the server started.
    pub installation: Installation,
}

impl LanguageState {
    /// Whether its installation is at work.
    pub fn is_installing(&self) -> bool {
        matches!(self.installation, Installation::Running { .. })
    }
}

/// A setting of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The option without its dashes, or the environment variable.
    pub name: String,
    /// Its value without passwords; empty if it has none.
    pub value: String,
    pub source: Source,
}

/// Where a setting's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    Default,
    /// An option on the command line.
    Argument(String),
    /// An environment variable.
    Variable(String),
    /// The settings file.
    File {
        path: String,
        line: u64,
    },
}

names! {
    /// What an admin can ask the server for. It does one at a time.
    pub enum Maintenance as code {
        BackUp = "back_up",
        Prune = "prune",
        /// Checks the database and the sandbox.
        Check = "check",
    }
}

/// Maintenance in progress, or the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    pub what: Maintenance,
    pub started_at: Timestamp,
    /// Absent while it is in progress.
    pub ended_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<AppError>,
    /// What was deleted.
    pub freed: Vec<Freed>,
}

impl Work {
    /// Whether it is in progress.
    pub fn is_running(&self) -> bool {
        self.ended_at.is_none()
    }
}

/// Unused data of one kind that was deleted, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freed {
    pub what: Unused,
    pub count: u64,
    /// Total size in bytes.
    pub bytes: u64,
    /// Why this kind was skipped, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
}

/// Why data of a kind stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// A run may be using them.
    RunInProgress,
    /// Which of them are in use depends on the JDK, and there is none.
    NoJdk,
}

/// What the overview tells admins about the server, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerNotice {
    /// The disk of the data folder is short of space: free bytes and size.
    DiskShort { free: u64, size: u64 },
    /// The newest daily backup is too old; absent if there is none yet.
    BackupLate { newest: Option<Timestamp> },
    /// The operator named no folder for backups.
    NoBackups,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_sent_by_their_names() {
        for what in [Maintenance::BackUp, Maintenance::Prune, Maintenance::Check] {
            assert_eq!(serde_json::to_value(what).unwrap(), what.code());
        }
    }

    #[test]
    fn a_disk_is_short_below_a_tenth_or_without_space_for_a_copy() {
        let check = |space, database, expected| {
            let disk = Disk { space, database, ..Disk::default() };
            assert_eq!(disk.is_short(), expected, "{disk:?}");
        };
        check(None, 1000, false);
        check(Some((100, 1000)), 10, false);
        check(Some((99, 1000)), 10, true);
        check(Some((149, 1000)), 100, true);
        check(Some((150, 1000)), 100, false);
        check(Some((0, 0)), 0, false);
    }
}
