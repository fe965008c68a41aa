//! An SMTP server that records messages and refuses what a test wants.

use std::sync::{Arc, Mutex};

use base64::{Engine, prelude::BASE64_STANDARD};
use clients::{
    Secret,
    mail::{MailServer, Options, Tls},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// A message that the server accepted.
#[derive(Clone, Debug)]
pub struct Received {
    pub from: String,
    pub to: String,
    /// Headers and body as they were sent.
    pub raw: String,
}

impl Received {
    /// A header's value, as it was sent; panics without it.
    pub fn header(&self, name: &str) -> String {
        let head = self.raw.split("\r\n\r\n").next().unwrap().replace("\r\n ", " ");
        let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned));
        found.unwrap_or_else(|| panic!("{name} is missing: {}", self.raw))
    }

    /// The text of the body.
    pub fn text(&self) -> String {
        let (_, body) = self.raw.split_once("\r\n\r\n").unwrap();
        let bytes = match self.header("Content-Transfer-Encoding").as_str() {
            "quoted-printable" => quoted_printable(body),
            "base64" => BASE64_STANDARD.decode(body.replace("\r\n", "")).unwrap(),
            _ => body.as_bytes().to_vec(),
        };
        String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
    }

    /// The first address in the text that begins with this path on the server, without the server's address.
    pub fn link(&self, start: &str) -> String {
        let text = self.text();
        let at = text.find(start).unwrap_or_else(|| panic!("{start} is not in {text}"));
        text[at..].split_whitespace().next().unwrap().to_owned()
    }
}

fn quoted_printable(body: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let joined = body.replace("=\r\n", "");
    let mut rest = joined.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        match (first, tail) {
            (b'=', [a, b, after @ ..]) => {
                bytes.push(u8::from_str_radix(std::str::from_utf8(&[*a, *b]).unwrap(), 16).unwrap());
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// A reply whose line does not end until the client hangs up.
pub const ENDLESS: &str = "endless";

/// The server.
#[derive(Clone, Default)]
pub struct Smtp {
    received: Arc<Mutex<Vec<Received>>>,
    /// Replies to the next commands that begin so, each once.
    replies: Arc<Mutex<Vec<(&'static str, &'static str)>>>,
    /// Every command, without the content of messages.
    commands: Arc<Mutex<Vec<String>>>,
    port: u16,
}

impl Smtp {
    /// Listens on this machine.
    pub async fn start() -> Smtp {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let smtp = Smtp { port: listener.local_addr().unwrap().port(), ..Smtp::default() };
        let serving = smtp.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                // A client may hang up.
                tokio::spawn(async move { serving.talk(stream).await.ok() });
            }
        });
        smtp
    }

    /// The options of a client, without TLS.
    pub fn options(&self) -> Options {
        Options {
            server: format!("127.0.0.1:{}", self.port),
            tls: Tls::None,
            user: None,
            password: None,
            from: "AixGrade <aixgrade@example.org>".into(),
            public_url: "https://grade.example.org".into(),
        }
    }

    /// A client with these changes of [`Smtp::options`].
    pub fn client(&self, change: impl FnOnce(&mut Options)) -> MailServer {
        let mut options = self.options();
        change(&mut options);
        MailServer::new(&options).unwrap()
    }

    /// A client that logs in with this password.
    pub fn with_password(&self, password: &str) -> MailServer {
        self.client(|options| {
            (options.user, options.password) = (Some("aixgrade".into()), Some(Secret::new(password)));
        })
    }

    /// Sets what it replies to the next command that begins with `command`; an empty reply is silence.
    pub fn will(&self, command: &'static str, reply: &'static str) {
        self.replies.lock().unwrap().push((command, reply));
    }

    /// The messages that came since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }

    /// The commands that came since the last call.
    pub fn commands(&self) -> Vec<String> {
        std::mem::take(&mut *self.commands.lock().unwrap())
    }

    fn reply(&self, command: &str) -> Option<&'static str> {
        let mut replies = self.replies.lock().unwrap();
        let at = replies.iter().position(|(start, _)| command.starts_with(start))?;
        Some(replies.remove(at).1)
    }

    async fn talk(&self, stream: TcpStream) -> std::io::Result<()> {
        let (reading, mut writing) = stream.into_split();
        let mut lines = BufReader::new(reading).lines();
        let mut answer = "220 smtp.example.org ESMTP".to_owned();
        if let Some(reply) = self.reply("connect") {
            answer = reply.to_owned();
        }
        let (mut from, mut to) = (String::new(), String::new());
        loop {
            if answer.is_empty() {
                // Silence until the client hangs up.
                while lines.next_line().await?.is_some() {}
                return Ok(());
            }
            if answer == ENDLESS {
                loop {
                    writing.write_all(&[b'2'; 4096]).await?;
                }
            }
            writing.write_all(format!("{answer}\r\n").as_bytes()).await?;
            let Some(command) = lines.next_line().await? else { return Ok(()) };
            self.commands.lock().unwrap().push(command.clone());
            let usual = match command.split([' ', ':']).next().unwrap_or_default() {
                "EHLO" => "250-smtp.example.org\r\n250-8BITMIME\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000000",
                "AUTH" => "235 accepted",
                "MAIL" => {
                    from = between(&command);
                    "250 ok"
                }
                "RCPT" => {
                    to = between(&command);
                    "250 ok"
                }
                "DATA" => "354 go on",
                "QUIT" => "221 bye",
                _ => "500 unknown",
            };
            answer = self.reply(&command).unwrap_or(usual).to_owned();
            if command == "DATA" && answer.starts_with("354") {
                writing.write_all(format!("{answer}\r\n").as_bytes()).await?;
                let mut raw = String::new();
                while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                    raw.push_str(line.strip_prefix('.').unwrap_or(&line));
                    raw.push_str("\r\n");
                }
                answer = self.reply("content").unwrap_or("250 accepted").to_owned();
                if answer.starts_with("250") {
                    self.received.lock().unwrap().push(Received { from: from.clone(), to: to.clone(), raw });
                }
            }
        }
    }
}

fn between(command: &str) -> String {
    command.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(address, _)| address).to_owned()
}
