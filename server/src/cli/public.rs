//! `aixgrade studies public …`

use app::{
    model::{
        api::{NewPublicLink, PublicLinkRow},
        ids::{PublicLinkId, StudyId},
    },
    port::{Caller, api::PublicLinks},
};
use clap::{Args, Subcommand};

use super::{Global, table};
use crate::{error::Failure, services::Services};

/// What to do with the public pages of closed studies.
#[derive(Subcommand)]
pub enum Public {
    /// Make a link to a closed study's public page and print its path, this once
    Make(Make),
    /// List a study's links
    List(Study),
    /// End a link
    Revoke(Revoke),
}

/// `studies public make`
#[derive(Args)]
pub struct Make {
    /// The study's number
    id: StudyId,
    /// Show the tasks with the models' code too
    #[arg(long)]
    code: bool,
    /// How many days it works, 1 to 3650 [default: for good]
    #[arg(long)]
    days: Option<u32>,
}

/// `studies public list`
#[derive(Args)]
pub struct Study {
    /// The study's number
    id: StudyId,
}

/// `studies public revoke`
#[derive(Args)]
pub struct Revoke {
    /// The link's number, as `studies public list` gives it
    link: PublicLinkId,
}

/// Runs the command.
pub async fn run(global: &Global, services: &Services, command: Public) -> Result<(), Failure> {
    let (links, caller) = (&services.public_links, Caller::Operator);
    match command {
        Public::Make(Make { id, code, days }) => {
            let made = links.create(&caller, id, NewPublicLink { code, days }).await?;
            global.show(&made, |made| made.path.clone())
        }
        Public::List(Study { id }) => global.show(&links.list(&caller, id).await?, |rows| {
            let rows: Vec<_> = rows.iter().map(row).collect();
            table(&["LINK", "SHOWS", "MADE", "ENDS", "STATE"], &rows)
        }),
        Public::Revoke(Revoke { link }) => {
            links.revoke(&caller, link).await?;
            global.show(&link, |link| format!("Link {link} no longer works."))
        }
    }
}

fn row(link: &PublicLinkRow) -> Vec<String> {
    let state = match (link.open, link.revoked_at) {
        (true, _) => "open",
        (false, Some(_)) => "revoked",
        (false, None) => "has run out",
    };
    vec![
        link.id.to_string(),
        if link.code { "comparison and code" } else { "comparison" }.into(),
        link.created_at.to_string(),
        link.expires_at.map_or_else(|| "never".into(), |at| at.to_string()),
        state.into(),
    ]
}
