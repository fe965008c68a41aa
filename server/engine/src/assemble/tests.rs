use super::*;

fn index() -> Index {
    let types = [
        "java.awt.List",
        "java.awt.Point",
        "java.io.IOException",
        "java.lang.Integer",
        "java.lang.String",
        "java.lang.System",
        "java.util.ArrayList",
        "java.util.Arrays",
        "java.util.Date",
        "java.sql.Date",
        "java.util.List",
        "java.util.Map",
        "java.lang.reflect.Type",
        "java.util.stream.Collectors",
    ];
    Index::new(types.map(str::to_owned))
}

fn base() -> Target {
    Target {
        package: "p".into(),
        class: "S1".into(),
        extends: Some("q.Base".into()),
        implements: None,
        methods: vec!["f".into()],
        signature: Some("public int f(int x)".into()),
        hints: vec!["java.lang.reflect.Type".into()],
    }
}

fn interface() -> Target {
    Target {
        package: String::new(),
        class: "Output".into(),
        extends: None,
        implements: Some("t.T.Solution".into()),
        ..base()
    }
}

/// The name of a change's kind in JSON.
fn kind(change: &Change) -> String {
    serde_json::to_value(change).unwrap()["kind"].as_str().unwrap().to_owned()
}

#[test]
fn assembles_typical_outputs() {
    let check = |target: &Target, text: &str, expected: &str, kinds: &[&str]| {
        let made = assemble(text, target, &index(), &mut Budget::default()).unwrap();
        assert_eq!(made.source, expected);
        let found: Vec<_> = made.changes.iter().map(kind).collect();
        assert_eq!(found, kinds, "{text}");
    };
    // A bare method, spaced out by a tokenizer, with a missing import.
    check(
        &base(),
        "public int f ( int x ) {\nreturn Arrays . asList ( x ) . size ( ) ;\n}  ",
        "package p;\nimport java.util.Arrays;\npublic class S1 extends q.Base {\npublic int f ( int x ) {\nreturn Arrays . asList ( x ) . size ( ) ;\n}  \n}\n",
        &["wrap", "import"],
    );
    // A static method and a static helper that calls it.
    check(
        &base(),
        "static int f(int x) { return g(x); }\nprivate static int g(int x) { return f(x); }\nstatic int h() { return 1; }",
        "package p;\npublic class S1 extends q.Base {\npublic  int f(int x) { return g(x); }\nprivate  int g(int x) { return f(x); }\nstatic int h() { return 1; }\n}\n",
        &["wrap", "static", "static_caller"],
    );
    // An access modifier, and an annotation.
    check(
        &base(),
        "@Override protected static int f(int x) { return x; }",
        "package p;\npublic class S1 extends q.Base {\n@Override public  int f(int x) { return x; }\n}\n",
        &["wrap", "public", "static"],
    );
    // A class with its own package and name, and a second public class.
    check(
        &interface(),
        "package mine;\nimport java.util.*;\npublic class Mine {\n  Mine() {}\n  public int f(int x) { return new Mine().g(); }\n  int g() { List<String> l = null; return 1; }\n}\npublic class Other {}",
        "\nimport java.util.*;\npublic class Output implements t.T.Solution {\n  public Output() {}\n  public int f(int x) { return new Output().g(); }\n  int g() { List<String> l = null; return 1; }\n}\n class Other {}\n",
        &["package", "rename", "one_public_class", "implements", "constructor"],
    );
    // A chat response.
    check(
        &base(),
        "Sure!\n```java\nimport java.util.List;\nint f(int x) { return x; }\n```\nEnjoy.",
        "package p;\nimport java.util.List;\npublic class S1 extends q.Base {\n\n\n\npublic int f(int x) { return x; }\n}\n",
        &["fence", "wrap"],
    );
    // A bare body.
    check(
        &base(),
        "return x + 1;",
        "package p;\npublic class S1 extends q.Base {\npublic int f(int x) {\nreturn x + 1;\n}\n}\n",
        &["wrap_body"],
    );
    // An unused import of a missing type.
    check(
        &base(),
        "import org.x.Y;\npublic class A extends Base {\n public int f(int x) { return x; }\n}",
        "package p;\n\npublic class S1 extends q.Base {\n public int f(int x) { return x; }\n}\n",
        &["rename", "import_left_out"],
    );
}

/// Tests of another package create the objects.
#[test]
fn constructors_without_arguments_become_public() {
    let check = |constructor: &str, expected: &str| {
        let text = format!("public final class Helper {{ {constructor} public int f(int x) {{ return x; }} }}");
        let made = assemble(&text, &base(), &index(), &mut Budget::default()).unwrap();
        let class = format!("class S1 extends q.Base {{ {expected} public int");
        assert!(made.source.contains(&class), "{constructor}: {}", made.source);
        let published = made.changes.iter().filter(|change| kind(change) == "constructor").count();
        assert_eq!(published, usize::from(constructor.replace("Helper", "S1") != expected), "{constructor}");
    };
    check("private Helper() {}", "public S1() {}");
    check("protected Helper() {}", "public S1() {}");
    check("Helper(/* nothing */) {}", "public S1(/* nothing */) {}");
    check("@Deprecated Helper() {}", "@Deprecated public S1() {}");
    check("@Deprecated private Helper() throws Exception {}", "@Deprecated public S1() throws Exception {}");
    check("public Helper() {}", "public S1() {}");
    check("private Helper(int x) {}", "private S1(int x) {}");
    check("static class Inner { private Inner() {} }", "static class Inner { private Inner() {} }");
}

#[test]
fn chooses_the_most_likely_type() {
    let check = |name: &str, expected: Option<&str>| {
        assert_eq!(index().choose(name, &Hints::new(&base().hints)).as_deref(), expected, "{name}");
    };
    check("List", Some("java.util.List"));
    check("Date", Some("java.util.Date"));
    check("Type", Some("java.lang.reflect.Type"));
    check("Point", Some("java.awt.Point"));
    check("Entry", Some("java.util.Map.Entry"));
    check("Nowhere", None);
}

#[test]
fn maps_lines_back_to_the_models_text() {
    let made = assemble(
        "\n\npublic int f(int x) {\n  return Arrays.hashCode(x)\n}",
        &base(),
        &index(),
        &mut Budget::default(),
    )
    .unwrap();
    let line = made.source.lines().position(|l| l.contains("hashCode")).unwrap() + 1;
    assert_eq!(made.line(u32::try_from(line).unwrap()), Some(4));
    assert_eq!(made.line(1), None);
    assert_eq!(made.line(99), None);
}

#[test]
fn rejects_text_without_code() {
    let check = |text: &str| assert!(assemble(text, &base(), &index(), &mut Budget::default()).is_err(), "{text:?}");
    check("");
    check(" \n\t");
    check("```java\n```");
    check(&"x".repeat(LONGEST + 1));
}

#[test]
fn any_text_is_handled() {
    // Texts of the maximum length would take minutes in a development build, because the parser's error
    // recovery is quadratic.
    let deep = "(".repeat(20_000);
    let nested = "class A {".repeat(2_000);
    for text in
        [deep.as_str(), nested.as_str(), "}}}}", "public class", "\u{0}\u{1}", "@", "/*", "\"", "class A extends"]
    {
        let _ = assemble(text, &base(), &index(), &mut Budget::default());
        let _ = assemble(text, &interface(), &index(), &mut Budget::default());
    }
}

#[test]
fn invalid_text_is_abandoned_after_bounded_work() {
    let check = |text: &str, taken: bool| {
        let answer = assemble(text, &base(), &index(), &mut Budget::default());
        assert_eq!(answer.is_ok(), taken, "{:.40}… ({} bytes): {:?}", text, text.len(), answer.as_ref().err());
    };
    // Mostly valid code with a few errors.
    check(&"public int f(int x) { return x + 1; }\n".repeat(2_000), true);
    check(&"if (x > (1 { [ < ".repeat(20), true);
    check(&format!("public int f(int x) {{ return {}x{}; }}", "(".repeat(200), ")".repeat(200)), true);
    // Completely broken, at lengths for which the parser would take minutes.
    check(&"if (x > (((1 { [ < \"".repeat(20_000), false);
    check(&"{ ( [ < a".repeat(50_000), false);
    check(&"(".repeat(300_000), false);
}

/// Compares the steps for each of these texts at one length and at twice that length: they double.
#[test]
fn work_is_linear_in_the_text() {
    let steps = |text: &str, target: &Target| {
        let mut budget = Budget::default();
        let answer = assemble(text, target, &index(), &mut budget);
        assert!(answer.is_ok(), "{:.60}… ({} bytes): {:?}", text, text.len(), answer.err());
        budget.spent()
    };
    let check = |what: &str, text: &dyn Fn(usize) -> String| {
        for target in [&base(), &interface()] {
            let (single, double) = (steps(&text(2_000), target), steps(&text(4_000), target));
            assert!(double <= single * 9 / 4, "{what}: {single} steps, then {double}");
        }
    };
    let body = |inside: String| format!("public int f(int a) {{ {inside} }}");
    check("a long sum", &|n| body(format!("return {}a;", "a+".repeat(n))));
    check("a chain of calls", &|n| body(format!("return a{};", ".b()".repeat(n))));
    check("a long type", &|n| body(format!("{}X x;", "a.".repeat(n))));
    check("unary operators", &|n| body(format!("return {}a;", "-~".repeat(n))));
    check("ternaries", &|n| body(format!("return {}a;", "a>0?a:".repeat(n))));
    check("else if", &|n| body(format!("{}{{}}", "if(a>0){}else ".repeat(n))));
    check("labels", &|n| body(format!("{}return a;", "x:".repeat(n))));
    check("a giant method", &|n| body("a = System.out.hashCode();\n".repeat(n)));
    check("comments between", &|n| body(format!("return a{}.b();", " /**/".repeat(n))));
    check("static methods that call each other", &|n| "static int f(int a) { return f(a); }\n".repeat(n));
    check("a static method and its callers", &|n| {
        format!("static int f(int a) {{ return a; }}\n{}", "static int g(int a) { return f(a); }\n".repeat(n))
    });
    check("imports of unknown types", &|n| {
        (0..n).map(|i| format!("import x.Y{i};\n")).collect::<String>() + "int f(int x) {}"
    });
    check("wildcard imports and names", &|n| {
        let imports: String = (0..n).map(|i| format!("import x.y{i}.*;\n")).collect();
        let names: String = (0..n).map(|i| format!("Y{i} y{i};\n")).collect();
        format!("{imports}int f(int x) {{ {names} }}")
    });
    check("classes", &|n| (0..n).map(|i| format!("class C{i} {{ C{i} c; }}\n")).collect());
    check("one import of many parts", &|n| format!("import {}X;\nint f(int x) {{}}", "a.".repeat(n)));
}

#[test]
fn a_long_sum_is_assembled_within_its_budget() {
    let text = format!("public int f(int a) {{ return {}a; }}", "a+".repeat(60_000));
    let mut budget = Budget::default();
    assemble(&text, &base(), &index(), &mut budget).unwrap();
    // A few dozen per byte, including the parser's own.
    assert!(budget.spent() < 40 * text.len() as u64, "{} steps for {} bytes", budget.spent(), text.len());
}

#[test]
fn each_static_method_is_recorded_once() {
    let made =
        assemble(&"static int f(int a) { return f(a); }\n".repeat(50), &base(), &index(), &mut Budget::default());
    assert_eq!(made.unwrap().changes.iter().filter(|change| kind(change) == "static").count(), 50);
}

#[test]
fn cancelled_run_ends_an_assembly() {
    let cancelled = std::sync::atomic::AtomicBool::new(false);
    let text = "public int f(int x) { return x; }\n".repeat(500);
    assert!(assemble(&text, &base(), &index(), &mut Budget::until(&cancelled)).is_ok());
    cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let ended = assemble(&text, &base(), &index(), &mut Budget::until(&cancelled));
    assert_eq!(ended.err(), Some(Refusal::Cancelled));
}

#[test]
fn refusals_name_the_limit() {
    let check = |text: &str, budget: &mut Budget<'_>, refusal: Refusal, limit: Option<LimitHit>| {
        let found = assemble(text, &base(), &index(), budget).map(|_| "a class").unwrap_err();
        assert_eq!((found, found.limit()), (refusal, limit));
    };
    check("", &mut Budget::default(), Refusal::NoCode, None);
    check(&"x".repeat(LONGEST + 1), &mut Budget::default(), Refusal::TooLong, None);
    check(&"(".repeat(300), &mut Budget::default(), Refusal::TooDeep, Some(LimitHit::Steps));
    // Used up during parsing, and in each later walk.
    let text = "public static int f(int x) { return f(x); }\n".repeat(50);
    let mut whole = Budget::default();
    assemble(&text, &base(), &index(), &mut whole).unwrap();
    for tenth in 0..10 {
        let mut budget = Budget::of(whole.spent() * tenth / 10);
        check(&text, &mut budget, Refusal::TooManySteps, Some(LimitHit::Steps));
    }
}

/// For each open `<`, the parser keeps another interpretation of everything after it.
#[test]
fn text_full_of_open_brackets_is_not_parsed() {
    for text in ["A<".repeat(5_000), "A<;".repeat(5_000), "A<B->".repeat(5_000)] {
        let refusal = assemble(&text, &base(), &index(), &mut Budget::default()).map(|_| "a class");
        assert_eq!(refusal, Err(Refusal::TooDeep), "{:.20}", text);
    }
    let loops = "for (int i = 0; i < n && i < 9; i++) { List<Map<A, B>> l = null; }\n".repeat(500);
    let text = format!("int f(int n) {{ {loops} return n; }}");
    assemble(&text, &base(), &index(), &mut Budget::default()).unwrap();
}

#[test]
fn parsing_ends_with_its_cpu_time() {
    // The parser's recovery needs few steps for this, but each takes long.
    let text = format!("int f(int a) {{ return {}", "}!".repeat(200));
    let refusal = assemble(&text, &base(), &index(), &mut Budget::without_cpu()).map(|_| "a class").unwrap_err();
    assert_eq!((refusal, refusal.limit()), (Refusal::TooMuchCpu, Some(LimitHit::Cpu)));
}
