//! Port: groups of people.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    group::{Group, MemberChange},
    ids::{GroupId, UserId},
    page::{PageOf, Paged},
};

/// Groups of people, for admins.
#[async_trait]
pub trait Groups: Send + Sync {
    /// Every group with its members, by name.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<Group>>;
    /// One group.
    async fn get(&self, admin: &Admin, id: GroupId) -> Answer<Group>;
    /// Creates a group.
    async fn create(&self, admin: &Admin, name: &str) -> Answer<GroupId>;
    async fn rename(&self, admin: &Admin, id: GroupId, name: &str) -> Answer<()>;
    /// Deletes a group; its members keep their accounts and their work.
    async fn delete(&self, admin: &Admin, id: GroupId) -> Answer<()>;
    /// Adds and removes members.
    async fn change_members(&self, admin: &Admin, id: GroupId, change: MemberChange) -> Answer<()>;
    /// Adds people by their usernames, separated by commas or on a line each; all or none.
    async fn add_named(&self, admin: &Admin, id: GroupId, names: &str) -> Answer<()>;
    /// The active members of these groups, each once, by name.
    async fn active(&self, admin: &Admin, groups: Vec<GroupId>) -> Answer<Vec<UserId>>;
}
