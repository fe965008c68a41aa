//! Logging in with an identity provider, if the operator allows one.
//!
//! A person is known by the provider's issuer and subject, never by a name or an e-mail address. An unknown identity gets
//! an account by an invitation, is linked to the account that is logged in, or creates one, if the operator allows that;
//! otherwise it is refused.

use std::sync::{Arc, OnceLock};

use model::{
    audit::{Action, Object},
    audit_details::{Fact, Made},
    caller::{Actor, Person},
    error::Answer,
    ids::UserId,
    keys::Settings,
    lang::Lang,
    user::{Me, Role, name_fault},
};
use rusqlite::Transaction;

use super::{
    accounts::{AccountService, LoggedIn, hash_secret, random_secret},
    mail::MailService,
};
use base::{clock, error::Failure};
use clients::oidc::{Begun, Failed, Identity, Provider};
use db::{
    Db,
    accounts::{self, Password},
    audit::Change,
    groups, identities, throttle as stored,
};

/// How many numbers are tried after a username that is taken.
const NUMBERS: u32 = 1000;

pub struct SingleSignOn {
    db: Db,
    accounts: Arc<AccountService>,
    mail: MailService,
    provider: OnceLock<Arc<Provider>>,
}

/// What somebody wants at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To log in, with an account that this creates if the operator allows it.
    LogIn,
    /// To link the identity to their account.
    Link,
    /// To accept the invitation with this secret.
    Join(String),
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Arrived {
    LoggedIn(Box<LoggedIn>),
    /// The identity is linked to the account that was logged in.
    Linked,
}

/// Why somebody was not logged in.
#[derive(Debug)]
pub enum Refused {
    /// The provider cannot be reached or does not work.
    Provider,
    /// What it says cannot be trusted.
    Token,
    /// The operator does not admit the person's e-mail domain.
    Domain,
    /// No account is linked to the identity, and none may be created.
    Unknown,
    /// The identity belongs to another account.
    Taken,
    /// The invitation is no longer open.
    Gone,
    /// The account is deactivated.
    Disabled,
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(e: Failure) -> Self {
        Refused::Failed(e)
    }
}

impl From<Failed> for Refused {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Provider(why) => {
                tracing::warn!(%why, "the identity provider does not work");
                Refused::Provider
            }
            Failed::Token(why) => {
                tracing::warn!(%why, "an ID token is not believed");
                Refused::Token
            }
        }
    }
}

impl SingleSignOn {
    pub fn new(db: Db, accounts: Arc<AccountService>, mail: MailService) -> Self {
        SingleSignOn { db, accounts, mail, provider: OnceLock::new() }
    }

    /// Allows a provider. Only the first call has an effect.
    pub fn allow(&self, provider: Provider) {
        let _ = self.provider.set(Arc::new(provider));
    }

    /// The provider's name on the login button; `None` if there is none.
    pub fn name(&self) -> Option<&str> {
        self.provider.get().map(|provider| provider.name())
    }

    /// Begins a login.
    ///
    /// # Errors
    /// See [`Refused`].
    pub async fn begin(&self) -> Result<Begun, Refused> {
        Ok(self.provider()?.begin().await?)
    }

    fn provider(&self) -> Result<&Arc<Provider>, Refused> {
        self.provider.get().ok_or_else(|| Refused::Failed(Failure::not_found("single sign-on")))
    }

    /// Ends a login with the provider's code. `person` is logged in already, where `purpose` is to link.
    ///
    /// # Errors
    /// See [`Refused`].
    pub async fn end(
        &self,
        code: &str,
        (nonce, verifier): (&str, &str),
        purpose: Purpose,
        person: Option<Person>,
    ) -> Result<Arrived, Refused> {
        let provider = self.provider()?;
        let identity = provider.end(code, nonce, verifier).await?;
        if !provider.admits(&identity) {
            return Err(Refused::Domain);
        }
        if purpose == Purpose::Link {
            return self.link(identity, person.ok_or(Refused::Unknown)?).await;
        }
        let (issuer, subject) = (identity.issuer.clone(), identity.subject.clone());
        let owner = self.db.read(move |conn| identities::owner(conn, &issuer, &subject)).await?;
        let logged_in = match (owner, purpose, provider.creates()) {
            (Some(owner), ..) => self.log_in(owner).await?,
            (None, Purpose::Join(secret), _) => self.create(identity, Source::Invitation(hash_secret(&secret))).await?,
            (None, _, Some(role)) => self.create(identity, Source::Provider(role)).await?,
            (None, ..) => return Err(Refused::Unknown),
        };
        Ok(Arrived::LoggedIn(Box::new(logged_in)))
    }

    async fn log_in(&self, owner: UserId) -> Result<LoggedIn, Refused> {
        let device = random_secret();
        let (fresh, now) = (hash_secret(&device), clock::now());
        let account = self
            .db
            .write(move |tx| {
                let account = accounts::by_id(tx, owner)?.ok_or_else(|| Failure::not_found("account"))?;
                if !account.disabled {
                    stored::know_device(tx, None, &fresh, owner, now)?;
                }
                Ok(account)
            })
            .await?;
        if account.disabled {
            return Err(Refused::Disabled);
        }
        Ok(LoggedIn { me: account.me, epoch: account.epoch, device })
    }

    async fn link(&self, identity: Identity, person: Person) -> Result<Arrived, Refused> {
        let (id, name, email) = (person.id, person.name.clone(), identity.email.clone());
        let link = move |tx: &Transaction<'_>| {
            let Identity { issuer, subject, .. } = identity;
            let done = match identities::owner(tx, &issuer, &subject)? {
                Some(owner) => return Ok(Change::each(Vec::new(), owner == id)),
                None => identities::link(tx, &issuer, &subject, id)?,
            };
            Ok(Change::of(Object::Account(name), [Fact::Issuer(issuer)], done))
        };
        match self.db.write_audited(&person, Action::UserLink, link).await? {
            true => {
                self.adopt(id, email).await?;
                Ok(Arrived::Linked)
            }
            false => Err(Refused::Taken),
        }
    }

    /// Removes the links of the person's account; the password remains.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn unlink(&self, person: &Person) -> Answer<()> {
        let (id, name) = (person.id, person.name.clone());
        let unlink = move |tx: &Transaction<'_>| {
            Ok(match identities::unlink(tx, id)? {
                0 => Change::each(Vec::new(), ()),
                _ => Change::of(Object::Account(name), [], ()),
            })
        };
        Ok(self.db.write_audited(person, Action::UserUnlink, unlink).await?)
    }

    /// Creates an account with a random password, which nobody knows. An admin's reset link gives it one.
    async fn create(&self, identity: Identity, source: Source) -> Result<LoggedIn, Refused> {
        let hash = self.accounts.unknown_password().await?;
        let (device, now, email) = (random_secret(), clock::now(), identity.email.clone());
        let fresh = hash_secret(&device);
        let (action, used) = match &source {
            Source::Invitation(hash) => (Action::InvitationAccept, Some(hash.clone())),
            Source::Provider(_) => (Action::UserCreate, None),
        };
        let create = move |tx: &Transaction<'_>| {
            let (role, invitation) = match source {
                Source::Provider(role) => (role, None),
                Source::Invitation(hash) => match accounts::open_invitation(tx, &hash)? {
                    Some(invitation) => (invitation.role, Some(invitation)),
                    None => return Ok(Change::each(Vec::new(), Err(Refused::Gone))),
                },
            };
            let password = || Password { hash: &hash, one_time: false };
            let mut made = None;
            for name in names(&identity) {
                if let Some(id) = accounts::insert(tx, &name, role, password())? {
                    made = Some((id, name));
                    break;
                }
            }
            let (id, name) = made.ok_or_else(|| Failure::internal("no username is free"))?;
            if !identities::link(tx, &identity.issuer, &identity.subject, id)? {
                // Somebody has logged in with it twice at once; the transaction ends without this account.
                return Err(Failure::conflict(("Log in again.", "请重新登录。")));
            }
            stored::know_device(tx, None, &fresh, id, now)?;
            let me = Me { id, name: name.clone(), role, lang: Lang::default(), settings: Settings::default() };
            let logged_in = Ok(LoggedIn { me, epoch: 0, device });
            let change = match invitation {
                Some(invitation) => {
                    accounts::use_invitation(tx, invitation.id, id)?;
                    if let Some(group) = invitation.group {
                        groups::add(tx, group.id, id)?;
                    }
                    Change::of(Object::Invitation(invitation.id), [Fact::Name(name)], logged_in)
                }
                None => {
                    let facts = [Fact::Role(role), Fact::Made(Made::BySingleSignOn)];
                    Change::of(Object::Account(name), facts, logged_in)
                }
            };
            Ok(change.by(Actor::Person(id)))
        };
        let created = self.db.write_audited(Actor::System, action, create).await??;
        if let Some(used) = used {
            self.accounts.join_study(used, created.me.id).await;
        }
        self.adopt(created.me.id, email).await?;
        Ok(created)
    }

    /// The provider's verified address is one to which the person can get email.
    async fn adopt(&self, user: UserId, email: Option<String>) -> Result<(), Failure> {
        match email {
            Some(email) => self.mail.adopt(user, &email).await,
            None => Ok(()),
        }
    }
}

/// What an account comes from.
enum Source {
    /// The invitation with this secret's hash.
    Invitation(String),
    /// The operator's decision that a first login creates accounts with this role.
    Provider(Role),
}

/// Usernames for a new account, the best first: what the provider calls the person, or what the e-mail address begins
/// with, as far as a username may be so; then the same with a number.
fn names(identity: &Identity) -> impl Iterator<Item = String> + use<> {
    let local = identity.email.as_deref().and_then(|email| email.split('@').next());
    // Room for a number.
    let valid = |text: &str| -> String {
        let name = text.split('@').next().unwrap_or_default();
        name.chars().filter(|c| c.is_alphanumeric() || "-_.".contains(*c)).take(35).collect()
    };
    let wanted = identity.username.as_deref().into_iter().chain(local).map(valid);
    let name = wanted.into_iter().find(|name| name_fault(name).is_none()).unwrap_or_else(|| "user".into());
    let numbered = name.clone();
    std::iter::once(name).chain((2..NUMBERS).map(move |n| format!("{numbered}-{n}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_are_valid_and_end() {
        let check = |username: Option<&str>, email: Option<&str>, expected: [&str; 2]| {
            let [username, email] = [username, email].map(|text| text.map(str::to_owned));
            let identity = Identity { issuer: "i".into(), subject: "s".into(), username, email };
            let all: Vec<_> = names(&identity).collect();
            assert_eq!(all[..2], expected);
            assert!(all.iter().all(|name| name_fault(name).is_none()), "{all:?}");
        };
        check(Some("ada"), None, ["ada", "ada-2"]);
        check(Some("ada@example.org"), None, ["ada", "ada-2"]);
        check(Some("<>"), Some("ada.l@example.org"), ["ada.l", "ada.l-2"]);
        check(None, None, ["user", "user-2"]);
        check(Some("陈 晨"), None, ["陈晨", "陈晨-2"]);
        let long = "a".repeat(80);
        check(Some(&long), None, [&long[..35], &format!("{}-2", &long[..35])]);
    }
}
