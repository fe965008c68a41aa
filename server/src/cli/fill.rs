//! `aixgrade fill`: a database as large as the program promises to bear, for `cargo xtask bench results`.
//! Hidden: made-up ratings are of no use to anybody else.

use app::port::Caller;
use clap::Args;

use super::Global;
use crate::{db::results_fill, error::Failure, services::starter};

/// `fill`
#[derive(Args)]
pub struct Fill {
    /// Studies of the made-up dataset; each gets ratings of every output by five people
    #[arg(long, default_value_t = 20)]
    studies: u32,
    /// Runs of every model; each gets a verdict for every task
    #[arg(long, default_value_t = 100)]
    runs: u32,
    /// Models
    #[arg(long, default_value_t = 10)]
    models: u32,
    /// Tasks
    #[arg(long, default_value_t = 1000)]
    tasks: u32,
}

/// Runs the command on a data folder that holds nothing yet.
pub async fn run(global: &Global, fill: Fill) -> Result<(), Failure> {
    let services = global.open()?;
    if services.db.read(results_fill::holds_data).await? {
        return Err(Failure::conflict(
            "This data folder holds data already, and made-up ratings would stand beside them. Name an empty one with --data.",
        ));
    }
    starter::load(&services).await?;
    starter::demo(&services).await?;
    let size = results_fill::Size { studies: fill.studies, runs: fill.runs, models: fill.models, tasks: fill.tasks };
    let made = services.db.write(move |tx| results_fill::fill(tx, &size)).await?;
    let known = services.comparisons.settled(&Caller::Operator, results_fill::choice()).await?;
    let counted: u64 = known.options.studies.iter().map(|study| study.ratings).sum();
    if counted != made.ratings {
        return Err(Failure::internal(format!("{} ratings were made and {counted} count", made.ratings)));
    }
    global.show(&made, |made| format!("{} ratings and {} verdicts", made.ratings, made.verdicts))
}
