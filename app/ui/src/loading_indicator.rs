//! The sign that the code of the next page is still loading. The router keeps the old page on screen until then,
//! and without a sign a click would seem to do nothing.

use std::time::Duration;

use leptos::prelude::*;

use crate::context::use_i18n;

/// How long a page may take before the sign appears: a shorter wait is not noticed, and a sign that flashes is.
const DELAY: Duration = Duration::from_millis(150);

/// The state of the sign; provided at the root.
#[derive(Clone, Copy)]
struct IndicatorState {
    shown: RwSignal<bool>,
    /// The number of the newest navigation; events of older ones are ignored.
    newest: StoredValue<u32>,
}

/// Provides the sign to everything below; the root calls it once.
pub fn provide_loading_indicator() {
    provide_context(IndicatorState { shown: RwSignal::new(false), newest: StoredValue::new(0) });
}

/// One navigation that waits for code.
pub struct NavigationProgress(Option<(IndicatorState, u32)>);

impl NavigationProgress {
    /// Begins to wait. The server never waits: it has the code of every page.
    pub fn begin() -> NavigationProgress {
        if !cfg!(target_arch = "wasm32") {
            return NavigationProgress(None);
        }
        let Some(state) = use_context::<IndicatorState>() else { return NavigationProgress(None) };
        let own = state.newest.with_value(|newest| newest.wrapping_add(1));
        state.newest.set_value(own);
        set_timeout(
            move || {
                if state.newest.with_value(|newest| *newest == own) {
                    state.shown.set(true);
                }
            },
            DELAY,
        );
        NavigationProgress(Some((state, own)))
    }

    /// Ends the wait.
    pub fn end(self) {
        if let Some((state, own)) = self.0
            && state.newest.with_value(|newest| *newest == own)
        {
            state.newest.set_value(own.wrapping_add(1));
            if state.shown.get_untracked() {
                state.shown.set(false);
            }
        }
    }
}

/// The sign itself: a live region, drawn once by the root.
#[component]
pub fn LoadingIndicator() -> impl IntoView {
    let shown = use_context::<IndicatorState>().map(|state| state.shown);
    let loading = use_i18n().common.loading;
    let text = move || if shown.is_some_and(|shown| shown.get()) { loading } else { "" };
    view! {
        <div class="arriving" class:shown=move || !text().is_empty() role="status">
            {text}
        </div>
    }
}
