//! Finds missing imports, and decides between types with the same name.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
};

use tree_sitter::Node;

use super::{
    budget::{Budget, Refusal},
    tree::{self, Walk},
};

/// The known types: simple name to full names.
#[derive(Clone, Debug, Default)]
pub struct Index {
    by_name: BTreeMap<String, Vec<String>>,
    packages: HashSet<String>,
}

/// Packages by likelihood; types in other packages come last, by name. `java.util.List` is meant far more
/// often than `java.awt.List`.
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

/// Maximum nesting of types in an import: deeper than in any library, and few steps even for an import that
/// is one long chain of names.
const DEEPEST_TYPE: usize = 16;

/// Types that the dataset's own sources import, by simple name. They decide between types with the same name.
#[derive(Debug, Default)]
pub struct Hints<'a>(HashMap<&'a str, &'a str>);

impl<'a> Hints<'a> {
    /// If several have the same name, the first one counts.
    pub fn new(imports: &'a [String]) -> Hints<'a> {
        let mut hints = HashMap::new();
        for full in imports {
            hints.entry(full.rsplit('.').next().unwrap_or(full)).or_insert(full.as_str());
        }
        Hints(hints)
    }
}

/// Nested types that are usually written without their outer type.
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

    /// The most likely type with this name, with its package.
    pub fn choose(&self, name: &str, hints: &Hints<'_>) -> Option<String> {
        if let Some(hint) = hints.0.get(name) {
            return Some((*hint).to_owned());
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

    /// Whether this is an existing type, or a nested type or static member of one.
    fn has(&self, full: &str) -> bool {
        let mut name = full;
        for _ in 0..DEEPEST_TYPE {
            if self.has_type(name) {
                return true;
            }
            match name.rsplit_once('.') {
                Some((outer, _)) if outer.contains('.') => name = outer,
                _ => return false,
            }
        }
        false
    }

    fn has_type(&self, full: &str) -> bool {
        let name = full.rsplit_once('.').map_or(full, |(_, name)| name);
        self.by_name.get(name).is_some_and(|list| list.iter().any(|f| f == full))
    }

    /// The packages that have a type with this name.
    fn packages_with(&self, name: &str) -> impl Iterator<Item = &str> {
        let types = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        types.iter().filter_map(|full| full.rsplit_once('.').map(|(package, _)| package))
    }

    fn has_package(&self, package: &str) -> bool {
        self.packages.contains(package)
    }
}

/// The names that a text uses, declares and imports.
#[derive(Debug, Default)]
pub struct Needs {
    used: BTreeSet<String>,
    declared: BTreeSet<String>,
    imports: Vec<(Range<usize>, String)>,
}

/// Collects the names of a tree.
///
/// # Errors
///
/// The budget is used up.
pub fn needs(root: Node<'_>, text: &str, budget: &mut Budget<'_>) -> Result<Needs, Refusal> {
    let mut needs = Needs::default();
    let of = |node: Node<'_>| text[node.byte_range()].to_owned();
    let mut walk = Walk::new(root);
    while let Some(node) = walk.next(budget)? {
        match node.kind() {
            "import_declaration" => {
                needs.imports.push((node.byte_range(), tree::import_name(&text[node.byte_range()])))
            }
            "type_parameter" => needs.declared.extend(node.named_child(0).map(of)),
            _ if tree::is_type(node) => needs.declared.extend(node.child_by_field_name("name").map(of)),
            "type_identifier" | "identifier" if is_type_use(&walk, node.kind(), &text[node.byte_range()]) => {
                needs.used.insert(of(node));
            }
            _ => {}
        }
    }
    Ok(needs)
}

/// Whether the current name is in a position where a type can be, and would need an import.
fn is_type_use(walk: &Walk<'_>, kind: &str, name: &str) -> bool {
    let Some(parent) = walk.parent() else { return false };
    match (kind, parent.kind()) {
        // `Map.Entry`: only the first name is looked up.
        ("type_identifier", "scoped_type_identifier") => walk.is_first() && name.starts_with(char::is_uppercase),
        ("type_identifier", _) => true,
        // `Arrays.asList(…)`, `Integer.MAX_VALUE`, `String::valueOf`. A variable can be capitalized too; the index then
        // most likely has no such type.
        ("identifier", "method_invocation" | "field_access") => {
            walk.field() == Some("object") && name.starts_with(char::is_uppercase)
        }
        ("identifier", "method_reference") => walk.is_first() && name.starts_with(char::is_uppercase),
        ("identifier", "marker_annotation" | "annotation") => true,
        _ => false,
    }
}

impl Needs {
    /// Names that nothing in the text declares or imports.
    pub fn missing<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = String> + 'a {
        let imported: HashSet<&str> =
            self.imports.iter().filter_map(|(_, name)| name.rsplit('.').next()).filter(|n| *n != "*").collect();
        let stars: HashSet<&str> = self.imports.iter().filter_map(|(_, name)| name.strip_suffix(".*")).collect();
        // `import java.util.Map.*` can import any name: nested types are not in the index.
        let of_a_type = stars.iter().any(|star| star.contains('.') && index.has(star));
        self.used
            .iter()
            .filter(move |name| {
                let by_star = || of_a_type || index.packages_with(name).any(|package| stars.contains(package));
                !self.declared.contains(*name)
                    && !imported.contains(name.as_str())
                    && !index.has(&format!("java.lang.{name}"))
                    && !by_star()
            })
            .cloned()
    }

    /// Unused imports of types that do not exist.
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
