//! Personal tokens for the REST API: making them, ending them, and knowing one that is shown.
//!
//! A token is 256 random bits, so its SHA-256 is all that is kept and a fast hash is enough. It acts
//! as its owner, only while the owner is an enabled admin, and only within its scopes: those the door
//! of the API checks (`http/rest/door.rs`), rights beyond them the services.

use app::{
    error::AppError,
    model::{
        api::{ApiReference, MadeToken, NewToken, Scope, TokenRow},
        ids::{ApiTokenId, UserId},
        time::Timestamp,
        user::{Me, Role},
    },
    port::{Answer, Caller, api::Tokens},
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::Rng;
use sha2::{Digest, Sha256};

use crate::{
    clock,
    db::{
        Db, accounts, audit,
        tokens::{self, Kept, Known, NewRow},
    },
    error::Failure,
};

/// How every token begins, so that people and scanners of secrets know one when they see it.
pub const BEGIN: &str = "axg_";
/// Characters of a token that are kept readable: enough to tell one's tokens apart, far too few to guess from.
const PREFIX: usize = 10;
/// Tokens of one person that may work at once: more than anybody names by hand.
const MOST: u32 = 100;
/// The use of a token is written down at most this often, in milliseconds: reading must not become writing.
const TOUCH_MS: i64 = 60 * 1000;
/// How long answers are kept under an idempotency key, in milliseconds.
const KEEP_MS: i64 = 24 * 60 * 60 * 1000;

/// The service; see the module.
pub struct TokenService {
    db: Db,
}

/// Who shows a token that works.
#[derive(Clone, Debug)]
pub struct Bearer {
    /// The token.
    pub id: ApiTokenId,
    /// Whom it acts as.
    pub me: Me,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
}

impl Bearer {
    /// Whether the token may do what needs `needed`.
    pub fn may(&self, needed: Scope) -> bool {
        self.scopes.iter().any(|scope| scope.allows(needed))
    }
}

impl TokenService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        TokenService { db }
    }

    /// Who shows this token; nobody where it is unknown, was revoked, has run out, or its owner is no
    /// enabled admin any more.
    pub async fn bearer(&self, secret: &str) -> Result<Option<Bearer>, Failure> {
        if !secret.starts_with(BEGIN) {
            return Ok(None);
        }
        let secret_hash = hash(secret);
        let found = self
            .db
            .read(move |conn| {
                let Some(live) = tokens::live(conn, &secret_hash)? else { return Ok(None) };
                let owner = accounts::by_id(conn, live.owner)?.filter(|a| !a.disabled && a.me.role == Role::Admin);
                Ok(owner.map(|account| (live, account.me)))
            })
            .await?;
        let Some((live, me)) = found else { return Ok(None) };
        let id = live.id;
        if live.last_used_at.is_none_or(|at| clock::now().0 - at.0 >= TOUCH_MS) {
            self.db.write(move |tx| tokens::touch(tx, id)).await?;
        }
        Ok(Some(Bearer { id, me, scopes: live.scopes }))
    }

    /// Makes a token for the admin of that name (command line).
    ///
    /// # Errors
    /// There is no such admin, or what is asked for cannot be given.
    pub async fn create_for(&self, caller: &Caller, name: &str, new: NewToken) -> Answer<MadeToken> {
        caller.admin()?;
        let wanted = name.to_owned();
        let account = self.db.read(move |conn| accounts::by_name(conn, &wanted)).await?;
        match account {
            Some(account) if account.me.role == Role::Admin && !account.disabled => {
                self.make(caller, account.me.id, new).await
            }
            Some(_) => Err(AppError::invalid(
                "--user",
                format!("{name} is not an active admin"),
                "Pass an active admin; the token acts as this person",
            )),
            None => Err(AppError::NotFound("account".into())),
        }
    }

    async fn make(&self, caller: &Caller, owner: UserId, new: NewToken) -> Answer<MadeToken> {
        let label = new.label.trim().to_owned();
        if label.is_empty() || label.chars().count() > 100 {
            return Err(AppError::invalid(
                "label",
                ("a label has 1 to 100 characters", "标签为 1 到 100 个字符"),
                ("Enter what the token is used for", "请填写令牌的用途"),
            ));
        }
        if label.chars().any(char::is_control) {
            return Err(AppError::invalid(
                "label",
                ("the label contains control characters", "标签包含控制字符"),
                ("Remove them", "请将其删除"),
            ));
        }
        if !(1..=365).contains(&new.days) {
            return Err(AppError::invalid(
                "days",
                ("a token is valid for 1 to 365 days", "令牌的有效期为 1 到 365 天"),
                ("Enter a number from 1 to 365", "请输入 1 到 365 之间的数字"),
            ));
        }
        let mut scopes = new.scopes;
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(AppError::invalid(
                "scopes",
                ("the token has no scope", "令牌没有权限范围"),
                ("Select at least one scope", "请至少选择一项权限"),
            ));
        }
        let secret = format!("{BEGIN}{}", BASE64_URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>()));
        let expires_at = Timestamp(clock::now().0 + i64::from(new.days) * 24 * 60 * 60 * 1000);
        let (caller, shown) = (caller.clone(), secret.clone());
        let row = self
            .db
            .write(move |tx| {
                if tokens::count_live(tx, owner)? >= MOST {
                    return Err(Failure::conflict((
                        format!("There are already {MOST} active tokens. Revoke one first."),
                        format!("已有 {MOST} 个有效令牌，请先撤销一个。"),
                    )));
                }
                let prefix: String = secret.chars().take(PREFIX).collect();
                let secret_hash = hash(&secret);
                let new = NewRow {
                    owner,
                    secret_hash: &secret_hash,
                    prefix: &prefix,
                    label: &label,
                    scopes: &scopes,
                    expires_at,
                };
                let id = tokens::insert(tx, &new)?;
                audit::note(
                    tx,
                    &caller,
                    audit::Action::TokenCreate,
                    &format!("{id} ({prefix}…) for account {owner}: {label}"),
                )?;
                tokens::get(tx, id)?.ok_or_else(|| Failure::internal("a token just made is not there"))
            })
            .await?;
        Ok(MadeToken { row, secret: shown })
    }

    /// Claims an idempotency key for a request of this token.
    pub async fn claim(&self, token: ApiTokenId, key: String, request_hash: String) -> Result<Known, Failure> {
        self.db
            .write(move |tx| {
                tokens::forget_keys(tx, Timestamp(clock::now().0 - KEEP_MS))?;
                tokens::claim_key(tx, token, &key, &request_hash)
            })
            .await
    }

    /// Keeps a request's answer under its key, or, without one, gives the key back.
    pub async fn settle(&self, token: ApiTokenId, key: String, answer: Option<Kept>) -> Result<(), Failure> {
        self.db
            .write(move |tx| match answer {
                Some(kept) => tokens::keep_answer(tx, token, &key, &kept),
                None => tokens::free_key(tx, token, &key),
            })
            .await
    }
}

#[async_trait]
impl Tokens for TokenService {
    async fn list(&self, caller: &Caller) -> Answer<Vec<TokenRow>> {
        caller.admin()?;
        let owner = caller.id();
        Ok(self.db.read(move |conn| tokens::list(conn, owner)).await?)
    }

    async fn create(&self, caller: &Caller, new: NewToken) -> Answer<MadeToken> {
        caller.admin()?;
        self.make(caller, caller.user()?.id, new).await
    }

    async fn revoke(&self, caller: &Caller, id: ApiTokenId) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                if !tokens::revoke(tx, id, caller.id())? {
                    return Err(Failure::not_found("token that works"));
                }
                audit::note(tx, &caller, audit::Action::TokenRevoke, &id.to_string())
            })
            .await?)
    }

    async fn reference(&self, caller: &Caller) -> Answer<ApiReference> {
        caller.admin()?;
        Ok(crate::http::rest::reference::reference())
    }
}

/// What a secret of 256 random bits is kept as.
pub(super) fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}
