//! Makes the image's `java.base` refuse native code to everything that the boot loader did not define.
//!
//! Java binds a native method by name, for any class loader that has loaded a library, and the image must contain the
//! JDK's own libraries. A solution that defines a class under the right name would bind JDK code that writes to any
//! descriptor or skips access checks. Every way to a native library or to a native method's address goes through the
//! methods in [`GUARDED`], so the image puts a call of our `NativeGate` (`java-harness/patch`) in front of each:
//! `NativeGate.check` with the method's first argument.

use super::{
    descriptor::{self, Descriptor},
    edit::{self, Code},
};

/// The class that decides. It has two methods `check`: one takes a `Class`, one a `ClassLoader`.
pub const GATE: &str = "jdk/internal/loader/NativeGate";

/// Classes of `java.base` and their guarded methods. Overloads whose first parameter is a class or a class loader are
/// guarded; each method must have at least one.
pub const GUARDED: &[(&str, &str)] = &[
    // The JVM calls this for every native method that is not registered.
    ("java/lang/ClassLoader", "findNative"),
    // `System.load`, `System.loadLibrary`, and the steps below them.
    ("java/lang/Runtime", "load0"),
    ("java/lang/Runtime", "loadLibrary0"),
    ("java/lang/ClassLoader", "loadLibrary"),
    ("jdk/internal/loader/NativeLibraries", "loadLibrary"),
    // `java.lang.foreign`, in Java 19 and newer: raw memory, and calls of C functions.
    ("jdk/internal/reflect/Reflection", "ensureNativeAccess"),
];

const RENAMED: &str = "$unguarded";

const STATIC: u16 = 0x0008;

/// Puts the gate in front of each overload of `method` whose first parameter is a class or a class loader. `None` if
/// there is no such overload, or if one cannot be guarded.
pub fn guard(class: &[u8], method: &str) -> Option<Vec<u8>> {
    // A method whose parameters cannot be parsed is selected here and rejected below.
    let is_gated =
        |name: &str, kind: &str| name == method && Descriptor::read(kind).is_none_or(|d| gated(&d).is_some());
    edit::in_front(class, RENAMED, is_gated, |names, original| {
        let descriptor = Descriptor::read(original.descriptor)?;
        let gate = names.class(GATE)?;
        let (name, kind) = (names.text("check")?, names.text(&format!("({})V", gated(&descriptor)?))?);
        let check = names.method(gate, name, kind)?;
        forward(&descriptor, original.flags & STATIC != 0, check, original.entry)
    })
}

/// The type of a method's first parameter, if the gate can check it.
fn gated<'a>(descriptor: &Descriptor<'a>) -> Option<&'a str> {
    let first = *descriptor.parameters.first()?;
    ["Ljava/lang/Class;", "Ljava/lang/ClassLoader;"].contains(&first).then_some(first)
}

/// The code that checks the first parameter, calls the original with all parameters, and returns its value.
fn forward(descriptor: &Descriptor<'_>, is_static: bool, check: u16, original: u16) -> Option<Code> {
    let mut slot = u8::from(!is_static);
    let mut code = vec![0x19, slot, 0xb8];
    code.extend(check.to_be_bytes());
    if !is_static {
        code.extend([0x19, 0]);
    }
    for kind in &descriptor.parameters {
        let (load, slots) = descriptor::load(kind);
        code.extend([load, slot]);
        slot = slot.checked_add(slots)?;
    }
    // invokestatic, or invokespecial because the method belongs to the same class.
    code.push(if is_static { 0xb8 } else { 0xb7 });
    code.extend(original.to_be_bytes());
    code.push(descriptor::returns(descriptor.result));
    // Fits the arguments, and a result of two slots.
    let slots = u16::from(slot).max(2);
    Some(Code { stack: slots, locals: slots, bytes: code })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            classfile::{Bytes, Pool},
            edit::Names,
        },
        *,
    };

    /// A class `C` with a field and these methods (flags, name, descriptor), each with an attribute of one byte.
    fn class(methods: &[(u16, &str, &str)]) -> Vec<u8> {
        let mut pool = Names::after(1).unwrap();
        let this = pool.class("C").unwrap();
        let name = pool.text("f").unwrap();
        let mut body = [0x31, this, 0, 0, 1, 0, name, name, 0].map(u16::to_be_bytes).concat();
        body.extend(u16::try_from(methods.len()).unwrap().to_be_bytes());
        for (flags, name, descriptor) in methods {
            let (name, descriptor) = (pool.text(name).unwrap(), pool.text(descriptor).unwrap());
            body.extend([*flags, name, descriptor, 1, name].map(u16::to_be_bytes).concat());
            body.extend([0, 0, 0, 1, 0xaa]);
        }
        body.extend([0, 0]);
        let (next, bytes) = pool.done();
        [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61], &next.to_be_bytes()[..], &bytes, &body].concat()
    }

    /// The methods of a class: flags, name, content of its attribute.
    fn methods(class: &[u8]) -> Vec<(u16, String, Vec<u8>)> {
        let pool = Pool::read(class).unwrap();
        let mut rest = Bytes(pool.rest);
        rest.take(18).unwrap();
        let count = rest.number().unwrap();
        let mut methods = Vec::new();
        for _ in 0..count {
            let (flags, name) = (rest.number().unwrap(), rest.number().unwrap());
            rest.take(6).unwrap();
            let length = u32::from_be_bytes(rest.take(4).unwrap().try_into().unwrap());
            let content = rest.take(length as usize).unwrap().to_vec();
            methods.push((flags, pool.text(name).unwrap().to_owned(), content));
        }
        assert_eq!(rest.0, [0, 0], "nothing but the class's own attributes follows");
        methods
    }

    #[test]
    fn gate_runs_before_the_method() {
        let before = class(&[
            (0x08, "find", "(Ljava/lang/ClassLoader;[[JDLjava/lang/String;)J"),
            (0x20, "find", "(Ljava/lang/Class;Z)V"),
            (0x00, "find", "(Ljava/lang/String;)V"),
            (0x00, "other", "(Ljava/lang/Class;)V"),
        ]);
        let after = methods(&guard(&before, "find").unwrap());
        let names: Vec<(u16, &str)> = after.iter().map(|(flags, name, _)| (*flags, name.as_str())).collect();
        let renamed = [(0x08, "find$unguarded"), (0x20, "find$unguarded"), (0x00, "find"), (0x00, "other")];
        assert_eq!(names[..4], renamed, "an existing method keeps its flags and content");
        assert_eq!(names[4..], [(0x08, "find"), (0x00, "find")], "the synchronized flag stays with the original");
        assert!(after[..4].iter().all(|(_, _, content)| content == &[0xaa]));
        let code = |content: &[u8]| content[8..content.len() - 4].to_vec();
        let [a, b] = [&after[4].2, &after[5].2].map(|content| code(content));
        // aload 0, check, aload 0, aload 1, dload 2, aload 4, call, lreturn.
        assert_eq!(
            (a[..3].to_vec(), a[5..14].to_vec()),
            (vec![0x19, 0, 0xb8], vec![0x19, 0, 0x19, 1, 0x18, 2, 0x19, 4, 0xb8])
        );
        assert_eq!(a.last(), Some(&0xad));
        // aload 1, check, aload 0, aload 1, iload 2, call, return.
        assert_eq!((b[..3].to_vec(), b[5..12].to_vec()), (vec![0x19, 1, 0xb8], vec![0x19, 0, 0x19, 1, 0x15, 2, 0xb7]));
        assert_eq!(b.last(), Some(&0xb1));
    }

    #[test]
    fn rejects_methods_that_cannot_be_guarded() {
        let check = |methods: &[(u16, &str, &str)]| assert_eq!(guard(&class(methods), "find"), None, "{methods:?}");
        check(&[]);
        check(&[(0x08, "lookup", "(Ljava/lang/Class;)V")]);
        // The gate cannot check the first parameter.
        check(&[(0x08, "find", "(Ljava/lang/String;Ljava/lang/Class;)V")]);
        // A native method is bound by its name, so it cannot be renamed.
        check(&[(0x0108, "find", "(Ljava/lang/Class;)V")]);
        let whole = class(&[(0x08, "find", "(Ljava/lang/Class;)V")]);
        assert!(guard(&whole, "find").is_some());
        for cut in 0..whole.len() - 2 {
            assert_eq!(guard(&whole[..cut], "find"), None, "cut at {cut}");
        }
    }
}
