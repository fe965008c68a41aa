//! People: logging in, passwords, invitations.
//!
//! Passwords are argon2id hashes; hashing runs on blocking threads, a few at a time. [`throttle`](super::throttle)
//! slows failed logins, also for names that do not exist, and a wrong name costs as long as a wrong password:
//! nothing reveals which accounts exist.

use std::net::IpAddr;

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use model::{
    audit::{Action, Object},
    audit_details::{Fact, Made},
    caller::{Actor, Admin, Owner, Person, System},
    display::Display,
    error::{Answer, AppError},
    ids::UserId,
    keys::Settings,
    lang::Lang,
    page::{PageOf, Paged},
    plan::Reads,
    problem::Problem,
    study::StudyStatus,
    time::{DAY_MS, Timestamp},
    time_zone::TimeZone,
    user::{
        CreatedInvitation, Invitation, Joins, MOST_INVITATIONS, Me, PASSWORD_MAX, RESET_HOURS, Role, UserRow,
        name_fault, password_fault,
    },
};
use port::Accounts;
use rand::Rng;
use rusqlite::{Connection, Transaction};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use super::{
    mail::{Invited, MailService},
    plans,
    throttle::{self, Subject},
};
use base::{clock, error::Failure};
use db::{
    Db,
    accounts::{self, Password},
    audit::Change,
    groups, identities,
    imported_ratings::NO_PASSWORD,
    plan, settings, studies, throttle as stored,
};

/// Passwords hashed at the same time: each takes some 20 MB and a core.
const HASHERS: usize = 2;
pub struct AccountService {
    db: Db,
    mail: MailService,
    hashers: Semaphore,
    /// A hash that no password matches, verified when the account does not exist.
    nobody: tokio::sync::OnceCell<String>,
}

/// The result of logging in.
#[derive(Clone, Debug)]
pub struct LoggedIn {
    pub me: Me,
    /// The account's epoch: sessions of an earlier epoch have ended.
    pub epoch: i64,
    /// A new secret for the browser to keep. It marks the browser as known to the account.
    pub device: String,
}

/// How long a password that someone other than the account's owner sets is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// For the first login, which asks for another.
    OneTime,
    /// Until it is changed.
    Lasting,
}

/// An account behind a session.
#[derive(Clone, Debug)]
pub struct Resumed {
    pub me: Me,
    /// The language, once chosen.
    pub lang: Option<Lang>,
    /// Whether they must choose a new password before anything else.
    pub must_change_password: bool,
}

/// The origin of a login.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The secret of a known browser, if it sent one.
    pub device: Option<&'a str>,
}

/// Why a login was refused.
#[derive(Debug)]
pub enum Refused {
    /// The name or the password is wrong; the message does not say which.
    Wrong,
    /// Too many failures; wait for this many seconds.
    Slow(u64),
    /// The password is right, but the account is deactivated.
    Disabled,
    /// An internal error.
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(e: Failure) -> Self {
        Refused::Failed(e)
    }
}

impl AccountService {
    pub fn new(db: Db, mail: MailService) -> Self {
        AccountService { db, mail, hashers: Semaphore::new(HASHERS), nobody: tokio::sync::OnceCell::new() }
    }

    /// Checks a name and a password.
    ///
    /// # Errors
    /// See [`Refused`].
    pub async fn log_in(&self, name: &str, password: &str, origin: Origin<'_>) -> Result<LoggedIn, Refused> {
        // No account has such a name or password, so nothing is stored or computed.
        if name_fault(name).is_some() || password.len() > PASSWORD_MAX {
            return Err(Refused::Wrong);
        }
        let device = origin.device.map(hash_secret);
        let (wanted, presented) = (name.to_owned(), device.clone());
        let (account, known) = self
            .db
            .read(move |conn| {
                let account = accounts::by_name(conn, &wanted)?;
                let known = match (&account, presented) {
                    (Some(account), Some(hash)) => stored::knows_device(conn, &hash, account.me.id)?,
                    _ => false,
                };
                Ok((account, known))
            })
            .await?;
        let subjects = match (&account, &device) {
            (Some(account), Some(hash)) if known => vec![Subject::device(hash, account.me.id)],
            _ => {
                let network = origin.address.map_or_else(|| "unknown".to_owned(), throttle::network);
                Subject::stranger(name, &network).to_vec()
            }
        };
        self.attempt(&subjects).await?;
        let hash = match &account {
            Some(account) => account.password_hash.clone(),
            None => self.nobody.get_or_try_init(|| async { self.unknown_password().await }).await?.clone(),
        };
        let right = self.verify(password, hash).await?;
        let Some(account) = account.filter(|_| right) else { return Err(Refused::Wrong) };
        let (id, disabled, now) = (account.me.id, account.disabled, clock::now());
        let secret = random_secret();
        let fresh = hash_secret(&secret);
        self.db
            .write(move |tx| {
                throttle::succeeded(tx, &subjects)?;
                if !disabled {
                    stored::know_device(tx, device.as_deref(), &fresh, id, now)?;
                }
                Ok(())
            })
            .await?;
        if disabled {
            return Err(Refused::Disabled);
        }
        Ok(LoggedIn { me: account.me, epoch: account.epoch, device: secret })
    }

    /// The person a session belongs to, unless the account was disabled or its password changed
    /// since.
    pub async fn resume(&self, id: UserId, epoch: i64) -> Result<Option<Resumed>, Failure> {
        let account = self.db.read(move |conn| accounts::by_id(conn, id)).await?;
        Ok(account.filter(|a| a.epoch == epoch && !a.disabled).map(|a| Resumed {
            lang: a.lang_chosen.then_some(a.me.lang),
            must_change_password: a.must_change_password,
            me: a.me,
        }))
    }

    /// Records that the person is logged in, for the list of people.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub async fn seen(&self, id: UserId) -> Result<(), Failure> {
        self.db.write(move |tx| accounts::seen(tx, id)).await
    }

    /// Changes the person's password; every other session of theirs ends. Returns the new epoch.
    ///
    /// # Errors
    ///
    /// Fails if `current` is wrong ([`AppError::Forbidden`]), the new password is too short or too long, or
    /// there were too many wrong attempts.
    pub async fn change_password(&self, person: &Person, current: &str, new: &str) -> Answer<i64> {
        let id = person.id;
        check_password(new)?;
        // Counted separately: guesses by others must not keep the owner from changing the password.
        let subjects = vec![Subject::owner(id)];
        self.limited(&subjects).await?;
        let account = self.db.read(move |conn| accounts::by_id(conn, id)).await?.ok_or(AppError::Unauthenticated)?;
        if !self.verify(current, account.password_hash).await? {
            return Err(AppError::Forbidden);
        }
        let hash = self.hash(new).await?;
        let name = person.name.clone();
        let set = move |tx: &Transaction<'_>| {
            throttle::succeeded(tx, &subjects)?;
            let epoch = accounts::set_password(tx, id, chosen(&hash))?;
            Ok(Change::of(Object::Account(name), [Fact::Made(Made::ByOwner)], epoch))
        };
        Ok(self.db.write_audited(person, Action::UserSetPassword, set).await?)
    }

    /// Sets the password of someone who must choose a new one; every other session of theirs ends. Returns the new
    /// epoch.
    ///
    /// # Errors
    ///
    /// Fails if the password is too short or too long, is the present one, or none has to be chosen (409).
    pub async fn choose_password(&self, owner: &Owner, new: &str) -> Answer<i64> {
        let id = owner.id;
        check_password(new)?;
        let account = self.db.read(move |conn| accounts::by_id(conn, id)).await?.ok_or(AppError::Unauthenticated)?;
        if self.verify(new, account.password_hash).await? {
            return Err(AppError::invalid(
                "same",
                ("this is the present password", "这是当前密码"),
                ("Choose another password", "请换一个密码"),
            ));
        }
        let hash = self.hash(new).await?;
        let name = owner.name.clone();
        let set = move |tx: &Transaction<'_>| {
            // Checked again under the lock: without the current password, this is for the first login only.
            if !accounts::by_id(tx, id)?.is_some_and(|account| account.must_change_password) {
                return Err(Failure::conflict((
                    "The password has been changed already. Use the Account page.",
                    "密码已修改。请在“账户”页面修改。",
                )));
            }
            let epoch = accounts::set_password(tx, id, chosen(&hash))?;
            Ok(Change::of(Object::Account(name), [Fact::Made(Made::AtFirstLogin)], epoch))
        };
        Ok(self.db.write_audited(owner, Action::UserSetPassword, set).await?)
    }

    /// Creates an account (command line, first start).
    ///
    /// # Errors
    ///
    /// Fails if the name or the password is invalid, or the name is taken.
    pub async fn add(
        &self,
        system: System,
        name: &str,
        role: Role,
        password: &str,
        validity: Validity,
    ) -> Answer<UserId> {
        check_name(name)?;
        check_password(password)?;
        let hash = self.hash(password).await?;
        let name = name.to_owned();
        let create = move |tx: &Transaction<'_>| {
            let password = Password { hash: &hash, one_time: validity == Validity::OneTime };
            let id = accounts::insert(tx, &name, role, password)?.ok_or_else(|| taken(&name))?;
            Ok(Change::of(Object::Account(name), [Fact::Role(role)], id))
        };
        Ok(self.db.write_audited(system, Action::UserCreate, create).await?)
    }

    /// Sets a person's password and ends their sessions (command line).
    pub async fn reset_password(&self, system: System, name: &str, password: &str, validity: Validity) -> Answer<()> {
        self.reset_passwords(system, &[(name, password.to_owned())], validity).await
    }

    /// Sets the passwords of several people, all or none.
    pub async fn reset_passwords(
        &self,
        system: System,
        passwords: &[(&str, String)],
        validity: Validity,
    ) -> Answer<()> {
        let one_time = validity == Validity::OneTime;
        let mut hashes = Vec::with_capacity(passwords.len());
        for (name, password) in passwords {
            check_password(password)?;
            hashes.push(((*name).to_owned(), self.hash(password).await?));
        }
        Ok(self
            .db
            .write_audited(system, Action::UserSetPassword, move |tx| {
                let mut entries = Vec::with_capacity(hashes.len());
                for (name, hash) in hashes {
                    let account = accounts::by_name(tx, &name)?.ok_or_else(|| Failure::not_found("account"))?;
                    accounts::set_password(tx, account.me.id, Password { hash: &hash, one_time })?;
                    // Someone else may have logged in with the old password.
                    stored::forget_devices(tx, account.me.id)?;
                    entries.push((Object::Account(name), vec![Fact::Made(Made::Reset)]));
                }
                Ok(Change::each(entries, ()))
            })
            .await?)
    }

    /// Creates the first admin if there is none, and returns its name and one-time password.
    pub async fn first_admin(&self) -> Answer<Option<(String, String)>> {
        if self.db.read(accounts::admins).await? > 0 {
            return Ok(None);
        }
        let (name, password) = ("admin".to_owned(), random_password());
        if self.db.read(|conn| accounts::by_name(conn, "admin")).await?.is_some() {
            // An account of this name exists but is no admin or is deactivated. Leave it to the operator;
            // activating it here would override a decision.
            return Ok(None);
        }
        self.add(System, &name, Role::Admin, &password, Validity::OneTime).await?;
        Ok(Some((name, password)))
    }

    /// Creates an account by an invitation and marks it as used.
    ///
    /// # Errors
    ///
    /// 404 if the invitation is not open, 429 after many attempts; otherwise as [`AccountService::add`].
    pub async fn join(
        &self,
        secret: &str,
        name: &str,
        password: &str,
        reads: Reads,
        zone: TimeZone,
    ) -> Answer<LoggedIn> {
        let secret_hash = hash_secret(secret);
        let wanted = secret_hash.clone();
        let open = self.db.read(move |conn| accounts::open_invitation(conn, &wanted)).await?;
        open.ok_or_else(|| AppError::NotFound("invitation".into()))?;
        check_name(name)?;
        check_password(password)?;
        // One link may not keep others waiting for their passwords, nor ask for many names.
        let link = vec![Subject::link(&secret_hash)];
        self.limited(&link).await?;
        let wanted = name.to_owned();
        if self.db.read(move |conn| accounts::by_name(conn, &wanted)).await?.is_some() {
            return Err(taken(name).into());
        }
        let hash = self.hash(password).await?;
        let (name, device, now) = (name.to_owned(), random_secret(), clock::now());
        let fresh = hash_secret(&device);
        let used = secret_hash.clone();
        let joined = self
            .db
            .write_audited(Actor::System, Action::InvitationAccept, move |tx| {
                // Checked again under the lock: a link creates one account.
                let invitation =
                    accounts::open_invitation(tx, &secret_hash)?.ok_or_else(|| Failure::not_found("invitation"))?;
                let id = accounts::insert(tx, &name, invitation.role, chosen(&hash))?.ok_or_else(|| taken(&name))?;
                throttle::succeeded(tx, &link)?;
                accounts::use_invitation(tx, invitation.id, id)?;
                plan::set_reads(tx, id, reads)?;
                if let Some(group) = invitation.group {
                    groups::add(tx, group.id, id)?;
                }
                let display = Display { zone, ..Display::default() };
                if !display.is_default() {
                    settings::set_display(tx, id, display)?;
                }
                let me = Me {
                    id,
                    name: name.clone(),
                    role: invitation.role,
                    lang: Lang::default(),
                    settings: Settings { display, ..Settings::default() },
                };
                stored::know_device(tx, None, &fresh, id, now)?;
                let joined = LoggedIn { me, epoch: 0, device };
                let change = Change::of(Object::Invitation(invitation.id), [Fact::Name(name)], joined);
                Ok(change.by(Actor::Person(id)))
            })
            .await?;
        self.join_study(used, joined.me.id).await;
        Ok(joined)
    }

    /// Adds the person to the study of the invitation that they used, if it has one. What prevents it, such as a study
    /// that was closed meanwhile, is logged: the account exists nevertheless, and an admin can add the person later.
    pub(super) async fn join_study(&self, secret_hash: String, user: UserId) {
        let study = self.db.read(move |conn| accounts::invited_study(conn, &secret_hash, user)).await;
        let joined = match study {
            Ok(Some(study)) => plans::join_invited(&self.db, study, user).await,
            Ok(None) => return,
            Err(e) => Err(e.into()),
        };
        if let Err(error) = joined {
            tracing::warn!(%error, user = user.0, "a person could not be added to the study of their invitation");
        }
    }

    /// Sets a password by a link, which ends every session of the account and the link itself, and logs in.
    ///
    /// # Errors
    ///
    /// 404 if the link is not open, 429 after many attempts; otherwise the password is too short or too long.
    pub async fn reset_by_link(&self, secret: &str, password: &str) -> Answer<LoggedIn> {
        self.reset_name(secret).await?;
        check_password(password)?;
        let secret_hash = hash_secret(secret);
        self.limited(&[Subject::link(&secret_hash)]).await?;
        let hash = self.hash(password).await?;
        let (device, now) = (random_secret(), clock::now());
        let fresh = hash_secret(&device);
        let reset = move |tx: &Transaction<'_>| {
            // Checked again under the lock: a link sets one password.
            let id = accounts::open_reset(tx, &secret_hash)?.ok_or_else(|| Failure::not_found("reset link"))?;
            let account = accounts::by_id(tx, id)?.ok_or_else(|| Failure::not_found("account"))?;
            let epoch = accounts::set_password(tx, id, chosen(&hash))?;
            stored::forget_devices(tx, id)?;
            stored::know_device(tx, None, &fresh, id, now)?;
            let name = account.me.name.clone();
            let logged_in = LoggedIn { me: account.me, epoch, device };
            let change = Change::of(Object::Account(name), [Fact::Made(Made::ByLink)], logged_in);
            Ok(change.by(Actor::Person(id)))
        };
        Ok(self.db.write_audited(Actor::System, Action::UserSetPassword, reset).await?)
    }

    /// Counts an attempt that is not a login.
    async fn limited(&self, subjects: &[Subject]) -> Answer<()> {
        match self.attempt(subjects).await {
            Ok(()) => Ok(()),
            Err(Refused::Slow(seconds)) => Err(AppError::TooMany(seconds)),
            Err(Refused::Failed(failure)) => Err(failure.into()),
            Err(Refused::Wrong | Refused::Disabled) => Err(AppError::Forbidden),
        }
    }

    async fn attempt(&self, subjects: &[Subject]) -> Result<(), Refused> {
        let (subjects, now) = (subjects.to_vec(), clock::now());
        let wait = self.db.write(move |tx| throttle::attempt(tx, &subjects, now)).await?;
        match u64::try_from(wait) {
            Ok(ms) if ms > 0 => Err(Refused::Slow(ms.div_ceil(1000))),
            _ => Ok(()),
        }
    }

    /// Deletes failed logins that no longer count. The server calls it every hour.
    pub async fn sweep(&self) -> Result<usize, Failure> {
        let now = clock::now();
        self.db.write(move |tx| throttle::sweep(tx, now)).await
    }

    /// The hash of a random password that nobody knows.
    pub(super) async fn unknown_password(&self) -> Result<String, Failure> {
        self.hash(&random_password()).await
    }

    async fn hash(&self, password: &str) -> Result<String, Failure> {
        let password = password.to_owned();
        self.hashing(move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|hash| hash.to_string())
                .map_err(|e| Failure::internal(format!("hashing a password: {e}")))
        })
        .await
    }

    async fn verify(&self, password: &str, hash: String) -> Result<bool, Failure> {
        let password = password.to_owned();
        self.hashing(move || {
            let parsed = PasswordHash::new(&hash).map_err(|e| Failure::internal(format!("a stored hash: {e}")))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
        })
        .await
    }

    async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let _permit = self.hashers.acquire().await.map_err(Failure::internal)?;
        tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?
    }
}

impl AccountService {
    /// The account of that name, in any case of its letters.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn named(&self, _: &Admin, name: &str) -> Answer<Option<UserId>> {
        let name = name.to_owned();
        Ok(self.db.read(move |conn| Ok(accounts::by_name(conn, &name)?.map(|account| account.me.id))).await?)
    }

    /// Succeeds if there is an account with this ID.
    ///
    /// # Errors
    ///
    /// [`AppError::NotFound`] without one.
    pub async fn find(&self, _: &Admin, user: UserId) -> Answer<()> {
        let found = self.db.read(move |conn| accounts::by_id(conn, user)).await?;
        Ok(found.map(|_| ()).ok_or_else(|| Failure::not_found("account"))?)
    }

    async fn invite_one(
        &self,
        admin: &Admin,
        label: &str,
        role: Role,
        days: u32,
        joins: Joins,
        send: bool,
    ) -> Answer<String> {
        if label.chars().count() > 100 {
            return Err(AppError::invalid(
                "label",
                ("the label is longer than 100 characters", "标签超过 100 字"),
                ("Shorten it", "请缩短"),
            ));
        }
        let secret = random_secret();
        let made = vec![(secret.clone(), label.trim().to_owned(), role)];
        self.create_invitations(admin, made, days, joins, send).await?;
        Ok(secret)
    }

    /// Creates invitations of these secrets, labels and roles, and with `send` the messages with their links.
    async fn create_invitations(
        &self,
        admin: &Admin,
        made: Vec<(String, String, Role)>,
        days: u32,
        joins: Joins,
        send: bool,
    ) -> Answer<()> {
        let expires_at = invitation_end(days)?;
        let inviter = send.then(|| self.mail.inviter(admin)).transpose()?;
        let by = admin.id();
        let create = move |tx: &Transaction<'_>| {
            let into = joined(tx, joins)?;
            let study = match joins.study {
                Some(id) => studies::get(tx, id)?.map(|study| study.title),
                None => None,
            };
            let entries = made.iter().map(|(secret, label, role)| {
                let id = accounts::insert_invitation(tx, &hash_secret(secret), label, *role, joins, by, expires_at)?;
                if let Some(inviter) = &inviter {
                    inviter
                        .write(tx, &Invited { id, secret, label, role: *role, study: study.as_deref(), expires_at })?;
                }
                Ok((Object::Invitation(id), invitation_facts(label, *role, days, into.clone())))
            });
            Ok(Change::each(entries.collect::<Result<_, Failure>>()?, ()))
        };
        Ok(self.db.write_audited(admin, Action::InvitationCreate, create).await?)
    }
}

#[async_trait]
impl Accounts for AccountService {
    async fn invite(&self, admin: &Admin, label: &str, role: Role, days: u32, joins: Joins) -> Answer<String> {
        self.invite_one(admin, label, role, days, joins, false).await
    }

    async fn invite_by_mail(&self, admin: &Admin, label: &str, role: Role, days: u32, joins: Joins) -> Answer<String> {
        self.invite_one(admin, label, role, days, joins, true).await
    }

    async fn users(&self, _: &Admin, of: PageOf) -> Answer<Paged<UserRow>> {
        Ok(self.db.read(move |conn| accounts::list(conn, &of)).await?)
    }

    async fn set_disabled(&self, admin: &Admin, user: UserId, disabled: bool) -> Answer<()> {
        if admin.id() == Some(user) {
            return Err(AppError::Conflict(
                (
                    "You cannot deactivate your own account. Ask another admin.",
                    "不能停用自己的账户，请联系其他管理员。",
                )
                    .into(),
            ));
        }
        let action = if disabled { Action::UserDeactivate } else { Action::UserActivate };
        let set = move |tx: &Transaction<'_>| {
            let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
            if !accounts::set_disabled(tx, user, disabled)? {
                return Err(Failure::not_found("account"));
            }
            Ok(Change::of(Object::Account(account.me.name), [], ()))
        };
        Ok(self.db.write_audited(admin, action, set).await?)
    }

    async fn set_role(&self, admin: &Admin, user: UserId, role: Role) -> Answer<()> {
        if admin.id() == Some(user) {
            return Err(AppError::Conflict(
                ("You cannot change your own role. Ask another admin.", "不能更改自己的角色，请联系其他管理员。")
                    .into(),
            ));
        }
        let set = move |tx: &Transaction<'_>| {
            let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
            accounts::set_role(tx, user, role)?;
            if accounts::admins(tx)? == 0 {
                return Err(Failure::conflict((
                    "No active admin would remain. Make another account an admin first.",
                    "将没有任何启用的管理员。请先将其他账户设为管理员。",
                )));
            }
            Ok(Change::of(Object::Account(account.me.name), [Fact::Role(role)], ()))
        };
        Ok(self.db.write_audited(admin, Action::UserSetRole, set).await?)
    }

    async fn invitations(&self, _: &Admin, of: PageOf) -> Answer<Paged<Invitation>> {
        Ok(self.db.read(move |conn| accounts::invitations(conn, &of)).await?)
    }

    async fn invite_many(
        &self,
        admin: &Admin,
        lines: &str,
        role: Role,
        days: u32,
        joins: Joins,
        send: bool,
    ) -> Answer<Vec<CreatedInvitation>> {
        let people = invited(lines, role)?;
        let made = people.into_iter().map(|(label, role)| (random_secret(), label, role)).collect::<Vec<_>>();
        self.create_invitations(admin, made.clone(), days, joins, send).await?;
        let link = |(secret, label, role)| CreatedInvitation { label, role, path: format!("/join/{secret}") };
        Ok(made.into_iter().map(link).collect())
    }

    async fn revoke(&self, admin: &Admin, invitation: i64) -> Answer<()> {
        Ok(self
            .db
            .write_audited(admin, Action::InvitationRevoke, move |tx| {
                let is_open = accounts::revoke_invitation(tx, invitation)?;
                if !is_open.ok_or_else(|| Failure::not_found("invitation"))? {
                    return Err(Failure::conflict((
                        "This invitation has already been used or revoked.",
                        "此邀请已被使用或撤销。",
                    )));
                }
                Ok(Change::of(Object::Invitation(invitation), [], ()))
            })
            .await?)
    }

    async fn invitation(&self, secret: &str) -> Answer<Invitation> {
        let secret_hash = hash_secret(secret);
        let open = self.db.read(move |conn| accounts::open_invitation(conn, &secret_hash)).await?;
        open.ok_or_else(|| AppError::NotFound("invitation".into()))
    }

    async fn create_reset(&self, admin: &Admin, user: UserId) -> Answer<String> {
        let secret = random_secret();
        let secret_hash = hash_secret(&secret);
        let expires_at = Timestamp(clock::now().0 + i64::from(RESET_HOURS) * 60 * 60 * 1000);
        let create = move |tx: &Transaction<'_>| {
            let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
            if account.disabled || account.password_hash == NO_PASSWORD {
                return Err(Failure::conflict((
                    "This account cannot log in. Activate it first; accounts of imported ratings have no login.",
                    "该账户不能登录，请先启用。随评分导入的账户没有登录功能。",
                )));
            }
            accounts::set_reset(tx, user, &secret_hash, expires_at)?;
            Ok(Change::of(Object::Account(account.me.name), [Fact::Hours(RESET_HOURS)], ()))
        };
        self.db.write_audited(admin, Action::UserCreateReset, create).await?;
        Ok(secret)
    }

    async fn reset_name(&self, secret: &str) -> Answer<String> {
        let secret_hash = hash_secret(secret);
        let found = move |conn: &Connection| match accounts::open_reset(conn, &secret_hash)? {
            Some(user) => Ok(accounts::by_id(conn, user)?.map(|account| account.me.name)),
            None => Ok(None),
        };
        self.db.read(found).await?.ok_or_else(|| AppError::NotFound("reset link".into()))
    }

    async fn linked(&self, person: &Person) -> Answer<bool> {
        let id = person.id;
        Ok(self.db.read(move |conn| identities::is_linked(conn, id)).await?)
    }

    async fn set_lang(&self, owner: &Owner, lang: Lang) -> Answer<()> {
        let id = owner.id;
        Ok(self.db.write(move |tx| accounts::set_lang(tx, id, lang)).await?)
    }
}

/// What the audit log says of what invited people join.
///
/// # Errors
/// There is no such group or study, or the study is closed.
fn joined(conn: &Connection, joins: Joins) -> Result<Vec<Fact>, Failure> {
    let mut facts = Vec::new();
    if let Some(id) = joins.group {
        facts.push(Fact::Group(groups::get(conn, id)?.ok_or_else(|| Failure::not_found("group"))?.name));
    }
    if let Some(id) = joins.study {
        let study = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
        if study.status == StudyStatus::Closed {
            return Err(Failure::conflict((
                "The study is closed, so nobody can join it. Choose another one, or none.",
                "该评分项目已结束，无法再加入。请选择其他项目，或不选。",
            )));
        }
        facts.push(Fact::Study(id));
    }
    Ok(facts)
}

/// What the audit log says of an invitation.
fn invitation_facts(label: &str, role: Role, days: u32, joins: Vec<Fact>) -> Vec<Fact> {
    let facts = [Fact::Label(label.to_owned()), Fact::Role(role), Fact::Days(days)];
    facts.into_iter().chain(joins).collect()
}

/// When an invitation that is created now expires.
fn invitation_end(days: u32) -> Result<Timestamp, AppError> {
    if !(1..=90).contains(&days) {
        return Err(AppError::invalid(
            "days",
            ("an invitation is valid for 1 to 90 days", "邀请的有效期为 1 到 90 天"),
            ("Enter a number from 1 to 90", "请输入 1 到 90 之间的数字"),
        ));
    }
    Ok(Timestamp(clock::now().0 + i64::from(days) * DAY_MS))
}

/// The labels and roles of a list of people, a line each.
fn invited(lines: &str, role: Role) -> Result<Vec<(String, Role)>, AppError> {
    let (mut people, mut problems) = (Vec::<(String, Role)>::new(), Vec::new());
    for (number, line) in (1..).zip(lines.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let (label, role) = match line.rsplit_once(',') {
            None => (line, Ok(role)),
            Some((label, named)) => (label, named.trim().parse::<Role>()),
        };
        let label = label.trim();
        let mut wrong = |what: (String, String), remedy: (&str, &str)| {
            problems.push(Problem::new("", what, remedy).at(number));
        };
        match role {
            Err(_) => wrong(
                ("the text after the comma is not a role".into(), "逗号后的文字不是角色".into()),
                ("Write `rater` or `admin` there, or no comma", "请填写 `rater` 或 `admin`，或去掉逗号"),
            ),
            Ok(_) if label.is_empty() || label.chars().count() > 100 => wrong(
                ("the name is empty or longer than 100 characters".into(), "名称为空或超过 100 个字符".into()),
                ("Write 1 to 100 characters", "请填写 1 到 100 个字符"),
            ),
            Ok(_) if people.iter().any(|(known, _)| known == label) => wrong(
                (format!("\"{label}\" occurs twice"), format!("“{label}”重复")),
                ("Remove one of the lines", "请删除其中一行"),
            ),
            Ok(role) => people.push((label.to_owned(), role)),
        }
    }
    if problems.is_empty() && !(1..=MOST_INVITATIONS).contains(&people.len()) {
        let n = people.len();
        problems.push(Problem::new(
            "lines",
            (format!("the list has {n} names"), format!("名单中有 {n} 个名称")),
            (
                format!("Write 1 to {MOST_INVITATIONS}, a line each"),
                format!("请写 1 到 {MOST_INVITATIONS} 个，每行一个"),
            ),
        ));
    }
    if problems.is_empty() { Ok(people) } else { Err(AppError::Invalid(problems)) }
}

/// A password that its owner chose.
fn chosen(hash: &str) -> Password<'_> {
    Password { hash, one_time: false }
}

fn check_name(name: &str) -> Result<(), AppError> {
    match name_fault(name) {
        None => Ok(()),
        Some(fault) => {
            Err(AppError::Invalid(vec![Problem::new("name", fault, ("Choose another username", "请换一个用户名"))]))
        }
    }
}

fn check_password(password: &str) -> Result<(), AppError> {
    match password_fault(password) {
        None => Ok(()),
        Some(fault) => {
            Err(AppError::Invalid(vec![Problem::new("password", fault, ("Choose another password", "请换一个密码"))]))
        }
    }
}

fn taken(name: &str) -> Failure {
    Failure::conflict((
        format!("The username {name} is taken. Choose another."),
        format!("用户名 {name} 已被占用，请换一个。"),
    ))
}

/// 192 random bits, for links and cookies.
pub(super) fn random_secret() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 24]>())
}

pub(super) fn hash_secret(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// 98 random bits, in groups that are easy to read out and type.
pub(super) fn random_password() -> String {
    // Without letters that look like a digit or another letter.
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut rng = rand::rng();
    let mut group = || (0..5).map(|_| char::from(LETTERS[rng.random_range(0..LETTERS.len())])).collect::<String>();
    (0..4).map(|_| group()).collect::<Vec<_>>().join("-")
}
