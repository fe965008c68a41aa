//! `aixgrade serve`

use std::{net::SocketAddr, time::Duration};

use clap::{Args, ValueEnum};
use tokio::net::TcpListener;

use super::{Global, doctor::engine_lacks};
use crate::{
    clock,
    config::Config,
    db::{Db, sessions::Sessions, staging},
    engine::readiness,
    error::Failure,
    http,
    services::{Services, demo_results, starter, webhooks::Origins},
    state::AppState,
};

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
    /// Create demo accounts (admin, ada, bo, chen) and a running study of the starter dataset; with `results`, the
    /// default, also invented ratings and a test run of each model
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "results", value_name = "WHAT")]
    demo: Option<Demo>,
}

/// How much the demo brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Demo {
    /// Accounts and a study that nobody has rated.
    Study,
    /// Also ratings and runs.
    Results,
}

/// Runs the server until it receives Ctrl-C or SIGTERM.
pub async fn run(global: &Global, serve: Serve) -> Result<(), Failure> {
    log();
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
    let services = global.open()?;
    services.webhooks.allow(origins);
    let welcome = prepare(&services, serve.demo).await?;
    let listener = TcpListener::bind(serve.listen).await.map_err(|e| {
        Failure::invalid(
            "--listen",
            format!("cannot listen on {}: {e}", serve.listen),
            "Choose another port with --listen",
        )
    })?;
    let address = listener.local_addr()?;
    let config = Config { listen: address, public_url: serve.public_url, trust_proxy: serve.trust_proxy };
    let shown = config.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    println!("AixGrade is at {shown}\nData folder: {}", services.folder.display());
    for line in welcome {
        println!("{line}");
    }
    let readiness = readiness::look();
    if !readiness.missing.is_empty() {
        println!("{}", engine_lacks(&readiness));
    }
    services.runs.engine().clone().serve();
    tokio::spawn(services.webhooks.clone().serve());
    tokio::spawn(sweep(Sessions(services.db.clone())));
    tokio::spawn(clear_imports(services.db.clone()));
    let app = http::router(AppState::new(services, config)).into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, app).with_graceful_shutdown(stop()).await?)
}

/// Fills an empty data folder. Returns the lines to print for the operator.
async fn prepare(services: &Services, demo: Option<Demo>) -> Result<Vec<String>, Failure> {
    let mut welcome = Vec::new();
    if starter::load(services).await? {
        welcome.push("Imported the starter dataset and the outputs of its three models.".to_owned());
    }
    if let Some(demo) = demo {
        let accounts = match demo {
            Demo::Study => starter::demo(services).await?,
            Demo::Results => starter::demo_with(services, starter::RATED_STUDY).await?,
        };
        for (name, password) in accounts {
            welcome.push(format!("Demo account: {name}, password {password}"));
        }
        if demo == Demo::Results {
            demo_results::rate(services).await?;
            welcome.push("The demo's ratings are invented.".to_owned());
            if demo_results::run(services).await? {
                welcome.push("Started a test run of each demo model.".to_owned());
            }
        }
    }
    if let Some((name, password)) = services.accounts.first_admin().await? {
        welcome.push(format!("Log in as {name} with the password {password}"));
        welcome.push("This password is shown only once. Change it on the Account page.".to_owned());
    }
    Ok(welcome)
}

/// Logs to standard error; `RUST_LOG` says how much.
fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,server=info"));
    // A second subscriber (a test's) may be there already; then that one serves.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}

async fn sweep(sessions: Sessions) {
    // Expired sessions are refused when they are loaded; sweeping only keeps the table small.
    let mut hourly = tokio::time::interval(std::time::Duration::from_secs(60 * 60));
    loop {
        hourly.tick().await;
        if let Err(failure) = sessions.sweep().await {
            let _logged = app::error::AppError::from(failure);
        }
    }
}

/// Deletes the rows of imports that were killed, those of the last minute when their lease has run out.
async fn clear_imports(db: Db) {
    loop {
        let clear = db.clone();
        let cleared = tokio::task::spawn_blocking(move || clear.clear_imports(clock::now())).await;
        match cleared.map_err(Failure::internal).and_then(|cleared| cleared) {
            Ok(true) => tokio::time::sleep(Duration::from_millis(staging::LEASE_MS.unsigned_abs())).await,
            Ok(false) => return,
            Err(failure) => {
                let _logged = app::error::AppError::from(failure);
                return;
            }
        }
    }
}

/// Waits for Ctrl-C or a service manager's word.
async fn stop() {
    let ctrl_c = async {
        // Where the signal cannot be heard, the server runs until it is killed, which loses nothing.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! { () = ctrl_c => {}, () = terminate => {} }
}
