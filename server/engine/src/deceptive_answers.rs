//! Detects answers that could deceive the tests.
//!
//! The published tests trust the solution's objects: `answer.equals(expected)` calls the answer's own `equals`, and
//! `expected.equals(answer)` calls the answer's `size` and `iterator`. A solution can return an object that reports
//! whatever the tests expect, with harmless code only. Such a pass is confirmed over a copy of the answers
//! ([`super::answer_record`]). Our own format compares answers element by element (`Same.java`) and needs this only for tests
//! that ask the solution's objects in a condition (`Cases.check`).

use model::reason::{Flag, Sign};

use super::{
    classfile::{Entry, Pool},
    runner::Job,
    suite::{Suite, TestKind},
    wire::Files,
};

/// JDK supertypes that add no behavior on which tests rely. [`FUNCTIONAL`] has the functional interfaces outside of
/// `java.util.function`.
const WITHOUT_BEHAVIOR: &[&str] =
    &["java/io/Serializable", "java/lang/Cloneable", "java/lang/Enum", "java/lang/Object", "java/lang/Record"];

const FUNCTIONAL: &[&str] = &["java/lang/Runnable", "java/util/Comparator", "java/util/concurrent/Callable"];

/// Collections that use a comparator to decide which elements are equal. One with an order of its own comes only from a
/// constructor: of a comparator, or of a sorted collection, of which the JDK hands out some (`Charset.availableCharsets`).
const SORTED: &[&str] = &[
    "java/util/TreeMap",
    "java/util/TreeSet",
    "java/util/concurrent/ConcurrentSkipListMap",
    "java/util/concurrent/ConcurrentSkipListSet",
];

/// Constructors of [`SORTED`] whose collections have the natural order of their elements.
const IN_NATURAL_ORDER: &[&str] = &["()V", "(Ljava/util/Collection;)V", "(Ljava/util/Map;)V"];

/// Whether a solution, of tests that ask its objects, could return a deceptive one: one with its own `equals`, one of a
/// class that extends or implements a type of a library, or a sorted collection with a comparator.
pub fn may_deceive(suite: &Suite, job: Job<'_>, flags: &[Flag]) -> bool {
    (suite.kind == TestKind::Aixbench || job.tests.classes.values().any(|class| has_conditions(class)))
        && (flags.iter().any(|flag| flag.sign == Sign::Equals)
            || job.classes.values().any(|class| !cannot_deceive(class, job.classes, &suite.library)))
}

/// Whether a test class in our own format states conditions about the solution's objects.
fn has_conditions(class: &[u8]) -> bool {
    let names_check = |pool: &Pool<'_>| {
        pool.entries.iter().any(|entry| match *entry {
            Entry::Member(class, name) => {
                pool.class(class) == Some("aixgrade/api/Cases") && pool.name(name) == Some("check")
            }
            _ => false,
        })
    };
    Pool::read(class).as_ref().is_none_or(names_check)
}

/// Whether a class of the solution cannot create a deceptive object. `own` has the solution's classes, `library` the
/// dataset's.
fn cannot_deceive(class: &[u8], own: &Files, library: &Files) -> bool {
    let honest = |pool: &Pool<'_>| {
        let supertypes = pool.supertypes()?;
        // A record always has an `equals`; the compiler generates one unless it is written. The warning cannot tell the
        // two apart in a source with escaped characters, and neither does this check.
        let has_equals =
            pool.methods()?.iter().any(|(_, name, kind)| (*name, *kind) == ("equals", "(Ljava/lang/Object;)Z"));
        let sorts = pool.entries.iter().any(|entry| is_sorted_by_code(pool, *entry));
        Some(supertypes.iter().all(|name| is_without_behavior(name, own, library)) && !has_equals && !sorts)
    };
    Pool::read(class).as_ref().and_then(honest) == Some(true)
}

fn is_without_behavior(name: &str, own: &Files, library: &Files) -> bool {
    if WITHOUT_BEHAVIOR.contains(&name) || FUNCTIONAL.contains(&name) || name.starts_with("java/util/function/") {
        return true;
    }
    let dotted = name.replace('/', ".");
    // A class of the solution is checked itself; a class of the dataset is checked by its supertypes.
    own.contains_key(&dotted)
        || library.get(&dotted).is_some_and(|class| {
            let supertypes = Pool::read(class).and_then(|pool| pool.supertypes());
            supertypes.is_some_and(|all| all.iter().all(|name| is_without_behavior(name, own, library)))
        })
}

fn is_sorted_by_code(pool: &Pool<'_>, entry: Entry<'_>) -> bool {
    let Entry::Member(class, member) = entry else { return false };
    pool.class(class).is_some_and(|name| SORTED.contains(&name))
        && pool.name(member) == Some("<init>")
        && pool.descriptor(member).is_none_or(|kind| !IN_NATURAL_ORDER.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::{super::edit::Names, *};

    /// A class file with these supertypes (the superclass first), these methods without code, and calls of these
    /// constructors.
    fn class(supertypes: &[&str], methods: &[(&str, &str)], makes: &[(&str, &str)]) -> Vec<u8> {
        let mut pool = Names::after(1).unwrap();
        let this = pool.class("C").unwrap();
        let supertypes: Vec<u16> = supertypes.iter().map(|name| pool.class(name).unwrap()).collect();
        for (class, descriptor) in makes {
            let (class, name) = (pool.class(class).unwrap(), pool.text("<init>").unwrap());
            let descriptor = pool.text(descriptor).unwrap();
            pool.method(class, name, descriptor).unwrap();
        }
        let number = |count: usize| u16::try_from(count).unwrap();
        let mut body = vec![1, this, supertypes[0], number(supertypes.len() - 1)];
        body.extend(&supertypes[1..]);
        body.extend([0, number(methods.len())]);
        for (name, descriptor) in methods {
            body.extend([1, pool.text(name).unwrap(), pool.text(descriptor).unwrap(), 0]);
        }
        body.push(0);
        let (next, entries) = pool.done();
        let body: Vec<u8> = body.into_iter().flat_map(u16::to_be_bytes).collect();
        [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61], &next.to_be_bytes()[..], &entries, &body].concat()
    }

    fn is_cleared(class: &[u8]) -> bool {
        let own = Files::from([("p.Own".to_owned(), Vec::new())]);
        let library = Files::from([
            ("t.Base".to_owned(), self::class(&["java/lang/Object"], &[], &[])),
            ("t.Names".to_owned(), self::class(&["java/util/ArrayList"], &[], &[])),
        ]);
        cannot_deceive(class, &own, &library)
    }

    #[test]
    fn objects_with_own_behavior_may_deceive() {
        let check = |supertypes: &[&str], expected: bool| {
            assert_eq!(is_cleared(&class(supertypes, &[], &[])), expected, "{supertypes:?}");
        };
        check(&["java/lang/Object"], true);
        check(&["t/Base", "java/util/Comparator", "java/util/function/BiFunction"], true);
        check(&["p/Own", "java/io/Serializable", "java/lang/Cloneable"], true);
        check(&["java/lang/Enum", "java/lang/Runnable", "java/util/concurrent/Callable"], true);
        check(&["java/lang/Record"], true);
        for liar in ["AbstractList", "AbstractSet", "ArrayList", "HashMap", "Date"] {
            check(&[&format!("java/util/{liar}")], false);
        }
        check(&["java/lang/Number"], false);
        check(&["java/lang/Object", "java/util/List"], false);
        check(&["java/lang/Object", "java/lang/CharSequence"], false);
        check(&["java/lang/Object", "java/util/Map$Entry"], false);
        // A library class, and a class of the dataset that is a collection.
        check(&["com/google/common/collect/ForwardingList"], false);
        check(&["t/Names"], false);
    }

    #[test]
    fn equals_and_comparators_may_deceive() {
        let check = |methods: &[(&str, &str)], makes: &[(&str, &str)], expected: bool| {
            assert_eq!(is_cleared(&class(&["java/lang/Object"], methods, makes)), expected, "{methods:?} {makes:?}");
        };
        check(&[("equals", "(Ljava/lang/Object;)Z")], &[], false);
        check(&[("hashCode", "()I"), ("equals", "(DDD)Z")], &[], true);
        check(&[], &[("java/util/TreeSet", "(Ljava/util/Comparator;)V")], false);
        check(&[], &[("java/util/TreeMap", "(Ljava/util/Comparator;)V")], false);
        // The order of what is copied.
        check(&[], &[("java/util/TreeMap", "(Ljava/util/SortedMap;)V")], false);
        check(&[], &[("java/util/TreeSet", "(Ljava/util/SortedSet;)V")], false);
        check(&[], &[("java/util/TreeMap", "()V"), ("java/util/TreeSet", "(Ljava/util/Collection;)V")], true);
        // A `PriorityQueue` calls each element's own `equals`.
        check(&[], &[("java/util/PriorityQueue", "(Ljava/util/Comparator;)V")], true);
    }

    #[test]
    fn a_damaged_class_may_deceive() {
        let whole = class(&["java/lang/Object"], &[("m", "()V")], &[]);
        assert!(is_cleared(&whole));
        for cut in 0..whole.len() - 2 {
            assert!(!is_cleared(&whole[..cut]), "cut at {cut}");
        }
    }
}
