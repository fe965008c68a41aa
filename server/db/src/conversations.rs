//! Conversations: the turns of tasks, the answers around an output, and the verdicts that authors published.

use std::collections::HashMap;

use model::{
    conversation::{AnsweredTurn, Conversation, InstructionKind, TaskTurn, TestProfile, TurnAnswer, TurnCheck, Way},
    ids::{DatasetVersionId, ModelId, OutputId, RunId, SubmissionId, TaskRevisionId},
    run::{PublishedVerdict, Verdict},
    submission::TheirVerdict,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    runs::CANNOT_JUDGE,
    stored::{Table, named, optional_json, optional_named, table},
};
use base::error::Failure;

/// For queries with the task's revision as `revision_id`.
pub const TURNS: Table = table("task_turns", &["revision_id", "turn"]);

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
        "SELECT revision_id, turn, kind, instruction, listed, judged FROM task_turns WHERE revision_id = ?1 ORDER BY turn",
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
    Ok(TaskTurn {
        turn: row.get("turn")?,
        kind: named(row, TURNS, "kind", InstructionKind::from_name)?,
        instruction: row.get("instruction")?,
        listed: row.get("listed")?,
        judged: row.get("judged")?,
    })
}

/// How a model was asked for a submission's outputs; `None` if its tasks are no conversations.
pub fn way(conn: &Connection, submission: SubmissionId) -> Result<Option<Way>, Failure> {
    let query = "SELECT id, way FROM submissions WHERE id = ?1";
    let way = |row: &Row<'_>| optional_named(row, table("all_submissions", &["id"]), "way", Way::from_name);
    Ok(conn.prepare_cached(query)?.query_row([submission.0], way).optional()?.flatten())
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
        Ok(Place {
            submission: SubmissionId(row.get("submission_id")?),
            revision: TaskRevisionId(row.get("revision_id")?),
            way: named(row, table("all_submissions", &["submission_id"]), "way", Way::from_name)?,
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
/// `n` every turn up to their own; those of `dynamic` every request up to their own. The answer to the base prompt is in the submission itself or, as the benchmark's
/// files have it, in the newest submission of the model that was asked in the way `base`.
pub fn of_output(conn: &Connection, output: OutputId) -> Result<Option<Conversation>, Failure> {
    let Some(place) = place(conn, output)? else { return Ok(None) };
    if place.way == Way::Dynamic {
        return Ok(Some(Conversation { way: place.way, turns: dynamic_turns(conn, &place)? }));
    }
    let mut asked = turns(conn, place.revision)?;
    asked.retain(|turn| match place.way {
        Way::N | Way::Dynamic => turn.turn <= place.turn,
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
        Ok(AnsweredTurn { place: asked.turn, again: false, asked, answer })
    });
    let turns = answered.collect::<Result<Vec<_>, Failure>>()?;
    Ok(Some(Conversation { way: place.way, turns }))
}

/// The requests of a dynamic conversation up to an output: what each asked for, as its answer tells.
fn dynamic_turns(conn: &Connection, place: &Place) -> Result<Vec<AnsweredTurn>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT o.id, o.submission_id, o.code, o.surrounding_text, o.turn AS place,
                t.revision_id, t.turn, t.kind, t.instruction, t.listed, t.judged
         FROM outputs o JOIN task_turns t ON t.revision_id = o.revision_id AND t.turn = o.instruction
         WHERE o.submission_id = ?1 AND o.revision_id = ?2 AND o.conversation = ?3 AND o.turn <= ?4
         ORDER BY o.turn",
    )?;
    let read = |row: &Row<'_>| {
        let answer = Some(turn_answer(row)?);
        Ok(AnsweredTurn { asked: turn(row)?, place: row.get("place")?, again: false, answer })
    };
    let rows =
        statement.query_map(params![place.submission.0, place.revision.0, place.conversation, place.turn], read)?;
    let mut found: Vec<AnsweredTurn> = rows.collect::<Result<_, _>>()?;
    // The same instruction twice in a row: the second time with the failure of its tests.
    let mut before: Option<(u32, bool)> = None;
    for turn in &mut found {
        turn.again = before == Some((turn.asked.turn, false));
        before = Some((turn.asked.turn, turn.again));
    }
    Ok(found)
}

fn turn_answer(row: &Row<'_>) -> rusqlite::Result<TurnAnswer> {
    Ok(TurnAnswer {
        output: OutputId(row.get("id")?),
        submission: SubmissionId(row.get("submission_id")?),
        code: row.get("code")?,
        surrounding_text: row.get("surrounding_text")?,
    })
}

fn answer(
    conn: &Connection,
    place: &Place,
    submission: SubmissionId,
    turn: u32,
) -> Result<Option<TurnAnswer>, Failure> {
    let query = "SELECT id, submission_id, code, surrounding_text FROM outputs
        WHERE submission_id = ?1 AND revision_id = ?2 AND conversation = ?3 AND turn = ?4";
    let values = params![submission.0, place.revision.0, place.conversation, turn];
    Ok(conn.prepare_cached(query)?.query_row(values, turn_answer).optional()?)
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

/// The datasets whose tasks are conversations, in their newest versions: short name, and whether their tests can run.
pub fn datasets(conn: &Connection) -> Result<Vec<(String, bool)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT d.slug, v.test_kind IS NOT NULL AS runs FROM datasets d
         JOIN dataset_versions v ON v.dataset_id = d.id
             AND v.number = (SELECT max(x.number) FROM dataset_versions x WHERE x.dataset_id = d.id)
         WHERE d.archived_at IS NULL AND EXISTS (
             SELECT 1 FROM dataset_version_tasks vt CROSS JOIN task_turns t ON t.revision_id = vt.revision_id
             WHERE vt.version_id = v.id)
         ORDER BY d.slug",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get("slug")?, row.get("runs")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A model's outputs in one way, with their newest run if there is one.
pub struct WayOutputs {
    pub submission: SubmissionId,
    pub model: ModelId,
    /// The model's name.
    pub name: String,
    pub way: Way,
    pub run: Option<(RunId, Option<TestProfile>)>,
    /// Increases with every verdict of the run.
    pub revision: i64,
}

/// For each model and way of a dataset, the submission of the newest run with a verdict; without a run, the newest
/// submission.
pub fn way_outputs(conn: &Connection, dataset: &str) -> Result<Vec<WayOutputs>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, m.id AS model, m.name, s.way, u.id AS run, u.profile, coalesce(k.revision, 0) AS revision
         FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id JOIN submissions s ON s.version_id = v.id
         JOIN models m ON m.id = s.model_id
         LEFT JOIN runs u ON u.id = (SELECT max(r.id) FROM runs r JOIN run_revisions x ON x.run_id = r.id AND x.done > 0
                                     WHERE r.submission_id = s.id)
         LEFT JOIN run_revisions k ON k.run_id = u.id
         WHERE d.slug = ?1 AND s.way IS NOT NULL AND s.archived_at IS NULL
         ORDER BY u.id IS NULL, u.id DESC, s.id DESC",
    )?;
    let rows = statement.query_map([dataset], |row| {
        let run = row.get::<_, Option<i64>>("run")?.map(RunId);
        let profile = optional_named(row, table("runs", &["run"]), "profile", TestProfile::from_name)?;
        Ok(WayOutputs {
            submission: SubmissionId(row.get("id")?),
            model: ModelId(row.get("model")?),
            name: row.get("name")?,
            way: named(row, table("all_submissions", &["id"]), "way", Way::from_name)?,
            run: run.map(|run| (run, profile)),
            revision: row.get("revision")?,
        })
    })?;
    let mut newest: Vec<WayOutputs> = Vec::new();
    for row in rows {
        let row = row?;
        if newest.iter().all(|known| (known.model, known.way) != (row.model, row.way)) {
            newest.push(row);
        }
    }
    newest.sort_by_key(|of| of.way);
    Ok(newest)
}

/// An answer to a turn with its verdicts.
pub struct Answer {
    pub output: OutputId,
    /// The task's place in the dataset.
    pub position: i64,
    /// The task's external ID.
    pub task_id: String,
    pub conversation: u32,
    pub turn: u32,
    /// The turn of the task whose instruction it answers: `turn`, except in a dynamic conversation.
    pub instruction: u32,
    pub kind: InstructionKind,
    /// Whether it passes as published; absent without such a verdict.
    pub published: Option<bool>,
    /// Whether it passes guarded; absent without a run, and where the data have a defect because of which it cannot be
    /// judged.
    pub guarded: Option<bool>,
    /// Whether the data have such a defect.
    pub cannot_judge: bool,
    /// Single turns: see [`TurnCheck`].
    pub checks: Vec<TurnCheck>,
    pub author: Option<TheirVerdict>,
}

/// The answers of a submission in the order of tasks, conversations and turns, with the verdicts of a run.
pub fn answers(conn: &Connection, submission: SubmissionId, run: Option<RunId>) -> Result<Vec<Answer>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT o.id, q.revision_id, vt.position, t.external_id, o.conversation, o.turn,
                coalesce(o.instruction, o.turn) AS instruction, q.kind, i.id AS item, i.published, i.verdict,
                json_extract(i.outcome, '$.turns') AS checks,
                {CANNOT_JUDGE} AS cannot_judge, a.passed, a.other_text
         FROM submissions s
         JOIN outputs o ON o.submission_id = s.id AND o.turn IS NOT NULL
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id AND vt.revision_id = o.revision_id
         JOIN task_revisions r ON r.id = o.revision_id JOIN tasks t ON t.id = r.task_id
         JOIN task_turns q ON q.revision_id = o.revision_id AND q.turn = coalesce(o.instruction, o.turn)
         LEFT JOIN run_items i ON i.run_id = ?2 AND i.output_id = o.id AND i.state = 'done'
         LEFT JOIN reported a ON a.output_id = o.id
         WHERE s.id = ?1 ORDER BY vt.position, o.conversation, o.turn",
    ))?;
    let mut rows = statement.query(params![submission.0, run.map(|run| run.0)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let items = table("run_items", &["item"]);
        let published = optional_named(row, items, "published", PublishedVerdict::from_name)?;
        let guarded = optional_named(row, items, "verdict", Verdict::from_name)?;
        let cannot_judge: bool = row.get("cannot_judge")?;
        let checks: Option<Vec<TurnCheck>> = optional_json(row, items.column("outcome"), "checks")?;
        let author = row.get::<_, Option<bool>>("passed")?.zip(row.get("other_text")?);
        found.push(Answer {
            output: OutputId(row.get("id")?),
            position: row.get("position")?,
            task_id: row.get("external_id")?,
            conversation: row.get("conversation")?,
            turn: row.get("turn")?,
            instruction: row.get("instruction")?,
            kind: named(row, TURNS, "kind", InstructionKind::from_name)?,
            published: published.map(|verdict| verdict == PublishedVerdict::Passed),
            guarded: guarded.filter(|_| !cannot_judge).map(|verdict| verdict == Verdict::Passed),
            cannot_judge,
            checks: checks.unwrap_or_default(),
            author: author.map(|(passed, other_text)| TheirVerdict { passed, other_text }),
        });
    }
    Ok(found)
}
