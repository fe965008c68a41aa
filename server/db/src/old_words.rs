//! The values into which migrations 17 and 46 convert the English sentences that earlier versions stored: reasons,
//! changes, flags, limits and faults.
//!
//! Called by `db::migrations` alone. It works on JSON and not on today's types, because those keep changing and stored
//! data does not. A sentence that it does not know stays readable as text.

use serde_json::{Map, Value, json};

/// A stored text with values instead of sentences.
type InValues = fn(&str) -> String;

/// The functions by the names that the migration calls.
pub const FUNCTIONS: [(&str, InValues); 6] = [
    ("outcome_in_values", outcome),
    ("environment_in_values", environment),
    ("fault_in_values", fault),
    ("request_fault_in_values", request_fault),
    ("stop_reason_in_values", stop_reason),
    ("routine_fault_in_values", routine_fault),
];

/// Sentences without values, and the reasons that they are.
const REASONS: &[(&str, &str)] = &[
    ("something that is no frame came over the control socket", "not_a_frame"),
    ("a false result came over the control socket", "false_result"),
    ("it printed without end", "printed_too_much"),
    ("it used up its processor time", "cpu_time"),
    ("it used more memory than the sandbox has", "sandbox_memory"),
    ("it waited until its wall time was over", "waiting_time"),
    ("the JVM ended before there was a result", "ended_early"),
    ("the JVM was lost", "lost"),
    ("the compiler used up its CPU time on this source", "compiler_cpu"),
    ("the compiler ran out of stack on this source", "compiler_stack"),
    ("the compiler ran out of memory on this source", "compiler_memory"),
    ("the compiler crashed on this source", "compiler_crash"),
    ("the compiler refused this source and gave no message", "compiler_silent"),
    ("the compiler refused it without a word", "compiler_silent"),
    ("reading the output as Java used up its CPU time", "parsing_cpu"),
    ("reading the output as Java took more steps than are allowed for its length", "parsing_steps"),
    (
        "the output cannot be read as Java: it nests hundreds of brackets, or is broken so badly that the parser was \
         stopped",
        "parsing_steps",
    ),
    ("the output cannot be parsed", "parsing_steps"),
    ("the output holds no code", "no_code"),
    ("it reported a pass that its own answers do not support", "unconfirmed"),
    ("the test class returned no pair of numbers", "no_counts"),
];

const TOO_DEEP: &str = "the output nests brackets more than 256 deep, or leaves more than 2,000 `<` open";

const SETTINGS: &[(&str, &str)] = &[
    ("locale", "locale"),
    ("time zone", "time_zone"),
    ("System.in", "standard_input"),
    ("System.out", "standard_output"),
    ("System.err", "standard_error"),
    ("system properties", "system_properties"),
    ("security properties", "security_properties"),
    ("uncaught exception handler", "exception_handler"),
];

/// The texts of flags, and their kinds.
const FLAGS: &[(&str, &str)] = &[
    ("ends the JVM", "exit"),
    ("starts a process", "process"),
    ("reaches for native code", "native"),
    ("looks at its surroundings by reflection", "reflection"),
    ("uses file descriptors", "descriptor"),
    ("looks at the host's files", "host"),
    ("opens sockets", "network"),
    ("changes defaults of the whole JVM", "defaults"),
    ("has an `equals` of its own, which a test could be asked to trust", "equals"),
    ("starts threads", "threads"),
    ("the pass could not be repeated outside of its process", "unconfirmed"),
];

/// The names of sandbox checks.
const CHECKS: &[(&str, &str)] = &[
    ("right code passes", "right_code"),
    ("wrong code fails", "wrong_code"),
    ("files of the host cannot be read", "host_files"),
    ("nothing can be written but scratch", "writes"),
    ("scratch is bounded", "scratch_size"),
    ("code in scratch cannot be loaded", "scratch_code"),
    ("the process's own memory is no file", "own_memory"),
    ("no sockets", "sockets"),
    ("no processes", "processes"),
    ("no unsafe memory access", "unsafe_memory"),
    ("no way under the JVM", "unsafe_memory"),
    ("native code cannot be bound", "native_binding"),
    ("libraries cannot be loaded", "libraries"),
    ("no access of JDK code can be borrowed", "borrowed_access"),
    ("no foreign memory or functions", "foreign_memory"),
    ("the control descriptor cannot be made by reflection", "descriptor_by_reflection"),
    ("results cannot be forged", "descriptor_by_reflection"),
    ("the control descriptor cannot be reached by number", "descriptor_by_number"),
    ("results cannot be forged by native code", "forged_results"),
    ("expected values cannot be read", "expected_values"),
    ("passes are confirmed outside of the solution's process", "confirmation"),
    ("leaving early is no pass", "early_exit"),
    ("changed defaults are seen", "changed_defaults"),
];

const VERDICTS: &[&str] =
    &["passed", "failed", "compile_error", "timeout", "out_of_memory", "crashed", "no_result", "tampered", "anomaly"];

/// The text between a beginning and an end.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.strip_prefix(before)?.strip_suffix(after)
}

fn known(list: &[(&str, &'static str)], text: &str) -> Option<&'static str> {
    list.iter().find(|(said, _)| *said == text).map(|(_, code)| *code)
}

/// An outcome with values; as it is where it is no JSON object.
pub fn outcome(stored: &str) -> String {
    let Ok(Value::Object(mut outcome)) = serde_json::from_str(stored) else { return stored.to_owned() };
    if !outcome.contains_key("reason")
        && let Some((reason, message)) = reason(&outcome)
    {
        outcome.insert("reason".into(), reason);
        outcome.insert("message".into(), message.into());
    }
    each(&mut outcome, "flags", flag);
    each(&mut outcome, "changes", change);
    Value::Object(outcome).to_string()
}

fn each(outcome: &mut Map<String, Value>, list: &str, to_values: fn(&Value) -> Option<Value>) {
    if let Some(Value::Array(items)) = outcome.get_mut(list) {
        items.iter_mut().for_each(|item| {
            if let Some(values) = to_values(item) {
                *item = values;
            }
        });
    }
}

/// The reason in an outcome's message, and what is left of the message; `None` where it holds none of ours.
fn reason(outcome: &Map<String, Value>) -> Option<(Value, String)> {
    let message = outcome.get("message")?.as_str()?;
    let verdict = outcome.get("verdict").and_then(Value::as_str).unwrap_or_default();
    let said = match known(REASONS, message) {
        Some(code) => Some(json!({ "code": code })),
        None => reason_with_values(message, verdict),
    };
    if let Some(reason) = said {
        return Some((reason, String::new()));
    }
    // The remaining refusals are the compiler's.
    let first = outcome.get("diagnostics")?.get(0)?;
    let (line, words) = (first.get("line")?, first.get("message")?.as_str()?);
    let shown = match line.as_u64() {
        Some(line) => format!("line {line}: {words}"),
        None => words.to_owned(),
    };
    (verdict == "compile_error" && message == shown)
        .then(|| (json!({ "code": "compiler_error", "line": line }), words.to_owned()))
}

fn reason_with_values(message: &str, verdict: &str) -> Option<Value> {
    if message == TOO_DEEP {
        return Some(json!({ "code": "nested_too_deep", "brackets": 256, "angles": 2000 }));
    }
    if message == "the output is longer than 1 MiB" {
        return Some(json!({ "code": "output_too_long", "limit_bytes": 1 << 20 }));
    }
    if let Some((_, most)) =
        between(message, "the output has ", " are taken").and_then(|text| text.split_once(" bytes, and no more than "))
    {
        return Some(json!({ "code": "output_too_long", "limit_bytes": most.parse::<u64>().ok()? }));
    }
    if let Some(signal) = message.strip_prefix("the JVM was ended by signal ") {
        return Some(json!({ "code": "signal", "signal": signal.parse::<i32>().ok()? }));
    }
    if let Some(code) = between(message, "the JVM was ended (exit code ", ") before there was a result") {
        return Some(json!({ "code": "ended_early", "exit_code": code.parse::<i32>().ok()? }));
    }
    if let Some(changed) = message.strip_prefix("it changed what the tests rest on: ") {
        let settings: Option<Vec<&str>> = changed.split(", ").map(|name| known(SETTINGS, name)).collect();
        return Some(json!({ "code": "changed_settings", "settings": settings? }));
    }
    let counts = between(message, "the tests reported ", " cases passed").filter(|_| verdict == "anomaly")?;
    let (passed, total) = counts.split_once(" of ")?;
    let (passed, total) = (passed.parse::<i32>().ok()?, total.parse::<i32>().ok()?);
    Some(json!({ "code": "impossible_counts", "passed": passed, "total": total }))
}

fn flag(flag: &Value) -> Option<Value> {
    let (line, detail) = (flag.get("line").unwrap_or(&Value::Null), flag.get("detail")?.as_str()?);
    let left = detail.strip_suffix(" threads were left running").and_then(|count| count.parse::<u32>().ok());
    Some(match (known(FLAGS, detail), left) {
        (Some(kind), _) => json!({ "line": line, "kind": kind }),
        (None, Some(count)) => json!({ "line": line, "kind": "threads_left", "count": count }),
        (None, None) => json!({ "line": line, "kind": "other", "text": detail }),
    })
}

fn change(change: &Value) -> Option<Value> {
    let detail = change.get("detail")?.as_str()?;
    Some(change_with_values(detail).unwrap_or_else(|| json!({ "kind": "other", "text": detail })))
}

fn change_with_values(detail: &str) -> Option<Value> {
    let middle = |before: &str, after: &str| between(detail, before, after);
    let two = |before: &str, separator: &str, after: &str| middle(before, after)?.split_once(separator);
    let fixed = match detail {
        "the text is a bare body: the task's signature and the class were put around it" => Some("wrap_body"),
        "only one class of a file may be public" => Some("one_public_class"),
        "its constructor was private, and the tests have to call it" => Some("constructor"),
        "the class must be one that objects can be made of" => Some("abstract"),
        _ => None,
    };
    if let Some(kind) = fixed {
        return Some(json!({ "kind": kind }));
    }
    if let Some((first, last)) = two("only the fenced code of lines ", " to ", " was taken") {
        return Some(
            json!({ "kind": "fence", "first": first.parse::<u32>().ok()?, "last": last.parse::<u32>().ok()? }),
        );
    }
    if let Some(declaration) = middle("`", "` was left out: the dataset says which package it is") {
        return Some(json!({ "kind": "package", "declaration": declaration }));
    }
    if let Some(name) = middle("`import ", "` was left out: there is no such thing here, and it is not used") {
        return Some(json!({ "kind": "import_left_out", "name": name }));
    }
    if let Some(class) = middle("the class ", " was put around the method") {
        return Some(json!({ "kind": "wrap", "class": class }));
    }
    if let Some((from, to)) = two("the class ", " is called ", " here") {
        return Some(json!({ "kind": "rename", "from": from, "to": to }));
    }
    if let Some((base, was)) = detail.strip_prefix("it extends ").and_then(|text| text.split_once(" here, not ")) {
        return Some(json!({ "kind": "extends", "base": base, "was": was }));
    }
    if let Some(base) = detail.strip_prefix("it extends ") {
        return Some(json!({ "kind": "extends", "base": base, "was": null }));
    }
    if let Some(interface) = detail.strip_prefix("it implements ") {
        return Some(json!({ "kind": "implements", "interface": interface }));
    }
    if let Some(method) = detail.strip_suffix(" was static, and overrides a method of an object") {
        return Some(json!({ "kind": "static", "method": method }));
    }
    if let Some((member, calls)) = detail.split_once(" was static and calls ") {
        let member = Some(member).filter(|name| *name != "a member");
        return Some(json!({ "kind": "static_caller", "member": member, "calls": calls }));
    }
    if let Some((method, was)) = two("", " was ", ", and the tests have to call it") {
        return Some(json!({ "kind": "public", "method": method, "was": was }));
    }
    detail.strip_prefix("import ").map(|name| json!({ "kind": "import", "name": name }))
}

/// A run's environment with values; as it is where it is no JSON object.
pub fn environment(stored: &str) -> String {
    let Ok(Value::Object(mut environment)) = serde_json::from_str(stored) else { return stored.to_owned() };
    if !matches!(environment.get("conditions"), Some(Value::Object(_))) {
        let line = environment.get("limits").and_then(Value::as_str).unwrap_or_default();
        if let Some(conditions) = conditions(line) {
            environment.insert("conditions".into(), conditions);
        }
    }
    if let Some(Value::Object(conditions)) = environment.get_mut("conditions") {
        let checks = conditions.get("fallen").and_then(Value::as_str).and_then(failed_checks);
        if let Some(checks) = checks {
            conditions.remove("fallen");
            conditions.insert("failed_checks".into(), checks.into());
        }
        // The same in English.
        environment.remove("limits");
    }
    if environment.get("limits").is_some_and(|limits| limits == "") {
        environment.remove("limits");
    }
    Value::Object(environment).to_string()
}

/// The values in a line of limits; `None` for the shortest lines, which say nothing of mode and isolation.
fn conditions(line: &str) -> Option<Value> {
    let (line, fallen) = match line.split_once("; the operator let it run although walls had fallen: ") {
        Some((line, why)) => (line, Some(why)),
        None => (line, None),
    };
    let [limits, mode, dates, layers]: [&str; 4] = line.split("; ").collect::<Vec<_>>().try_into().ok()?;
    let [cpu, wall, heap, threads, network]: [&str; 5] = limits.split(", ").collect::<Vec<_>>().try_into().ok()?;
    if network != "no network" {
        return None;
    }
    let number = |text: &str, unit: &str| text.strip_suffix(unit)?.parse::<u64>().ok();
    let fast = match mode {
        "fast: outputs that keep to themselves share a JVM" => true,
        "strict: a JVM for each output" => false,
        _ => return None,
    };
    let dates = match dates {
        "today's date" => None,
        other => Some(other.strip_prefix("dates as of ")?),
    };
    let (landlock, groups) = layers.rsplit_once(", ")?;
    let landlock = match landlock {
        "no Landlock" => false,
        landlock if landlock.starts_with("Landlock (") => true,
        _ => return None,
    };
    let groups = match groups {
        "no control groups" => None,
        "control groups (memory as one sum)" => Some("memory"),
        "control groups (threads as one sum)" => Some("threads"),
        "control groups (memory and threads as one sum)" => Some("memory_and_threads"),
        _ => return None,
    };
    Some(json!({
        "cpu_s": number(cpu, " s processor time")?,
        "wall_s": number(wall, " s wall time")?,
        "heap_mib": number(heap, " MiB heap")?,
        "threads": number(threads, " threads")?,
        "fast": fast,
        "dates": dates,
        "landlock": landlock,
        "groups": groups,
        "fallen": fallen,
    }))
}

/// The checks in a text about failed ones; `None` where a part of it is none.
fn failed_checks(text: &str) -> Option<Vec<Value>> {
    text.strip_prefix('"')?.split("; \"").map(failed_check).collect()
}

fn failed_check(text: &str) -> Option<Value> {
    let (name, text) = text.split_once("\" does not hold: the trial should have come to ")?;
    let (expected, text) = text.split_once(" and came to ")?;
    let (found, message) = text.strip_suffix(')')?.split_once(" (")?;
    if ![expected, found].iter().all(|verdict| VERDICTS.contains(verdict)) {
        return None;
    }
    let said = json!({ "verdict": found, "message": message });
    let (reason, message) = match said.as_object().and_then(reason) {
        Some((reason, message)) => (reason, message),
        None => (Value::Null, message.to_owned()),
    };
    let check = known(CHECKS, name)?;
    Some(json!({ "check": check, "expected": expected, "found": found, "reason": reason, "message": message }))
}

/// A fault as a value.
pub fn fault(stored: &str) -> String {
    const KINDS: [(&str, &str); 4] = [
        ("the sandbox could not be started: ", "sandbox"),
        ("the Java side failed: ", "harness"),
        ("the host is too busy: ", "busy"),
        ("the dataset's tests cannot be used: ", "tests"),
    ];
    let detailed = KINDS.iter().find_map(|(before, code)| Some((*code, stored.strip_prefix(before)?)));
    let value = match detailed {
        Some((code, detail)) => json!({ "code": code, "detail": detail }),
        None if stored == "the dataset has no tests" => json!({ "code": "no_tests" }),
        None => json!({ "code": "other", "text": stored }),
    };
    value.to_string()
}

/// Why a request to a webhook or an endpoint failed, as a value. A webhook's HTTP status stands before its text, as in
/// texts about endpoints.
fn request_fault(stored: &str) -> String {
    known_request_fault(stored).unwrap_or_else(|| json!({ "code": "other", "text": stored })).to_string()
}

fn known_request_fault(stored: &str) -> Option<Value> {
    if let Some(text) = stored.strip_prefix("HTTP ") {
        let (status, text) = text.split_at_checked(3)?;
        let status: u16 = status.parse().ok()?;
        if text.ends_with("a redirect, which is not followed") {
            return Some(json!({ "code": "redirect", "status": status }));
        }
        let detail = match text.split_once(": ") {
            Some((_, detail)) if detail.starts_with("the address responded with ") => "",
            Some((_, detail)) => detail,
            None => "",
        };
        return Some(match detail {
            "" => json!({ "code": "status", "status": status }),
            detail => json!({ "code": "status", "status": status, "detail": detail }),
        });
    }
    if let Some(text) = stored.strip_prefix("the answer is not a chat completion: ") {
        return Some(json!({ "code": "not_a_completion", "detail": text }));
    }
    let number = |before, after| stored.strip_prefix(before)?.strip_suffix(after)?.parse::<u64>().ok();
    if let Some(seconds) = number("no response within ", " seconds") {
        return Some(json!({ "code": "timeout", "seconds": seconds }));
    }
    if let Some(mib) = number("the answer is larger than ", " MiB") {
        return Some(json!({ "code": "body_too_large", "limit_bytes": mib << 20 }));
    }
    if let Some(kib) = number("the response is longer than ", " KiB") {
        return Some(json!({ "code": "response_too_long", "limit_bytes": kib << 10 }));
    }
    let code = match stored {
        "no complete answer in time" => "timeout",
        "the answer has no choice" => "no_choice",
        "the operator does not allow this host (--webhook-host)" => "host_not_allowed",
        "the secret of the webhook is damaged; delete the webhook and create a new one" => "damaged_secret",
        _ => return None,
    };
    Some(json!({ "code": code }))
}

/// Why a collection stopped, with the fault of its last request as a value.
fn stop_reason(stored: &str) -> String {
    let Ok(mut reason) = serde_json::from_str::<Value>(stored) else { return stored.to_owned() };
    let is_of_a_request = matches!(reason["kind"].as_str(), Some("refused" | "failing"));
    if let (true, Some(text)) = (is_of_a_request, reason["text"].as_str()) {
        reason["text"] = known_request_fault(text).unwrap_or_else(|| json!({ "code": "other", "text": text }));
    }
    reason.to_string()
}

/// Why a daily routine failed, as a value; it was a message in both languages.
fn routine_fault(stored: &str) -> String {
    let message = serde_json::from_str::<Value>(stored).unwrap_or_default();
    let text = message["en"].as_str().unwrap_or(stored);
    let between = |before: &str, after: &str| Some(text.strip_prefix(before)?.split_once(after)?.0.to_owned());
    let damage = between("SQLite found damage in the database: ", ". Make a copy of the data folder");
    let full = between("The disk is full: ", " cannot be written. Free some space");
    let value = match (damage, full) {
        (Some(detail), _) => json!({ "code": "damaged", "detail": detail }),
        (None, Some(path)) => json!({ "code": "disk_full", "path": path }),
        (None, None) => json!({ "code": "other", "text": text }),
    };
    value.to_string()
}

#[cfg(test)]
#[path = "old_words_test.rs"]
mod tests;
