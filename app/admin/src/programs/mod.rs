//! Pages for developers: the reference of the REST API, tokens, webhooks.

pub mod reference;
pub mod tokens;
pub mod webhooks;

use texts::I18n;

/// The parent pages of these pages.
fn crumbs(i: I18n) -> Vec<(String, String)> {
    vec![("/admin/api".into(), i.api().api.into())]
}
