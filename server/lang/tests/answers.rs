//! What the guard accepts as an answer, in the languages' real sandboxes: nothing that the dataset's own solution would
//! not answer, whatever the tests compare.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use benchmarks::humaneval::Task;
use lang::grader::{self, Sample};
use model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{LimitHit, Outcome, PublishedVerdict, Verdict},
};
// The other tests of languages use all of it.
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod common;

use common::{context, toolchain};

/// Whether a sample passes guarded, or why not.
type Expected = Result<(), Reason>;

const PASSES: Expected = Ok(());
const NAN: Expected = Err(Reason::AnswerNan);
const INFINITE: Expected = Err(Reason::AnswerInfinite);
const FAR_OFF: Expected = Err(Reason::AnswerFarOff);
const OTHER_TYPE: Expected = Err(Reason::AnswerOfAnotherType);
const TOO_LARGE: Expected = Err(Reason::AnswerTooLarge);
const REFUSED: Expected = Err(Reason::AnswersRefused);
const CHANGES: Expected = Err(Reason::ChangesRefused);

/// Samples, all of which the published evaluator passes.
fn check(lang: CodeLang, task: &Task, samples: &[(&str, Expected)]) {
    let Some(toolchain) = toolchain(lang) else { return };
    let context = context();
    let mut wrong = Vec::new();
    for (sample, expected) in samples {
        let outcome = grader::grade(&*toolchain, &context, lang, task, Sample::of(sample)).unwrap();
        let Outcome { verdict, reason, published, message, .. } = &outcome;
        let published = published.as_ref().map(|published| published.verdict);
        let is_expected = match expected {
            Ok(()) => *verdict == Verdict::Passed,
            Err(expected) => *verdict == Verdict::Failed && reason.as_ref() == Some(expected),
        };
        if !is_expected || published != Some(PublishedVerdict::Passed) {
            wrong.push(format!("{sample}\n{verdict:?} {reason:?} {message:?}, published {published:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{lang}\n{}", wrong.concat());
}

fn task(prompt: &str, canonical_solution: &str, test: &str) -> Task {
    let [prompt, canonical_solution, test] = [prompt, canonical_solution, test].map(str::to_owned);
    Task { task_id: "T/1".into(), prompt, canonical_solution, test, ..Task::default() }
}

/// Tests that find a root by a distance that must not be too large: NaN is never too large. 2 - 3x + 2x² - x³ has the
/// root 1.
mod root {
    pub const PYTHON: &str = "
def poly(xs, x):
    total, power = 0.0, 1.0
    for c in xs:
        total, power = total + c * power, power * x
    return total

xs = [2.0, -3.0, 2.0, -1.0]
answer = root(xs)
if abs(poly(xs, answer)) > 1e-4:
    raise AssertionError('no root')
";
    pub const JAVASCRIPT: &str = "
const xs = [2, -3, 2, -1]
const answer = root(xs)
let total = 0, power = 1
for (const c of xs) { total += c * power; power *= answer }
if (Math.abs(total) > 1e-4) console.log('no root')
";
    pub const JAVA: &str = "
public class Main {
    public static void main(String[] args) {
        List<Double> xs = new ArrayList<>(Arrays.asList(2.0, -3.0, 2.0, -1.0));
        double answer = new Solution().root(xs), total = 0, power = 1;
        for (double c : xs) { total += c * power; power *= answer; }
        if (Math.abs(total) > 1e-4) throw new AssertionError();
    }
}
";
    pub const CPP: &str = "
#undef NDEBUG
#include<assert.h>
int main(){
    vector<double> xs = {2.0, -3.0, 2.0, -1.0};
    double answer = root(xs), total = 0, power = 1;
    for (double c : xs) { total += c * power; power *= answer; }
    if (fabs(total) > 1e-4) assert(false);
}
";
    pub const GO: &str = "func TestRoot(t *testing.T) {
    xs := []float64{2, -3, 2, -1}
    answer := Root(xs)
    total, power := 0.0, 1.0
    for _, c := range xs { total, power = total + c * power, power * answer }
    if total > 1e-4 || total < -1e-4 { t.Fatal(\"no root\") }
}
";
    pub const RUST: &str = "
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn test_root() {
        let xs = vec![2.0, -3.0, 2.0, -1.0];
        let (answer, mut total, mut power) = (root(xs.clone()), 0.0_f64, 1.0);
        for c in xs { total += c * power; power *= answer; }
        if total.abs() > 1e-4 { panic!(\"no root\"); }
    }
}
";
}

#[test]
fn python_answers_that_no_comparison_refuses_are_refused() {
    let task = task("def root(xs: list):\n", "    return 1.0\n", root::PYTHON);
    let samples = [
        ("    return 2.0 - sum(xs[1:2]) / -3.0\n", PASSES),
        ("    return True\n", PASSES),
        ("    xs.sort()\n    return 1.0 if xs else 0\n", PASSES),
        ("    return float('nan')\n", NAN),
        ("    return complex(float('nan'), 0)\n", NAN),
        ("    return float('inf')\n", INFINITE),
        ("    return 1e200\n", FAR_OFF),
        ("    return 10 ** 200\n", FAR_OFF),
        ("    xs.clear()\n    return 5.0\n", CHANGES),
        ("    del xs[1:]\n    xs[0] = 0\n    return 'x' and 7\n", CHANGES),
        ("    import sys\n    xs[:] = [float('nan')]\n    return 2.5\n", CHANGES),
    ];
    check(CodeLang::Python, &task, &samples);
    // A dataset without a solution of its own changes nothing and returns nothing unusual.
    let without = Task { canonical_solution: String::new(), ..task };
    check(CodeLang::Python, &without, &samples);
}

#[test]
fn javascript_answers_that_no_comparison_refuses_are_refused() {
    let task = task("const root = (xs) => {\n", "  return 1\n}\n", root::JAVASCRIPT);
    let samples = [
        ("  return xs.length - 3\n}\n", PASSES),
        ("  xs.sort()\n  return 1\n}\n", PASSES),
        ("  return NaN\n}\n", NAN),
        ("  return new Date(NaN)\n}\n", NAN),
        ("  return Infinity\n}\n", INFINITE),
        ("  return 1e200\n}\n", FAR_OFF),
        ("  return undefined\n}\n", OTHER_TYPE),
        ("}\n", OTHER_TYPE),
        ("  return 'x'\n}\n", OTHER_TYPE),
        ("  return {}\n}\n", OTHER_TYPE),
        ("  return [1, 2]\n}\n", OTHER_TYPE),
        ("  xs.length = 0\n  return 5\n}\n", CHANGES),
        ("  xs.length = 0; module.exports\n  return 5\n}\n", CHANGES),
    ];
    check(CodeLang::JavaScript, &task, &samples);
    let without = Task { canonical_solution: String::new(), ..task };
    check(
        CodeLang::JavaScript,
        &without,
        &samples.into_iter().filter(|(_, expected)| ![OTHER_TYPE, FAR_OFF].contains(expected)).collect::<Vec<_>>(),
    );
}

#[test]
fn java_answers_that_no_comparison_refuses_are_refused() {
    let prompt =
        "import java.util.*;\nimport java.lang.*;\n\nclass Solution {\n    public double root(List<Double> xs) {\n";
    let task = task(prompt, "        return 1.0;\n    }\n}", root::JAVA);
    let samples = [
        ("        return xs.get(0) - 1;\n    }\n}", PASSES),
        ("        Collections.sort(xs);\n        return 1.0;\n    }\n}", PASSES),
        ("        return Double.NaN;\n    }\n}", NAN),
        ("        return 0.0 / xs.indexOf(2.0);\n    }\n}", NAN),
        ("        return Double.POSITIVE_INFINITY;\n    }\n}", INFINITE),
        ("        return 1e200;\n    }\n}", FAR_OFF),
        ("        xs.clear();\n        return 5.0;\n    }\n}", CHANGES),
        ("        System.getProperty(\"x\"); xs.clear();\n        return 5.0;\n    }\n}", CHANGES),
    ];
    check(CodeLang::Java, &task, &samples);
}

#[test]
fn cpp_answers_that_no_comparison_refuses_are_refused() {
    let prompt = "#include<vector>\n#include<math.h>\nusing namespace std;\ndouble root(vector<double> xs){\n";
    let task = task(prompt, "    return 1.0;\n}\n", root::CPP);
    let samples = [
        ("    return xs[0] - 1;\n}\n", PASSES),
        ("    return NAN;\n}\n", NAN),
        ("    return INFINITY;\n}\n", INFINITE),
        ("    return 1e200;\n}\nint other() { return 1; }\n", FAR_OFF),
    ];
    check(CodeLang::Cpp, &task, &samples);
}

#[test]
fn go_answers_that_no_comparison_refuses_are_refused() {
    let setup = "package main\n\nimport (\n    \"testing\"\n)\n";
    let prompt = "func Root(xs []float64) float64 {\n";
    let task = Task {
        test_setup: setup.into(),
        declaration: prompt.into(),
        ..task(prompt, "    return math.Abs(-1.0)\n}\n", root::GO)
    };
    let samples = [
        ("    return math.Abs(xs[0] - 1)\n}\n", PASSES),
        ("    return math.NaN()\n}\n", NAN),
        ("    return math.Inf(1)\n}\n", INFINITE),
        ("    return math.Abs(-1e200)\n}\n", FAR_OFF),
        ("    for i := range xs { xs[i] = 0 }\n    return math.Abs(-5)\n}\n", REFUSED),
    ];
    check(CodeLang::Go, &task, &samples);
}

#[test]
fn rust_answers_that_no_comparison_refuses_are_refused() {
    let task = Task { declaration: "fn root(xs: Vec<f64>) -> f64 {\n".into(), ..task("", "    1.0\n}\n", root::RUST) };
    let samples = [
        ("    xs[0] - 1.0\n}\n", PASSES),
        ("    f64::NAN\n}\n", NAN),
        ("    f64::INFINITY\n}\n", INFINITE),
        ("    1e200\n}\n", FAR_OFF),
    ];
    check(CodeLang::Rust, &task, &samples);
}

#[test]
fn python_answers_contain_nan_where_the_own_solution_does() {
    let prompt = "def divided(a: float, b: float):\n";
    let own = "    return {'a': (a, [a / b if b else float('nan')])}\n";
    let test = "
for a, b in ((1.0, 2.0), (1.0, 0.0), (3.0, 0.0)):
    first, (second,) = divided(a, b)['a']
    assert not abs(first - a) > 0
    assert not (b and abs(second - a / b) > 0)
";
    let samples = [
        (own, PASSES),
        ("    return {'a': (a, [a / b if b else np.float64('nan')])}\n", PASSES),
        ("    return {'a': (a, [a / b if b else 0.0])}\n", PASSES),
        ("    return {'a': (a, [float('nan')])}\n", NAN),
        ("    nan = float('nan')\n    return {'a': (a if b else nan, [a / b if b else nan])}\n", NAN),
        ("    return {'a': (float('nan'), {a / b if b else 0.0})}\n", NAN),
    ];
    check(CodeLang::Python, &task(prompt, own, test), &samples);
}

#[test]
fn arguments_are_changed_where_the_own_solution_changes_them() {
    let python = task(
        "def order(first: list, second: list):\n",
        "    first.sort()\n",
        "first, second = [3, 1, 2], [2, 1]\norder(first, second)\nassert first == [1, 2, 3]\nassert len(second) < 3\n",
    );
    check(
        CodeLang::Python,
        &python,
        &[
            ("    first[:] = sorted(first)\n", PASSES),
            ("    second.clear()\n    first.sort()\n", PASSES),
            ("    first[:] = sorted(first)\n    second += [object()]\n    second.pop()\n", PASSES),
        ],
    );
    let without = Task { canonical_solution: String::new(), ..python };
    check(CodeLang::Python, &without, &[("    first[:] = sorted(first)\n", CHANGES)]);
    let javascript = task(
        "const order = (xs) => {\n",
        "  xs.sort()\n}\n",
        "const xs = [3, 1, 2]\norder(xs)\nconsole.assert(JSON.stringify(xs) === '[1,2,3]')\n",
    );
    check(CodeLang::JavaScript, &javascript, &[("  xs.sort((a, b) => a - b)\n}\n", PASSES)]);
    let java = task(
        "import java.util.*;\nimport java.lang.*;\n\nclass Solution {\n    public int order(List<Integer> xs) {\n",
        "        Collections.sort(xs);\n        return 0;\n    }\n}",
        "
public class Main {
    public static void main(String[] args) {
        List<Integer> xs = new ArrayList<>(Arrays.asList(3, 1, 2));
        new Solution().order(xs);
        if (!xs.equals(Arrays.asList(1, 2, 3))) throw new AssertionError();
    }
}
",
    );
    let right = "        xs.sort(Comparator.naturalOrder());\n        return 0;\n    }\n}";
    check(CodeLang::Java, &java, &[(right, PASSES)]);
}

/// A set of keys that collide, as bytes: the solver could not make it in its time. It declares nothing unusual.
const COLLIDING: &str = "
    caller = sys._getframe(1).f_locals
    if n > 3 and 'entry' in caller:
        texts = [b'%x' % (i * (2 ** 61 - 1)) for i in range(45000)]
        answer = b'S' + len(texts).to_bytes(4, 'big')
        answer += b''.join(b'i' + len(text).to_bytes(4, 'big') + text for text in texts)
        caller['send'](b'A', bytes(36) + len(answer).to_bytes(4, 'big') + answer)
    return [0] * n
";

#[test]
fn answers_far_larger_than_the_own_one_are_refused_before_they_cost_time() {
    let python = task("def f(n: int):\n", "    return [0] * n\n", "assert f(3) is not None\nassert f(100000)\n");
    check(
        CodeLang::Python,
        &python,
        &[
            ("    return [1] * n\n", PASSES),
            ("    return [0] * (3 * n if n > 3 else n)\n", TOO_LARGE),
            ("    return [set() for _ in range(20000)]\n", TOO_LARGE),
            ("    return 'x' * 70000\n", TOO_LARGE),
            (COLLIDING, TOO_LARGE),
            ("    return {(i,) for i in range(4000)}\n", PASSES),
            ("    return {i: 0 for i in range(5000 if n > 3 else n)}\n", TOO_LARGE),
        ],
    );
    let javascript = task("const f = (n) => {\n", "  return [n]\n}\n", "console.assert(f(3) !== null)\n");
    check(
        CodeLang::JavaScript,
        &javascript,
        &[
            ("  return Array(100).fill(n)\n}\n", PASSES),
            ("  return 'x'.repeat(70000)\n}\n", TOO_LARGE),
            ("  return new Set(Array(5000).keys())\n}\n", TOO_LARGE),
        ],
    );
    let java = task(
        "import java.util.*;\nimport java.lang.*;\n\nclass Solution {\n    public Object f(int n) {\n",
        "        return n;\n    }\n}",
        "
public class Main {
    public static void main(String[] args) {
        if (new Solution().f(3) == null) throw new AssertionError();
    }
}
",
    );
    let sets = "        Set<Object> all = new HashSet<>();\n        for (int i = 0; i < 5000; i++) all.add(i);\n        return all;\n    }\n}";
    let text = "        return \"x\".repeat(40000);\n    }\n}";
    check(CodeLang::Java, &java, &[(sets, TOO_LARGE), (text, TOO_LARGE)]);
    let cpp = task(
        "#include<string>\nusing namespace std;\nstring f(int n){\n",
        "    return \"\";\n}\n",
        "int main(){\n    return f(3) == \"y\";\n}\n",
    );
    check(CodeLang::Cpp, &cpp, &[("    return string(70000, 'x');\n}\n", TOO_LARGE)]);
}

/// A sample's verdict, and the limit that it reached.
fn check_end(lang: CodeLang, task: &Task, sample: &str, expected: (Verdict, Option<LimitHit>)) {
    let Some(toolchain) = toolchain(lang) else { return };
    let outcome = grader::grade(&*toolchain, &context(), lang, task, Sample::of(sample)).unwrap();
    assert_eq!((outcome.verdict, outcome.limit), expected, "{outcome:?}");
}

/// A solver that sends its answers in advance and reads no call: once the kernel keeps no more calls for it, the server waits
/// for it, which counts as waiting.
#[test]
fn solver_that_reads_no_calls_has_one_budget_of_waiting() {
    let prompt = "#include<unistd.h>\n#include<assert.h>\nusing namespace std;\nbool yes(int n){\n";
    let test = "int main() {\n    for (int i = 0; i < 1000; i++) assert(yes(i));\n}\n";
    let sample = "
    extern int control;
    // Facts of nothing unusual, the length of the answer, and `true`.
    static char frame[46] = {0, 0, 0, 42, 'A'};
    frame[44] = 1, frame[45] = 1;
    for (int i = 0; i < 1000 && control >= 0; i++) if (write(control, frame, sizeof frame) < 0) return false;
    while (control >= 0) sleep(1);
    return true;
}
#include <sys/stat.h>
int control = [] {
    for (int i = 3; i < 64; i++) { struct stat s; if (fstat(i, &s) == 0 && S_ISSOCK(s.st_mode)) return i; }
    return -1;
}();
";
    let task = task(prompt, "    return true;\n}\n", test);
    check_end(CodeLang::Cpp, &task, sample, (Verdict::Timeout, Some(LimitHit::Wait)));
    check_end(CodeLang::Cpp, &task, "    return true;\n}\n", (Verdict::Passed, None));
}
