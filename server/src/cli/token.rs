//! `aixgrade token …`

use app::{
    model::{
        api::{NewToken, Scope},
        ids::ApiTokenId,
    },
    port::{Caller, api::Tokens},
};
use clap::{Args, Subcommand};

use super::{Global, table};
use crate::error::Failure;

/// What to do with tokens for the REST API.
#[derive(Subcommand)]
pub enum Token {
    /// Make a token and print it, this once
    Create(Create),
    /// List everybody's tokens
    List,
    /// End a token
    Revoke(Revoke),
}

/// `token create`
#[derive(Args)]
pub struct Create {
    /// The admin it acts as
    #[arg(long, value_name = "NAME")]
    user: String,
    /// What it is for
    #[arg(long)]
    label: String,
    /// What it may be used for: `read`, `write:data`, `write:runs`, `write:studies` or `admin`; repeat for each
    #[arg(long = "scope", required = true, value_name = "SCOPE")]
    scopes: Vec<Scope>,
    /// How many days it works, 1 to 365
    #[arg(long, default_value_t = 90)]
    days: u32,
}

/// `token revoke`
#[derive(Args)]
pub struct Revoke {
    /// The token's number
    id: ApiTokenId,
}

/// Runs the command.
pub async fn run(global: &Global, token: Token) -> Result<(), Failure> {
    let tokens = global.open()?.tokens;
    let caller = Caller::Operator;
    match token {
        Token::Create(create) => {
            let new = NewToken { label: create.label, scopes: create.scopes, days: create.days };
            let made = tokens.create_for(&caller, &create.user, new).await?;
            global.show(&made, |made| made.secret.clone())
        }
        Token::List => global.show(&tokens.list(&caller).await?, |rows| {
            let cells = |row: &app::model::api::TokenRow| {
                let scopes: Vec<_> = row.scopes.iter().map(|scope| scope.name()).collect();
                let state = match row.revoked_at {
                    Some(_) => "revoked".to_owned(),
                    None if row.live => format!("until {}", row.expires_at),
                    None => "ended".to_owned(),
                };
                vec![
                    row.id.to_string(),
                    row.owner.clone(),
                    format!("{}…", row.prefix),
                    scopes.join(" "),
                    state,
                    row.last_used_at.map_or_else(|| "never".into(), |at| at.to_string()),
                    row.label.clone(),
                ]
            };
            let rows: Vec<_> = rows.iter().map(cells).collect();
            table(&["ID", "OWNER", "BEGINS", "SCOPES", "WORKS", "LAST USED", "LABEL"], &rows)
        }),
        Token::Revoke(Revoke { id }) => {
            tokens.revoke(&caller, id).await?;
            global.show(&id, |id| format!("Token {id} works no longer."))
        }
    }
}
