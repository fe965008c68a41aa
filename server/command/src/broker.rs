//! Options of commands that connect to a NATS server.

use std::path::PathBuf;

use clap::Args;

use base::error::Failure;
use jobs::cluster::Broker;

/// How to reach the broker.
#[derive(Args, Default)]
pub struct BrokerArgs {
    /// Credentials file for the broker
    #[arg(long, env = "AIXGRADE_NATS_CREDS", value_name = "FILE")]
    nats_creds: Option<PathBuf>,
    /// Certificates of the broker's authority (PEM) if the operating system does not know it; requires TLS
    #[arg(long, env = "AIXGRADE_NATS_CA", value_name = "FILE")]
    nats_ca: Option<PathBuf>,
    /// Certificate to present to the broker (PEM); requires TLS
    #[arg(long, env = "AIXGRADE_NATS_CERT", value_name = "FILE")]
    nats_cert: Option<PathBuf>,
    /// Key of this certificate (PEM)
    #[arg(long, env = "AIXGRADE_NATS_KEY", value_name = "FILE")]
    nats_key: Option<PathBuf>,
}

impl BrokerArgs {
    /// The broker at these addresses.
    ///
    /// # Errors
    /// Fails if an address is not one of NATS, or if a file does not exist.
    pub fn read(&self, url: &str) -> Result<Broker, Failure> {
        for address in url.split(',').map(str::trim) {
            let known = ["nats://", "tls://"].iter().any(|scheme| address.starts_with(scheme));
            if !known {
                let what = format!("\"{address}\" is not the address of a NATS server");
                return Err(Failure::invalid("--nats", what, "Write it as nats://10.0.0.1:4222 or tls://…"));
            }
        }
        let files = [
            ("--nats-creds", &self.nats_creds),
            ("--nats-ca", &self.nats_ca),
            ("--nats-cert", &self.nats_cert),
            ("--nats-key", &self.nats_key),
        ];
        for (option, file) in files {
            if let Some(file) = file.as_ref().filter(|file| !file.is_file()) {
                let what = format!("{} is not a file", file.display());
                return Err(Failure::invalid(option, what, "Pass the path of an existing file"));
            }
        }
        if self.nats_cert.is_some() != self.nats_key.is_some() {
            let what = "a certificate needs its key, and a key its certificate";
            return Err(Failure::invalid("--nats-cert", what, "Pass both --nats-cert and --nats-key"));
        }
        Ok(Broker {
            url: url.to_owned(),
            credentials: self.nats_creds.clone(),
            ca: self.nats_ca.clone(),
            certificate: self.nats_cert.clone().zip(self.nats_key.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_nats() {
        let read = |url: &str| BrokerArgs::default().read(url);
        assert!(read("nats://10.0.0.1:4222, tls://b.example.org").is_ok());
        for wrong in ["", "http://10.0.0.1", "nats://a,10.0.0.2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let missing = BrokerArgs { nats_creds: Some("/no/such/file".into()), ..BrokerArgs::default() };
        assert!(missing.read("nats://a").is_err());
    }
}
