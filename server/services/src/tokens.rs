//! Access tokens for the REST API: creating, revoking and recognizing them.
//!
//! A token is 256 random bits, so a fast hash is enough, and only its SHA-256 is stored. It acts as its
//! owner, only while the owner is an active admin, and only within its scopes. The API checks the scopes
//! (`http/rest/scopes.rs`), the services check the owner's rights.

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use model::{
    api::{CreatedToken, NewToken, Scope, TokenRow},
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Admin, System},
    error::{Answer, AppError},
    ids::{ApiTokenId, UserId},
    page::{PageOf, Paged},
    time::{DAY_MS, Timestamp},
    user::{Me, Role},
};
use port::api::Tokens;
use rand::Rng;
use rusqlite::Transaction;
use sha2::{Digest, Sha256};

use base::{clock, error::Failure};
use db::{
    Db, accounts,
    audit::Change,
    tokens::{self, KeyState, NewRow, StoredResponse},
};

/// Prefix of every token, by which people and secret scanners recognize it.
pub const BEGIN: &str = "axg_";
/// Characters of a token that stay readable: enough to tell one's tokens apart, far too few to guess from.
const PREFIX: usize = 10;
/// Active tokens per person: more than anybody names by hand.
const MOST: u32 = 100;
/// The last use of a token is recorded at most this often, in milliseconds, so that reads do not become
/// writes.
const TOUCH_MS: i64 = 60 * 1000;
/// How long responses are stored under an idempotency key, in milliseconds.
const KEEP_MS: i64 = DAY_MS;

pub struct TokenService {
    db: Db,
}

/// The bearer of a valid token.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub id: ApiTokenId,
    /// The person it acts as.
    pub me: Me,
    pub scopes: Vec<Scope>,
}

impl Bearer {
    /// Whether the token has the scope `needed`.
    pub fn may(&self, needed: Scope) -> bool {
        self.scopes.iter().any(|scope| scope.allows(needed))
    }
}

impl TokenService {
    pub fn new(db: Db) -> Self {
        TokenService { db }
    }

    /// The bearer of this token; `None` if it is unknown, revoked or expired, or its owner is no active
    /// admin.
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

    /// Creates a token for the admin with this name (command line).
    ///
    /// # Errors
    ///
    /// Fails if there is no such admin, or the request is invalid.
    pub async fn create_for(&self, system: System, name: &str, new: NewToken) -> Answer<CreatedToken> {
        let wanted = name.to_owned();
        let account = self.db.read(move |conn| accounts::by_name(conn, &wanted)).await?;
        match account {
            Some(account) if account.me.role == Role::Admin && !account.disabled => {
                self.make(&system.admin(), account.me.id, new).await
            }
            Some(_) => Err(AppError::invalid(
                "--user",
                format!("{name} is not an active admin"),
                "Pass an active admin; the token acts as this person",
            )),
            None => Err(AppError::NotFound("account".into())),
        }
    }

    async fn make(&self, admin: &Admin, owner: UserId, new: NewToken) -> Answer<CreatedToken> {
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
        let expires_at = Timestamp(clock::now().0 + i64::from(new.days) * DAY_MS);
        let shown = secret.clone();
        let row = self
            .db
            .write_audited(admin, Action::TokenCreate, move |tx| {
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
                let row = tokens::get(tx, id)?.ok_or_else(|| Failure::internal("the new token is missing"))?;
                let facts = [Fact::TokenPrefix(prefix), Fact::Account(owner), Fact::Label(label)];
                Ok(Change::of(Object::Token(id), facts, row))
            })
            .await?;
        Ok(CreatedToken { row, secret: shown })
    }

    /// Claims an idempotency key for a request of this token.
    pub async fn claim(&self, token: ApiTokenId, key: String, request_hash: String) -> Result<KeyState, Failure> {
        self.db
            .write(move |tx| {
                tokens::forget_keys(tx, Timestamp(clock::now().0 - KEEP_MS))?;
                tokens::claim_key(tx, token, &key, &request_hash)
            })
            .await
    }

    /// Stores a request's response under its key, or, without a response, releases the key.
    pub async fn settle(&self, token: ApiTokenId, key: String, answer: Option<StoredResponse>) -> Result<(), Failure> {
        self.db
            .write(move |tx| match answer {
                Some(response) => tokens::store_response(tx, token, &key, &response),
                None => tokens::free_key(tx, token, &key),
            })
            .await
    }
}

#[async_trait]
impl Tokens for TokenService {
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<TokenRow>> {
        let owner = admin.id();
        Ok(self.db.read(move |conn| tokens::list(conn, owner, &of)).await?)
    }

    async fn create(&self, admin: &Admin, new: NewToken) -> Answer<CreatedToken> {
        let owner = admin.id().ok_or(AppError::Unauthenticated)?;
        self.make(admin, owner, new).await
    }

    async fn revoke(&self, admin: &Admin, id: ApiTokenId) -> Answer<()> {
        let owner = admin.id();
        let revoke = move |tx: &Transaction<'_>| {
            if !tokens::revoke(tx, id, owner)? {
                return Err(Failure::not_found("active token"));
            }
            Ok(Change::of(Object::Token(id), [], ()))
        };
        Ok(self.db.write_audited(admin, Action::TokenRevoke, revoke).await?)
    }
}

/// The stored form of a secret of 256 random bits.
pub(super) fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}
