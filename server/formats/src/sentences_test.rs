//! Tests of `sentences.rs`, as answers are read.

use model::code_lang::CodeLang;

use crate::{
    chat::{Wanted, split},
    wrapped::tests::CODE,
};

#[test]
fn sentences_around_code_without_fences_are_no_code() {
    for (lang, name, code) in CODE {
        let wanted = Wanted { lang, name: Some(name.to_owned()) };
        for form in [
            format!("Here is the function:\n\n{code}\n\nIt compares both values."),
            format!("Sure! I wrote `{name}`, where n = 1.\n{code}\nNote: it is short (one loop)."),
            format!("The function `{name}` takes a number and\nreturns a value:\n\n{code}"),
            format!(
                "{code}\n\nExplanation:\n1. It compares `x < 1`.\n2. It returns the result.\n\n- Time: O(n)\n- **Space**: O(1)"
            ),
            format!("## Solution\n\n{code}\n\n## Explanation\n\nIt compares."),
            format!("Answer\n======\n\n{code}\n\n---\n\n1) It adds (a + b) = c\n2) It returns;"),
            format!("Sure\n\n{code}\n\nlet me know if you need more."),
            format!("Solution\n\n{code}\n\nExplanation\n\nThe code compares and\nreturns it"),
            format!("{code}\n\nExample:\n>>> {name}(1)\nTrue"),
            format!("下面是代码：\n\n{code}\n\n它比较两个值。"),
        ] {
            for wanted in [None, Some(&wanted)] {
                let found = split(&form, &[lang], wanted);
                assert_eq!(found.code, code, "{lang}: {form}\n{:?}", found.reading);
            }
            let found = split(&form, &[lang], Some(&wanted));
            assert!(!found.surrounding_text.is_empty() && !found.surrounding_text.contains("return x"), "{form}");
        }
    }
}

#[test]
fn a_word_alone_is_no_code() {
    for (lang, name, code) in CODE {
        let wanted = Wanted { lang, name: Some(name.to_owned()) };
        let word = syntax::display::display(lang).fences[0];
        for form in [format!("{word}\n{code}"), format!("Sure\n\n{code}"), format!("{code}\nDone")] {
            assert_eq!(split(&form, &[lang], Some(&wanted)).code, code, "{lang}: {form}");
        }
    }
}

#[test]
fn code_that_is_indented_as_a_whole_is_a_block() {
    for (lang, name, code) in CODE {
        let wanted = Wanted { lang, name: Some(name.to_owned()) };
        let form = format!("The function `{name}`:\n\n    {}\n\nIt is short.", code.replace('\n', "\n    "));
        assert_eq!(split(&form, &[lang], Some(&wanted)).code, code, "{lang}: {form}");
    }
}

#[test]
fn pieces_are_chosen_as_blocks_are() {
    let python = |answer: &str| {
        split(answer, &[CodeLang::Python], Some(&Wanted { lang: CodeLang::Python, name: Some("f".to_owned()) })).code
    };
    let f = "def f(x):\n    \"\"\"\nReturns it.\n    \"\"\"\n    return g(x)";
    let g = "def g(x):\n    return x";
    assert_eq!(
        python(&format!("This is the helper:\n\n{g}\n\nWith it:\n\n{f}\n\nUse it like this:\n\nf(1)")),
        format!("{g}\n\n{f}")
    );
    let java = "public class A\n{\n    int x;\n}\n\nString f(String x)\n{\n    return x;\n}";
    let answer = format!("Here it is:\n\n{java}\n\nIt returns `x`.");
    let wanted = Wanted { lang: CodeLang::Java, name: Some("f".to_owned()) };
    assert_eq!(split(&answer, &[CodeLang::Java], Some(&wanted)).code, java);
    // A first version, and a better one.
    assert_eq!(python(&format!("A draft:\n\ndef f(x):\n    return 1\n\nThat is wrong. Better:\n\n{f}")), f);
}

#[test]
fn what_is_no_sentence_counts() {
    let f = "def f(x):\n    return x";
    for answer in [
        // Nothing but code that is not valid, behind a function or before it.
        format!("{f}\n\ndef g(x):\n    return (x"),
        format!("Here it is:\n\n{f}\n\ndef g(x):\n    return (x"),
        format!("Here it is:\n\nx = (\n\n{f}"),
        format!("Here it is:\nimport\n{f}"),
        // Something else than what the task asks for.
        "Here it is:\n\ndef other(x):\n    return x\n\nDone.".to_owned(),
        // Sentences alone.
        "It cannot be done.\nSorry.".to_owned(),
    ] {
        let wanted = Wanted { lang: CodeLang::Python, name: Some("f".to_owned()) };
        assert_eq!(split(&answer, &[CodeLang::Python], Some(&wanted)).code, answer);
    }
    for answer in [
        "Here it is:\n\nint f(int x) {\n  return x;\n}\n}\n\nDone.",
        // A value of an enumeration alone in its line.
        "class A {\nenum Own {\nRed,\nBlue\n}\nint f(int x) { return x; }\n}",
        "String f(String x)\n{\n  return x\n}\n\nDone.",
    ] {
        let wanted = Wanted { lang: CodeLang::Java, name: Some("f".to_owned()) };
        assert_eq!(split(answer, &[CodeLang::Java], Some(&wanted)).code, answer);
    }
}
