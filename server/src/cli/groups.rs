//! `aixgrade groups …`

use clap::{Args, Subcommand};
use model::caller::System;
use port::groups::Groups as _;

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// Manage groups of people.
#[derive(Subcommand)]
pub enum Groups {
    /// List groups with their members
    List(Rows),
    /// Create a group
    Create(One),
    /// Rename a group
    Rename {
        /// Name of the group
        name: String,
        /// The new name
        new: String,
    },
    /// Delete a group; its members keep their accounts and their work
    Delete(One),
    /// Add people to a group
    Add(People),
    /// Remove people from a group
    Remove(People),
}

/// A group.
#[derive(Args)]
pub struct One {
    /// Name of the group
    name: String,
}

/// People of a group.
#[derive(Args)]
pub struct People {
    /// Name of the group
    name: String,
    /// Usernames
    #[arg(required = true, value_name = "USERNAME")]
    people: Vec<String>,
}

/// Runs the command.
pub async fn run(global: &Global, command: Groups) -> Result<(), Failure> {
    let services = global.open()?;
    let (groups, admin) = (&services.groups, System.admin());
    match command {
        Groups::List(rows) => {
            let found = rows.read(async |of| groups.list(&admin, of).await).await?;
            global.show(&found, |found| {
                let names = |members: &[model::group::Member]| {
                    members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>().join(", ")
                };
                let row = |group: &model::group::Group| {
                    vec![group.name.clone(), group.members.len().to_string(), names(&group.members)]
                };
                table(&["NAME", "MEMBERS", "PEOPLE"], &found.iter().map(row).collect::<Vec<_>>())
            })
        }
        Groups::Create(One { name }) => {
            groups.create(&admin, &name).await?;
            global.show(&name, |name| format!("Created the group {name}."))
        }
        Groups::Rename { name, new } => {
            let id = groups.named(&admin, &name).await?;
            groups.rename(&admin, id, &new).await?;
            global.show(&new, |new| format!("Renamed the group {name} to {new}."))
        }
        Groups::Delete(One { name }) => {
            let id = groups.named(&admin, &name).await?;
            groups.delete(&admin, id).await?;
            global.show(&name, |name| format!("Deleted the group {name}."))
        }
        Groups::Add(People { name, people }) => {
            let id = groups.named(&admin, &name).await?;
            groups.add_named(&admin, id, &people.join("\n")).await?;
            global.show(&name, |name| format!("Added {} to the group {name}.", people.join(", ")))
        }
        Groups::Remove(People { name, people }) => {
            let id = groups.named(&admin, &name).await?;
            let members = groups.get(&admin, id).await?.members;
            let mut change = model::group::MemberChange::default();
            for person in &people {
                let member = members.iter().find(|member| member.name.eq_ignore_ascii_case(person));
                let member = member.ok_or_else(|| {
                    Failure::invalid(
                        person,
                        format!("{person} is not in the group {name}"),
                        "`aixgrade groups list` lists its members",
                    )
                })?;
                change.remove.push(member.id);
            }
            groups.change_members(&admin, id, change).await?;
            global.show(&name, |name| format!("Removed {} from the group {name}.", people.join(", ")))
        }
    }
}
