//! A rater without a browser: one connection, one session, one output after the other.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use flate2::read::GzDecoder;
use futures::future::join_all;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1::{SendRequest, handshake},
    header,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// A logged-in rater with an output.
pub struct Rater {
    connection: SendRequest<Full<Bytes>>,
    host: String,
    cookie: String,
    study: String,
    /// The output to rate, under its opaque name.
    output: Option<String>,
    given: usize,
}

impl Rater {
    /// Logs in and requests the first output.
    pub async fn log_in(host: &str, name: &str, password: &str, study: &str) -> Result<Rater> {
        let connection = connect(host).await?;
        let mut rater = Rater {
            connection,
            host: host.to_owned(),
            cookie: String::new(),
            study: study.to_owned(),
            output: None,
            given: 0,
        };
        let form = format!("name={name}&password={password}");
        let answer = rater.post("/log-in", "application/x-www-form-urlencoded", form).await?;
        let set = answer.headers().get_all(header::SET_COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies: Vec<&str> = set.filter_map(|cookie| cookie.split(';').next()).collect();
        if cookies.is_empty() {
            bail!("logging in gave no session");
        }
        rater.cookie = cookies.join("; ");
        answer.into_body().collect().await?;
        rater.next().await?;
        Ok(rater)
    }

    /// Rates the output and requests the next one; returns the times of both, in milliseconds. `None` if
    /// nothing is left.
    async fn cycle(&mut self) -> Result<Option<(f64, f64)>> {
        let Some(output) = self.output.take() else { return Ok(None) };
        self.given += 1;
        let score = 1 + self.given % 3;
        let draft = json!({ "scores": [score, score, score], "comment": "", "flag": null });
        let key = format!("{output}-{}", self.given);
        let begun = Instant::now();
        let receipt = self.rpc("submit_rating", &json!({ "assignment": output, "draft": draft, "key": key })).await?;
        let submitted = begun.elapsed();
        if receipt != r#""Stored""# {
            bail!("a rating was not stored: {receipt}");
        }
        let begun = Instant::now();
        self.next().await?;
        let millis = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
        Ok(Some((millis(submitted), millis(begun.elapsed()))))
    }

    async fn next(&mut self) -> Result<()> {
        let next = self.rpc("next_item", &json!({ "study": self.study })).await?;
        // Reads only as far as the name: the load shares the cores with the server.
        self.output = match next.strip_prefix(r#"{"Item":{"token":""#) {
            Some(rest) => rest.split('"').next().map(str::to_owned),
            None if next.starts_with(r#"{"Finished""#) => None,
            None => bail!("no output came: {next}"),
        };
        Ok(())
    }

    async fn rpc(&mut self, function: &str, arguments: &Value) -> Result<String> {
        let answer = self.post(&format!("/rpc/{function}"), "application/json", arguments.to_string()).await?;
        let status = answer.status();
        let packed = answer.headers().get(header::CONTENT_ENCODING).is_some_and(|value| value == "gzip");
        let body = answer.into_body().collect().await?.to_bytes();
        let text = if packed {
            let mut text = String::new();
            GzDecoder::new(&body[..]).read_to_string(&mut text)?;
            text
        } else {
            String::from_utf8(body.to_vec())?
        };
        if !status.is_success() {
            bail!("{function}: {status}: {text}");
        }
        Ok(text)
    }

    async fn post(&mut self, path: &str, kind: &str, body: String) -> Result<Response<Incoming>> {
        // The server closes connections that were idle for half a minute.
        if self.connection.ready().await.is_err() {
            self.connection = connect(&self.host).await?;
        }
        let request = Request::post(path)
            .header(header::HOST, &self.host)
            .header(header::CONTENT_TYPE, kind)
            .header(header::ACCEPT, "application/json")
            .header(header::ACCEPT_ENCODING, "gzip, deflate, br")
            .header("sec-fetch-site", "same-origin")
            .header(header::COOKIE, &self.cookie)
            .body(Full::new(Bytes::from(body)))?;
        Ok(self.connection.send_request(request).await?)
    }
}

async fn connect(host: &str) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    let (connection, driver) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(driver);
    Ok(connection)
}

/// Lets all raters rate until there are this many more ratings. Returns the times of every submission and of
/// every request for the next output, in milliseconds, ascending. `think` passes before each rating.
pub async fn rate(raters: &mut [Rater], ratings: usize, think: Duration) -> Result<(Vec<f64>, Vec<f64>)> {
    let left = std::cell::Cell::new(ratings);
    let one = async |rater: &mut Rater| {
        let mut times = Vec::new();
        while left.get() > 0 {
            left.set(left.get() - 1);
            if !think.is_zero() {
                tokio::time::sleep(think).await;
            }
            match rater.cycle().await? {
                Some(both) => times.push(both),
                // Another rater still has one.
                None => {
                    left.set(left.get() + 1);
                    break;
                }
            }
        }
        anyhow::Ok(times)
    };
    let (mut submits, mut nexts) = (Vec::new(), Vec::new());
    for times in join_all(raters.iter_mut().map(one)).await {
        for (submit, next) in times? {
            submits.push(submit);
            nexts.push(next);
        }
    }
    Ok((super::sorted(submits), super::sorted(nexts)))
}

/// Lets each rater rate that often, with this time between the beginnings of two ratings. The raters begin one after the
/// other, spread over that time. Returns the same as [`rate`].
pub async fn rate_in_turn(raters: &mut [Rater], each: usize, every: Duration) -> Result<(Vec<f64>, Vec<f64>)> {
    let all = u32::try_from(raters.len())?;
    let one = async |(n, rater): (usize, &mut Rater)| {
        let mut times = Vec::new();
        tokio::time::sleep(every / all * u32::try_from(n)?).await;
        let mut due = tokio::time::interval(every);
        for _ in 0..each {
            due.tick().await;
            let Some(both) = rater.cycle().await? else { break };
            times.push(both);
        }
        anyhow::Ok(times)
    };
    let (mut submits, mut nexts) = (Vec::new(), Vec::new());
    for times in join_all(raters.iter_mut().enumerate().map(one)).await {
        for (submit, next) in times? {
            submits.push(submit);
            nexts.push(next);
        }
    }
    Ok((super::sorted(submits), super::sorted(nexts)))
}
