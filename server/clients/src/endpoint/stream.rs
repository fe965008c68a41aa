//! Server-sent events: the form in which an endpoint sends a completion chunk by chunk. Pure.
//!
//! No library in the tree reads them, and those in the registry read from a connection, which would take bounds and
//! timeouts out of our hands. The format is that of the HTML standard, without `id` and `retry`, which are for
//! reconnecting.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    Response,
    completion::{Completion, NoCompletion},
};

/// Maximum size of one event, in bytes: a chunk is a few hundred, and a server that sends a whole message at once stays
/// within the limit of a body.
const LARGEST_EVENT: usize = 4 * 1024 * 1024;
/// What the data of the last event is.
const DONE: &str = "[DONE]";

/// Whether a body is events, by its first bytes; some servers do not say so in its type. `is_said` is whether this one does.
pub fn begins(body: &[u8], is_said: bool) -> bool {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body).trim_ascii_start();
    let first = body.first();
    // A server may give an error the type of the events that were asked for.
    let is_other = matches!(first, None | Some(b'{' | b'[' | b'<'));
    !is_other
        && (is_said || ["data:", "event:", ":", "id:", "retry:"].iter().any(|name| body.starts_with(name.as_bytes())))
}

/// Reads the events of a completion.
#[derive(Debug, Default)]
pub struct Stream {
    completion: Completion,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, of which a line feed is a part.
    after_return: bool,
    /// The data of the event that is not complete yet, how many lines they have, and the event's name.
    data: String,
    data_lines: usize,
    event: String,
    is_begun: bool,
    is_done: bool,
}

impl Stream {
    /// Reads more bytes. What follows the last event is not looked at.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), NoCompletion> {
        for byte in bytes {
            if self.is_done {
                return Ok(());
            }
            let is_second = std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
            match byte {
                _ if is_second => {}
                b'\r' | b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    self.line(&line)?;
                }
                _ if self.line.len() + self.data.len() >= LARGEST_EVENT => {
                    return Err(NoCompletion::Shape("an event of the stream is larger than 4 MiB".into()));
                }
                byte => self.line.push(*byte),
            }
        }
        Ok(())
    }

    /// Whether the model has said why it ended, after which nothing of the response is missing.
    pub fn has_ended(&self) -> bool {
        self.completion.has_ended()
    }

    /// Whether the last event has come.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The response; `None` if the stream ended before the model did.
    pub fn end(mut self) -> Result<Option<Response>, NoCompletion> {
        // A server may leave out the blank line after the last event.
        let line = std::mem::take(&mut self.line);
        self.line(&line)?;
        if self.is_event() || self.event == "error" {
            self.event()?;
        }
        if !self.is_done && !self.completion.has_ended() {
            return Ok(None);
        }
        self.completion.end().map(Some)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), NoCompletion> {
        let line = String::from_utf8_lossy(line);
        let line = match std::mem::replace(&mut self.is_begun, true) {
            true => &*line,
            false => line.strip_prefix('\u{feff}').unwrap_or(&line),
        };
        if line.is_empty() {
            return self.event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                // Some servers leave out the blank lines between events of one line. Only the first line is tried, because a
                // trial of all lines so far after each one takes quadratic time.
                if self.data_lines == 1 && self.is_event() {
                    self.event()?;
                }
                self.data_lines += 1;
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                if self.data.trim() == DONE {
                    return self.event();
                }
            }
            "event" => self.event = value.to_owned(),
            // A comment, which keeps the connection alive, has an empty name.
            _ => {}
        }
        Ok(())
    }

    /// Whether the data so far are a complete event.
    fn is_event(&self) -> bool {
        let data = self.data.trim();
        data.ends_with('}') && serde_json::from_str::<IgnoredAny>(data).is_ok()
    }

    /// Reads the data of a complete event.
    fn event(&mut self) -> Result<(), NoCompletion> {
        let (data, name) = (std::mem::take(&mut self.data), std::mem::take(&mut self.event));
        self.data_lines = 0;
        if data.trim().is_empty() || self.is_done {
            return Ok(());
        }
        if data.trim() == DONE {
            self.is_done = true;
            return Ok(());
        }
        match serde_json::from_str::<Value>(&data) {
            Ok(error) if name == "error" => Err(NoCompletion::Error(error.get("error").cloned().unwrap_or(error))),
            Ok(chunk) => self.completion.add(&chunk),
            Err(_) if name == "error" => Err(NoCompletion::Error(Value::String(data))),
            Err(e) => Err(NoCompletion::NotJson(format!("an event of the stream: {e}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Response>, NoCompletion> {
        let mut stream = Stream::default();
        stream.add(text.as_bytes())?;
        stream.end()
    }

    fn chunk(content: &str, finish: &str) -> String {
        let delta = serde_json::json!({ "content": content });
        let finish = Some(finish).filter(|finish| !finish.is_empty());
        let choice = serde_json::json!({ "index": 0, "delta": delta, "finish_reason": finish });
        serde_json::json!({ "object": "chat.completion.chunk", "model": "m", "choices": [choice] }).to_string()
    }

    #[test]
    fn blank_lines_between_events_may_be_missing() {
        let all = ["def", " f"].map(|content| format!("data: {}\n", chunk(content, ""))).concat();
        let response = read(&format!("{all}data: [DONE]\n")).unwrap().unwrap();
        assert_eq!(response.text, "def f");
    }

    #[test]
    fn an_event_of_many_lines_is_tried_once() {
        // Each line could be the end of the event, so trying all lines so far after each took hours.
        let lines = "data: ,{}\n".repeat(200_000);
        let ended = read(&format!("data: [\ndata: {{}}\n{lines}data: ]\n\n"));
        assert!(matches!(ended, Err(NoCompletion::Shape(_) | NoCompletion::NoChoice)), "{ended:?}");
    }

    #[test]
    fn lines_end_in_every_way_and_bytes_arrive_one_by_one() {
        for end in ["\n", "\r\n", "\r"] {
            let lines = [
                "\u{feff}: OPENROUTER PROCESSING".to_owned(),
                String::new(),
                "event: message".into(),
                "id: 7".into(),
                format!("data: {}", chunk("def é", "")),
                String::new(),
                ": ping".into(),
                "retry: 10".into(),
                // JSON in two lines of data, the first without a blank after the colon.
                "data:{\"choices\": [{\"delta\":".into(),
                "data: {\"content\": \"界\"}}]}".into(),
                String::new(),
                format!("data: {}", chunk("", "stop")),
                String::new(),
                r#"data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}"#.into(),
                String::new(),
                "data: [DONE]".into(),
                String::new(),
                "data: not read any more".into(),
            ];
            let text = lines.join(end);
            let mut stream = Stream::default();
            for byte in text.as_bytes() {
                stream.add(std::slice::from_ref(byte)).unwrap();
            }
            assert!(stream.is_done());
            let response = stream.end().unwrap().unwrap();
            assert_eq!((&*response.text, response.finish_reason.as_deref()), ("def é界", Some("stop")), "{end:?}");
            assert_eq!((response.prompt_tokens, response.response_tokens), (Some(3), Some(4)));
        }
    }

    #[test]
    fn a_stream_that_breaks_off_is_no_short_answer() {
        let begun = format!("data: {}\n\n", chunk("def f", ""));
        assert_eq!(read(&begun), Ok(None));
        assert_eq!(read(""), Ok(None));
        assert_eq!(read(": ping\n\n"), Ok(None));
        // In the middle of a chunk.
        assert_eq!(read(&format!("{begun}data: {{\"choices\": [{{")), Ok(None));
        assert!(matches!(read(&format!("{begun}data: {{\"choices\": [{{\n\n")), Err(NoCompletion::NotJson(_))));
        // A server may leave out either the reason or the mark of the end, and the blank line after it.
        for end in [format!("data: {}", chunk("", "stop")), "data: [DONE]".into(), "data: [DONE]\n\n".into()] {
            let response = read(&format!("{begun}{end}")).unwrap().unwrap();
            assert_eq!(response.text, "def f", "{end}");
        }
        assert_eq!(read("data: [DONE]\n\n"), Err(NoCompletion::NoChoice));
    }

    #[test]
    fn errors_in_a_stream_are_errors() {
        let begun = format!("data: {}\n\n", chunk("def f", ""));
        let check = |rest: &str, message: &str| match read(&format!("{begun}{rest}\n\n")) {
            Err(NoCompletion::Error(error)) => assert!(error.to_string().contains(message), "{error}"),
            other => panic!("{other:?}"),
        };
        check(r#"data: {"error": {"message": "Overloaded", "code": 503}}"#, "Overloaded");
        check("event: error\ndata: {\"error\": {\"message\": \"Overloaded\"}}", "Overloaded");
        check("event: error\ndata: out of memory", "out of memory");
        check(r#"data: {"object": "error", "message": "out of memory", "code": 500}"#, "out of memory");
        check(r#"data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}"#, "after a part");
        check(
            r#"data: {"error": {"code": 502, "message": "cut"}, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}"#,
            "cut",
        );
    }

    #[test]
    fn what_a_stream_sends_is_bounded() {
        let mut stream = Stream::default();
        let piece = vec![b'x'; 1 << 20];
        let ended = (0..5).try_for_each(|_| stream.add(&piece));
        assert!(matches!(ended, Err(NoCompletion::Shape(_))));
        let many = format!("data: {}\n\n", chunk(&"x".repeat(100 * 1024), ""));
        assert_eq!(read(&many.repeat(3)), Err(NoCompletion::TooLong));
    }
}
