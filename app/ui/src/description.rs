//! The description of a task: prose, and at its end perhaps a block of code, such as what must be translated.

use leptos::prelude::*;

use model::lang::Lang;

/// Prose and code of a description that ends with a block between ``` marks.
fn split(text: &str) -> Option<(&str, &str)> {
    let (prose, rest) = text.trim_end().strip_suffix("\n```")?.split_once("\n```")?;
    let (_, code) = rest.split_once('\n')?;
    Some((prose.trim_end(), code))
}

/// The description. `class` and `lang` are those of its prose.
pub fn description(class: &'static str, lang: &'static str, text: &str) -> AnyView {
    let Some((prose, code)) = split(text) else {
        return view! { <p class=class lang=lang>{text.to_owned()}</p> }.into_any();
    };
    let (prose, code) = (prose.to_owned(), code.to_owned());
    view! {
        <p class=class lang=lang>{prose}</p>
        <pre class="description-code" translate="no" tabindex="0"><code>{code}</code></pre>
    }
    .into_any()
}

/// A task's description, and below `heading` its signature, as raters read them.
pub fn task_text(
    lang: Lang,
    raw_nl: &str,
    signature: Option<String>,
    label: &'static str,
    heading: AnyView,
) -> AnyView {
    let signature = signature.map(|signature| {
        view! {
            {heading}
            <pre class="signature" tabindex="0" role="region" aria-label=label translate="no"><code>{signature}</code></pre>
        }
    });
    view! {
        {description("task-text", lang.tag(), raw_nl)}
        {signature}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_block_at_the_end_is_code() {
        assert_eq!(split("Translate this.\n\n```cpp\nint f() {\n}\n```\n"), Some(("Translate this.", "int f() {\n}")));
        assert_eq!(split("Use ``` as a mark.\n\nReturn x."), None);
        assert_eq!(split("Prose\n```"), None);
    }
}
