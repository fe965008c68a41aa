//! The pages of email in the client: it never draws them, because they are not hydrated and links to them load documents.

use leptos::prelude::*;

/// `/account/email`
#[component]
pub fn EmailPage() -> impl IntoView {}

/// `/mail/{token}`
#[component]
pub fn MailPage() -> impl IntoView {}
