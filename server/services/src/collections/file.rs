//! The file of a collection's outputs: one line for each response, with all that is known of it.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use model::{
    collection::{CollectionSettings, RequestRow, TestedAnswer},
    conversation::Way,
    ids::CollectionId,
};
use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::RawValue;

use super::subjects::Subjects;
use crate::uploads::{StoredFile, Uploads};
use base::error::Failure;
use db::{
    Db,
    collections::{self, Answered, Collection},
};
use formats::continuation::{self, Continuation};

/// Responses that are read at a time.
const CHUNK: u32 = 100;

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    task_id: &'a str,
    sample: u32,
    collection: i64,
    /// How a conversation is asked, and the turn that the output answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    /// In a dynamic conversation: the turn of the task whose instruction it answers, and what its tests showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<&'a TestedAnswer>,
    /// The text that the output continues, if it is not the task's own prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    /// The output of a task that HumanEval-X asks to continue, made of `response`.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<&'a str>,
    /// The output of other tasks: the response as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    completion: Option<&'a str>,
    /// The response as it came, where `generation` was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a str>,
    /// What the endpoint sent apart from the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    messages: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_by: Option<&'a str>,
    endpoint_model: &'a str,
    reported_model: Option<&'a str>,
    prompt_tokens: Option<u64>,
    response_tokens: Option<u64>,
    latency_ms: Option<u64>,
    /// When the request was sent, in milliseconds since 1970 in UTC.
    sent_at: i64,
}

/// Writes the file of a collection's responses so far. The same responses give the same bytes.
///
/// # Errors
///
/// The data folder cannot be written.
pub async fn write(db: &Db, uploads: &Uploads, collection: Collection) -> Result<StoredFile, Failure> {
    let (id, version) = (collection.row.id, collection.version);
    let subjects = db.read_long(move |conn| Subjects::load(conn, version)).await?;
    let mut incoming = uploads.begin(&format!("collection-{id}.jsonl.gz")).await?;
    // Prompts are repeated for every sample. Without a time in it, the same responses give the same bytes.
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    let mut after = None;
    // The responses of one position: a conversation is written as a whole, or not at all.
    let mut whole: Vec<Answered> = Vec::new();
    loop {
        let chunk = db.read_long(move |conn| collections::answered(conn, id, after, CHUNK)).await?;
        let Some(last) = chunk.last() else { break };
        after = Some((last.position, last.row.turn));
        for answered in chunk {
            if whole.first().is_some_and(|first| first.position != answered.position) {
                write_whole(&subjects, &collection, &std::mem::take(&mut whole), &mut packer)?;
            }
            whole.push(answered);
        }
        incoming.write(&std::mem::take(packer.get_mut())).await?;
    }
    write_whole(&subjects, &collection, &whole, &mut packer)?;
    incoming.write(&packer.finish()?).await?;
    incoming.finish().await
}

/// Writes how these collections asked: a line for each, with its settings. The endpoint's URL is left out, because it may
/// be internal.
pub fn export_settings(conn: &Connection, ids: &[CollectionId], out: &mut dyn Write) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'a> {
        collection: CollectionId,
        model: &'a str,
        endpoint: &'a str,
        endpoint_model: &'a str,
        dataset: &'a str,
        dataset_version: u32,
        requests: u64,
        answered: u64,
        failed: u64,
        prompt_tokens: u64,
        response_tokens: u64,
        created_at: i64,
        settings: &'a CollectionSettings,
    }
    for id in ids {
        let Some(found) = collections::get(conn, *id)? else { continue };
        let row = &found.row;
        let line = Line {
            collection: row.id,
            model: &row.model_name,
            endpoint: &row.endpoint,
            endpoint_model: &row.endpoint_model,
            dataset: &row.dataset,
            dataset_version: row.number,
            requests: row.total,
            answered: row.answered,
            failed: row.failed,
            prompt_tokens: row.prompt_tokens,
            response_tokens: row.response_tokens,
            created_at: row.created_at.0,
            settings: &found.settings,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes the responses of these collections with their prompts, in the lines of [`write`].
pub fn export_responses(conn: &Connection, ids: &[CollectionId], mut out: &mut dyn Write) -> Result<(), Failure> {
    for id in ids {
        let Some(found) = collections::get(conn, *id)? else { continue };
        let subjects = Subjects::load(conn, found.version)?;
        let mut after = None;
        loop {
            let chunk = collections::answered(conn, *id, after, CHUNK)?;
            let Some(last) = chunk.last() else { break };
            after = Some((last.position, last.row.turn));
            for answered in &chunk {
                write_line(&subjects, &found, answered, &mut out)?;
            }
        }
    }
    Ok(())
}

/// Writes the responses of one position if all its turns have one.
fn write_whole(
    subjects: &Subjects,
    collection: &Collection,
    whole: &[Answered],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let rows: Vec<RequestRow> = whole.iter().map(|answered| answered.row.clone()).collect();
    if subjects.is_whole(&collection.settings, &rows) {
        whole.iter().try_for_each(|answered| write_line(subjects, collection, answered, out))?;
    }
    Ok(())
}

fn write_line(
    subjects: &Subjects,
    collection: &Collection,
    answered: &Answered,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Answered { row, messages, response, reasoning, refusal, .. } = answered;
    let RequestRow { task_id, sample, finish_reason, reported_model, .. } = row;
    let subject = subjects.get(task_id)?;
    let continued = subject.humaneval.map(|task| continuation::read(subject.row.code_lang, task, response).0);
    let (prompt, generation) = match &continued {
        Some(Continuation { prompt, generation }) => (prompt.as_deref(), Some(generation.as_str())),
        None => (None, None),
    };
    let is_continued = generation.is_some();
    let line = Line {
        task_id,
        sample: *sample,
        collection: collection.row.id.0,
        way: collection.settings.way.map(Way::name),
        turn: collection.settings.way.map(|_| row.turn),
        instruction: row.instruction,
        tests: row.tests.as_ref(),
        prompt,
        generation,
        completion: (!is_continued).then_some(response),
        response: is_continued.then_some(response),
        reasoning: reasoning.as_deref(),
        refusal: refusal.as_deref(),
        messages,
        end_by: finish_reason.as_deref(),
        endpoint_model: &collection.row.endpoint_model,
        reported_model: reported_model.as_deref(),
        prompt_tokens: row.prompt_tokens,
        response_tokens: row.response_tokens,
        latency_ms: row.latency_ms,
        sent_at: row.sent_at.0,
    };
    serde_json::to_writer(&mut *out, &line)?;
    Ok(out.write_all(b"\n")?)
}
