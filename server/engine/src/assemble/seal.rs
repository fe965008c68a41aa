//! Hides a test class of our own format from the solutions that it tests.
//!
//! A solution implements an interface nested in its test class, so the class must be public when the solution is
//! compiled. Everything else in it that a solution can name could reveal answers: `cases`, called with a collector of
//! the solution's own, data in static fields, and constants, which the compiler copies into the solution. Therefore the
//! classes that solutions are compiled against and those that run are both compiled from a rewritten test class. In
//! both, the members of the class lose `public` and `protected`, and so do the static fields of types nested in it, at
//! any depth. An interface cannot hide its constants, so an interface with constants is hidden itself. Nested types,
//! their constructors, methods, instance fields and enum constants stay unchanged, because solutions may need them. At
//! run time the class itself is hidden, too: in a named module that opens nothing, no other module can then call it.

use tree_sitter::Node;

use super::{budget::Budget, text::Edits, tree};

/// The interface that solutions implement, as the format defines it.
const SOLUTION: &str = "Solution";

/// The source of the classes that solutions are compiled against. `None` if it cannot be parsed.
pub fn for_compiling(source: &str) -> Option<String> {
    sealed(source, false)
}

/// The source of the classes that run, with the same lines. `None` if it cannot be parsed.
pub fn for_running(source: &str) -> Option<String> {
    sealed(source, true)
}

fn sealed(source: &str, with_class: bool) -> Option<String> {
    let tree = tree::parse(source, &mut Budget::default()).ok()?;
    let mut edits = Edits::default();
    let mut hide = |declaration: Node<'_>| {
        for word in ["public", "protected"] {
            if let Some(node) = tree::modifier(declaration, source, word) {
                edits.blank(node.byte_range());
            }
        }
    };
    let is_named = |node: Node<'_>, name: &str| {
        node.child_by_field_name("name").is_some_and(|n| source.get(n.byte_range()) == Some(name))
    };
    let root = tree.root_node();
    let mut cursor = root.walk();
    for class in root.named_children(&mut cursor).filter(|n| n.kind() == "class_declaration") {
        let members = tree::members(class);
        if !members.iter().any(|m| m.kind() == "method_declaration" && is_named(*m, "cases")) {
            continue;
        }
        if with_class {
            hide(class);
        }
        let (mut nested, own): (Vec<Node<'_>>, Vec<Node<'_>>) = members.into_iter().partition(|m| tree::is_type(*m));
        own.into_iter().for_each(&mut hide);
        while let Some(inner) = nested.pop() {
            let members = tree::members(inner);
            if members.iter().any(|m| m.kind() == "constant_declaration") && !is_named(inner, SOLUTION) {
                hide(inner);
            }
            for member in members {
                if tree::is_type(member) {
                    nested.push(member);
                } else if member.kind() == "field_declaration" && tree::modifier(member, source, "static").is_some() {
                    hide(member);
                }
            }
        }
    }
    Some(edits.apply(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_the_test_class_and_leaves_its_nested_types() {
        let check = |before: &str, compiling: &str, running: &str| {
            assert_eq!(for_compiling(before).unwrap(), compiling);
            assert_eq!(for_running(before).unwrap(), running);
        };
        check(
            "public class T {\n  public interface Solution { int f(); }\n  public static void cases(Cases<Solution> c) {}\n  public static int x = 1;\n}",
            "public class T {\n  public interface Solution { int f(); }\n   static void cases(Cases<Solution> c) {}\n   static int x = 1;\n}",
            " class T {\n  public interface Solution { int f(); }\n   static void cases(Cases<Solution> c) {}\n   static int x = 1;\n}",
        );
        let helper = "public class Helper { public int f() { return 1; } }";
        check(helper, helper, helper);
    }

    #[test]
    fn hides_static_data_of_nested_types_at_any_depth() {
        let check = |before: &str, after: &str| {
            let around = |inner: &str| format!("class T {{ static void cases(Cases<Solution> c) {{}} {inner} }}");
            assert_eq!(for_compiling(&around(before)).unwrap(), around(after));
        };
        check(
            "public static class A { public static final int X = 1; public final int y = 2; public A(int y) {} public static int f() { return X; } }",
            "public static class A {  static final int X = 1; public final int y = 2; public A(int y) {} public static int f() { return X; } }",
        );
        check(
            "public record R(int a) { protected static int[] b = {1}; public static class In { public static int c; } }",
            "public record R(int a) {  static int[] b = {1}; public static class In {  static int c; } }",
        );
        check(
            "public enum E { ONE, TWO; public static final E BEST = TWO; }",
            "public enum E { ONE, TWO;  static final E BEST = TWO; }",
        );
        // The solution's own interface keeps its constants visible.
        check("public interface Limits { int MOST = 42; }", " interface Limits { int MOST = 42; }");
        check(
            "public interface Solution { int MOST = 42; int f(); }",
            "public interface Solution { int MOST = 42; int f(); }",
        );
    }

    #[test]
    fn unparsable_text_is_not_sealed() {
        assert_eq!(for_running(&"(".repeat(1_000)), None);
    }
}
