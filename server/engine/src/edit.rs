//! Adds methods to a class file, and lets calls name other methods.
//!
//! The edits work for every JDK version. They change no existing instruction: [`in_front`] renames a method and adds one
//! under the old name, [`under_new_name`] adds one under a new name, and [`redirect`] changes the names of methods in the constant
//! pool.

use super::classfile::{Bytes, Entry, Pool};

const FINAL: u16 = 0x0010;
const SYNCHRONIZED: u16 = 0x0020;
const NATIVE: u16 = 0x0100;
const ABSTRACT: u16 = 0x0400;

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

    /// Adds a name and type.
    fn name_and_type(&mut self, name: u16, descriptor: u16) -> Option<u16> {
        self.entry(&[&[12], &name.to_be_bytes(), &descriptor.to_be_bytes()])
    }

    fn member(&mut self, kind: u8, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        let both = self.name_and_type(name, descriptor)?;
        self.entry(&[&[kind], &class.to_be_bytes(), &both.to_be_bytes()])
    }
}

/// The method that an added one calls.
pub struct Original<'a> {
    /// Its access flags.
    pub flags: u16,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// The index of its constant pool entry, for calls.
    pub entry: u16,
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
    code: impl Fn(&mut Names, &Original<'_>) -> Option<Code>,
) -> Option<Vec<u8>> {
    let is_meant = |_: u16, name: &str, descriptor: &str| is_meant(name, descriptor);
    add(class, suffix, Place::OldName, is_meant, code)
}

/// Adds a final method for each method that `is_meant` selects by flags, name and descriptor: its name is the method's
/// with `suffix`, its code comes from `code`. Returns the new class file, or `None` as [`in_front`] does.
pub fn under_new_name(
    class: &[u8],
    suffix: &str,
    is_meant: impl Fn(u16, &str, &str) -> bool,
    code: impl Fn(&mut Names, &Original<'_>) -> Option<Code>,
) -> Option<Vec<u8>> {
    add(class, suffix, Place::NewName, is_meant, code)
}

/// Where a method is added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Under the old name of a method that is renamed.
    OldName,
    /// Under a new name. The method stays as it is.
    NewName,
}

fn add(
    class: &[u8],
    suffix: &str,
    place: Place,
    is_meant: impl Fn(u16, &str, &str) -> bool,
    code: impl Fn(&mut Names, &Original<'_>) -> Option<Code>,
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
            (Some(old), Some(descriptor)) if is_meant(flags, old, descriptor) => (old, descriptor),
            _ => {
                methods.extend_from_slice(whole);
                continue;
            }
        };
        if place == Place::OldName && flags & (NATIVE | ABSTRACT) != 0 {
            return None;
        }
        let other = names.text(&format!("{old}{suffix}"))?;
        let (original, new, new_flags) = match place {
            Place::OldName => (other, name, flags),
            Place::NewName => (name, other, flags & !(NATIVE | ABSTRACT) | FINAL),
        };
        let entry = names.method(this, original, kind)?;
        let code = code(&mut names, &Original { flags, descriptor, entry })?;
        methods.extend([&flags.to_be_bytes()[..], &original.to_be_bytes(), &whole[4..]].concat());
        let length = u32::try_from(code.bytes.len()).ok()?.to_be_bytes();
        // No exception table and no attributes: code without jumps needs no stack map.
        let body = [&code.stack.to_be_bytes()[..], &code.locals.to_be_bytes(), &length, &code.bytes, &[0; 4]].concat();
        added.extend([new_flags & !SYNCHRONIZED, new, kind, 1, attribute].map(u16::to_be_bytes).concat());
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

/// Lets a class call, instead of each method of the class `of` that `is_meant` selects by name and descriptor, the method
/// whose name has `suffix` in addition. Returns the new class file, which is the same if it calls none; `None` if the file
/// is damaged.
pub fn redirect(class: &[u8], of: &str, suffix: &str, is_meant: impl Fn(&str, &str) -> bool) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let mut names = Names::after(pool.entries.len())?;
    let mut old = class.get(10..class.len() - pool.rest.len())?.to_vec();
    for (at, entry) in pool.entries.iter().enumerate() {
        let Entry::Member(owner, both) = *entry else { continue };
        let (Some(name), Some(descriptor)) = (pool.name(both), pool.descriptor(both)) else { continue };
        if pool.class(owner) != Some(of) || !descriptor.starts_with('(') || !is_meant(name, descriptor) {
            continue;
        }
        let (name, descriptor) = (names.text(&format!("{name}{suffix}"))?, names.text(descriptor)?);
        let both = names.name_and_type(name, descriptor)?;
        // After the kind and the class.
        let place = pool.starts.get(at)?.checked_add(3)?;
        old.get_mut(place..place + 2)?.copy_from_slice(&both.to_be_bytes());
    }
    let (next, new_names) = names.done();
    Some([&class[..8], &next.to_be_bytes(), &old, &new_names, pool.rest].concat())
}
