//! Confirms suspicious passes in a JVM without the solution's code.
//!
//! The result frame comes from a process in which the solution's code ran, so code that bypasses Java's access checks
//! could forge it. A pass of code that can do more than compute is therefore repeated: a generated class ([`recorder`])
//! between the tests and the solution records every answer (`aixgrade.api.Tape`). Another JVM then runs the tests over
//! the recorded answers, without the solution's code. To pass there, the record must contain the right answers,
//! whatever the first process reported and whatever secrets it read.
//!
//! Only answers that are plain values can be recorded, and only tests that depend on nothing else can be replayed. This
//! depends on the task alone, never on the solution: [`recorder`] decides by the types of the methods and by the names
//! that the tests use.

use std::collections::BTreeSet;

use model::reason::Flag;

use super::{
    arguments, batch,
    classfile::{self, Entry, Pool},
    deceptive_answers,
    descriptor::Descriptor,
    runner::Job,
    shareable,
    suite::Suite,
};
use crate::assemble::Target;

/// A generated class between the tests and the solution.
#[derive(Debug)]
pub struct Recorder {
    /// Its file name for the compiler.
    pub file: String,
    /// Its source.
    pub source: String,
    /// Its name with its package.
    pub class: String,
    /// The part of its name before the task's number.
    pub prefix: String,
}

/// Whether a pass must be confirmed: the code's answers could deceive the tests ([`deceptive_answers`]), or the code
/// could do more than compute, because it has a warning or names something that the lists in [`shareable`] do not contain.
pub fn is_suspicious(suite: &Suite, job: Job<'_>, flags: &[Flag]) -> bool {
    let may_more = || !flags.is_empty() || shareable::may_change_defaults(job.classes, &[&suite.harmless, job.classes]);
    deceptive_answers::may_deceive(suite, job, flags) || !batch::may_share(suite, job) && may_more()
}

/// The recorder for a job; `None` if the task's answers cannot be recorded or its tests cannot be replayed.
pub fn recorder(suite: &Suite, job: Job<'_>, target: &Target) -> Option<Recorder> {
    let base = target.extends.as_ref().or(target.implements.as_ref())?;
    let (base_name, bytes) = suite.library.iter().find(|(name, _)| name.replace('$', ".") == *base)?;
    let pool = Pool::read(bytes)?;
    // An interface: all methods are recorded. A published base class has a method for each task: those that the tests
    // call are recorded. The solution's other methods are forwarded without recording, so the solution cannot decide
    // whether there is a record.
    let called: BTreeSet<&str> = job
        .tests
        .classes
        .values()
        .filter_map(|class| calls(class, base_name))
        .flatten()
        .map(arguments::method)
        .collect();
    let own: BTreeSet<&str> = job
        .classes
        .values()
        .filter_map(|class| Pool::read(class)?.methods())
        .flatten()
        .map(|(_, name, _)| name)
        .collect();
    let is_asked = |name: &str| target.extends.is_none() || called.contains(name);
    let methods: Vec<Method<'_>> = pool
        .methods()?
        .into_iter()
        .filter(|(flags, name, _)| classfile::can_be_overridden(*flags, name))
        .filter(|(_, name, _)| is_asked(name) || own.contains(name))
        .map(|(_, name, descriptor)| Method::read(name, descriptor))
        .collect::<Option<_>>()?;
    let mut asked = methods.iter().filter(|method| is_asked(method.name)).peekable();
    asked.peek()?;
    if !asked.clone().all(Method::is_recordable) {
        return None;
    }
    let may_hold_others = asked.any(Method::may_hold_others);
    if !job.tests.classes.values().all(|class| looks_only_at_answers(suite, job, base_name, class, may_hold_others)) {
        return None;
    }
    let number: String = match target.extends {
        Some(_) => target.class.chars().skip_while(|c| !c.is_ascii_digit()).collect(),
        None => String::new(),
    };
    // The solution must not be able to use the recorder's name.
    let is_free = |prefix: &String| {
        let name = format!("{prefix}{number}");
        !job.classes.keys().any(|class| class.rsplit('.').next() == Some(&name))
    };
    let prefix = std::iter::successors(Some("Recorder".to_owned()), |last| Some(format!("{last}X"))).find(is_free)?;
    let name = format!("{prefix}{number}");
    let (package, folder, class) = match target.package.as_str() {
        "" => (String::new(), String::new(), name.clone()),
        package => (format!("package {package};\n"), package.replace('.', "/") + "/", format!("{package}.{name}")),
    };
    let relation = if target.extends.is_some() { "extends" } else { "implements" };
    let solution = job.class;
    let mut source = format!(
        "{package}public class {name} {relation} {base} {{\n    private final {base} solution =\n        \
         ({base}) aixgrade.api.Tape.solution({name}.class.getClassLoader(), \"{solution}\");\n"
    );
    for method in &methods {
        source.push_str(&method.source());
    }
    source.push_str("}\n");
    Some(Recorder { file: format!("{folder}{name}.java"), source, class, prefix })
}

/// The names of the methods of type `of` that a class calls.
fn calls<'a>(class: &'a [u8], of: &str) -> Option<Vec<&'a str>> {
    let pool = Pool::read(class)?;
    let of = of.replace('.', "/");
    let called = pool.entries.iter().filter_map(|entry| match *entry {
        Entry::Member(class, name) if pool.class(class) == Some(of.as_str()) => pool.name(name),
        _ => None,
    });
    Some(called.collect())
}

/// Whether a test class depends only on answers, arguments and time: it uses no files, threads or reflection. If a
/// method takes or returns containers, the test class must not use the tests' own types either, because containers
/// could hold them.
fn looks_only_at_answers(suite: &Suite, job: Job<'_>, base: &str, class: &[u8], may_hold_others: bool) -> bool {
    const HARMLESS: &[&str] = &["java/io/IOException", "java/io/PrintStream", "java/io/Serializable"];
    const SEEN: &[&str] = &[
        "java/io/",
        "java/nio/",
        "java/net/",
        "java/awt/",
        "javax/",
        "java/util/concurrent/",
        "java/lang/reflect/",
        "java/lang/Thread",
        "java/lang/Runtime",
        "java/lang/Process",
    ];
    let Some(pool) = Pool::read(class) else { return false };
    let names: Vec<&str> = pool
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Class(name) => pool.text(*name),
            _ => None,
        })
        .collect();
    let is_anonymous =
        |name: &str| name.rsplit('$').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
    names.iter().all(|&name| {
        let name = name.trim_start_matches('[');
        let name = name.strip_prefix('L').and_then(|n| n.strip_suffix(';')).unwrap_or(name);
        let dotted = name.replace('/', ".");
        let known = suite.library.contains_key(&dotted) || job.tests.classes.contains_key(&dotted);
        if known {
            let is_frame = dotted == base || dotted == job.tests.class || dotted.ends_with(".AbstractBaseEvaluation");
            return is_frame || is_anonymous(name) || !may_hold_others;
        }
        HARMLESS.contains(&name) || !SEEN.iter().any(|prefix| name.starts_with(prefix))
    })
}

/// A method and its types in the JVM's notation.
#[derive(Debug)]
struct Method<'a> {
    name: &'a str,
    descriptor: &'a str,
    parameters: Vec<&'a str>,
    result: &'a str,
}

impl<'a> Method<'a> {
    fn read(name: &'a str, descriptor: &'a str) -> Option<Method<'a>> {
        let Descriptor { parameters, result } = Descriptor::read(descriptor)?;
        Some(Method { name, descriptor, parameters, result })
    }

    /// Whether a record can hold everything that a call returns or changes.
    fn is_recordable(&self) -> bool {
        let changeable =
            |kind: &&str| kind.starts_with('[') || is_container(kind) || kind.starts_with("Ljava/lang/StringBu");
        let answers = match self.result {
            "V" => self.parameters.iter().any(changeable),
            result => is_plain(result) && !is_abstract(element(result)) || is_container(element(result)),
        };
        let takes = |kind: &&str| {
            let part = element(kind);
            is_plain(part) || is_container(part) || part == "Ljava/lang/Object;" || changeable(kind)
        };
        answers && self.parameters.iter().all(takes)
    }

    /// Whether parameters or results can hold values of types that the descriptor does not name.
    fn may_hold_others(&self) -> bool {
        let mut all = self.parameters.iter().copied().chain([self.result]).map(element);
        all.any(|kind| is_container(kind) || kind == "Ljava/lang/Object;")
    }

    fn source(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().enumerate().map(|(at, kind)| format!("{} a{at}", in_source(kind))).collect();
        let arguments: Vec<String> = (0..self.parameters.len()).map(|at| format!("a{at}")).collect();
        let (parameters, arguments) = (parameters.join(", "), arguments.join(", "));
        let Method { name, descriptor, .. } = self;
        let result = in_source(self.result);
        if !self.is_recordable() {
            let returns = if self.result == "V" { "" } else { "return " };
            // `thrown` rethrows declared exceptions that the compiler does not know here.
            return format!(
                "    @SuppressWarnings({{\"unchecked\", \"rawtypes\"}})\n    @Override\n    public {result} {name}({parameters}) {{\n        \
                 try {{\n            {returns}solution.{name}({arguments});\n        }} catch (Throwable e) {{\n            \
                 throw aixgrade.api.Tape.<RuntimeException>thrown(e);\n        }}\n    }}\n"
            );
        }
        let (cast, call) = match self.result {
            "V" => (String::new(), format!("{{ solution.{name}({arguments}); return null; }}")),
            _ => (format!("return ({result}) "), format!("solution.{name}({arguments})")),
        };
        format!(
            "    @SuppressWarnings({{\"unchecked\", \"rawtypes\"}})\n    @Override\n    public {result} {name}({parameters}) {{\n        \
             {cast}aixgrade.api.Tape.call(\"{name}{descriptor}\", new Object[] {{{arguments}}}, () -> {call});\n    }}\n"
        )
    }
}

/// The innermost element type of an array; any other type itself.
fn element(kind: &str) -> &str {
    kind.trim_start_matches('[')
}

/// Primitive types and types whose objects can be replaced by copies, and arrays of both.
fn is_plain(kind: &str) -> bool {
    const OBJECTS: &[&str] = &[
        "java/lang/Boolean",
        "java/lang/Byte",
        "java/lang/Character",
        "java/lang/CharSequence",
        "java/lang/Double",
        "java/lang/Float",
        "java/lang/Integer",
        "java/lang/Long",
        "java/lang/Number",
        "java/lang/Short",
        "java/lang/String",
        "java/math/BigDecimal",
        "java/math/BigInteger",
        "java/time/Duration",
        "java/time/Instant",
        "java/time/LocalDate",
        "java/time/LocalDateTime",
        "java/time/LocalTime",
        "java/util/Date",
        "java/util/UUID",
    ];
    let kind = element(kind);
    match kind.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
        Some(name) => OBJECTS.contains(&name),
        None => kind != "V",
    }
}

/// Types that a solution can implement or extend with a class of its own.
fn is_abstract(kind: &str) -> bool {
    ["Ljava/lang/CharSequence;", "Ljava/lang/Number;"].contains(&kind)
}

fn is_container(kind: &str) -> bool {
    const CONTAINERS: &[&str] = &[
        "ArrayDeque",
        "ArrayList",
        "Collection",
        "Deque",
        "HashMap",
        "HashSet",
        "LinkedHashMap",
        "LinkedHashSet",
        "LinkedList",
        "List",
        "Map",
        "Queue",
        "Set",
        "SortedMap",
        "SortedSet",
        "TreeMap",
        "TreeSet",
    ];
    kind.strip_prefix("Ljava/util/")
        .and_then(|name| name.strip_suffix(';'))
        .is_some_and(|name| CONTAINERS.contains(&name))
}

/// A type as written in Java source code.
fn in_source(kind: &str) -> String {
    let part = element(kind);
    let name = match part {
        "V" => "void".into(),
        "Z" => "boolean".into(),
        "B" => "byte".into(),
        "C" => "char".into(),
        "S" => "short".into(),
        "I" => "int".into(),
        "J" => "long".into(),
        "F" => "float".into(),
        "D" => "double".into(),
        object => object.trim_start_matches('L').trim_end_matches(';').replace(['/', '$'], "."),
    };
    name + &"[]".repeat(kind.len() - part.len())
}

#[cfg(test)]
mod tests {
    use model::reason::Sign;

    use super::{
        super::{edit::Names, runner::AnswerRecord, suite::TaskTests, wire::Files},
        *,
    };

    #[test]
    fn recorder_forwards_every_call() {
        let source = |descriptor| Method::read("m", descriptor).unwrap().source();
        let values = source("(I[[Ljava/util/Map$Entry;)D");
        assert!(values.contains("public double m(int a0, java.util.Map.Entry[][] a1)"), "{values}");
        assert!(values.contains("return (double) aixgrade.api.Tape.call(\"m(I[[Ljava/util/Map$Entry;)D\""), "{values}");
        assert!(values.contains("new Object[] {a0, a1}, () -> solution.m(a0, a1))"), "{values}");
        let nothing = source("([I)V");
        assert!(nothing.contains("() -> { solution.m(a0); return null; })"), "{nothing}");
    }

    #[test]
    fn unrecordable_methods_are_forwarded() {
        let passed_on = Method::read("m", "(Ljava/io/File;)V").unwrap().source();
        assert!(passed_on.contains("solution.m(a0);") && !passed_on.contains("Tape.call"), "{passed_on}");
        let answers = Method::read("m", "()Ljava/io/File;").unwrap().source();
        assert!(answers.contains("return solution.m();"), "{answers}");
    }

    #[test]
    fn warning_makes_pass_suspicious() {
        let mut names = Names::after(1).unwrap();
        // The class uses files, so it runs alone, but it changes no default.
        let this = names.class("java/io/File").unwrap();
        let (next, entries) = names.done();
        let body: Vec<u8> = [1, this, this, 0, 0, 0, 0].into_iter().flat_map(u16::to_be_bytes).collect();
        let class = [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61], &next.to_be_bytes()[..], &entries, &body].concat();
        let classes = Files::from([("Output".to_owned(), class)]);
        let tests = TaskTests { class: "T".into(), classes: Files::new() };
        let job =
            Job { tests: &tests, class: "Output", classes: &classes, prefix: "", answer_record: AnswerRecord::Off };
        assert!(!is_suspicious(&Suite::bare(), job, &[]));
        let left = Flag { line: None, sign: Sign::ThreadsLeft { count: 1 } };
        assert!(is_suspicious(&Suite::bare(), job, &[left]));
    }

    #[test]
    fn only_plain_values_are_recorded() {
        let check = |descriptor: &str, recordable: bool, others: bool| {
            let method = Method::read("m", descriptor).unwrap();
            assert_eq!((method.is_recordable(), method.may_hold_others()), (recordable, others), "{descriptor}");
        };
        check("([I)I", true, false);
        check("(Ljava/lang/String;J)[Ljava/lang/String;", true, false);
        check("(Ljava/util/List;)Ljava/util/Map;", true, true);
        check("(Ljava/lang/Object;)Z", true, true);
        check("([I)V", true, false);
        check("(Ljava/lang/StringBuilder;)V", true, false);
        // The effect is outside the arguments, or the result is not a plain value.
        check("(Ljava/lang/String;)V", false, false);
        check("()V", false, false);
        check("(Ljava/io/File;)Z", false, false);
        check("(I)Ljava/lang/Object;", false, true);
        check("(I)Ljava/io/InputStream;", false, false);
        check("(I)Ljava/lang/Thread;", false, false);
        check("(Ljava/lang/Number;)Ljava/lang/Number;", false, false);
    }
}
