//! `aixgrade collect` and `aixgrade collections …`

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use texts::collections::stop_reason;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use model::{
    caller::System,
    code::visible,
    collection::{
        ChatMessage, CollectionDetail, CollectionPlan, CollectionResume, CollectionRow, CollectionSettings,
        CollectionStatus, NewCollection, PlannedPrompt, RequestRow, StopReason, Waiting,
    },
    conversation::Way,
    ids::{CollectionId, SubmissionId},
    lang::{Bilingual, Lang},
    page::{PageOf, Which},
    submission::{InvalidLines, Matching},
};
use port::{Submissions as _, collections::Collections as _};
use serde::Serialize;
use texts::faults::request_fault;
use tokio::{
    signal::unix::{SignalKind, signal},
    task::JoinHandle,
};

use super::{Global, Rows, judge};
use base::{clock, error::Failure};
use clients::endpoint::Endpoints;
use command::table;
use services::Services;

/// Number of reasons of failed requests that are shown.
const FAULTS: usize = 3;
/// How often progress is printed where it cannot be drawn.
const TELL: Duration = Duration::from_secs(30);
/// How often progress is read.
const WATCH: Duration = Duration::from_millis(500);

/// The endpoints that a process may send requests to.
#[derive(Args, Clone, Debug, Default)]
pub struct EndpointArgs {
    /// Allow requests to this endpoint, which speaks OpenAI's chat completions protocol: a name and the URL before
    /// /chat/completions, such as local=http://127.0.0.1:8000/v1; repeat for several [default: none]
    #[arg(long = "endpoint", env = "AIXGRADE_ENDPOINTS", value_delimiter = ',', value_name = "NAME=URL")]
    pub endpoints: Vec<String>,
    /// Read an endpoint's key from this file; repeat for several [default: the environment variable
    /// AIXGRADE_ENDPOINT_KEY_NAME, with the endpoint's name in capitals and _ for -]
    #[arg(long = "endpoint-key", env = "AIXGRADE_ENDPOINT_KEYS", value_delimiter = ',', value_name = "NAME=FILE")]
    pub keys: Vec<String>,
}

impl EndpointArgs {
    /// The endpoints with their keys.
    ///
    /// # Errors
    ///
    /// An entry is wrong, or a key cannot be read.
    pub fn read(&self) -> Result<Endpoints, Failure> {
        Endpoints::read(&self.endpoints, &self.keys, |name| std::env::var(name).ok())
            .map_err(|fault| Failure::invalid(fault.option, fault.what, fault.remedy))
    }
}

/// How requests are made: options that outputs and judgings share.
#[derive(Args)]
pub struct RequestArgs {
    #[command(flatten)]
    pub endpoints: EndpointArgs,
    /// Name of the endpoint to use, if there are several
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Name of the model at the endpoint [default: the name given by --model]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub endpoint_model: String,
    /// Sampling temperature, 0 to 2 [default: the endpoint's]
    #[arg(long, value_name = "T")]
    temperature: Option<f64>,
    /// Nucleus sampling, above 0 and at most 1 [default: the endpoint's]
    #[arg(long, value_name = "P")]
    top_p: Option<f64>,
    /// Seed of the first sample; each further sample has the next one [default: none]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Maximum tokens per response [default: the endpoint's]
    #[arg(long, value_name = "N")]
    response_tokens: Option<u32>,
    /// Stream responses: yes or no [default: only if the endpoint answers in no other way]
    #[arg(long, value_name = "YES_OR_NO", value_parser = yes_or_no)]
    stream: Option<bool>,
    /// Additional request fields, as a JSON object: '{"top_k": 20}'
    #[arg(long, value_name = "JSON", default_value = "", hide_default_value = true)]
    parameters: String,
    /// Simultaneous requests, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 4)]
    at_once: u32,
    /// Maximum number of requests in a minute [default: no limit]
    #[arg(long, value_name = "N")]
    per_minute: Option<u32>,
    /// Request timeout in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u32,
    /// Stop after this many requests, including retries [default: no limit]
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
    /// Stop before prompts and responses together can exceed this many tokens [default: no limit]
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Show three prompts and the cost in tokens; send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// With --resume, send failed requests again
    #[arg(long, requires = "resume")]
    failed: bool,
}

impl RequestArgs {
    /// The name of the endpoint to use.
    ///
    /// # Errors
    ///
    /// There is none, or several and none is named.
    pub fn endpoint(&self, endpoints: &Endpoints) -> Result<String, Failure> {
        match (&self.from, endpoints.rows().as_slice()) {
            (Some(name), _) => Ok(name.clone()),
            (None, [one]) => Ok(one.name.clone()),
            (None, []) => {
                let remedy = "Write it as --endpoint local=http://127.0.0.1:8000/v1";
                Err(Failure::invalid("--endpoint", "no endpoint given", remedy))
            }
            (None, _) => Err(Failure::invalid("--from", "there are several endpoints", "Name one with --from")),
        }
    }

    /// The settings with this number of samples, and without messages.
    pub fn settings(&self, samples: u32) -> CollectionSettings {
        CollectionSettings {
            samples,
            temperature: self.temperature,
            top_p: self.top_p,
            seed: self.seed,
            response_tokens: self.response_tokens,
            stream: self.stream,
            parameters: self.parameters.clone(),
            at_once: self.at_once,
            per_minute: self.per_minute,
            timeout_s: self.timeout,
            max_requests: self.max_requests,
            max_tokens: self.max_tokens,
            ..CollectionSettings::default()
        }
    }

    pub fn resume(&self) -> CollectionResume {
        CollectionResume { failed: self.failed, max_requests: self.max_requests, max_tokens: self.max_tokens }
    }
}

/// `collect`
#[derive(Args)]
pub struct Collect {
    /// Short name of the dataset
    #[arg(required_unless_present = "resume")]
    dataset: Option<String>,
    /// Name of the model, as shown in tables
    #[arg(long, value_name = "NAME", required_unless_present = "resume")]
    model: Option<String>,
    #[command(flatten)]
    requests: RequestArgs,
    /// Only this task, by its external ID; repeat for several
    #[arg(long = "task", value_name = "ID")]
    tasks: Vec<String>,
    /// Samples per task
    #[arg(long, value_name = "N", default_value_t = 1)]
    samples: u32,
    /// File with the system message [default: none]
    #[arg(long, value_name = "FILE")]
    system: Option<PathBuf>,
    /// File with the template of the user message [default: one for the kind of dataset; see docs/collecting.md]
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// File with the template for tasks that are described in Chinese [default: that of --template]
    #[arg(long, value_name = "FILE", requires = "template")]
    template_zh: Option<PathBuf>,
    /// Of tasks that are conversations: ask in the way base, single, multi, n or dynamic, where the tests of each answer
    /// decide what is asked next [default: n, all turns]
    #[arg(long, value_name = "WAY", value_parser = way)]
    way: Option<Way>,
    /// File with the template of an instruction in a conversation, with {instruction} [default: see docs/collecting.md]
    #[arg(long, value_name = "FILE")]
    turn_template: Option<PathBuf>,
    /// File with the template that says in a dynamic conversation that an answer fails its tests, with {instruction} and
    /// {failure} [default: see docs/collecting.md]
    #[arg(long, value_name = "FILE")]
    feedback_template: Option<PathBuf>,
    /// Do not import the outputs; `aixgrade collections import` does so later
    #[arg(long)]
    no_import: bool,
    /// Resume a stopped or interrupted collection, by its number
    #[arg(long, value_name = "COLLECTION", conflicts_with_all = ["dataset", "model", "tasks", "dry_run"])]
    resume: Option<CollectionId>,
}

/// List and show collections; stop, import or delete them. Start them with `aixgrade collect`.
#[derive(Subcommand)]
pub enum Collections {
    /// List collections, newest first
    List(Rows),
    /// Show a collection with its settings and its failed requests
    Show {
        /// Number of the collection
        collection: CollectionId,
    },
    /// List a collection's requests
    Requests {
        /// Number of the collection
        collection: CollectionId,
        #[command(flatten)]
        rows: Rows,
    },
    /// Stop a collection; requests in progress are still answered
    Stop {
        /// Number of the collection
        collection: CollectionId,
    },
    /// Import the responses so far as a submission
    Import {
        /// Number of the collection
        collection: CollectionId,
    },
    /// Delete a collection with its prompts and responses. Submissions imported from it are kept
    Delete {
        /// Number of the collection
        collection: CollectionId,
    },
}

/// What `collect` prints.
#[derive(Serialize)]
struct Collected {
    collection: CollectionRow,
    #[serde(skip)]
    settings: CollectionSettings,
    /// Absent if nothing was imported.
    submission: Option<SubmissionId>,
}

/// A collection with its failed requests.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    detail: CollectionDetail,
    failed: Vec<RequestRow>,
}

/// `aixgrade collect`: sends the requests in this process, unless a server with the same endpoint is faster.
pub async fn collect(global: &Global, args: Collect) -> Result<(), Failure> {
    let services = global.open()?;
    let admin = System.admin();
    let endpoints = args.requests.endpoints.read()?;
    services.collections.allow(endpoints.clone());
    let id = match args.resume {
        Some(id) => id,
        None => {
            let new = args.new_collection(&endpoints)?;
            if args.requests.dry_run {
                let plan = services.collections.plan(&admin, new).await?;
                return global.show(&plan, |plan| plan_text(plan, "tasks"));
            }
            services.collections.create(&admin, new).await?
        }
    };
    services.collections.resume(&admin, id, args.requests.resume()).await?;
    let row = follow(&services, id).await?;
    if row.judging.is_some() {
        return judge::show(global, &services, row).await;
    }
    let whole = row.status == CollectionStatus::Finished;
    let submission =
        if whole && !args.no_import && row.answered > 0 { Some(import(&services, id).await?) } else { None };
    let unanswered = unanswered(&services, &row, "collect").await?;
    let settings = services.collections.get(&admin, id).await?.settings;
    global.show(&Collected { collection: row, settings, submission }, text)?;
    unanswered.map_or(Ok(()), Err)
}

/// The error of a collection or judging that has ended without an answer to every request, with the endpoint's words:
/// a script must not take it for a whole one. `command` resumes it.
pub async fn unanswered(services: &Services, row: &CollectionRow, command: &str) -> Result<Option<Failure>, Failure> {
    let (id, total) = (row.id, row.total);
    let so_far = match row.judging {
        Some(_) => "; its scores so far are in the comparison".to_owned(),
        None if row.answered == 0 => String::new(),
        None => format!(", or import its responses so far with `aixgrade collections import {id}`"),
    };
    if row.status != CollectionStatus::Finished {
        let what = if row.judging.is_some() { "judging" } else { "collection" };
        let why = row.reason.as_ref().map(|reason| stop_reason(reason).to_string());
        let why = why.map(|why| format!("{}. ", why.trim_end_matches('.'))).unwrap_or_default();
        let again = match row.reason {
            // Its words say that another collection is needed.
            Some(StopReason::RefusedField { .. }) => String::new(),
            _ => format!("Resume it with `aixgrade {command} --resume {id}`{so_far}"),
        };
        let text = format!("the {what} is stopped. {why}{again}");
        return Ok(Some(Failure::conflict(text.trim_end_matches(['.', ' ']).to_owned())));
    }
    if row.answered >= total {
        return Ok(None);
    }
    let mut of = PageOf::first(PageOf::MOST);
    of.which = Which::only("status", "failed");
    let failed = services.collections.requests(&System.admin(), id, of).await?.rows;
    let mut faults: Vec<(String, u64)> = Vec::new();
    for fault in failed.iter().filter_map(|row| row.error.as_ref()) {
        let text = request_fault(Lang::En, fault);
        match faults.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => faults.push((text, 1)),
        }
    }
    faults.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let faults = faults.iter().take(FAULTS).map(|(text, count)| format!("\n  {count} of them: {text}"));
    let again = format!("\nSend them again with `aixgrade {command} --resume {id} --failed`");
    let left = total - row.answered;
    Ok(Some(Failure::conflict(format!(
        "{left} of {total} requests have no answer.{}{again}",
        faults.collect::<String>()
    ))))
}

impl Collect {
    fn new_collection(&self, endpoints: &Endpoints) -> Result<NewCollection, Failure> {
        let read = |path: &Option<PathBuf>| path.as_deref().map_or(Ok(String::new()), text_of);
        Ok(NewCollection {
            dataset: self.dataset.clone().unwrap_or_default(),
            model: self.model.clone().unwrap_or_default(),
            endpoint: self.requests.endpoint(endpoints)?,
            endpoint_model: self.requests.endpoint_model.clone(),
            tasks: self.tasks.clone(),
            settings: CollectionSettings {
                system: read(&self.system)?.trim_end().to_owned(),
                template: Bilingual { en: read(&self.template)?, zh: read(&self.template_zh)? },
                way: self.way,
                turn_template: Bilingual { en: read(&self.turn_template)?, zh: String::new() },
                feedback_template: Bilingual { en: read(&self.feedback_template)?, zh: String::new() },
                ..self.requests.settings(self.samples)
            },
        })
    }
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("write yes or no".into()),
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::from_name(name).ok_or_else(|| "write base, single, multi, n or dynamic".into())
}

fn text_of(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|e| {
        let shown = path.display().to_string();
        Failure::invalid(&shown, format!("the file cannot be read: {e}"), "Check its name; it must be UTF-8")
    })
}

/// Sends a running collection's requests, or watches another process that does, until it ends. Ctrl-C stops it.
pub async fn follow(services: &Services, id: CollectionId) -> Result<CollectionRow, Failure> {
    let admin = System.admin();
    let row = services.collections.get(&admin, id).await?.row;
    if row.status == CollectionStatus::Running {
        eprintln!(
            "Collection {id}: {}. Ctrl-C stops it; resume it with `aixgrade {} --resume {id}`.",
            number_of_requests(row.total),
            if row.judging.is_some() { "judge" } else { "collect" }
        );
    }
    let bar = ProgressBar::new(row.total);
    let style = "{bar:30} {pos}/{len} requests, {msg}";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    // What was said last, where the bar cannot be drawn.
    let (is_drawn, mut told) = (std::io::stderr().is_terminal(), (Instant::now(), row.answered + row.failed));
    let mut waiting = None;
    let (mut stopping, mut sender): (bool, Option<JoinHandle<Result<bool, Failure>>>) = (false, None);
    loop {
        let detail = services.collections.get(&admin, id).await?;
        let row = detail.row;
        bar.set_position(row.answered + row.failed);
        let left = row.left_s.map_or_else(String::new, |s| format!(", about {} left", left(s)));
        let message = format!("{} tokens{left}", row.prompt_tokens + row.response_tokens);
        if !is_drawn && told.0.elapsed() >= TELL {
            let done = row.answered + row.failed;
            let waits = if told.1 == done { "; waiting for responses" } else { "" };
            eprintln!("{} of {} requests answered, {} failed, {message}{waits}", row.answered, row.total, row.failed);
            told = (Instant::now(), done);
        }
        bar.set_message(message);
        if row.waiting != waiting {
            if let Some(now) = &row.waiting {
                bar.suspend(|| eprintln!("Waiting {}", waits(now)));
            }
            waiting.clone_from(&row.waiting);
        }
        if sender.is_none() && row.status == CollectionStatus::Running {
            let collections = services.collections.clone();
            sender = Some(tokio::spawn(async move { collections.send(id).await }));
        } else if sender.is_none() && !detail.in_work {
            bar.finish_and_clear();
            return Ok(row);
        }
        let ended = async {
            match sender.as_mut() {
                Some(sender) => sender.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = ended => {
                sender = None;
                // Another process may have it; then this one watches.
                if !ended.map_err(Failure::internal)?? {
                    tokio::time::sleep(WATCH).await;
                }
            }
            () = tokio::time::sleep(WATCH) => {}
            _ = interrupt.recv() => {
                if std::mem::replace(&mut stopping, true) {
                    return Err(Failure::conflict("interrupted; requests in progress will be sent again"));
                }
                services.collections.stop(&admin, id).await?;
                eprintln!("Waiting for the requests in progress. Press Ctrl-C again to give them up.");
            }
        }
    }
}

/// What a collection waits for: the time and the endpoint's words.
fn waits(waiting: &Waiting) -> String {
    let seconds = (waiting.until.0 - clock::now().0).max(0).cast_unsigned().div_ceil(1000);
    let why = request_fault(Lang::En, &waiting.fault);
    format!("{}: {}", left(seconds), printable(&why))
}

/// Imports a collection's responses.
async fn import(services: &Services, id: CollectionId) -> Result<SubmissionId, Failure> {
    let admin = System.admin();
    let row = services.collections.get(&admin, id).await?.row;
    let upload = services.collections.upload(&admin, id).await?;
    let (dataset, model) = (&row.dataset, &row.model_name);
    let (matching, invalid) = (Matching::TaskId, InvalidLines::Refuse);
    Ok(services.submissions.import(&admin, upload, dataset, matching, model, invalid).await?)
}

/// `aixgrade collections …`
pub async fn run(global: &Global, command: Collections) -> Result<(), Failure> {
    let services = global.open()?;
    let (admin, collections) = (System.admin(), &services.collections);
    match command {
        Collections::List(rows) => {
            let rows = rows.read(async |of| collections.list(&admin, of).await).await?;
            global.show(&rows, |rows| list(rows))
        }
        Collections::Show { collection } => {
            let detail = collections.get(&admin, collection).await?;
            let mut of = PageOf::first(20);
            of.which = Which::only("status", "failed");
            let failed = collections.requests(&admin, collection, of).await?.rows;
            global.show(&Whole { detail, failed }, whole_text)
        }
        Collections::Requests { collection, rows } => {
            let rows = rows.read(async |of| collections.requests(&admin, collection, of).await).await?;
            global.show(&rows, |rows| requests(rows))
        }
        Collections::Stop { collection } => {
            collections.stop(&admin, collection).await?;
            let row = collections.get(&admin, collection).await?.row;
            global.show(&row, |row| format!("Collection {}: {}.", row.id, row.status.name()))
        }
        Collections::Import { collection } => {
            let submission = import(&services, collection).await?;
            let CollectionDetail { row, settings, .. } = collections.get(&admin, collection).await?;
            global.show(&Collected { collection: row, settings, submission: Some(submission) }, text)
        }
        Collections::Delete { collection } => {
            collections.remove(&admin, collection).await?;
            global.show(&collection, |id| format!("Deleted collection {id}."))
        }
    }
}

fn text(made: &Collected) -> String {
    let row = &made.collection;
    let mut lines = vec![format!(
        "Collection {}: {}; {} prompt tokens, {} response tokens.",
        row.id,
        requests_text(row, &made.settings),
        row.prompt_tokens,
        row.response_tokens
    )];
    if row.estimated > 0 {
        lines.push(format!(
            "The endpoint did not report the tokens of all responses, so those of {} are estimated.",
            row.estimated
        ));
    }
    lines.extend(endings(row));
    if let Some(id) = made.submission {
        lines.push(format!("Imported as submission {id}."));
    }
    lines.join("\n")
}

/// Why responses ended, and what to know of those that are not whole answers.
pub fn endings(row: &CollectionRow) -> Vec<String> {
    let texts = texts::collections::EN;
    let ends = Some(texts.ends(row)).filter(|ends| !ends.is_empty()).map(|ends| format!("Responses ended by: {ends}."));
    ends.into_iter().chain(texts.warnings(row)).collect()
}

/// A plan with its first prompts; `what` is what it has requests for.
pub fn plan_text(plan: &CollectionPlan, what: &str) -> String {
    let mut lines: Vec<String> = plan.first.iter().map(prompt_text).collect();
    lines.push(cost(plan, what));
    lines.push("Dry run: nothing was sent.".into());
    lines.join("\n")
}

fn prompt_text(prompt: &PlannedPrompt) -> String {
    let message = |message: &ChatMessage| {
        let role = message.role.name();
        format!("[{role}]\n{}\n", printable(&message.content))
    };
    format!("--- Task {}\n{}", prompt.task_id, prompt.messages.iter().map(message).collect::<String>())
}

/// A text without characters that act on a terminal: prompts contain what models wrote.
fn printable(text: &str) -> String {
    // Line breaks other than \n move the cursor, and are no hidden characters.
    let acts = |c: char| c.is_control() && c.is_whitespace() && !matches!(c, '\n' | '\t');
    let text: String = text.chars().map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c }).collect();
    visible(&text).into_owned()
}

fn cost(plan: &CollectionPlan, what: &str) -> String {
    let responses = match plan.response_tokens {
        Some(most) => format!("at most {most} response tokens"),
        None => "responses of unknown length (limit them with --response-tokens)".into(),
    };
    format!(
        "{} {what}, {} requests: about {} prompt tokens, {responses}.",
        plan.tasks, plan.requests, plan.prompt_tokens
    )
}

fn list(rows: &[CollectionRow]) -> String {
    let row = |row: &CollectionRow| {
        vec![
            row.id.to_string(),
            if row.judging.is_some() { "scores" } else { "outputs" }.to_owned(),
            row.model_name.clone(),
            format!("{} v{}", row.dataset, row.number),
            row.endpoint.clone(),
            row.status.name().to_owned(),
            format!("{}/{}", row.answered, row.total),
            row.failed.to_string(),
            (row.prompt_tokens + row.response_tokens).to_string(),
            row.created_at.to_string(),
        ]
    };
    let heads = ["ID", "OF", "MODEL", "DATASET", "ENDPOINT", "STATE", "ANSWERED", "FAILED", "TOKENS", "CREATED"];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}

/// How far it is. Every turn of a conversation is a request.
fn requests_text(row: &CollectionRow, settings: &CollectionSettings) -> String {
    let units = if settings.way.is_some() { "conversations finished" } else { "requests answered" };
    format!("{} of {} {units}, {} failed, {} sent", row.answered, row.total, row.failed, number_of_requests(row.sent))
}

/// `1 request`, `2 requests`
fn number_of_requests(n: u64) -> String {
    if n == 1 { "1 request".into() } else { format!("{n} requests") }
}

fn whole_text(whole: &Whole) -> String {
    let CollectionDetail { row, settings, form, plan, submissions, .. } = &whole.detail;
    let mut facts = vec![
        ("Model", format!("{} ({} at {})", row.model_name, row.endpoint_model, row.endpoint)),
        ("Dataset", format!("{} v{}", row.dataset, row.number)),
        ("State", row.status.name().to_owned()),
        ("Progress", requests_text(row, settings)),
        ("Tokens", format!("{} of prompts, {} of responses", row.prompt_tokens, row.response_tokens)),
        ("Samples", settings.samples.to_string()),
    ];
    let ends = texts::collections::EN.ends(row);
    let mut optional = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    if let Some(judging) = &row.judging {
        optional("Rubric", Some(judging.rubric.clone()));
        optional("Study", judging.study.map(|id| id.to_string()));
        optional("Instructions", judging.instructions.then(|| "answered one by one".to_owned()));
        optional("Levels", Some(judging.level_order.name().to_owned()));
        optional("Language", Some(judging.lang.code().to_owned()));
        optional("Outputs", Some(format!("{} of {} scored", judging.scored, judging.outputs)));
        optional("No valid answer", Some(judging.invalid.to_string()));
    }
    optional("Ended by", Some(ends).filter(|ends| !ends.is_empty()));
    optional("Waiting", row.waiting.as_ref().map(waits));
    optional("Reason", row.reason.as_ref().map(|reason| stop_reason(reason).en));
    optional("Way", settings.way.map(|way| way.name().to_owned()));
    optional("Temperature", settings.temperature.map(|t| t.to_string()));
    optional("Top-p", settings.top_p.map(|p| p.to_string()));
    optional("Seed", settings.seed.map(|seed| seed.to_string()));
    optional("Tokens per response", settings.response_tokens.map(|most| format!("at most {most}")));
    optional("Streamed responses", settings.stream.map(|is| if is { "yes" } else { "no" }.to_owned()));
    let form = form.unwrap_or_default();
    let found = form.stream && settings.stream.is_none();
    optional("Streamed responses", found.then(|| "yes: the endpoint answers in no other way".to_owned()));
    optional("Maximum sent as", form.max_completion_tokens.then(|| "max_completion_tokens".to_owned()));
    optional("Maximum number of requests", settings.max_requests.map(|most| most.to_string()));
    optional("Maximum number of tokens", settings.max_tokens.map(|most| most.to_string()));
    optional("Further fields", Some(settings.parameters.clone()).filter(|text| !text.is_empty()));
    let imported = submissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    optional("Submissions", Some(imported).filter(|text| !text.is_empty()));
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut lines: Vec<String> = facts.iter().map(|(name, value)| format!("{name:width$}  {value}")).collect();
    lines.extend(texts::collections::EN.warnings(row));
    lines.push(cost(plan, if row.judging.is_some() { "outputs" } else { "tasks" }));
    if let Some(first) = plan.first.first() {
        lines.push(format!("\n{}", prompt_text(first)));
    }
    if !whole.failed.is_empty() {
        lines.push(format!("Failed requests:\n{}", requests(&whole.failed)));
    }
    lines.join("\n")
}

fn requests(rows: &[RequestRow]) -> String {
    let row = |row: &RequestRow| {
        let number = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        vec![
            row.task_id.clone(),
            row.sample.to_string(),
            row.status.name().to_owned(),
            row.attempts.to_string(),
            number(row.prompt_tokens),
            number(row.response_tokens),
            number(row.latency_ms),
            row.finish_reason
                .clone()
                .or_else(|| row.error.as_ref().map(|fault| request_fault(Lang::En, fault)))
                .unwrap_or_default(),
        ]
    };
    let heads = ["TASK", "SAMPLE", "STATE", "ATTEMPTS", "PROMPT", "RESPONSE", "MS", "ENDED BY"];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}

/// `75 s`, `12 min`, `3 h 20 min`
fn left(seconds: u64) -> String {
    match seconds {
        0..100 => format!("{seconds} s"),
        100..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
