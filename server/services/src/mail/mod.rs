//! Email: what people choose to get, the links in messages, and the queue. It is off until the operator names an SMTP server.
//!
//! A message is written by the transaction of its cause and sent by a task of its own, so no request waits for the SMTP
//! server, and a kill loses nothing. It is sent once, unless the server is killed between the SMTP server's last reply and
//! the next write; the repeated message has the same ID.

mod links;
mod messages;
mod notices;

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use model::{
    caller::{Admin, Person},
    error::{Answer, AppError},
    fault::MailFault,
    ids::{StudyId, UserId},
    lang::Lang,
    mail::{Digest, MailChoice, MailChosen, MailKind, MailLink, MailQueue, MyMail, VERIFY_HOURS, address_in},
    time::{DAY_MS, Timestamp},
    user::Role,
};
use port::mail::Mail;
use rusqlite::{Connection, Transaction};

use super::{
    accounts::{hash_secret, random_secret},
    grading,
    queue::{self, Queue},
};
use base::{clock, error::Failure};
use clients::mail::{MailServer, Outgoing, checked_address};
use db::{
    Db,
    mail::{self, Due, NewMessage},
};
use messages::Text;

/// How long a message is reserved for an attempt, in milliseconds: more than an attempt can take.
const LEASE_MS: i64 = 3 * 60 * 1000;
/// A message is given up after this time, in milliseconds.
const GIVE_UP_MS: i64 = DAY_MS;
/// Messages that were sent or given up are deleted after this time, in milliseconds.
const KEEP_MS: i64 = 30 * DAY_MS;
/// Time in which the SMTP server must take a test: an admin waits.
const TEST_PATIENCE: Duration = Duration::from_secs(15);
const HOUR_MS: i64 = 60 * 60 * 1000;
/// Most messages of a kind that one person can have sent in an hour.
const VERIFICATIONS_AN_HOUR: u32 = 5;
const INVITATIONS_AN_HOUR: u32 = 200;
const TESTS_AN_HOUR: u32 = 10;
/// Most messages that people can have sent to one address in an hour.
const TO_ADDRESS_AN_HOUR: u32 = 3;

#[derive(Clone)]
pub struct MailService(Arc<Inner>);

struct Inner {
    db: Db,
    setup: RwLock<Option<Arc<Setup>>>,
}

/// What the operator decided.
pub struct Setup {
    server: MailServer,
    /// Where people reach this server, without a slash at the end.
    public_url: String,
}

/// An invitation whose link is to be sent.
pub(super) struct Invited<'a> {
    pub id: i64,
    pub secret: &'a str,
    pub label: &'a str,
    pub role: Role,
    /// The title of the study that it is to.
    pub study: Option<&'a str>,
    pub expires_at: Timestamp,
}

impl MailService {
    /// Until [`MailService::configure`] is called, nothing is sent.
    pub fn new(db: Db) -> Self {
        MailService(Arc::new(Inner { db, setup: RwLock::default() }))
    }

    /// Sets the SMTP server and the address to which links lead: the operator's decision.
    pub fn configure(&self, server: MailServer, public_url: &str) {
        let setup = Setup { server, public_url: public_url.trim_end_matches('/').to_owned() };
        *self.0.setup.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(setup));
    }

    /// Whether email can be sent.
    pub fn is_on(&self) -> bool {
        self.0.setup.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn setup(&self) -> Answer<Arc<Setup>> {
        let setup = self.0.setup.read().unwrap_or_else(PoisonError::into_inner).clone();
        setup.ok_or_else(|| {
            let message = (
                "This server sends no email. The operator can name an SMTP server with --smtp-server.",
                "该服务器不发送邮件。运维人员可用 --smtp-server 指定 SMTP 服务器。",
            );
            AppError::Conflict(message.into())
        })
    }

    /// Sends messages when they are due, until the process ends.
    pub async fn serve(self) {
        queue::serve(self).await;
    }

    /// Sends everything that is due now, one after the other; returns the number of attempts.
    ///
    /// # Errors
    /// Fails only for internal errors; faults of the SMTP server are recorded.
    pub async fn deliver_due(&self) -> Result<usize, Failure> {
        queue::deliver_due(self).await
    }

    /// Deletes messages that were sent, given up or withdrawn long ago and, if email is off, those that nobody will
    /// send. The server calls it every hour.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn sweep(&self) -> Result<usize, Failure> {
        let (now, is_off) = (clock::now(), !self.is_on());
        let sweep = move |tx: &Transaction<'_>| {
            let unsent = is_off.then_some(Timestamp(now.0 - GIVE_UP_MS));
            mail::forget(tx, Timestamp(now.0 - KEEP_MS), unsent)
        };
        self.0.db.write(sweep).await
    }

    /// Email on the server's page; `None` if there is none.
    pub(super) async fn state(&self) -> Result<Option<MailQueue>, Failure> {
        let Ok(setup) = self.setup() else { return Ok(None) };
        let ((waiting, failed, last_sent_at), problems) =
            self.0.db.read(|conn| Ok((mail::counts(conn)?, mail::problems(conn)?))).await?;
        let (server, sender) = (setup.server.name(), setup.server.sender());
        Ok(Some(MailQueue { server, sender, waiting, failed, last_sent_at, problems }))
    }

    /// Stores the address of somebody who logs in for the first time with an identity provider that has verified it. Nothing
    /// is sent to it until they choose something.
    pub(super) async fn adopt(&self, user: UserId, address: &str) -> Result<(), Failure> {
        let Some(address) = checked_address(address).filter(|_| self.is_on()) else { return Ok(()) };
        let now = clock::now();
        let adopt = move |tx: &Transaction<'_>| match mail::chosen(tx, user)? {
            Some(_) => Ok(()),
            None => {
                let unchosen = MyMail { address, verified: true, due: false, digest: Digest::Off };
                mail::set(tx, user, &unchosen, Some(now), None, now)
            }
        };
        self.0.db.write(adopt).await
    }

    /// What writes an invitation's message in the transaction that creates it.
    ///
    /// # Errors
    /// Refused if email is off.
    pub(super) fn inviter(&self, admin: &Admin) -> Answer<Inviter> {
        let lang = admin.person().map(|person| person.lang).unwrap_or_default();
        Ok(Inviter { setup: self.setup()?, asked_by: admin.id(), lang, now: clock::now() })
    }

    /// Makes an attempt to send a message. Returns why it failed.
    async fn attempt(&self, due: Due, server: &MailServer, setup: &Setup) -> Result<Option<MailFault>, Failure> {
        let Due { id, kind, address, subject, body, attempts, created_at, about } = due;
        let read = move |conn: &Connection| {
            let has_left = match about.filter(|_| kind == MailKind::Due) {
                Some((user, study)) => grading::has_left(conn, study, user)?,
                None => true,
            };
            Ok((has_left && mail::still_applies(conn, id, kind)?, mail::key(conn)?))
        };
        let (true, key) = self.0.db.read(read).await? else {
            let now = clock::now();
            self.0.db.write(move |tx| mail::withdraw(tx, id, now)).await?;
            return Ok(None);
        };
        let message = Outgoing {
            stop: Some(setup.stop_link(&key, kind, &address)?),
            to: address,
            subject,
            text: body,
            id: format!("aixgrade-{}-{id}-{}", kind.code(), created_at.0),
            written_at: created_at,
        };
        let why = server.send(&message).await.err();
        let (now, fault) = (clock::now(), why.clone());
        let record = move |tx: &Transaction<'_>| match fault {
            None => mail::sent(tx, id, now),
            Some(why) => {
                // Another test is for the admin to make, who reads the result.
                let is_over = why.is_final() || kind == MailKind::Test;
                let next =
                    queue::next_attempt(attempts, now).filter(|next| !is_over && next.0 - created_at.0 <= GIVE_UP_MS);
                mail::failed(tx, id, &why, next, now)
            }
        };
        self.0.db.write(record).await?;
        Ok(why)
    }
}

impl Queue for MailService {
    type Due = (Due, Arc<Setup>);

    async fn take_due(&self) -> Result<Option<Self::Due>, Failure> {
        let Ok(setup) = self.setup() else { return Ok(None) };
        let now = clock::now();
        // Checked without a lock first, because it is nearly always empty.
        if !self.0.db.read(move |conn| mail::is_due(conn, now)).await? {
            return Ok(None);
        }
        let until = Timestamp(now.0 + LEASE_MS);
        Ok(self.0.db.write(move |tx| mail::claim(tx, now, until)).await?.map(|due| (due, setup)))
    }

    async fn deliver(&self, (due, setup): Self::Due) -> Result<(), Failure> {
        self.attempt(due, &setup.server, &setup).await.map(drop)
    }
}

/// Somebody to whom a message is written.
struct To<'a> {
    address: &'a str,
    lang: Lang,
    user: Option<UserId>,
    invitation: Option<i64>,
    study: Option<StudyId>,
    asked_by: Option<UserId>,
}

impl Setup {
    /// Stores a message with the link that ends such messages; returns its number.
    fn write(
        &self,
        tx: &Connection,
        kind: MailKind,
        to: &To<'_>,
        text: &Text,
        (now, next_at): (Timestamp, Timestamp),
    ) -> Result<i64, Failure> {
        let stop = self.stop_link(&mail::key(tx)?, kind, to.address)?;
        let body = format!("{}\n\n-- \n{}\n{stop}\n", text.body, messages::how_to_stop(to.lang, kind));
        let To { address, user, invitation, study, asked_by, .. } = *to;
        let new = NewMessage {
            kind,
            address,
            user,
            invitation,
            study,
            asked_by,
            subject: &text.subject,
            body: &body,
            created_at: now,
            next_at,
        };
        mail::insert(tx, &new)
    }

    /// Address of the page on which the owner of an address ends messages of a kind to it.
    fn stop_link(&self, key: &[u8], kind: MailKind, address: &str) -> Result<String, Failure> {
        Ok(format!("{}/mail/{}", self.public_url, links::sign(key, kind, address)?))
    }
}

/// Refuses if a person or an address has too many messages in an hour, so that nobody can have the server write to
/// strangers all the time.
fn check_limits(
    tx: &Connection,
    by: Option<UserId>,
    kind: MailKind,
    most: u32,
    address: &str,
    now: Timestamp,
) -> Result<(), Failure> {
    let since = Timestamp(now.0 - HOUR_MS);
    let by_person = match by {
        Some(user) => mail::asked_for(tx, user, kind, since)?,
        None => 0,
    };
    // An admin who tries settings sends all tests to one address.
    let is_too_often = kind != MailKind::Test && mail::asked_to(tx, address, since)? >= TO_ADDRESS_AN_HOUR;
    if by_person >= most || is_too_often {
        return Err(Failure::App(AppError::TooMany(HOUR_MS.unsigned_abs() / 1000)));
    }
    Ok(())
}

/// Writes the messages of invitations.
pub(super) struct Inviter {
    setup: Arc<Setup>,
    asked_by: Option<UserId>,
    lang: Lang,
    now: Timestamp,
}

impl Inviter {
    /// Writes the message with an invitation's link to the address in its label.
    pub fn write(&self, tx: &Transaction<'_>, invited: &Invited<'_>) -> Result<(), Failure> {
        let label = invited.label;
        let address = address_in(label).and_then(checked_address).ok_or_else(|| {
            AppError::invalid(
                "label",
                (format!("\"{label}\" has no email address"), format!("“{label}”中没有邮箱地址")),
                (
                    "To send the link, write an address, such as ada@example.org or Ada <ada@example.org>",
                    "如需发送链接，请填写地址，例如 ada@example.org 或 Ada <ada@example.org>",
                ),
            )
        })?;
        check_limits(tx, self.asked_by, MailKind::Invitation, INVITATIONS_AN_HOUR, &address, self.now)?;
        let to = To {
            address: &address,
            lang: self.lang,
            user: None,
            invitation: Some(invited.id),
            study: None,
            asked_by: self.asked_by,
        };
        let text = messages::invitation(self.lang, &self.setup.public_url, invited);
        let id = self.setup.write(tx, MailKind::Invitation, &to, &text, (self.now, self.now))?;
        if mail::is_stopped(tx, MailKind::Invitation, &address)? {
            mail::failed(tx, id, &MailFault::Stopped, None, self.now)?;
        }
        Ok(())
    }
}

#[async_trait]
impl Mail for MailService {
    fn is_on(&self) -> bool {
        MailService::is_on(self)
    }

    async fn mine(&self, person: &Person) -> Answer<Option<MyMail>> {
        if !self.is_on() {
            return Ok(None);
        }
        let user = person.id;
        let chosen = self.0.db.read(move |conn| mail::chosen(conn, user)).await?;
        let none = MyMail { address: String::new(), verified: false, due: true, digest: Digest::Off };
        Ok(Some(chosen.unwrap_or(none)))
    }

    async fn choose(&self, person: &Person, choice: MailChoice) -> Answer<MailChosen> {
        let setup = self.setup()?;
        let (user, name, lang) = (person.id, person.name.clone(), person.lang);
        if choice.address.trim().is_empty() {
            let now = clock::now();
            self.0.db.write(move |tx| mail::remove(tx, user, now)).await?;
            return Ok(MailChosen::Removed);
        }
        let address = checked_address(&choice.address).ok_or_else(|| {
            AppError::invalid(
                "address",
                ("this is not an email address", "这不是邮箱地址"),
                ("Write an address such as ada@example.org", "请填写邮箱地址，例如 ada@example.org"),
            )
        })?;
        let digest = if person.role == Role::Admin { choice.digest } else { Digest::Off };
        let (due, now, secret) = (choice.due, clock::now(), random_secret());
        let choose = move |tx: &Transaction<'_>| {
            let before = mail::chosen(tx, user)?;
            if before.is_some_and(|before| before.verified && before.address == address) {
                mail::set_choice(tx, user, due, digest, now)?;
                if due || digest != Digest::Off {
                    // Who chooses something at a verified address has changed their mind.
                    mail::allow(tx, &address)?;
                }
                return Ok(MailChosen::Saved);
            }
            if mail::is_stopped(tx, MailKind::Verify, &address)? {
                return Err(Failure::conflict((
                    "The owner of this address wants no email from this server.",
                    "该邮箱的所有者不希望收到此服务器的邮件。",
                )));
            }
            check_limits(tx, Some(user), MailKind::Verify, VERIFICATIONS_AN_HOUR, &address, now)?;
            let until = Timestamp(now.0 + i64::from(VERIFY_HOURS) * HOUR_MS);
            let chosen = MyMail { address: address.clone(), verified: false, due, digest };
            mail::set(tx, user, &chosen, None, Some((&hash_secret(&secret), until)), now)?;
            let text = messages::verification(lang, &setup.public_url, &name, &secret);
            let to =
                To { address: &address, lang, user: Some(user), invitation: None, study: None, asked_by: Some(user) };
            setup.write(tx, MailKind::Verify, &to, &text, (now, now))?;
            Ok(MailChosen::LinkSent)
        };
        Ok(self.0.db.write(choose).await?)
    }

    async fn link(&self, token: &str) -> Answer<MailLink> {
        let (token, now) = (token.to_owned(), clock::now());
        let found = move |conn: &Connection| {
            if let Some((kind, address)) = links::read(&mail::key(conn)?, &token) {
                let stopped = mail::is_stopped(conn, kind, &address)?;
                return Ok(Some(MailLink::Stop { kind, address, stopped }));
            }
            let found = mail::to_verify(conn, &hash_secret(&token), now)?;
            Ok(found.map(|(name, address)| MailLink::Verify { name, address }))
        };
        self.0.db.read(found).await?.ok_or_else(|| AppError::NotFound("link".into()))
    }

    async fn follow(&self, token: &str, allow: bool) -> Answer<MailLink> {
        let link = self.link(token).await?;
        let (token, now, followed) = (token.to_owned(), clock::now(), link.clone());
        let follow = move |tx: &Transaction<'_>| match &followed {
            MailLink::Verify { .. } if mail::verify(tx, &hash_secret(&token), now)? => Ok(()),
            MailLink::Verify { .. } => Err(Failure::not_found("link")),
            MailLink::Stop { kind: MailKind::Due | MailKind::Digest, .. } if allow => Err(Failure::not_found("link")),
            MailLink::Stop { address, .. } if allow => mail::allow(tx, address),
            MailLink::Stop { kind, address, .. } => mail::stop(tx, *kind, address, now),
        };
        self.0.db.write(follow).await?;
        Ok(link)
    }

    async fn test(&self, admin: &Admin, address: &str) -> Answer<Option<MailFault>> {
        let setup = self.setup()?;
        let address = checked_address(address).ok_or_else(|| {
            AppError::invalid(
                "address",
                ("this is not an email address", "这不是邮箱地址"),
                ("Write an address such as ada@example.org", "请填写邮箱地址，例如 ada@example.org"),
            )
        })?;
        let lang = admin.person().map(|person| person.lang).unwrap_or_default();
        let (asked_by, now, stored) = (admin.id(), clock::now(), setup.clone());
        let write = move |tx: &Transaction<'_>| {
            check_limits(tx, asked_by, MailKind::Test, TESTS_AN_HOUR, &address, now)?;
            if mail::is_stopped(tx, MailKind::Test, &address)? {
                return Ok(None);
            }
            let to = To { address: &address, lang, user: None, invitation: None, study: None, asked_by };
            let text = messages::test(lang, &stored.public_url);
            // Sent at once; for the queue, it is due later.
            let id = stored.write(tx, MailKind::Test, &to, &text, (now, Timestamp(now.0 + LEASE_MS)))?;
            mail::get(tx, id)
        };
        let Some(due) = self.0.db.write(write).await? else { return Ok(Some(MailFault::Stopped)) };
        let server = setup.server.clone().with_patience(TEST_PATIENCE);
        Ok(self.attempt(due, &server, &setup).await?)
    }
}
