//! Responses of the longest length that repeat something are read in time and memory in proportion to their length. Time is not
//! measured: a reader with a search in a loop over lines, blocks or marks makes this test take minutes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

mod counting;

use std::{collections::HashMap, io::Cursor, sync::Arc};

use counting::peak;
use formats::{
    chat::Wanted,
    humaneval::{Benchmark, Task},
    identity_leaks::LeakFinder,
    judging,
    matching::{Scan, Tasks},
    outputs::{self, Asked, KnownTasks, LONGEST_CODE},
};
use model::{code_lang::CodeLang, submission::Matching};

/// Most memory that reading a response may take, in bytes. What the parser of Markdown makes of a text takes a hundred times its
/// length.
const MOST: usize = 64 * 1024 * 1024;

/// What responses in a language consist of; each function makes the part of this number.
struct Language {
    lang: CodeLang,
    declaration: &'static str,
    /// The rest of the function, which calls the first helper.
    body: &'static str,
    /// A helper that calls the next one.
    helper: fn(usize) -> String,
    import: fn(usize) -> String,
    comment: &'static str,
    /// A helper that is not complete.
    stub: fn(usize) -> String,
}

const LANGUAGES: [Language; 6] = [
    Language {
        lang: CodeLang::Python,
        declaration: "def target(x: int) -> int:\n",
        body: "    return h0(x)\n",
        helper: |n| format!("def h{n}(x):\n    return h{}(x)\n", n + 1),
        import: |n| format!("from a import b{n}\n"),
        comment: "# x\n",
        stub: |n| format!("def h{n}(x):\n"),
    },
    Language {
        lang: CodeLang::Java,
        declaration: "class Solution {\n    public int target(int x) {\n",
        body: "        return H0.h(x);\n    }\n}\n",
        helper: |n| format!("class H{n} {{ static int h(int x) {{ return H{}.h(x); }} }}\n", n + 1),
        import: |n| format!("import a.B{n};\n"),
        comment: "// x\n",
        stub: |n| format!("class H{n} {{ int h(int x) {{\n"),
    },
    Language {
        lang: CodeLang::Cpp,
        declaration: "#include<vector>\nint target(int x){\n",
        body: "    return h0(x);\n}\n",
        helper: |n| format!("int h{n}(int x) {{ return h{}(x); }}\n", n + 1),
        import: |n| format!("#include <b{n}>\n"),
        comment: "// x\n",
        stub: |n| format!("int h{n}(int x) {{\n"),
    },
    Language {
        lang: CodeLang::JavaScript,
        declaration: "const target = (x) => {\n",
        body: "  return h0(x);\n}\n",
        helper: |n| format!("const h{n} = (x) => h{}(x);\n", n + 1),
        import: |n| format!("import b{n} from 'b';\n"),
        comment: "/* x */\n",
        stub: |n| format!("const h{n} = (x) => {{\n"),
    },
    Language {
        lang: CodeLang::Go,
        declaration: "func Target(x int) int {\n",
        body: "\treturn h0(x)\n}\n",
        helper: |n| format!("func h{n}(x int) int {{ return h{}(x) }}\n", n + 1),
        import: |n| format!("import \"b{n}\"\n"),
        comment: "// x\n",
        stub: |n| format!("func h{n}(x int) int {{\n"),
    },
    Language {
        lang: CodeLang::Rust,
        declaration: "fn target(x: i32) -> i32 {\n",
        body: "    h0(x)\n}\n",
        helper: |n| format!("fn h{n}(x: i32) -> i32 {{ h{}(x) }}\n", n + 1),
        import: |n| format!("use a::b{n};\n"),
        comment: "/// x\n",
        stub: |n| format!("fn h{n}(x: i32) -> i32 {{\n"),
    },
];

/// What is repeated, with what stands before and behind it. `LANG` stands for the word of a language's fences, and `#` for the
/// number of the repetition; the other words in capitals are made by [`Language::text`].
const RESPONSES: &[(&str, &str, &str)] = &[
    // Blank lines, lines of one character, and long lines.
    ("", "\n", ""),
    ("", "\u{a0}\n", ""),
    ("", "x\r", ""),
    ("", "x\n", ""),
    ("\n", "\n", "```\nx\n```\n"),
    ("```LANG\nx = 1\n", "\n", "y = 2\nFUNCTION```\n"),
    ("```LANG\n", "COMMENT", "FUNCTION```\n"),
    ("", "x", ""),
    ("", "\t", "x"),
    // Fences.
    ("", "```\n", ""),
    ("", "```LANG\n\n", ""),
    ("", "- ```\n", ""),
    ("", "- ```\n  x\n", ""),
    ("", "- ````\n  x\n- ```\n  x\n", "`````\n"),
    ("", "1. ```LANG\n   x = 1\n   ```\n", ""),
    ("", "1. x\n   ```\ny\n", ""),
    ("", "> ```\n\n", ""),
    ("", "a ```x\n", ""),
    ("", "Here is ```LANG x = 1\n", ""),
    ("", "x ```\n", ""),
    ("", "```\nx = 1```\n", ""),
    ("", "```markdown\n```LANG\n", ""),
    ("", "``` ", ""),
    ("", "`", ""),
    ("", "FENCED", ""),
    ("GLUED", "- ```\n", "LONG"),
    ("GLUED", "- ```\n\n~~~\nx = 1\n", ""),
    ("", "```\n```LANG\n", ""),
    ("", "```\n```LANG\nx = 1\n```\n```\n", ""),
    ("", "```\nLANG\nx = 1\n```\n", ""),
    // Indented code, lists and quotes.
    ("", "text\n\n    code\n", ""),
    ("", "    x\n\n", ""),
    ("", "text\n\n    x = 1 ```\n    ```LANG\n\n", ""),
    ("", "- ", ""),
    ("", "> ", ""),
    // Sentences.
    ("Words only.\n", "'''", "\nFUNCTION"),
    ("Words only.\n", "\"\"\"\n", "FUNCTION"),
    ("", "Words only.\n", "FUNCTION"),
    ("", "Words only.\nx = 1\n", "FUNCTION"),
    ("FUNCTION\nWords only.\n", "x = f(`1`)\n", "FUNCTION"),
    // JSON, tags and HTML.
    ("{\"code\": [", "\"f(1)\", ", "0]}"),
    ("{", "\"code\": \"f(1)\", ", "\"a\": {}}"),
    ("{\"a\": [", "{\"\":0},", "0]}"),
    ("", "{\"code\": \"", ""),
    ("{\"code\": \"", "{\\\"code\\\": ", "\"}"),
    ("{\"code\": \"", "```\\n- ", "\"}"),
    ("", "<code>", ""),
    ("", "<code>\n", ""),
    ("", "<code>\nx = 1\n</code>\n", ""),
    ("", "<code></code>", "x"),
    ("<code>\n", "</code>x", ""),
    ("", "<parameter name=\"code\">(</parameter>\n", ""),
    ("", "<tool_call>{\"code\": \"f(1)\"}</tool_call>\n", ""),
    ("<pre><code class=\"", " ", "\">x = 1</code></pre>"),
    ("", "&lt;", ""),
    ("", "x &lt; y\n", ""),
    ("FENCED", "```LANG\nx &lt; (1)\n```\n", ""),
    ("FENCED", "```diff\n+x = 1\n```\n", ""),
    ("```diff\n", "+x = 1\n", "```"),
    ("", "<<<<<<< SEARCH\n=======\n", ""),
    ("x = (", "&amp;&amp;\n", "1)"),
    // What Markdown has in a line.
    ("", "*", ""),
    ("", "[", ""),
    ("", "`a", ""),
    ("", "[x#]: y\n", ""),
    // Text, and names of models.
    ("", "\"", ""),
    ("", "as an a", ""),
    ("a", "-1", ""),
];

/// Code, which is read in each language.
const CODE: &[(&str, &str, &str)] = &[
    ("", "HELPER", ""),
    ("", "IMPORT", ""),
    ("", "STUB", ""),
    ("```LANG\nx = 1\n", "x#\n", "FUNCTION```\n"),
    ("FENCED", "```LANG\nHELPER```\n", ""),
    ("FENCED", "```LANG\nFUNCTIONHELPER```\n", ""),
];

/// Responses with reasoning, and those of judge models.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("", "<think>", ""),
    ("", "</think>\n", ""),
    ("", "```\n<think>\n```\n", ""),
    ("", "</think>\n```\nx = 1\n```\n", ""),
    ("MARKS", "- ```\n  x\n", ""),
    ("", "<|channel|>analysis<|message|>x<|end|>", ""),
    ("", "<|channel|>analysis<|message|>x", ""),
    ("Here is my thought process:\n", "x Here is my response:", ""),
    ("Here is my thought process:\n", "```\nHere is my response:\n```\n", ""),
    ("", "<|im_end|>", ""),
    ("", "<|user|>", ""),
    ("", "<|x|>", ""),
    ("", "|>", ""),
    ("", "```\nx\n```<|user|>\n", ""),
    ("x", "\n<|im_start|>user", "x"),
    ("x `", "\n<|user|>\n", "x"),
    ("<think>\n", "<answer>\n", ""),
    ("<think>\n", "x <answer> ", ""),
    ("<think>\n", "```\n<answer>\n```\n", ""),
    ("<details type=\"reasoning\">\n", "x </details>", ""),
    ("", "</answer>", ""),
    ("x <answer>", "</answer>\n", ""),
    ("", "{", ""),
    ("{\"scores\": {", "\"a\": 1, ", "\"b\": 2}}"),
    ("", "```json\n{\"scores\": {}}\n```\n", ""),
    ("GLUED", "- ```\n", "LONG"),
];

impl Language {
    fn function(&self) -> String {
        format!("{}{}", self.declaration, self.body)
    }

    /// A text of a unit with the words in capitals replaced.
    fn text(&self, text: &str, n: usize) -> String {
        if !text.contains(|c: char| c == '#' || c.is_ascii_uppercase()) {
            return text.to_owned();
        }
        let fenced = || format!("```LANG\n{}```\n", self.function());
        let words: [(&str, &dyn Fn() -> String); 11] = [
            ("#", &|| n.to_string()),
            ("FENCED", &fenced),
            ("FUNCTION", &|| self.function()),
            // Each takes a restart of the reader of fences.
            ("GLUED", &|| "```\nx = 1```\n".repeat(32)),
            ("LONG", &|| "y".repeat(LONGEST_CODE / 2)),
            ("MARKS", &|| "<think> a </think> b </think> c </think> d\n".repeat(5)),
            ("COMMENT", &|| self.comment.to_owned()),
            ("HELPER", &|| (self.helper)(n)),
            ("IMPORT", &|| (self.import)(n)),
            ("STUB", &|| (self.stub)(n)),
            ("LANG", &|| syntax::display::display(self.lang).fences[0].to_owned()),
        ];
        words.iter().fold(text.to_owned(), |text, (word, make)| match text.contains(word) {
            true => text.replace(word, &make()),
            false => text,
        })
    }

    /// A response of the longest length, or some bytes less.
    fn response(&self, (before, unit, after): (&str, &str, &str)) -> String {
        let (mut response, after) = (self.text(before, 0), self.text(after, 0));
        for n in 0.. {
            let next = self.text(unit, n);
            if response.len() + next.len() + after.len() > LONGEST_CODE {
                break;
            }
            response.push_str(&next);
        }
        response + &after
    }

    /// The tasks of a dataset: one, of HumanEval-X if it is continued.
    fn asked(&self, continued: bool) -> Asked {
        let task = Task {
            benchmark: Benchmark::HumanevalX,
            task_id: "T/0".into(),
            prompt: self.declaration.into(),
            declaration: self.declaration.into(),
            import: None,
            docstring: None,
            test: String::new(),
            test_setup: None,
            example_test: String::new(),
            canonical_solution: String::new(),
            source: None,
        };
        let known = KnownTasks {
            tasks: Tasks::new([("T/0".to_owned(), "Text.".to_owned(), self.lang)]),
            wanted: vec![Wanted::of(self.lang, Some(self.declaration.trim_end().trim_end_matches(['{', ':'])))],
            humaneval: if continued { HashMap::from([(0, task)]) } else { HashMap::new() },
        };
        Asked { langs: vec![self.lang], continued, tasks: Some(Arc::new(known)), ..Asked::default() }
    }

    /// Reads a response as an upload, a preview and an import do. `continued`: whether the task is one of HumanEval-X, which a
    /// collection reads in the same way.
    fn upload(&self, continued: bool, response: &str) {
        let line = serde_json::json!({"task_id": "T/0", "code": response}).to_string();
        let asked = self.asked(continued);
        let known = asked.tasks.clone().unwrap();
        let finder = LeakFinder::new(["-1-1"]);
        let mut scan = Scan::of_known(&known, &finder);
        outputs::read_upload("x.jsonl", Cursor::new(line), &asked, |line| {
            assert!(line.is_ok(), "{line:?}");
            scan.push(line);
        });
        assert_eq!(scan.finish(Matching::Auto).matched, 1);
    }
}

/// Reads a response of a unit, and fails if that takes too much memory.
fn check(language: &Language, unit: (&str, &str, &str), read: impl Fn(&str)) {
    let response = language.response(unit);
    assert!((LONGEST_CODE - 1000..=LONGEST_CODE).contains(&response.len()), "{unit:?}: {} bytes", response.len());
    let peak = peak(|| read(&response));
    assert!(peak <= MOST, "{unit:?} in {}: {} KB", language.lang, peak / 1000);
}

#[test]
fn responses_that_repeat_something() {
    for (at, unit) in RESPONSES.iter().enumerate() {
        let language = &LANGUAGES[at % LANGUAGES.len()];
        check(language, *unit, |response| language.upload(true, response));
    }
}

#[test]
fn code_that_repeats_something() {
    for (at, unit) in CODE.iter().enumerate() {
        for (number, language) in LANGUAGES.iter().enumerate() {
            check(language, *unit, |response| language.upload((at + number) % 2 == 0, response));
        }
    }
}

#[test]
fn answers_that_repeat_something() {
    let rubric = formats::bundled::rubric().unwrap();
    for unit in ANSWERS {
        check(&LANGUAGES[0], *unit, |response| drop(judging::read(response, &rubric)));
    }
}
