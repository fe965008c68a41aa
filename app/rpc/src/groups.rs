//! Groups of people.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::group::MemberChange;
use model::{
    error::AppError,
    group::Group,
    ids::{GroupId, StudyId, UserId},
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the groups.
#[server(prefix = "/rpc", endpoint = "groups", protocol = Call)]
pub async fn groups(#[server(default)] page: PageOf) -> Result<Paged<Group>, AppError> {
    let (ports, admin) = ports()?;
    ports.groups.list(&admin, page).await
}

/// One group.
#[server(prefix = "/rpc", endpoint = "person_group", protocol = Call)]
pub async fn person_group(id: GroupId) -> Result<Group, AppError> {
    let (ports, admin) = ports()?;
    ports.groups.get(&admin, id).await
}

/// Creates a group and redirects to its page.
#[server(prefix = "/rpc", endpoint = "create_group")]
pub async fn create_group(name: String) -> Result<GroupId, AppError> {
    let (ports, admin) = ports()?;
    let id = ports.groups.create(&admin, &name).await?;
    leptos_axum::redirect(&format!("/admin/groups/{id}"));
    Ok(id)
}

/// Renames a group.
#[server(prefix = "/rpc", endpoint = "rename_group")]
pub async fn rename_group(id: GroupId, name: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.groups.rename(&admin, id, &name).await
}

/// Deletes a group and redirects to the others.
#[server(prefix = "/rpc", endpoint = "delete_group")]
pub async fn delete_group(id: GroupId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.groups.delete(&admin, id).await?;
    leptos_axum::redirect("/admin/groups");
    Ok(())
}

/// Adds people by their usernames.
#[server(prefix = "/rpc", endpoint = "add_to_group")]
pub async fn add_to_group(id: GroupId, names: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.groups.add_named(&admin, id, &names).await
}

/// Removes a member.
#[server(prefix = "/rpc", endpoint = "remove_from_group")]
pub async fn remove_from_group(id: GroupId, user: UserId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let change = MemberChange { remove: vec![user], ..MemberChange::default() };
    ports.groups.change_members(&admin, id, change).await
}

/// Adds the active members of a group to a study's raters, one after the other; those who are there already stay.
#[server(prefix = "/rpc", endpoint = "add_group")]
pub async fn add_group(id: StudyId, group: GroupId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let present = ports.plans.get(&admin, id).await?;
    let members = ports.groups.active(&admin, vec![group]).await?;
    let rates = |user: UserId| present.raters.iter().any(|rater| rater.id == user && rater.removed_at.is_none());
    for user in members.into_iter().filter(|user| !rates(*user)) {
        ports.plans.join(&admin, id, user, None).await?;
    }
    Ok(())
}
