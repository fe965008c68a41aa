//! Hides a test class of our own format from the solution that it tests.
//!
//! A solution implements an interface nested in its test class, so at compile time the class must be
//! public. At run time that would let a solution call `cases` with a collector of its own and read
//! every expected value. So what runs is compiled from a sealed text: the class and its members lose
//! `public` and `protected`, while nested types keep theirs; in a named module that opens nothing,
//! nobody else can then call them.

use super::{text::Edits, tree};

/// The sealed text; the same lines.
pub fn seal(source: &str) -> String {
    let Some(tree) = tree::parse(source) else { return source.to_owned() };
    let mut edits = Edits::default();
    let root = tree.root_node();
    let mut cursor = root.walk();
    for class in root.named_children(&mut cursor).filter(|n| n.kind() == "class_declaration") {
        let members = tree::members(class);
        let is_test = members.iter().any(|m| {
            m.kind() == "method_declaration"
                && m.child_by_field_name("name").is_some_and(|n| &source[n.byte_range()] == "cases")
        });
        if !is_test {
            continue;
        }
        let hidden = members.iter().filter(|m| !tree::is_type(**m)).chain(std::iter::once(&class));
        for declaration in hidden {
            for word in ["public", "protected"] {
                if let Some(node) = tree::modifier(*declaration, source, word) {
                    edits.blank(node.byte_range());
                }
            }
        }
    }
    edits.apply(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_the_test_class_and_leaves_its_nested_types() {
        let check = |before: &str, after: &str| assert_eq!(seal(before), after);
        check(
            "public class T {\n  public interface Solution { int f(); }\n  public static void cases(Cases<Solution> c) {}\n  public static int x = 1;\n}",
            " class T {\n  public interface Solution { int f(); }\n   static void cases(Cases<Solution> c) {}\n   static int x = 1;\n}",
        );
        check(
            "public class Helper { public int f() { return 1; } }",
            "public class Helper { public int f() { return 1; } }",
        );
    }
}
