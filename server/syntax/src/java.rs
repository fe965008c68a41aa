//! Changes to Java that make a file part of another program.

use model::code_lang::CodeLang;

use crate::{build::children, parse};

/// Java without its package, in which no type at the top level is public. Line breaks stay.
pub fn package_private(code: &str) -> String {
    let Some(tree) = parse::parse(code, CodeLang::Java) else { return code.to_owned() };
    let mut dropped = Vec::new();
    for node in children(tree.root_node()) {
        match node.kind() {
            "package_declaration" => dropped.push(node.byte_range()),
            kind if kind.ends_with("_declaration") => {
                let modifiers = children(node).into_iter().filter(|child| child.kind() == "modifiers");
                let public = modifiers.flat_map(children).filter(|word| word.kind() == "public");
                let has_types = kind != "method_declaration" && kind != "field_declaration";
                dropped.extend(public.filter(|_| has_types).map(|word| word.byte_range()));
            }
            _ => {}
        }
    }
    let (mut out, mut from) = (String::with_capacity(code.len()), 0);
    for range in dropped {
        out.push_str(code.get(from..range.start).unwrap_or_default());
        let after = code.get(range.end..).unwrap_or_default();
        from = range.end + usize::from(after.starts_with(' '));
    }
    out.push_str(code.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_is_public() {
        let check = |code: &str, expected: &str| assert_eq!(package_private(code), expected);
        check(
            "package a.b;\nimport c.D;\npublic final class E { public int f; }\n",
            "\nimport c.D;\nfinal class E { public int f; }\n",
        );
        check("@A(\"all\") public class E {}", "@A(\"all\") class E {}");
        check("    public class E {\n    }\n", "    class E {\n    }\n");
        check(
            "public record P(int a) {}\npublic enum C { A }\npublic interface I {}",
            "record P(int a) {}\nenum C { A }\ninterface I {}",
        );
        check("public abstract class E {}", "abstract class E {}");
        check("public int f() { return 1; }", "public int f() { return 1; }");
    }
}
