//! Support for `cargo xtask dev`, in development builds only: pages reload when a new build answers.

use std::sync::LazyLock;

use model::ids::Token;

use base::clock;

/// Set by `cargo xtask dev`.
const VARIABLE: &str = "AIXGRADE_DEV_RELOAD";

/// Asks twice a second which server answers. Appended to the client's modules, because pages may not contain
/// scripts; the first module that runs does it.
const SCRIPT: &str = "
// Development: reload when another server answers.
globalThis.aixgradeReload ??= setInterval(async () => {
  const answer = await fetch('/dev/server').catch(() => undefined);
  if (!answer?.ok) return;
  const name = await answer.text();
  if (globalThis.aixgradeServer && globalThis.aixgradeServer !== name) location.reload();
  globalThis.aixgradeServer = name;
}, 500);
";

/// `GET /dev/server`: a name drawn at the start of this server; empty unless `cargo xtask dev` started it.
pub async fn server() -> &'static str {
    static NAME: LazyLock<Token> = LazyLock::new(clock::token);
    if watching() { &NAME.0 } else { "" }
}

/// A file of the client, with the script appended to modules.
pub fn with_reload(name: &str, mut content: Vec<u8>) -> Vec<u8> {
    if watching() && name.ends_with(".js") {
        content.extend_from_slice(SCRIPT.as_bytes());
    }
    content
}

fn watching() -> bool {
    std::env::var_os(VARIABLE).is_some()
}
