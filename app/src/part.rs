//! The parts of the client. Together they are more than a first visit should load, and hardly anybody
//! needs them all at once: raters never see the admin's pages, and admins seldom grade.
//!
//! Must stay true: a page belongs to one part, [`Part::of`] is the only place that says to which (the
//! routes follow it), and a link to another part's page is followed by the browser, not by the router.

/// A part of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Accounts and the rater's side.
    Grading,
    /// What is there: the overview, datasets, model outputs, studies.
    Data,
    /// What brings something in: uploads, new studies.
    Setup,
    /// What comes of it: a study with its results; people.
    Results,
    /// Automated tests.
    Runs,
}

impl Part {
    /// The part that has the page at `path`, for an admin or for somebody else.
    pub fn of(path: &str, admin: bool) -> Part {
        let within = |folder: &str| match path.strip_prefix(folder) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        if !(within("/admin") || (path == "/" && admin)) {
            Part::Grading
        } else if within("/admin/upload") || within("/admin/uploads") || within("/admin/studies/new") {
            Part::Setup
        } else if within("/admin/runs") {
            Part::Runs
        } else if within("/admin/people") || path.starts_with("/admin/studies/") {
            Part::Results
        } else {
            Part::Data
        }
    }

    /// What the part's files are called.
    pub fn name(self) -> &'static str {
        match self {
            Part::Grading => "grading",
            Part::Data => "data",
            Part::Setup => "setup",
            Part::Results => "results",
            Part::Runs => "runs",
        }
    }

    /// The part that this client is.
    fn here() -> Part {
        if cfg!(feature = "data") {
            Part::Data
        } else if cfg!(feature = "setup") {
            Part::Setup
        } else if cfg!(feature = "results") {
            Part::Results
        } else if cfg!(feature = "runs") {
            Part::Runs
        } else {
            Part::Grading
        }
    }
}

/// Lets the browser follow links that lead to another part's pages. For effects only.
pub fn keep_apart(admin: bool) {
    use leptos::wasm_bindgen::closure::Closure;
    use leptos::{ev, prelude::document, wasm_bindgen::JsCast};

    let mark = move |event: ev::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|element| element.closest("a[href]").ok().flatten());
        let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok()) else { return };
        // The router leaves such links alone. It listens as the event rises; we see it on its way down.
        if Part::of(&link.pathname(), admin) != Part::here() {
            link.set_rel("external");
        }
    };
    let mark = Closure::<dyn FnMut(ev::MouseEvent)>::new(mark);
    let _ = document().add_event_listener_with_callback_and_bool("click", mark.as_ref().unchecked_ref(), true);
    // For as long as the page is there.
    mark.forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_belongs_to_one_part() {
        let check = |path, admin, part| assert_eq!(Part::of(path, admin), part, "{path}");
        check("/", false, Part::Grading);
        check("/", true, Part::Data);
        check("/admin", true, Part::Data);
        check("/admin/studies", true, Part::Data);
        check("/admin/datasets/starter", true, Part::Data);
        check("/admin/uploads/3", true, Part::Setup);
        check("/admin/studies/new", true, Part::Setup);
        check("/admin/studies/1/tasks/2", true, Part::Results);
        check("/admin/people", true, Part::Results);
        check("/admin/runs/1", true, Part::Runs);
        check("/administration", true, Part::Grading);
        check("/desk", true, Part::Grading);
        check("/account", true, Part::Grading);
    }
}
