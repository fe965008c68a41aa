//! Instantiations of the helper headers' templates that many samples use.
//!
//! Compiled once, they need not be compiled again with each sample: most of the time that a small program takes. A
//! declaration of such an instantiation changes what is compiled, not what a function's body means.

/// Element types of vectors.
const ELEMENTS: [&str; 11] = [
    "int",
    "float",
    "double",
    "char",
    "bool",
    "long",
    "long long",
    "std::string",
    "std::vector<int>",
    "std::vector<float>",
    "std::vector<std::string>",
];

/// Types of operands that strings are joined from.
const JOINED: [(&str, &str); 11] = [
    ("const string&", "const string&"),
    ("string&&", "string&&"),
    ("const string&", "string&&"),
    ("string&&", "const string&"),
    ("const char*", "const string&"),
    ("const char*", "string&&"),
    ("char", "const string&"),
    ("const string&", "const char*"),
    ("string&&", "const char*"),
    ("const string&", "char"),
    ("string&&", "char"),
];

/// Each instantiation behind `keyword`: `template` defines it, `extern template` declares it.
pub fn instantiations(keyword: &str) -> String {
    let mut standard: Vec<String> = Vec::new();
    let mut iterators: Vec<String> = Vec::new();
    for element in ELEMENTS {
        let vector = format!("std::vector<{element}>");
        standard.push(format!("class allocator<{element}>"));
        // A vector of bool has a base and iterators of its own.
        if element != "bool" {
            standard.push(format!("struct _Vector_base<{element}, std::allocator<{element}>>"));
            for pointer in [format!("{element}*"), format!("const {element}*")] {
                iterators.push(format!("class __normal_iterator<{pointer}, {vector}>"));
            }
            let iterator = format!("__normal_iterator<{element}*, {vector}>");
            let compared = format!("<{element}*, {vector}>(const {iterator}&, const {iterator}&)");
            iterators.push(format!("bool operator!={compared}"));
            iterators.push(format!("bool operator=={compared}"));
            iterators.push(format!("{vector}::iterator::difference_type operator-{compared}"));
            let iterator = format!("{vector}::iterator");
            standard.push(format!("void sort<{iterator}>({iterator}, {iterator})"));
            standard.push(format!("void reverse<{iterator}>({iterator}, {iterator})"));
            standard.push(format!("{iterator} max_element<{iterator}>({iterator}, {iterator})"));
            standard.push(format!("{iterator} min_element<{iterator}>({iterator}, {iterator})"));
            standard.push(format!("{iterator} find<{iterator}, {element}>({iterator}, {iterator}, const {element}&)"));
        }
        standard.push(format!("class {}", vector.trim_start_matches("std::")));
        standard
            .push(format!("bool operator==<{element}, std::allocator<{element}>>(const {vector}&, const {vector}&)"));
    }
    for number in ["int", "float", "double", "long", "long long"] {
        for name in ["max", "min"] {
            standard.push(format!("const {number}& {name}<{number}>(const {number}&, const {number}&)"));
        }
    }
    let text = "<char, char_traits<char>, allocator<char>>";
    for (left, right) in JOINED {
        standard.push(format!("string operator+{text}({left}, {right})"));
    }
    for right in ["const string&", "const char*"] {
        for operator in ["==", "!="] {
            standard.push(format!("bool operator{operator}{text}(const string&, {right})"));
        }
    }
    let lines = |items: Vec<String>| items.iter().map(|item| format!("{keyword} {item};\n")).collect::<String>();
    format!("namespace std {{\n{}}}\nnamespace __gnu_cxx {{\n{}}}\n", lines(standard), lines(iterators))
}
