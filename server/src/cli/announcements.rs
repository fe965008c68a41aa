//! `aixgrade announcements …`

use clap::{Args, Subcommand};
use model::{
    announcement::{Announcement, Audience, NewAnnouncement},
    caller::System,
    day::Day,
    ids::{AnnouncementId, StudyId},
    lang::Bilingual,
};
use port::announcements::Announcements as _;

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// Tell people something at the top of their pages.
#[derive(Subcommand)]
pub enum Announcements {
    /// List announcements, and how many people have read each
    List(Rows),
    /// Publish an announcement
    Publish(New),
    /// Withdraw an announcement, so that it is no longer shown
    Withdraw {
        /// Its ID
        id: i64,
    },
}

/// A new announcement.
#[derive(Args)]
pub struct New {
    /// English text
    #[arg(long, default_value = "", required_unless_present = "zh")]
    en: String,
    /// Chinese text
    #[arg(long, default_value = "")]
    zh: String,
    #[command(flatten)]
    to: To,
    /// Last day on which it is shown, in UTC, such as 2026-11-30
    #[arg(long, value_name = "DAY")]
    until: Option<Day>,
    /// Publish it although it names a model
    #[arg(long)]
    allow_names: bool,
}

/// Who reads it; everyone by default.
#[derive(Args)]
#[group(multiple = false)]
pub struct To {
    /// The raters of this study
    #[arg(long, value_name = "ID")]
    study: Option<i64>,
    /// The members of this group
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// One person
    #[arg(long, value_name = "USERNAME")]
    account: Option<String>,
}

/// Runs the command.
pub async fn run(global: &Global, command: Announcements) -> Result<(), Failure> {
    let services = global.open()?;
    let (announcements, admin) = (&services.announcements, System.admin());
    match command {
        Announcements::List(rows) => {
            let found = rows.read(async |of| announcements.list(&admin, of).await).await?;
            global.show(&found, |found| {
                table(&["ID", "TO", "READ BY", "STATE", "TEXT"], &found.iter().map(line).collect::<Vec<_>>())
            })
        }
        Announcements::Publish(New { en, zh, to, until, allow_names }) => {
            let to = match to {
                To { study: Some(id), .. } => Audience::Study(StudyId(id)),
                To { group: Some(name), .. } => Audience::Group(services.groups.named(&admin, &name).await?),
                To { account: Some(name), .. } => match services.accounts.named(&admin, &name).await? {
                    Some(id) => Audience::Account(id),
                    None => {
                        let what = format!("there is no account \"{name}\"");
                        return Err(Failure::invalid("--account", what, "List the accounts with `aixgrade user list`"));
                    }
                },
                _ => Audience::Everyone,
            };
            let new = NewAnnouncement { to, text: Bilingual { en, zh }, last_day: until, allow_names };
            let id = announcements.publish(&admin, new).await?;
            global.show(&id, |id| format!("Published announcement {id}."))
        }
        Announcements::Withdraw { id } => {
            let id = AnnouncementId(id);
            announcements.withdraw(&admin, id).await?;
            global.show(&id, |id| format!("Withdrew announcement {id}."))
        }
    }
}

fn line(row: &Announcement) -> Vec<String> {
    let to = if row.name.is_empty() { row.to.to_string() } else { format!("{}: {}", row.to, row.name) };
    let state = match (row.withdrawn_at, row.is_shown, row.last_day) {
        (Some(_), ..) => "withdrawn".to_owned(),
        (None, false, _) => "ended".to_owned(),
        (None, true, Some(day)) => format!("shown until {day}"),
        (None, true, None) => "shown".to_owned(),
    };
    let text = if row.text.en.is_empty() { &row.text.zh } else { &row.text.en };
    vec![row.id.to_string(), to, format!("{} of {}", row.read, row.people), state, model::text::excerpt(text, 60)]
}
