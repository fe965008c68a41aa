//! Texts with a prompt of their own, which can put anything before the task's function, and texts that lie in wait for the
//! outputs after them. The other hostile texts are files in `fixtures/lang`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use lang::grader::{self, Sample};
use model::{code_lang::CodeLang, run::Verdict};

mod common;

use common::{context, toolchain};

/// Grades texts with their prompts, none of which may pass; afterwards, these texts must pass.
fn check(lang: CodeLang, hostile: &[(&str, &str)], right: &[&str]) {
    let Some(toolchain) = toolchain(lang) else { return };
    let (task, context) = ((lang::language(lang).unwrap().trials.task)(), context());
    let verdict = |prompt: Option<&str>, text: &str| {
        let sample = Sample { prompt, ..Sample::of(text) };
        let outcome = grader::grade(&*toolchain, &context, lang, &task, sample).unwrap();
        (outcome.verdict, outcome.message)
    };
    for (prompt, text) in hostile {
        let found = verdict(Some(prompt), text);
        assert_ne!(found.0, Verdict::Passed, "{lang}: {prompt}{text}");
        // Nothing of it is left for the next one.
        for text in right {
            assert_eq!(verdict(None, text).0, Verdict::Passed, "{lang}: {text}\nafter {prompt}");
        }
    }
}

#[test]
fn java_texts_in_packages_of_others_change_nothing() {
    let twice = "class Solution {\n    public int twice(int number) {\n";
    let end = "        return 0;\n    }\n}\n";
    let prompts = [
        format!("package java.util;\nclass ArrayList<E> {{ public int size() {{ return 7; }} }}\n{twice}"),
        format!("package java.lang;\nclass Integer {{ }}\nclass AssertionError {{ }}\n{twice}"),
        format!(
            "package aixgrade.programs;\nclass Values {{ static Object call(Object... given) {{ return 4; }} }}\n{twice}"
        ),
        format!("import java.util.*;\nimport java.util.Nowhere;\nimport static java.lang.Nothing.*;\n{twice}"),
        format!("package java;\nclass util {{ static class List {{ }} }}\n{twice}"),
    ];
    let hostile: Vec<(&str, &str)> = prompts.iter().map(|prompt| (prompt.as_str(), end)).collect();
    let right = [
        "        return number * 2;\n    }\n}\n",
        "        List<Integer> all = new ArrayList<>(List.of(number, number));\n        int sum = 0;\n        \
         for (Integer each : all) {\n            sum += each;\n        }\n        return sum;\n    }\n}\n",
    ];
    check(CodeLang::Java, &hostile, &right);
}

#[test]
fn go_texts_with_imports_of_their_own_pass_by_no_trick() {
    let hostile = [
        ("import \"runtime\"\n\nfunc Double(number int) int {\n", "    runtime.Goexit()\n    return 0\n}\n"),
        (
            "import _ \"embed\"\n\n//go:embed main_test.go\nvar source string\n\nfunc Double(number int) int {\n",
            "    return len(source)\n}\n",
        ),
        (
            "import \"runtime/debug\"\n\nfunc Double(number int) int {\n",
            "    debug.SetMaxStack(1)\n    defer func() { recover() }()\n    return Double(number + 1)\n}\n",
        ),
        (
            "import (\n    \"os\"\n    \"syscall\"\n)\n\nfunc Double(number int) int {\n",
            "    for fd := 0; fd < 64; fd++ {\n        syscall.Close(fd)\n    }\n    os.Exit(0)\n    return 0\n}\n",
        ),
        (
            "import (\n    \"reflect\"\n    other \"testing\"\n)\n\nvar Runs = other.Verbose\n\nfunc Double(number int) int {\n",
            "    return int(reflect.ValueOf(other.AllocsPerRun).Pointer() & 1)\n}\n\nfunc init() { other.Init() }\n",
        ),
    ];
    check(CodeLang::Go, &hostile, &["    return number * 2\n}\n"]);
}

#[test]
fn rust_texts_with_attributes_of_the_crate_pass_by_no_trick() {
    let hostile = [
        (
            "#![no_main]\nfn twice(number: i32) -> i32 {\n",
            "    number\n}\n#[no_mangle]\npub extern \"C\" fn main() -> i32 { 0 }\n",
        ),
        ("#![cfg(not(test))]\nfn twice(number: i32) -> i32 {\n", "    number\n}\n"),
        ("#![cfg_attr(test, cfg(any()))]\nfn main() {}\nfn twice(number: i32) -> i32 {\n", "    number\n}\n"),
        (
            "#![feature(custom_test_frameworks)]\n#![test_runner(run)]\nfn run(_: &[&()]) {}\nfn twice(number: i32) -> i32 {\n",
            "    number\n}\n",
        ),
        ("#![crate_type = \"lib\"]\nfn twice(number: i32) -> i32 {\n", "    number\n}\n"),
        (
            "const SOURCE: &str = include_str!(concat!(\"/program/\", \"main.rs\"));\nfn twice(number: i32) -> i32 {\n",
            "    SOURCE.len() as i32\n}\n",
        ),
    ];
    check(CodeLang::Rust, &hostile, &["    number * 2\n}\n"]);
}

#[test]
fn cpp_texts_with_directives_before_the_function_pass_by_no_trick() {
    let function = "int twice(int number){\n";
    let prompts = [
        "#include <assert.h>\n#pragma push_macro(\"assert\")\n#define NDEBUG\n".to_owned(),
        "#define main(...) unused() { return 0; } int main()\n".to_owned(),
        "#define AIXGRADE_ANY\nnamespace aixgrade { static int descriptor = 0; }\n".to_owned(),
        "namespace std { template <class T> struct decay { typedef char type; }; }\n".to_owned(),
        "#line 1 \"/program/other.cpp\"\n#pragma GCC system_header\n#pragma GCC dependency \"/etc/passwd\"\n"
            .to_owned(),
        "__asm__(\".pushsection .init_array\\n.quad _exit\\n.popsection\");\n".to_owned(),
        "__asm__(\".macro call target\\n.endm\");\n".to_owned(),
    ];
    let prompts: Vec<String> = prompts.iter().map(|prompt| format!("{prompt}{function}")).collect();
    let hostile: Vec<(&str, &str)> = prompts.iter().map(|prompt| (prompt.as_str(), "    return 0;\n}\n")).collect();
    check(CodeLang::Cpp, &hostile, &["    return number * 2;\n}\n"]);
}

#[test]
fn python_and_javascript_texts_with_code_before_the_function_pass_by_no_trick() {
    let python = [
        ("import builtins\nbuiltins.AssertionError = SystemExit\ndef double(number):\n", "    raise SystemExit(0)\n"),
        ("import sys\nclass Modules(dict): pass\nsys.modules = Modules()\ndef double(number):\n", "    return 0\n"),
        (
            "import sys, types\ncheck = types.ModuleType('check')\nsys.modules[__builtins__['__name__']] = check\n\
             def double(number):\n",
            "    return 0\n",
        ),
        (
            "import sys\nsys.set_int_max_str_digits(640)\nsys.setrecursionlimit(60)\ndef double(number):\n",
            "    return 0\n",
        ),
        (
            "import gc, sys\nfor each in gc.get_objects():\n    if callable(each) and getattr(each, '__name__', '') in \
             ('publish', 'solver', 'send', 'receive', 'load', 'dump_answer'):\n        each.__code__ = (lambda *a, **k: \
             None).__code__ if not each.__closure__ else each.__code__\ndef double(number):\n",
            "    return 0\n",
        ),
    ];
    check(
        CodeLang::Python,
        &python,
        &["    return number * 2\n", "    import math\n    return int(math.fsum([number, number]))\n"],
    );
    let javascript = [
        (
            "Object.defineProperty(Object.prototype, 'a', { get: () => [4, -2] })\nconst double = (number) => {\n",
            "  return {}\n}\n",
        ),
        ("Number.prototype.valueOf = () => 4\nconst double = (number) => {\n", "  return new Number(0)\n}\n"),
        (
            "JSON.stringify = () => '4'\nJSON.parse = () => ({ a: [2] })\nconst double = (number) => {\n",
            "  return 4\n}\n",
        ),
        ("require('module').prototype._compile = () => {}\nconst double = (number) => {\n", "  return 0\n}\n"),
        ("process.stdout.write = process.stderr.write = () => true\nconst double = (number) => {\n", "  return 0\n}\n"),
    ];
    check(CodeLang::JavaScript, &javascript, &["  return number * 2\n}\n"]);
}
