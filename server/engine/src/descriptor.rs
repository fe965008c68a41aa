//! Descriptors of methods: their types in the JVM's notation (Java Virtual Machine Specification, 4.3).

/// The parameters and the result of a method.
#[derive(Debug)]
pub struct Descriptor<'a> {
    /// The parameters' types.
    pub parameters: Vec<&'a str>,
    /// The result's type; `V` for none.
    pub result: &'a str,
}

impl<'a> Descriptor<'a> {
    /// Parses a descriptor; `None` if it is not a method's.
    pub fn read(descriptor: &'a str) -> Option<Descriptor<'a>> {
        let (mut rest, result) = descriptor.strip_prefix('(')?.split_once(')')?;
        let mut parameters = Vec::new();
        while !rest.is_empty() {
            let array = rest.len() - rest.trim_start_matches('[').len();
            let length = match rest.as_bytes().get(array)? {
                b'L' => rest[array..].find(';')? + 1,
                b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
                _ => return None,
            };
            let (one, after) = rest.split_at_checked(array + length)?;
            parameters.push(one);
            rest = after;
        }
        Some(Descriptor { parameters, result })
    }
}

/// Whether values of this type are references.
pub fn is_reference(kind: &str) -> bool {
    kind.starts_with(['L', '['])
}

/// The instruction that loads a local variable of this type, and the number of slots that the variable takes.
pub fn load(kind: &str) -> (u8, u8) {
    match kind {
        "J" => (0x16, 2),
        "F" => (0x17, 1),
        "D" => (0x18, 2),
        _ if is_reference(kind) => (0x19, 1),
        _ => (0x15, 1),
    }
}

/// The instruction that returns a value of this type.
pub fn returns(kind: &str) -> u8 {
    match kind {
        "V" => 0xb1,
        "J" => 0xad,
        "F" => 0xae,
        "D" => 0xaf,
        _ if is_reference(kind) => 0xb0,
        _ => 0xac,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_in_order() {
        let read = Descriptor::read("(I[[Ljava/util/Map$Entry;[JD)[Ljava/lang/String;").unwrap();
        assert_eq!(read.parameters, ["I", "[[Ljava/util/Map$Entry;", "[J", "D"]);
        assert_eq!(read.result, "[Ljava/lang/String;");
        let loads: Vec<_> = read.parameters.iter().map(|kind| load(kind)).collect();
        assert_eq!(loads, [(0x15, 1), (0x19, 1), (0x19, 1), (0x18, 2)]);
        assert_eq!(["V", "[J", "J", "Z"].map(returns), [0xb1, 0xb0, 0xad, 0xac]);
        for damaged in ["", "I", "(", "(I", "([)V", "(Ljava/lang/String)V", "(X)V", "(V)V"] {
            assert!(Descriptor::read(damaged).is_none(), "{damaged}");
        }
    }
}
