//! Tests of `chat.rs`.

use super::*;

fn wanted(lang: CodeLang, name: &str) -> Wanted {
    Wanted { lang, name: (!name.is_empty()).then(|| name.to_owned()) }
}

#[test]
fn separates_code_from_surrounding_text() {
    let check = |response: &str, code: &str, surrounding_text: &str| {
        let found = split(response, &[CodeLang::Java], None);
        assert_eq!((&*found.code, &*found.surrounding_text), (code, surrounding_text), "{response}");
    };
    check("int f() { return 1; }\n", "int f() { return 1; }\n", "");
    check("Here:\n\n```java\nint f() {}\n```\nDone.", "int f() {}", "Here:\n\nDone.");
    check("```\nint f() {}\n```", "int f() {}", "");
    check("```java\r\nint f() {\r\n}\r\n```\r\n", "int f() {\n}", "");
    check("cut\n```java\nint f() {\n  return", "int f() {\n  return", "cut");
    check("glued:```Java\nint f() {}```", "int f() {}", "glued:");
    check(
        "First add\n```java\nimport java.io.File;\n```\nthen\n```java\nint f() {}\n```\n",
        "int f() {}",
        "First add\n```java\nimport java.io.File;\n```\nthen",
    );
    check(
        "First add\n```java\nimport java.util.*;\n```\nthen\n```java\nList f() { return null; }\n```\n",
        "import java.util.*;\n\nList f() { return null; }",
        "First add\n\nthen",
    );
    check("```xml\n<a/>\n```\n```java\nint f() {}\n```", "int f() {}", "```xml\n<a/>\n```");
    check("````java\nString s = \"```\"; {}\n````", "String s = \"```\"; {}", "");
    check("use ```x``` inline", "use ```x``` inline", "");
    check("~~~java\nint f() {}\n~~~", "int f() {}", "");
    check("", "", "");
    check("```java\n```", "", "");
}

#[test]
fn finds_code_in_the_language_asked_for() {
    let check = |lang: CodeLang, response: &str, code: &str| {
        assert_eq!(split(response, &[lang], None).code, code, "{lang}: {response}");
    };
    let both =
        "```bash\npip install {x}\n```\n```python\nf(1)\n```\n```py\ndef f(x):\n    return x\n```\n```js\n{}\n```";
    check(CodeLang::Python, both, "def f(x):\n    return x");
    check(CodeLang::JavaScript, both, "{}");
    check(CodeLang::Cpp, "```C++\nint f() {}\n```", "int f() {}");
    check(CodeLang::Cpp, "```\nmain\n```\n```cpp\nint f() {}\n```", "int f() {}");
    check(CodeLang::Cpp, "```c++20\nint f() {}\n```", "int f() {}");
    check(CodeLang::Go, "```golang\nfunc f() {}\n```", "func f() {}");
    check(CodeLang::Rust, "```rust,no_run\nfn f() {}\n```", "fn f() {}");
    // No block is marked as Go: the first that may be a solution.
    check(CodeLang::Go, "```python\nf(1)\n```\n```c\nint f() {}\n```", "int f() {}");
    let of_all = split(both, &CodeLang::ALL, None);
    assert_eq!(of_all.code, "def f(x):\n    return x");
}

/// Forms of one right answer; the last one is not an answer without a known name.
#[test]
fn the_function_that_the_task_asks_for_is_found_in_every_form() {
    let code = "def clamp(value, low, high):\n    return max(low, min(high, value))";
    let forms = [
        format!("```python3.11\n{code}\n```\n"),
        format!("```{{.python .numberLines}}\n{code}\n```\n"),
        format!("```python title=\"clamp.py\"\n{code}\n```\n"),
        format!("```Python\n{code}\n```\n").replace('\n', "\r\n"),
        format!("~~~py\n{code}\n~~~\n"),
        format!("````python\n{code}\n````\n"),
        format!("{code}\n```\n\nThis uses `min` and `max`, so the value never leaves the range.\n"),
        format!("```{code}\n```\n"),
        format!("```python\n{code}\n```   \n"),
        format!(
            "Usage:\n\n```python\nresult = clamp(12, 1, 10)  # see def below\n```\n\nCode:\n\n```python\n{code}\n```\n"
        ),
        format!("```python:src/clamp.py\n{code}\n```\n"),
        format!(
            "```python\ndef clamp(value, low, high):\n    return min(low, value)\n```\n\nWait. Corrected:\n\n```python\n{code}\n```\n"
        ),
        format!(
            "1. Use it:\n\n   ```python\n{}\n   ```\n\n2. Done.\n",
            code.replace("def", "   def").replace("    return", "       return")
        ),
        format!("```python\n{code}\n```\n\nExample:\n\n```python\ndef main():\n    print(clamp(1, 2, 3))\n```\n"),
        format!(
            "```python\n{code}\n```\n\nThe test:\n\n```python\nimport unittest\nclass T(unittest.TestCase):\n    def test_clamp(self):\n        assert clamp(1, 2, 3)\n```\n"
        ),
        format!(
            "The signature is\n```python\ndef clamp(value, low, high):\n    ...\n```\nand the code\n```\n{code}\n```\n"
        ),
        format!(
            "```python\n{code}\n```\nIts outline:\n```python\ndef clamp(value, low, high):\n    \"\"\"Clamps.\"\"\"\n    pass\n```\n"
        ),
        format!("```python\n{code}\n```\nOr, cut off:\n```python\ndef clamp(value, low, high):\n    if value"),
        format!("```text\nclamp(1)\n```\n```\n$ python clamp.py\n```\n```python\n{code}\n```\n"),
        format!(
            "<think>\n```python\ndef clamp(value, low, high):\n    return value\n```\nNo.\n</think>\n\n```python\n{code}\n```\n"
        ),
        format!("```java\nint clamp(int value) {{ return value; }}\n```\nIn Python:\n```\n{code}\n```\n"),
        format!(
            "```python\nclass Tools:\n    def clamp(self, value):\n        return value\n```\nor\n```python\n{code}\n```\n"
        ),
        code.to_owned(),
    ];
    for form in forms {
        let found = split(&form, &[CodeLang::Python], Some(&wanted(CodeLang::Python, "clamp")));
        assert_eq!(found.code, code, "{form}\n{:?}", found.reading);
    }
}

#[test]
fn a_language_below_the_fence_is_no_code_unless_code_needs_it() {
    let check = |lang: CodeLang, block: &str, code: &str| {
        assert_eq!(split(&format!("```\n{block}\n```"), &[lang], None).code, code, "{lang}: {block}");
    };
    for (lang, code) in [
        (CodeLang::Python, "def f(x):\n    return x"),
        (CodeLang::Java, "int f(int x) {\n    return x;\n}"),
        (CodeLang::Cpp, "int f(int x) {\n    return x;\n}"),
        (CodeLang::JavaScript, "const f = (x) => x;"),
        (CodeLang::Go, "func F(x int) int {\n\treturn x\n}"),
        (CodeLang::Rust, "fn f(x: u8) -> u8 {\n    x\n}"),
    ] {
        for word in display(lang).fences {
            check(lang, &format!("{word}\n{code}"), code);
            check(lang, &format!("{}\n{code}", word.to_uppercase()), code);
        }
        check(lang, "x\nf(1)", "x\nf(1)");
    }
    // Code that goes on in the next line.
    for (lang, code) in [
        (CodeLang::JavaScript, "node\n  .map((x) => x);"),
        (CodeLang::JavaScript, "es\n  = f(1);"),
        (CodeLang::Cpp, "c\n= f(1);"),
        (CodeLang::Rust, "rs\n    .push(1);"),
    ] {
        check(lang, code, code);
    }
    // Such a mark counts as one on the fence.
    let both = "```\njava\nint f() { return 1; }\n```\n```\npython\nf = 1\n```";
    assert_eq!(split(both, &[CodeLang::Python], None).code, "f = 1");
}

#[test]
fn what_the_code_needs_stands_before_it() {
    let check = |lang: CodeLang, name: &str, response: &str, expected: &str| {
        let found = split(response, &[lang], Some(&wanted(lang, name)));
        assert_eq!(found.code, expected, "{response}\n{:?}", found.reading);
        found
    };
    let found = check(
        CodeLang::Python,
        "clamp",
        "A helper:\n\n```python\ndef at_most(a, b):\n    return min(a, b)\n```\n\nNow:\n\n```python\ndef clamp(v, l, h):\n    return max(l, at_most(h, v))\n```\n",
        "def at_most(a, b):\n    return min(a, b)\n\ndef clamp(v, l, h):\n    return max(l, at_most(h, v))",
    );
    assert_eq!(found.surrounding_text, "A helper:\n\nNow:");
    let roles: Vec<BlockRole> = found.reading.blocks.iter().map(|block| block.role).collect();
    assert_eq!((roles, found.reading.why), (vec![BlockRole::Helper, BlockRole::Code], Why::Defines("clamp".into())));
    // After it, and through another helper; the example is left.
    check(
        CodeLang::Python,
        "f",
        "```python\ndef f(x):\n    return g(x)\n```\n```python\ndef h(x):\n    return x\n```\n```python\ndef g(x):\n    return h(x)\n```\n```python\nprint(f(1))\n```\n",
        "def h(x):\n    return x\n\ndef g(x):\n    return h(x)\n\ndef f(x):\n    return g(x)",
    );
    // Of an earlier version, the helper alone.
    check(
        CodeLang::Python,
        "f",
        "```python\nimport math\n\n@cache\ndef g(x):\n    return x\n\ndef f(x):\n    return g(x) + 1\n```\nCorrected:\n```python\ndef f(x):\n    return g(x)\n```\n",
        "@cache\ndef g(x):\n    return x\n\ndef f(x):\n    return g(x)",
    );
    check(
        CodeLang::Python,
        "f",
        "```python\ndef f(x):\n    return math.floor(x)\n```\nDo not forget:\n```python\nimport math\n```\n",
        "import math\n\ndef f(x):\n    return math.floor(x)",
    );
    check(
        CodeLang::Cpp,
        "f",
        "```cpp\n#include <numeric>\n```\n```cpp\nint g(int x) { return x; }\n```\n```cpp\nint f(int x) { return g(x); }\n```\n```cpp\nint main() { return f(1); }\n```",
        "#include <numeric>\n\nint g(int x) { return x; }\n\nint f(int x) { return g(x); }",
    );
    check(
        CodeLang::Java,
        "f",
        "```java\nclass Helper { static int g(int x) { return x; } }\n```\n```java\npublic class Solution {\n    public int f(int x) { return Helper.g(x); }\n}\n```\n```java\npublic class Main {\n    public static void main(String[] a) { System.out.println(new Solution().f(1)); }\n}\n```",
        "class Helper { static int g(int x) { return x; } }\n\npublic class Solution {\n    public int f(int x) { return Helper.g(x); }\n}",
    );
    check(
        CodeLang::JavaScript,
        "f",
        "```js\nconst g = (x) => x;\n```\n```js\nconst f = (x) => {\n  return g(x);\n};\n```\n```js\nconst r = f(1);\nconsole.log(r);\n```",
        "const g = (x) => x;\n\nconst f = (x) => {\n  return g(x);\n};",
    );
    check(
        CodeLang::Go,
        "F",
        "```go\ntype pair struct{ a, b int }\n```\n```go\nfunc F(x int) int {\n\tp := pair{x, x}\n\treturn p.a\n}\n```\n```go\nfunc main() {\n\tfmt.Println(F(1))\n}\n```",
        "type pair struct{ a, b int }\n\nfunc F(x int) int {\n\tp := pair{x, x}\n\treturn p.a\n}",
    );
    check(
        CodeLang::Rust,
        "f",
        "```rust\nfn f(x: u8) -> u8 { g(x) }\n```\n```rust\nfn g(x: u8) -> u8 { x }\n```\n```rust\nfn main() { println!(\"{}\", f(1)); }\n```",
        "fn g(x: u8) -> u8 { x }\n\nfn f(x: u8) -> u8 { g(x) }",
    );
}

#[test]
fn without_a_name_the_first_solution_or_its_last_version_counts() {
    let check = |response: &str, code: &str, why: Why| {
        let found = split(response, &[CodeLang::Python], None);
        assert_eq!((&*found.code, found.reading.why), (code, why), "{response}");
    };
    let (first, second) = ("def f(x):\n    return x", "def f(x):\n    return -x");
    check(&format!("```python\n{first}\n```\n```python\nf(1)\n```"), first, Why::First);
    check(&format!("```python\n{first}\n```\nCorrected:\n```python\n{second}\n```"), second, Why::First);
    check(&format!("```python\n{first}\n```\n```python\ndef test_f():\n    assert f(1)\n```"), first, Why::First);
    check(&format!("```python\n{first}\n```"), first, Why::Only);
    check(first, first, Why::Whole);
}

#[test]
fn a_response_without_an_answer_has_no_code() {
    let found = split("<think>\nSort it.\n```python\ndef f(x):\n    return x\n```\nBut", &[CodeLang::Python], None);
    assert_eq!((&*found.code, &*found.surrounding_text, found.is_cut_off), ("", "", true));
    assert_eq!(found.reading.why, Why::NoAnswer);
    assert!(found.reading.reasoning.starts_with("Sort it."));
    let found = split("<think>\nx\n</think>\n\ndef f(x):\n    return x\n", &[CodeLang::Python], None);
    assert_eq!((&*found.code, &*found.reading.reasoning), ("def f(x):\n    return x\n", "x"));
    let found = split("```python\ndef f(x):\n    return", &[CodeLang::Python], None);
    assert!(found.is_cut_off);
}

#[test]
fn names_of_signatures() {
    for (lang, signature, expected) in [
        (CodeLang::Python, "def clamp(value: int, low: int) -> int", "clamp"),
        (
            CodeLang::Python,
            "from typing import List\n\n\ndef helper(x):\n    return x\n\n\ndef f(x: List[int]) -> int",
            "f",
        ),
        (CodeLang::Java, "public static < T > List < T > firstOf ( List < T > a , int n )", "firstOf"),
        (CodeLang::Java, "public int clamp(int value, int min, int max)", "clamp"),
        (CodeLang::Cpp, "vector<int> second_largest(vector<int> numbers, int missing)", "second_largest"),
        (CodeLang::Cpp, "std::string* name(int x)", "name"),
        (CodeLang::JavaScript, "const clamp = (value, low, high) =>", "clamp"),
        (CodeLang::JavaScript, "const same = (xs) => {", "same"),
        (CodeLang::JavaScript, "function f(x)", "f"),
        (CodeLang::Go, "func Clamp(value int, low int) int", "Clamp"),
        (CodeLang::Go, "func (s *Stack) Push(x int)", "Push"),
        (CodeLang::Rust, "fn largest<T: Ord>(x: Vec<T>) -> T", "largest"),
    ] {
        assert_eq!(name(lang, signature), Some(expected), "{signature}");
    }
    assert_eq!(name(CodeLang::Java, ""), None);
}

#[test]
fn code_without_fences_is_found_between_tags_and_below_headers() {
    let check = |response: &str, code: &str| {
        let found = split(response, &[CodeLang::Python], None);
        assert_eq!(found.code, code, "{response}");
    };
    let code = "def f(x):\n    y = x\n\n    return y";
    for (open, close) in [("<solution>", "</solution>"), ("<code>", "</code>"), ("[PYTHON]", "[/PYTHON]")] {
        check(&format!("Here it is:\n{open}\n{code}\n{close}\nIt works."), code);
        check(&format!("{open}{code}{close}"), code);
        // A text about such a tag, and a tag that does not end.
        check(&format!("Put it in {open} and {close}."), &format!("Put it in {open} and {close}."));
        check(&format!("{open}\nWords only\n{close}"), &format!("{open}\nWords only\n{close}"));
        check(&format!("# Uses:\n# {open}\n{code}\n# {close}"), &format!("# Uses:\n# {open}\n{code}\n# {close}"));
        check(&format!("{open}\nNo.\n{close}\n```python\n{code}\n```"), code);
    }
    for header in ["python\nCopy code", "Python\n\nCopy", "pythonCopy code", "python 复制代码"] {
        check(&format!("Here it is:\n\n{header}\n{code}\n\nThis returns its argument, as it should."), code);
        check(&format!("{header}\n{code}"), code);
    }
    check("python\nis a language", "python\nis a language");
    let java =
        "class A {\n    /**\n     * <code>\n     * x\n     * </code>\n     */\n    List<code> f() { return null; }\n}";
    assert_eq!(split(java, &[CodeLang::Java], None).code, java);
}

#[test]
fn marks_and_blanks_of_pages_are_not_code() {
    let check = |response: &str, code: &str| {
        assert_eq!(split(response, &[CodeLang::Python], None).code, code, "{response:?}");
    };
    let code = "def f(x):\n    return \"\u{a0}\"";
    check("```python\n\u{feff}def f(x):\n    return \"\u{a0}\"\n```", code);
    check("```python\ndef f(x):\n\u{a0}\u{a0}\u{a0}\u{a0}return \"\u{a0}\"\n```", code);
    check("\u{feff}def f(x):\n\u{a0} \u{a0} return \"\u{a0}\"", code);
}
