//! `aixgrade user …`

use std::io::Read;

use clap::{Args, Subcommand};
use model::{
    caller::System,
    ids::StudyId,
    plan::Reads,
    user::{Joins, RESET_HOURS, Role},
};
use port::{Accounts, Plans};
use serde::Serialize;

use super::{Global, Rows};
use base::error::Failure;
use command::table;
use services::accounts::Validity;

/// Manage accounts.
#[derive(Subcommand)]
pub enum User {
    /// Create an account; reads the password from standard input. The first login asks for a new one
    Add(Add),
    /// Set a password, read from standard input; logs the person out. The next login asks for a new one
    Password(Password),
    /// Create a link with which a person chooses a new password
    #[command(name = "reset-link")]
    ResetLink(Named),
    /// Create an invitation link
    Invite(Invite),
    /// List accounts
    List(Rows),
    /// Deactivate an account; logs the person out
    #[command(name = "deactivate")]
    Disable(Named),
    /// Activate an account
    #[command(name = "activate")]
    Enable(Named),
    /// Change the role of an account; an admin who becomes a rater is logged out
    Role {
        /// Username
        name: String,
        /// Role: `admin` or `rater`
        role: Role,
    },
    /// Set the languages that a person reads, for studies that assign work by language
    Reads {
        /// Username
        name: String,
        /// Languages: `en`, `zh` or `en,zh`
        languages: Reads,
    },
}

/// `user add`
#[derive(Args)]
pub struct Add {
    /// Username: letters, digits, `-`, `_`, `.`
    name: String,
    /// Role: `admin` or `rater`
    #[arg(long, default_value = "rater")]
    role: Role,
    #[command(flatten)]
    lasting: Lasting,
}

/// `user password`
#[derive(Args)]
pub struct Password {
    /// Username
    name: String,
    #[command(flatten)]
    lasting: Lasting,
}

/// How long a password that is set here is good for.
#[derive(Args, Clone, Copy)]
pub struct Lasting {
    /// Do not ask for a new password at the next login
    #[arg(long)]
    lasting: bool,
}

impl Lasting {
    fn validity(self) -> Validity {
        if self.lasting { Validity::Lasting } else { Validity::OneTime }
    }
}

/// `user invite`
#[derive(Args)]
pub struct Invite {
    /// Label, visible only to admins
    #[arg(long, default_value = "")]
    label: String,
    /// Role: `admin` or `rater`
    #[arg(long, default_value = "rater")]
    role: Role,
    /// Days until the link expires, 1 to 90
    #[arg(long, default_value_t = 14)]
    days: u32,
    /// Name of a group that the new account joins
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Number of a study that the new account joins as a rater
    #[arg(long, value_name = "ID")]
    study: Option<StudyId>,
}

/// An account.
#[derive(Args)]
pub struct Named {
    /// Username
    name: String,
}

/// Runs the command.
pub async fn run(global: &Global, user: User) -> Result<(), Failure> {
    let services = global.open()?;
    let accounts = &services.accounts;
    let admin = System.admin();
    match user {
        User::Add(add) => {
            let id = accounts.add(System, &add.name, add.role, &password()?, add.lasting.validity()).await?;
            global.show(&Added { id: id.0, name: &add.name, role: add.role }, |a| {
                format!("Added {} ({}).", a.name, a.role)
            })
        }
        User::Password(Password { name, lasting }) => {
            accounts.reset_password(System, &name, &password()?, lasting.validity()).await?;
            global.show(&name, |name| format!("Set the password of {name} and ended all sessions of this account."))
        }
        User::ResetLink(Named { name }) => {
            let user = accounts.named(&admin, &name).await?.ok_or_else(|| no_account(&name))?;
            let secret = accounts.create_reset(&admin, user).await?;
            global.show(&Link { path: format!("/reset/{secret}"), days: RESET_HOURS / 24 }, |link| {
                format!(
                    "{}\nAppend this path to the server's address. The link can be used once and expires after {} days.",
                    link.path, link.days
                )
            })
        }
        User::Invite(invite) => {
            let group = match &invite.group {
                Some(name) => Some(services.groups.named(&admin, name).await?),
                None => None,
            };
            let joins = Joins { group, study: invite.study };
            let secret = accounts.invite(&admin, &invite.label, invite.role, invite.days, joins).await?;
            global.show(&Link { path: format!("/join/{secret}"), days: invite.days }, |link| {
                format!(
                    "{}\nAppend this path to the server's address. The link can be used once and expires after {} days.",
                    link.path, link.days
                )
            })
        }
        User::List(rows) => {
            let found = rows.read(async |of| accounts.users(&admin, of).await).await?;
            global.show(&found, |users| {
                let rows: Vec<_> = users
                    .iter()
                    .map(|u| {
                        let state = if u.disabled { "deactivated" } else { "active" };
                        vec![
                            u.name.clone(),
                            u.role.to_string(),
                            u.ratings.to_string(),
                            u.created_at.to_string(),
                            u.seen_at.map(|at| at.to_string().chars().take(10).collect()).unwrap_or_default(),
                            state.into(),
                        ]
                    })
                    .collect();
                table(&["NAME", "ROLE", "RATINGS", "CREATED", "LAST SEEN", "STATE"], &rows)
            })
        }
        User::Disable(named) => switch(global, &named.name, true).await,
        User::Enable(named) => switch(global, &named.name, false).await,
        User::Role { name, role } => {
            let user = accounts.named(&admin, &name).await?.ok_or_else(|| no_account(&name))?;
            accounts.set_role(&admin, user, role).await?;
            global.show(&name, |name| format!("{name} is now: {role}."))
        }
        User::Reads { name, languages } => {
            let services = global.open()?;
            let user = services.accounts.named(&System.admin(), &name).await?.ok_or_else(|| no_account(&name))?;
            services.plans.set_reads(&System.admin(), user, languages).await?;
            global.show(&languages, |languages| format!("{name} reads: {languages}."))
        }
    }
}

fn no_account(name: &str) -> Failure {
    Failure::invalid("NAME", format!("no account named \"{name}\""), "List the accounts with `aixgrade user list`")
}

#[derive(Serialize)]
struct Added<'a> {
    id: i64,
    name: &'a str,
    role: Role,
}

#[derive(Serialize)]
struct Link {
    path: String,
    days: u32,
}

async fn switch(global: &Global, name: &str, disabled: bool) -> Result<(), Failure> {
    let accounts = global.open()?.accounts;
    let user = accounts.named(&System.admin(), name).await?.ok_or_else(|| Failure::not_found("account"))?;
    accounts.set_disabled(&System.admin(), user, disabled).await?;
    global.show(&name, |name| format!("{name} is {}.", if disabled { "deactivated" } else { "active" }))
}

/// Reads the first line of standard input. An argument would stay in the shell history and be visible
/// in the process list.
fn password() -> Result<String, Failure> {
    use std::io::IsTerminal;
    if std::io::stdin().is_terminal() {
        eprintln!("Type the password and press Enter (the password is visible as you type):");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    let mut text = String::new();
    // Limits how much of a file is read that is piped in by mistake. Passwords have at most 1,024 bytes.
    std::io::stdin().take(64 * 1024).read_to_string(&mut text)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
