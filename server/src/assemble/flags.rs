//! What in a model's text a person should look at. Flags decide nothing: honest code calls `exit`
//! too, and hostile code finds ways past any list. Containment is the sandbox's work.

use app::model::run::Flag;
use tree_sitter::Node;

use super::{
    budget::{Budget, Refusal},
    tree::Walk,
};

/// What is looked for: a flag's kind, what it means, and whether a node shows it.
type Sign = (&'static str, &'static str, fn(Node<'_>, &str) -> bool);

/// Packages of the harness and of the published tests.
const HARNESS: [&str; 2] = ["aixgrade.", "com.aixcode.autoTest.evaluation"];

/// Folders of a Unix host that no task is about.
const HOST: [&str; 11] = ["/proc", "/sys", "/dev", "/etc", "/root", "/home", "/usr", "/lib", "/bin", "/boot", "/var"];

const SIGNS: &[Sign] = &[
    ("exit", "ends the JVM", |n, t| {
        is_call(n, t, Some("System"), "exit") || is_call(n, t, None, "halt") || is_call(n, t, Some("Runtime"), "exit")
    }),
    ("process", "starts a process", |n, t| {
        is_name(n, t, "ProcessBuilder") || is_call(n, t, None, "exec") && n.child_by_field_name("object").is_some()
    }),
    ("native", "reaches for native code", |n, t| {
        is_call(n, t, None, "loadLibrary")
            || is_call(n, t, Some("System"), "load")
            || is_name(n, t, "Unsafe")
            || n.kind() == "string_fragment" && t[n.byte_range()].ends_with(".Unsafe")
            || n.kind() == "native"
    }),
    ("reflection", "looks at its surroundings by reflection", |n, t| {
        is_name(n, t, "StackWalker")
            || is_call(n, t, None, "getStackTrace")
            || is_call(n, t, None, "getAllStackTraces")
            || is_name(n, t, "AbstractBaseEvaluation")
            || ["setAccessible", "getDeclaringClass", "getModule"].iter().any(|name| is_call(n, t, None, name))
            || n.kind() == "string_fragment" && HARNESS.iter().any(|name| t[n.byte_range()].contains(name))
            // Only where it begins: such names lie within each other, each with the text of all within.
            || n.kind() == "scoped_type_identifier" && HARNESS.iter().any(|name| t[n.byte_range()].starts_with(name))
    }),
    ("descriptor", "uses file descriptors", |n, t| {
        is_name(n, t, "FileDescriptor") || is_call(n, t, None, "inheritedChannel")
    }),
    ("host", "looks at the host's files", |n, t| {
        n.kind() == "string_fragment"
            && HOST.iter().any(|folder| {
                // The folder itself, or something in it; "/devices" is neither.
                t[n.byte_range()].strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }),
    ("network", "opens sockets", |n, t| {
        ["Socket", "ServerSocket", "DatagramSocket", "SocketChannel"].iter().any(|name| is_name(n, t, name))
    }),
    ("defaults", "changes defaults of the whole JVM", |n, t| {
        ["setDefault", "setProperty", "setOut", "setErr", "setIn"].iter().any(|name| is_call(n, t, None, name))
            && n.child_by_field_name("object")
                .is_some_and(|o| ["System", "Locale", "TimeZone", "Security"].contains(&t[o.byte_range()].trim()))
    }),
    ("equals", "has an `equals` of its own, which a test could be asked to trust", |n, t| {
        n.kind() == "method_declaration"
            && n.child_by_field_name("name").is_some_and(|name| &t[name.byte_range()] == "equals")
            && n.child_by_field_name("parameters").is_some_and(|p| p.named_child_count() == 1)
    }),
    ("threads", "starts threads", |n, t| {
        n.kind() == "object_creation_expression"
            && n.child_by_field_name("type").is_some_and(|name| &t[name.byte_range()] == "Thread")
    }),
];

/// At most so many flags of one kind: the first says it.
const MOST_OF_A_KIND: usize = 3;

/// The flags of a text and its tree.
///
/// # Errors
/// The budget is spent.
pub fn find(text: &str, root: Node<'_>, budget: &mut Budget<'_>) -> Result<Vec<Flag>, Refusal> {
    let mut flags: Vec<Flag> = Vec::new();
    let mut walk = Walk::new(root);
    while let Some(node) = walk.next(budget)? {
        for (kind, detail, shows) in SIGNS {
            if flags.iter().filter(|f| f.kind == *kind).count() < MOST_OF_A_KIND && shows(node, text) {
                let line = u32::try_from(node.start_position().row + 1).ok();
                flags.push(Flag { kind: (*kind).into(), line, detail: (*detail).into() });
            }
        }
    }
    Ok(flags)
}

fn is_call(node: Node<'_>, text: &str, object: Option<&str>, name: &str) -> bool {
    node.kind() == "method_invocation"
        && node.child_by_field_name("name").is_some_and(|n| &text[n.byte_range()] == name)
        && object.is_none_or(|want| {
            node.child_by_field_name("object").is_some_and(|o| text[o.byte_range()].starts_with(want))
        })
}

fn is_name(node: Node<'_>, text: &str, name: &str) -> bool {
    matches!(node.kind(), "identifier" | "type_identifier") && &text[node.byte_range()] == name
}

#[cfg(test)]
mod tests {
    use super::{super::tree, *};

    #[test]
    fn every_sign_has_its_chinese_words() {
        use app::i18n::runs::{EN, ZH};
        for (kind, detail, _) in SIGNS {
            let flag = Flag { kind: (*kind).into(), line: None, detail: (*detail).into() };
            assert_eq!(EN.flag(&flag), *detail);
            assert_ne!(ZH.flag(&flag), *detail, "{kind}");
        }
    }

    #[test]
    fn sees_what_a_person_should_look_at() {
        let check = |code: &str, expected: &[(&str, u32)]| {
            let mut budget = Budget::default();
            let tree = tree::parse(code, &mut budget).unwrap();
            let found = find(code, tree.root_node(), &mut budget).unwrap();
            let found: Vec<_> = found.into_iter().map(|f| (f.kind, f.line.unwrap_or(0))).collect();
            let expected: Vec<_> = expected.iter().map(|(k, l)| ((*k).to_owned(), *l)).collect();
            assert_eq!(found, expected, "{code}");
        };
        check("int f() {\n  System . exit ( 0 ) ;\n}", &[("exit", 2)]);
        check("int f() { Runtime.getRuntime().halt(1); }", &[("exit", 1)]);
        check("int f() {\n return new ProcessBuilder(\"x\").start();\n}", &[("process", 2)]);
        check("public boolean equals(Object o) { return true; }", &[("equals", 1)]);
        check("public boolean equals(double a, double b, double e) { return a == b; }", &[]);
        check("native int f();", &[("native", 1)]);
        check("Class<?> c = Class.forName(\"sun.misc.Unsafe\");", &[("native", 1)]);
        check("void f(Field f) { f.setAccessible(true); }", &[("reflection", 1)]);
        check(
            "String a = \"/etc\", b = \"/etc/passwd\", c = \"/devices\", d = \"/a/dev/b\";",
            &[("host", 1), ("host", 1)],
        );
        check("Object f() { return System.inheritedChannel(); }", &[("descriptor", 1)]);
        check("int f() { Locale.setDefault(null); }", &[("defaults", 1)]);
        check("int f() { return list.get(0); }", &[]);
    }
}
