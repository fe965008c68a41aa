//! `aixgrade studies public …`

use clap::{Args, Subcommand};
use model::{
    api::{NewPublicLink, PublicLinkRow, Publication},
    caller::System,
    ids::{PublicLinkId, StudyId},
};
use port::api::PublicLinks;

use super::{Global, Rows};
use base::error::Failure;
use command::table;
use services::Services;

/// Manage public links to closed studies.
#[derive(Subcommand)]
pub enum Public {
    /// Create a public link to a closed study's comparison and print its path, which is not shown again
    #[command(name = "create")]
    Create(Create),
    /// List the links of a study
    List(Study),
    /// Revoke a link
    Revoke(Revoke),
}

/// `studies public create`
#[derive(Args)]
pub struct Create {
    /// Number of the study
    id: StudyId,
    /// Also show the tasks and the models' code
    #[arg(long)]
    code: bool,
    /// Days until the link expires, 1 to 3650 [default: never]
    #[arg(long)]
    days: Option<u32>,
    /// What the study is for, as the page says it
    #[arg(long, default_value = "", hide_default_value = true)]
    purpose: String,
    /// People or institution that a citation names
    #[arg(long, default_value = "", hide_default_value = true)]
    authors: String,
    /// Whom readers can ask
    #[arg(long, default_value = "", hide_default_value = true)]
    contact: String,
    /// License of figures and data, such as "CC BY 4.0"
    #[arg(long, default_value = "", hide_default_value = true)]
    license: String,
}

/// `studies public list`
#[derive(Args)]
pub struct Study {
    /// Number of the study
    id: StudyId,
    #[command(flatten)]
    rows: Rows,
}

/// `studies public revoke`
#[derive(Args)]
pub struct Revoke {
    /// Number of the link (see `aixgrade studies public list`)
    link: PublicLinkId,
}

/// Runs the command.
pub async fn run(global: &Global, services: &Services, command: Public) -> Result<(), Failure> {
    let (links, admin) = (&services.public_links, System.admin());
    match command {
        Public::Create(Create { id, code, days, purpose, authors, contact, license }) => {
            let about = Publication { purpose, authors, contact, license };
            let created = links.create(&admin, id, NewPublicLink { code, days, about }).await?;
            global.show(&created, |created| created.path.clone())
        }
        Public::List(Study { id, rows }) => {
            let found = rows.read(async |of| links.list(&admin, id, of).await).await?;
            global.show(&found, |rows| {
                let rows: Vec<_> = rows.iter().map(row).collect();
                table(&["LINK", "CONTENT", "CREATED", "EXPIRES", "STATE"], &rows)
            })
        }
        Public::Revoke(Revoke { link }) => {
            links.revoke(&admin, link).await?;
            global.show(&link, |link| format!("Revoked link {link}."))
        }
    }
}

fn row(link: &PublicLinkRow) -> Vec<String> {
    let state = match (link.open, link.revoked_at) {
        (true, _) => "active",
        (false, Some(_)) => "revoked",
        (false, None) => "expired",
    };
    vec![
        link.id.to_string(),
        if link.code { "comparison and code" } else { "comparison" }.into(),
        link.created_at.to_string(),
        link.expires_at.map_or_else(|| "never".into(), |at| at.to_string()),
        state.into(),
    ]
}
