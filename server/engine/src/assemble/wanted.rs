//! Reads from a dataset's own sources which class the tests require.

use super::{budget::Budget, tree};

/// The name of the method in a signature: `f` in `public int f(int x)`.
pub fn method_of_signature(signature: &str) -> Option<String> {
    let before = signature.split('(').next()?;
    let name = before.split_whitespace().last()?;
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')).then(|| name.to_owned())
}

/// The types that a source imports by name, without static imports and the package of the test interface.
pub fn imports(source: &str) -> Vec<String> {
    let Ok(tree) = tree::parse(source, &mut Budget::default()) else { return Vec::new() };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let names = root.named_children(&mut cursor).filter(|n| n.kind() == "import_declaration");
    let names = names.map(|n| tree::import_name(&source[n.byte_range()]));
    names.filter(|n| !n.ends_with('*') && !n.starts_with("static ") && !n.starts_with("aixgrade.")).collect()
}

/// The names of the methods that an interface of a source declares.
pub fn interface_methods(source: &str, interface: &str) -> Vec<String> {
    let mut budget = Budget::default();
    let Ok(tree) = tree::parse(source, &mut budget) else { return Vec::new() };
    let name =
        |node: tree_sitter::Node<'_>| node.child_by_field_name("name").map(|n| source[n.byte_range()].to_owned());
    let (mut walk, mut methods) = (tree::Walk::new(tree.root_node()), Vec::new());
    while let Ok(Some(node)) = walk.next(&mut budget) {
        if node.kind() == "interface_declaration" && name(node).as_deref() == Some(interface) {
            let members = tree::members(node).into_iter().filter(|member| member.kind() == "method_declaration");
            methods.extend(members.filter_map(name));
        }
    }
    methods
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_required_methods_and_types() {
        let source = "package t; import java.util.List; import java.io.*; import static java.lang.Math.abs; import aixgrade.api.Cases;\npublic class T { public interface Solution { int f(int x); List<String> g(); } interface Other { void h(); } }";
        assert_eq!(interface_methods(source, "Solution"), ["f", "g"]);
        assert_eq!(imports(source), ["java.util.List"]);
        let check = |signature: &str, expected: Option<&str>| {
            assert_eq!(method_of_signature(signature).as_deref(), expected, "{signature}");
        };
        check("public <K,V> Map.Entry<K, V> getEntry(Map<K,V> map, K key)", Some("getEntry"));
        check("int f (int x)", Some("f"));
        check("", None);
    }
}
