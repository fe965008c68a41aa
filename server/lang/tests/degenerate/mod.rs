//! Degenerate answers in languages with declared types: constants of the type that the function returns, and answers made of
//! its arguments. One program has all of a task's answers and is compiled once; the variable [`CHOICE`] says which one a
//! process gives.

use benchmarks::humaneval::{self, Task};
use model::code_lang::CodeLang;

pub mod choosing;
mod signature;

use signature::{Signature, Type, Typed};

/// The environment variable with the number of the answer.
pub const CHOICE: &str = "AIXGRADE_ANSWER";

const INTEGERS: [i64; 32] = [
    0, 1, -1, 2, 3, 10, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 20, 24, 25, 30, 42, 50, 60, 100, 120, 1000,
    1_000_000, -2, -10, -100,
];
/// Those that the guard treats differently are among the first.
const REALS: [&str; 34] = [
    "0.0", "1.0", "nan", "inf", "-inf", "0.5", "-1.0", "1e13", "-1e13", "2.0", "3.0", "1e30", "-1e30", "1e-30", "0.1",
    "0.2", "0.25", "0.3", "0.7", "0.75", "0.9", "0.001", "1.5", "2.5", "4.0", "5.0", "6.0", "7.0", "10.0", "20.0",
    "100.0", "1000.0", "-0.5", "-2.0",
];
const TEXTS: [&str; 42] = [
    "", " ", "a", "0", "\0", "None", "YES", "NO", "1", "-1", "A", "b", "Yes", "No", "yes", "no", "true", "True",
    "false", "False", "null", "NaN", "[]", "{}", "()", ".", ",", "-", "abc", "aa", "a a", "\n", "\t", "0 1 2 3",
    "db0db", "error", "Invalid", "EVEN", "ODD", "x", "ab", "00",
];
const CHARACTERS: [char; 5] = ['a', 'b', 'A', ' ', '0'];

/// A constant, to be written as a value of a type.
#[derive(Clone)]
enum Value {
    Truth(bool),
    Integer(i64),
    Smallest,
    Largest,
    Real(&'static str),
    Character(char),
    Text(&'static str),
    /// An array, a list or a tuple.
    Items(Vec<Value>),
    Copies(Box<Value>, usize),
    Pairs(Vec<(Value, Value)>),
    /// No value: an empty `Optional`, `Option` or `boost::any`.
    Nothing,
    /// A null reference.
    Null,
    Just(Box<Value>),
    /// A value of another type.
    Of(Typed, Box<Value>),
    /// A variant of the enum `RtnType` of Rust/137.
    Variant(&'static str, Typed, Box<Value>),
}

/// The answers of a task, as expressions in its language.
pub fn answers(lang: CodeLang, task: &Task) -> Vec<String> {
    let signature = signature::read(lang, task);
    let writer = Writer { lang };
    let constants = writer.constants(&signature.result);
    let mut answers: Vec<String> = constants.iter().map(|value| writer.value(&signature.result, value)).collect();
    answers.extend(writer.of_arguments(&signature));
    let mut seen = std::collections::HashSet::new();
    answers.retain(|answer| seen.insert(answer.clone()));
    answers
}

/// What a sample that gives one answer continues, if that is not the task's prompt.
pub fn prompt(lang: CodeLang, task: &Task) -> Option<String> {
    // The published evaluator adds no import of these packages, nor of one whose name is part of an import of the tests:
    // `math` of `math/rand`.
    let is_hidden = |name: &&str| task.test_setup.contains(*name) && !task.test_setup.contains(&format!("\"{name}\""));
    let own = ["math", "strings", "strconv", "fmt", "sort"].into_iter().filter(is_hidden);
    let imports: String = ["os", "reflect"].into_iter().chain(own).map(|name| format!("\t\"{name}\"\n")).collect();
    (lang == CodeLang::Go).then(|| format!("import (\n{imports})\n{}", task.prompt))
}

/// The rest of the function that returns an answer.
pub fn generation(lang: CodeLang, task: &Task, answer: &str) -> String {
    rest(lang, task, &format!("    return {answer};\n"))
}

/// A sample with all answers, of which a process gives one.
pub fn solution(lang: CodeLang, task: &Task, answers: &[String]) -> String {
    let arm = |(number, answer): (usize, &String)| match lang {
        CodeLang::Rust => format!("        {number} => {{ return {answer}; }}\n"),
        _ => format!("    case {number}:\n        return {answer};\n"),
    };
    let arms: String = answers.iter().enumerate().map(arm).collect();
    let body = match lang {
        CodeLang::Cpp => format!("    switch (atoi(getenv(\"{CHOICE}\"))) {{\n{arms}    }}\n    abort();\n"),
        CodeLang::Go => format!(
            "    choice, _ := strconv.Atoi(os.Getenv(\"{CHOICE}\"))\n    switch choice {{\n{arms}    }}\n    panic(choice)\n"
        ),
        CodeLang::Java => format!(
            "    switch (Integer.parseInt(System.getenv(\"{CHOICE}\"))) {{\n{arms}    }}\n    throw new IllegalStateException();\n"
        ),
        _ => format!(
            "    match std::env::var(\"{CHOICE}\").unwrap().parse::<i32>().unwrap() {{\n{arms}        choice => panic!(\"{{}}\", choice),\n    }}\n"
        ),
    };
    humaneval::sample(lang, task, prompt(lang, task).as_deref(), &rest(lang, task, &body))
}

/// The rest of the function, whose statements may use the functions that follow it.
fn rest(lang: CodeLang, task: &Task, statements: &str) -> String {
    let Signature { result, parameters, .. } = signature::read(lang, task);
    let declared: Vec<String> = parameters.iter().map(|(name, kind)| format!("{} {name}", kind.text)).collect();
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let (declared, names, result) = (declared.join(", "), names.join(", "), result.text);
    match lang {
        // In C++, what is used must be declared before.
        CodeLang::Cpp => format!(
            "\n    {result} degenerate({declared});\n    return degenerate({names});\n}}\n{}\n{result} degenerate({declared}) {{\n{statements}}}\n",
            include_str!("helpers.cpp")
        ),
        CodeLang::Java => format!(
            "\n        return Degenerate.answer({names});\n    }}\n}}\n\nclass Degenerate {{\n    static {result} answer({declared}) {{\n{statements}    }}\n{}}}\n",
            include_str!("Helpers.java")
        ),
        CodeLang::Go => {
            // What the prompt's own functions import is imported for the generation only.
            let code: Vec<&str> = task.prompt.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let mentions = humaneval::go_mentions(&code.join("\n"));
            format!("\n{statements}}}\n// {mentions}\n{}", include_str!("helpers.go"))
        }
        _ => {
            let has_enum = matches!(signature::read(lang, task).result.kind, Type::Enum);
            let declared = if has_enum { include_str!("enum.rs") } else { "" };
            format!("\n{statements}}}\n{}{declared}", include_str!("helpers.rs"))
        }
    }
}

/// Writes expressions in a language.
#[derive(Clone, Copy)]
struct Writer {
    lang: CodeLang,
}

/// Whether two types are the same; in Java, also if one of them is boxed.
fn is_same(one: &Typed, other: &Typed) -> bool {
    let boxed = |text: &str| ["int", "Integer"].contains(&text) || ["double", "Double"].contains(&text);
    one.kind == other.kind && (one.text == other.text || boxed(&one.text) && boxed(&other.text))
}

/// The first values of a type.
fn first(values: Vec<Value>, count: usize) -> Vec<Value> {
    values.into_iter().take(count).collect()
}

fn pairs(firsts: &[Value], seconds: &[Value]) -> Vec<(Value, Value)> {
    firsts.iter().flat_map(|first| seconds.iter().map(|second| (first.clone(), second.clone()))).collect()
}

impl Writer {
    /// Whether a reference of this type can be null.
    fn has_null(self, kind: &Type) -> bool {
        match self.lang {
            CodeLang::Java => {
                matches!(kind, Type::Text | Type::List(_) | Type::Map(..) | Type::Optional(_) | Type::Any)
            }
            CodeLang::Go => matches!(kind, Type::List(_) | Type::Map(..) | Type::Any),
            _ => false,
        }
    }

    /// Constants of a type.
    fn constants(self, of: &Typed) -> Vec<Value> {
        let mut values = match &of.kind {
            Type::Truth => vec![Value::Truth(true), Value::Truth(false)],
            Type::Integer => {
                let is_unsigned = of.text.starts_with('u');
                let numbers = INTEGERS
                    .iter()
                    .filter(|number| **number >= 0 || !is_unsigned)
                    .map(|number| Value::Integer(*number));
                let mut numbers: Vec<Value> = numbers.collect();
                numbers.splice(4..4, [Value::Smallest, Value::Largest]);
                numbers
            }
            Type::Real => REALS.map(Value::Real).into(),
            Type::Character => CHARACTERS.map(Value::Character).into(),
            Type::Text => TEXTS.map(Value::Text).into(),
            Type::List(of) => self.lists(of),
            Type::Tuple(of) => {
                let constants: Vec<Vec<Value>> = of.iter().map(|of| first(self.constants(of), 7)).collect();
                pairs(&constants[0], &constants[1]).into_iter().map(|(a, b)| Value::Items(vec![a, b])).collect()
            }
            Type::Map(key, value) => {
                let (keys, values) = (first(self.constants(key), 5), first(self.constants(value), 8));
                let maps = pairs(&keys, &values).into_iter().map(|pair| Value::Pairs(vec![pair]));
                [Value::Pairs(Vec::new())].into_iter().chain(maps).collect()
            }
            Type::Optional(of) => {
                let constants =
                    self.constants(of).into_iter().filter(|value| !matches!(value, Value::Null | Value::Nothing));
                [Value::Nothing].into_iter().chain(constants.map(|value| Value::Just(Box::new(value)))).collect()
            }
            Type::Any => self.any(),
            Type::Enum => {
                let of = |variant: &'static str, text: &str| {
                    let of = signature::parse(self.lang, text);
                    let constants = first(self.constants(&of), 14).into_iter();
                    constants.map(|value| Value::Variant(variant, of.clone(), Box::new(value))).collect::<Vec<_>>()
                };
                let variants = [("String", "String"), ("Float", "f64"), ("Int", "i32")];
                let all = variants.into_iter().flat_map(|(variant, text)| of(variant, text));
                [Value::Nothing].into_iter().chain(all).collect()
            }
        };
        if self.has_null(&of.kind) {
            values.insert(1, Value::Null);
        }
        values
    }

    fn lists(self, of: &Typed) -> Vec<Value> {
        let constants = self.constants(of);
        let few = first(constants.clone(), 4);
        let single = first(constants.clone(), 14).into_iter().map(|value| Value::Items(vec![value]));
        let several = first(constants, 5).into_iter().map(|value| Value::Items(vec![value; 3]));
        let many = few.iter().map(|value| Value::Copies(Box::new(value.clone()), 100));
        let two = pairs(&few, &few).into_iter().map(|(a, b)| Value::Items(vec![a, b]));
        [Value::Items(Vec::new())].into_iter().chain(single).chain(several).chain(many).chain(two).collect()
    }

    /// Values of a type that can be anything.
    fn any(self) -> Vec<Value> {
        let types = match self.lang {
            CodeLang::Cpp => ["bool", "int", "double", "string"],
            CodeLang::Go => ["bool", "int", "float64", "string"],
            _ => ["Boolean", "Integer", "Double", "String"],
        };
        let of = |text: &str| {
            let of = signature::parse(self.lang, text);
            let constants = first(self.constants(&of), 14).into_iter().filter(|value| !matches!(value, Value::Null));
            constants.map(|value| Value::Of(of.clone(), Box::new(value))).collect::<Vec<_>>()
        };
        let nothing = (self.lang == CodeLang::Cpp).then_some(Value::Nothing);
        nothing.into_iter().chain(types.into_iter().flat_map(of)).collect()
    }

    fn value(self, of: &Typed, value: &Value) -> String {
        let items = |of: &Typed, values: &[Value]| {
            values.iter().map(|value| self.value(of, value)).collect::<Vec<_>>().join(", ")
        };
        let text = &of.text;
        match (&of.kind, value) {
            (_, Value::Truth(is_true)) => is_true.to_string(),
            (_, Value::Integer(number)) => self.integer(text, *number),
            (_, Value::Smallest) => self.limit(text, true),
            (_, Value::Largest) => self.limit(text, false),
            (_, Value::Real(number)) => self.real(text, number),
            (_, Value::Character(c)) => format!("'{c}'"),
            (_, Value::Text(content)) => self.text(text, content),
            (Type::List(inner), Value::Items(values)) => self.list(of, &items(inner, values)),
            (Type::List(inner), Value::Copies(value, count)) => {
                self.copies(of, &self.value(inner, value), &count.to_string())
            }
            (Type::Tuple(inner), Value::Items(values)) => {
                let parts: Vec<String> = inner.iter().zip(values).map(|(of, value)| self.value(of, value)).collect();
                self.tuple(of, &parts)
            }
            (Type::Map(key, item), Value::Pairs(pairs)) => {
                let pairs: Vec<(String, String)> =
                    pairs.iter().map(|(k, v)| (self.value(key, k), self.value(item, v))).collect();
                self.map(of, &pairs)
            }
            (_, Value::Null) if self.lang == CodeLang::Go => format!("{}(nil)", text),
            (_, Value::Null) => format!("({text}) null"),
            (Type::Enum, _) => match value {
                Value::Variant(name, of, value) => format!("RtnType::{name}({})", self.value(of, value)),
                _ => "RtnType::Empty()".to_owned(),
            },
            (Type::Optional(inner), Value::Just(value)) => match self.lang {
                CodeLang::Rust => format!("Some({})", self.value(inner, value)),
                _ => format!("Optional.<{}>of({})", inner.text, self.value(inner, value)),
            },
            (Type::Optional(inner), _) => match self.lang {
                CodeLang::Rust => "None".to_owned(),
                _ => format!("Optional.<{}>empty()", inner.text),
            },
            (_, Value::Of(of, value)) => self.any_of(&self.value(of, value)),
            (_, Value::Nothing) => "boost::any()".to_owned(),
            _ => panic!("no such constant of {text}"),
        }
    }

    fn any_of(self, value: &str) -> String {
        match self.lang {
            CodeLang::Cpp => format!("boost::any({value})"),
            CodeLang::Go => format!("interface{{}}({value})"),
            _ => format!("(Object) ({value})"),
        }
    }

    fn integer(self, text: &str, number: i64) -> String {
        match self.lang {
            CodeLang::Rust => format!("{number}{text}"),
            CodeLang::Java if text.eq_ignore_ascii_case("long") => format!("{number}L"),
            CodeLang::Java => number.to_string(),
            _ => format!("({text})({number})"),
        }
    }

    fn limit(self, text: &str, is_smallest: bool) -> String {
        let end = if is_smallest { "MIN" } else { "MAX" };
        match (self.lang, is_smallest) {
            (CodeLang::Cpp, _) if text == "long long" => format!("LLONG_{end}"),
            (CodeLang::Cpp, _) => format!("INT_{end}"),
            (CodeLang::Go, true) => format!("{text}(math.MinInt64)"),
            // Of 32 bits, which every type of integers has.
            (CodeLang::Go, false) => format!("{text}(math.MaxInt32)"),
            (CodeLang::Java, _) if text.eq_ignore_ascii_case("long") => format!("Long.{end}_VALUE"),
            (CodeLang::Java, _) => format!("Integer.{end}_VALUE"),
            _ => format!("{text}::{end}"),
        }
    }

    fn real(self, text: &str, number: &str) -> String {
        let (nan, inf, minus_inf) = match self.lang {
            CodeLang::Cpp => ("NAN".to_owned(), "INFINITY".to_owned(), "-INFINITY".to_owned()),
            CodeLang::Go => ("math.NaN()".to_owned(), "math.Inf(1)".to_owned(), "math.Inf(-1)".to_owned()),
            CodeLang::Java => {
                ("Double.NaN".to_owned(), "Double.POSITIVE_INFINITY".to_owned(), "Double.NEGATIVE_INFINITY".to_owned())
            }
            _ => (format!("{text}::NAN"), format!("{text}::INFINITY"), format!("{text}::NEG_INFINITY")),
        };
        let number = match number {
            "nan" => nan,
            "inf" => inf,
            "-inf" => minus_inf,
            other if self.lang == CodeLang::Rust => format!("{other}{text}"),
            other => other.to_owned(),
        };
        match self.lang {
            CodeLang::Cpp | CodeLang::Go => format!("({text})({number})"),
            _ => number,
        }
    }

    fn text(self, text: &str, content: &str) -> String {
        let literal = format!("{content:?}");
        match self.lang {
            CodeLang::Cpp => format!("string({literal}, {})", content.len()),
            CodeLang::Go => literal.replace("\\0", "\\x00"),
            CodeLang::Rust if text == "String" => format!("{literal}.to_string()"),
            _ => literal,
        }
    }

    fn list(self, of: &Typed, items: &str) -> String {
        let Type::List(inner) = &of.kind else { panic!("{} is no list", of.text) };
        match self.lang {
            CodeLang::Java if items.is_empty() => format!("new ArrayList<{}>()", inner.text),
            CodeLang::Java => format!("new ArrayList<{}>(Arrays.asList({items}))", inner.text),
            CodeLang::Rust => format!("vec![{items}]"),
            _ => format!("{}{{{items}}}", of.text),
        }
    }

    /// A list with copies of an item: no more than a thousand.
    fn copies(self, of: &Typed, item: &str, count: &str) -> String {
        let Type::List(inner) = &of.kind else { panic!("{} is no list", of.text) };
        match self.lang {
            CodeLang::Java => format!("Degenerate.<{}>copies({item}, {count})", inner.text),
            CodeLang::Rust => format!("copies({item}, {count})"),
            CodeLang::Go => format!("copies[{}]({item}, {count})", inner.text),
            _ => format!("copies<{}>({item}, {count})", inner.text),
        }
    }

    fn tuple(self, of: &Typed, parts: &[String]) -> String {
        match self.lang {
            CodeLang::Rust => format!("({})", parts.join(", ")),
            _ => format!("{}{{{}}}", of.text, parts.join(", ")),
        }
    }

    fn map(self, of: &Typed, pairs: &[(String, String)]) -> String {
        let all = |open: &str, between: &str, close: &str| {
            pairs
                .iter()
                .map(|(key, value)| format!("{open}{key}{between}{value}{close}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self.lang {
            CodeLang::Cpp => format!("{}{{{}}}", of.text, all("{", ", ", "}")),
            CodeLang::Go => format!("{}{{{}}}", of.text, all("", ": ", "")),
            CodeLang::Java => format!("new Hash{}(Map.of({}))", of.text, all("", ", ", "")),
            _ => format!("HashMap::from([{}])", all("(", ", ", ")")),
        }
    }

    /// Whether an argument has a size: a value of any type has one in languages with reflection.
    fn has_size(self, of: &Typed) -> bool {
        !matches!(of.kind, Type::Any) || matches!(self.lang, CodeLang::Go | CodeLang::Java)
    }

    /// The size of an argument: a number itself, the length of a text, list or map.
    fn size(self, name: &str) -> String {
        if self.lang == CodeLang::Rust { format!("size(&{name})") } else { format!("size({name})") }
    }

    /// A whole number as a value of a type of numbers.
    fn number(self, of: &Typed, number: &str) -> String {
        match self.lang {
            CodeLang::Rust => format!("({number}) as {}", of.text),
            // `Integer` and `Double` are made of what they wrap.
            CodeLang::Java => match of.text.as_str() {
                "Integer" => format!("(int) ({number})"),
                "Double" => format!("(double) ({number})"),
                text => format!("({text}) ({number})"),
            },
            _ => format!("({})({number})", of.text),
        }
    }

    /// Answers made of arguments.
    fn of_arguments(self, Signature { result, parameters, .. }: &Signature) -> Vec<String> {
        let mut answers = Vec::new();
        for (name, of) in parameters {
            answers.extend(self.changed(result, name, of));
            if self.has_size(of) {
                answers.extend(self.of_size(result, &self.size(name)));
            }
            let is_changeable = matches!(of.kind, Type::List(_) | Type::Map(..));
            if self.lang == CodeLang::Java && is_changeable {
                let constants = self.constants(result).into_iter().take(6);
                answers.extend(constants.map(|value| format!("clearing({name}, {})", self.value(result, &value))));
                answers.extend((of.text == result.text).then(|| format!("clearing({name}, {name})")));
            }
        }
        if matches!(result.kind, Type::Truth) {
            let sizes: Vec<String> = parameters.iter().map(|(name, _)| self.size(name)).collect();
            let neighbors = sizes
                .windows(2)
                .flat_map(|two| ["==", "!=", "<", ">", "<=", ">="].map(|sign| format!("{} {sign} {}", two[0], two[1])));
            let is_sized = parameters.iter().all(|(_, of)| self.has_size(of));
            answers.extend(neighbors.filter(|_| is_sized));
        }
        answers
    }

    /// An argument of the type of the result, and what looks like it.
    fn changed(self, result: &Typed, name: &str, of: &Typed) -> Vec<String> {
        let is_rust = self.lang == CodeLang::Rust;
        let copy = if is_rust { format!("{name}.clone()") } else { name.to_owned() };
        let mut answers = Vec::new();
        if let Type::List(inner) = &result.kind
            && is_same(inner, of)
        {
            answers.push(self.list(result, &copy));
        }
        if let Type::List(inner) = &of.kind
            && is_same(inner, result)
        {
            let other = self.value(result, &self.constants(result)[0]);
            let list = if is_rust { format!("&{name}") } else { name.to_owned() };
            answers.extend(["first_of", "last_of"].map(|function| format!("{function}({list}, {other})")));
        }
        if matches!((&result.kind, &of.kind), (Type::Optional(_), Type::Any)) {
            answers.push(format!("Optional.of({name})"));
        }
        let operations = [
            "reversed",
            "sorted",
            "sorted_down",
            "doubled",
            "without_first",
            "without_last",
            "first_only",
            "last_only",
        ];
        match (&result.kind, &of.kind) {
            (Type::Text, Type::Text) => {
                let to_result =
                    |text: String| if is_rust && result.text == "str" { format!("leaked({text})") } else { text };
                let own = if is_rust { format!("{name}.to_string()") } else { name.to_owned() };
                let given = if is_rust { format!("&{name}") } else { name.to_owned() };
                answers.push(to_result(own));
                answers.extend(operations.map(|operation| to_result(format!("{operation}_text({given})"))));
            }
            (Type::List(_), Type::List(_)) if result.text == of.text => {
                let given = if is_rust { format!("&{name}") } else { name.to_owned() };
                answers.push(copy);
                answers.extend(operations.map(|operation| format!("{operation}({given})")));
            }
            (Type::Real, Type::Real) => {
                let own = if is_rust { format!("{name}.clone()") } else { name.to_owned() };
                answers.extend([own.clone(), format!("-{own}")]);
            }
            (Type::Any, Type::Any) | (Type::Map(..), Type::Map(..)) if result.text == of.text => answers.push(copy),
            _ => {}
        }
        answers
    }

    /// Answers made of an argument's size.
    fn of_size(self, result: &Typed, size: &str) -> Vec<String> {
        let numbers = |of: &Typed| {
            ["{}", "{} + 1", "{} - 1", "-{}", "2 * {}", "{} / 2", "{} % 2", "{} % 10"]
                .map(|form| self.number(of, &form.replace("{}", size)))
        };
        match &result.kind {
            Type::Integer | Type::Real => numbers(result).into(),
            Type::Truth => {
                let compared = [-1, 0, 1, 2, 3, 4, 5, 6, 10, 100]
                    .into_iter()
                    .flat_map(|limit| [">", "<=", "==", "!="].map(|sign| format!("{size} {sign} {limit}")));
                let divided = [2, 3, 5]
                    .into_iter()
                    .flat_map(|divisor| ["==", "!="].map(|sign| format!("{size} % {divisor} {sign} 0")));
                compared.chain(divided).collect()
            }
            Type::Text if result.text == "str" => {
                vec![format!("leaked(as_text({size}))"), format!("leaked(letters({size}))")]
            }
            Type::Text => vec![format!("as_text({size})"), format!("letters({size})")],
            Type::List(inner) => {
                let constants = first(self.constants(inner), 4);
                let mut lists: Vec<String> =
                    constants.iter().map(|value| self.copies(result, &self.value(inner, value), size)).collect();
                if matches!(inner.kind, Type::Integer) {
                    lists.extend(numbers(inner).iter().take(4).map(|number| self.list(result, number)));
                }
                lists
            }
            Type::Tuple(inner) if inner.iter().all(|of| matches!(of.kind, Type::Integer | Type::Real)) => {
                let zero = self.number(&inner[0], "0");
                let own = self.number(&inner[0], size);
                [[&own, &own], [&own, &zero], [&zero, &own]]
                    .map(|parts| self.tuple(result, &parts.map(String::clone)))
                    .into()
            }
            _ => Vec::new(),
        }
    }
}
