//! What the button of the search and the page of the search share.

use leptos::prelude::RwSignal;

/// The address of the search.
pub const FIND: &str = "/admin/find";

/// What the button of the search and its dialog in the header share.
#[derive(Clone, Copy)]
pub struct InPalette {
    /// How often the search was asked for.
    pub asked: RwSignal<u32>,
    /// What was typed since it was asked for, until its field has the focus; otherwise `None`.
    pub early: RwSignal<Option<String>>,
}
