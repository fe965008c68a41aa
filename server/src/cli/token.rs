//! `aixgrade token …`

use clap::{Args, Subcommand};
use model::{
    api::{NewToken, Scope},
    caller::System,
    ids::ApiTokenId,
};
use port::api::Tokens;

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// Manage access tokens for the REST API.
#[derive(Subcommand)]
pub enum Token {
    /// Create a token and print it; it is not shown again
    Create(Create),
    /// List all tokens, newest first
    List(Rows),
    /// Revoke a token
    Revoke(Revoke),
}

/// `token create`
#[derive(Args)]
pub struct Create {
    /// Admin that the token acts as
    #[arg(long, value_name = "NAME")]
    user: String,
    /// Label
    #[arg(long)]
    label: String,
    /// Scope of the token: `read`, `write:data`, `write:runs`, `write:studies` or `admin`; repeat for each
    #[arg(long = "scope", required = true, value_name = "SCOPE")]
    scopes: Vec<Scope>,
    /// Days until the token expires, 1 to 365
    #[arg(long, default_value_t = 90)]
    days: u32,
}

/// `token revoke`
#[derive(Args)]
pub struct Revoke {
    /// Number of the token
    id: ApiTokenId,
}

/// Runs the command.
pub async fn run(global: &Global, token: Token) -> Result<(), Failure> {
    let tokens = global.open()?.tokens;
    let admin = System.admin();
    match token {
        Token::Create(create) => {
            let new = NewToken { label: create.label, scopes: create.scopes, days: create.days };
            let created = tokens.create_for(System, &create.user, new).await?;
            global.show(&created, |created| created.secret.clone())
        }
        Token::List(rows) => {
            let found = rows.read(async |of| tokens.list(&admin, of).await).await?;
            global.show(&found, |rows| {
                let cells = |row: &model::api::TokenRow| {
                    let scopes: Vec<_> = row.scopes.iter().map(|scope| scope.name()).collect();
                    let state = match row.revoked_at {
                        Some(_) => "revoked".to_owned(),
                        None if row.live => format!("until {}", row.expires_at),
                        None => "expired".to_owned(),
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
                table(&["ID", "OWNER", "PREFIX", "SCOPES", "VALID", "LAST USED", "LABEL"], &rows)
            })
        }
        Token::Revoke(Revoke { id }) => {
            tokens.revoke(&admin, id).await?;
            global.show(&id, |id| format!("Revoked token {id}."))
        }
    }
}
