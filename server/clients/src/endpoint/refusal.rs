//! What an endpoint's error means for the request and for those after it. Pure.
//!
//! An error has an HTTP status, a body, or an object inside a body whose status says that all is well. Which of them a
//! server uses differs; what follows does not.

use std::time::Duration;

use model::fault::RequestFault;
use serde_json::Value;

use super::{Key, Reply, clean, completion::error_of, wait};

/// How deep errors of gateways are unpacked: they quote the error of the server behind them as JSON inside a text.
const MOST_LAYERS: usize = 3;

/// What an endpoint said about an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its message.
    pub message: String,
    /// Its codes and types, in lower case.
    words: Vec<String>,
    /// The HTTP status that the body names.
    status: Option<u16>,
    /// The parameter that it is about.
    pub param: Option<String>,
    /// The wait that it asks for.
    wait: Option<Duration>,
}

impl Said {
    /// Reads the body of an error; a body that is no JSON is its own message.
    pub fn read(body: &[u8]) -> Said {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Said::of(error_of(&value).unwrap_or(&value)),
            Err(_) => Said { message: String::from_utf8_lossy(body).trim().to_owned(), ..Said::default() },
        }
    }

    /// Reads the object in which an error is.
    pub fn of(error: &Value) -> Said {
        let mut said = Said::default();
        said.add(error, MOST_LAYERS);
        said
    }

    fn add(&mut self, error: &Value, layers: usize) {
        let text =
            |field: &str| error.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        for field in ["code", "type", "status", "reason", "error_code", "status_code", "error"] {
            match error.get(field) {
                Some(Value::String(word)) => self.words.push(word.to_lowercase()),
                Some(Value::Number(number)) => self.words.push(number.to_string()),
                _ => {}
            }
        }
        self.param = self.param.take().or_else(|| text("param").map(str::to_owned));
        let message = match error {
            Value::String(message) => message.trim().to_owned(),
            error => {
                let own =
                    ["message", "msg", "status_msg", "error_description", "detail"].iter().find_map(|name| text(name));
                own.map(str::to_owned).unwrap_or_else(|| self.details(error))
            }
        };
        // Mistral's message is an object with a list of details.
        if let (1.., Some(inner)) = (layers, error.get("message").filter(|inner| inner.is_object())) {
            return self.add(inner, layers - 1);
        }
        self.violations(error);
        let inner = error.get("metadata").and_then(|metadata| metadata.get("raw"));
        let quoted = inner.and_then(Value::as_str).filter(|raw| !raw.is_empty());
        match (layers, unpacked(&message)) {
            (1.., Some(inner)) => self.add(error_of(&inner).unwrap_or(&inner), layers - 1),
            _ if self.message.is_empty() => self.message = message,
            _ => self.message = format!("{}: {message}", self.message),
        }
        if let (1.., Some(raw)) = (layers, quoted) {
            let inner = unpacked(raw).unwrap_or_else(|| Value::String(raw.to_owned()));
            self.add(error_of(&inner).unwrap_or(&inner), layers - 1);
        }
        self.status = self.status.or_else(|| self.words.iter().find_map(|word| status_of(word)));
    }

    /// The messages of a list of details, as servers of FastAPI send it, each with the field that it is about.
    fn details(&mut self, error: &Value) -> String {
        let Some(details) = error.get("detail").and_then(Value::as_array) else {
            return if error.is_object() || error.is_array() { error.to_string() } else { String::new() };
        };
        let each = details.iter().filter_map(|detail| {
            let message = detail.get("msg").and_then(Value::as_str)?;
            let place = detail.get("loc").and_then(Value::as_array).and_then(|place| place.last());
            let place = place.and_then(Value::as_str).filter(|name| *name != "body");
            self.param = self.param.take().or_else(|| place.map(str::to_owned));
            Some(place.map_or_else(|| message.to_owned(), |place| format!("{place}: {message}")))
        });
        each.collect::<Vec<_>>().join("; ")
    }

    /// What Google's list of details says: which quota is used up, and how long to wait.
    fn violations(&mut self, error: &Value) {
        for detail in error.get("details").and_then(Value::as_array).into_iter().flatten() {
            let delay = detail.get("retryDelay").and_then(Value::as_str).and_then(|text| text.strip_suffix('s'));
            self.wait = self.wait.or_else(|| delay.and_then(wait::seconds));
            let violations = detail.get("violations").and_then(Value::as_array).into_iter().flatten();
            let ids = violations.filter_map(|of| of.get("quotaId").and_then(Value::as_str));
            self.words.extend(ids.map(str::to_lowercase));
        }
        let after =
            error.get("metadata").and_then(|of| of.get("retry_after_seconds")).or_else(|| error.get("retry_after"));
        self.wait = self.wait.or_else(|| after.and_then(Value::as_f64).and_then(wait::of_seconds));
    }

    /// Whether the account has no money or no quota left, so that no wait of an hour helps. `wait` is what the endpoint
    /// asks for.
    fn is_spent(&self, status: Option<u16>, wait: Option<Duration>) -> bool {
        let has = |part: &str| self.words.iter().any(|word| letters(word).contains(part));
        if SPENT.iter().any(|part| has(part)) || self.words.iter().any(|word| SPENT_CODES.contains(&word.as_str())) {
            return true;
        }
        // The rest is said of rates, too. Then the endpoint usually says when to come back.
        let is_limit = wait.is_none() && matches!(status, Some(400..=499) | None);
        let message = self.message.to_lowercase();
        is_limit
            && (SPENT_IF_NO_WAIT.iter().any(|part| has(part)) || SPENT_WORDS.iter().any(|part| message.contains(part)))
    }

    /// What follows from the error. `status` is that of HTTP, absent for an error inside an answer that is no error by its
    /// status; `wait` is what the headers ask for.
    pub fn reply(&self, status: Option<u16>, wait: Option<Duration>, key: Option<&Key>) -> Reply {
        let wait = wait.or(self.wait).filter(|wait| !wait.is_zero());
        let detail = clean(&self.message, key);
        let fault = match status {
            Some(status) => RequestFault::Status { status, detail },
            None => RequestFault::ErrorInAnswer { status: self.status, detail },
        };
        // A gateway may wrap the limit of the server behind it in a status of its own.
        let status = match (status, self.status) {
            (Some(400 | 500..=599) | None, Some(inner @ 429)) => Some(inner),
            (Some(status), _) => Some(status),
            (None, inner) => inner,
        };
        if self.is_spent(status, wait) {
            return Reply::RefusedAll { fault };
        }
        match status {
            Some(429) => Reply::Limited { fault, wait },
            // A timeout, a conflict, too early.
            Some(408 | 409 | 425) => Reply::Failed { fault, wait },
            Some(401..=405) => Reply::RefusedAll { fault },
            Some(400..=499) => Reply::Refused { fault },
            Some(_) | None => Reply::Failed { fault, wait },
        }
    }
}

/// Parts of codes and types that say that money or quota is spent, letters only.
const SPENT: [&str; 18] = [
    "insufficientquota",    // OpenAI, Azure, Qwen
    "exceededcurrentquota", // Moonshot
    "insufficientbalance",  // DeepSeek, Venice, Volcengine
    "insufficientcredit",   // OpenRouter, xAI
    "insufficientfund",
    "billing",        // OpenAI: billing_not_active, billing_hard_limit_reached; Anthropic: billing_error
    "arrear",         // Qwen: Arrearage
    "overdue",        // Volcengine: AccountOverdueError
    "budgetexceeded", // LiteLLM
    "exceededbudget",
    "creditbalance",
    "outofcredit",
    "nocredit",
    "paymentrequired",
    "freetieronly", // Qwen: AllocationQuota.FreeTierOnly
    "spendlimit",
    "spendinglimit",
    "perday", // Gemini: the quota of a day
];
/// Codes that say the same. Zhipu: the account is in arrears; the plan has expired; MiniMax: insufficient balance.
const SPENT_CODES: [&str; 3] = ["1113", "1309", "1008"];
/// Parts of codes that say the same unless the endpoint names a wait.
const SPENT_IF_NO_WAIT: [&str; 4] = ["quotaexceeded", "quotaexhausted", "usagelimit", "balance"];
/// Parts of messages that say the same where the code does not, unless the endpoint names a wait.
const SPENT_WORDS: [&str; 12] = [
    "insufficient balance",
    "insufficient quota",
    "insufficient credit",
    "insufficient funds",
    "check your plan and billing",
    "credit balance is too low",
    "out of credits",
    "余额不足",
    "额度不足",
    "额度已用尽",
    "欠费",
    "配额已用完",
];

fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The object that a text contains as JSON, if it does.
fn unpacked(text: &str) -> Option<Value> {
    let inner = text.trim_start();
    if !inner.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(inner).ok().filter(|value| error_of(value).is_some())
}

/// The HTTP status that a code or type of an error stands for.
fn status_of(word: &str) -> Option<u16> {
    if let Some(status) = word.parse::<u16>().ok().filter(|status| (400..=599).contains(status)) {
        return Some(status);
    }
    Some(match word {
        "authentication_error" | "invalid_api_key" | "unauthenticated" | "1004" | "2049" => 401,
        "permission_error" | "permission_denied" => 403,
        "not_found_error" | "model_not_found" => 404,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "rate_limit_reached_error"
        | "resource_exhausted"
        | "1002"
        | "1039" => 429,
        "invalid_request_error" | "invalid_argument" | "badrequesterror" | "2013" => 400,
        "overloaded_error" | "engine_overloaded_error" | "unavailable" => 503,
        "api_error" | "server_error" | "internal_error" | "internal" | "1000" | "1013" => 500,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(status: u16, body: &Value) -> Reply {
        Said::read(body.to_string().as_bytes()).reply(Some(status), None, None)
    }

    /// What follows, in a word, and the message.
    fn outcome(reply: &Reply) -> (&'static str, String) {
        let (word, fault) = match reply {
            Reply::Limited { fault, .. } => ("limited", fault),
            Reply::Failed { fault, .. } => ("failed", fault),
            Reply::Refused { fault } | Reply::RefusedField { fault, .. } | Reply::OtherForm { fault, .. } => {
                ("refused", fault)
            }
            Reply::RefusedAll { fault } => ("refused all", fault),
            Reply::Answered(_) => return ("answered", String::new()),
        };
        match fault {
            RequestFault::Status { detail, .. } | RequestFault::ErrorInAnswer { detail, .. } => (word, detail.clone()),
            other => (word, format!("{other:?}")),
        }
    }

    #[test]
    fn spent_money_ends_it_at_once_and_a_rate_does_not() {
        let spent = "You exceeded your current quota, please check your plan and billing details.";
        let daily = json!({ "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{ "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] });
        for (status, error) in [
            (
                429,
                json!({ "message": spent, "type": "insufficient_quota", "param": null, "code": "insufficient_quota" }),
            ),
            (429, json!({ "message": spent, "type": "insufficient_quota" })),
            (429, json!({ "message": spent, "code": "insufficient_quota" })),
            (429, json!({ "message": spent })),
            (429, json!({ "message": "Account is not active", "code": "billing_not_active" })),
            (400, json!({ "message": "Billing hard limit has been reached", "code": "billing_hard_limit_reached" })),
            (
                402,
                json!({ "message": "Insufficient Balance", "type": "unknown_error", "code": "invalid_request_error" }),
            ),
            (429, json!({ "message": "Your account is suspended", "type": "exceeded_current_quota_error" })),
            (400, json!({ "message": "Access denied, your account is in arrears", "code": "Arrearage" })),
            (403, json!({ "message": "The free tier is used up", "code": "AllocationQuota.FreeTierOnly" })),
            (429, json!({ "code": "1113", "message": "余额不足或无可用资源包，请充值。" })),
            (429, json!({ "code": 1113, "message": "Your account is in arrears" })),
            (
                400,
                json!({ "message": "Your credit balance is too low to access the API.", "type": "invalid_request_error" }),
            ),
            (400, json!({ "message": "Budget has been exceeded!", "type": "budget_exceeded", "code": "400" })),
            (429, json!({ "message": "Requests are over", "code": "QuotaExceeded" })),
            (403, json!({ "message": "Overdue", "code": "AccountOverdueError", "type": "Forbidden" })),
            (
                429,
                json!({ "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded", "details": [daily] }),
            ),
            (
                429,
                json!({ "message": "Provider returned error", "code": 429, "metadata": { "raw":
                json!({ "error": { "message": "suspended", "type": "exceeded_current_quota_error" } }).to_string() } }),
            ),
        ] {
            let (word, _) = outcome(&reply(status, &json!({ "error": error })));
            assert_eq!(word, "refused all", "{error}");
        }
        let minute = json!({ "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{ "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier" }] });
        let retry = json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.5s" });
        let limited =
            json!({ "code": 429, "status": "RESOURCE_EXHAUSTED", "message": spent, "details": [minute, retry] });
        for error in [
            json!({ "message": "Rate limit reached for gpt-4o", "type": "tokens", "code": "rate_limit_exceeded" }),
            json!({ "message": "max request per minute reached", "type": "rate_limit_reached_error" }),
            json!({ "message": "Requests rate limit exceeded", "code": "Throttling.RateQuota" }),
            json!({ "code": "1302", "message": "您当前使用该 API 的并发数过高" }),
            json!("Too many requests"),
            limited.clone(),
        ] {
            assert_eq!(outcome(&reply(429, &json!({ "error": error }))).0, "limited", "{error}");
        }
        let Reply::Limited { wait, .. } = reply(429, &json!([{ "error": limited }])) else { panic!() };
        assert_eq!(wait, Some(Duration::from_millis(45_500)));
        // The endpoint says when to come back, so a word that is said of rates, too, means a rate.
        let said = Said::of(&json!({ "message": "Tokens are used up", "code": "token_quota_exceeded" }));
        let wait = Some(Duration::from_secs(20));
        assert_eq!(outcome(&said.reply(Some(429), wait, None)).0, "limited");
        assert_eq!(outcome(&said.reply(Some(429), None, None)).0, "refused all");
    }

    #[test]
    fn an_error_means_what_its_status_says_wherever_that_is() {
        let inside = |error: Value| outcome(&Said::of(&error).reply(None, None, None)).0;
        assert_eq!(inside(json!({ "code": 502, "message": "x" })), "failed");
        assert_eq!(inside(json!({ "message": "x" })), "failed");
        assert_eq!(inside(json!({ "code": 400, "message": "x" })), "refused");
        assert_eq!(inside(json!({ "code": "429", "message": "x" })), "limited");
        assert_eq!(inside(json!({ "type": "overloaded_error", "message": "x" })), "failed");
        assert_eq!(inside(json!({ "type": "rate_limit_error", "message": "x" })), "limited");
        assert_eq!(inside(json!({ "type": "invalid_request_error", "message": "x" })), "refused");
        assert_eq!(inside(json!({ "type": "authentication_error", "message": "x" })), "refused all");
        assert_eq!(inside(json!({ "status_code": 1004, "status_msg": "x" })), "refused all");
        assert_eq!(inside(json!({ "status_code": 1002, "status_msg": "x" })), "limited");
        assert_eq!(inside(json!({ "status_code": 1008, "status_msg": "insufficient balance" })), "refused all");
        for (status, word) in [
            (400, "refused"),
            (401, "refused all"),
            (402, "refused all"),
            (403, "refused all"),
            (404, "refused all"),
            (405, "refused all"),
            (408, "failed"),
            (409, "failed"),
            (413, "refused"),
            (422, "refused"),
            (425, "failed"),
            (429, "limited"),
            (500, "failed"),
            (503, "failed"),
            (529, "failed"),
        ] {
            assert_eq!(outcome(&reply(status, &json!({ "error": { "message": "x" } }))).0, word, "{status}");
        }
        // A gateway's own status around the limit of the server behind it.
        assert_eq!(outcome(&reply(500, &json!({ "error": { "message": "x", "code": 429 } }))).0, "limited");
    }

    #[test]
    fn the_message_is_found_wherever_it_is() {
        let check = |body: &str, message: &str| assert_eq!(Said::read(body.as_bytes()).message, message, "{body}");
        check(r#"{"error": {"message": "no"}}"#, "no");
        check(r#"[{"error": {"message": "no", "status": "X"}}]"#, "no");
        check(r#"{"error": "no"}"#, "no");
        check(r#"{"message": "no"}"#, "no");
        check(r#"{"detail": "no"}"#, "no");
        check(r#"{"object": "error", "message": "no", "code": 400}"#, "no");
        check(r#"{"base_resp": {"status_code": 1, "status_msg": "no"}}"#, "no");
        check(
            r#"{"detail": [{"loc": ["body", "seed"], "msg": "extra", "type": "x"}, {"msg": "no"}]}"#,
            "seed: extra; no",
        );
        check(r#"{"error": {"message": "{\"error\": {\"message\": \"no\"}}"}}"#, "no");
        check(r#"{"error": {"message": "upstream", "metadata": {"raw": "no"}}}"#, "upstream: no");
        check(r#"{"error": {"message": "upstream", "metadata": {"raw": "{\"error\": \"no\"}"}}}"#, "upstream: no");
        check("Bad gateway\n", "Bad gateway");
        check("", "");
        let deep = (0..10)
            .fold(r#"{"error": "no"}"#.to_owned(), |inner, _| json!({ "error": { "message": inner } }).to_string());
        assert!(Said::read(deep.as_bytes()).message.contains("no"));
        let said = Said::read(br#"{"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}"#);
        assert_eq!(said.param.as_deref(), Some("seed"));
    }
}
