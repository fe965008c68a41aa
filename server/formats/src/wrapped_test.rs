//! Tests of `wrapped.rs`, as answers are read.

use model::code_lang::CodeLang;
use serde_json::json;

use crate::chat::{Wanted, split};

/// Code in each language. In all of them, `<` and `>` occur, and in some it is code without them, too.
pub const CODE: [(CodeLang, &str, &str); 6] = [
    (CodeLang::Python, "f", "def f(x: int) -> bool:\n    y = [\"a\"]\n\n    return x < len(y) & 1"),
    (
        CodeLang::Java,
        "f",
        "class Solution {\n    public List<String> f(int x) {\n        return x < 1 && x > -1 ? a : null;\n    }\n}",
    ),
    (CodeLang::Cpp, "f", "#include <vector>\nusing namespace std;\nvector<int> f(vector<int> x) {\n    return x;\n}"),
    (CodeLang::JavaScript, "f", "const f = (x) => {\n  if (x < 1 && x > -1) return \"a\";\n  return 'b';\n};"),
    (CodeLang::Go, "F", "func F(x int) bool {\n\tc := make(chan int)\n\tc <- x\n\treturn x < 1 && x > -1\n}"),
    (
        CodeLang::Rust,
        "f",
        "fn f<'a>(x: &'a [i32]) -> Vec<i32> {\n    x.iter().filter(|y| **y < 1 && **y > -1).cloned().collect()\n}",
    ),
];

/// Fails unless the forms of code are read as it, whatever is known of the task.
fn check(forms: impl Fn(&str, &str) -> Vec<String>) {
    for (lang, name, code) in CODE {
        let wanted = Wanted { lang, name: Some(name.to_owned()) };
        let word = syntax::display::display(lang).fences[0];
        for form in forms(word, code) {
            for wanted in [None, Some(&wanted)] {
                let found = split(&form, &[lang], wanted);
                assert_eq!(found.code, code, "{lang}: {form}\n{:?}", found.reading);
            }
        }
    }
}

/// Fails unless an answer is read as a whole.
fn stays(lang: CodeLang, answer: &str) {
    assert_eq!(split(answer, &[lang], None).code, answer, "{lang}");
}

fn escaped(code: &str) -> String {
    code.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn objects_of_json() {
    check(|word, code| {
        let arguments = json!({"path": "a", "content": code}).to_string();
        let objects = [
            json!({"code": code}),
            json!({"language": word, "Solution": code, "explanation": "It compares (x = 1)."}),
            json!({"code": format!("```{word}\n{code}\n```"), "tests": code.replace('1', "2")}),
            json!({"patch": code, "note": "Done."}),
            json!({"answer": {"code": code}}),
            json!({"tool_calls": [{"function": {"name": "submit", "arguments": arguments}}]}),
            json!({"code": code, "answer": "return (1"}),
        ];
        let mut forms: Vec<String> = Vec::new();
        for object in objects {
            let pretty = serde_json::to_string_pretty(&object).unwrap();
            forms.extend([
                object.to_string(),
                format!("\n{pretty}\n"),
                format!("```json\n{pretty}\n```"),
                format!("Here it is:\n\n```\n{object}\n```\nIt is short."),
            ]);
        }
        forms
    });
    stays(CodeLang::Python, "{\"code\": 1, \"text\": \"Words (only).\"}");
    stays(CodeLang::Python, "{\"a\": \"f(1)\", \"b\": \"g(2)\"}");
    stays(CodeLang::Python, "{\"code\": \"f(1)\"} | {\"code\": \"g(1)\"}");
    // Of several texts that are code, the one that defines what is asked for.
    let both = json!({"code": "def f(x):\n    return x", "program": "import a\na.f(1)"}).to_string();
    let wanted = Wanted { lang: CodeLang::Python, name: Some("f".to_owned()) };
    assert_eq!(split(&both, &[CodeLang::Python], Some(&wanted)).code, "def f(x):\n    return x");
    assert_eq!(split(&both, &[CodeLang::Python], None).code, "def f(x):\n    return x");
    let call = json!({"function": "f(x)", "code": "def f(x):\n    return x"}).to_string();
    assert_eq!(split(&call, &[CodeLang::Python], None).code, "def f(x):\n    return x");
    let other = Wanted { lang: CodeLang::Python, name: Some("g".to_owned()) };
    assert_eq!(split(&call, &[CodeLang::Python], Some(&other)).code, call);
}

#[test]
fn calls_of_tools() {
    check(|word, code| {
        let call = json!({"name": "submit", "arguments": {"language": word, "code": code}});
        let text = json!({"name": "submit", "arguments": json!({"code": code}).to_string()});
        vec![
            format!("<tool_call>{call}</tool_call>"),
            format!("I call it:\n<tool_call>\n{text}\n</tool_call>\nThat is all."),
            format!(
                "<tool_call>\n<function=submit>\n<parameter=language>\n{word}\n</parameter>\n<parameter=code>\n{code}\n</parameter>\n</function>\n</tool_call>"
            ),
            format!("<function=submit><parameter=code>{code}</parameter></function>"),
            format!(
                "<invoke name=\"submit\">\n<parameter name=\"path\">a.{word}</parameter>\n<parameter name=\"code\">{code}</parameter>\n</invoke>"
            ),
            format!(
                "<function_calls><invoke name=\"submit\"><parameter name=\"code\">\n{code}\n</parameter></invoke></function_calls>"
            ),
            format!("```xml\n<invoke name=\"submit\">\n<parameter name=\"code\">{code}</parameter>\n</invoke>\n```"),
        ]
    });
}

#[test]
fn html() {
    check(|word, code| {
        let html = escaped(code);
        let quoted = html.replace('"', "&quot;").replace('\'', "&#39;");
        vec![
            format!("<pre><code class=\"language-{word}\">{html}\n</code></pre>"),
            format!("<p>Here:</p>\n<pre><code class=\"language-{word}\">{quoted}</code></pre>\n<p>Done.</p>"),
            format!("<pre>\n{html}\n</pre>"),
            format!("```html\n<pre><code>{html}</code></pre>\n```"),
            format!("```{word}\n{quoted}\n```"),
            format!("```{word}\n{html}\n```"),
            html.clone(),
            quoted,
        ]
    });
    // Code about such names stays as it is.
    for code in [
        "def f(s):\n    return s.replace(\"<\", \"&lt;\").replace(\">\", \"&gt;\")",
        "def f(s):\n    \"\"\"Replaces\n    &lt; and &amp;\n    \"\"\"\n    return html.unescape(s)",
        "def f(s):\n    # Reads &lt; and &gt;\n    return unescape(s)",
    ] {
        stays(CodeLang::Python, code);
        assert_eq!(split(&format!("```python\n{code}\n```"), &[CodeLang::Python], None).code, code);
    }
    stays(CodeLang::JavaScript, "const f = (s) => s.split('&lt;').join(`\n&gt;\n`);");
    stays(CodeLang::JavaScript, "const f = (x) => <p>{x}</p>;\n");
    stays(CodeLang::Java, "/**\n * Reads &lt;b&gt;.\n */\nString f(String s) { return s.replace(\"&lt;\", \"b\"); }");
}

#[test]
fn tags_with_attributes() {
    check(|word, code| {
        vec![
            format!("<file path=\"src/a.{word}\">\n{code}\n</file>"),
            format!("I wrote a file:\n\n<file path=\"a\"><![CDATA[\n{code}\n]]></file>\n\nIt is short."),
            format!(
                "<antArtifact identifier=\"f\" type=\"application/vnd.ant.code\" language=\"{word}\" title=\"F\">\n{code}\n</antArtifact>"
            ),
            format!("<![CDATA[{code}]]>"),
            format!("<code><![CDATA[\n{code}\n]]></code>"),
            format!("<code language=\"{word}\">\n{code}\n</code>"),
            format!("Here:\n<answer>\n{code}\n</answer>\nThat is all."),
            format!("Here: \n<|begin_of_box|>{code}<|end_of_box|>"),
            format!("```xml\n<file path=\"a\">\n{code}\n</file>\n```"),
        ]
    });
    stays(CodeLang::Python, "# <file path=\"a\">\ndef f(x):\n    return x\n# </file>");
    stays(CodeLang::Python, "<file path=\"a\">\nWords only.\n</file>");
    stays(CodeLang::Java, "List<code> f() { return null; }");
    // Documentation of functions that are cut off.
    stays(CodeLang::Java, "/**\nUse it:\n<pre>\nf(1);\n</pre>\n*/\nint f(int x) {\n  if (x");
    stays(CodeLang::Python, "def f(x):\n    \"\"\"\n    <code>\n    f(1)\n    </code>\n    \"\"\"\n    return (x");
}

#[test]
fn new_files_as_changes() {
    check(|word, code| {
        let added = code.replace('\n', "\n+");
        let count = code.lines().count();
        vec![
            format!("```diff\n+{added}\n```"),
            format!(
                "It is new:\n\n```diff\n--- /dev/null\n+++ b/a.{word}\n@@ -0,0 +1,{count} @@\n+{added}\n```\nDone."
            ),
            format!(
                "```\ndiff --git a/a b/a\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,{count} @@\n+{added}\n\\ No newline at end of file\n```"
            ),
            format!("```bash\ncat a\n```\n```diff\n+{added}\n```"),
            format!("a.{word}\n<<<<<<< SEARCH\n=======\n{code}\n>>>>>>> REPLACE"),
            format!("```{word}\n<<<<<<< SEARCH\n=======\n{code}\n>>>>>>> REPLACE\n```"),
        ]
    });
    // A change of code that is not there, and code.
    for block in ["-def f(x):\n+def f(y):\n     return x", "+x(1)\n+y"] {
        assert_eq!(split(&format!("```\n{block}\n```"), &[CodeLang::Python], None).code, block);
    }
}

#[test]
fn texts_of_json() {
    check(|word, code| vec![json!(code).to_string(), format!("{}\n", json!(format!("```{word}\n{code}\n```")))]);
    stays(CodeLang::Python, "\"Words only.\"");
    stays(CodeLang::Python, "\"a\".join(\"b\")");
}
