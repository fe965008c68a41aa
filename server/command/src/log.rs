//! Log lines on standard error.

use clap::{Args, ValueEnum};

/// Options of logs.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LogArgs {
    /// How log lines are written to standard error
    #[arg(long, value_enum, env = "AIXGRADE_LOG_FORMAT", default_value_t = LogFormat::Text, value_name = "FORMAT")]
    log_format: LogFormat,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Our crates that log.
pub const LOGGING: [&str; 10] =
    ["base", "db", "engine", "jobs", "lang", "parsers", "sandbox", "services", "syntax", "web"];

/// What is logged without `RUST_LOG`: warnings of all crates, and informative lines of our own.
fn default_filter() -> String {
    let ours = LOGGING.iter().map(|name| format!(",{name}=info"));
    format!("warn{}", ours.collect::<String>())
}

impl LogArgs {
    /// Logs to standard error at the level of `RUST_LOG`.
    pub fn start(self) {
        let filter = tracing_subscriber::EnvFilter::try_from_default_env()
            .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(default_filter()));
        // A test may have installed a subscriber already; then that one is used.
        let logger = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        let _ = match self.log_format {
            LogFormat::Text => logger.try_init(),
            LogFormat::Json => logger.json().flatten_event(true).with_span_list(false).try_init(),
        };
    }
}
