//! Tests of `fences.rs`.

use super::*;

fn read(text: &str) -> Vec<Block> {
    let is_language = |word: &str| matches!(word, "python" | "py" | "java" | "js" | "cpp" | "c++");
    let is_code = |text: &str| syntax::outline::is_code(text, model::code_lang::CodeLang::Python);
    blocks(text, &Rules { is_language: &is_language, is_code: &is_code })
}

/// Blocks as `language|code`.
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = read(text).iter().map(|block| format!("{}|{}", block.language, block.code)).collect();
    assert_eq!(found, expected, "{text}");
}

const CODE: &str = "def f(x):\n    return x";

#[test]
fn fences_of_the_standard() {
    let with = |before: &str, after: &str| format!("{before}\n{CODE}\n{after}");
    let expected = format!("python|{CODE}");
    let python = &[&*expected];
    for (before, after) in [
        ("```python", "```"),
        ("```python", "```   \n\nDone."),
        ("~~~python", "~~~"),
        ("````python", "````"),
        ("`````python", "``````"),
        ("Text.\n\n``` python", "```"),
        ("Text:\n```python", "```\nText."),
        ("   ```python", "```"),
        ("```Python3.11", "```"),
        ("```{.python .numberLines startFrom=\"1\"}", "```"),
        ("```{python, echo=FALSE}", "```"),
        ("```python title=\"clamp.py\"", "```"),
        ("```python:src/clamp.py", "```"),
        ("```python,linenos", "```"),
        ("```python {1,3-5}", "```"),
        ("```language-python", "```"),
        ("```python # clamp.py", "```"),
        ("<answer>\n```python", "```\n</answer>"),
        ("<details>\n<summary>Code</summary>\n```python", "```\n</details>"),
    ] {
        check(&with(before, after), python);
    }
    check(&with("```python", "").replace('\n', "\r\n").replace("\r\n", "\n"), python);
    check(&with("```", "```"), &[&*format!("|{CODE}")]);
    check(&with("```clamp.py", "```"), &[&*format!("py|{CODE}")]);
    check("```java\n```", &["java|"]);
    check("Use `x` and ``y``.", &[]);
    check("use ```x``` inline", &[]);
    check("", &[]);
}

#[test]
fn fences_in_lists_and_quotes() {
    let indented = |blanks: usize| {
        let lines: Vec<String> = CODE.lines().map(|line| format!("{}{line}", " ".repeat(blanks))).collect();
        lines.join("\n")
    };
    let expected = format!("python|{CODE}");
    let python = &[&*expected];
    check(&format!("1. Use it:\n\n   ```python\n{}\n   ```\n\n2. Done.", indented(3)), python);
    check(&format!("- **Solution**\n\n    ```python\n{}\n    ```\n", indented(4)), python);
    check(&format!("* A\n  * B\n\n    ```python\n{}\n    ```\n", indented(4)), python);
    check(&format!("10. Use it:\n    ```python\n{}\n    ```\n", indented(4)), python);
    check(&format!("> Quoted:\n> ```python\n> {}\n> ```\n", CODE.replace('\n', "\n> ")), python);
    check(&format!("> 1. Quoted:\n>    ```python\n>    {}\n>    ```\n", CODE.replace('\n', "\n>    ")), python);
    // Indented with a tab.
    check("1. Use it:\n\n\t```python\n\tdef f(x):\n\t    return x\n\t```\n", python);
    // Four blanks, although there is no list.
    check(&format!("Step 1\n\n    ```python\n{}\n    ```\n", indented(4)), python);
    // A list item whose lines of code are not indented.
    check(&format!("1. Use it:\n   ```python\n{CODE}\n   ```\n2. Done."), python);
    check(&format!("- Solution:\n  ```python\n{CODE}\n```\nDone."), python);
    check(
        &format!("1. One:\n   ```python\n{CODE}\n```\n2. Two:\n   ```python\nf(1)\n```\n"),
        &[&*format!("python|{CODE}"), "python|f(1)"],
    );
}

#[test]
fn nested_blocks() {
    check(&format!("````markdown\n# Title\n```python\n{CODE}\n```\n````\n"), &[&*format!("python|{CODE}")]);
    check(&format!("```markdown\n```python\n{CODE}\n```\n```\n"), &[&*format!("python|{CODE}")]);
    check("````python\ns = \"\"\"\n```\nx\n```\n\"\"\"\n````", &["python|s = \"\"\"\n```\nx\n```\n\"\"\""]);
    check(
        "```python\ndef f():\n    \"\"\"\n    ```\n    f()\n    ```\n    \"\"\"\n```",
        &["python|def f():\n    \"\"\"\n    ```\n    f()\n    ```\n    \"\"\""],
    );
    check(
        "```java\n/**\n * ```\n * f()\n * ```\n */\nint f() { return 1; }\n```",
        &["java|/**\n * ```\n * f()\n * ```\n */\nint f() { return 1; }"],
    );
    check("~~~python\n# ```\nx = 1\n~~~", &["python|# ```\nx = 1"]);
}

#[test]
fn code_on_the_opening_line() {
    check("```def f(x):\n    return x\n```", &[&*format!("|{CODE}")]);
    check("```python def f(x):\n    return x\n```", &[&*format!("python|{CODE}")]);
    check("```import math\nx = 1\n```", &["|import math\nx = 1"]);
    check("```#include <vector>\nint f();\n```", &["|#include <vector>\nint f();"]);
    check("```const f = (x) => {\n};\n```", &["|const f = (x) => {\n};"]);
    check("```x = 1\ny = 2\n```", &["|x = 1\ny = 2"]);
    check("```public int f(int x) {\n}\n```", &["|public int f(int x) {\n}"]);
    check("```// Adds.\nint f() {}\n```", &["|// Adds.\nint f() {}"]);
    check("```text\nint f() {}\n```", &["text|int f() {}"]);
    check("```console session\n$ ls\n```", &["console|$ ls"]);
}

#[test]
fn the_language_on_the_line_below_the_fence() {
    let python = &[&*format!("python|{CODE}")];
    for word in ["python", "Python", " PYTHON  "] {
        check(&format!("```\n{word}\n{CODE}\n```"), python);
        check(&format!("Here:\n\n~~~\n{word}\n{CODE}\n~~~\nDone."), python);
    }
    check(&format!("1. Use it:\n   ```\n   python\n   {}\n   ```\n", CODE.replace('\n', "\n   ")), python);
    check("```\njava\nint f() {}\n```", &["java|int f() {}"]);
    check(&format!("```\npython\n{CODE}"), python);
    // Another word, a marked block, and commands.
    check("```\nx\nf(1)\n```", &["|x\nf(1)"]);
    check("```text\npython\nf(1)\n```", &["text|python\nf(1)"]);
    check("```\npython\n```", &["|python"]);
    check("```\npython\nclamp.py\n```", &["|python\nclamp.py"]);
}

#[test]
fn a_fence_in_the_place_of_another() {
    let python = &[&*format!("python|{CODE}")];
    check(&format!("```\n```python\n{CODE}\n```\n```"), python);
    check(&format!("Here:\n```\n```python\n{CODE}\n```\nDone."), python);
    check("```\n```text\nx\n```\n```", &["|```text\nx"]);
    check(&format!("````\n```python\n{CODE}\n```\n````"), &[&*format!("|```python\n{CODE}\n```")]);
}

#[test]
fn a_closing_fence_glued_to_code() {
    check("```java\nint f() {}```\nDone.", &["java|int f() {}"]);
    check("```java\nint f() {}```\n\nThen:\n```java\nint g() {}\n```\n", &["java|int f() {}", "java|int g() {}"]);
    check("```java\nint f() {}```", &["java|int f() {}"]);
    check("```java\nint f() {} // ```x```\n```", &["java|int f() {} // ```x```"]);
    check("Here:```java\nint f() {}\n```\nDone.", &["java|int f() {}"]);
    check("Here: ```java\nint f() {}```", &["java|int f() {}"]);
    check("Here:```python\ndef f(x):\n\n    return x\n```\n", &["python|def f(x):\n\n    return x"]);
}

#[test]
fn a_fence_that_the_prompt_opened() {
    check(&format!("{CODE}\n```\n\nThis returns `x`."), &[&*format!("|{CODE}")]);
    check(&format!("{CODE}\n```"), &[&*format!("|{CODE}")]);
    check(&format!("{CODE}```\n\nThis returns it."), &[&*format!("|{CODE}")]);
    check(&format!("python\n{CODE}\n```\nDone."), &[&*format!("|{CODE}")]);
    check("    return x\n```\nDone.", &["|    return x"]);
    check(&format!("{CODE}\n```\nExample:\n```python\nf(1)\n```\n"), &[&*format!("|{CODE}"), "python|f(1)"]);
    check(&format!("{CODE}\n```\nExample:\n```\nf(1)\n```\n"), &[&*format!("|{CODE}"), "|f(1)"]);
    // Code without a fence, and its output in one.
    check(&format!("{CODE}\n\n```\n>>> f(1)\n1\n```\n"), &[&*format!("|{CODE}\n"), "|>>> f(1)\n1"]);
    // Words before a block are no code.
    check(&format!("Here is the function:\n```\n{CODE}\n```\n"), &[&*format!("|{CODE}")]);
    check(&format!("Use f(x) = x (see below).\n```\n{CODE}\n```\n"), &[&*format!("|{CODE}")]);
}

#[test]
fn blocks_that_are_cut_off() {
    let is_closed = |text: &str| read(text).iter().map(|block| block.is_closed).collect::<Vec<_>>();
    assert_eq!(is_closed("```python\ndef f(x):\n    return"), [false]);
    assert_eq!(is_closed("```python\nx = 1\n```\n```python\ny ="), [true, false]);
    assert_eq!(is_closed("- A\n\n  ```python\n  x = 1\n  ```\n"), [true]);
    assert_eq!(is_closed("> ```python\n> x = 1\n> ```\n"), [true]);
    check("cut\n```java\nint f() {\n  return", &["java|int f() {\n  return"]);
    // Nothing follows the fence: it closes what the standard cannot know.
    check("```", &[]);
}

/// Behind an empty block that nothing closes, the rest of the text belongs to that block alone.
#[test]
fn blocks_are_no_longer_than_their_text() {
    let restarts = "```\nx = 1```\n".repeat(MOST_RESTARTS + 2);
    for unit in
        ["- ```\n", "- ```\n  x\n", "> ```\n\n", "a ```x\n", "- ~~~\n", "1. ```python\n", "````markdown\n- ```\n"]
    {
        for before in ["", "text\n\n", &restarts] {
            let text = format!("{before}{}end", unit.repeat(500));
            let blocks = read(&text);
            let length: usize = blocks.iter().map(|block| block.code.len()).sum();
            assert!(length <= text.len(), "{unit:?}: {length} of {} bytes", text.len());
            let are_apart = |pair: &[Block]| pair[0].range.end <= pair[1].range.start;
            assert!(blocks.windows(2).all(are_apart), "{unit:?}");
        }
    }
}

#[test]
fn reading_ends_whatever_the_text() {
    let text = "a```\n".repeat(5_000) + &"1. x\n   ```\ny\n".repeat(5_000);
    assert!(read(&text).len() < 50_000);
    for text in ["```\n```\n```", "> ```", "- ```\n", "\u{0}```\u{0}\n```", "é```é\né```", "\t```\n\té\n\t```"] {
        read(text);
    }
}
