//! Adds a method in front of an existing method of a class file.
//!
//! The edit works for every JDK version: it renames the existing method and adds a method under the old name. It
//! changes no existing instruction.

use super::classfile::{Bytes, Pool};

const NATIVE_OR_ABSTRACT: u16 = 0x0100 | 0x0400;
const SYNCHRONIZED: u16 = 0x0020;

/// Entries to append to a constant pool. Each method returns the new entry's index, or `None` if there are too many
/// entries.
pub struct Names {
    next: u16,
    bytes: Vec<u8>,
}

impl Names {
    /// Starts after a pool with this many entries, including the unused entry 0.
    pub fn after(entries: usize) -> Option<Names> {
        Some(Names { next: u16::try_from(entries).ok()?, bytes: Vec::new() })
    }

    /// The index of the next entry, and the bytes of all added entries.
    pub fn done(self) -> (u16, Vec<u8>) {
        (self.next, self.bytes)
    }

    /// Adds an entry with this content.
    pub fn entry(&mut self, parts: &[&[u8]]) -> Option<u16> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        self.bytes.extend(parts.concat());
        Some(number)
    }

    /// Adds a UTF-8 text.
    pub fn text(&mut self, text: &str) -> Option<u16> {
        let length = u16::try_from(text.len()).ok()?.to_be_bytes();
        self.entry(&[&[1], &length, text.as_bytes()])
    }

    /// Adds a string constant.
    pub fn string(&mut self, text: &str) -> Option<u16> {
        let text = self.text(text)?;
        self.entry(&[&[8], &text.to_be_bytes()])
    }

    /// Adds a class.
    pub fn class(&mut self, name: &str) -> Option<u16> {
        let name = self.text(name)?;
        self.entry(&[&[7], &name.to_be_bytes()])
    }

    /// Adds a method of a class, by the indexes of its class, name and descriptor.
    pub fn method(&mut self, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        self.member(10, class, name, descriptor)
    }

    /// Adds a method of an interface.
    pub fn interface_method(&mut self, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        self.member(11, class, name, descriptor)
    }

    fn member(&mut self, kind: u8, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        let both = self.entry(&[&[12], &name.to_be_bytes(), &descriptor.to_be_bytes()])?;
        self.entry(&[&[kind], &class.to_be_bytes(), &both.to_be_bytes()])
    }
}

/// A method that was renamed.
pub struct Renamed<'a> {
    /// Its access flags.
    pub flags: u16,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// The index of its constant pool entry, for calls.
    pub original: u16,
}

/// The code of a method, without jumps, exception handlers and attributes.
pub struct Code {
    /// The maximum depth of its operand stack.
    pub stack: u16,
    /// The number of its local variable slots, including the parameters.
    pub locals: u16,
    /// Its instructions.
    pub bytes: Vec<u8>,
}

/// Renames each method that `is_meant` selects by name and descriptor, by appending `suffix`, and adds a method with
/// the code from `code` under the old name. Returns the new class file, or `None` if no method is selected, a selected
/// method has no code, `code` returns `None`, or the file is damaged.
pub fn in_front(
    class: &[u8],
    suffix: &str,
    is_meant: impl Fn(&str, &str) -> bool,
    code: impl Fn(&mut Names, &Renamed<'_>) -> Option<Code>,
) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let mut names = Names::after(pool.entries.len())?;
    let attribute = names.text("Code")?;

    let mut rest = Bytes(pool.rest);
    rest.take(2)?;
    let this = rest.number()?;
    rest.take(2)?;
    let interfaces = rest.number()?;
    rest.take(usize::from(interfaces) * 2)?;
    for _ in 0..rest.number()? {
        rest.take(6)?;
        rest.skip_attributes()?;
    }
    let head = &pool.rest[..pool.rest.len() - rest.0.len()];
    let count = rest.number()?;
    let (mut methods, mut added) = (Vec::new(), Vec::new());
    let mut number_added: u16 = 0;
    for _ in 0..count {
        let begin = rest.0;
        let (flags, name, kind) = (rest.number()?, rest.number()?, rest.number()?);
        rest.skip_attributes()?;
        let whole = &begin[..begin.len() - rest.0.len()];
        let (old, descriptor) = match (pool.text(name), pool.text(kind)) {
            (Some(old), Some(descriptor)) if is_meant(old, descriptor) => (old, descriptor),
            _ => {
                methods.extend_from_slice(whole);
                continue;
            }
        };
        if flags & NATIVE_OR_ABSTRACT != 0 {
            return None;
        }
        let renamed = names.text(&format!("{old}{suffix}"))?;
        let original = names.method(this, renamed, kind)?;
        let code = code(&mut names, &Renamed { flags, descriptor, original })?;
        methods.extend([&flags.to_be_bytes()[..], &renamed.to_be_bytes(), &whole[4..]].concat());
        let length = u32::try_from(code.bytes.len()).ok()?.to_be_bytes();
        // No exception table and no attributes: code without jumps needs no stack map.
        let body = [&code.stack.to_be_bytes()[..], &code.locals.to_be_bytes(), &length, &code.bytes, &[0; 4]].concat();
        let flags = flags & !SYNCHRONIZED;
        added.extend([flags, name, kind, 1, attribute].map(u16::to_be_bytes).concat());
        added.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
        added.extend(body);
        number_added = number_added.checked_add(1)?;
    }
    if number_added == 0 {
        return None;
    }
    let old_names = class.get(10..class.len() - pool.rest.len())?;
    let count = count.checked_add(number_added)?;
    let (next, new_names) = names.done();
    let parts = [&class[..8], &next.to_be_bytes(), old_names, &new_names, head, &count.to_be_bytes(), &methods, &added];
    Some([&parts.concat()[..], rest.0].concat())
}
