//! The state of the server, and the maintenance that its admins start: backups, pruning, checks.
//!
//! Maintenance is a task of its own, so that no request waits for it. What it reads and writes is done as the command line and
//! the daily routines do it: on threads of low priority, in short transactions.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    caller::Admin,
    error::{Answer, AppError},
    server::{
        BACKUP_LATE_MS, BACKUPS_SHOWN, Backup, Backups, Disk, EngineState, Freed, Maintenance, SandboxReport,
        ServerNotice, ServerState, Setting, Work,
    },
    time::Timestamp,
    workers::WorkerState,
};
use port::{Runs, api::Webhooks, collections::Collections, server::Server};

use super::{
    Services,
    backup::{schedule::Daily, store::Store},
    disk,
};
use base::{background, clock, error::Failure};
use db::{accounts, audit, audit::Change, migrations, routines, routines::Routine};

/// The sizes of folders are read again after this long.
const SIZES_FOR: Duration = Duration::from_secs(60);

/// What the operator decided when the server was started, and what its admins asked for since.
pub struct ServerInfo {
    started_at: Timestamp,
    daily: OnceLock<Daily>,
    settings: OnceLock<Vec<Setting>>,
    work: Mutex<Option<Work>>,
    checks: Mutex<Option<SandboxReport>>,
    /// Backups by their names. A backup does not change, and its list of files can be long.
    backups: Mutex<BTreeMap<String, Backup>>,
    sizes: Mutex<Option<(Instant, Disk)>>,
    /// One backup at a time: a daily one waits for one that an admin started.
    backing_up: tokio::sync::Mutex<()>,
}

impl Default for ServerInfo {
    fn default() -> Self {
        ServerInfo {
            started_at: clock::now(),
            daily: OnceLock::new(),
            settings: OnceLock::new(),
            work: Mutex::default(),
            checks: Mutex::default(),
            backups: Mutex::default(),
            sizes: Mutex::default(),
            backing_up: tokio::sync::Mutex::default(),
        }
    }
}

impl ServerInfo {
    /// Sets the settings, without what is secret. Only the first call has an effect.
    pub fn configure(&self, settings: Vec<Setting>) {
        let _ = self.settings.set(settings);
    }

    /// Sets where backups are made. Only the first call has an effect.
    pub fn back_up_to(&self, daily: Daily) {
        let _ = self.daily.set(daily);
    }

    /// Waits until no other backup is being made by this process.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.backing_up.lock().await
    }

    /// Marks maintenance as started; returns the one in progress if there is one.
    fn begin(&self, what: Maintenance) -> Result<(), Maintenance> {
        let mut work = locked(&self.work);
        if let Some(running) = work.as_ref().filter(|work| work.is_running()) {
            return Err(running.what);
        }
        *work = Some(Work { what, started_at: clock::now(), ended_at: None, error: None, freed: Vec::new() });
        Ok(())
    }

    fn end(&self, ended: Answer<Vec<Freed>>) {
        *locked(&self.sizes) = None;
        if let Some(work) = locked(&self.work).as_mut() {
            work.ended_at = Some(clock::now());
            match ended {
                Ok(freed) => work.freed = freed,
                Err(error) => work.error = Some(error),
            }
        }
    }

    /// Forgets maintenance that was not started after all.
    fn forget(&self) {
        *locked(&self.work) = None;
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Services {
    async fn disk(&self) -> Result<Disk, Failure> {
        let known = *locked(&self.server.sizes);
        if let Some((_, sizes)) = known.filter(|(at, _)| at.elapsed() < SIZES_FOR) {
            let folder = self.folder.clone();
            let now = background::run(move || disk::quick(&folder)).await?;
            let Disk { uploads, engine, toolchains, .. } = sizes;
            return Ok(Disk { uploads, engine, toolchains, ..now });
        }
        let folder = self.folder.clone();
        let sizes = background::run(move || disk::whole(&folder)).await?;
        *locked(&self.server.sizes) = Some((Instant::now(), sizes));
        Ok(sizes)
    }

    async fn backups(&self) -> Result<Backups, Failure> {
        let last = self.db.read(|conn| routines::state(conn, Routine::Backup)).await?;
        let Some(daily) = self.server.daily.get() else { return Ok(Backups { last, ..Backups::default() }) };
        let (folder, services) = (daily.folder.clone(), self.clone());
        let shown = folder.display().to_string();
        let keep = (daily.keep.days as u64, daily.keep.weeks as u64, daily.keep.months as u64);
        let listed = background::run(move || services.newest_backups(&folder)).await?;
        let (newest, count, unreadable) = match listed {
            Ok((newest, count)) => (newest, count, None),
            Err(failure) => (Vec::new(), 0, Some(AppError::from(failure))),
        };
        Ok(Backups { folder: Some(shown), keep, newest, count, unreadable, last })
    }

    /// The newest backups in a folder, newest first, and the number of all.
    fn newest_backups(&self, folder: &Path) -> Result<(Vec<Backup>, u64), Failure> {
        let store = Store::open(folder)?;
        let names = store.names()?;
        let mut known = std::mem::take(&mut *locked(&self.server.backups));
        let mut newest = Vec::new();
        for name in names.iter().rev().take(BACKUPS_SHOWN) {
            let found = match known.remove(name) {
                Some(found) => found,
                None => {
                    let manifest = store.find(name)?.manifest;
                    Backup {
                        name: name.clone(),
                        created_at: manifest.created_at,
                        schema: manifest.schema,
                        files: manifest.files.len() as u64,
                        bytes: manifest.bytes(),
                    }
                }
            };
            newest.push(found);
        }
        *locked(&self.server.backups) = newest.iter().map(|found| (found.name.clone(), found.clone())).collect();
        Ok((newest, names.len() as u64))
    }

    async fn engine_state(&self, admin: &Admin) -> Answer<EngineState> {
        if let Some(workers) = self.runs.known_workers() {
            let ready = workers.workers.iter().filter(|worker| worker.state == WorkerState::Ready).count() as u64;
            return Ok(EngineState::Workers { connected: workers.connected, ready, all: workers.workers.len() as u64 });
        }
        let missing = self.runs.readiness(admin).await?.missing;
        Ok(EngineState::Here { missing, checks: locked(&self.server.checks).clone() })
    }

    /// Carries maintenance out to its end.
    async fn carry_out(&self, admin: &Admin, what: Maintenance) -> Answer<Vec<Freed>> {
        match what {
            Maintenance::Prune => return self.prune(admin, false).await,
            Maintenance::BackUp => {
                // The routine says why it failed.
                if let Some(daily) = self.server.daily.get() {
                    daily.make_now(self).await?;
                }
            }
            Maintenance::Check => {
                self.check_now().await?;
                self.check_sandbox(admin).await?;
            }
        }
        Ok(Vec::new())
    }

    /// Has programs try to break the sandbox, where this machine has what they need.
    async fn check_sandbox(&self, admin: &Admin) -> Answer<()> {
        if self.runs.engine().cluster().is_some() || !self.runs.readiness(admin).await?.missing.is_empty() {
            return Ok(());
        }
        let engine = self.runs.engine().clone();
        let results = background::run(move || engine.trials()).await??;
        let passed = results.iter().filter(|result| result.failed.is_none()).map(|result| result.check).collect();
        let failed = results.into_iter().filter_map(|result| result.failed).collect();
        *locked(&self.server.checks) = Some(SandboxReport { checked_at: clock::now(), passed, failed });
        Ok(())
    }
}

#[async_trait]
impl Server for Services {
    async fn state(&self, admin: &Admin) -> Answer<ServerState> {
        let (admins, database) =
            self.db.read(|conn| Ok((accounts::admins(conn)?, routines::state(conn, Routine::Integrity)?))).await?;
        Ok(ServerState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema: migrations::newest(),
            started_at: self.server.started_at,
            data_folder: self.folder.display().to_string(),
            admins,
            disk: self.disk().await?,
            backups: self.backups().await?,
            database,
            engine: self.engine_state(admin).await?,
            languages: self.toolchains.languages().await?,
            endpoints: self.collections.endpoints(admin).await?,
            webhook_hosts: self.webhooks.origins(admin).await?,
            identity_provider: self.single_sign_on.name().map(str::to_owned),
            mail: self.mail.state().await?,
            settings: self.server.settings.get().cloned().unwrap_or_default(),
            work: locked(&self.server.work).clone(),
        })
    }

    async fn notices(&self, _: &Admin) -> Answer<Vec<ServerNotice>> {
        let folder = self.folder.clone();
        let disk = tokio::task::spawn_blocking(move || disk::quick(&folder)).await.map_err(Failure::internal)?;
        let short = disk.space.filter(|_| disk.is_short());
        let short = short.map(|(free, size)| ServerNotice::DiskShort { free, size });
        let backup = match self.server.daily.get() {
            None => Some(ServerNotice::NoBackups),
            Some(daily) => {
                let newest = daily.newest();
                let now = clock::now();
                // The first one is being made.
                let is_new = now.0 - self.server.started_at.0 < BACKUP_LATE_MS && newest.is_none();
                let is_late = newest.is_none_or(|newest| now.0 - newest.0 > BACKUP_LATE_MS);
                (is_late && !is_new).then_some(ServerNotice::BackupLate { newest })
            }
        };
        Ok(short.into_iter().chain(backup).collect())
    }

    async fn unused(&self, admin: &Admin) -> Answer<Vec<Freed>> {
        self.prune(admin, true).await
    }

    async fn start(&self, admin: &Admin, what: Maintenance) -> Answer<()> {
        if what == Maintenance::BackUp && self.server.daily.get().is_none() {
            return Err(Failure::conflict((
                "This server has no folder for backups. Start it with --backup-dir.",
                "该服务器没有备份文件夹。请在启动时加上 --backup-dir。",
            ))
            .into());
        }
        if let Err(running) = self.server.begin(what) {
            let (en, zh) = match running {
                Maintenance::BackUp => ("A backup is being made.", "正在备份。"),
                Maintenance::Prune => ("Unused data is being deleted.", "正在清理未使用的数据。"),
                Maintenance::Check => ("The server is being checked.", "正在检查服务器。"),
            };
            let message = (format!("{en} Try again when it has ended."), format!("{zh}请在其结束后重试。"));
            return Err(Failure::conflict(message).into());
        }
        if what == Maintenance::BackUp {
            let entry = |_: &rusqlite::Transaction<'_>| Ok(Change::of(Object::Storage, [], ()));
            if let Err(failure) = self.db.write_audited(admin, Action::StorageBackUp, entry).await {
                self.server.forget();
                return Err(failure.into());
            }
        }
        let (services, admin) = (self.clone(), admin.clone());
        let carried_out = audit::spawn(async move { services.carry_out(&admin, what).await });
        let services = self.clone();
        // In a task of its own, which ends it even if it panics.
        audit::spawn(async move {
            let ended = carried_out.await.unwrap_or_else(|panic| Err(Failure::internal(panic).into()));
            services.server.end(ended);
        });
        Ok(())
    }
}
