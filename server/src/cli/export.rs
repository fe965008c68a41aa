//! `aixgrade export …`

use std::{io::Write, path::PathBuf};

use app::{model::ids::StudyId, port::Caller};
use clap::{Args, ValueEnum};

use super::Global;
use crate::error::Failure;

/// `export`
#[derive(Args)]
pub struct Export {
    /// Every rating, or the comparison's table
    #[arg(value_enum)]
    what: What,
    /// The study's number
    #[arg(long)]
    study: StudyId,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Every rating, superseded ones included and marked
    Ratings,
    /// Means with their intervals
    Comparison,
}

/// Runs the command.
pub async fn run(global: &Global, export: Export) -> Result<(), Failure> {
    let services = global.open()?;
    let bytes = match export.what {
        What::Ratings => services.studies.ratings_csv(&Caller::Operator, export.study).await?,
        What::Comparison => services.studies.comparison_csv(&Caller::Operator, export.study).await?,
    };
    match export.output {
        None => std::io::stdout().lock().write_all(&bytes)?,
        Some(path) => std::fs::write(&path, &bytes).map_err(|e| {
            Failure::invalid(
                &path.display().to_string(),
                format!("the file cannot be written: {e}"),
                "Name another with -o",
            )
        })?,
    }
    Ok(())
}
