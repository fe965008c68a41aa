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

#[test]
fn makes_a_class_of_what_models_write() {
    let check = |target: &Target, text: &str, expected: &str, kinds: &[&str]| {
        let made = assemble(text, target, &index()).unwrap();
        assert_eq!(made.source, expected);
        let found: Vec<_> = made.changes.iter().map(|c| c.kind.as_str()).collect();
        assert_eq!(found, kinds, "{text}");
    };
    // A bare method, spaced out by a tokenizer, with a missing import.
    check(
        &base(),
        "public int f ( int x ) {\nreturn Arrays . asList ( x ) . size ( ) ;\n}  ",
        "package p;\nimport java.util.Arrays;\npublic class S1 extends q.Base {\npublic int f ( int x ) {\nreturn Arrays . asList ( x ) . size ( ) ;\n}  \n}\n",
        &["wrap", "import"],
    );
    // Static, as is its helper that calls it.
    check(
        &base(),
        "static int f(int x) { return g(x); }\nprivate static int g(int x) { return f(x); }\nstatic int h() { return 1; }",
        "package p;\npublic class S1 extends q.Base {\npublic  int f(int x) { return g(x); }\nprivate  int g(int x) { return f(x); }\nstatic int h() { return 1; }\n}\n",
        &["wrap", "static", "static"],
    );
    // A modifier that hides it, and an annotation.
    check(
        &base(),
        "@Override protected static int f(int x) { return x; }",
        "package p;\npublic class S1 extends q.Base {\n@Override public  int f(int x) { return x; }\n}\n",
        &["wrap", "public", "static"],
    );
    // A class with a package and a name of its own, and a second public class.
    check(
        &interface(),
        "package mine;\nimport java.util.*;\npublic class Mine {\n  Mine() {}\n  public int f(int x) { return new Mine().g(); }\n  int g() { List<String> l = null; return 1; }\n}\npublic class Other {}",
        "\nimport java.util.*;\npublic class Output implements t.T.Solution {\n  Output() {}\n  public int f(int x) { return new Output().g(); }\n  int g() { List<String> l = null; return 1; }\n}\n class Other {}\n",
        &["package", "rename", "public", "implements"],
    );
    // A chat answer.
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
        &["wrap"],
    );
    // An import of something that is not there and is not used.
    check(
        &base(),
        "import org.x.Y;\npublic class A extends Base {\n public int f(int x) { return x; }\n}",
        "package p;\n\npublic class S1 extends q.Base {\n public int f(int x) { return x; }\n}\n",
        &["rename", "import_left_out"],
    );
}

#[test]
fn chooses_the_type_that_people_mean() {
    let check = |name: &str, expected: Option<&str>| {
        assert_eq!(index().choose(name, &base().hints).as_deref(), expected, "{name}");
    };
    check("List", Some("java.util.List"));
    check("Date", Some("java.util.Date"));
    check("Type", Some("java.lang.reflect.Type"));
    check("Point", Some("java.awt.Point"));
    check("Entry", Some("java.util.Map.Entry"));
    check("Nowhere", None);
}

#[test]
fn maps_lines_back_to_the_models_own() {
    let made = assemble("\n\npublic int f(int x) {\n  return Arrays.hashCode(x)\n}", &base(), &index()).unwrap();
    let line = made.source.lines().position(|l| l.contains("hashCode")).unwrap() + 1;
    assert_eq!(made.line(u32::try_from(line).unwrap()), Some(4));
    assert_eq!(made.line(1), None);
    assert_eq!(made.line(99), None);
}

#[test]
fn refuses_what_holds_no_code() {
    let check = |text: &str| assert!(assemble(text, &base(), &index()).is_err(), "{text:?}");
    check("");
    check(" \n\t");
    check("```java\n```");
    check(&"x".repeat(LONGEST + 1));
}

#[test]
fn takes_any_text_without_failing() {
    // As long as they may be would take minutes in a development build: the parser's recovery from
    // nonsense is quadratic.
    let deep = "(".repeat(20_000);
    let nested = "class A {".repeat(2_000);
    for text in
        [deep.as_str(), nested.as_str(), "}}}}", "public class", "\u{0}\u{1}", "@", "/*", "\"", "class A extends"]
    {
        let _ = assemble(text, &base(), &index());
        let _ = assemble(text, &interface(), &index());
    }
}

#[test]
fn nonsense_is_given_up_after_bounded_work() {
    let check = |text: &str, taken: bool| {
        let answer = assemble(text, &base(), &index());
        assert_eq!(answer.is_ok(), taken, "{:.40}… ({} bytes): {:?}", text, text.len(), answer.as_ref().err());
    };
    // Much that is in order, and a little that is not.
    check(&"public int f(int x) { return x + 1; }\n".repeat(2_000), true);
    check(&"if (x > (1 { [ < ".repeat(20), true);
    check(&format!("public int f(int x) {{ return {}x{}; }}", "(".repeat(200), ")".repeat(200)), true);
    // Broken all the way, at lengths over which the parser would take minutes.
    check(&"if (x > (((1 { [ < \"".repeat(20_000), false);
    check(&"{ ( [ < a".repeat(50_000), false);
    check(&"(".repeat(300_000), false);
}
