//! What people can learn does not depend on who wrote what. In two data folders that differ only in the models of the
//! submissions, the same requests get the same answers, unless an admin sends them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::HashMap;

use axum::http::{HeaderMap, StatusCode};
use model::{
    grading::{Draft, Next},
    user::Role,
};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use services::accounts::Validity;

use crate::{
    blindness::{self, For, Here},
    util::{Answer, Client, TestApp},
};
use model::caller::System;

/// Requests of each person.
const STEPS: usize = 120;

/// Who sends requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Visitor,
    /// A rater of the study.
    Rater,
    /// A rater of no study.
    Stranger,
}

/// The demo with models that have exchanged their outputs and the names of their files.
async fn exchanged() -> TestApp {
    let app = TestApp::demo().await;
    let exchange = |tx: &rusqlite::Transaction<'_>| {
        let all: Vec<(i64, i64, String)> = tx
            .prepare("SELECT id, model_id, file_name FROM submissions ORDER BY id")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        assert_eq!(all.len(), 3);
        for ((id, ..), (_, model, file)) in all.iter().zip(all.iter().cycle().skip(1)) {
            tx.execute("UPDATE all_submissions SET model_id = ?2, file_name = ?3 WHERE id = ?1", (id, model, file))?;
        }
        Ok(())
    };
    app.services.db.write(exchange).await.unwrap();
    app
}

async fn client(app: &TestApp, who: Who) -> Client {
    match who {
        Who::Visitor => app.anonymous(),
        Who::Rater => app.rater().await,
        Who::Stranger => {
            let accounts = &app.services.accounts;
            accounts.add(System, "dora", Role::Rater, "demo-password-dora", Validity::Lasting).await.unwrap();
            app.demo_user("dora").await
        }
    }
}

/// The headers that do not have to differ.
fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let own = |name: &str| ["set-cookie", "date", "x-request-id", "server-timing"].contains(&name);
    let each = headers.iter().filter(|(name, _)| !own(name.as_str()));
    each.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

/// A text without nonces, times, and the order in which a page's data arrived, which differ between two answers to the same
/// request.
fn without_chance(text: &str) -> String {
    let mut text = text.to_owned();
    for before in ["'nonce-", "nonce=\"", "nonce&quot;:&quot;", "\"nonce\":\""] {
        while let Some(at) = text.find(before) {
            let from = at + before.len();
            let length = text[from..].find(|c: char| !c.is_ascii_alphanumeric() && !"+/=_-".contains(c)).unwrap_or(0);
            text.replace_range(at..from + length, "(nonce)");
        }
    }
    let text = in_order(&text);
    // Milliseconds since 1970, and times of day.
    let mut plain = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        match digits.len() {
            13 => plain.push_str("(time)"),
            2 if plain.ends_with(':') => plain.push_str("(minutes)"),
            _ => plain.push_str(&digits),
        }
        digits.clear();
        plain.push(c);
    }
    plain
}

/// A page with its data in the order of their numbers, in one script: Leptos writes each when it is there, in a script of its
/// own or together with others.
fn in_order(page: &str) -> String {
    const DATA: &str = "__RESOLVED_RESOURCES[";
    let page = page.replace("</script><script (nonce)\">", "");
    let mut parts: Vec<&str> = page.split_inclusive("\";").collect();
    for run in parts.chunk_by_mut(|one, other| one.starts_with(DATA) && other.starts_with(DATA)) {
        run.sort_unstable();
    }
    parts.concat()
}

/// The tokens that a world has drawn, by when they were first seen.
#[derive(Default)]
struct Tokens(HashMap<String, usize>);

impl Tokens {
    /// A text with the numbers of its tokens.
    fn numbered(&mut self, text: &str) -> String {
        let mut plain = String::new();
        for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_token = word.len() == 32 && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
            match is_token {
                true => {
                    let next = self.0.len();
                    let number = *self.0.entry(word.to_owned()).or_insert(next);
                    plain.push_str(&format!("(token {number}){}", &part[word.len()..]));
                }
                false => plain.push_str(part),
            }
        }
        plain
    }
}

/// A person in one of the worlds.
struct Side {
    client: Client,
    tokens: Tokens,
    at: Here,
    /// The output that was rated last.
    last: String,
}

impl Side {
    async fn of(app: &TestApp, who: Who) -> Side {
        let studies: Value = app.rater().await.rpc("my_studies", json!({})).await.json();
        let study = studies[0]["token"].as_str().unwrap().to_owned();
        let at = Here { study, item: "none".into(), disagreement: "none".into() };
        Side { client: client(app, who).await, tokens: Tokens::default(), at, last: "none".into() }
    }

    /// Tokens first: their digits can look like a time.
    fn seen_text(&mut self, text: &str) -> String {
        without_chance(&self.tokens.numbered(text))
    }

    /// What is compared of an answer.
    fn seen(&mut self, answer: &Answer) -> (StatusCode, Vec<(String, String)>, String) {
        let headers = headers(&answer.headers).into_iter().map(|(name, value)| (name, self.seen_text(&value)));
        let headers = headers.collect();
        (answer.status, headers, self.seen_text(&answer.body))
    }
}

/// The same person in both worlds.
struct Pair([Side; 2]);

impl Pair {
    fn check(&mut self, what: &str, [one, other]: [&Answer; 2]) {
        let [here, there] = &mut self.0;
        assert_eq!(here.seen(one), there.seen(other), "{what}");
    }

    async fn get(&mut self, what: &str, path: impl Fn(&Side) -> String) -> Answer {
        let [here, there] = &mut self.0;
        let paths = [path(here), path(there)];
        let (one, other) = (here.client.get(&paths[0]).await, there.client.get(&paths[1]).await);
        self.check(&format!("{what}: {}", paths[0]), [&one, &other]);
        one
    }

    /// Calls a function and returns both answers.
    async fn call(&mut self, what: &str, name: &str, sent: impl Fn(&Side) -> Value) -> [Answer; 2] {
        let [here, there] = &mut self.0;
        let sent = [sent(here), sent(there)];
        let answers = [here.client.function(name, &sent[0]).await, there.client.function(name, &sent[1]).await];
        self.check(&format!("{what}: {name}"), [&answers[0], &answers[1]]);
        answers
    }
}

/// Scores, and now and then a comment.
fn draft(random: &mut ChaCha8Rng) -> Draft {
    let scores = [4, 3, 5].map(|most| random.random_bool(0.9).then(|| random.random_range(1..=most)));
    let comment = if random.random_bool(0.3) { "Why?".to_owned() } else { String::new() };
    Draft { scores: scores.to_vec(), comment, ..Draft::default() }
}

#[tokio::test]
async fn answers_do_not_depend_on_who_wrote_what() {
    let (here, there) = (TestApp::demo().await, exchanged().await);
    let mut rated = 0;
    for (seed, who) in (7..).zip([Who::Visitor, Who::Rater, Who::Stranger]) {
        let mut pair = Pair([Side::of(&here, who).await, Side::of(&there, who).await]);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (pages, functions) = {
            let at = &pair.0[0].at;
            (blindness::pages(at).len(), blindness::functions(at, &Draft::default()).len())
        };
        for step in 0..STEPS {
            let (what, draft) = (format!("{who:?}, step {step}"), draft(&mut random));
            match random.random_range(0..10) {
                0 | 1 => {
                    let n = random.random_range(0..pages);
                    pair.get(&what, |side| blindness::pages(&side.at).swap_remove(n).2).await;
                }
                2 | 3 => {
                    let n = random.random_range(0..functions);
                    let name = blindness::functions(&pair.0[0].at, &draft)[n].0;
                    pair.call(&what, name, |side| blindness::functions(&side.at, &draft).swap_remove(n).2).await;
                }
                4 | 5 => {
                    let asked = |side: &Side| json!({"study": side.at.study, "holding": []});
                    let answers = pair.call(&what, "next_item", asked).await;
                    for (side, answer) in pair.0.iter_mut().zip(answers) {
                        if let Ok(Next::Item(item)) = serde_json::from_str::<Next>(&answer.body) {
                            side.at.item = item.token.0;
                        }
                    }
                }
                6 | 7 => {
                    let key = format!("k{step}");
                    let rating = |side: &Side| json!({"assignment": side.at.item, "draft": draft, "key": key});
                    let answers = pair.call(&what, "submit_rating", rating).await;
                    rated += u32::from(answers[0].status.is_success());
                    pair.0.iter_mut().for_each(|side| side.last.clone_from(&side.at.item));
                }
                8 => {
                    let name = *["skip", "undo_rating", "item"].choose(&mut random).unwrap();
                    let of = |side: &Side| if name == "undo_rating" { side.last.clone() } else { side.at.item.clone() };
                    pair.call(&what, name, |side| json!({"assignment": of(side)})).await;
                }
                _ => {
                    let name = *["own_ratings", "own_lists"].choose(&mut random).unwrap();
                    pair.call(&what, name, |side| json!({"study": side.at.study})).await;
                }
            }
        }
        // All of it, once more.
        for (n, (pattern, of, _)) in blindness::pages(&pair.0[0].at).into_iter().enumerate() {
            let what = format!("{who:?} at the end, {pattern}");
            let answer = pair.get(&what, |side| blindness::pages(&side.at).swap_remove(n).2).await;
            assert!(of != For::Admins || !answer.status.is_success(), "{what}");
        }
        let draft = draft(&mut random);
        for (n, (name, of, _)) in blindness::functions(&pair.0[0].at, &draft).into_iter().enumerate() {
            let what = format!("{who:?} at the end");
            let sent = |side: &Side| blindness::functions(&side.at, &draft).swap_remove(n).2;
            let answers = pair.call(&what, name, sent).await;
            assert!(of != For::Admins || !answers[0].status.is_success(), "{what}: {name}");
        }
    }
    assert!(rated >= 5, "{rated} ratings");
    // The two worlds are different: an admin sees it.
    let path = "/admin/submissions/1";
    let (one, other) = (here.admin().await.get(path).await, there.admin().await.get(path).await);
    assert_ne!(one.body.contains("Northwind"), other.body.contains("Northwind"));
}
