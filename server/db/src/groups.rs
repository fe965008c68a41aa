//! Groups of people.

use model::{
    group::{Group, GroupName},
    ids::{GroupId, UserId},
    page::{PageOf, Paged},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    page::{self, List, Sort},
    stored::{json, table},
};
use base::{clock, error::Failure};

const GROUP: &str = "g.id, g.name,
    (SELECT json_group_array(json_object('id', u.id, 'name', u.name, 'disabled', json(iif(u.disabled, 'true', 'false')))
            ORDER BY u.name)
     FROM person_group_members m JOIN users u ON u.id = m.user_id WHERE m.group_id = g.id) AS members";

/// A page of the groups, by name.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<Group>, Failure> {
    let list = List {
        columns: GROUP,
        table: "person_groups g",
        joins: "",
        id: "g.id",
        within: "",
        filter: "",
        sorts: &[Sort::text("name", "g.name")],
        usual: "name",
        search: "g.name",
        filters: &[],
    };
    page::page(conn, &list, of, &[], group)
}

/// One group.
pub fn get(conn: &Connection, id: GroupId) -> Result<Option<Group>, Failure> {
    let mut statement = conn.prepare_cached(&format!("SELECT {GROUP} FROM person_groups g WHERE g.id = ?1"))?;
    Ok(statement.query_row([id.0], group).optional()?)
}

fn group(row: &Row<'_>) -> rusqlite::Result<Group> {
    Ok(Group {
        id: GroupId(row.get("id")?),
        name: row.get("name")?,
        members: json(row, table("person_groups", &["id"]), "members")?,
    })
}

/// The group with this name, ignoring case.
pub fn named(conn: &Connection, name: &str) -> Result<Option<GroupId>, Failure> {
    Ok(conn
        .prepare_cached("SELECT id FROM person_groups WHERE name = ?1")?
        .query_row([name], |row| Ok(GroupId(row.get(0)?)))
        .optional()?)
}

/// Number of groups, up to `most`.
pub fn count(conn: &Connection, most: u64) -> Result<u64, Failure> {
    let statement = "SELECT count(*) FROM (SELECT 1 FROM person_groups LIMIT ?1)";
    Ok(conn.query_row(statement, [most], |row| row.get(0))?)
}

/// Creates a group; `None` if the name is taken.
pub fn insert(conn: &Connection, name: &str) -> Result<Option<GroupId>, Failure> {
    Ok(conn
        .prepare_cached(
            "INSERT INTO person_groups (name, created_at) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING RETURNING id",
        )?
        .query_row(params![name, clock::now().0], |row| Ok(GroupId(row.get(0)?)))
        .optional()?)
}

/// Renames a group, whose new name is free.
pub fn rename(conn: &Connection, id: GroupId, name: &str) -> Result<(), Failure> {
    conn.execute("UPDATE person_groups SET name = ?2 WHERE id = ?1", params![id.0, name])?;
    Ok(())
}

/// Deletes a group with its memberships. Invitations into it remain valid.
pub fn delete(conn: &Connection, id: GroupId) -> Result<(), Failure> {
    conn.execute("DELETE FROM person_groups WHERE id = ?1", [id.0])?;
    Ok(())
}

/// Adds somebody to a group.
pub fn add(conn: &Connection, id: GroupId, user: UserId) -> Result<(), Failure> {
    conn.prepare_cached("INSERT INTO person_group_members (group_id, user_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute([id.0, user.0])?;
    Ok(())
}

/// Removes somebody from a group.
pub fn remove(conn: &Connection, id: GroupId, user: UserId) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM person_group_members WHERE group_id = ?1 AND user_id = ?2")?
        .execute([id.0, user.0])?;
    Ok(())
}

/// Groups that somebody of a study is in, by name.
pub fn of_study(conn: &Connection, study: i64) -> Result<Vec<GroupName>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT g.id, g.name FROM study_raters s CROSS JOIN person_group_members m ON m.user_id = s.user_id
             CROSS JOIN person_groups g ON g.id = m.group_id
         WHERE s.study_id = ?1 GROUP BY g.id ORDER BY g.name",
    )?;
    let rows =
        statement.query_map([study], |row| Ok(GroupName { id: GroupId(row.get("id")?), name: row.get("name")? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The groups of these people, by name, each with those of them that are in it.
pub fn of(conn: &Connection, people: &[(UserId, String)]) -> Result<Vec<(String, Vec<UserId>)>, Failure> {
    let ids: Vec<i64> = people.iter().map(|(id, _)| id.0).collect();
    let mut statement = conn.prepare_cached(
        "SELECT g.name, m.user_id FROM json_each(?1) p CROSS JOIN person_group_members m ON m.user_id = p.value
             CROSS JOIN person_groups g ON g.id = m.group_id
         ORDER BY g.name, m.user_id",
    )?;
    let rows = statement.query_map([serde_json::to_string(&ids)?], |row| {
        Ok((row.get::<_, String>("name")?, UserId(row.get("user_id")?)))
    })?;
    let mut groups: Vec<(String, Vec<UserId>)> = Vec::new();
    for row in rows {
        let (name, user) = row?;
        match groups.last_mut() {
            Some((last, members)) if *last == name => members.push(user),
            _ => groups.push((name, vec![user])),
        }
    }
    Ok(groups)
}
