//! Conversations: the turns of tasks, the answers around an output, and the verdicts that authors published.

use std::collections::HashMap;

use app::model::{
    conversation::{AnsweredTurn, Conversation, InstructionKind, TaskTurn, TurnAnswer, Way},
    ids::{DatasetVersionId, OutputId, SubmissionId, TaskRevisionId},
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

use crate::error::Failure;

/// Stores the turns of a task's revision, which may be there already.
pub fn store_turns(conn: &Connection, revision: TaskRevisionId, turns: &[TaskTurn]) -> Result<(), Failure> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO task_turns (revision_id, turn, kind, instruction, listed, judged) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO NOTHING",
    )?;
    for turn in turns {
        let TaskTurn { turn, kind, instruction, listed, judged } = turn;
        insert.execute(params![revision.0, turn, kind.name(), instruction, listed, judged])?;
    }
    Ok(())
}

/// The turns of a task's revision, in order; none if the task is no conversation.
pub fn turns(conn: &Connection, revision: TaskRevisionId) -> Result<Vec<TaskTurn>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT turn, kind, instruction, listed, judged FROM task_turns WHERE revision_id = ?1 ORDER BY turn",
    )?;
    let rows = statement.query_map([revision.0], turn)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether the tasks of a version are conversations.
pub fn has_turns(conn: &Connection, version: DatasetVersionId) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM dataset_version_tasks vt CROSS JOIN task_turns t ON t.revision_id = vt.revision_id
        WHERE vt.version_id = ?1 LIMIT 1";
    Ok(conn.prepare_cached(query)?.exists([version.0])?)
}

/// The turns of every task of a version.
pub fn turns_of_version(
    conn: &Connection,
    version: DatasetVersionId,
) -> Result<HashMap<TaskRevisionId, Vec<TaskTurn>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.revision_id, t.turn, t.kind, t.instruction, t.listed, t.judged
         FROM dataset_version_tasks vt CROSS JOIN task_turns t ON t.revision_id = vt.revision_id
         WHERE vt.version_id = ?1 ORDER BY vt.position, t.turn",
    )?;
    let rows = statement.query_map([version.0], |row| Ok((TaskRevisionId(row.get("revision_id")?), turn(row)?)))?;
    let mut found: HashMap<TaskRevisionId, Vec<TaskTurn>> = HashMap::new();
    for row in rows {
        let (revision, turn) = row?;
        found.entry(revision).or_default().push(turn);
    }
    Ok(found)
}

fn turn(row: &Row<'_>) -> rusqlite::Result<TaskTurn> {
    let kind: String = row.get("kind")?;
    Ok(TaskTurn {
        turn: row.get("turn")?,
        kind: InstructionKind::from_name(&kind)
            .ok_or_else(|| rusqlite::Error::FromSqlConversionFailure(1, Type::Text, kind.into()))?,
        instruction: row.get("instruction")?,
        listed: row.get("listed")?,
        judged: row.get("judged")?,
    })
}

/// How a model was asked for a submission's outputs; `None` if its tasks are no conversations.
pub fn way(conn: &Connection, submission: SubmissionId) -> Result<Option<Way>, Failure> {
    let query = "SELECT way FROM submissions WHERE id = ?1";
    let name: Option<String> =
        conn.prepare_cached(query)?.query_row([submission.0], |row| row.get(0)).optional()?.flatten();
    Ok(name.as_deref().and_then(Way::from_name))
}

/// What places an output in its conversation.
struct Place {
    submission: SubmissionId,
    revision: TaskRevisionId,
    way: Way,
    turn: u32,
    conversation: u32,
}

fn place(conn: &Connection, output: OutputId) -> Result<Option<Place>, Failure> {
    let query = "SELECT o.submission_id, o.revision_id, o.turn, o.conversation, s.way
        FROM outputs o JOIN submissions s ON s.id = o.submission_id
        WHERE o.id = ?1 AND o.turn IS NOT NULL AND s.way IS NOT NULL";
    let read = |row: &Row<'_>| {
        let way: String = row.get("way")?;
        Ok(Place {
            submission: SubmissionId(row.get("submission_id")?),
            revision: TaskRevisionId(row.get("revision_id")?),
            // The column's CHECK has the list of names.
            way: Way::from_name(&way).unwrap_or(Way::N),
            turn: row.get("turn")?,
            conversation: row.get("conversation")?,
        })
    };
    Ok(conn.prepare_cached(query)?.query_row([output.0], read).optional()?)
}

/// The conversation of which an output is the last answer: the turns that the model saw, with its answers. `None` if
/// the output's task is no conversation.
///
/// Outputs of `base` have the base prompt; those of `single` and `multi` the base prompt and one instruction; those of
/// `n` every turn up to their own. The answer to the base prompt is in the submission itself or, as the benchmark's
/// files have it, in the newest submission of the model that was asked in the way `base`.
pub fn of_output(conn: &Connection, output: OutputId) -> Result<Option<Conversation>, Failure> {
    let Some(place) = place(conn, output)? else { return Ok(None) };
    let mut asked = turns(conn, place.revision)?;
    asked.retain(|turn| match place.way {
        Way::N => turn.turn <= place.turn,
        Way::Base | Way::Single | Way::Multi => turn.turn == 0 || turn.turn == place.turn,
    });
    let answered = asked.into_iter().map(|asked| {
        let own = answer(conn, &place, place.submission, asked.turn)?;
        let answer = match own {
            // Asked in one message, so that there is no answer between them.
            _ if place.way == Way::Single && asked.turn != place.turn => None,
            None if asked.turn == 0 => base_answer(conn, &place)?,
            own => own,
        };
        Ok(AnsweredTurn { asked, answer })
    });
    let turns = answered.collect::<Result<Vec<_>, Failure>>()?;
    Ok(Some(Conversation { way: place.way, turns }))
}

fn answer(
    conn: &Connection,
    place: &Place,
    submission: SubmissionId,
    turn: u32,
) -> Result<Option<TurnAnswer>, Failure> {
    let query = "SELECT id, submission_id, code, said FROM outputs
        WHERE submission_id = ?1 AND revision_id = ?2 AND conversation = ?3 AND turn = ?4";
    let read = |row: &Row<'_>| {
        Ok(TurnAnswer {
            output: OutputId(row.get("id")?),
            submission: SubmissionId(row.get("submission_id")?),
            code: row.get("code")?,
            surrounding_text: row.get("said")?,
        })
    };
    let values = params![submission.0, place.revision.0, place.conversation, turn];
    Ok(conn.prepare_cached(query)?.query_row(values, read).optional()?)
}

/// The answer to the base prompt by the same model.
fn base_answer(conn: &Connection, place: &Place) -> Result<Option<TurnAnswer>, Failure> {
    let query = "SELECT b.id FROM submissions s
        JOIN submissions b ON b.version_id = s.version_id AND b.model_id = s.model_id
        WHERE s.id = ?1 AND b.way = 'base' ORDER BY b.id DESC LIMIT 1";
    let base: Option<i64> = conn.prepare_cached(query)?.query_row([place.submission.0], |row| row.get(0)).optional()?;
    match base {
        Some(base) => answer(conn, place, SubmissionId(base), 0),
        None => Ok(None),
    }
}
