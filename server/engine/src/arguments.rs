//! Keeps what a solution does to its arguments from published tests, if the method returns a value.
//!
//! Many published tests look at an argument after the call (`Arrays.equals(solution.copy(numbers), numbers)`), so a
//! solution that clears or overwrites its arguments could pass without an answer. A method that returns nothing is asked
//! to change an argument; one that returns a value gets copies (`aixgrade.api.Copies`). The base class of the solutions
//! gets, for each such method, a final one that copies the arguments and calls it, and the tests call that one.

use std::collections::BTreeSet;

use super::{
    classfile::{self, Pool},
    descriptor::{self, Descriptor},
    edit::{self, Code, Names, Original},
    wire::Files,
};

/// Ends the names of the methods that copy. A dataset's methods do not end like this: the character is for compilers.
const SUFFIX: &str = "$copies";

const COPIES: &str = "aixgrade/api/Copies";

/// Types whose objects cannot be changed.
const UNCHANGEABLE: &[&str] = &[
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Class;",
    "Ljava/lang/Double;",
    "Ljava/lang/Float;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Short;",
    "Ljava/lang/String;",
];

/// The classes of a published dataset, changed so that methods of the class `base` that return a value get copies of their
/// arguments from the classes that `is_test` selects. `None` if a class is damaged.
pub fn protect(mut classes: Files, base: &str, is_test: impl Fn(&str) -> bool) -> Option<Files> {
    let Some(bytes) = classes.get(base) else { return Some(classes) };
    let methods = Pool::read(bytes)?.methods()?;
    let meant: BTreeSet<(String, String)> = methods
        .into_iter()
        .filter(|(flags, name, descriptor)| is_meant(*flags, name, descriptor))
        .map(|(_, name, descriptor)| (name.to_owned(), descriptor.to_owned()))
        .collect();
    if meant.is_empty() {
        return Some(classes);
    }
    let changed = edit::under_new_name(bytes, SUFFIX, is_meant, copying)?;
    let internal = base.replace('.', "/");
    for (_, class) in classes.iter_mut().filter(|(name, _)| is_test(name)) {
        *class = edit::redirect(class, &internal, SUFFIX, |name, descriptor| {
            meant.contains(&(name.to_owned(), descriptor.to_owned()))
        })?;
    }
    classes.insert(base.to_owned(), changed);
    Some(classes)
}

/// The method that a test asks a solution for, by the name that the test calls.
pub fn method(called: &str) -> &str {
    called.strip_suffix(SUFFIX).unwrap_or(called)
}

/// Whether a solution has this method and could change what it gets for an answer that it returns.
fn is_meant(flags: u16, name: &str, descriptor: &str) -> bool {
    classfile::can_be_overridden(flags, name)
        && Descriptor::read(descriptor)
            .is_some_and(|d| d.result != "V" && d.parameters.iter().any(|kind| is_changeable(kind)))
}

fn is_changeable(kind: &str) -> bool {
    descriptor::is_reference(kind) && !UNCHANGEABLE.contains(&kind)
}

/// `Copies copies = new Copies(); return (R) copies.back(original((A) copies.of(a, A.class), b, …));`
fn copying(names: &mut Names, of: &Original<'_>) -> Option<Code> {
    let Descriptor { parameters, result } = Descriptor::read(of.descriptor)?;
    let class = names.class(COPIES)?;
    let mut member = |name: &str, descriptor: &str| {
        let (name, descriptor) = (names.text(name)?, names.text(descriptor)?);
        names.method(class, name, descriptor)
    };
    let new = member("<init>", "()V")?;
    let copy = member("of", "(Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;")?;
    let back = member("back", "(Ljava/lang/Object;)Ljava/lang/Object;")?;

    let slots = parameters.iter().try_fold(1_u8, |slots, kind| slots.checked_add(descriptor::load(kind).1))?;
    let mut code = Vec::new();
    let with = |instruction: u8, index: u16| -> Vec<u8> { [&[instruction][..], &index.to_be_bytes()].concat() };
    // new, dup, invokespecial, astore; aload 0.
    code.extend([with(0xbb, class), vec![0x59], with(0xb7, new), vec![0x3a, slots, 0x19, 0]].concat());
    // For an answer that is a reference: below the call's result.
    let returns_reference = descriptor::is_reference(result);
    if returns_reference {
        code.splice(code.len() - 2.., [0x19, slots, 0x19, 0]);
    }
    let mut slot = 1;
    for kind in &parameters {
        let (load, width) = descriptor::load(kind);
        if is_changeable(kind) {
            let class = names.class(internal(kind))?;
            // aload copies, aload argument, ldc_w, invokevirtual, checkcast.
            code.extend(
                [vec![0x19, slots, load, slot], with(0x13, class), with(0xb6, copy), with(0xc0, class)].concat(),
            );
        } else {
            code.extend([load, slot]);
        }
        slot += width;
    }
    code.extend(with(0xb6, of.entry));
    if returns_reference {
        let class = names.class(internal(result))?;
        code.extend([with(0xb6, back), with(0xc0, class)].concat());
    }
    code.push(descriptor::returns(result));
    // The copies, the receiver, the arguments, and what copies the last one; or a result of two slots.
    Some(Code { stack: u16::from(slots) + 4, locals: u16::from(slots) + 1, bytes: code })
}

/// A type's name in a class entry of the constant pool.
fn internal(kind: &str) -> &str {
    kind.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(kind)
}

#[cfg(test)]
mod tests {
    use super::{classfile::PUBLIC, *};

    #[test]
    fn methods_that_return_a_value_get_copies_of_what_can_be_changed() {
        let check = |flags, descriptor, expected| {
            assert_eq!(is_meant(flags, "m", descriptor), expected, "{flags} {descriptor}");
        };
        check(PUBLIC, "([I)[I", true);
        check(PUBLIC | 0x0400, "(ILjava/util/Map;)I", true);
        check(PUBLIC, "(Ljava/lang/Object;)Z", true);
        // Asked to change its argument.
        check(PUBLIC, "([I)V", false);
        check(PUBLIC, "(Ljava/lang/String;J)I", false);
        check(PUBLIC, "()I", false);
        check(PUBLIC | 0x0008, "([I)[I", false);
        check(0, "([I)[I", false);
        assert!(!is_meant(PUBLIC, "<init>", "([I)V"));
    }

    #[test]
    fn arguments_are_copied_before_the_call() {
        let mut names = Names::after(1).unwrap();
        let of = Original { flags: PUBLIC, descriptor: "(J[I)Ljava/util/List;", entry: 9 };
        let code = copying(&mut names, &of).unwrap();
        assert_eq!((code.stack, code.locals), (8, 5));
        let instructions = [
            (0, 0xbb),  // new
            (3, 0x59),  // dup
            (4, 0xb7),  // invokespecial
            (7, 0x3a),  // astore 4
            (9, 0x19),  // aload 4
            (11, 0x19), // aload 0
            (13, 0x16), // lload 1
            (15, 0x19), // aload 4
            (17, 0x19), // aload 3
            (19, 0x13), // ldc_w
            (22, 0xb6), // invokevirtual of
            (25, 0xc0), // checkcast
            (28, 0xb6), // invokevirtual original
            (31, 0xb6), // invokevirtual back
            (34, 0xc0), // checkcast
            (37, 0xb0), // areturn
        ];
        assert!(instructions.iter().all(|(at, instruction)| code.bytes[*at] == *instruction), "{:?}", code.bytes);
        assert_eq!((code.bytes.len(), &code.bytes[29..31]), (38, &[0, 9][..]));
    }

    #[test]
    fn tests_call_the_method_that_copies() {
        assert_eq!((method("copy$copies"), method("copy")), ("copy", "copy"));
        let classes = Files::from([("a.Test".to_owned(), b"no class".to_vec())]);
        assert_eq!(protect(classes.clone(), "a.Base", |_| true), Some(classes), "there is no base class");
    }
}
