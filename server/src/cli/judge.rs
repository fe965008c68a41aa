//! `aixgrade judge`

use clap::Args;
use model::{
    caller::System,
    collection::CollectionRow,
    ids::{CollectionId, StudyId, SubmissionId},
    judging::{LevelOrder, NewJudging},
    lang::Lang,
};
use port::collections::Collections as _;

use super::{
    Global,
    collect::{RequestArgs, endings, follow, plan_text, unanswered},
};
use base::error::Failure;
use clients::endpoint::Endpoints;
use services::Services;

/// `judge`
#[derive(Args)]
pub struct Judge {
    /// Number of the study whose outputs are judged with its rubric
    #[arg(required_unless_present_any = ["submission", "resume"], conflicts_with_all = ["submission", "resume"])]
    study: Option<StudyId>,
    /// Judge the outputs of this submission instead, by its number
    #[arg(long, value_name = "SUBMISSION")]
    submission: Option<SubmissionId>,
    /// With --submission, the rubric, such as "aixbench" or "aixbench 1" [default: the dataset's]
    #[arg(long, value_name = "NAME", requires = "submission", default_value = "", hide_default_value = true)]
    rubric: String,
    /// Name of the judge model, as shown in comparisons
    #[arg(long, value_name = "NAME", required_unless_present = "resume")]
    judge: Option<String>,
    #[command(flatten)]
    requests: RequestArgs,
    /// Only outputs for this task, by its external ID; repeat for several
    #[arg(long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Answers per output, which are combined into one score per dimension
    #[arg(long, value_name = "N", default_value_t = 1)]
    answers: u32,
    /// Language of the prompt and of the rubric in it: en or zh
    #[arg(long, value_name = "LANG", default_value_t = Lang::En)]
    lang: Lang,
    /// Order of levels in prompts: best_first, worst_first, or drawn for each request from --seed
    #[arg(long, value_name = "ORDER", default_value = "best_first")]
    level_order: LevelOrder,
    /// Resume a stopped or interrupted judging, by its number
    #[arg(long, value_name = "COLLECTION", conflicts_with_all = ["submission", "judge", "tasks", "dry_run"])]
    resume: Option<CollectionId>,
}

/// `aixgrade judge`: sends the requests in this process, unless a server with the same endpoint is faster.
pub async fn run(global: &Global, args: Judge) -> Result<(), Failure> {
    let services = global.open()?;
    let admin = System.admin();
    let endpoints = args.requests.endpoints.read()?;
    services.collections.allow(endpoints.clone());
    let id = match args.resume {
        Some(id) => id,
        None => {
            let new = args.new_judging(&endpoints)?;
            if args.requests.dry_run {
                let plan = services.collections.plan_judging(&admin, new).await?;
                return global.show(&plan, |plan| plan_text(plan, "outputs"));
            }
            services.collections.create_judging(&admin, new).await?
        }
    };
    if args.resume.is_some() && services.collections.get(&admin, id).await?.row.judging.is_none() {
        let remedy = format!("Resume it with `aixgrade collect --resume {id}`");
        return Err(Failure::invalid("--resume", "this is a collection of outputs", remedy));
    }
    services.collections.resume(&admin, id, args.requests.resume()).await?;
    let row = follow(&services, id).await?;
    show(global, &services, row).await
}

/// Prints what a judging came to; an error if a request has no answer.
pub async fn show(global: &Global, services: &Services, row: CollectionRow) -> Result<(), Failure> {
    global.show(&row, text)?;
    unanswered(services, &row, "judge").await?.map_or(Ok(()), Err)
}

fn text(row: &CollectionRow) -> String {
    let Some(judging) = &row.judging else { return String::new() };
    let mut lines = vec![
        format!(
            "Judging {}: {} of {} requests answered, {} failed; {} tokens of prompts, {} of responses.",
            row.id, row.answered, row.total, row.failed, row.prompt_tokens, row.response_tokens
        ),
        format!("{} of {} outputs have scores of {}.", judging.scored, judging.outputs, row.model_name),
    ];
    if judging.invalid > 0 {
        lines.push(format!(
            "{} requests have no valid answer, although the model was asked once more. They count as no answer.",
            judging.invalid
        ));
    }
    if row.estimated > 0 {
        lines.push(format!(
            "The tokens of {} responses are estimated; the endpoint did not report them.",
            row.estimated
        ));
    }
    lines.extend(endings(row));
    lines.join("\n")
}

impl Judge {
    fn new_judging(&self, endpoints: &Endpoints) -> Result<NewJudging, Failure> {
        Ok(NewJudging {
            study: self.study,
            submission: self.submission,
            rubric: self.rubric.clone(),
            judge: self.judge.clone().unwrap_or_default(),
            endpoint: self.requests.endpoint(endpoints)?,
            endpoint_model: self.requests.endpoint_model.clone(),
            tasks: self.tasks.clone(),
            lang: self.lang,
            level_order: self.level_order,
            settings: self.requests.settings(self.answers),
        })
    }
}
