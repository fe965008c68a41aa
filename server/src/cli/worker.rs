//! `aixgrade worker`

use std::{collections::BTreeSet, path::PathBuf};

use clap::Args;
use model::code_lang::CodeLang;

use super::{
    broker::BrokerArgs,
    serve::{LogFormat, log, stop},
};
use base::error::Failure;
use jobs::{
    cluster::worker::{self, Settings},
    job::JobKind,
};

/// `worker`
#[derive(Args)]
pub struct Worker {
    /// Address of the broker, such as nats://10.0.0.1:4222; several separated by commas
    #[arg(long, env = "AIXGRADE_NATS", value_name = "URL")]
    nats: String,
    #[command(flatten)]
    broker: BrokerArgs,
    /// Folder for suites, images and temporary files; workers on one machine can share it [default: the operating
    /// system's folder for caches]
    #[arg(long, env = "AIXGRADE_WORKER_CACHE", value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Programming languages whose outputs to run: java, python, cpp, javascript, go, rust [default: all whose toolchains
    /// are found]
    #[arg(long, env = "AIXGRADE_WORKER_LANGUAGES", value_delimiter = ',', value_name = "LANGUAGES")]
    languages: Vec<CodeLang>,
    /// Number of outputs to run at a time [default: the number of processors]
    #[arg(long, env = "AIXGRADE_WORKER_SLOTS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    slots: Option<u16>,
    /// How log lines are written to standard error
    #[arg(long, value_enum, env = "AIXGRADE_LOG_FORMAT", default_value_t = LogFormat::Text, value_name = "FORMAT")]
    log_format: LogFormat,
}

/// Runs until it receives Ctrl-C or SIGTERM, and then until its outputs in progress are reported.
pub async fn run(args: Worker) -> Result<(), Failure> {
    log(args.log_format);
    let cache = match args.cache {
        Some(cache) => cache,
        None => {
            let dirs = directories::ProjectDirs::from("", "", "aixgrade");
            let cache = dirs.map(|dirs| dirs.cache_dir().join("worker"));
            cache.ok_or_else(|| {
                let what = "no default cache folder: this account has no home folder";
                Failure::invalid("--cache", what, "Pass a folder with --cache")
            })?
        }
    };
    let chosen = |kind: &JobKind| args.languages.is_empty() || args.languages.contains(&kind.lang());
    let kinds: BTreeSet<JobKind> = JobKind::all().filter(chosen).collect();
    let slots = args.slots.map_or_else(jobs::worker_count, usize::from);
    let settings = Settings { broker: args.broker.read(&args.nats)?, cache, slots, kinds };
    worker::run(settings, stop(), |line| println!("{line}")).await
}
