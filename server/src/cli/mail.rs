//! The options of `aixgrade serve` about email, which `aixgrade doctor` reads, too.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use base::error::Failure;
use clients::{
    Fault, Secret,
    mail::{MailServer, Options, Tls},
};

/// The variable with the password, for those who keep secrets in the environment. It is no option: the arguments of a
/// program are visible to everybody on the machine.
const PASSWORD: &str = "AIXGRADE_SMTP_PASSWORD";

/// The SMTP server that takes the server's messages.
#[derive(Args, Clone, Debug, Default)]
pub struct MailArgs {
    /// Send email through this SMTP server: its host and optionally its port, such as smtp.example.org [default: none, and
    /// no email is sent]
    #[arg(long, env = "AIXGRADE_SMTP_SERVER", value_name = "HOST[:PORT]")]
    smtp_server: Option<String>,
    /// TLS of the SMTP server
    #[arg(long, env = "AIXGRADE_SMTP_TLS", value_enum, value_name = "MODE", default_value_t = TlsMode::Starttls)]
    smtp_tls: TlsMode,
    /// User name at the SMTP server [default: no login]
    #[arg(long, env = "AIXGRADE_SMTP_USER", value_name = "NAME")]
    smtp_user: Option<String>,
    /// File with the password of that user, if $AIXGRADE_SMTP_PASSWORD does not have it
    #[arg(long, env = "AIXGRADE_SMTP_PASSWORD_FILE", value_name = "FILE")]
    smtp_password_file: Option<PathBuf>,
    /// Sender of the messages, such as AixGrade <aixgrade@example.org>
    #[arg(long, env = "AIXGRADE_MAIL_FROM", value_name = "ADDRESS")]
    mail_from: Option<String>,
}

/// How the connection is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TlsMode {
    /// From its start, usually on port 465
    Tls,
    /// By STARTTLS, usually on port 587
    #[default]
    Starttls,
    /// Not at all, only for an SMTP server on this machine, usually on port 25
    None,
}

impl MailArgs {
    /// The SMTP server, if one is named. Links in messages begin with `public_url`.
    ///
    /// # Errors
    /// An option is wrong or missing, or the password cannot be read.
    pub fn read(&self, public_url: &str) -> Result<Option<MailServer>, Failure> {
        let invalid = |fault: Fault| Failure::invalid(fault.option, fault.what, fault.remedy);
        let Some(server) = self.smtp_server.clone() else {
            return match self.smtp_user.is_some() || self.smtp_password_file.is_some() || self.mail_from.is_some() {
                true => Err(Failure::invalid("--smtp-server", "the SMTP server is missing", "Name its host")),
                false => Ok(None),
            };
        };
        let Some(from) = self.mail_from.clone() else {
            let remedy = "Write an address, such as AixGrade <aixgrade@example.org>";
            return Err(Failure::invalid("--mail-from", "the sender of the messages is missing", remedy));
        };
        let password = match &self.smtp_password_file {
            Some(file) => Some(Secret::read(file, "--smtp-password-file").map_err(invalid)?),
            None => std::env::var(PASSWORD).ok().filter(|word| !word.is_empty()).map(|word| Secret::new(&word)),
        };
        let tls = match self.smtp_tls {
            TlsMode::Tls => Tls::Implicit,
            TlsMode::Starttls => Tls::StartTls,
            TlsMode::None => Tls::None,
        };
        // Without a user, a password in the environment belongs to something else.
        let password = password.filter(|_| self.smtp_user.is_some() || self.smtp_password_file.is_some());
        let user = self.smtp_user.clone();
        let options = Options { server, tls, user, password, from, public_url: public_url.to_owned() };
        MailServer::new(&options).map(Some).map_err(invalid)
    }
}
