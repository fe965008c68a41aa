//! `aixgrade backup` and `aixgrade restore`

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::Args;
use model::{caller::System, time::Timestamp};
use serde::Serialize;

use super::{Global, progress};
use base::error::Failure;
use command::{size, table};
use services::backup::{Made, manifest::Manifest, restore::Source, store::Store};

/// `backup`
#[derive(Args)]
#[command(
    after_help = "The server may be running. A backup does not contain the engine's files, which are rebuilt from the database."
)]
pub struct Backup {
    /// A new file (a tar archive), - for standard output, or a folder: a folder stores only what has changed since
    /// its last backup. A name that ends with a slash is a folder, which is created if it does not exist
    target: PathBuf,
}

/// `restore`
#[derive(Args)]
pub struct Restore {
    /// A file that `aixgrade backup` wrote, - for standard input, or a folder of backups
    source: PathBuf,
    /// The backup in the folder, by its name [default: the newest]
    #[arg(long, value_name = "NAME")]
    at: Option<String>,
    /// List the backups in the folder; restore nothing
    #[arg(long, conflicts_with_all = ["at", "check"])]
    list: bool,
    /// Read the whole backup and compare it with its checksums; restore nothing
    #[arg(long)]
    check: bool,
}

/// Makes a backup and prints what it contains.
pub async fn back_up(global: &Global, backup: &Backup) -> Result<(), Failure> {
    let target = &backup.target;
    let services = global.open()?;
    if target == Path::new("-") {
        if std::io::stdout().is_terminal() {
            return Err(Failure::invalid(
                "-",
                "a backup cannot be written to a terminal",
                "Redirect the output to a file",
            ));
        }
        let made = services.back_up_to_stream(System, std::io::stdout()).await?;
        eprintln!("Wrote a backup of {} files, {}.", made.files, size(made.bytes));
        warn(&made);
        return Ok(());
    }
    let is_folder = target.is_dir() || target.as_os_str().to_string_lossy().ends_with('/');
    let spinner = progress::spinner("Making a backup");
    let made = match is_folder {
        true => services.back_up_to_folder(System, target).await,
        false => services.back_up_to_file(System, target).await,
    };
    spinner.finish_and_clear();
    let made = made?;
    warn(&made);
    global.show(&made, |made| {
        let (files, all, written) = (made.files, size(made.bytes), size(made.written));
        match is_folder {
            true => format!(
                "Made the backup {} in {}: {files} files, {all}; added {written}. It was read back and is complete.",
                made.name,
                target.display()
            ),
            false => format!("Wrote {}: {files} files, {all}. It was read back and is complete.", made.name),
        }
    })
}

fn warn(made: &Made) {
    if !made.missing.is_empty() {
        eprintln!(
            "Warning: {} uploaded files are missing in the data folder and are not in the backup: {}",
            made.missing.len(),
            made.missing.join(", ")
        );
    }
}

/// A backup in a folder, as `restore --list` prints it.
#[derive(Serialize)]
struct Listed {
    name: String,
    created_at: Timestamp,
    schema: u32,
    program: String,
    files: usize,
    bytes: u64,
}

/// Restores, checks or lists backups.
pub async fn restore(global: &Global, restore: Restore) -> Result<(), Failure> {
    let Restore { source, at, list, check } = restore;
    if list {
        let stored = Store::open(&source)?.list()?.into_iter().map(|stored| Listed {
            files: stored.manifest.files.len(),
            bytes: stored.manifest.bytes(),
            name: stored.name,
            created_at: stored.manifest.created_at,
            schema: stored.manifest.schema,
            program: stored.manifest.program,
        });
        return global.show(&stored.collect::<Vec<_>>(), |stored| {
            let row = |b: &Listed| vec![b.name.clone(), b.files.to_string(), size(b.bytes), b.schema.to_string()];
            table(&["NAME", "FILES", "SIZE", "SCHEMA"], &stored.iter().map(row).collect::<Vec<_>>())
        });
    }
    let folder = global.folder()?;
    let (data, shown) = (folder.clone(), source.display().to_string());
    let spinner = progress::spinner(if check { "Reading the backup" } else { "Restoring the backup" });
    let work = move || {
        let source = Source::open(&source, at.as_deref())?;
        if check { source.check() } else { source.restore(&data) }
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?;
    spinner.finish_and_clear();
    let manifest = done?;
    global.show(&manifest_summary(&manifest), |_| {
        let (files, all, time) = (manifest.files.len(), size(manifest.bytes()), manifest.created_at);
        match check {
            true => format!("{shown} is complete: {files} files, {all}, from {time}."),
            false => format!(
                "Restored {files} files, {all}, from {time} into {}. Start the server with `aixgrade serve --data {}`.",
                folder.display(),
                folder.display()
            ),
        }
    })
}

/// A manifest without its list of files.
fn manifest_summary(manifest: &Manifest) -> serde_json::Value {
    serde_json::json!({
        "created_at": manifest.created_at,
        "schema": manifest.schema,
        "program": manifest.program,
        "files": manifest.files.len(),
        "bytes": manifest.bytes(),
    })
}
