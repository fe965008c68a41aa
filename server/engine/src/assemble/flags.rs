//! Warnings: code in a model's text that a person should check. Warnings decide nothing: honest code calls
//! `exit` too, and hostile code evades any list. The sandbox provides the protection.

use model::reason::{Flag, Sign};
use tree_sitter::Node;

use super::{
    budget::{Budget, Refusal},
    tree::Walk,
};

/// A sign, and a test whether a node shows it.
type Shown = (Sign, fn(Node<'_>, &str) -> bool);

/// Packages of the harness and of the published tests.
const HARNESS: [&str; 2] = ["aixgrade.", "com.aixcode.autoTest.evaluation"];

/// Unix folders that no task uses.
const HOST: [&str; 11] = ["/proc", "/sys", "/dev", "/etc", "/root", "/home", "/usr", "/lib", "/bin", "/boot", "/var"];

const SIGNS: &[Shown] = &[
    (Sign::Exit, |n, t| {
        is_call(n, t, Some("System"), "exit") || is_call(n, t, None, "halt") || is_call(n, t, Some("Runtime"), "exit")
    }),
    (Sign::Process, |n, t| {
        is_name(n, t, "ProcessBuilder") || is_call(n, t, None, "exec") && n.child_by_field_name("object").is_some()
    }),
    (Sign::Native, |n, t| {
        is_call(n, t, None, "loadLibrary")
            || is_call(n, t, Some("System"), "load")
            || is_name(n, t, "Unsafe")
            || n.kind() == "string_fragment" && t[n.byte_range()].ends_with(".Unsafe")
            || n.kind() == "native"
    }),
    (Sign::Reflection, |n, t| {
        is_name(n, t, "StackWalker")
            || is_call(n, t, None, "getStackTrace")
            || is_call(n, t, None, "getAllStackTraces")
            || is_name(n, t, "AbstractBaseEvaluation")
            || ["setAccessible", "getDeclaringClass", "getModule"].iter().any(|name| is_call(n, t, None, name))
            || n.kind() == "string_fragment" && HARNESS.iter().any(|name| t[n.byte_range()].contains(name))
            // Only the outermost name: such names nest, each containing the text of the inner ones.
            || n.kind() == "scoped_type_identifier" && HARNESS.iter().any(|name| t[n.byte_range()].starts_with(name))
    }),
    (Sign::Descriptor, |n, t| is_name(n, t, "FileDescriptor") || is_call(n, t, None, "inheritedChannel")),
    (Sign::Host, |n, t| {
        n.kind() == "string_fragment"
            && HOST.iter().any(|folder| {
                // The folder itself, or a path below it; "/devices" is neither.
                t[n.byte_range()].strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }),
    (Sign::Network, |n, t| {
        ["Socket", "ServerSocket", "DatagramSocket", "SocketChannel"].iter().any(|name| is_name(n, t, name))
    }),
    (Sign::Defaults, |n, t| {
        ["setDefault", "setProperty", "setOut", "setErr", "setIn"].iter().any(|name| is_call(n, t, None, name))
            && n.child_by_field_name("object")
                .is_some_and(|o| ["System", "Locale", "TimeZone", "Security"].contains(&t[o.byte_range()].trim()))
    }),
    (Sign::Equals, |n, t| {
        n.kind() == "method_declaration"
            && n.child_by_field_name("name").is_some_and(|name| &t[name.byte_range()] == "equals")
            && n.child_by_field_name("parameters").is_some_and(|p| p.named_child_count() == 1)
    }),
    (Sign::Threads, |n, t| {
        n.kind() == "object_creation_expression"
            && n.child_by_field_name("type").is_some_and(|name| &t[name.byte_range()] == "Thread")
    }),
];

/// Maximum number of warnings of one kind.
const MOST_OF_A_KIND: usize = 3;

/// The warnings of a text and its tree.
///
/// # Errors
///
/// The budget is used up.
pub fn find(text: &str, root: Node<'_>, budget: &mut Budget<'_>) -> Result<Vec<Flag>, Refusal> {
    let mut flags: Vec<Flag> = Vec::new();
    let mut walk = Walk::new(root);
    while let Some(node) = walk.next(budget)? {
        for (sign, shows) in SIGNS {
            if flags.iter().filter(|f| f.sign == *sign).count() < MOST_OF_A_KIND && shows(node, text) {
                let line = u32::try_from(node.start_position().row + 1).ok();
                flags.push(Flag { line, sign: sign.clone() });
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
    fn risky_code_gets_warnings() {
        let check = |code: &str, expected: &[(Sign, u32)]| {
            let mut budget = Budget::default();
            let tree = tree::parse(code, &mut budget).unwrap();
            let found = find(code, tree.root_node(), &mut budget).unwrap();
            let found: Vec<_> = found.into_iter().map(|f| (f.sign, f.line.unwrap_or(0))).collect();
            assert_eq!(found, expected, "{code}");
        };
        check("int f() {\n  System . exit ( 0 ) ;\n}", &[(Sign::Exit, 2)]);
        check("int f() { Runtime.getRuntime().halt(1); }", &[(Sign::Exit, 1)]);
        check("int f() {\n return new ProcessBuilder(\"x\").start();\n}", &[(Sign::Process, 2)]);
        check("public boolean equals(Object o) { return true; }", &[(Sign::Equals, 1)]);
        check("public boolean equals(double a, double b, double e) { return a == b; }", &[]);
        check("native int f();", &[(Sign::Native, 1)]);
        check("Class<?> c = Class.forName(\"sun.misc.Unsafe\");", &[(Sign::Native, 1)]);
        check("void f(Field f) { f.setAccessible(true); }", &[(Sign::Reflection, 1)]);
        check(
            "String a = \"/etc\", b = \"/etc/passwd\", c = \"/devices\", d = \"/a/dev/b\";",
            &[(Sign::Host, 1), (Sign::Host, 1)],
        );
        check("Object f() { return System.inheritedChannel(); }", &[(Sign::Descriptor, 1)]);
        check("int f() { Locale.setDefault(null); }", &[(Sign::Defaults, 1)]);
        check("int f() { return list.get(0); }", &[]);
    }
}
