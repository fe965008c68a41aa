//! Collections: outputs, or a judge model's scores, that the program requests from an endpoint, which speaks the chat
//! completions protocol of OpenAI.

use serde::{Deserialize, Serialize};

use super::{
    conversation::{InstructionAnswer, TurnCheck, Way},
    fault::RequestFault,
    ids::{CollectionId, OutputId, SubmissionId},
    judging::{JudgingFacts, OrderMeans},
    lang::Bilingual,
    names::names,
    reason::Fault,
    time::Timestamp,
};

/// Maximum number of samples per task.
pub const MOST_SAMPLES: u32 = 1000;
/// Maximum number of simultaneous requests.
pub const MOST_AT_ONCE: u32 = 64;
/// Number of prompts that a plan shows.
pub const PLAN_PROMPTS: usize = 3;

/// An endpoint that the operator allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct EndpointRow {
    /// The operator's name for it.
    pub name: String,
    /// The address before `/chat/completions`.
    pub url: String,
    /// Whether the operator gave a key for it.
    pub has_key: bool,
}

/// How a collection's requests are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CollectionSettings {
    /// Samples per task, 1 to [`MOST_SAMPLES`].
    pub samples: u32,
    /// Sampling temperature, 0 to 2; absent for the endpoint's default.
    pub temperature: Option<f64>,
    /// Nucleus sampling, above 0 and at most 1; absent for the endpoint's default.
    pub top_p: Option<f64>,
    /// Seed of the first sample; the seed of sample n is this plus n. Absent to send none.
    pub seed: Option<i64>,
    /// Maximum tokens per response (`max_tokens` of the request); absent for the endpoint's default.
    pub response_tokens: Option<u32>,
    /// The system message; empty to send none.
    pub system: String,
    /// The user message, with `{description}`, `{signature}`, `{language}`, `{prompt}` and `{declaration}`: in English,
    /// and for tasks described in Chinese in Chinese, or the same if that is empty. Both empty for the default.
    pub template: Bilingual,
    /// How tasks that are conversations are asked; absent for other datasets.
    pub way: Option<Way>,
    /// The user message of each instruction of a conversation, with `{instruction}`, as `template`. Both empty for the
    /// default.
    pub turn_template: Bilingual,
    /// The user message that says in a dynamic conversation that an answer fails, with `{instruction}` and `{failure}`, as
    /// `template`. Both empty for the default.
    pub feedback_template: Bilingual,
    /// Further fields of the request, as a JSON object; empty for none.
    pub parameters: String,
    /// Whether responses are streamed; absent to stream them only if the endpoint refuses to answer otherwise.
    pub stream: Option<bool>,
    /// Simultaneous requests, 1 to [`MOST_AT_ONCE`].
    pub at_once: u32,
    /// Maximum number of requests in a minute; absent for no limit.
    pub per_minute: Option<u32>,
    /// Request timeout in seconds, 1 to 3600.
    pub timeout_s: u32,
    /// The collection stops when it has sent this many requests, including repeated ones; absent for no limit.
    pub max_requests: Option<u64>,
    /// The collection sends no request with which it could use more tokens than this, of prompts and responses;
    /// absent for no limit.
    pub max_tokens: Option<u64>,
}

impl Default for CollectionSettings {
    fn default() -> Self {
        CollectionSettings {
            samples: 1,
            temperature: None,
            top_p: None,
            seed: None,
            response_tokens: None,
            system: String::new(),
            template: Bilingual::default(),
            way: None,
            turn_template: Bilingual::default(),
            feedback_template: Bilingual::default(),
            parameters: String::new(),
            stream: None,
            at_once: 4,
            per_minute: None,
            timeout_s: 300,
            max_requests: None,
            max_tokens: None,
        }
    }
}

/// How an endpoint wants its requests, as far as endpoints differ. The first request of a collection finds it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RequestForm {
    /// Whether responses are streamed.
    pub stream: bool,
    /// Whether `stream_options` is left out, which asks for the number of tokens of a stream.
    pub no_stream_options: bool,
    /// Whether the maximum of tokens per response is sent as `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
}

/// Request for a new collection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewCollection {
    /// Short name of the dataset; its newest version is used.
    pub dataset: String,
    /// The model's name, as shown in tables.
    pub model: String,
    /// Name of the endpoint.
    pub endpoint: String,
    /// The model's name at the endpoint; empty if it is `model`.
    #[serde(default)]
    pub endpoint_model: String,
    /// External IDs of the tasks; empty for all.
    #[serde(default)]
    pub tasks: Vec<String>,
    #[serde(default)]
    pub settings: CollectionSettings,
}

/// A collection or a judging as its form sends it. An empty field has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CollectionForm {
    /// Of a collection of outputs.
    pub dataset: String,
    /// Of a collection of outputs.
    pub model: String,
    /// The number of the study, of a judging.
    pub study: String,
    /// The number of the submission, of a judging without a study.
    pub submission: String,
    /// Of a judging without a study.
    pub rubric: String,
    /// Of a judging.
    pub judge: String,
    /// The language of prompts, of a judging.
    pub lang: String,
    /// Of a judging.
    pub level_order: String,
    pub endpoint: String,
    pub endpoint_model: String,
    /// External IDs, separated by spaces or commas.
    pub tasks: String,
    pub samples: String,
    pub temperature: String,
    pub top_p: String,
    pub seed: String,
    pub response_tokens: String,
    pub system: String,
    pub template: String,
    pub template_zh: String,
    pub way: String,
    pub turn_template: String,
    pub feedback_template: String,
    pub parameters: String,
    /// `yes` or `no`.
    pub stream: String,
    pub at_once: String,
    pub per_minute: String,
    pub timeout_s: String,
    pub max_requests: String,
    pub max_tokens: String,
}

/// A preview of a collection's requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CollectionPlan {
    /// Number of tasks; of a judging, of outputs.
    pub tasks: u64,
    /// Number of requests: tasks times samples, and in conversations times turns.
    pub requests: u64,
    /// Whether there may be fewer, with fewer tokens, because tests decide how long a dynamic conversation is.
    pub at_most: bool,
    /// Estimated tokens of all prompts, where earlier answers count with their maximum, or with 500.
    pub prompt_tokens: u64,
    /// Maximum tokens of all responses; absent if responses have no limit.
    pub response_tokens: Option<u64>,
    /// The first prompts, at most [`PLAN_PROMPTS`].
    pub first: Vec<PlannedPrompt>,
}

/// A task's prompt; a judging's for an output of the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PlannedPrompt {
    /// The task's external ID.
    pub task_id: String,
    pub messages: Vec<ChatMessage>,
}

/// A message of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ChatMessage {
    pub role: ChatRole,
    pub content: String,
}

names! {
    /// The author of a message.
    pub enum ChatRole as name {
        /// The operator of the conversation.
        System = "system",
        /// The user.
        User = "user",
        /// The model, in an earlier turn.
        Assistant = "assistant",
    }
}

names! {
    /// The state of a collection.
    pub enum CollectionStatus as name {
        /// Nothing has been sent yet.
        Draft = "draft",
        /// Requests are being sent, or will be as soon as a process can.
        Running = "running",
        /// No more requests are sent until it is resumed.
        Stopped = "stopped",
        /// Every request is answered, or has failed for good.
        Finished = "finished",
    }
}

/// Why a collection stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", tag = "kind", content = "text")]
pub enum StopReason {
    /// An admin stopped it.
    Admin,
    /// `max_requests` is used up.
    MaxRequests,
    /// Another request could use more than `max_tokens`.
    MaxTokens,
    /// The endpoint refuses every request, such as for a wrong key.
    Refused(RequestFault),
    /// The endpoint refuses a field of every request.
    RefusedField {
        /// The field, such as `temperature`.
        field: String,
        /// The endpoint's words.
        fault: RequestFault,
    },
    /// Several requests in a row failed; why the last one did.
    Failing(RequestFault),
    /// The server had an internal error; its number in the log.
    Internal(String),
    /// Why the tests of answers could not run, so that the next request is unknown. The answers are kept, and are
    /// tested when the collection is resumed.
    Tests(Fault),
}

/// A row of the list of collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CollectionRow {
    pub id: CollectionId,
    /// The model's name in tables; a judging's judge.
    pub model_name: String,
    /// What a judging has besides; absent if the collection is of outputs.
    pub judging: Option<JudgingFacts>,
    /// Short name of the dataset.
    pub dataset: String,
    /// The version of the dataset.
    pub number: u32,
    /// Name of the endpoint.
    pub endpoint: String,
    /// The model's name at the endpoint.
    pub endpoint_model: String,
    pub status: CollectionStatus,
    /// Why it is stopped.
    pub reason: Option<StopReason>,
    /// What it waits for, if it is running and a request cannot be sent yet.
    pub waiting: Option<Waiting>,
    /// Number of requests: tasks, or a judging's outputs, times samples.
    pub total: u64,
    /// Requests with a response. A judge that is asked once more counts once.
    pub answered: u64,
    /// Requests that failed and are not repeated unless somebody asks for it.
    pub failed: u64,
    /// Number of HTTP requests, including repeated ones.
    pub sent: u64,
    /// Tokens of the prompts that were answered.
    pub prompt_tokens: u64,
    /// Tokens of the responses.
    pub response_tokens: u64,
    /// Responses whose tokens are estimated, because the endpoint did not report them.
    pub estimated: u64,
    /// Why responses ended, as the endpoint says, the most frequent reason first.
    pub ends: Vec<EndCount>,
    /// Responses without a text. As outputs, they have no code.
    pub empty: u64,
    /// Responses with a refusal apart from the text.
    pub refused: u64,
    /// Responses with parts that are neither text nor reasoning, which are left out.
    pub other_parts: u64,
    /// Expected seconds until it ends; absent while unknown.
    pub left_s: Option<u64>,
    /// The creator; absent for the command line.
    pub by: Option<String>,
    pub created_at: Timestamp,
    /// When it last stopped or finished.
    pub ended_at: Option<Timestamp>,
}

/// Why a running collection does not send a request yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Waiting {
    /// When it sends the request again.
    pub until: Timestamp,
    /// Why the endpoint did not answer it.
    pub fault: RequestFault,
}

impl CollectionRow {
    /// The number of responses that ended in this way.
    pub fn ended(&self, end: End) -> u64 {
        let of = |count: &&EndCount| count.reason.as_deref().map(End::of) == Some(end);
        self.ends.iter().filter(of).map(|count| count.responses).sum()
    }
}

/// How many responses ended for a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct EndCount {
    /// The endpoint's `finish_reason`, such as `stop` or `length`; absent if it gave none.
    pub reason: Option<String>,
    pub responses: u64,
}

/// What a reason why a response ended means. Endpoints use the protocol's words, or those of the server behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model ended it.
    Stop,
    /// A limit of tokens ended it, so that it may be incomplete.
    Length,
    /// A filter withheld it, or a part of it.
    Filter,
    /// The model called a tool instead of answering, although it was given none.
    Tools,
    /// A word that is not known.
    Other,
}

impl End {
    /// The meaning of a `finish_reason`.
    pub fn of(reason: &str) -> End {
        // Gemini's filter names its reason after a colon.
        match reason.split(':').next().unwrap_or_default().to_lowercase().as_str() {
            "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" => End::Stop,
            "length" | "max_tokens" | "max_output_tokens" | "model_length" | "model_context_window_exceeded" => {
                End::Length
            }
            "content_filter" | "refusal" | "safety" | "recitation" | "sensitive" | "blocklist"
            | "prohibited_content" | "spii" | "language" => End::Filter,
            "tool_calls" | "tool_use" | "function_call" | "malformed_function_call" => End::Tools,
            _ => End::Other,
        }
    }
}

/// A collection with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CollectionDetail {
    pub row: CollectionRow,
    /// The endpoint's URL when the collection was created.
    pub url: String,
    pub settings: CollectionSettings,
    /// The requests.
    pub plan: CollectionPlan,
    /// How the endpoint wants requests; absent until it has answered one.
    pub form: Option<RequestForm>,
    /// Whether a process is sending its requests now.
    pub in_work: bool,
    /// Whether this process has its endpoint.
    pub endpoint_known: bool,
    /// Submissions that were imported from its responses, newest first.
    pub submissions: Vec<SubmissionId>,
    /// Whether tasks have changed in a newer version of the dataset. Then its responses cannot be imported.
    pub outdated: bool,
    /// Of a judging with a drawn order of levels that is not running: the answers by order.
    pub orders: Vec<OrderMeans>,
}

names! {
    /// The state of a request.
    pub enum RequestStatus as name {
        /// Sent; no response yet.
        Sent = "sent",
        /// It will be sent again.
        Waiting = "waiting",
        Answered = "answered",
        /// It failed for good.
        Failed = "failed",
    }
}

/// A request that was sent at least once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RequestRow {
    /// Its number within the program.
    pub id: i64,
    /// The task's external ID.
    pub task_id: String,
    /// The sample, from 0; of a judging, the answer for the same output.
    pub sample: u32,
    /// The turn of a conversation, from 0. Of a judging, 1 if the judge is asked once more, because its first answer is not
    /// valid.
    pub turn: u32,
    /// In a dynamic conversation: the turn of the task whose instruction it asks for.
    pub instruction: Option<u32>,
    /// In a dynamic conversation: what the tests of the answer showed; absent while they have not run.
    pub tests: Option<TestedAnswer>,
    /// Why the tests of the answer could not run, the last time that they were tried.
    pub tests_fault: Option<Fault>,
    /// The judged output, and its model and sample; absent if the collection is of outputs.
    pub output: Option<JudgedOutput>,
    /// A valid answer's scores, in the rubric's order.
    pub scores: Option<Vec<u8>>,
    /// A valid answer's answers about the instructions of the output's conversation, by turn; empty if the judge was not asked
    /// about any.
    pub instruction_answers: Vec<InstructionAnswer>,
    pub status: RequestStatus,
    /// How often it was sent.
    pub attempts: u32,
    /// When it was last sent.
    pub sent_at: Timestamp,
    /// Why the response ended, as the endpoint says: `stop`, or `length` if it was cut off.
    pub finish_reason: Option<String>,
    /// The model's name as the endpoint reported it.
    pub reported_model: Option<String>,
    /// Tokens of the prompt, as the endpoint counted them.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the response, as the endpoint counted them.
    pub response_tokens: Option<u64>,
    /// Milliseconds from sending it to the end of its response.
    pub latency_ms: Option<u64>,
    /// Why the last attempt failed; absent if it succeeded.
    pub error: Option<RequestFault>,
}

/// What the tests of an answer showed in a dynamic conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TestedAnswer {
    /// Whether the answer passes the tests of each instruction of the conversation alone.
    pub checks: Vec<TurnCheck>,
    /// Why it fails those of its own instruction, as the model is told; empty if it passes.
    pub failure: String,
}

/// An output that a judge model grades. The judge does not see the model's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JudgedOutput {
    pub id: OutputId,
    /// The name of its model.
    pub model: String,
    /// Its sample, from 0.
    pub sample: u32,
}

/// A request with its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RequestDetail {
    pub row: RequestRow,
    /// The messages as they were sent.
    pub messages: Vec<ChatMessage>,
    /// The text of the response as it came.
    pub response: Option<String>,
    /// The model's reasoning, where the endpoint sent it apart from the text. It is never run or graded.
    pub reasoning: Option<String>,
    /// The words with which the model refused to answer, where the endpoint sent them apart from the text.
    pub refusal: Option<String>,
    /// Types of the response's parts that are neither text nor reasoning and were left out, such as `image_url`.
    pub other_parts: Vec<String>,
    /// Why a judge's answer is not valid; absent if it is, and for outputs.
    pub fault: Option<Bilingual>,
}

/// How to resume a collection. A limit that is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CollectionResume {
    /// Whether failed requests are sent again.
    pub failed: bool,
    /// The new limit of requests, counted from the beginning.
    pub max_requests: Option<u64>,
    /// The new limit of tokens, counted from the beginning.
    pub max_tokens: Option<u64>,
}
