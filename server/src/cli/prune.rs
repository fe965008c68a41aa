//! `aixgrade prune`

use app::port::Caller;
use clap::Args;

use super::{Global, table};
use crate::{error::Failure, services::prune::Freed};

/// `prune`
#[derive(Args)]
pub struct Prune {
    /// Only say what would be deleted
    #[arg(long)]
    dry_run: bool,
}

/// Deletes what nothing refers to, and prints how much that freed.
pub async fn run(global: &Global, prune: &Prune) -> Result<(), Failure> {
    let freed = global.open()?.prune(&Caller::Operator, prune.dry_run).await?;
    global.show(&freed, |freed| {
        let row = |f: &Freed| match &f.skipped {
            Some(why) => vec![f.what.words().to_owned(), String::new(), why.clone()],
            None => vec![f.what.words().to_owned(), f.count.to_string(), size(f.bytes)],
        };
        let action = if prune.dry_run { "would be deleted" } else { "deleted" };
        table(&["what", action, "size"], &freed.iter().map(row).collect::<Vec<_>>())
    })
}

/// A size in MB with one decimal.
pub fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
