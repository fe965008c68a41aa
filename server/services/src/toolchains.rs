//! Toolchains that this machine lacks, and their installation by the server.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    caller::Admin,
    error::Answer,
    ids::SubmissionId,
    server::LanguageState,
    toolchains::{Installation, Toolchain},
};
use port::toolchains::Toolchains;
use toolchains::{Installed, Language, Part, Step, install};

use super::runs::Needs;
use base::{background, error::Failure};
use db::{Db, audit::Change};
use jobs::Engine;
use lang::Places;

/// Pages show a finished installation for this long.
const SHOWN: Duration = Duration::from_secs(600);

/// Installs a language's parts into a folder: [`toolchains::install`], or what a test puts in its place.
pub type Install = fn(&Path, &'static Language, &mut dyn FnMut(&'static Part, &Step)) -> Result<Installed, String>;

/// Fetches with the operator's package managers.
fn install_now(
    folder: &Path,
    language: &'static Language,
    note: &mut dyn FnMut(&'static Part, &Step),
) -> Result<Installed, String> {
    let installed = toolchains::install(folder, &[language], note).map_err(|why| why.to_string())?;
    installed.into_iter().next().ok_or_else(|| "nothing was installed".to_owned())
}

/// Installations since the start of the process, by the code of their language.
type States = Arc<Mutex<BTreeMap<&'static str, (Installation, Instant)>>>;

/// What was found of each language, and when. Looking starts programs.
type Survey = Arc<Mutex<Option<(Instant, Vec<Found>)>>>;

/// A survey counts for this long, if nothing is installed meanwhile.
const SURVEY_FOR: Duration = Duration::from_secs(60);

/// A language on this machine.
#[derive(Clone)]
struct Found {
    language: &'static Language,
    /// Programs with their versions, and installed parts.
    found: Vec<String>,
    /// Why outputs cannot be run; empty if they can.
    missing: String,
}

impl Found {
    fn of(language: &'static Language, places: &Places) -> Found {
        let folders = &places.folders;
        let is_there = |part: &&&Part| folders.iter().any(|folder| install::is_current(folder, part));
        let versions = language.needs.iter().filter_map(|need| need.version(folders));
        let parts = language.parts.iter().filter(is_there).map(|part| part.what.to_owned());
        Found {
            language,
            found: versions.chain(parts).collect(),
            missing: lang::look(language.code, places).err().map(|why| why.to_string()).unwrap_or_default(),
        }
    }
}

pub struct ToolchainService {
    db: Db,
    engine: Engine,
    folder: PathBuf,
    states: States,
    survey: Survey,
    install: Install,
}

impl ToolchainService {
    /// Installs into the data folder's own folder for toolchains.
    pub fn new(db: Db, engine: Engine, data: &Path) -> Self {
        ToolchainService {
            db,
            engine,
            folder: toolchains::folder(data),
            states: States::default(),
            survey: Survey::default(),
            install: install_now,
        }
    }

    /// The same with another installation.
    pub fn with(self, install: Install) -> Self {
        ToolchainService { install, ..self }
    }

    /// Every language on this machine; none if workers on other machines run the outputs.
    pub(super) async fn languages(&self) -> Result<Vec<LanguageState>, Failure> {
        if self.engine.cluster().is_some() {
            return Ok(Vec::new());
        }
        let known = self.survey.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let found = match known.filter(|(at, _)| at.elapsed() < SURVEY_FOR) {
            Some((_, found)) => found,
            None => {
                let places = self.engine.places();
                let found = background::run(move || {
                    let places = &places;
                    thread::scope(|scope| {
                        let look = |language| scope.spawn(move || Found::of(language, places));
                        let looking: Vec<_> = toolchains::LANGUAGES.iter().map(look).collect();
                        looking.into_iter().filter_map(|found| found.join().ok()).collect::<Vec<_>>()
                    })
                });
                let found = found.await?;
                let surveyed = Some((Instant::now(), found.clone()));
                *self.survey.lock().unwrap_or_else(PoisonError::into_inner) = surveyed;
                found
            }
        };
        let state = |Found { language, found, missing }: Found| LanguageState {
            code: language.code.to_owned(),
            name: language.name.to_owned(),
            can_install: !language.parts.is_empty() && !missing.is_empty(),
            installation: self.state(language.code),
            found,
            missing,
        };
        Ok(found.into_iter().map(state).collect())
    }

    fn state(&self, code: &str) -> Installation {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = states
            .get(code)
            .filter(|(state, since)| matches!(state, Installation::Running { .. }) || since.elapsed() < SHOWN);
        recent.map(|(state, _)| state.clone()).unwrap_or_default()
    }

    /// Marks an installation as started; `false` if it is at work.
    fn begin(&self, language: &'static Language) -> bool {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(states.get(language.code), Some((Installation::Running { .. }, _))) {
            return false;
        }
        let of = u32::try_from(language.parts.len()).unwrap_or(u32::MAX);
        let what = language.parts.first().map(|part| part.what.to_owned()).unwrap_or_default();
        states.insert(language.code, (Installation::Running { what, done: 0, of }, Instant::now()));
        true
    }

    fn toolchain(&self, code: &'static str, missing: String) -> Option<Toolchain> {
        let language = toolchains::language(code)?;
        let installation = self.state(code);
        if missing.is_empty() && installation == Installation::None {
            return None;
        }
        let (name, can_install) = (language.name.to_owned(), !language.parts.is_empty());
        Some(Toolchain { code: code.to_owned(), name, missing, can_install, installation })
    }
}

fn set(states: &States, code: &'static str, state: Installation) {
    states.lock().unwrap_or_else(PoisonError::into_inner).insert(code, (state, Instant::now()));
}

/// Installs a language's parts and records how far it is. Blocks.
fn work(install: Install, states: &States, folder: &Path, language: &'static Language) {
    let (mut done, of) = (0, u32::try_from(language.parts.len()).unwrap_or(u32::MAX));
    let mut note = |part: &'static Part, step: &Step| {
        if !matches!(step, Step::Waiting | Step::Installing) {
            done += 1;
        }
        if done < of {
            set(states, language.code, Installation::Running { what: part.what.to_owned(), done, of });
        }
    };
    let installed = install(folder, language, &mut note);
    let why = match &installed {
        Err(why) => Some(why.clone()),
        Ok(installed) => installed.parts.iter().find_map(|(part, step)| match step {
            Step::Failed(why) if !part.is_optional => Some(why.clone()),
            _ => None,
        }),
    };
    match why {
        Some(why) => {
            tracing::warn!(language = language.code, %why, "a toolchain cannot be installed");
            set(states, language.code, Installation::Failed { why });
        }
        None => {
            tracing::info!(language = language.code, "a toolchain was installed");
            set(states, language.code, Installation::Done);
        }
    }
}

#[async_trait]
impl Toolchains for ToolchainService {
    async fn of_submission(&self, _: &Admin, submission: SubmissionId) -> Answer<Vec<Toolchain>> {
        let needs = self.db.read(move |conn| Needs::of(conn, submission)).await?;
        if self.engine.cluster().is_some() {
            return Ok(Vec::new());
        }
        let places = self.engine.places();
        // Looking for a toolchain starts programs.
        let looked = tokio::task::spawn_blocking(move || {
            let look = |code| (code, lang::look(code, &places).err().map(|why| why.to_string()).unwrap_or_default());
            needs.toolchains().into_iter().map(look).collect::<Vec<_>>()
        });
        let looked = looked.await.map_err(Failure::internal)?;
        Ok(looked.into_iter().filter_map(|(code, missing)| self.toolchain(code, missing)).collect())
    }

    async fn install(&self, admin: &Admin, code: &str) -> Answer<()> {
        let language = toolchains::language(code).filter(|language| !language.parts.is_empty());
        let language = language.ok_or_else(|| Failure::not_found("toolchain"))?;
        if self.engine.cluster().is_some() {
            return Err(Failure::conflict((
                "Workers on other machines run the outputs. Install the toolchain on their machines.",
                "输出由其他机器上的工作进程运行，请在那些机器上安装工具链。",
            ))
            .into());
        }
        if !self.begin(language) {
            return Ok(());
        }
        let entry =
            move |_: &rusqlite::Transaction<'_>| Ok(Change::of(Object::Toolchain(language.code.to_owned()), [], ()));
        if let Err(failure) = self.db.write_audited(admin, Action::ToolchainInstall, entry).await {
            set(&self.states, language.code, Installation::None);
            return Err(failure.into());
        }
        let (states, survey) = (Arc::clone(&self.states), Arc::clone(&self.survey));
        let (folder, install) = (self.folder.clone(), self.install);
        // A thread of its own: the server's end does not wait for it, and what it leaves is no complete part.
        let started = thread::Builder::new().name("install-toolchain".to_owned()).spawn(move || {
            work(install, &states, &folder, language);
            *survey.lock().unwrap_or_else(PoisonError::into_inner) = None;
        });
        if let Err(why) = started {
            set(&self.states, language.code, Installation::None);
            return Err(Failure::internal(why).into());
        }
        Ok(())
    }
}
