//! `aixgrade serve`

use std::net::SocketAddr;

use clap::Args;
use tokio::net::TcpListener;

use super::Global;
use crate::{
    config::Config,
    db::sessions::Sessions,
    error::Failure,
    http,
    services::{Services, starter, webhooks::Origins},
    state::AppState,
};

/// `serve`
#[derive(Args)]
pub struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:3000", env = "AIXGRADE_LISTEN", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The address people type, where a proxy in front ends TLS: https://grade.example.org
    #[arg(long, env = "AIXGRADE_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Believe the proxy's X-Forwarded-For; only with a proxy in front that sets it
    #[arg(long, env = "AIXGRADE_TRUST_PROXY")]
    trust_proxy: bool,
    /// A host that webhooks may send messages to, such as https://hooks.example.org; repeat for each
    /// [default: none]
    #[arg(long = "webhook-host", env = "AIXGRADE_WEBHOOK_HOSTS", value_delimiter = ',', value_name = "ORIGIN")]
    webhook_hosts: Vec<String>,
    /// Make known accounts (admin, ada, bo, chen) and a running study over the starter dataset
    #[arg(long)]
    demo: bool,
}

/// Runs the server until it is told to stop.
pub async fn run(global: &Global, serve: Serve) -> Result<(), Failure> {
    log();
    if let Some(url) = serve.public_url.as_deref()
        && !(url.starts_with("https://") || url.starts_with("http://"))
    {
        return Err(Failure::invalid("--public-url", format!("`{url}` is no address"), "Begin it with https://"));
    }
    let origins = Origins::parse(serve.webhook_hosts.iter().map(String::as_str)).map_err(|entry| {
        Failure::invalid(
            "--webhook-host",
            format!("`{entry}` is no host"),
            "Write it like https://hooks.example.org, or http://10.0.0.5:8080",
        )
    })?;
    let services = global.open()?;
    services.webhooks.allow(origins);
    let welcome = prepare(&services, serve.demo).await?;
    let listener = TcpListener::bind(serve.listen).await.map_err(|e| {
        Failure::invalid(
            "--listen",
            format!("{} cannot be used: {e}", serve.listen),
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
    services.runs.engine().clone().serve();
    tokio::spawn(services.webhooks.clone().serve());
    tokio::spawn(sweep(Sessions(services.db.clone())));
    let app = http::router(AppState::new(services, config)).into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, app).with_graceful_shutdown(stop()).await?)
}

/// Fills an empty data folder; what the operator should read is returned.
async fn prepare(services: &Services, demo: bool) -> Result<Vec<String>, Failure> {
    let mut welcome = Vec::new();
    if starter::load(services).await? {
        welcome.push("The starter dataset and the outputs of its three models were loaded.".to_owned());
    }
    if demo {
        for (name, password) in starter::demo(services).await? {
            welcome.push(format!("Demo account: {name}, password {password}"));
        }
    }
    if let Some((name, password)) = services.accounts.first_admin().await? {
        welcome.push(format!("Log in as {name} with the password {password}"));
        welcome.push("It is shown this once; change it under the account's name.".to_owned());
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
