//! `aixgrade serve`

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueEnum};
use model::caller::System;
use tokio::net::TcpListener;

use super::{Global, collect::EndpointArgs, config, doctor::engine_lacks, mail::MailArgs, oidc::OidcArgs};
use base::{background, clock, error::Failure};
use command::{broker::BrokerArgs, log::LogArgs, size, stop};
use db::{Db, routines::Routine, sessions::Sessions, staging};
use engine::readiness;
use jobs::cluster::{Broker, coordinator::Coordinator};
use lang::repositories;
use services::{
    Services,
    backup::{
        schedule::{Daily, DailyFigures, Keep},
        snapshot,
    },
    demo_results,
    folder::{self, ServerLock},
    starter, steps,
    webhooks::Origins,
};
use web::{self as http, config::Config, listen::Limits, state::AppState};

/// `serve`
#[derive(Args)]
pub struct Serve {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, default_value = "127.0.0.1:3000", env = "AIXGRADE_LISTEN", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// URL under which users reach the server, if a proxy terminates TLS: https://grade.example.org
    #[arg(long, env = "AIXGRADE_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Trust the X-Forwarded-For header; use only behind a proxy that sets it
    #[arg(long, env = "AIXGRADE_TRUST_PROXY")]
    trust_proxy: bool,
    /// Allow webhooks to this host, such as https://hooks.example.org; repeat for several
    /// [default: none]
    #[arg(long = "webhook-host", env = "AIXGRADE_WEBHOOK_HOSTS", value_delimiter = ',', value_name = "ORIGIN")]
    webhook_hosts: Vec<String>,
    #[command(flatten)]
    endpoints: EndpointArgs,
    #[command(flatten)]
    oidc: OidcArgs,
    #[command(flatten)]
    mail: MailArgs,
    /// Make a backup in this folder every day, as `aixgrade backup DIR/` does [default: no backups]
    #[arg(long, env = "AIXGRADE_BACKUP_DIR", value_name = "DIR")]
    backup_dir: Option<PathBuf>,
    /// Keep the newest backup of each of this many days, weeks and months
    #[arg(long, env = "AIXGRADE_BACKUP_KEEP", value_name = "DAYS,WEEKS,MONTHS", default_value = "7,5,12")]
    backup_keep: Keep,
    /// Address on which monitoring reads /metrics, /healthz and /readyz; do not expose it to the public [default: none]
    #[arg(long, env = "AIXGRADE_METRICS_LISTEN", value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
    /// Folder with the sources of the projects that CodeIF-Bench's tests at repository level need: DIR/Source_Code
    /// [default: none, and such tests are not run]
    #[arg(long, env = "AIXGRADE_REPOSITORIES", value_name = "DIR", conflicts_with = "nats")]
    repositories: Option<PathBuf>,
    /// Leave the running of outputs to workers (`aixgrade-worker`) that take them from this NATS server, such as
    /// nats://10.0.0.1:4222; several addresses separated by commas [default: run them in this process]
    #[arg(long, env = "AIXGRADE_NATS", value_name = "URL")]
    nats: Option<String>,
    /// Number of NATS servers that keep each job and each result
    #[arg(long, env = "AIXGRADE_NATS_REPLICAS", value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=5))]
    nats_replicas: u8,
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(flatten)]
    log: LogArgs,
    /// Create demo accounts with published passwords (admin, ada, bo, chen) and a running study of the starter dataset;
    /// `results`, the default, adds invented ratings and a test run of each model; `languages` also adds the starter tasks
    /// in other languages and runs them where their toolchains are. Requires an empty data folder and a loopback address
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "results", value_name = "WHAT")]
    demo: Option<Demo>,
}

/// The contents of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Demo {
    /// Accounts and a study without ratings.
    Study,
    /// Also ratings and runs.
    Results,
    /// Also runs of the starter tasks in each language that this machine can run.
    Languages,
}

/// Runs the server until it receives Ctrl-C or SIGTERM.
pub async fn run(global: &Global, serve: Serve) -> Result<(), Failure> {
    serve.log.start();
    background::lower_statistics();
    if let Some(url) = serve.public_url.as_deref()
        && !(url.starts_with("https://") || url.starts_with("http://"))
    {
        return Err(Failure::invalid("--public-url", format!("\"{url}\" is not a URL"), "Start it with https://"));
    }
    let origins = Origins::parse(serve.webhook_hosts.iter().map(String::as_str)).map_err(|entry| {
        Failure::invalid(
            "--webhook-host",
            format!("\"{entry}\" is not a host"),
            "Write it as https://hooks.example.org or http://10.0.0.5:8080",
        )
    })?;
    let endpoints = serve.endpoints.read()?;
    let broker = serve.nats.as_deref().map(|url| serve.broker.read(url)).transpose()?;
    let folder = global.folder()?;
    let _lock = ServerLock::take(&folder)?;
    check_demo(&serve, &folder)?;
    let services = global.open()?;
    services.webhooks.allow(origins);
    services.collections.allow(endpoints);
    if let Some(repositories) = &serve.repositories {
        repositories::look(repositories).map_err(|missing| {
            let remedy = "Name the folder that contains Source_Code, with the projects in Source_Code/TOPIC/PROJECT";
            Failure::invalid("--repositories", missing.to_string(), remedy)
        })?;
        services.runs.engine().use_repositories(repositories.clone());
    }
    let mut welcome = prepare(&services, serve.demo).await?;
    welcome.extend(clear_uploads(&services)?);
    snapshot::clear_unfinished(&folder)?;
    let backups =
        serve.backup_dir.map(|folder| Daily { folder, keep: serve.backup_keep, figures: DailyFigures::default() });
    backups.iter().try_for_each(|daily| daily.check(&services))?;
    let listener = bind("--listen", serve.listen).await?;
    let watched = match serve.metrics_listen {
        Some(address) => Some(bind("--metrics-listen", address).await?),
        None => None,
    };
    let address = listener.local_addr()?;
    let config =
        Config { listen: address, public_url: serve.public_url, trust_proxy: serve.trust_proxy, ..Config::default() };
    let shown = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    if let Some(provider) = serve.oidc.read(&shown)? {
        services.single_sign_on.allow(provider);
    }
    start_mail(&services, &serve.mail, &config, &shown)?;
    println!("AixGrade is at {shown}\nData folder: {}", services.folder.display());
    for line in welcome {
        println!("{line}");
    }
    if let Some(watched) = &watched {
        println!("Metrics are at http://{}/metrics", watched.local_addr()?);
    }
    start_runs(&services, broker, serve.nats_replicas.into()).await?;
    start_queues(&services);
    tokio::spawn(sweep(services.clone()));
    tokio::spawn(clear_imports(services.db.clone()));
    tokio::spawn(finish_changes(services.db.clone()));
    services.server.configure(config::settings(global, &std::env::args_os().collect::<Vec<_>>())?);
    let figures = backups.as_ref().map(|daily| daily.figures.clone());
    match backups {
        Some(daily) => {
            services.server.back_up_to(daily.clone());
            tokio::spawn(daily.run(services.clone()));
        }
        None => services.end_routine(System, Routine::Backup).await?,
    }
    tokio::spawn(services.clone().check_database_daily());
    let state = AppState::new(services, config);
    if let Some(watched) = watched {
        let router = http::watched(state.clone(), figures);
        tokio::spawn(http::listen::serve(watched, router, Limits::default(), std::future::pending()));
    }
    http::listen::serve(listener, http::router(state), Limits::default(), stop()).await;
    Ok(())
}

/// Has outputs run: by workers that take them from a broker, or in this process.
async fn start_runs(services: &Services, broker: Option<Broker>, replicas: usize) -> Result<(), Failure> {
    let engine = services.runs.engine().clone();
    if let Some(broker) = broker {
        println!("Outputs are run by workers that connect to the same NATS server (aixgrade-worker).");
        tokio::spawn(Coordinator::connect(engine, &broker, replicas).await?.serve());
        return Ok(());
    }
    let readiness = readiness::check(None);
    if !readiness.missing.is_empty() {
        println!("{}", engine_lacks(&readiness));
    }
    engine.serve();
    Ok(())
}

/// Sends webhooks, requests of collections, and what admins asked for in the inbox.
fn start_queues(services: &Services) {
    tokio::spawn(services.webhooks.clone().serve());
    tokio::spawn(services.collections.clone().serve());
    let inbox = services.inbox.clone();
    tokio::spawn(async move { inbox.serve().await });
}

/// Sends email, if an SMTP server is named. `address` is where people reach the server.
fn start_mail(services: &Services, mail: &MailArgs, config: &Config, address: &str) -> Result<(), Failure> {
    let Some(server) = mail.read(address)? else { return Ok(()) };
    if config.public_url.is_none() && !config.listen.ip().is_loopback() {
        let remedy = "Name the URL under which people reach the server";
        let what = "messages have links to this server, whose address is missing";
        return Err(Failure::invalid("--public-url", what, remedy));
    }
    services.mail.configure(server, address);
    tokio::spawn(services.mail.clone().serve());
    tokio::spawn(services.clone().write_notices_daily());
    Ok(())
}

/// Listens on the address that an option gives.
async fn bind(option: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|e| {
        let remedy = format!("Choose another address with {option}");
        Failure::invalid(option, format!("cannot listen on {address}: {e}"), remedy)
    })
}

/// Keeps accounts with published passwords away from other people's data and from other machines.
fn check_demo(serve: &Serve, folder: &Path) -> Result<(), Failure> {
    let marked = folder::is_demo(folder);
    if serve.demo.is_none() && !marked {
        return Ok(());
    }
    if !serve.listen.ip().is_loopback() || serve.public_url.is_some() {
        return Err(Failure::conflict(format!(
            "The demo accounts have published passwords, so the demo is served to this machine only: leave out --public-url, \
             and listen on 127.0.0.1 or [::1]. {}",
            match marked {
                true =>
                    "To serve this data to others, change those passwords and delete the file `demo` in the data folder.",
                false => "To serve other people, start without --demo.",
            }
        )));
    }
    if !marked && !folder::is_empty(folder)? {
        return Err(Failure::conflict(format!(
            "--demo needs an empty data folder, but {} contains data. Choose another folder with --data, or start without \
             --demo.",
            folder.display()
        )));
    }
    Ok(())
}

/// Fills an empty data folder. Returns the lines to print for the operator.
async fn prepare(services: &Services, demo: Option<Demo>) -> Result<Vec<String>, Failure> {
    let mut welcome = Vec::new();
    if starter::load(services).await? {
        welcome.push("Imported the starter dataset and the outputs of its three models.".to_owned());
    }
    if let Some(demo) = demo {
        let accounts = match (folder::is_demo(&services.folder), demo) {
            (true, _) => starter::accounts(),
            (false, Demo::Study) => starter::demo(services).await?,
            (false, Demo::Results | Demo::Languages) => starter::demo_with(services, starter::RATED_STUDY).await?,
        };
        for (name, password) in accounts {
            welcome.push(format!("Demo account: {name}, password {password}"));
        }
        if demo != Demo::Study {
            demo_results::rate(services).await?;
            welcome.push("The demo's ratings are invented.".to_owned());
            if demo_results::run(services).await? {
                welcome.push("Started a test run of each demo model.".to_owned());
            }
            if demo == Demo::Languages {
                welcome.extend(demo_results::languages(services).await?);
            }
        }
    }
    if let Some((name, password)) = services.accounts.first_admin().await? {
        welcome.push(format!("Log in as {name} with the password {password}"));
        welcome.push("This password is shown only once. The first login asks for a new one.".to_owned());
    }
    Ok(welcome)
}

/// Deletes the files that a killed process left unfinished, and returns what that freed.
fn clear_uploads(services: &Services) -> Result<Option<String>, Failure> {
    let cleared = services.uploads.clear_unfinished()?;
    let bytes = cleared.iter().map(|(_, bytes)| bytes).sum();
    let message = || format!("Deleted {} unfinished uploads of a killed process ({}).", cleared.len(), size(bytes));
    Ok((!cleared.is_empty()).then(message))
}

/// Deletes hourly what no longer counts: expired sessions, old failed logins, email from long ago, and uploads that were
/// not imported within a day.
async fn sweep(services: Services) {
    let sessions = Sessions(services.db.clone());
    let mut hourly = tokio::time::interval(Duration::from_secs(60 * 60));
    loop {
        hourly.tick().await;
        let uploads = services.prune_uploads(false).await.map(|freed| freed.count as usize);
        for swept in [sessions.sweep().await, services.accounts.sweep().await, services.mail.sweep().await, uploads] {
            if let Err(failure) = swept {
                let _logged = model::error::AppError::from(failure);
            }
        }
    }
}

/// Deletes the rows of killed imports. Those of the last minute are deleted when their lease has expired.
async fn clear_imports(db: Db) {
    loop {
        let clear = db.clone();
        let cleared = tokio::task::spawn_blocking(move || clear.clear_imports(clock::now())).await;
        match cleared.map_err(Failure::internal).and_then(|cleared| cleared) {
            Ok(true) => tokio::time::sleep(Duration::from_millis(staging::LEASE_MS.unsigned_abs())).await,
            Ok(false) => return,
            Err(failure) => {
                let _logged = model::error::AppError::from(failure);
                return;
            }
        }
    }
}

/// Finishes the changes of studies during which a program was killed: this one before it was started again, or hourly
/// the command line.
async fn finish_changes(db: Db) {
    let mut hourly = tokio::time::interval(Duration::from_secs(60 * 60));
    loop {
        hourly.tick().await;
        if let Err(failure) = steps::finish_all(&db).await {
            let _logged = model::error::AppError::from(failure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(listen: &str, demo: bool) -> Serve {
        let listen = listen.parse().unwrap();
        let demo = demo.then_some(Demo::Study);
        let backup_keep = Keep { days: 7, weeks: 5, months: 12 };
        let (public_url, backup_dir, metrics_listen, webhook_hosts) = (None, None, None, Vec::new());
        Serve {
            listen,
            public_url,
            trust_proxy: false,
            webhook_hosts,
            endpoints: EndpointArgs::default(),
            oidc: OidcArgs::default(),
            mail: MailArgs::default(),
            backup_dir,
            backup_keep,
            metrics_listen,
            repositories: None,
            nats: None,
            nats_replicas: 1,
            broker: BrokerArgs::default(),
            log: LogArgs::default(),
            demo,
        }
    }

    #[tokio::test]
    async fn a_demo_needs_an_empty_folder_and_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let check = |serve: &Serve, allowed: bool| {
            let checked = check_demo(serve, folder.path());
            assert_eq!(checked.is_ok(), allowed, "{checked:?}");
        };
        check(&serve("127.0.0.1:0", true), true);
        check(&serve("[::1]:0", true), true);
        check(&serve("0.0.0.0:0", true), false);
        check(&Serve { public_url: Some("https://grade.example.org".into()), ..serve("127.0.0.1:0", true) }, false);
        let services = Services::open(folder.path()).unwrap();
        check(&serve("127.0.0.1:0", true), false);
        // Its accounts are served to this machine only, with or without the option.
        prepare(&services, Some(Demo::Study)).await.unwrap();
        check(&serve("127.0.0.1:0", true), true);
        check(&serve("0.0.0.0:0", false), false);
        check(&serve("127.0.0.1:0", false), true);
        let again = prepare(&services, Some(Demo::Study)).await.unwrap();
        assert_eq!(again.iter().filter(|line| line.starts_with("Demo account")).count(), 4, "{again:?}");
    }

    #[tokio::test]
    async fn a_demo_that_fails_leaves_no_published_password() {
        use services::accounts::{Origin, Refused};
        let folder = tempfile::tempdir().unwrap();
        let services = Services::open(folder.path()).unwrap();
        // Without the starter dataset there is nothing to rate.
        assert!(starter::demo(&services).await.is_err());
        assert!(!folder::is_demo(folder.path()));
        for (name, password) in starter::accounts() {
            let logged_in = services.accounts.log_in(name, &password, Origin { address: None, device: None }).await;
            assert!(matches!(logged_in, Err(Refused::Wrong)), "{name}");
        }
    }
}
