//! What the button of the search and the page of the search share.

use leptos::prelude::RwSignal;

/// The address of the search.
pub const FIND: &str = "/admin/find";

/// For what is drawn in the header: how often the search was asked for.
#[derive(Clone, Copy)]
pub struct InPalette(pub RwSignal<u32>);
