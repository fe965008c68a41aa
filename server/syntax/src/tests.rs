//! Formatting of typical model outputs, and properties that must hold for all inputs.

use proptest::prelude::*;

use super::*;

/// Checks the formatted text of a source.
fn check(code: &str, expected: &str) {
    let laid_out = lay_out(code).unwrap_or_else(|| panic!("does not parse: {code}"));
    assert_eq!(laid_out, expected, "\n{laid_out}\n");
    holds(code);
}

/// Checks that tokens are kept, and that formatting again changes nothing.
fn holds(code: &str) {
    let Some(laid_out) = lay_out(code) else { return };
    let before = parse::Parsed::new(&code.replace("\r\n", "\n")).unwrap();
    let after = parse::Parsed::like(&before, &laid_out).unwrap();
    assert_eq!(before.tokens(), after.tokens(), "\n{laid_out}\n");
    assert_eq!(lay_out(&laid_out).as_deref(), Some(laid_out.as_str()), "formatting again changes:\n{laid_out}\n");
}

#[test]
fn every_published_text_keeps_its_tokens() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let outputs = std::fs::read_to_string(checkout.join("src/main/resources/prediction.jsonl")).unwrap();
    let mut laid_out = 0;
    for line in outputs.lines() {
        let output: serde_json::Value = serde_json::from_str(line).unwrap();
        let code = output["code"].as_str().unwrap();
        holds(code);
        laid_out += usize::from(lay_out(code).is_some());
    }
    // The others lack a brace or end in the middle.
    assert_eq!(laid_out, 166);
    let mut folders = vec![checkout.join("src/main/java")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => holds(&std::fs::read_to_string(&path).unwrap()),
            }
        }
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a list of examples")]
fn formats_typical_outputs() {
    check(
        "public int f ( List < String > coll , int [ ] [ ] a ) throws IOException , FooException { \nfor ( int i = 0 ; i < a . length ; i ++ ) { \nif ( ! coll . isEmpty ( ) && - i < 3 ) \nreturn ( int ) a [ i ] [ 0 ] ; \nelse if ( i == 2 ) { \nbreak ; \n} else \ncontinue ; \n} \nreturn a . length > 0 ? a [ 0 ] [ 1 ] : - 1 ; \n} ",
        "\
public int f(List<String> coll, int[][] a) throws IOException, FooException {
    for (int i = 0; i < a.length; i++) {
        if (!coll.isEmpty() && -i < 3)
            return (int) a[i][0];
        else if (i == 2) {
            break;
        } else
            continue;
    }
    return a.length > 0 ? a[0][1] : -1;
}",
    );
    check(
        "@ Override @ SuppressWarnings ( { \"a\" , \"b\" } ) public < T extends Comparable < ? super T > & Cloneable > Map < String , List < T > > f ( final T . . . ts ) { return null ; }"
            .replace(". . .", "...")
            .as_str(),
        "\
@Override
@SuppressWarnings({\"a\", \"b\"})
public <T extends Comparable<? super T> & Cloneable> Map<String, List<T>> f(final T... ts) {
    return null;
}",
    );
    check(
        "Supplier < T > s = ArrayList < T > :: new ; int x = - - y + + + z - -- w ; this . < T > g ( ts ) ;",
        "Supplier<T> s = ArrayList<T>::new;\nint x = - -y + + +z - --w;\nthis.<T>g(ts);",
    );
    check(
        "switch ( x ) { case 1 : case 2 : { f ( ) ; break ; } case 3 : g ( ) ; h ( ) ; default : } int y = switch ( x ) { case A , B -> 1 ; default -> { yield 2 ; } } ;",
        "\
switch (x) {
    case 1:
    case 2: {
        f();
        break;
    }
    case 3:
        g();
        h();
    default:
}
int y = switch (x) {
    case A, B -> 1;
    default -> {
        yield 2;
    }
};",
    );
    check(
        "try ( InputStream in = open ( ) ; OutputStream out = create ( ) ) { copy ( in , out ) ; } catch ( IOException | RuntimeException e ) { } finally { synchronized ( this ) { done = true ; } }",
        "\
try (InputStream in = open(); OutputStream out = create()) {
    copy(in, out);
} catch (IOException | RuntimeException e) {} finally {
    synchronized (this) {
        done = true;
    }
}",
    );
    check(
        "outer : do { i -- ; while ( true ) ; } while ( i > 0 ) ; Runnable r = ( ) -> { go ( ) ; } ; executor . submit ( ( a , b ) -> { return a + b ; } ) ; new Thread ( new Runnable ( ) { @ Override public void run ( ) { } } ) . start ( ) ;",
        "\
outer:
do {
    i--;
    while (true);
} while (i > 0);
Runnable r = () -> {
    go();
};
executor.submit((a, b) -> {
    return a + b;
});
new Thread(new Runnable() {
    @Override
    public void run() {}
}).start();",
    );
    check(
        "package a . b ; import java . util . * ; import static java . lang . Math . max ; public enum E implements I { A ( 1 ) , B { int f ( ) { return 2 ; } } ; private final int x = 1 , y ; E ( ) { this ( 0 ) ; } int f ( ) { return 1 ; } ; record P ( int a , String b ) { } @interface Q { int v ( ) default 3 ; } }",
        "\
package a.b;

import java.util.*;
import static java.lang.Math.max;

public enum E implements I {
    A(1),
    B {
        int f() {
            return 2;
        }
    };

    private final int x = 1, y;

    E() {
        this(0);
    }

    int f() {
        return 1;
    };

    record P(int a, String b) {}

    @interface Q {
        int v() default 3;
    }
}",
    );
}

#[test]
fn breaks_long_lines() {
    check(
        "List < String > names = people . stream ( ) . filter ( p -> p . getAge ( ) > 18 ) . map ( Person :: getName ) . collect ( Collectors . toList ( ) ) ;",
        "\
List<String> names =
        people.stream()
                .filter(p -> p.getAge() > 18)
                .map(Person::getName)
                .collect(Collectors.toList());",
    );
    check(
        "if ( firstCondition . isSatisfiedBy ( candidate ) && secondCondition . isSatisfiedBy ( candidate ) || thirdCondition ) { throw new IllegalArgumentException ( \"The candidate \" + candidate + \" does not satisfy the conditions that were put\" ) ; }",
        "\
if (firstCondition.isSatisfiedBy(candidate) && secondCondition.isSatisfiedBy(candidate)
        || thirdCondition) {
    throw new IllegalArgumentException(
            \"The candidate \" + candidate + \" does not satisfy the conditions that were put\");
}",
    );
    check(
        "private static final int [ ] DAYS = { 31 , 28 , 31 , 30 , 31 , 30 , 31 , 31 , 30 , 31 , 30 , 31 , 31 , 28 , 31 , 30 , 31 , 30 , 31 , 31 , 30 , 31 , 30 , 31 , 100 } ;",
        "\
private static final int[] DAYS = {
    31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
    100
};",
    );
    check(
        "public static HttpURLConnection createHttpConnection ( URL url , int connectTimeout , Map < String , String > requestProperties ) throws IOException { return x == null ? someMethodWithALongName ( connectTimeout , url ) : anotherMethodWithALongName ( requestProperties , url ) ; }",
        "\
public static HttpURLConnection createHttpConnection(
        URL url, int connectTimeout, Map<String, String> requestProperties)
        throws IOException {
    return x == null
            ? someMethodWithALongName(connectTimeout, url)
            : anotherMethodWithALongName(requestProperties, url);
}",
    );
}

#[test]
fn keeps_comments_blank_lines_and_text_blocks() {
    check(
        "/**\n* Says\n   * why.\n */\nint f() { // first\n\n\n\nint a = 1; // one\n/* two */ int b = 2;\n\n// three\nreturn g(a, // the a\nb);\n/* odd\n  one */\n}\nint g() { return 1; }",
        "\
/**
 * Says
 * why.
 */
int f() { // first
    int a = 1; // one
    /* two */ int b = 2;

    // three
    return g(
            a, // the a
            b);
    /* odd
  one */
}

int g() {
    return 1;
}",
    );
    check(
        "class A { String s = \"\"\"\n   a \\\"\"\" b\n     { c\n   \"\"\" ; // end\n /* in */ } // after",
        "\
class A {
    String s = \"\"\"
   a \\\"\"\" b
     { c
   \"\"\"; // end
    /* in */
} // after",
    );
}

#[test]
fn formats_members_and_statements() {
    check("Foo ( int x ) { super ( x ) ; } { y = 1 ; }", "Foo(int x) {\n    super(x);\n}\n\n{\n    y = 1;\n}");
    check("super ( 1 ) ; int x = 2 ;", "super(1);\nint x = 2;");
    check("return x ;", "return x;");
    check("\u{feff}int a;\r\nint b;\r\n", "int a;\nint b;");
}

#[test]
fn reports_why_code_is_not_formatted() {
    let check = |code: &str, remark: Option<Remark>| {
        let view = CodeView { surrounding_text: "said".into(), ..make(code, CodeLang::Java) };
        assert_eq!((view.laid_out.is_none(), view.remark), (remark.is_some(), remark), "{code}");
        assert_eq!(view.surrounding_text, "said");
        let raw: Vec<_> = view.raw.iter().map(model::code::Line::text).collect();
        assert_eq!(raw.join("\n"), code, "the original stays unchanged");
    };
    check("int f ( ) { return 1 ; }", None);
    check("", Some(Remark::Empty));
    check("int f ( ) { return", Some(Remark::Truncated));
    check("int f ( ) return 1 ; }", Some(Remark::DoesNotParse));
    check("} void f ( ) {", Some(Remark::DoesNotParse));
    check("} class Y {", Some(Remark::DoesNotParse));
    check("I am sorry, I cannot do that.", Some(Remark::DoesNotParse));
}

#[test]
fn rest_of_a_method_gets_no_remark() {
    let rest = "        int sum = 0;\n        return sum;\n    }\n\n    int more() {\n        return 1;\n    }\n}";
    let view = make(rest, CodeLang::Java);
    assert_eq!((view.laid_out, view.remark), (None, None));
    let raw: Vec<_> = view.raw.iter().map(model::code::Line::text).collect();
    assert_eq!(raw.join("\n"), rest);
    let cut = rest.strip_suffix("    }\n}").unwrap();
    assert!(make(cut, CodeLang::Java).remark.is_some());
}

#[test]
fn other_languages_are_shown_unformatted() {
    for lang in CodeLang::ALL.into_iter().filter(|lang| *lang != CodeLang::Java) {
        for code in ["    return 1", "x  =  \"a\"  ;", "not code {{{ 中文", "a\n\n\tb  {\n}"] {
            let view = make(code, lang);
            assert_eq!((&view.laid_out, &view.starts, view.remark), (&None, &Vec::new(), None), "{lang}: {code}");
            let raw: Vec<_> = view.raw.iter().map(model::code::Line::text).collect();
            assert_eq!(raw.join("\n"), code, "{lang}");
        }
        assert_eq!(make(" \n", lang).remark, Some(Remark::Empty));
    }
}

#[test]
fn deep_or_long_code_is_not_formatted() {
    let check = |code: String, laid_out: bool| {
        assert_eq!(lay_out(&code).is_some(), laid_out, "{} bytes", code.len());
        holds(&code);
    };
    check(format!("x = {}1{};", "(".repeat(140), ")".repeat(140)), true);
    check(format!("x = {}1{};", "(".repeat(5000), ")".repeat(5000)), false);
    check(format!("{}{}", "{".repeat(5000), "}".repeat(5000)), false);
    check(format!("x = {}1;", "1 + ".repeat(900)), true);
    check(format!("x{};", ".f()".repeat(900)), true);
    check(format!("x = {}1;", "a ? b : ".repeat(900)), true);
    check(format!("{}f();", "if (a) f(); else ".repeat(900)), true);
}

/// Tokens of ordinary Java, to be joined again with any whitespace between them.
const SOURCES: [&str; 3] = [
    "public < T > int f ( List < ? extends T > xs , int [ ] a ) throws E { for ( T x : xs ) { a [ 0 ] += - x . g ( ) ; } return a . length > 1 ? ( int ) 1L : 0x1F ; }",
    "class A < T > extends B implements C , D { @ Q ( v = 1 ) int x = 1 , y [ ] = { 1 , 2 } ; static { f ( ) ; } A ( ) { super ( ) ; } enum E { P , R ; } }",
    "Runnable r = ( ) -> { synchronized ( x ) { i ++ ; } } ; label : while ( ! done ) { if ( a || b && c ) continue label ; else throw new E ( \"a\" , 'c' ) ; } s . map ( A :: b ) . go ( ) ;",
];

proptest! {
    #[test]
    fn whitespace_between_tokens_does_not_matter(
        source in 0..SOURCES.len(),
        gaps in prop::collection::vec("[ \\n\\t]{1,3}", 1..100),
    ) {
        let tokens = SOURCES[source].split(' ').zip(gaps.iter().cycle());
        let spaced: String = tokens.flat_map(|(token, gap)| [token, gap.as_str()]).collect();
        prop_assert!(lay_out(&spaced).is_some(), "{}", spaced);
        holds(&spaced);
    }

    #[test]
    fn truncated_code_is_shown_unformatted(source in 0..SOURCES.len(), end in 1..200_usize) {
        let code = SOURCES[source][..end.min(SOURCES[source].len())].trim_end();
        holds(code);
        let raw: Vec<_> = make(code, CodeLang::Java).raw.iter().map(model::code::Line::text).collect();
        prop_assert_eq!(raw.join("\n"), code);
    }
}

#[test]
fn long_invalid_code_is_abandoned() {
    for unit in ["+ a ", "( a ", "< a , ", "{ ", "? a : ", "a -> ", "if ( a ) { b ( ) ; }\n"] {
        let code = unit.repeat(LONGEST / unit.len());
        let raw: Vec<_> = make(&code, CodeLang::Java).raw.iter().map(model::code::Line::text).collect();
        assert_eq!(raw.join("\n").trim_end(), code.trim_end());
    }
}

#[test]
fn formatted_lines_map_to_the_original() {
    let check = |code: &str, expected: &[(u32, u32)]| {
        let view = make(code, CodeLang::Java);
        let lines = view.laid_out.as_ref().map(|lines| lines.iter().map(model::code::Line::text).collect::<Vec<_>>());
        let starts: Vec<_> = view.starts.iter().map(|at| (at.line, at.column)).collect();
        assert_eq!(starts, expected, "{lines:?}");
    };
    check("int f ( ) { return 1 ; }", &[(1, 1), (1, 13), (1, 24)]);
    check("\u{feff}int f() {\r\n\r\n\treturn 1;\r\n}", &[(1, 2), (3, 2), (4, 1)]);
    check("not java {{{ at all", &[]);
}

#[test]
fn code_with_many_open_brackets_is_not_parsed() {
    for open in ["A<".repeat(300), "A<".repeat(16_000), "f(".repeat(300), "{".repeat(10_000)] {
        for lang in [CodeLang::Java, CodeLang::Cpp, CodeLang::Python] {
            assert!(!parse::is_bearable(&open, lang), "{lang}, {} bytes", open.len());
        }
        assert!(parse::Parsed::new(&open).is_none());
        assert!(!parse::completes_a_method(&open));
    }
}
