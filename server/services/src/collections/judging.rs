//! New judgings, and their export. Everything else about them is as for collections of outputs.

use std::{collections::BTreeSet, io::Write, sync::Arc};

use model::caller::Admin;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    collection::{CollectionPlan, CollectionSettings},
    conversation::InstructionAnswer,
    ids::{CollectionId, OutputId},
    judging::{JudgingFacts, NewJudging},
    lang::Bilingual,
};
use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    CollectionService, MOST_REQUESTS,
    settings::{check, response_limit},
    work::Judge,
};
use base::error::Failure;
use db::{
    audit::Change,
    collections::{self, NewRow},
    judge_scores,
    judgings::{self, Judging, Target},
    rubrics,
};

/// Maximum length of a judge's name, in characters.
const LONGEST_NAME: usize = 200;
/// Answers that are read at a time.
const CHUNK: u32 = 100;

/// A request for a judging, checked and completed.
struct Checked {
    new: NewJudging,
    target: Target,
    judge: Arc<Judge>,
    how: Judging,
}

impl CollectionService {
    async fn checked_judging(&self, new: NewJudging) -> Result<Checked, Failure> {
        let mut new = NewJudging { judge: new.judge.trim().to_owned(), ..new };
        if new.judge.is_empty() || new.judge.chars().count() > LONGEST_NAME {
            let what = ("the name is empty or longer than 200 characters", "名称为空或超过 200 字");
            return Err(Failure::invalid("judge", what, ("Enter a shorter name", "请填写较短的名称")));
        }
        new.endpoint_model = match new.endpoint_model.trim() {
            "" => new.judge.clone(),
            name => name.to_owned(),
        };
        check(&new.settings)?;
        let s = &new.settings;
        if !s.system.is_empty()
            || [&s.template, &s.turn_template].iter().any(|t| **t != Bilingual::default())
            || s.way.is_some()
        {
            let what = ("a judging has a template of its own", "评判使用自己的模板");
            return Err(Failure::invalid(
                "template",
                what,
                ("Leave system and template out", "请去掉 system 和 template"),
            ));
        }
        let (asked, judge_name) = (new.clone(), new.judge.clone());
        let load = move |conn: &Connection| {
            let target = target(conn, &asked)?;
            Ok((judge_scores::known(conn, &target.dataset, &judge_name)?, target))
        };
        let (is_known, mut target) = self.0.db.read_long(load).await?;
        if is_known {
            return Err(known(&target.dataset, &new.judge));
        }
        let chosen: BTreeSet<&String> = new.tasks.iter().collect();
        let has = |task: &&&String| target.outputs.iter().any(|output| output.task_id == ***task);
        if let Some(unknown) = chosen.iter().find(|task| !has(task)) {
            let what = (format!("there is no output for a task {unknown}"), format!("没有任务 {unknown} 的输出"));
            return Err(Failure::invalid("tasks", what, ("Use the task's external ID", "请使用任务的外部 ID")));
        }
        target.outputs.retain(|output| chosen.is_empty() || chosen.contains(&output.task_id));
        if target.outputs.is_empty() {
            let why = ("There are no outputs to judge.", "没有可评判的输出。");
            return Err(Failure::conflict(why));
        }
        if target.outputs.len() as u64 * u64::from(new.settings.samples) > MOST_REQUESTS {
            let what = ("there are more than 1,000,000 requests", "请求超过 1,000,000 个");
            return Err(Failure::invalid("samples", what, ("Choose fewer answers or tasks", "请减少回答数或任务")));
        }
        let judge = Arc::new(Judge {
            rubric: target.rubric.rubric.clone(),
            lang: new.lang,
            level_order: new.level_order,
            seed: new.settings.seed.unwrap_or(0),
        });
        let outputs: Vec<OutputId> = target.outputs.iter().map(|output| output.id).collect();
        let how = Judging {
            lang: new.lang,
            level_order: new.level_order,
            rubric: target.rubric.rubric.name(),
            dimensions: target.rubric.rubric.dimensions.iter().map(|d| d.key.clone()).collect(),
            instructions: target.rubric.rubric.instructions,
            outputs: outputs.len() as u64,
            prompt_tokens: judge.tokens(&self.0.db, &outputs).await?,
        };
        Ok(Checked { new, target, judge, how })
    }

    pub(super) async fn judging_plan(&self, new: NewJudging) -> Result<CollectionPlan, Failure> {
        let Checked { new, target, judge, how } = self.checked_judging(new).await?;
        let outputs: Vec<OutputId> = target.outputs.iter().map(|output| output.id).collect();
        let first = self.0.db.read_long(move |conn| judge.first(conn, &outputs)).await?;
        let samples = u64::from(new.settings.samples);
        let requests = how.outputs * samples;
        Ok(CollectionPlan {
            tasks: how.outputs,
            requests,
            at_most: false,
            prompt_tokens: how.prompt_tokens * samples,
            response_tokens: response_limit(&new.settings).map(|most| requests * most),
            first,
        })
    }

    pub(super) async fn create_judging(&self, admin: &Admin, new: NewJudging) -> Result<CollectionId, Failure> {
        let endpoint = self.endpoint(&new.endpoint)?;
        let Checked { new, target, how, .. } = self.checked_judging(new).await?;
        let by = admin.id();
        let facts = [
            Fact::Model(new.judge.clone()),
            Fact::Dataset(target.dataset.clone()),
            Fact::Endpoint(endpoint.name.clone()),
        ];
        let create = move |tx: &rusqlite::Transaction<'_>| {
            // Another judge may have been given the name meanwhile.
            if judge_scores::known(tx, &target.dataset, &new.judge)? {
                return Err(known(&target.dataset, &new.judge));
            }
            let scores = judgings::begin(tx, target.version, target.rubric.id, &new.judge, by)?;
            let row = NewRow {
                version: target.version,
                model_name: new.judge,
                endpoint_model: new.endpoint_model,
                endpoint: endpoint.name,
                url: endpoint.url,
                settings: new.settings,
                tasks: target.outputs.iter().map(|output| output.id.to_string()).collect(),
                by,
                judging: Some((how, scores, new.study)),
            };
            let id = collections::insert(tx, &row)?;
            let submissions: BTreeSet<_> = target.outputs.iter().map(|output| output.submission).collect();
            judgings::add_submissions(tx, id, &submissions.into_iter().collect::<Vec<_>>())?;
            Ok(Change::of(Object::Collection(id), facts, id))
        };
        self.0.db.write_audited(admin, Action::JudgingCreate, create).await
    }
}

fn target(conn: &Connection, new: &NewJudging) -> Result<Target, Failure> {
    match (new.study, new.submission) {
        (Some(study), None) if new.rubric.trim().is_empty() => {
            judgings::of_study(conn, study)?.ok_or_else(|| Failure::not_found("study"))
        }
        (Some(_), None) => {
            let what = ("a study has its own rubric", "评分项目有自己的评分标准");
            Err(Failure::invalid("rubric", what, ("Leave it out", "请留空")))
        }
        (None, Some(submission)) => {
            let found = judgings::of_submission(conn, submission)?;
            let (dataset, version, outputs) = found.ok_or_else(|| Failure::not_found("submission"))?;
            let rubric = match new.rubric.trim() {
                "" => rubrics::of_dataset(conn, &dataset)?,
                name => rubrics::named(conn, name)?,
            };
            let rubric = rubric.ok_or_else(|| Failure::not_found("rubric"))?;
            Ok(Target { dataset, version, rubric, outputs })
        }
        _ => {
            let what = ("it must be a study or a submission", "必须是一个评分项目或一个输出集");
            Err(Failure::invalid("study", what, ("Name one of the two", "请指定其中之一")))
        }
    }
}

fn known(dataset: &str, judge: &str) -> Failure {
    let what = (
        format!("{dataset} already has scores of a judge model named {judge}"),
        format!("{dataset} 已有名为 {judge} 的评判模型的评分"),
    );
    let remedy = ("Use another name, for example with a date or a version", "请换一个名称，例如加上日期或版本");
    Failure::invalid("judge", what, remedy)
}

/// Writes how these judgings asked: a line for each. The endpoint's URL is left out, because it may be internal.
pub fn export_settings(conn: &Connection, ids: &[CollectionId], out: &mut dyn Write) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'a> {
        judging: CollectionId,
        judge: &'a str,
        endpoint: &'a str,
        endpoint_model: &'a str,
        dataset: &'a str,
        requests: u64,
        answered: u64,
        failed: u64,
        prompt_tokens: u64,
        response_tokens: u64,
        created_at: i64,
        #[serde(flatten)]
        facts: Option<JudgingFacts>,
        settings: &'a CollectionSettings,
    }
    for id in ids {
        let Some(found) = collections::get(conn, *id)? else { continue };
        let row = &found.row;
        let line = Line {
            judging: row.id,
            judge: &row.model_name,
            endpoint: &row.endpoint,
            endpoint_model: &row.endpoint_model,
            dataset: &row.dataset,
            requests: row.total,
            answered: row.answered,
            failed: row.failed,
            prompt_tokens: row.prompt_tokens,
            response_tokens: row.response_tokens,
            created_at: row.created_at.0,
            facts: row.judging.clone(),
            settings: &found.settings,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes the answers of these judgings with their prompts, also those that are not valid: a line for each.
pub fn export_answers(conn: &Connection, ids: &[CollectionId], out: &mut dyn Write) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'a> {
        judging: CollectionId,
        task_id: &'a str,
        model: Option<&'a str>,
        sample: Option<u32>,
        /// Which of several answers for the output, from 0.
        answer: u32,
        turn: u32,
        scores: &'a Option<Vec<u8>>,
        /// As `TURN:ANSWER`, separated by spaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
        comment: &'a Option<String>,
        messages: &'a RawValue,
        response: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<&'a str>,
        end_by: Option<&'a str>,
        reported_model: Option<&'a str>,
        prompt_tokens: Option<u64>,
        response_tokens: Option<u64>,
        latency_ms: Option<u64>,
        sent_at: i64,
    }
    for id in ids {
        let mut after = None;
        loop {
            let chunk = collections::answered(conn, *id, after, CHUNK)?;
            let Some(last) = chunk.last() else { break };
            after = Some((last.position, last.row.turn));
            for found in &chunk {
                let row = &found.row;
                let line = Line {
                    judging: *id,
                    task_id: &row.task_id,
                    model: row.output.as_ref().map(|output| output.model.as_str()),
                    sample: row.output.as_ref().map(|output| output.sample),
                    answer: row.sample,
                    turn: row.turn,
                    scores: &row.scores,
                    instructions: (!row.instruction_answers.is_empty())
                        .then(|| InstructionAnswer::join(&row.instruction_answers)),
                    comment: &found.comment,
                    messages: &found.messages,
                    response: &found.response,
                    reasoning: found.reasoning.as_deref(),
                    end_by: row.finish_reason.as_deref(),
                    reported_model: row.reported_model.as_deref(),
                    prompt_tokens: row.prompt_tokens,
                    response_tokens: row.response_tokens,
                    latency_ms: row.latency_ms,
                    sent_at: row.sent_at.0,
                };
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
            }
        }
    }
    Ok(())
}
