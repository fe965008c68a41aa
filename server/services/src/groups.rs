//! Groups of people.

use std::collections::BTreeMap;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::{Answer, AppError},
    group::{Group, MOST_GROUPS, MOST_MEMBERS, MemberChange, group_name_fault},
    ids::{GroupId, UserId},
    page::{PageOf, Paged},
    problem::Problem,
};
use port::groups::Groups;
use rusqlite::{Connection, Transaction};

use base::error::Failure;
use db::{Db, accounts, audit::Change, groups};

pub struct GroupService {
    db: Db,
}

impl GroupService {
    pub fn new(db: Db) -> Self {
        GroupService { db }
    }

    /// The group of that name, in any case of its letters.
    ///
    /// # Errors
    /// There is none.
    pub async fn named(&self, _: &Admin, name: &str) -> Answer<GroupId> {
        let wanted = name.trim().to_owned();
        let found = self.db.read(move |conn| groups::named(conn, &wanted)).await?;
        found.ok_or_else(|| {
            AppError::invalid(
                "group",
                (format!("there is no group \"{name}\""), format!("没有名为“{name}”的分组")),
                ("`aixgrade groups list` lists them", "`aixgrade groups list` 列出所有分组"),
            )
        })
    }

    async fn change(&self, admin: &Admin, id: GroupId, change: MemberChange) -> Answer<()> {
        let write = move |tx: &Transaction<'_>| {
            let before = known(tx, id)?;
            let (mut removed, mut added) = (Vec::new(), Vec::new());
            for user in change.remove {
                if let Some(member) = before.members.iter().find(|member| member.id == user) {
                    groups::remove(tx, id, user)?;
                    removed.push(member.name.clone());
                }
            }
            for user in change.add {
                let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
                if !before.members.iter().any(|member| member.id == user) {
                    groups::add(tx, id, user)?;
                    added.push(account.me.name);
                }
            }
            if known(tx, id)?.members.len() as u64 > MOST_MEMBERS {
                return Err(Failure::conflict((
                    format!("A group has at most {MOST_MEMBERS} members. Split it."),
                    format!("一个分组最多 {MOST_MEMBERS} 人，请拆分。"),
                )));
            }
            if removed.is_empty() && added.is_empty() {
                return Ok(Change::each(Vec::new(), ()));
            }
            let mut facts = vec![Fact::Name(before.name)];
            if !removed.is_empty() {
                facts.push(Fact::RemovedMembers(removed));
            }
            if !added.is_empty() {
                facts.push(Fact::AddedMembers(added));
            }
            Ok(Change::of(Object::Group(id), facts, ()))
        };
        Ok(self.db.write_audited(admin, Action::GroupSetMembers, write).await?)
    }
}

#[async_trait]
impl Groups for GroupService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<Group>> {
        Ok(self.db.read(move |conn| groups::list(conn, &of)).await?)
    }

    async fn get(&self, _: &Admin, id: GroupId) -> Answer<Group> {
        Ok(self.db.read(move |conn| known(conn, id)).await?)
    }

    async fn create(&self, admin: &Admin, name: &str) -> Answer<GroupId> {
        let name = checked(name)?;
        let create = move |tx: &Transaction<'_>| {
            if groups::count(tx, MOST_GROUPS)? >= MOST_GROUPS {
                return Err(Failure::conflict((
                    format!("There are {MOST_GROUPS} groups, the most there can be. Delete one first."),
                    format!("已有 {MOST_GROUPS} 个分组，达到上限。请先删除一个。"),
                )));
            }
            let id = groups::insert(tx, &name)?.ok_or_else(|| taken(&name))?;
            Ok(Change::of(Object::Group(id), [Fact::Name(name)], id))
        };
        Ok(self.db.write_audited(admin, Action::GroupCreate, create).await?)
    }

    async fn rename(&self, admin: &Admin, id: GroupId, name: &str) -> Answer<()> {
        let name = checked(name)?;
        let rename = move |tx: &Transaction<'_>| {
            let before = known(tx, id)?;
            if groups::named(tx, &name)?.is_some_and(|other| other != id) {
                return Err(taken(&name));
            }
            groups::rename(tx, id, &name)?;
            Ok(Change::of(Object::Group(id), [Fact::OldName(before.name), Fact::Name(name)], ()))
        };
        Ok(self.db.write_audited(admin, Action::GroupRename, rename).await?)
    }

    async fn delete(&self, admin: &Admin, id: GroupId) -> Answer<()> {
        let delete = move |tx: &Transaction<'_>| {
            let before = known(tx, id)?;
            groups::delete(tx, id)?;
            Ok(Change::of(Object::Group(id), [Fact::Name(before.name)], ()))
        };
        Ok(self.db.write_audited(admin, Action::GroupDelete, delete).await?)
    }

    async fn change_members(&self, admin: &Admin, id: GroupId, change: MemberChange) -> Answer<()> {
        self.change(admin, id, change).await
    }

    async fn add_named(&self, admin: &Admin, id: GroupId, names: &str) -> Answer<()> {
        let lines = names.lines().zip(1..).flat_map(|(line, number)| {
            let parts = line.split([',', '，']).map(str::trim).filter(|name| !name.is_empty());
            parts.map(|name| (number, name.to_owned())).collect::<Vec<_>>()
        });
        let wanted: Vec<(u64, String)> = lines.collect();
        if wanted.is_empty() || wanted.len() as u64 > MOST_MEMBERS {
            return Err(AppError::invalid(
                "names",
                (format!("the list has {} names", wanted.len()), format!("名单中有 {} 个名称", wanted.len())),
                (format!("Write 1 to {MOST_MEMBERS}"), format!("请填写 1 到 {MOST_MEMBERS} 个")),
            ));
        }
        let found = self
            .db
            .read(move |conn| {
                let find = |(number, name): (u64, String)| {
                    Ok((number, accounts::by_name(conn, &name)?.map(|account| account.me.id), name))
                };
                wanted.into_iter().map(find).collect::<Result<Vec<_>, Failure>>()
            })
            .await?;
        let unknown = found.iter().filter(|(_, id, _)| id.is_none()).map(|(number, _, name)| {
            let what = (format!("there is no account \"{name}\""), format!("没有账户“{name}”"));
            Problem::new("names", what, ("Correct the username", "请更正用户名")).at(*number)
        });
        let problems: Vec<_> = unknown.collect();
        if !problems.is_empty() {
            return Err(AppError::Invalid(problems));
        }
        let add = found.into_iter().filter_map(|(_, id, _)| id).collect();
        self.change(admin, id, MemberChange { add, remove: Vec::new() }).await
    }

    async fn active(&self, _: &Admin, wanted: Vec<GroupId>) -> Answer<Vec<UserId>> {
        let read = move |conn: &Connection| {
            let mut people = BTreeMap::new();
            for id in wanted {
                let active = known(conn, id)?.members.into_iter().filter(|member| !member.disabled);
                people.extend(active.map(|member| (member.name.to_lowercase(), member.id)));
            }
            Ok(people.into_values().collect())
        };
        Ok(self.db.read(read).await?)
    }
}

fn known(conn: &Connection, id: GroupId) -> Result<Group, Failure> {
    groups::get(conn, id)?.ok_or_else(|| Failure::not_found("group"))
}

fn checked(name: &str) -> Result<String, AppError> {
    let name = name.trim();
    match group_name_fault(name) {
        None => Ok(name.to_owned()),
        Some(fault) => Err(AppError::invalid("name", fault, ("Choose another name", "请换一个名称"))),
    }
}

fn taken(name: &str) -> Failure {
    Failure::conflict((
        format!("There is a group \"{name}\" already. Choose another name."),
        format!("已有名为“{name}”的分组，请换一个名称。"),
    ))
}
