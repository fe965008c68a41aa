//! The options of `aixgrade serve` about single sign-on.

use std::path::PathBuf;

use clap::Args;
use model::user::Role;

use base::error::Failure;
use clients::{
    Fault, Secret,
    oidc::{Options, Provider},
};

/// The identity provider with which people may log in.
#[derive(Args, Clone, Debug, Default)]
pub struct OidcArgs {
    /// Let people log in with this identity provider by OpenID Connect: its issuer URL, such as https://id.example.org
    /// [default: none]
    #[arg(long, env = "AIXGRADE_OIDC_ISSUER", value_name = "URL")]
    oidc_issuer: Option<String>,
    /// This server's client ID at the identity provider
    #[arg(long, env = "AIXGRADE_OIDC_CLIENT_ID", value_name = "ID")]
    oidc_client_id: Option<String>,
    /// File with the client's secret; leave out for a public client
    #[arg(long, env = "AIXGRADE_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,
    /// Name on the login button [default: the issuer's host]
    #[arg(long, env = "AIXGRADE_OIDC_NAME", value_name = "NAME")]
    oidc_name: Option<String>,
    /// Also contact this host of the identity provider for tokens and keys, such as https://oauth2.example.org; repeat
    /// for several [default: only the issuer's]
    #[arg(long = "oidc-host", env = "AIXGRADE_OIDC_HOSTS", value_delimiter = ',', value_name = "ORIGIN")]
    oidc_hosts: Vec<String>,
    /// Let only people with a verified email address of this domain log in with the identity provider; repeat for several
    /// [default: any]
    #[arg(
        long = "oidc-allow-domain",
        env = "AIXGRADE_OIDC_ALLOW_DOMAINS",
        value_delimiter = ',',
        value_name = "DOMAIN"
    )]
    oidc_domains: Vec<String>,
    /// Create an account with this role, `rater` or `admin`, when somebody first logs in with the identity provider
    /// [default: only by invitation]
    #[arg(long, env = "AIXGRADE_OIDC_CREATE", value_name = "ROLE")]
    oidc_create: Option<Role>,
}

impl OidcArgs {
    /// The provider, if there is one.
    ///
    /// # Errors
    ///
    /// An option is wrong, or the secret cannot be read.
    pub fn read(&self, public_url: &str) -> Result<Option<Provider>, Failure> {
        let invalid = |fault: Fault| Failure::invalid(fault.option, fault.what, fault.remedy);
        let Some(issuer) = self.oidc_issuer.clone() else {
            let others = [self.oidc_client_id.is_some(), self.oidc_create.is_some(), !self.oidc_domains.is_empty()];
            return match others.contains(&true) {
                true => {
                    Err(Failure::invalid("--oidc-issuer", "the identity provider is missing", "Name its issuer URL"))
                }
                false => Ok(None),
            };
        };
        let client_secret = self
            .oidc_client_secret_file
            .as_deref()
            .map(|file| Secret::read(file, "--oidc-client-secret-file"))
            .transpose()
            .map_err(invalid)?;
        let options = Options {
            issuer,
            client_id: self.oidc_client_id.clone().unwrap_or_default(),
            client_secret,
            name: self.oidc_name.clone().unwrap_or_default(),
            hosts: self.oidc_hosts.clone(),
            domains: self.oidc_domains.clone(),
            create: self.oidc_create,
            public_url: public_url.trim_end_matches('/').to_owned(),
        };
        Provider::new(options).map(Some).map_err(invalid)
    }
}
