//! Reads the input of a comparison: what was chosen, the ratings that count, verdicts. Columns are read by their
//! position, because there may be a million rows and a name is looked up in each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{
    comparison::Selection,
    dataset::TaskRow,
    ids::{ModelId, OutputId, RunId, StudyId, TaskRevisionId, UserId},
    lang::Bilingual,
    published::{Difference, differ},
    run::{PublishedVerdict, Verdict},
};
use rusqlite::{Connection, OptionalExtension};

use super::{
    datasets::task_row,
    instruction_answers,
    runs::{CANNOT_JUDGE, ITEM_ROWS},
    stored::{self, named, optional_json, optional_named, table},
};
use base::error::Failure;
use comparison::input::{
    ComparisonInput, InputInstruction, InputRating, InputRun, InputStudy, InputTokens, InputVerdict,
};

/// The position of an output in the input.
#[derive(Clone, Copy)]
pub struct OutputPosition {
    /// Index of the model.
    pub model: u32,
    /// Index of the task.
    pub task: u32,
    /// Counts from 0.
    pub sample: u32,
    /// Its submission.
    pub submission: i64,
}

/// The positions of a study's outputs; outputs of other models or tasks have none.
pub fn places(
    conn: &Connection,
    head: &ComparisonInput,
    study: StudyId,
) -> Result<HashMap<i64, OutputPosition>, Failure> {
    let models: HashMap<ModelId, u32> = (0..).zip(&head.models).map(|(at, (id, _))| (*id, at)).collect();
    let tasks: HashMap<TaskRevisionId, u32> = (0..).zip(&head.tasks).map(|(at, task)| (task.revision, at)).collect();
    let mut outputs = conn.prepare_cached(
        "SELECT o.id AS output_id, s.model_id, o.revision_id, o.sample, s.id AS submission_id FROM study_submissions ss
         JOIN submissions s ON s.id = ss.submission_id JOIN outputs o ON o.submission_id = s.id WHERE ss.study_id = ?1",
    )?;
    let mut places = HashMap::new();
    let mut rows = outputs.query([study.0])?;
    while let Some(row) = rows.next()? {
        let (model, task) =
            (models.get(&ModelId(row.get("model_id")?)), tasks.get(&TaskRevisionId(row.get("revision_id")?)));
        if let (Some(model), Some(task)) = (model, task) {
            places.insert(
                row.get("output_id")?,
                OutputPosition {
                    model: *model,
                    task: *task,
                    sample: row.get("sample")?,
                    submission: row.get("submission_id")?,
                },
            );
        }
    }
    Ok(places)
}

/// The input of the selection's figures, except final scores ([`super::comparison_final_scores`]). The selection must
/// be fully resolved; 404 if it names something that does not exist.
pub fn read(conn: &Connection, name: Bilingual, selection: &Selection) -> Result<ComparisonInput, Failure> {
    let mut input = head(conn, name, selection)?;
    ratings(conn, &mut input)?;
    input.judges = super::judge_scores::judges(conn, &input)?;
    for at in 0..input.runs.len() {
        verdicts(conn, &mut input, at)?;
    }
    tokens(conn, &mut input)?;
    Ok(input)
}

/// The input without its ratings and verdicts.
pub fn head(conn: &Connection, name: Bilingual, selection: &Selection) -> Result<ComparisonInput, Failure> {
    let mut input = ComparisonInput { name, selection: selection.clone(), ..ComparisonInput::default() };
    for id in selection.models.iter().flatten() {
        let name: Option<String> = conn
            .prepare_cached("SELECT name FROM models WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        input.models.push((*id, name.ok_or_else(|| Failure::not_found("model"))?));
    }
    for id in selection.studies.iter().flatten() {
        let setup = super::studies::setup(conn, *id)?.ok_or_else(|| Failure::not_found("study"))?;
        let (title, dataset_version) = conn
            .prepare_cached(
                "SELECT s.title, v.number FROM studies s JOIN dataset_versions v ON v.id = s.version_id WHERE s.id = ?1",
            )?
            .query_row([id.0], |row| Ok((row.get("title")?, row.get("number")?)))?;
        input.studies.push(InputStudy { id: *id, title, seed: setup.seed, dataset_version });
        if input.rubric.is_none() {
            input.seed = setup.seed;
            input.rubric = Some(setup.rubric);
        }
    }
    input.tasks = tasks(conn, selection)?;
    let tasks: HashMap<i64, u32> = (0..).zip(&input.tasks).map(|(at, task)| (task.revision.0, at)).collect();
    for id in selection.runs.iter().flatten() {
        let (submission, version) = run_of(conn, *id)?.ok_or_else(|| Failure::not_found("run"))?;
        let (model, dataset_version, environment): (i64, u32, Option<serde_json::Value>) = conn
            .prepare_cached(
                "SELECT u.id, s.model_id, v.number, u.environment FROM runs u JOIN submissions s ON s.id = u.submission_id
                 JOIN dataset_versions v ON v.id = s.version_id WHERE u.id = ?1",
            )?
            .query_row([id.0], |row| {
                let environment = optional_json(row, table("runs", &["id"]), "environment")?;
                Ok((row.get("model_id")?, row.get("number")?, environment))
            })?;
        // A run of a model that is not compared is irrelevant.
        let Some(model) = input.models.iter().position(|(id, _)| id.0 == model) else { continue };
        let mut statement = conn.prepare_cached(
            "SELECT vt.revision_id FROM dataset_version_tasks vt JOIN task_revisions r ON r.id = vt.revision_id
             WHERE vt.version_id = ?1 AND r.tests ORDER BY vt.position",
        )?;
        let with_tests = statement.query_map([version], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
        input.runs.push(InputRun {
            id: Some(*id),
            model: u32::try_from(model).unwrap_or(u32::MAX),
            tasks: with_tests.iter().filter_map(|revision| tasks.get(revision).copied()).collect(),
            submission: Some(submission),
            dataset_version: Some(dataset_version),
            environment,
            ..InputRun::default()
        });
    }
    input.runs.sort_by_key(|run| run.model);
    Ok(input)
}

/// A run's submission and its dataset version.
fn run_of(conn: &Connection, run: RunId) -> Result<Option<(i64, i64)>, Failure> {
    let query = "SELECT s.id, s.version_id FROM runs u JOIN submissions s ON s.id = u.submission_id WHERE u.id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([run.0], |row| Ok((row.get("id")?, row.get("version_id")?))).optional()?)
}

/// The dataset's task revisions, those of the newest version first in its order, then those that only older
/// versions have.
fn tasks(conn: &Connection, selection: &Selection) -> Result<Vec<TaskRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.id AS task, r.id AS revision, t.external_id, r.raw_nl, r.nl_lang, r.signature, r.human, r.tests,
             r.code_lang
         FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id
         JOIN dataset_version_tasks vt ON vt.version_id = v.id
         JOIN task_revisions r ON r.id = vt.revision_id JOIN tasks t ON t.id = r.task_id
         WHERE d.slug = ?1 ORDER BY v.number DESC, vt.position",
    )?;
    let rows = statement.query_map([&selection.dataset], task_row)?.collect::<Result<Vec<TaskRow>, _>>()?;
    let mut seen = BTreeSet::new();
    let is_selected = |row: &TaskRow| selection.nl_lang.is_none_or(|lang| lang == row.nl_lang);
    Ok(rows.into_iter().filter(|row| seen.insert(row.revision) && is_selected(row)).collect())
}

fn ratings(conn: &Connection, input: &mut ComparisonInput) -> Result<(), Failure> {
    let width = input.dimensions();
    let mut raters: BTreeMap<UserId, u32> = BTreeMap::new();
    let mut counted = conn.prepare_cached(
        "SELECT output_id, user_id, scores, rating_id FROM counted WHERE study_id = ?1 ORDER BY output_id, rating_id",
    )?;
    for at in 0..input.studies.len() {
        let study = input.studies[at].id;
        let places = places(conn, input, study)?;
        let mut rows = counted.query([study.0])?;
        while let Some(row) = rows.next()? {
            let (output, user) = (row.get::<_, i64>("output_id")?, UserId(row.get("user_id")?));
            let Some(place) = places.get(&output) else { continue };
            if input.selection.raters.as_ref().is_some_and(|selected| !selected.contains(&user)) {
                continue;
            }
            let scores = stored::scores(row, table("counted", &["rating_id"]), "scores")?;
            // A rating without all its scores would shift the positions of the rest; the schema allows
            // none.
            if scores.len() != width {
                continue;
            }
            let next = u32::try_from(raters.len()).unwrap_or(u32::MAX);
            let rater = *raters.entry(user).or_insert(next);
            input.scores.extend(scores);
            input.ratings.push(InputRating {
                study: u32::try_from(at).unwrap_or(u32::MAX),
                task: place.task,
                model: place.model,
                output: OutputId(output),
                rater,
            });
        }
        drop(rows);
        if input.rubric.as_ref().is_some_and(|rubric| rubric.instructions) {
            for answer in instruction_answers::counted(conn, study)? {
                let instruction_answers::Answer { output, rater, kind, turn, follows } = answer;
                let (Some(place), Some(rater)) = (places.get(&output.0), raters.get(&rater)) else { continue };
                let (study, rater) = (u32::try_from(at).unwrap_or(u32::MAX), *rater);
                let (task, model) = (place.task, place.model);
                input.instructions.push(InputInstruction { study, task, model, output, rater, turn, kind, follows });
            }
        }
    }
    let mut named: Vec<(u32, UserId)> = raters.into_iter().map(|(user, at)| (at, user)).collect();
    named.sort_unstable();
    for (_, user) in named {
        let name: Option<String> = conn
            .prepare_cached("SELECT name FROM users WHERE id = ?1")?
            .query_row([user.0], |row| row.get(0))
            .optional()?;
        input.raters.push((user, name.unwrap_or_default()));
    }
    Ok(())
}

/// The tokens of the outputs of the submissions in the selected studies and runs.
fn tokens(conn: &Connection, input: &mut ComparisonInput) -> Result<(), Failure> {
    let mut submissions: BTreeSet<i64> = input.runs.iter().filter_map(|run| run.submission).collect();
    let mut of_study = conn.prepare_cached("SELECT submission_id FROM study_submissions WHERE study_id = ?1")?;
    for study in &input.studies {
        for submission in of_study.query_map([study.id.0], |row| row.get("submission_id"))? {
            submissions.insert(submission?);
        }
    }
    let models: HashMap<i64, usize> = input.models.iter().enumerate().map(|(at, (id, _))| (id.0, at)).collect();
    let mut all = vec![InputTokens::default(); models.len()];
    let mut of_submission = conn.prepare_cached(
        "SELECT s.model_id, count(o.id) AS outputs, count(p.output_tokens) AS generated,
                coalesce(sum(p.output_tokens), 0) AS generated_sum, count(p.input_tokens) AS prompt,
                coalesce(sum(p.input_tokens), 0) AS prompt_sum
         FROM submissions s JOIN outputs o ON o.submission_id = s.id LEFT JOIN reported p ON p.output_id = o.id
         WHERE s.id = ?1 GROUP BY s.id",
    )?;
    for submission in submissions {
        let mut rows = of_submission.query([submission])?;
        let Some(row) = rows.next()? else { continue };
        let model = models.get(&row.get("model_id")?).and_then(|at| all.get_mut(*at));
        if let Some(InputTokens { outputs, generated, prompt }) = model {
            *outputs += row.get::<_, u64>("outputs")?;
            *generated =
                (generated.0 + row.get::<_, u64>("generated")?, generated.1 + row.get::<_, u64>("generated_sum")?);
            *prompt = (prompt.0 + row.get::<_, u64>("prompt")?, prompt.1 + row.get::<_, u64>("prompt_sum")?);
        }
    }
    if all.iter().any(|of| of.generated.0 > 0) {
        input.tokens = all;
    }
    Ok(())
}

fn verdicts(conn: &Connection, input: &mut ComparisonInput, at: usize) -> Result<(), Failure> {
    let Some(found) = input.runs.get_mut(at) else { return Ok(()) };
    let Some(id) = found.id else { return Ok(()) };
    let Some((submission, _)) = run_of(conn, id)? else { return Ok(()) };
    let tasks: HashMap<i64, u32> = (0..).zip(&input.tasks).map(|(at, task)| (task.revision.0, at)).collect();
    let mut done: HashMap<i64, (Verdict, u32, u32, Option<PublishedVerdict>, bool)> = HashMap::new();
    let mut statement = conn.prepare_cached(&format!(
        "SELECT i.id, i.output_id, i.verdict, i.passed, i.total, i.published, {CANNOT_JUDGE} AS cannot_judge
         FROM run_items i WHERE i.run_id = ?1 AND i.state = 'done'",
    ))?;
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        let verdict = named(row, ITEM_ROWS, "verdict", Verdict::from_name)?;
        let published = optional_named(row, ITEM_ROWS, "published", PublishedVerdict::from_name)?;
        let (passed, total, cannot_judge) = (row.get("passed")?, row.get("total")?, row.get("cannot_judge")?);
        done.insert(row.get("output_id")?, (verdict, passed, total, published, cannot_judge));
    }
    let mut statement = conn.prepare_cached(
        "SELECT o.id, o.revision_id, o.sample, o.turn FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
         WHERE o.submission_id = ?1 AND r.tests",
    )?;
    let mut rows = statement.query([submission])?;
    while let Some(row) = rows.next()? {
        let Some(task) = tasks.get(&row.get("revision_id")?) else { continue };
        match done.get(&row.get("id")?) {
            Some(&(verdict, passed, total, published, cannot_judge)) => found.verdicts.push(InputVerdict {
                task: *task,
                output: Some(OutputId(row.get("id")?)),
                sample: row.get("sample")?,
                turn: row.get("turn")?,
                verdict: Some(verdict),
                passed,
                total,
                published,
                cannot_judge,
            }),
            None => found.missing += 1,
        }
    }
    if found.verdicts.iter().any(|checked| differ(checked.published, checked.verdict)) {
        let all = super::run_results::differences(conn, id)?.into_iter();
        let selected = all.filter(|(revision, _)| tasks.contains_key(&revision.0));
        found.differences = Difference::summed(selected.map(|(_, difference)| difference));
    }
    found.verdicts.sort_by_key(|checked| (checked.task, checked.sample, checked.output));
    Ok(())
}
