//! Groups of people, by which raters are chosen and lists are filtered. They give nobody any right.

use serde::{Deserialize, Serialize};

use super::ids::{GroupId, UserId};

/// Maximum length of a group's name, in characters.
pub const LONGEST_GROUP_NAME: usize = 60;
/// Most groups.
pub const MOST_GROUPS: u64 = 500;
/// Most members of a group.
pub const MOST_MEMBERS: u64 = 1000;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Group {
    pub id: GroupId,
    /// Its name; no two groups have the same.
    pub name: String,
    /// The people in it, by name.
    pub members: Vec<Member>,
}

/// Somebody in a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Member {
    pub id: UserId,
    /// The username.
    pub name: String,
    /// Whether the account is deactivated. Its owner is in no choice of raters.
    pub disabled: bool,
}

/// A group without its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GroupName {
    pub id: GroupId,
    pub name: String,
}

/// A change of a group's members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MemberChange {
    /// People to add.
    pub add: Vec<UserId>,
    /// People to remove.
    pub remove: Vec<UserId>,
}

/// Why a name cannot be a group's, if it cannot.
pub fn group_name_fault(name: &str) -> Option<(&'static str, &'static str)> {
    if name.is_empty() || name.chars().count() > LONGEST_GROUP_NAME {
        return Some(("a group's name has 1 to 60 characters", "分组名称为 1 到 60 个字符"));
    }
    name.chars().any(char::is_control).then_some(("the name contains control characters", "名称包含控制字符"))
}
