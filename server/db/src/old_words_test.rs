//! Every sentence that an earlier version stored, read as today's values.

use model::{
    collection::StopReason,
    fault::{RequestFault, RoutineFault},
    reason::{Change, FailedCheck, Fault, Flag, Reason, SandboxCheck, Setting, Sign},
    run::{Environment, Outcome, Sums, Verdict},
};

use super::*;

fn old(verdict: &str, message: &str) -> Value {
    json!({
        "verdict": verdict, "limit": null, "passed": 0, "total": 0, "cpu_ms": 1, "wall_ms": 2, "memory_kib": 3,
        "message": message, "printed": "", "source": "", "changes": [], "diagnostics": [], "flags": [], "cases": [],
    })
}

fn read(stored: &Value) -> Outcome {
    serde_json::from_str(&outcome(&stored.to_string())).unwrap()
}

#[test]
fn messages_become_reasons() {
    let check = |verdict: &str, message: &str, reason: Reason| {
        let found = read(&old(verdict, message));
        assert_eq!((found.reason, found.message.as_str()), (Some(reason), ""), "{message}");
    };
    check("tampered", "something that is no frame came over the control socket", Reason::NotAFrame);
    check("tampered", "a false result came over the control socket", Reason::FalseResult);
    check("crashed", "it printed without end", Reason::PrintedTooMuch);
    check("timeout", "it used up its processor time", Reason::CpuTime { limit_ms: None });
    check("out_of_memory", "it used more memory than the sandbox has", Reason::SandboxMemory);
    check("timeout", "it waited until its wall time was over", Reason::WaitingTime { limit_ms: None });
    check("no_result", "the JVM ended before there was a result", Reason::EndedEarly { exit_code: None });
    let exit = Reason::EndedEarly { exit_code: Some(3) };
    check("no_result", "the JVM was ended (exit code 3) before there was a result", exit);
    check("crashed", "the JVM was ended by signal 9", Reason::Signal { signal: 9 });
    check("crashed", "the JVM was lost", Reason::Lost);
    let settings = vec![Setting::Locale, Setting::StandardOutput];
    check("tampered", "it changed what the tests rest on: locale, System.out", Reason::ChangedSettings { settings });
    check("tampered", "it reported a pass that its own answers do not support", Reason::Unconfirmed);
    check("compile_error", "the compiler used up its CPU time on this source", Reason::CompilerCpu);
    check("compile_error", "the compiler ran out of stack on this source", Reason::CompilerStack);
    check("compile_error", "the compiler ran out of memory on this source", Reason::CompilerMemory);
    check("compile_error", "the compiler crashed on this source", Reason::CompilerCrash);
    check("compile_error", "the compiler refused this source and gave no message", Reason::CompilerSilent);
    check("compile_error", "the compiler refused it without a word", Reason::CompilerSilent);
    let deep = Reason::NestedTooDeep { brackets: 256, angles: 2000 };
    check("compile_error", TOO_DEEP, deep);
    check("compile_error", "reading the output as Java used up its CPU time", Reason::ParsingCpu);
    let steps = "reading the output as Java took more steps than are allowed for its length";
    check("compile_error", steps, Reason::ParsingSteps);
    let broken = "the output cannot be read as Java: it nests hundreds of brackets, or is broken so badly that the \
        parser was stopped";
    check("compile_error", broken, Reason::ParsingSteps);
    check("compile_error", "the output cannot be parsed", Reason::ParsingSteps);
    check("compile_error", "the output holds no code", Reason::NoCode);
    let long = Reason::OutputTooLong { limit_bytes: 1 << 20 };
    check("compile_error", "the output is longer than 1 MiB", long.clone());
    check("compile_error", "the output has 2000000 bytes, and no more than 1048576 are taken", long);
    check("anomaly", "the test class returned no pair of numbers", Reason::NoCounts);
    let counts = Reason::ImpossibleCounts { passed: -1, total: 4 };
    check("anomaly", "the tests reported -1 of 4 cases passed", counts);
}

#[test]
fn the_compilers_message_stays_text_with_its_line() {
    let mut stored = old("compile_error", "line 4: ';' expected");
    stored["diagnostics"] = json!([{ "line": 4, "message": "';' expected" }]);
    let found = read(&stored);
    assert_eq!(found.reason, Some(Reason::CompilerError { line: Some(4) }));
    assert_eq!(found.message, "';' expected");
    let mut stored = old("compile_error", "too many errors");
    stored["diagnostics"] = json!([{ "line": null, "message": "too many errors" }]);
    assert_eq!(read(&stored).reason, Some(Reason::CompilerError { line: None }));
}

#[test]
fn messages_of_programs_and_unknown_sentences_stay_text() {
    for message in [
        "java.lang.StackOverflowError",
        "it changed what the tests rest on: the weather",
        "the tests reported 3 of 4 cases passed",
        "the JVM was ended by signal nine",
        "",
    ] {
        let found = read(&old("crashed", message));
        assert_eq!((found.reason, found.message.as_str()), (None, message));
    }
    let today = serde_json::to_string(&Outcome {
        reason: Some(Reason::Lost),
        message: "it printed without end".into(),
        ..Outcome::new(Verdict::Crashed)
    });
    let today = today.unwrap();
    let after: Outcome = serde_json::from_str(&outcome(&today)).unwrap();
    assert_eq!(after, serde_json::from_str(&today).unwrap(), "what has values already stays");
    assert_eq!((outcome("{}"), outcome("no JSON"), environment("[]")), ("{}".into(), "no JSON".into(), "[]".into()));
}

#[test]
fn flags_become_signs() {
    let check = |kind: &str, detail: &str, sign: Sign| {
        let mut stored = old("passed", "");
        stored["flags"] = json!([{ "kind": kind, "line": 2, "detail": detail }]);
        assert_eq!(read(&stored).flags, [Flag { line: Some(2), sign }], "{detail}");
    };
    check("exit", "ends the JVM", Sign::Exit);
    check("process", "starts a process", Sign::Process);
    check("native", "reaches for native code", Sign::Native);
    check("reflection", "looks at its surroundings by reflection", Sign::Reflection);
    check("descriptor", "uses file descriptors", Sign::Descriptor);
    check("host", "looks at the host's files", Sign::Host);
    check("network", "opens sockets", Sign::Network);
    check("defaults", "changes defaults of the whole JVM", Sign::Defaults);
    check("equals", "has an `equals` of its own, which a test could be asked to trust", Sign::Equals);
    check("threads", "starts threads", Sign::Threads);
    check("threads", "3 threads were left running", Sign::ThreadsLeft { count: 3 });
    check("unconfirmed", "the pass could not be repeated outside of its process", Sign::Unconfirmed);
    check("odd", "something else", Sign::Other { text: "something else".into() });
}

#[test]
fn notes_of_changes_become_changes() {
    let text = |text: &str| text.to_owned();
    let check = |detail: &str, change: Change| {
        for names in [json!(null), json!(["x"])] {
            let mut stored = old("passed", "");
            stored["changes"] = json!([{ "kind": "k", "detail": detail, "names": names }]);
            assert_eq!(read(&stored).changes, std::slice::from_ref(&change), "{detail}");
        }
    };
    check("only the fenced code of lines 2 to 9 was taken", Change::Fence { first: 2, last: 9 });
    let declaration = text("package a.b;");
    check("`package a.b;` was left out: the dataset says which package it is", Change::Package { declaration });
    check("the text is a bare body: the task's signature and the class were put around it", Change::WrapBody);
    check("the class S1 was put around the method", Change::Wrap { class: text("S1") });
    check("the class A is called S1 here", Change::Rename { from: text("A"), to: text("S1") });
    check("only one class of a file may be public", Change::OnePublicClass);
    let public = Change::Public { method: text("f"), was: text("private") };
    check("f was private, and the tests have to call it", public);
    check("its constructor was private, and the tests have to call it", Change::Constructor);
    check("the class must be one that objects can be made of", Change::Abstract);
    check("it extends q.Base", Change::Extends { base: text("q.Base"), was: None });
    check("it extends q.Base here, not Other", Change::Extends { base: text("q.Base"), was: Some(text("Other")) });
    check("it implements t.T.Solution", Change::Implements { interface: text("t.T.Solution") });
    check("f was static, and overrides a method of an object", Change::Static { method: text("f") });
    let calls = || text("f");
    check("g was static and calls f", Change::StaticCaller { member: Some(text("g")), calls: calls() });
    check("a member was static and calls f", Change::StaticCaller { member: None, calls: calls() });
    check("import java.util.List", Change::Import { name: text("java.util.List") });
    let name = text("a.B");
    check("`import a.B` was left out: there is no such thing here, and it is not used", Change::ImportLeftOut { name });
    check("something else", Change::Other { text: text("something else") });
}

fn environment_of(limits: &str) -> Environment {
    let stored = json!({
        "java": "17", "time_zone": "UTC", "locale": "en-US", "encoding": "UTF-8", "limits": limits, "fingerprint": "f",
    });
    serde_json::from_str(&environment(&stored.to_string())).unwrap()
}

#[test]
fn lines_of_limits_become_conditions() {
    let found = environment_of(
        "10 s processor time, 60 s wall time, 256 MiB heap, 64 threads, no network; strict: a JVM for each output; \
         dates as of june-2022; Landlock (TCP, abstract sockets and signals, as far as this kernel can), control \
         groups (memory and threads as one sum); the operator let it run although walls had fallen: \"no sockets\" \
         does not hold: the trial should have come to failed and came to passed (); \"leaving early is no pass\" does \
         not hold: the trial should have come to no_result and came to timeout (it used up its processor time)",
    );
    let conditions = found.conditions.unwrap();
    assert_eq!((conditions.cpu_s, conditions.wall_s, conditions.heap_mib, conditions.threads), (10, 60, 256, 64));
    assert_eq!((conditions.fast, conditions.landlock), (false, true));
    assert_eq!((conditions.dates.as_deref(), conditions.groups), (Some("june-2022"), Some(Sums::MemoryAndThreads)));
    let (check, message) = (SandboxCheck::Sockets, String::new());
    let sockets = FailedCheck {
        lang: None,
        check,
        expected: Verdict::Failed,
        found: Verdict::Passed,
        reason: None,
        message: message.clone(),
    };
    let exit = FailedCheck {
        lang: None,
        check: SandboxCheck::EarlyExit,
        expected: Verdict::NoResult,
        found: Verdict::Timeout,
        reason: Some(Reason::CpuTime { limit_ms: None }),
        message,
    };
    assert_eq!((conditions.failed_checks, conditions.fallen, found.limits), (vec![sockets, exit], None, None));

    let plain = environment_of(
        "10 s processor time, 60 s wall time, 256 MiB heap, 64 threads, no network; fast: outputs that keep to \
         themselves share a JVM; today's date; no Landlock, no control groups",
    );
    let conditions = plain.conditions.unwrap();
    assert!(conditions.fast && !conditions.landlock && conditions.groups.is_none() && conditions.dates.is_none());

    // Says nothing of mode and isolation, so it stays a text.
    let short = "10 s processor time, 60 s wall time, 256 MiB heap, 64 threads, no network";
    assert_eq!(environment_of(short).limits.as_deref(), Some(short));
    assert!(environment_of(short).conditions.is_none());
}

#[test]
fn conditions_that_were_values_lose_their_line_and_keep_unknown_texts() {
    let stored = json!({
        "java": "17", "time_zone": "UTC", "locale": "en-US", "encoding": "UTF-8", "limits": "CPU time limit: 10 s",
        "conditions": {
            "cpu_s": 10, "wall_s": 60, "heap_mib": 256, "threads": 64, "fast": false, "dates": null, "landlock": true,
            "groups": null, "fallen": "\"no dragons\" does not hold: the trial should have come to failed",
        },
        "fingerprint": "f",
    });
    let found: Environment = serde_json::from_str(&environment(&stored.to_string())).unwrap();
    let conditions = found.conditions.unwrap();
    assert_eq!(found.limits, None);
    assert!(conditions.failed_checks.is_empty() && conditions.fallen.unwrap().contains("no dragons"));
}

#[test]
fn every_check_is_one_of_todays() {
    for (name, _) in CHECKS {
        let text =
            format!("\"{name}\" does not hold: the trial should have come to failed and came to crashed (x; \"y)");
        // A message may hold what separates checks: then the text stays.
        assert_eq!(failed_checks(&text), None);
        let text = text.replace("; \"y", "");
        let found: Vec<FailedCheck> = serde_json::from_value(failed_checks(&text).unwrap().into()).unwrap();
        assert_eq!((found.len(), found[0].message.as_str()), (1, "x"), "{name}");
    }
}

#[test]
fn faults_become_values() {
    let check = |stored: &str, expected: Fault| {
        assert_eq!(serde_json::from_str::<Fault>(&fault(stored)).unwrap(), expected, "{stored}");
    };
    let detail = || "x: y".to_owned();
    check("the sandbox could not be started: x: y", Fault::Sandbox { detail: detail() });
    check("the Java side failed: x: y", Fault::Harness { detail: detail() });
    check("the host is too busy: x: y", Fault::Busy { detail: detail() });
    check("the dataset's tests cannot be used: x: y", Fault::Tests { reason: None, detail: detail() });
    check("the dataset has no tests", Fault::NoTests);
    check("no JDK", Fault::Other { text: "no JDK".into() });
}

#[test]
fn reasons_of_failed_requests_become_values() {
    let check = |stored: &str, expected: RequestFault| {
        assert_eq!(serde_json::from_str::<RequestFault>(&request_fault(stored)).unwrap(), expected, "{stored}");
        let reason = json!({ "kind": "failing", "text": stored }).to_string();
        let stopped: StopReason = serde_json::from_str(&stop_reason(&reason)).unwrap();
        assert_eq!(stopped, StopReason::Failing(expected), "{stored}");
    };
    let status = |status, detail: &str| RequestFault::Status { status, detail: detail.into() };
    check("HTTP 500: the address responded with 500 Internal Server Error", status(500, ""));
    check("HTTP 500 Internal Server Error", status(500, ""));
    check("HTTP 400 Bad Request: too long: 9 tokens", status(400, "too long: 9 tokens"));
    let redirect = RequestFault::Redirect { status: 302 };
    check("HTTP 302: the address responded with a redirect, which is not followed", redirect.clone());
    check("HTTP 302 Found: a redirect, which is not followed", redirect);
    check("no response within 10 seconds", RequestFault::Timeout { seconds: Some(10) });
    check("no complete answer in time", RequestFault::Timeout { seconds: None });
    check("the answer is larger than 4 MiB", RequestFault::BodyTooLarge { limit_bytes: 4 << 20 });
    check("the response is longer than 256 KiB", RequestFault::ResponseTooLong { limit_bytes: 256 << 10 });
    check("the answer is not a chat completion: EOF", RequestFault::NotACompletion { detail: "EOF".into() });
    check("the answer has no choice", RequestFault::NoChoice);
    check("the operator does not allow this host (--webhook-host)", RequestFault::HostNotAllowed);
    check("the secret of the webhook is damaged; delete the webhook and create a new one", RequestFault::DamagedSecret);
    for unknown in ["error sending request: connection refused", "HTTP \u{4e09}: x"] {
        check(unknown, RequestFault::Other { text: unknown.into() });
    }
    for kept in [r#"{"kind":"admin"}"#, r#"{"kind":"tests","text":{"code":"no_tests"}}"#] {
        assert_eq!(stop_reason(kept), kept);
    }
}

#[test]
fn reasons_of_failed_routines_become_values() {
    let check = |en: &str, expected: RoutineFault| {
        let stored = json!({ "en": en, "zh": "" }).to_string();
        assert_eq!(serde_json::from_str::<RoutineFault>(&routine_fault(&stored)).unwrap(), expected, "{en}");
    };
    check(
        "SQLite found damage in the database: row 3 missing. Make a copy of the data folder, restore the last backup.",
        RoutineFault::Damaged { detail: "row 3 missing".into() },
    );
    check(
        "The disk is full: /backups cannot be written. Free some space, for example with \"aixgrade prune\".",
        RoutineFault::DiskFull { path: "/backups".into() },
    );
    check("no space", RoutineFault::Other { text: "no space".into() });
}
