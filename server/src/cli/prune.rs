//! `aixgrade prune`

use clap::Args;
use model::{caller::System, lang::Lang, server::Freed};
use texts::{audit_details::unused, server::EN};

use super::Global;
use base::error::Failure;
use command::{size, table};

/// `prune`
#[derive(Args)]
pub struct Prune {
    /// List the data that would be deleted; delete nothing
    #[arg(long)]
    dry_run: bool,
}

/// Deletes unreferenced files and rows, and prints how much space that freed.
pub async fn run(global: &Global, prune: &Prune) -> Result<(), Failure> {
    let freed = global.open()?.prune(&System.admin(), prune.dry_run).await?;
    global.show(&freed, |freed| {
        let row = |f: &Freed| match f.skipped {
            Some(why) => vec![unused(Lang::En, f.what).to_owned(), String::new(), EN.skipped(why).to_owned()],
            None => vec![unused(Lang::En, f.what).to_owned(), f.count.to_string(), size(f.bytes)],
        };
        let action = if prune.dry_run { "TO DELETE" } else { "DELETED" };
        table(&["DATA", action, "SIZE"], &freed.iter().map(row).collect::<Vec<_>>())
    })
}
