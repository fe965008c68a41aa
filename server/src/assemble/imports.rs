//! Which imports a text lacks, and which of several types of a name is meant.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    ops::Range,
};

use tree_sitter::Node;

use super::tree;

/// The types that exist: simple name to full names.
#[derive(Clone, Debug, Default)]
pub struct Index {
    by_name: BTreeMap<String, Vec<String>>,
    packages: HashSet<String>,
}

/// Packages in the order in which people mean them; what is in none of them comes after, by name.
/// `java.util.List` is meant far more often than `java.awt.List`.
const PREFERRED: &[&str] = &[
    "java.util",
    "java.io",
    "java.util.function",
    "java.util.stream",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "java.util.regex",
    "java.math",
    "java.text",
    "java.time",
    "java.time.format",
    "java.time.temporal",
    "java.nio.file",
    "java.nio.file.attribute",
    "java.nio.charset",
    "java.nio",
    "java.nio.channels",
    "java.net",
    "java.net.http",
    "java.lang.reflect",
    "java.lang.annotation",
    "java.lang.management",
    "java.lang.invoke",
    "java.security",
    "java.util.zip",
    "java.util.jar",
    "java.util.logging",
    "javax.crypto",
    "javax.crypto.spec",
    "java.sql",
    "java.awt",
    "java.awt.image",
    "java.awt.geom",
    "javax.imageio",
];

/// Nested types that people write without their outer one.
const NESTED: &[(&str, &str)] =
    &[("Entry", "java.util.Map.Entry"), ("StandardCharsets", "java.nio.charset.StandardCharsets")];

impl Index {
    /// An index over full names of top-level types.
    pub fn new(types: impl IntoIterator<Item = String>) -> Index {
        let mut index = Index::default();
        for full in types {
            if let Some((package, name)) = full.rsplit_once('.') {
                index.packages.insert(package.to_owned());
                index.by_name.entry(name.to_owned()).or_default().push(full.clone());
            }
        }
        index
    }

    /// The type of this name that is most likely meant, with its package. `hints` are imports that
    /// stand in the dataset's own sources.
    pub fn choose(&self, name: &str, hints: &[String]) -> Option<String> {
        let of_name = |hint: &&String| hint.rsplit('.').next() == Some(name);
        if let Some(hint) = hints.iter().find(of_name) {
            return Some(hint.clone());
        }
        let candidates = self.by_name.get(name);
        let rank = |full: &&String| {
            let package = full.rsplit_once('.').map_or("", |(package, _)| package);
            let place = PREFERRED.iter().position(|p| *p == package);
            // Then the dataset's own helpers and libraries, then the rest of the JDK.
            let jdk = package.starts_with("java.") || package.starts_with("javax.") || package.starts_with("org.");
            (place.unwrap_or(PREFERRED.len() + usize::from(jdk)), full.len())
        };
        let best = candidates.and_then(|list| list.iter().min_by_key(rank)).cloned();
        best.or_else(|| NESTED.iter().find(|(n, _)| *n == name).map(|(_, full)| (*full).to_owned()))
    }

    fn has(&self, full: &str) -> bool {
        let (package, name) = full.rsplit_once('.').unwrap_or(("", full));
        self.by_name.get(name).is_some_and(|list| list.iter().any(|f| f == full))
            // A nested type or a static member of one that is there.
            || package.rsplit_once('.').is_some() && self.has(package)
    }

    fn has_package(&self, package: &str) -> bool {
        self.packages.contains(package)
    }
}

/// What a text names, declares and imports.
#[derive(Debug, Default)]
pub struct Needs {
    used: BTreeSet<String>,
    declared: BTreeSet<String>,
    imports: Vec<(Range<usize>, String)>,
}

/// Reads a text's needs off its tree.
pub fn needs(root: Node<'_>, text: &str) -> Needs {
    let mut needs = Needs::default();
    let of = |node: Node<'_>| text[node.byte_range()].to_owned();
    for node in tree::walk(root) {
        match node.kind() {
            "import_declaration" => {
                needs.imports.push((node.byte_range(), tree::import_name(&text[node.byte_range()])))
            }
            "type_parameter" => needs.declared.extend(node.named_child(0).map(of)),
            _ if tree::is_type(node) => needs.declared.extend(node.child_by_field_name("name").map(of)),
            "type_identifier" | "identifier" if is_type_use(node, &text[node.byte_range()]) => {
                needs.used.insert(of(node));
            }
            _ => {}
        }
    }
    needs
}

/// Whether a name stands where a type must or may stand and no import can be avoided.
fn is_type_use(node: Node<'_>, name: &str) -> bool {
    let Some(parent) = node.parent() else { return false };
    let first = || parent.named_child(0).is_some_and(|n| n.id() == node.id());
    match (node.kind(), parent.kind()) {
        // `Map.Entry`: only the first name is looked up.
        ("type_identifier", "scoped_type_identifier") => first() && name.starts_with(char::is_uppercase),
        ("type_identifier", _) => true,
        // `Arrays.asList(…)`, `Integer.MAX_VALUE`, `String::valueOf`; a variable may have a capital too,
        // and then the index most likely knows no such type.
        ("identifier", "method_invocation" | "field_access") => {
            parent.child_by_field_name("object").is_some_and(|o| o.id() == node.id())
                && name.starts_with(char::is_uppercase)
        }
        ("identifier", "method_reference") => first() && name.starts_with(char::is_uppercase),
        ("identifier", "marker_annotation" | "annotation") => true,
        _ => false,
    }
}

impl Needs {
    /// Names that nothing in the text brings in.
    pub fn missing<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = String> + 'a {
        let imported: HashSet<&str> =
            self.imports.iter().filter_map(|(_, name)| name.rsplit('.').next()).filter(|n| *n != "*").collect();
        let stars: Vec<&str> = self.imports.iter().filter_map(|(_, name)| name.strip_suffix(".*")).collect();
        self.used
            .iter()
            .filter(move |name| {
                let by_star = || stars.iter().any(|package| index.has(&format!("{package}.{name}")));
                !self.declared.contains(*name)
                    && !imported.contains(name.as_str())
                    && !index.has(&format!("java.lang.{name}"))
                    && !by_star()
            })
            .cloned()
    }

    /// Imports of what is not there and is not used either.
    pub fn useless(&self, index: &Index) -> Vec<(Range<usize>, String)> {
        let useless = |name: &str| {
            let full = name.trim_start_matches("static ");
            match full.strip_suffix(".*") {
                Some(package) => !index.has_package(package) && !index.has(package),
                None => !index.has(full) && full.rsplit('.').next().is_some_and(|simple| !self.used.contains(simple)),
            }
        };
        self.imports.iter().filter(|(_, name)| useless(name)).cloned().collect()
    }
}
