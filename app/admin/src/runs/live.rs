//! The progress of a run, as a stream of events.
//!
//! The server ends each stream after some seconds on purpose, with the event `more`; the browser then
//! reconnects automatically. Only an end without that event is an error: the page says so and keeps
//! retrying, even if a proxy's response made the browser give up.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys::{EventSource, MessageEvent},
};

use model::{
    ids::RunId,
    run::{RunProgress, RunRow, RunStatus},
};
use texts::I18n;
use ui::{
    json,
    notice::{Notice, Progress, Tone},
    verdict::verdict,
};

/// How long to wait before reconnecting if the browser has given up.
const ANEW: Duration = Duration::from_secs(3);

/// The newest event.
#[derive(Clone, Copy)]
pub struct Live {
    heard: RwSignal<Option<RunProgress>>,
    lost: RwSignal<bool>,
}

impl Live {
    /// No event yet.
    pub fn new() -> Self {
        Live { heard: RwSignal::new(None), lost: RwSignal::new(false) }
    }

    /// Listens to a run until it ends; then calls `over`. Stops when the owner is cleaned up.
    pub fn listen(self, run: RunId, over: impl Fn() + 'static) {
        let line = Rc::new(Line {
            live: self,
            address: format!("/admin/runs/{run}/progress"),
            over: Box::new(over),
            source: RefCell::new(None),
            announced: Cell::new(false),
            stopped: Cell::new(false),
        });
        connect(&line);
        let line = StoredValue::new_local(line);
        on_cleanup(move || {
            let _ = line.try_with_value(|line| line.stop());
        });
    }
}

/// One page's connection to the server, across several streams.
struct Line {
    live: Live,
    address: String,
    over: Box<dyn Fn()>,
    source: RefCell<Option<EventSource>>,
    /// Whether the server announced that it ends the stream.
    announced: Cell<bool>,
    stopped: Cell<bool>,
}

impl Line {
    fn stop(&self) {
        self.stopped.set(true);
        if let Some(source) = self.source.take() {
            source.close();
        }
    }

    fn hear(&self, event: &MessageEvent) {
        let text = event.data().as_string().unwrap_or_default();
        if let Ok(progress) = json::read(text) {
            self.live.heard.try_set(Some(progress));
            self.live.lost.try_set(false);
        }
    }
}

fn connect(line: &Rc<Line>) {
    let Ok(source) = EventSource::new(&line.address) else { return };
    let on = |name: &str, what: fn(&Rc<Line>, &MessageEvent)| {
        let line = Rc::clone(line);
        let heard = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| what(&line, &event));
        let _ = source.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref());
        // The browser calls it while the stream is open; it is closed when the visitor leaves the page.
        heard.forget();
    };
    on("message", |line, event| line.hear(event));
    on("more", |line, event| {
        line.hear(event);
        line.announced.set(true);
    });
    on("end", |line, event| {
        line.hear(event);
        line.stop();
        (line.over)();
    });
    on("error", |line, _| {
        if line.announced.take() || line.stopped.get() {
            return;
        }
        line.live.lost.try_set(true);
        let gave_up = line.source.borrow().as_ref().is_some_and(|s| s.ready_state() == EventSource::CLOSED);
        if gave_up {
            let line = Rc::clone(line);
            let again = move || {
                if !line.stopped.get() {
                    connect(&line);
                }
            };
            set_timeout(again, ANEW);
        }
    });
    line.source.replace(Some(source));
}

/// A run's progress: the bar, the verdicts so far, the time left, and whether the connection is lost.
pub fn so_far(i: I18n, row: &RunRow, live: Live) -> impl IntoView + use<> {
    let t = i.runs();
    let RunRow { id, status, lacks_sources, done, items, .. } = *row;
    let running = status == RunStatus::Running;
    view! {
        <div class="run-progress">
            {move || {
                let now = live.heard.get();
                let (done, items) = now.as_ref().map_or((done, items), |p| (p.done, p.items));
                let figures = (i.admin().done_of)(&i.number(done.into()), &i.number(items.into()), share(done, items));
                view! {
                    <div class="so-far">
                        <Progress value=done.into() max=items.into() label=t.outputs_done/>
                        <span class="so-far-figures">{figures}</span>
                    </div>
                    {now.as_ref().map_or(lacks_sources, |p| p.lacks_sources).then(|| view! {
                        <Notice tone=Tone::Care><p>{(t.lacks_sources)(id)}</p></Notice>
                    })}
                    {now.filter(|p| p.status == RunStatus::Running).map(|p| aside(i, &p))}
                }
            }}
            {running.then(|| view! { <p class="muted small without-script">{t.reload}</p> })}
            <div role="status">
                {move || live.lost.get().then(|| view! { <Notice tone=Tone::Care><p>{t.lost}</p></Notice> })}
            </div>
        </div>
    }
}

fn aside(i: I18n, p: &RunProgress) -> impl IntoView + use<> {
    let t = i.runs();
    let waits = match (p.lacks_sources, p.begun, p.behind) {
        (true, ..) | (_, true, _) => None,
        (_, false, Some(first)) => Some((t.behind)(first)),
        (_, false, None) => Some(t.getting_ready.to_owned()),
    };
    let left = p.left_s.map(|s| format!("{} {}", t.left, (i.admin().minutes)((s / 60).into(), (s % 60).into())));
    let counts = p.verdicts.iter().map(|&(v, n)| view! { <li>{verdict(i, v)}" "{i.number(n.into())}</li> });
    view! {
        {waits.map(|text| view! { <p class="muted">{text}</p> })}
        {(!p.verdicts.is_empty()).then(|| view! { <ul class="verdict-counts">{counts.collect_view()}</ul> })}
        {left.map(|text| view! { <p class="muted time-left">{text}</p> })}
    }
}

fn share(done: u32, items: u32) -> u64 {
    crate::parts::percent(done.into(), items.into())
}
