//! `/admin/outputs/:id`: one output with its task.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::parts::{FormError, param, task_text};
use model::{
    code::visible,
    error::AppError,
    ids::OutputId,
    reading::{BlockRole, Reading, Why},
    submission::{OutputDetail, Reported},
};
use rpc::submissions::{ChooseBlock, output};
use texts::I18n;
use ui::{
    code::CodeBox,
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    verdict::their_verdict,
};

/// An output.
#[component]
pub fn OutputPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(OutputId));
    let choose = FormAction::<ChooseBlock>::new();
    let data = Data::new(
        move || (id.get(), choose.version().get()),
        |(id, _)| async move {
            match id {
                Some(id) => output(id).await,
                None => Err(AppError::NotFound("output".into())),
            }
        },
    );
    view! { <Load data let:detail>{page(i, detail, choose)}</Load> }
}

fn page(i: I18n, detail: OutputDetail, choose: FormAction<ChooseBlock>) -> AnyView {
    let t = i.admin();
    let OutputDetail {
        row,
        model_name,
        task,
        code,
        reading,
        can_choose,
        published_unread,
        reasoning,
        reported,
        conversation,
    } = detail;
    let choose = can_choose.then_some((row.id, choose));
    let title = (t.output_of)(&model_name, &row.task_id);
    let sample = (row.sample > 0).then(|| view! { <p class="muted">{(t.sample_n)(row.sample + 1)}</p> });
    view! {
        <Page title crumbs=vec![("/admin/submissions".into(), t.submissions.into())]>
            {sample}
            {task_text(i, task)}
            {conversation.map(|html| view! { <div inner_html=html></div> })}
            <CodeBox code/>
            {reported.map(|reported| what_file_says(i, reported))}
            {reading.map(|reading| how_read(i, reading, published_unread, choose))}
            {reasoning.map(|text| folded_reasoning(i, &text))}
        </Page>
    }
    .into_any()
}

/// What the file of an output says about it besides its text.
fn what_file_says(i: I18n, reported: Reported) -> AnyView {
    let (t, u) = (i.runs(), i.uploads());
    let Reported { by, verdict, detail, model, epoch, input_tokens, output_tokens } = reported;
    let verdict = verdict.map(|verdict| {
        let note = verdict.other_text.then(|| format!(" ({})", u.of_other_text));
        view! { {their_verdict(i, verdict.passed)}{note} }.into_any()
    });
    let text = |value: String| visible(&value).into_owned().into_any();
    let facts = [
        (u.format, Some(text(by.title().to_owned()))),
        (t.their_verdict, verdict),
        (u.in_their_words, detail.map(text)),
        (u.model_in_file, model.map(text)),
        (u.sample_in_file, epoch.map(|epoch| text(i.number(epoch.into())))),
        (u.input_tokens, input_tokens.map(|count| text(i.number(count.into())))),
        (u.output_tokens, output_tokens.map(|count| text(i.number(count.into())))),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let facts = facts.map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> });
    view! {
        <section class="stack" aria-labelledby="reported">
            <h2 id="reported">{u.reported}</h2>
            <dl class="facts">{facts.collect_view()}</dl>
        </section>
    }
    .into_any()
}

/// A choice of the code of an output.
type Choose = Option<(OutputId, FormAction<ChooseBlock>)>;

/// How the code was found in the response: why it is the code, the other blocks, which can be chosen, and the reasoning,
/// folded.
fn how_read(i: I18n, reading: Reading, published_unread: bool, choose: Choose) -> AnyView {
    let u = i.uploads();
    let Reading { reasoning, why, blocks } = reading;
    let is_chosen = why == Why::Chosen;
    let why = u.why(&why);
    let by_rules = (is_chosen).then(|| choose_form(choose, None, u.choose_by_rules));
    let blocks = (blocks.len() > 1).then(|| {
        let items = blocks.into_iter().zip(1_u32..).map(|(block, number)| {
            let other = (block.role != BlockRole::Code).then(|| choose_form(choose, Some(number), u.choose_block));
            let role = u.role(block.role);
            let cut_off = block.is_cut_off.then(|| format!(" ({})", u.block_cut_off));
            view! {
                <li class="stack">
                    <p><strong>{role}</strong>{cut_off}" "<span class="muted">{block.language}</span></p>
                    <pre class="prompt-text" translate="no" tabindex="0">{visible(&block.code).into_owned()}</pre>
                    {other}
                </li>
            }
        });
        view! {
            <details class="finding" open=is_chosen>
                <summary><h3>{u.blocks}</h3></summary>
                <ol>{items.collect_view()}</ol>
                {by_rules}
            </details>
        }
    });
    let published_unread = published_unread.then(|| view! { <p>{u.published_unread}</p> });
    let reasoning = (!reasoning.is_empty()).then(|| folded_reasoning(i, &reasoning));
    view! {
        <section class="stack" aria-labelledby="reading">
            <h2 id="reading">{u.reading}</h2>
            <p>{why}</p>
            {published_unread}
            {choose.map(|(_, choose)| view! { <FormError of=move || choose.value().get().and_then(Result::err)/> })}
            {blocks}
            {reasoning}
        </section>
    }
    .into_any()
}

/// The form that chooses a block, if it can be chosen.
fn choose_form(choose: Choose, block: Option<u32>, text: &'static str) -> Option<AnyView> {
    choose.map(|(id, choose)| {
        view! {
            <ActionForm action=choose>
                <input type="hidden" name="id" value=id.to_string()/>
                {block.map(|number| view! { <input type="hidden" name="block" value=number.to_string()/> })}
                <button class="button" type="submit" disabled=move || choose.pending().get()>{text}</button>
            </ActionForm>
        }
        .into_any()
    })
}

/// A model's reasoning, folded: it is no part of what is graded.
pub fn folded_reasoning(i: I18n, text: &str) -> AnyView {
    let t = i.collections();
    view! {
        <details class="more">
            <summary>{t.reasoning}</summary>
            <p class="muted">{t.reasoning_hint}</p>
            <pre class="prompt-text" translate="no" tabindex="0">{visible(text).into_owned()}</pre>
        </details>
    }
    .into_any()
}
