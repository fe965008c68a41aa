//! Degenerate answers to the tasks of AixBench: constants of the type that a method returns, answers made of its arguments,
//! changes of its arguments, and exceptions.

use std::collections::HashSet;

use super::{
    MINIMUM,
    signature::{Parameter, Shape, Signature, is_same, read, shape},
};

const WHOLE: &str = "0 1 -1 2 3 10 MAX_VALUE MIN_VALUE 4 5 6 7 8 9 11 12 15 16 20 24 28 29 30 31 32 50 60 64 100 127 255 256 \
    1000 2022 1000000 -2 -10 -100";
const REAL: &str = "0 1 -1 NaN POSITIVE_INFINITY NEGATIVE_INFINITY MAX_VALUE MIN_VALUE 0.5 2 3 10 -0.5 0.1 0.001 1e13 -1e13 \
    1e30 -1e30 1e-30 0.25 0.75 0.9 1.5 2.5 4 5 6 7 20 100 1000 3.14 -2 -10 -0.0";
const TEXTS: &str = "|a| |0|1|-1|null|A|b|ab|aa|a a|abc|true|false|.|/|,|-|_|[]|{}|()|\\\\|\\n|\\0|0.0|00|0x0|a,b|NaN|None|2022|\
    2022-01-01|YES|error|你好";
const CHARACTERS: &str = "abcdefghxyzABCDZ01259 .,-_/([{<+*#?!&@";
/// The first are tried everywhere, the others where there are not enough other answers.
const EXCEPTIONS: &str = "RuntimeException IllegalArgumentException NullPointerException IndexOutOfBoundsException Exception \
    Error IllegalStateException UnsupportedOperationException ArithmeticException NumberFormatException ClassCastException \
    ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException NegativeArraySizeException ArrayStoreException \
    SecurityException NoSuchElementException InputMismatchException EmptyStackException ConcurrentModificationException \
    IOException FileNotFoundException EOFException UnsupportedEncodingException CharConversionException \
    NotSerializableException MalformedURLException UnknownHostException SocketException ConnectException \
    ClassNotFoundException NoSuchFieldException NoSuchMethodException IllegalAccessException InstantiationException \
    InterruptedException CloneNotSupportedException TimeoutException BufferUnderflowException BufferOverflowException \
    AssertionError LinkageError InternalError";
const FIRST_EXCEPTIONS: usize = 6;
/// The same of constants.
const FIRST_CONSTANTS: usize = 24;
/// Some of the answers do not compile, or are right.
const ENOUGH: usize = MINIMUM + 4;

/// Constants of classes: a class in each line, and their forms.
const OBJECTS: &str = include_str!("objects.tsv");
/// What can be returned or done with an argument. In each line, what the method returns (`=` if it is the argument's type), what the
/// argument is, and their forms: with the argument for `$`, and a value that it can contain for `#`.
const ARGUMENTS: &str = include_str!("arguments.tsv");

/// The answers of a task: expressions that its method returns, or statements.
pub fn answers(signature: &str, of_test: &[&str]) -> Vec<String> {
    let signature = read(signature);
    let constants = match signature.result.as_str() {
        "void" => vec!["return;".to_owned()],
        result => constants(result),
    };
    let (first, more) = constants.split_at(constants.len().min(FIRST_CONSTANTS));
    let of_arguments = match signature.result.as_str() {
        "void" => effects(&signature),
        _ => results(&signature, first),
    };
    let exceptions: Vec<String> = EXCEPTIONS.split_whitespace().map(|class| format!("throw new {class}();")).collect();
    let (first_exceptions, more_exceptions) = exceptions.split_at(FIRST_EXCEPTIONS);
    let mut answers = [first, &of_arguments, first_exceptions].concat();
    answers.extend(of_test.iter().map(|answer| (*answer).to_owned()));
    let mut seen = HashSet::new();
    answers.retain(|answer| seen.insert(answer.clone()));
    let lacking = ENOUGH.saturating_sub(answers.len());
    answers.extend(more.iter().chain(more_exceptions).take(lacking).cloned());
    answers
}

/// A method that gives this answer. A change of an argument that fails does nothing.
pub fn method(signature: &str, answer: &str) -> String {
    let body = match answer.ends_with(';') {
        true if read(signature).result == "void" && !answer.contains("throw ") => {
            format!("try {{\n        {answer}\n    }} catch (Exception e) {{\n    }}")
        }
        true => answer.to_owned(),
        false => format!("return {answer};"),
    };
    format!("{} throws Exception {{\n    {body}\n}}\n", signature.trim())
}

/// A form with each of the alternatives in double brackets.
fn expand(form: &str) -> Vec<String> {
    let Some((before, rest)) = form.split_once("[[") else { return vec![form.to_owned()] };
    let (alternatives, after) = rest.split_once("]]").unwrap();
    let after = expand(after);
    let with =
        |alternative: &str| after.iter().map(|after| format!("{before}{alternative}{after}")).collect::<Vec<_>>();
    alternatives.split('|').flat_map(with).collect()
}

/// What a method that returns something can make of its arguments, some of which it empties and then returns a constant.
fn results(signature: &Signature, constants: &[String]) -> Vec<String> {
    let Signature { result, parameters } = signature;
    let mut answers = Vec::new();
    if matches!(shape(result), Shape::Truth) {
        answers.extend(conditions(parameters));
    }
    for parameter in parameters {
        answers.extend(of_argument(result, parameter));
        answers.extend(with_argument(result, parameter, parameters));
        answers.extend(size(parameter).iter().flat_map(|size| of_size(result, size)));
        if let Some(emptied) = emptied(parameter) {
            let own = (parameter.of == *result).then_some(&parameter.name);
            answers.extend(own.into_iter().chain(&constants[..2]).map(|of| format!("{emptied} return {of};")));
        }
    }
    if matches!(shape(result), Shape::Text) {
        answers.extend(pairs(parameters, &["$ + #", "# + $", "$ + \"=\" + #"]));
    }
    answers
}

/// Forms with each two neighbors among the texts.
fn pairs(parameters: &[Parameter], forms: &[&str]) -> Vec<String> {
    let texts = parameters.iter().filter(|parameter| matches!(shape(&parameter.of), Shape::Text));
    let names: Vec<&str> = texts.map(|parameter| parameter.name.as_str()).collect();
    let of = |two: &[&str]| forms.iter().map(|form| form.replace('$', two[0]).replace('#', two[1])).collect::<Vec<_>>();
    names.windows(2).flat_map(of).collect()
}

/// Constants of a type. In a list or a map, only the first of them are tried.
fn constants(of: &str) -> Vec<String> {
    let mut constants = match shape(of) {
        Shape::Truth => vec!["true".into(), "false".into()],
        Shape::Number => numbers(of),
        Shape::Character => CHARACTERS.chars().map(|c| format!("'{c}'")).collect(),
        Shape::Text => TEXTS.split('|').map(|text| format!("\"{text}\"")).collect(),
        Shape::Array(item) => arrays(item),
        Shape::List(item) => lists("ArrayList", item),
        Shape::Set(item) => lists("HashSet", item),
        Shape::Map(key, value) => {
            let (keys, values) = (constants(key), constants(value));
            let pairs = keys.iter().take(6).flat_map(|key| values.iter().take(6).map(move |value| (key, value)));
            let maps = pairs.map(|(key, value)| format!("new Hash{of}() {{{{ put({key}, {value}); }}}}"));
            [format!("new Hash{of}()")].into_iter().chain(maps).collect()
        }
        Shape::Other(class) => {
            let forms = OBJECTS.lines().filter_map(|line| line.split_once('\t')).find(|(of, _)| *of == class);
            forms.iter().flat_map(|(_, forms)| forms.split('\t').flat_map(expand)).collect()
        }
    };
    if of.ends_with("[]") || of.starts_with(|c: char| c.is_uppercase()) {
        constants.insert(constants.len().min(1), "null".into());
    }
    constants
}

fn numbers(of: &str) -> Vec<String> {
    let class = match of {
        "int" => "Integer".to_owned(),
        of => of[..1].to_uppercase() + &of[1..],
    };
    let (texts, before, after) = match class.as_str() {
        "Float" => (REAL, "", "f"),
        "Double" => (REAL, "", "d"),
        "Long" => (WHOLE, "", "L"),
        "Short" => (WHOLE, "(short) ", ""),
        "Byte" => (WHOLE, "(byte) ", ""),
        _ => (WHOLE, "", ""),
    };
    let number = |text: &str| match text.starts_with(|c: char| c.is_uppercase()) {
        true => format!("{class}.{text}"),
        false => format!("{before}{text}{after}"),
    };
    texts.split_whitespace().map(number).collect()
}

/// What a new array of this begins with, and what it ends with.
fn array(item: &str) -> (String, &str) {
    let (base, brackets) = item.split_at(item.find('[').unwrap_or(item.len()));
    // There are no arrays of type parameters.
    match base.len() {
        1 => (format!("({item}[]) new Object"), brackets),
        _ => (format!("new {base}"), brackets),
    }
}

fn arrays(item: &str) -> Vec<String> {
    let (new, brackets) = array(item);
    let values = constants(item);
    let empty = ["0", "1", "2", "3", "4", "8", "10", "100"].map(|size| format!("{new}[{size}]{brackets}"));
    let of_one = values.iter().take(14).map(|value| format!("{new}[]{brackets} {{{value}}}"));
    let of_three = values.iter().take(8).map(|value| format!("{new}[]{brackets} {{{value}, {value}, {value}}}"));
    let of_two = values.windows(2).take(8).map(|two| format!("{new}[]{brackets} {{{}}}", two.join(", ")));
    empty.into_iter().chain(of_one).chain(of_three).chain(of_two).collect()
}

fn lists(class: &str, item: &str) -> Vec<String> {
    let values = constants(item);
    let of = |items: String| format!("new {class}<{item}>({items})");
    let list = |values: String| of(format!("Arrays.<{item}>asList({values})"));
    // A single `null` would be the array of the items.
    let of_one = values.iter().take(20).map(|value| match value.as_str() {
        "null" => of("Collections.singletonList(null)".into()),
        value => list(value.to_owned()),
    });
    let of_two = values.windows(2).take(8).map(|two| list(two.join(", ")));
    let of_three = values.iter().take(6).map(|value| list([value.as_str(); 3].join(", ")));
    let many = values.iter().take(3).map(|value| of(format!("Collections.nCopies(100, {value})")));
    [of(String::new())].into_iter().chain(of_one).chain(of_two).chain(of_three).chain(many).collect()
}

/// An argument as a number: itself, its length or its size.
fn size(Parameter { name, of }: &Parameter) -> Option<String> {
    let member = match shape(of) {
        Shape::Number if of.starts_with(|c: char| c.is_uppercase()) => ".intValue()",
        Shape::Number | Shape::Character => "",
        Shape::Text => ".length()",
        Shape::Array(_) => ".length",
        Shape::List(_) | Shape::Set(_) | Shape::Map(..) => ".size()",
        Shape::Truth => return None,
        Shape::Other(class) => match class {
            "StringBuffer" | "File" => ".length()",
            "Date" => ".getTime()",
            "Calendar" => ".getTimeInMillis()",
            "ByteBuffer" => ".capacity()",
            "BigDecimal" => ".intValue()",
            "InputStream" => ".available()",
            "Class" => ".getName().length()",
            "Point" => ".x",
            _ => return None,
        },
    };
    Some(format!("{name}{member}"))
}

/// Whether something is so: comparisons of arguments and their sizes.
fn conditions(parameters: &[Parameter]) -> Vec<String> {
    let mut conditions = Vec::new();
    for parameter in parameters {
        if let Some(size) = size(parameter) {
            let form = format!("{size} [[>|<=|==|!=]] [[-1|0|1|2|3|4|5|6|10|100]]");
            conditions.extend([form, format!("{size} % [[2|3|5]] [[==|!=]] 0")].iter().flat_map(|form| expand(form)));
        }
        if !matches!(shape(&parameter.of), Shape::Number | Shape::Character | Shape::Truth) {
            conditions.extend(expand(&format!("{} [[==|!=]] null", parameter.name)));
        }
        conditions.extend(with_argument("boolean", parameter, parameters));
    }
    for two in parameters.windows(2) {
        if let (Some(one), Some(other)) = (size(&two[0]), size(&two[1])) {
            conditions.extend(expand(&format!("{one} [[==|!=|<|>|<=|>=]] {other}")));
        }
        if two[0].of == two[1].of {
            conditions.extend(expand(&format!("{} [[==|!=]] {}", two[0].name, two[1].name)));
        }
    }
    conditions
}

/// Answers made of an argument's size.
fn of_size(result: &str, size: &str) -> Vec<String> {
    match shape(result) {
        Shape::Number | Shape::Character => {
            let cast = match result {
                "Long" => "long",
                "Short" => "short",
                "Integer" => "int",
                of => of,
            };
            let forms = ["$", "$ + 1", "$ - 1", "-$", "2 * $", "$ / 2", "$ % 2", "$ % 10"];
            forms.map(|form| format!("({cast}) ({})", form.replace('$', size))).into()
        }
        Shape::Text => {
            vec![format!("\"\" + {size}"), format!("\"a\".repeat((int) {size})"), format!("\" \".repeat((int) {size})")]
        }
        Shape::Array(item) => {
            let (new, brackets) = array(item);
            vec![format!("{new}[(int) {size}]{brackets}")]
        }
        Shape::List(item) => {
            let values = constants(item).into_iter().take(3);
            values.map(|value| format!("new ArrayList<{item}>(Collections.nCopies((int) {size}, {value}))")).collect()
        }
        _ => Vec::new(),
    }
}

/// An argument itself, an item of it, or what contains it.
fn of_argument(result: &str, Parameter { name, of }: &Parameter) -> Vec<String> {
    let own = is_same(result, of).then(|| name.clone());
    let items: &[&str] = match shape(of) {
        Shape::Array(item) if is_same(item, result) => &["$[0]", "$[$.length - 1]"],
        Shape::List(item) if is_same(item, result) => &["$.iterator().next()", "$.get($.size() - 1)"],
        _ => &[],
    };
    let around = match (shape(result), shape(of)) {
        (Shape::List(item), _) if is_same(item, of) => format!("new ArrayList<{item}>(Arrays.asList($))"),
        (Shape::List(item), Shape::Array(its)) if item == its => {
            "new ArrayList<>(Arrays.asList($).subList([[0, 1|1, $.length]]))".into()
        }
        (Shape::Array(item), _) if is_same(item, of) => format!("new {item}[] {{$}}"),
        _ => String::new(),
    };
    let around = expand(&around).into_iter().filter(|form| !form.is_empty());
    let forms = items.iter().map(|form| (*form).to_owned()).chain(around);
    own.into_iter().chain(forms.map(|form| form.replace('$', name))).collect()
}

/// The statement that empties an argument, or sets all of it to nothing.
fn emptied(Parameter { name, of }: &Parameter) -> Option<String> {
    match shape(of) {
        Shape::List(_) | Shape::Set(_) | Shape::Map(..) => Some(format!("{name}.clear();")),
        Shape::Array("byte") => Some(format!("Arrays.fill({name}, (byte) 0);")),
        Shape::Array(item) if matches!(shape(item), Shape::Number) && item.starts_with(|c: char| c.is_lowercase()) => {
            Some(format!("Arrays.fill({name}, 0);"))
        }
        Shape::Array(_) => Some(format!("Arrays.fill({name}, null);")),
        _ => None,
    }
}

/// What a method that returns nothing can do.
fn effects(Signature { parameters, .. }: &Signature) -> Vec<String> {
    let mut effects = Vec::new();
    for parameter in parameters {
        effects.extend(emptied(parameter));
        effects.extend(with_argument("void", parameter, parameters));
    }
    let forms = [
        "new File($, #).createNewFile();",
        "new File($ + #).createNewFile();",
        "new File($).mkdirs(); new File($, #).createNewFile();",
        "new File($).mkdirs(); new File(#).mkdirs();",
        "new File($).renameTo(new File(#));",
        "new File(#).renameTo(new File($));",
    ];
    effects.extend(pairs(parameters, &forms));
    let lacking = MINIMUM.saturating_sub(effects.len());
    let conditional = |condition: String| format!("if ({condition}) throw new IllegalArgumentException();");
    effects.extend(conditions(parameters).into_iter().take(lacking).map(conditional));
    effects
}

/// The first constants of a type, after the arguments that have it.
fn values(of: &str, count: usize, parameters: &[Parameter]) -> Vec<String> {
    let arguments = parameters.iter().filter(|parameter| is_same(&parameter.of, of)).map(|p| p.name.clone());
    arguments.chain(constants(of).into_iter().take(count)).collect()
}

/// What [`ARGUMENTS`] has for an argument of a method that returns this.
fn with_argument(result: &str, Parameter { name, of }: &Parameter, parameters: &[Parameter]) -> Vec<String> {
    let (is_own, mine, its) = (is_same(result, of), kind(result), kind(of));
    let is_asked = |(result, argument, _): &(&str, &str, &str)| {
        (*result == mine || *result == "=" && is_own) && (*argument == its || *argument == "Other" && is_other(of))
    };
    let lines = ARGUMENTS.lines().filter_map(|line| {
        let (result, rest) = line.split_once('\t')?;
        let (argument, forms) = rest.split_once('\t')?;
        Some((result, argument, forms))
    });
    let (keys, items) = match shape(of) {
        Shape::Map(key, value) => (values(key, 4, parameters), values(value, 6, parameters)),
        Shape::Array(item) => (Vec::new(), values(item.trim_end_matches("[]"), 9, parameters)),
        Shape::List(item) | Shape::Set(item) => (Vec::new(), values(item, 9, parameters)),
        _ => (Vec::new(), Vec::new()),
    };
    let with = |form: String, mark: &str, values: &[String]| match form.contains(mark) {
        true => values.iter().map(|value| form.replace(mark, value)).collect(),
        false => vec![form],
    };
    let forms = lines.filter(is_asked).flat_map(|(_, _, forms)| forms.split('\t').flat_map(expand));
    let with_keys = forms.flat_map(|form| with(form, "$key", &keys));
    with_keys.flat_map(|form| with(form, "#", &items)).map(|form| form.replace('$', name)).collect()
}

fn is_other(of: &str) -> bool {
    matches!(shape(of), Shape::Other(_))
}

/// What [`ARGUMENTS`] calls a type.
fn kind(of: &str) -> &str {
    match shape(of) {
        Shape::Truth => "Truth",
        Shape::Number => "Number",
        Shape::Character => "Character",
        Shape::Text => "Text",
        Shape::Array(item) if item.ends_with("[]") => "Rows",
        Shape::Array(_) => "Array",
        Shape::List(_) if !of.starts_with("Collection") => "List",
        Shape::List(_) => "Set",
        Shape::Set(_) => "Set",
        Shape::Map(..) => "Map",
        Shape::Other(class) => class,
    }
}
