//! The sign that the code of the next page is still loading. The router keeps the old page on screen until then,
//! and without a sign a click would seem to do nothing.

use std::time::Duration;

use leptos::prelude::*;

use crate::i18n::use_i18n;

/// How long a page may take before the sign appears: a shorter wait is not noticed, and a sign that flashes is.
const PATIENCE: Duration = Duration::from_millis(150);

/// The state of the sign; provided at the root.
#[derive(Clone, Copy)]
struct Sign {
    shown: RwSignal<bool>,
    /// The number of the newest navigation; events of older ones are ignored.
    newest: StoredValue<u32>,
}

/// Provides the sign to everything below; the root calls it once.
pub fn provide_arriving() {
    provide_context(Sign { shown: RwSignal::new(false), newest: StoredValue::new(0) });
}

/// One navigation that waits for code.
pub struct Arriving(Option<(Sign, u32)>);

impl Arriving {
    /// Begins to wait. The server never waits: it has the code of every page.
    pub fn begin() -> Arriving {
        if !cfg!(feature = "hydrate") {
            return Arriving(None);
        }
        let Some(sign) = use_context::<Sign>() else { return Arriving(None) };
        let own = sign.newest.with_value(|newest| newest.wrapping_add(1));
        sign.newest.set_value(own);
        set_timeout(
            move || {
                if sign.newest.with_value(|newest| *newest == own) {
                    sign.shown.set(true);
                }
            },
            PATIENCE,
        );
        Arriving(Some((sign, own)))
    }

    /// Ends the wait.
    pub fn end(self) {
        if let Some((sign, own)) = self.0
            && sign.newest.with_value(|newest| *newest == own)
        {
            sign.newest.set_value(own.wrapping_add(1));
            if sign.shown.get_untracked() {
                sign.shown.set(false);
            }
        }
    }
}

/// The sign itself: a live region, drawn once by the root.
#[component]
pub fn ArrivingSign() -> impl IntoView {
    let shown = use_context::<Sign>().map(|sign| sign.shown);
    let loading = use_i18n().common.loading;
    let text = move || if shown.is_some_and(|shown| shown.get()) { loading } else { "" };
    view! {
        <div class="arriving" class:shown=move || !text().is_empty() role="status">
            {text}
        </div>
    }
}
