//! Which classes visibly keep to themselves: whether an output may share a JVM with others, and whether
//! it could change one's defaults at all.
//!
//! Read from the compiled classes' own lists of what they name (their constant pools), against a list
//! of what is harmless: texts, numbers, collections, streams, dates, regular expressions. Whatever
//! names anything else (files, threads, reflection, `System.setProperty`) is run alone. The list needs
//! no judgement of intentions and no completeness about evil; what is missing from it only costs time.

use super::{
    classfile::{Entry, Pool},
    wire::Files,
};

/// Packages of which every class is harmless, but for [`WILD`].
const PACKAGES: &[&str] = &[
    "java/math/",
    "java/text/",
    "java/time/",
    "java/util/",
    "java/util/function/",
    "java/util/regex/",
    "java/util/stream/",
    "java/util/concurrent/atomic/",
];

/// Classes of those packages that are not, with everything nested in them.
const WILD: &[&str] = &[
    "java/util/Formatter",
    "java/util/PropertyResourceBundle",
    "java/util/ResourceBundle",
    "java/util/Scanner",
    "java/util/ServiceLoader",
    "java/util/Timer",
    "java/util/TimerTask",
    "java/time/zone/ZoneRulesProvider",
];

/// Harmless classes of packages that are not so as a whole.
const CLASSES: &[&str] = &[
    "java/io/Serializable",
    "java/lang/AutoCloseable",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/CharSequence",
    "java/lang/Character",
    "java/lang/Cloneable",
    "java/lang/Comparable",
    "java/lang/Double",
    "java/lang/Enum",
    "java/lang/Exception",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Iterable",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Number",
    "java/lang/Object",
    "java/lang/Override",
    "java/lang/Record",
    "java/lang/RuntimeException",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/lang/System",
    "java/lang/Void",
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/AssertionError",
    "java/lang/ClassCastException",
    "java/lang/IllegalArgumentException",
    "java/lang/IllegalStateException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/MatchException",
    "java/lang/NegativeArraySizeException",
    "java/lang/NullPointerException",
    "java/lang/NumberFormatException",
    "java/lang/StringIndexOutOfBoundsException",
    "java/lang/UnsupportedOperationException",
    // What the compiler writes for lambdas, joined texts and records; nothing may be called on them
    // but by the JVM itself.
    "java/lang/invoke/LambdaMetafactory",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/lang/invoke/StringConcatFactory",
    "java/lang/runtime/ObjectMethods",
    "java/nio/charset/Charset",
    "java/nio/charset/StandardCharsets",
];

/// Of `System`, what reads and changes nothing.
const SYSTEM: &[&str] = &["arraycopy", "currentTimeMillis", "identityHashCode", "lineSeparator", "nanoTime"];

/// Members that are not harmless on any class: they change a default, print, or start threads.
const MEMBERS: &[&str] = &[
    "parallel",
    "parallelStream",
    "parallelPrefix",
    "parallelSetAll",
    "parallelSort",
    "printStackTrace",
    "setDefault",
];

/// What may do many things (read files, wait, end the JVM) and yet change no default of the JVM: no
/// reflection, no class loading, nothing that sets a property, a stream or a handler.
const STEADY_PACKAGES: &[&str] = &["java/io/", "java/nio/", "java/nio/charset/", "java/nio/file/", "java/util/zip/"];

/// Classes of other packages, and of those that are not [`PACKAGES`] as a whole, of the same kind.
const STEADY_CLASSES: &[&str] = &[
    "java/lang/Appendable",
    "java/lang/Class",
    "java/lang/ClassNotFoundException",
    "java/lang/CloneNotSupportedException",
    "java/lang/Error",
    "java/lang/InterruptedException",
    "java/lang/Readable",
    "java/lang/Runnable",
    "java/lang/SafeVarargs",
    "java/lang/StackOverflowError",
    "java/lang/Throwable",
    "java/net/MalformedURLException",
    "java/net/URI",
    "java/net/URISyntaxException",
    "java/net/URLDecoder",
    "java/net/URLEncoder",
    "java/security/MessageDigest",
    "java/security/NoSuchAlgorithmException",
    "java/util/Formatter",
    "java/util/Scanner",
];

/// Classes of [`STEADY_PACKAGES`] that bring others to life by name.
const UNSTEADY: &[&str] = &["java/io/ObjectInputStream", "java/io/ObjectInputFilter"];

/// Of `System`, beside [`SYSTEM`], what changes no default.
const STEADY_SYSTEM: &[&str] = &["err", "exit", "gc", "getProperty", "getenv", "in", "out"];

/// Whether these classes could change a default of the JVM (locale, time zone, streams, properties): not
/// where all that they name is `known` or cannot. As with [`are_tame`], what is missing from the lists
/// only costs time.
pub fn may_change_defaults(classes: &Files, known: &[&Files]) -> bool {
    let own = own(known);
    !classes.values().all(|bytes| Pool::read(bytes).is_some_and(|pool| pool.is_steady(&own)))
}

/// Whether these classes name nothing but what is `known` (the output's, its tests', the dataset's) and
/// what is harmless.
pub fn are_tame(classes: &Files, known: &[&Files]) -> bool {
    let own = own(known);
    classes.values().all(|bytes| Pool::read(bytes).is_some_and(|pool| pool.is_tame(&own)))
}

fn own<'a>(known: &'a [&'a Files]) -> impl Fn(&str) -> bool + 'a {
    |name| {
        let name = name.replace('/', ".");
        known.iter().any(|files| files.contains_key(&name)) || name.starts_with("aixgrade.api.Cases")
    }
}

impl Pool<'_> {
    fn is_tame(&self, own: &impl Fn(&str) -> bool) -> bool {
        self.entries.iter().all(|entry| match *entry {
            Entry::Class(name) => self.text(name).is_some_and(|name| is_tame_class(name, own)),
            Entry::Member(class, member) => match (self.class(class), self.name(member)) {
                (Some("java/lang/System"), Some(name)) => SYSTEM.contains(&name),
                (Some(class), Some(name)) => !MEMBERS.contains(&name) || own(class),
                _ => false,
            },
            _ => true,
        })
    }

    fn is_steady(&self, own: &impl Fn(&str) -> bool) -> bool {
        self.entries.iter().all(|entry| match *entry {
            Entry::Class(name) => self.text(name).is_some_and(|name| is_steady_class(name, own)),
            Entry::Member(class, member) => match (self.class(class), self.name(member)) {
                (Some("java/lang/System"), Some(name)) => SYSTEM.contains(&name) || STEADY_SYSTEM.contains(&name),
                // On a class of its own, too: a time zone of its own inherits `TimeZone.setDefault`.
                (Some(_), Some(name)) => name != "setDefault",
                _ => false,
            },
            _ => true,
        })
    }
}

/// The class of `[[Ljava/lang/String;`; nothing for `[I`.
fn element(name: &str) -> Option<&str> {
    match name.trim_start_matches('[') {
        inner if inner.len() == name.len() => Some(name),
        inner => inner.strip_prefix('L').and_then(|inner| inner.strip_suffix(';')),
    }
}

fn package(name: &str) -> &str {
    name.rfind('/').map_or("", |slash| &name[..=slash])
}

fn is_steady_class(name: &str, own: &impl Fn(&str) -> bool) -> bool {
    let Some(class) = element(name) else { return true };
    let top = class.split('$').next().unwrap_or_default();
    STEADY_CLASSES.contains(&class)
        || STEADY_PACKAGES.contains(&package(class)) && !UNSTEADY.contains(&top)
        || is_tame_class(class, own)
}

fn is_tame_class(name: &str, own: &impl Fn(&str) -> bool) -> bool {
    let Some(name) = element(name) else { return true };
    let top = name.split('$').next().unwrap_or_default();
    let package = package(name);
    let in_package = PACKAGES.iter().any(|p| *p == package || *p == "java/time/" && package.starts_with(p));
    CLASSES.contains(&name) || in_package && !WILD.contains(&top) || own(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class file's beginning that names these classes and members, as a compiler would write them.
    fn class(classes: &[&str], members: &[(&str, &str)]) -> Vec<u8> {
        let mut pool: Vec<Vec<u8>> = Vec::new();
        let text = |pool: &mut Vec<Vec<u8>>, text: &str| {
            let length = u16::try_from(text.len()).unwrap().to_be_bytes();
            pool.push([&[1], &length[..], text.as_bytes()].concat());
            u16::try_from(pool.len()).unwrap().to_be_bytes()
        };
        let named = |pool: &mut Vec<Vec<u8>>, name: &str| {
            let name = text(pool, name);
            pool.push([&[7], &name[..]].concat());
            u16::try_from(pool.len()).unwrap().to_be_bytes()
        };
        // A `long` takes two places, which has to be counted.
        pool.push([&[5][..], &[0; 8]].concat());
        pool.push(Vec::new());
        for name in classes {
            named(&mut pool, name);
        }
        for (class, member) in members {
            let (class, member) = (named(&mut pool, class), text(&mut pool, member));
            pool.push([&[12], &member[..], &member[..]].concat());
            let both = u16::try_from(pool.len()).unwrap().to_be_bytes();
            pool.push([&[10], &class[..], &both[..]].concat());
        }
        let count = u16::try_from(pool.len() + 1).unwrap().to_be_bytes();
        [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61][..], &count[..], &pool.concat()].concat()
    }

    #[test]
    fn only_what_is_listed_is_tame() {
        let check = |classes: &[&str], members: &[(&str, &str)], tame: bool| {
            let files = Files::from([("Output".to_owned(), class(classes, members))]);
            let others = Files::from([("t.Base".to_owned(), Vec::new())]);
            assert_eq!(are_tame(&files, &[&files, &others]), tame, "{classes:?} {members:?}");
        };
        check(
            &["Output", "t/Base", "java/util/ArrayList", "java/util/Map$Entry", "[I", "[[Ljava/lang/String;"],
            &[],
            true,
        );
        check(&["java/time/format/DateTimeFormatter", "aixgrade/api/Cases"], &[], true);
        check(&[], &[("java/lang/System", "arraycopy"), ("java/util/List", "add")], true);
        check(&[], &[("java/lang/System", "exit")], false);
        check(&[], &[("java/lang/System", "out")], false);
        check(&[], &[("java/util/Locale", "setDefault")], false);
        check(&[], &[("java/util/List", "parallelStream")], false);
        check(&[], &[("Output", "printStackTrace")], true);
        for wild in [
            "java/io/File",
            "java/lang/Thread",
            "java/lang/Runtime",
            "java/lang/Class",
            "java/lang/Throwable",
            "java/lang/StackOverflowError",
            "java/lang/invoke/MethodHandles",
            "java/util/Timer",
            "java/util/Scanner",
            "java/util/concurrent/Executors",
            "java/util/logging/Logger",
            "[Ljava/lang/Thread;",
            "com/google/gson/Gson",
            "t/Other",
        ] {
            check(&[wild], &[], false);
        }
    }

    #[test]
    fn only_what_is_listed_leaves_defaults_alone() {
        let check = |classes: &[&str], members: &[(&str, &str)], may: bool| {
            let files = Files::from([("Output".to_owned(), class(classes, members))]);
            assert_eq!(may_change_defaults(&files, &[&files]), may, "{classes:?} {members:?}");
        };
        let reads =
            ["Output", "java/io/BufferedReader", "java/nio/file/Files", "java/lang/Class", "java/lang/Throwable"];
        check(&reads, &[("java/lang/System", "out"), ("java/io/PrintStream", "println")], false);
        check(&["[Ljava/io/File;", "[J"], &[("java/util/Locale", "getDefault")], false);
        check(&[], &[("java/util/Locale", "setDefault")], true);
        check(&[], &[("java/util/TimeZone", "setDefault")], true);
        check(&["Output", "java/util/TimeZone"], &[("Output", "setDefault")], true);
        for member in ["setOut", "setErr", "setIn", "setProperty", "getProperties", "setProperties", "clearProperty"] {
            check(&[], &[("java/lang/System", member)], true);
        }
        for unsteady in [
            "java/lang/Thread",
            "java/lang/ClassLoader",
            "java/lang/reflect/Method",
            "java/lang/invoke/MethodHandles",
            "java/beans/Statement",
            "java/io/ObjectInputStream",
            "java/security/Security",
            "java/util/ServiceLoader",
            "org/apache/commons/lang3/reflect/MethodUtils",
            "[Ljava/lang/Thread;",
        ] {
            check(&[unsteady], &[], true);
        }
        let nothing = Files::from([("Output".to_owned(), vec![0xca, 0xfe])]);
        assert!(may_change_defaults(&nothing, &[]));
    }

    #[test]
    fn what_is_no_class_is_not_tame() {
        let whole = class(&["java/util/List"], &[("java/lang/System", "nanoTime")]);
        for cut in 0..whole.len() {
            let files = Files::from([("Output".to_owned(), whole[..cut].to_vec())]);
            assert!(!are_tame(&files, &[&files]), "cut at {cut}");
        }
    }
}
