//! Tests of `reasoning.rs`.

use super::*;

fn check(response: &str, reasoning: &str, answer: &str) {
    let expected = Parts {
        reasoning: reasoning.into(),
        answer: answer.into(),
        is_unfinished: answer.is_empty() && !reasoning.is_empty(),
    };
    assert_eq!(split(response), expected, "{response}");
}

const ANSWER: &str = "Here:\n\n```python\ndef f(x):\n    return x\n```";
const DRAFT: &str = "A draft:\n\n```python\ndef f(x):\n    pass\n```\n\nThat is wrong.";

#[test]
fn every_pair_of_marks_is_known() {
    for Pair { open, close } in &PAIRS {
        check(&format!("{open}\n{DRAFT}\n{close}\n\n{ANSWER}"), DRAFT, ANSWER);
        check(&format!("\n{open}{DRAFT}{close}{ANSWER}"), DRAFT, ANSWER);
        check(&format!("{open}\n{DRAFT}"), DRAFT, "");
        check(&format!("{open}\n\n{close}\n\n{ANSWER}"), "", ANSWER);
        if *close != "<|end|>" && *close != "<channel|>" {
            check(&format!("{DRAFT}\n{close}\n\n{ANSWER}"), DRAFT, ANSWER);
        }
    }
}

#[test]
fn responses_of_known_models() {
    // DeepSeek R1, whose template ends with the opening mark.
    check(
        "Okay, the user's range.\n</think>\n\ndef f(x):\n    return x\n",
        "Okay, the user's range.",
        "def f(x):\n    return x\n",
    );
    check(&format!("It's done.</think>{ANSWER}"), "It's done.", ANSWER);
    // gpt-oss.
    check(
        &format!(
            "<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
        ),
        DRAFT,
        ANSWER,
    );
    check(
        &format!(
            "<|start|>assistant<|channel|>analysis<|message|>{DRAFT}<|end|>\n<|start|>assistant<|channel|>final <|constrain|>text<|message|>{ANSWER}"
        ),
        DRAFT,
        ANSWER,
    );
    check(&format!("<|channel|>final<|message|>{ANSWER}"), "", ANSWER);
    check(&format!("<|channel|>analysis<|message|>{DRAFT}"), DRAFT, "");
    check(&format!("analysis{DRAFT}assistantfinal{ANSWER}"), DRAFT, ANSWER);
    check("analysis of the problem: none", "", "analysis of the problem: none");
    // Granite 3.2, Apriel.
    check(&format!("Here is my thought process:\n\n{DRAFT}\n\nHere is my response:\n\n{ANSWER}"), DRAFT, ANSWER);
    check(&format!("Here's my thought process:\n{DRAFT}\nHere's my response:\n{ANSWER}"), DRAFT, ANSWER);
    check(
        &format!(
            "Here are my reasoning steps:\n{DRAFT}\n[BEGIN FINAL RESPONSE]\n{ANSWER}\n[END FINAL RESPONSE]\n<|end|>"
        ),
        DRAFT,
        &format!("{ANSWER}\n"),
    );
    // Granite 3.3, Hunyuan, Command A, Sky-T1, Solar.
    check(&format!("<think>{DRAFT}</think><response>{ANSWER}</response>"), DRAFT, ANSWER);
    check(&format!("<think>\n{DRAFT}\n</think>\n<answer>\n{ANSWER}\n</answer>"), DRAFT, &format!("{ANSWER}\n"));
    check(
        &format!("<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>"),
        DRAFT,
        ANSWER,
    );
    check(
        &format!(
            "<|begin_of_thought|>\n\n{DRAFT}\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n{ANSWER}<|end_of_solution|>"
        ),
        DRAFT,
        ANSWER,
    );
    check(&format!("<|think|>{DRAFT}<|end|><|begin|>assistant<|content|>{ANSWER}<|end|>"), DRAFT, ANSWER);
    check(&format!("<|im_start|>assistant\n<think>\n{DRAFT}\n</think>\n\n{ANSWER}<|im_end|>"), DRAFT, ANSWER);
    // Reasoning in several sections.
    check(
        &format!("<think>\nOne.\n</think>\n\nSoon.\n\n<think>\nTwo.\n</think>\n\n{ANSWER}"),
        "One.\n\nTwo.",
        &format!("Soon.\n\n{ANSWER}"),
    );
    check(&format!("{ANSWER}\n\n<think>\nAnd yet, is it"), "And yet, is it", &format!("{ANSWER}\n\n"));
}

#[test]
fn marks_around_code_without_fences() {
    let code = "def f(x):\n    return x";
    let check = |response: &str, reasoning: &str| {
        let found = split(response);
        assert_eq!((found.answer.trim_end(), &*found.reasoning), (code, reasoning), "{response}");
        assert!(!found.is_unfinished);
    };
    for (open, close) in WRAPPERS {
        check(&format!("<think>\nHm.\n</think>\n{open}\n{code}\n{close}"), "Hm.");
        check(&format!("{open}\n{code}\n{close}<|im_end|>\n"), "");
        check(&format!("{code}\n{close}"), "");
        check(&format!("{code}{close}"), "");
        if open.starts_with("<|") {
            check(&format!("{open}{code}{close}"), "");
            check(&format!("{open}\n{code}"), "");
        }
    }
    for mark in FINAL {
        check(&format!("<think>\nHm.\n{mark}\n{code}"), "Hm.");
    }
    for end in ENDS.iter().chain(&NEXT_TURNS) {
        check(&format!("{code}{end}"), "");
        check(&format!("{code}\n{end}\n"), "");
    }
    check(&format!("{code}<|fim_pad|>\n<|hy_place▁holder▁no▁2|>"), "");
    super::tests::check("x = y <|> z\nx |> y <| z|>", "", "x = y <|> z\nx |> y <| z|>");
    for turn in NEXT_TURNS {
        check(&format!("{code}\n{turn}\nThank you. And g(x)?"), "");
        check(&format!("{code}<|im_end|>\n{turn} Thank you."), "");
        check(&format!("{code}</s>{turn} Thank you."), "");
        for text in [
            format!("T = \"\"\"\n{turn}\n\"\"\""),
            format!("T = '''<|im_end|>\n{turn}\n'''"),
            format!("const t = `a\n{turn}\n`;"),
            format!("x = \"{turn}\"\n"),
            format!("Use it:\n```\n{turn}\n```\nDone."),
        ] {
            super::tests::check(&text, "", &text);
        }
        let block = format!("```python\n{code}\n```");
        super::tests::check(&format!("{block}{turn}\nThank you."), "", &block);
        super::tests::check(&format!("{block}<|im_end|>\n{turn}\n```\nx\n```"), "", &block);
    }
    check(&format!("[/INST]\n{code}"), "");
}

#[test]
fn reasoning_that_the_answer_ends() {
    for mark in FINAL {
        let close = WRAPPERS.iter().find(|(open, _)| *open == mark).unwrap().1;
        let reasoning = format!("{DRAFT}\nI write \"{mark}\" later.");
        check(&format!("<think>\n{reasoning}\n{mark}\n{ANSWER}\n{close}"), &reasoning, &format!("{ANSWER}\n"));
        check(&format!("<think>\nI write {mark}"), &format!("I write {mark}"), "");
        check(&format!("<think>\nFirst:\n```\n{mark}\n```"), &format!("First:\n```\n{mark}\n```"), "");
    }
}

#[test]
fn sections_of_pages_are_reasoning() {
    let open = "<details type=\"reasoning\" done=\"true\" duration=\"3\">";
    let section = "<summary>Thought for 3 seconds</summary>\n> Hm.\n> </details>";
    check(&format!("{open}\n{section}\n</details>\n{ANSWER}"), section, ANSWER);
    let own = format!("{ANSWER}\n\n<details>\n<summary>Tests</summary>\nNone.\n</details>");
    check(&format!("{open}\n{section}\n</details>\n{own}"), section, &own);
    check(&own, "", &own);
    check(&format!("{open}\n{section}"), section, "");
}

#[test]
fn a_draft_whose_fence_is_left_open_does_not_hide_the_mark() {
    let draft = "```python\ndef f(x):\n    pass";
    check(&format!("<think>\n{draft}\n</think>\n\n{ANSWER}"), draft, ANSWER);
    check(&format!("{draft}\n</think>\n\n{ANSWER}"), draft, ANSWER);
    check(&format!("<think>\n{draft}\n</think>\n\ndef f(x):\n    return x"), draft, "def f(x):\n    return x");
}

#[test]
fn answers_about_such_marks_stay_whole() {
    for answer in [
        "```python\ndef f(s):\n    return s.split(\"</think>\")[-1]\n```",
        "```python\nimport re\ndef f(s):\n    return re.sub(r\"<think>.*?</think>\", \"\", s)\n```",
        "```python\nT = \"\"\"\n<think>\n{0}\n</think>\n{1}\n\"\"\"\n```",
        "def f(s):\n    return s.replace('</think>', '')\n",
        "def f(s):\n    return s.partition(\"<think>\")[2].partition(\"</think>\")[0]\n",
        "Models write `<think>` and `</think>`:\n\n```python\nx = 1\n```",
        "```js\nconst f = (s) => s.replace(/<think>[^]*<\\/think>/, '');\n```",
        "```java\nString f(String s) {\n    return \"<reasoning>\" + s + \"</reasoning>\";\n}\n```",
        "const f = (s) => `<think>${s}</think>`;\n",
        "```xml\n<think>\na\n</think>\n```\n\n```python\nx = 1\n```",
        "x = s.find(\"<|channel|>final\")\n",
        "```html\n<thought>a</thought>\n```",
        "1. A step\n\n   ```python\n   s = '</think>'\n   ```\n",
    ] {
        check(answer, "", answer);
        check(&format!("<think>\nShort.\n</think>\n\n{answer}"), "Short.", answer);
        check(&format!("Short.\n</think>\n\n{answer}"), "Short.", answer);
    }
}

#[test]
fn reasoning_about_such_marks_ends_at_its_own() {
    let about = "The text ends at \"</think>\" or at `</think>`:\n\n```python\ns.split('</think>')\n```\n\nThat is it.";
    check(&format!("<think>\n{about}\n</think>\n\n{ANSWER}"), about, ANSWER);
    check(&format!("{about}\n</think>\n\n{ANSWER}"), about, ANSWER);
    let plain = "A text may have </think> in it, so take the last.";
    check(&format!("<think>\n{plain}\n</think>\n\n{ANSWER}"), plain, ANSWER);
    check(&format!("{plain}\n</think>\n\n{ANSWER}"), plain, ANSWER);
}

#[test]
fn a_response_without_marks_is_its_answer() {
    for text in ["", "\n\n  x\n", "def f():\n    return 1\n", ANSWER, "a < b, c > d", "<div>\n</div>"] {
        check(text, "", text);
    }
    check("def f():\n    return 1\n<|im_end|>", "", "def f():\n    return 1\n");
    check("def f():\n    return 1</s>", "", "def f():\n    return 1");
}

#[test]
fn splitting_ends_whatever_the_text() {
    for part in [
        "<think>",
        "</think>",
        "<think>\n",
        "<think>x",
        "\n</think>",
        "<think>\n```\n</think>\n",
        "\"</think>",
        "<|channel|>final",
        "a</think>",
    ] {
        let text = part.repeat(20_000);
        let Parts { reasoning, answer, .. } = split(&text);
        assert!(reasoning.len() + answer.len() <= text.len());
    }
}
