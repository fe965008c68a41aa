//! The parts of the client. Together they are more than a first visit should load, and hardly anybody
//! needs them all at once: raters never see the admin's pages, and admins seldom grade.
//!
//! Must stay true: a page belongs to one part, [`Part::of`] is the only place that says to which (the
//! routes follow it), and a link to another part's page is followed by the browser, not by the router.

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys,
};
use leptos_router::hooks::use_location;

use crate::{i18n::use_visitor, ui::effect::effect};

/// A part of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Where everybody comes in: logging in, one's account, a rater's desk and what lies on it.
    Desk,
    /// Grading one output after the other.
    Grading,
    /// Grading all outputs of a task side by side; practice.
    Beside,
    /// What is there: the overview, datasets, model outputs, studies.
    Data,
    /// What brings something in: uploads, new studies, people.
    Setup,
    /// A study with its results.
    Results,
    /// Outputs up close, and what raters made of each.
    Outputs,
    /// What makes a study's figures good, and disagreements, whoever decides them.
    Quality,
    /// Runs of automated tests.
    Runs,
    /// Models compared, for admins and on public pages.
    Compare,
    /// For programs: the REST API, tokens, webhooks.
    Outside,
}

impl Part {
    /// The part that has the page at `path`, for an admin or for somebody else.
    pub fn of(path: &str, admin: bool) -> Part {
        let within = |folder: &str| match path.strip_prefix(folder) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        let any = |folders: &[&str]| folders.iter().any(|folder| within(folder));
        let below_study = |place: &str| within("/admin/studies") && path.ends_with(place);
        if within("/adjudicate") || ["/quality", "/ratings", "/flags", "/disputes"].into_iter().any(below_study) {
            Part::Quality
        } else if within("/admin/api") {
            Part::Outside
        } else if within("/public") {
            Part::Compare
        } else if within("/grade") {
            Part::Grading
        } else if any(&["/beside", "/tour"]) {
            Part::Beside
        } else if !(within("/admin") || (path == "/" && admin)) {
            Part::Desk
        } else if any(&["/admin/upload", "/admin/uploads", "/admin/studies/new", "/admin/people"])
            || (within("/admin/studies") && path.ends_with("/plan"))
        {
            Part::Setup
        } else if within("/admin/compare") {
            Part::Compare
        } else if within("/admin/runs") {
            Part::Runs
        } else if within("/admin/outputs") || (within("/admin/studies") && path.contains("/tasks/")) {
            Part::Outputs
        } else if path.starts_with("/admin/studies/") {
            Part::Results
        } else {
            Part::Data
        }
    }

    /// What the part's files are called.
    pub fn name(self) -> &'static str {
        match self {
            Part::Desk => "desk",
            Part::Grading => "grading",
            Part::Beside => "beside",
            Part::Data => "data",
            Part::Setup => "setup",
            Part::Results => "results",
            Part::Outputs => "outputs",
            Part::Quality => "quality",
            Part::Runs => "runs",
            Part::Compare => "compare",
            Part::Outside => "outside",
        }
    }

    /// Whether this client lacks the part's pages. A development build is one client with all of them.
    fn is_elsewhere(self) -> bool {
        !match self {
            Part::Desk => cfg!(feature = "desk"),
            Part::Grading => cfg!(feature = "grading"),
            Part::Beside => cfg!(feature = "beside"),
            Part::Data => cfg!(feature = "data"),
            Part::Setup => cfg!(feature = "setup"),
            Part::Results => cfg!(feature = "results"),
            Part::Outputs => cfg!(feature = "outputs"),
            Part::Quality => cfg!(feature = "quality"),
            Part::Runs => cfg!(feature = "runs"),
            Part::Compare => cfg!(feature = "compare"),
            Part::Outside => cfg!(feature = "outside"),
        }
    }
}

/// Leaves it to the browser to go to another part's page. Stands once in the router; draws nothing.
#[component]
pub fn KeepApart(
    /// Whether the visitor is an admin.
    admin: bool,
) -> impl IntoView {
    let here = use_location();
    effect(move |known: Option<()>| {
        if known.is_none() {
            follow_links_natively(admin);
        }
        // Where a form's answer or the program itself goes on to, no link is clicked.
        if Part::of(&here.pathname.get(), admin).is_elsewhere() {
            let search = here.search.get_untracked();
            let query = if search.is_empty() { search } else { format!("?{search}") };
            let _ = window().location().set_href(&format!("{}{query}", here.pathname.get_untracked()));
        }
    });
}

/// Whether the router is on its way to a page that this part does not have: then it says nothing.
pub fn is_leaving() -> bool {
    let admin = use_visitor().is_admin();
    Part::of(&use_location().pathname.get_untracked(), admin).is_elsewhere()
}

fn follow_links_natively(admin: bool) {
    let mark = move |event: web_sys::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|element| element.closest("a[href]").ok().flatten());
        let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok()) else { return };
        // The router leaves such links alone. It listens as the event rises; we see it on its way down.
        if Part::of(&link.pathname(), admin).is_elsewhere() {
            link.set_rel("external");
        }
    };
    let mark = Closure::<dyn FnMut(web_sys::MouseEvent)>::new(mark);
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
        check("/", false, Part::Desk);
        check("/log-in", false, Part::Desk);
        check("/studies/abc/mine", false, Part::Desk);
        check("/grade/abc", false, Part::Grading);
        check("/grade/abc/def", true, Part::Grading);
        check("/beside/abc", false, Part::Beside);
        check("/tour", false, Part::Beside);
        check("/", true, Part::Data);
        check("/admin", true, Part::Data);
        check("/admin/studies", true, Part::Data);
        check("/admin/datasets/starter", true, Part::Data);
        check("/admin/uploads/3", true, Part::Setup);
        check("/admin/studies/new", true, Part::Setup);
        check("/admin/studies/1", true, Part::Results);
        check("/admin/studies/1/tasks/2", true, Part::Outputs);
        check("/admin/studies/1/ratings", true, Part::Quality);
        check("/admin/studies/1/quality", true, Part::Quality);
        check("/adjudicate", false, Part::Quality);
        check("/adjudicate/abc", false, Part::Quality);
        check("/admin/studies/1/plan", true, Part::Setup);
        check("/admin/people", true, Part::Setup);
        check("/admin/runs/1", true, Part::Runs);
        check("/admin/compare/starter/tasks/1", true, Part::Compare);
        check("/admin/api/tokens", true, Part::Outside);
        check("/public/abc/tasks/1", false, Part::Compare);
        check("/administration", true, Part::Desk);
        check("/desk", true, Part::Desk);
        check("/account", true, Part::Desk);
    }
}
