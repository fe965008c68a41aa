//! `aixgrade objects`

use clap::{Args, Subcommand, ValueEnum};
use model::{audit::Object, caller::System, upkeep::Upkeep};
use port::upkeep::Upkeeps;
use texts::upkeep::EN;

use super::Global;
use base::error::Failure;
use command::table;

/// `objects`
#[derive(Subcommand)]
pub enum Objects {
    /// Show an object's name and what refers to it
    Show(Which),
    /// List archived objects
    Archived,
    /// Change a study's title or the model of a submission
    Rename {
        #[command(flatten)]
        which: Which,
        /// The new name
        name: String,
    },
    /// Leave an object out of lists, forms and default selections; its data and links are kept
    Archive(Which),
    /// Return an archived object to the lists
    Unarchive(Which),
    /// Delete an object to which no work refers, with its data; this cannot be undone
    Delete {
        #[command(flatten)]
        which: Which,
        /// Delete without asking
        #[arg(long)]
        yes: bool,
    },
}

/// An object.
#[derive(Args)]
pub struct Which {
    /// Kind of object
    kind: Kind,
    /// ID, or a dataset's or rubric's short name
    key: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Dataset,
    Rubric,
    Submission,
    Study,
}

impl Which {
    fn object(&self) -> Result<Object, Failure> {
        let kind = match self.kind {
            Kind::Dataset => "dataset",
            Kind::Rubric => "rubric",
            Kind::Submission => "submission",
            Kind::Study => "study",
        };
        let text = format!("{kind} {}", self.key);
        text.parse()
            .map_err(|_| Failure::invalid("KEY", format!("{} is not an ID", self.key), "Pass the number of the object"))
    }
}

/// Runs the command.
pub async fn run(global: &Global, command: Objects) -> Result<(), Failure> {
    let upkeep = global.open()?.upkeep;
    let admin = System.admin();
    match command {
        Objects::Show(which) => {
            let object = which.object()?;
            let found = upkeep.get(&admin, object.clone()).await?;
            global.show(&found, |found| described(&object, found))
        }
        Objects::Archived => {
            let found = upkeep.archived(&admin).await?;
            global.show(&found, |found| {
                let rows = found.iter().map(|row| vec![row.object.clone(), row.name.clone()]);
                table(&["OBJECT", "NAME"], &rows.collect::<Vec<_>>())
            })
        }
        Objects::Rename { which, name } => {
            upkeep.rename(&admin, which.object()?, &name).await?;
            show(global, &*upkeep, which.object()?).await
        }
        Objects::Archive(which) => {
            upkeep.set_archived(&admin, which.object()?, true).await?;
            show(global, &*upkeep, which.object()?).await
        }
        Objects::Unarchive(which) => {
            upkeep.set_archived(&admin, which.object()?, false).await?;
            show(global, &*upkeep, which.object()?).await
        }
        Objects::Delete { which, yes } => {
            let object = which.object()?;
            let found = upkeep.get(&admin, object.clone()).await?;
            if !yes {
                eprintln!("{}", described(&object, &found));
                return Err(Failure::invalid(
                    "--yes",
                    "nothing was deleted",
                    "Pass --yes to delete the object and its data",
                ));
            }
            upkeep.delete_now(&admin, object.clone()).await?;
            global.show(&found, |_| format!("Deleted {object}."))
        }
    }
}

async fn show(global: &Global, upkeep: &dyn Upkeeps, object: Object) -> Result<(), Failure> {
    let found = upkeep.get(&System.admin(), object.clone()).await?;
    global.show(&found, |found| described(&object, found))
}

fn described(object: &Object, found: &Upkeep) -> String {
    let mut lines = vec![format!("{object}: {}", found.name)];
    if found.archived_at.is_some() {
        lines.push("Archived".into());
    }
    let listed =
        |all: &[model::upkeep::Dependent]| all.iter().map(|one| EN.dependent(*one)).collect::<Vec<_>>().join(", ");
    match (found.in_use.is_empty(), found.deleted_with.is_empty()) {
        (false, _) => lines.push(format!("Cannot be deleted, because these refer to it: {}", listed(&found.in_use))),
        (true, false) => lines.push(format!("Would be deleted with it: {}", listed(&found.deleted_with))),
        (true, true) => {}
    }
    lines.join("\n")
}
