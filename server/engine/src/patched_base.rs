//! Patches the JDK's `java.base` for the images: opens some packages to our modules and guards native code.
//!
//! The harness opens a file descriptor by its number and creates a module for the tests. Java has no public API for the
//! first and only a slow one for the second. `--add-opens` would work too, but with it a JVM resolves its modules at
//! every start instead of loading them from its archive, which takes longer than a small program runs.
//!
//! The gate in front of native code is in [`native_gate`].

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    classfile::{Bytes, Pool},
    native_gate::{self, GUARDED},
};

/// The prefix of a `jmod` file: a signature and the format's version. A zip archive follows.
const SIGN: &[u8; 4] = b"JM\x01\x00";

const DESCRIPTION: &str = "classes/module-info.class";

/// Copies a JDK's `java.base.jmod`. Opens each of the packages (written with slashes) to a module, adds the compiled
/// class `gate`, and calls it from everything in [`GUARDED`].
///
/// # Errors
///
/// Fails if a file cannot be read or written, or if this JDK's `java.base` lacks a method that must be guarded: no
/// image is built without the gate.
pub fn copy(jmod: &Path, target: &Path, opened: &[(&str, &str)], gate: &[u8]) -> io::Result<()> {
    let none = || io::Error::other(format!("the module {} has no readable descriptor", jmod.display()));
    let mut source = ZipArchive::new(BufReader::new(File::open(jmod)?))?;
    let mut file = BufWriter::new(File::create(target)?);
    file.write_all(SIGN)?;
    // Offsets in an archive count from its first byte, so it is built separately from the signature.
    let mut copy = ZipWriter::new(io::Cursor::new(Vec::new()));
    let mut guarded = 0;
    for at in 0..source.len() {
        let mut entry = source.by_index(at)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let class = name.strip_prefix("classes/").and_then(|name| name.strip_suffix(".class")).unwrap_or_default();
        let methods: Vec<&str> = GUARDED.iter().filter(|(of, _)| *of == class).map(|(_, method)| *method).collect();
        if name != DESCRIPTION && methods.is_empty() {
            copy.raw_copy_file(entry)?;
            continue;
        }
        let mut class = Vec::new();
        entry.read_to_end(&mut class)?;
        if name == DESCRIPTION {
            for (package, module) in opened {
                class = open(&class, package, module).ok_or_else(none)?;
            }
        }
        for method in methods {
            class = native_gate::guard(&class, method).ok_or_else(|| unguarded(&name, method))?;
            guarded += 1;
        }
        copy.start_file(name, SimpleFileOptions::default())?;
        copy.write_all(&class)?;
    }
    if guarded != GUARDED.len() {
        return Err(unguarded("java.base", "that loads native code"));
    }
    copy.start_file(format!("classes/{}.class", native_gate::GATE), SimpleFileOptions::default())?;
    copy.write_all(gate)?;
    file.write_all(copy.finish()?.get_ref())?;
    file.flush()
}

fn unguarded(class: &str, method: &str) -> io::Error {
    io::Error::other(format!(
        "this JDK cannot be used: native code cannot be closed to solutions, because {class} has no method {method} of \
         the known form. Name the folder of another JDK, such as OpenJDK 17, in AIXGRADE_JDK"
    ))
}

/// Adds an `opens … to …` to a module descriptor (`module-info.class`); `None` if the bytes are not one.
///
/// Java Virtual Machine Specification, 4.7.25. Entries are appended to the constant pool, so that existing indexes
/// remain valid.
fn open(class: &[u8], package: &str, module: &str) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let next = u16::try_from(pool.entries.len()).ok()?;
    let (package_at, module_at) = (next.checked_add(1)?, next.checked_add(3)?);
    let text = |text: &str| Some([&[1], &u16::try_from(text.len()).ok()?.to_be_bytes()[..], text.as_bytes()].concat());
    let names = [
        text(package)?,
        [&[20], &next.to_be_bytes()[..]].concat(),
        text(module)?,
        [&[19], &(next + 2).to_be_bytes()[..]].concat(),
    ];
    let old_names = class.get(10..class.len() - pool.rest.len())?;
    let mut made = [&class[..8], &next.checked_add(4)?.to_be_bytes()[..], old_names, &names.concat()].concat();

    // Flags, class, superclass; no interfaces, fields or methods.
    let mut rest = Bytes(pool.rest);
    made.extend(rest.take(12)?);
    let attributes = rest.number()?;
    made.extend(attributes.to_be_bytes());
    let mut found = false;
    for _ in 0..attributes {
        let name = rest.number()?;
        let length = u32::from_be_bytes(rest.take(4)?.try_into().ok()?);
        let mut body = rest.take(usize::try_from(length).ok()?)?.to_vec();
        if pool.text(name) == Some("Module") {
            let at = opens(&body)?;
            let count = u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?).checked_add(1)?;
            let one = [count, package_at, 0, 1, module_at].map(u16::to_be_bytes).concat();
            body.splice(at..at + 2, one);
            found = true;
        }
        made.extend(name.to_be_bytes());
        made.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
        made.extend(body);
    }
    found.then_some(made)
}

/// The offset of the list of open packages, which begins with their number, in a `Module` attribute.
fn opens(body: &[u8]) -> Option<usize> {
    let mut rest = Bytes(body);
    // Name, flags, version; then three numbers for each required module.
    rest.take(6)?;
    let requires = rest.number()?;
    rest.take(usize::from(requires) * 6)?;
    let exports = rest.number()?;
    for _ in 0..exports {
        rest.take(4)?;
        let to = rest.number()?;
        rest.take(usize::from(to) * 2)?;
    }
    Some(body.len() - rest.0.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module descriptor as a compiler writes it, which exports `java.lang` to its own module and opens nothing.
    fn description() -> Vec<u8> {
        let text = |text: &str| [&[1, 0, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        let pool = [
            text("Module"),
            text("java.base"),
            vec![19, 0, 2],
            text("java/lang"),
            vec![20, 0, 4],
            text("SourceFile"),
            text("module-info.java"),
        ];
        let attributes = [
            &[0, 6, 0, 0, 0, 2, 0, 7][..],
            &[0, 1, 0, 0, 0, 24],
            // Name, flags, version; requires; exports; opens; uses; provides.
            &[0, 3, 0, 0, 0, 0, 0, 0],
            &[0, 1, 0, 5, 0, 0, 0, 1, 0, 3],
            &[0; 6],
        ];
        let head = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 8];
        let body = [&[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], &attributes.concat()[..]].concat();
        [&head[..], &pool.concat(), &body].concat()
    }

    #[test]
    fn opens_a_package_to_a_module() {
        let opened = open(&description(), "java/io", "aixgrade.wire").unwrap();
        let pool = Pool::read(&opened).unwrap();
        assert_eq!((pool.text(8), pool.text(10)), (Some("java/io"), Some("aixgrade.wire")));
        let attributes = [
            &[0, 6, 0, 0, 0, 2, 0, 7][..],
            &[0, 1, 0, 0, 0, 32],
            &[0, 3, 0, 0, 0, 0, 0, 0],
            &[0, 1, 0, 5, 0, 0, 0, 1, 0, 3],
            &[0, 1, 0, 9, 0, 0, 0, 1, 0, 11],
            &[0; 4],
        ];
        assert_eq!(pool.rest[14..], attributes.concat());
        // A second call adds a second package.
        let twice = open(&opened, "java/net", "other").unwrap();
        let rest = Pool::read(&twice).unwrap().rest;
        let opens = [&[0, 2][..], &[0, 13, 0, 0, 0, 1, 0, 15], &[0, 9, 0, 0, 0, 1, 0, 11]].concat();
        assert!(rest.windows(opens.len()).any(|part| part == opens), "{rest:?}");
    }

    #[test]
    fn rejects_invalid_descriptors() {
        let whole = description();
        for cut in 0..whole.len() {
            assert_eq!(open(&whole[..cut], "java/io", "aixgrade.wire"), None, "cut at {cut}");
        }
        // A class without an attribute called "Module".
        let name = whole.iter().position(|&byte| byte == b'M').unwrap();
        let mut renamed = whole;
        renamed[name] = b'N';
        assert_eq!(open(&renamed, "java/io", "aixgrade.wire"), None);
    }
}
