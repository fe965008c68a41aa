//! Sending email through the SMTP server that the operator names.
//!
//! A message gets a connection of its own, whose steps run one by one, so that a fault says which of them failed.
//! Nothing is sent without TLS, except to this machine. The password is in memory only.

mod stream;

use std::{
    io,
    net::IpAddr,
    time::{Duration, UNIX_EPOCH},
};

use lettre::{
    Address, Message,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        Error,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};
use model::{
    fault::{MailFault, MailStep},
    mail::LONGEST_ADDRESS,
    time::Timestamp,
};
use tokio::{net, time};

use super::{Fault, Secret};
use base::error::chain;

/// Time in which the SMTP server must take a message, from the connection to its last reply. A server that looks for
/// spam may take half a minute.
const PATIENCE: Duration = Duration::from_secs(60);
/// Ways to log in, the best first.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];
/// Maximum length of a subject, in characters.
const LONGEST_SUBJECT: usize = 160;

/// How the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// From its start.
    Implicit,
    /// By STARTTLS; a server that does not offer it gets no message.
    StartTls,
    /// Not at all; only to this machine.
    None,
}

impl Tls {
    fn port(self) -> u16 {
        match self {
            Tls::Implicit => 465,
            Tls::StartTls => 587,
            Tls::None => 25,
        }
    }
}

/// What the operator says about the SMTP server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its name or address, and optionally its port.
    pub server: String,
    pub tls: Tls,
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// The sender's address, with or without a name.
    pub from: String,
    /// Where people reach this server.
    pub public_url: String,
}

/// An SMTP server that takes our messages.
#[derive(Clone, Debug)]
pub struct MailServer {
    host: String,
    port: u16,
    tls: Tls,
    credentials: Option<Credentials>,
    from: Mailbox,
    /// How this server introduces itself.
    hello: ClientId,
    patience: Duration,
}

/// A message to send.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The recipient's address.
    pub to: String,
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The part of the message's ID before the `@`, the same at each attempt.
    pub id: String,
    /// Address of the page that ends such messages; none for an operator's test.
    pub stop: Option<String>,
    pub written_at: Timestamp,
}

/// The address without surrounding spaces, if email can be sent to it.
pub fn checked_address(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain = text.len() <= LONGEST_ADDRESS && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    let address: Address = is_plain.then(|| text.parse().ok()).flatten()?;
    Some(address.to_string())
}

impl MailServer {
    /// Checks the operator's options.
    ///
    /// # Errors
    /// Names the first option that cannot be used.
    pub fn new(options: &Options) -> Result<MailServer, Fault> {
        let Options { server, tls, user, password, from, public_url } = options;
        let fault = |option, what: String, remedy| Fault { option, what, remedy };
        let (host, port) = host_and_port(server).ok_or_else(|| {
            let remedy = "Write a host and optionally a port, such as smtp.example.org or smtp.example.org:587";
            fault("--smtp-server", format!("\"{server}\" is not a server"), remedy)
        })?;
        if *tls == Tls::None && !is_loopback(&host) {
            let remedy = "Use tls or starttls, or a mail server on this machine, such as 127.0.0.1";
            return Err(fault("--smtp-tls", format!("without TLS, {host} would get messages in the open"), remedy));
        }
        let credentials = match (user, password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password.expose().to_owned())),
            (None, None) => None,
            (Some(_), None) => {
                let remedy = "Name a file with the password, or set AIXGRADE_SMTP_PASSWORD";
                return Err(fault("--smtp-password-file", "the password of --smtp-user is missing".into(), remedy));
            }
            (None, Some(_)) => {
                let remedy = "Name the user, or leave the password out";
                return Err(fault("--smtp-user", "there is a password, but no user".into(), remedy));
            }
        };
        let from: Mailbox = from.parse().map_err(|_| {
            let remedy = "Write an address, such as aixgrade@example.org or AixGrade <aixgrade@example.org>";
            fault("--mail-from", format!("\"{from}\" is not a sender"), remedy)
        })?;
        Ok(MailServer {
            port: port.unwrap_or(tls.port()),
            tls: *tls,
            credentials,
            from,
            hello: hello(public_url),
            patience: PATIENCE,
            host,
        })
    }

    /// The same server, which must answer within this time.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> MailServer {
        MailServer { patience, ..self }
    }

    /// Host and port.
    pub fn name(&self) -> String {
        if self.host.contains(':') {
            return format!("[{}]:{}", self.host, self.port);
        }
        format!("{}:{}", self.host, self.port)
    }

    /// The sender's address.
    pub fn sender(&self) -> String {
        self.from.email.to_string()
    }

    /// Connects and logs in, and sends nothing.
    ///
    /// # Errors
    /// Says which step failed.
    pub async fn check(&self) -> Result<(), MailFault> {
        self.within(async {
            let mut connection = self.connect().await?;
            connection.abort().await;
            Ok(())
        })
        .await
    }

    /// Sends a message.
    ///
    /// # Errors
    /// Says which step failed. After a fault, the SMTP server may have the message only if its last reply was lost.
    pub async fn send(&self, message: &Outgoing) -> Result<(), MailFault> {
        let built = self.build(message)?;
        self.within(async {
            let mut connection = self.connect().await?;
            let sent = hand_over(&mut connection, &built).await;
            connection.abort().await;
            sent
        })
        .await
    }

    async fn within(&self, work: impl Future<Output = Result<(), MailFault>>) -> Result<(), MailFault> {
        let timeout = MailFault::Timeout { seconds: self.patience.as_secs() };
        time::timeout(self.patience, work).await.unwrap_or(Err(timeout))
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, MailFault> {
        let addresses: Vec<_> = net::lookup_host((self.host.as_str(), self.port))
            .await
            .map_err(|e| MailFault::NameNotFound { host: self.host.clone(), detail: e.to_string() })?
            .collect();
        let connected = stream::connect(&addresses, self.patience).await;
        let connection = connected.map_err(|e| MailFault::Connection { detail: e.to_string() })?;
        let connection = match self.tls {
            Tls::Implicit => {
                let encrypted = stream::encrypted(connection, &self.host).await;
                encrypted.map_err(|e| of_connection(true, &e, e.to_string()))?
            }
            Tls::StartTls | Tls::None => Box::new(connection),
        };
        let greeted = AsyncSmtpConnection::connect_with_transport(connection, &self.hello).await;
        let with_tls = self.tls == Tls::Implicit;
        let mut connection = greeted.map_err(|e| fault(MailStep::Greeting, with_tls, &e))?;
        if self.tls == Tls::StartTls {
            if !connection.can_starttls() {
                return Err(MailFault::NoStartTls);
            }
            let tls = TlsParameters::new_rustls(self.host.clone());
            let tls = tls.map_err(|e| MailFault::Tls { detail: chain(&e) })?;
            connection.starttls(tls, &self.hello).await.map_err(|e| fault(MailStep::Greeting, true, &e))?;
        }
        if let Some(credentials) = &self.credentials {
            if connection.server_info().get_auth_mechanism(&MECHANISMS).is_none() {
                return Err(MailFault::NoLogIn);
            }
            connection.auth(&MECHANISMS, credentials).await.map_err(|e| fault(MailStep::LogIn, false, &e))?;
        }
        Ok(connection)
    }

    fn build(&self, message: &Outgoing) -> Result<Message, MailFault> {
        let not_sent = |detail: String| MailFault::NotSent { detail };
        let to: Address = message.to.parse().map_err(|e| not_sent(format!("{e}")))?;
        let milliseconds = u64::try_from(message.written_at.0).unwrap_or(0);
        let header = |name, value: String| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
        let mut builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(one_line(&message.subject))
            .message_id(Some(format!("<{}@{}>", message.id, self.from.email.domain())))
            .date(UNIX_EPOCH + Duration::from_millis(milliseconds))
            .header(ContentType::TEXT_PLAIN)
            // Programs that answer for people who are away leave such messages alone.
            .raw_header(header("Auto-Submitted", "auto-generated".into()));
        if let Some(stop) = &message.stop {
            builder = builder
                .raw_header(header("List-Unsubscribe", format!("<{stop}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".into()));
        }
        builder.body(message.text.clone()).map_err(|e| not_sent(chain(&e)))
    }
}

/// Has the SMTP server take a message.
async fn hand_over(connection: &mut AsyncSmtpConnection, message: &Message) -> Result<(), MailFault> {
    let envelope = message.envelope();
    let mut parameters = Vec::new();
    let bytes = message.formatted();
    if envelope.to().iter().chain(envelope.from()).any(|address| !address.to_string().is_ascii()) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            let detail = "the SMTP server takes only addresses in ASCII (it lacks SMTPUTF8)".to_owned();
            return Err(MailFault::NotSent { detail });
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !bytes.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime) {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let of = |step| move |e: Error| fault(step, false, &e);
    connection.command(Mail::new(envelope.from().cloned(), parameters)).await.map_err(of(MailStep::Sender))?;
    for to in envelope.to() {
        connection.command(Rcpt::new(to.clone(), Vec::new())).await.map_err(of(MailStep::Recipient))?;
    }
    connection.command(Data).await.map_err(of(MailStep::Message))?;
    connection.message(&bytes).await.map_err(of(MailStep::Message))?;
    Ok(())
}

/// What an error of the library means. `with_tls`: a connection that fails at this step fails by TLS, unless the operating
/// system says otherwise.
fn fault(step: MailStep, with_tls: bool, e: &Error) -> MailFault {
    // The library's own words say less than the step.
    let detail = std::error::Error::source(e).map_or_else(|| e.to_string(), chain);
    if let Some(code) = e.status() {
        return MailFault::Refused { step, status: code.into(), detail };
    }
    of_connection(e.is_tls() || with_tls, e, detail)
}

/// What an error of the connection means, of TLS or not.
fn of_connection(with_tls: bool, e: &(dyn std::error::Error + 'static), detail: String) -> MailFault {
    let mut cause = Some(e);
    while let Some(e) = cause {
        if let Some(e) = e.downcast_ref::<io::Error>() {
            let is_too_much = e.get_ref().is_some_and(|e| e.is::<stream::TooMuch>());
            if is_too_much || e.raw_os_error().is_some() {
                return MailFault::Connection { detail };
            }
        }
        cause = e.source();
    }
    match with_tls {
        true => MailFault::Tls { detail },
        false => MailFault::Connection { detail },
    }
}

/// The text in one line of bounded length, without characters that end a header.
fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_SUBJECT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn host_and_port(server: &str) -> Option<(String, Option<u16>)> {
    let is_name = |host: &str| {
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    if let Some(rest) = server.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        let host = host.parse::<IpAddr>().ok()?.to_string();
        return match port.strip_prefix(':') {
            Some(port) => Some((host, Some(port.parse().ok()?))),
            None => port.is_empty().then_some((host, None)),
        };
    }
    if let Ok(address) = server.parse::<IpAddr>() {
        return Some((address.to_string(), None));
    }
    match server.split_once(':') {
        Some((host, port)) => is_name(host).then_some((host.to_owned(), Some(port.parse().ok()?))),
        None => is_name(server).then_some((server.to_owned(), None)),
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The name of the public address.
fn hello(public_url: &str) -> ClientId {
    let host = reqwest::Url::parse(public_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    match host.as_deref().map(|host| (host, host.trim_matches(['[', ']']).parse::<IpAddr>())) {
        Some((_, Ok(IpAddr::V4(address)))) => ClientId::Ipv4(address),
        Some((_, Ok(IpAddr::V6(address)))) => ClientId::Ipv6(address),
        Some((host, Err(_))) => ClientId::Domain(host.to_owned()),
        None => ClientId::Domain("localhost".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            server: "smtp.example.org".into(),
            tls: Tls::StartTls,
            user: None,
            password: None,
            from: "AixGrade <aixgrade@example.org>".into(),
            public_url: "https://grade.example.org".into(),
        }
    }

    fn message(to: &str, subject: &str) -> Outgoing {
        Outgoing {
            to: to.into(),
            subject: subject.into(),
            text: "Hello.\n".into(),
            id: "m1".into(),
            stop: Some("https://grade.example.org/mail/x".into()),
            written_at: Timestamp(1_700_000_000_000),
        }
    }

    fn formatted(to: &str, subject: &str) -> String {
        let built = MailServer::new(&options()).unwrap().build(&message(to, subject)).unwrap();
        String::from_utf8(built.formatted()).unwrap()
    }

    #[test]
    fn options_name_what_is_wrong() {
        let check = |options: Options, option: Option<&str>| {
            let found = MailServer::new(&options).err().map(|fault| fault.option);
            assert_eq!(found, option, "{options:?}");
        };
        let secret = || Some(Secret::new("hush"));
        check(options(), None);
        check(Options { server: "smtp.example.org:2525".into(), ..options() }, None);
        for server in ["", "https://smtp.example.org", "smtp.example.org:x", "a b", "user@smtp.example.org", "[::1"] {
            check(Options { server: server.into(), ..options() }, Some("--smtp-server"));
        }
        for server in ["localhost", "127.0.0.1:25", "[::1]:25", "::1"] {
            check(Options { server: server.into(), tls: Tls::None, ..options() }, None);
        }
        for server in ["smtp.example.org", "10.0.0.5", "localhost.example.org"] {
            check(Options { server: server.into(), tls: Tls::None, ..options() }, Some("--smtp-tls"));
        }
        check(Options { user: Some("u".into()), password: secret(), ..options() }, None);
        check(Options { user: Some("u".into()), ..options() }, Some("--smtp-password-file"));
        check(Options { password: secret(), ..options() }, Some("--smtp-user"));
        for from in ["", "AixGrade", "a@b\r\nBcc: c@d", "a@b, c@d"] {
            check(Options { from: from.into(), ..options() }, Some("--mail-from"));
        }
        let server = |server: &str| MailServer::new(&Options { server: server.into(), ..options() }).unwrap().name();
        assert_eq!(server("smtp.example.org"), "smtp.example.org:587");
        assert_eq!(server("[::1]:25"), "[::1]:25");
        let shown =
            format!("{:?}", MailServer::new(&Options { user: Some("u".into()), password: secret(), ..options() }));
        assert!(!shown.contains("hush"), "{shown}");
    }

    #[test]
    fn only_addresses_of_email_are_accepted() {
        let check = |text, accepted: Option<&str>| assert_eq!(checked_address(text).as_deref(), accepted, "{text:?}");
        check(" ada@example.org ", Some("ada@example.org"));
        check("ada+x@example.org", Some("ada+x@example.org"));
        for wrong in ["", "ada", "ada@", "@example.org", "a b@example.org", "ada@example.org\r\nBcc: eve@example.org"] {
            check(wrong, None);
        }
        for wrong in ["ada@example.org\nX: y", "a@b@c", "Ada <ada@example.org>", "ada@example.org,eve@example.org"] {
            check(wrong, None);
        }
        check(&format!("{}@example.org", "a".repeat(300)), None);
    }

    #[test]
    fn a_title_cannot_add_headers() {
        let text = formatted("ada@example.org", "A\r\nBcc: eve@example.org\r\n\r\nBody");
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Subject: A Bcc: eve@example.org Body"), "{head}");
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert_eq!(body, "Hello.\r\n");
        assert!(head.contains("List-Unsubscribe: <https://grade.example.org/mail/x>"), "{head}");
        assert!(head.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{head}");
        assert!(head.contains("Message-ID: <m1@example.org>"), "{head}");
        assert!(head.contains("Date: Tue, 14 Nov 2023 22:13:20 +0000"), "{head}");
    }

    #[test]
    fn long_and_chinese_titles_are_encoded_in_short_lines() {
        for title in ["评分项目".repeat(100), "word ".repeat(200), "x".repeat(5000)] {
            let text = formatted("ada@example.org", &title);
            assert!(text.is_ascii() && text.lines().all(|line| line.len() < 998), "{text}");
            assert!(text.len() < 3000, "{text}");
        }
        assert!(formatted("ada@example.org", "评分").contains("Subject: =?utf-8?b?6K+E5YiG?="));
    }
}
