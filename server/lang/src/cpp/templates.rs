//! Instantiations of the helper headers' templates that many samples use.
//!
//! They are compiled once per toolchain instead of with each sample, which takes most of the compilation time of a
//! small program. A header declares them as `extern template`. The declaration changes where the code of an
//! instantiation comes from, but not the meaning of a function's body.

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

/// The types of the two operands of `+` for strings.
const STRING_OPERANDS: [(&str, &str); 11] = [
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

/// All instantiations. With the keyword `template` the text defines them, with `extern template` it declares them.
pub fn instantiations(keyword: &str) -> String {
    let mut standard: Vec<String> = Vec::new();
    let mut iterators: Vec<String> = Vec::new();
    for element in ELEMENTS {
        let vector = format!("std::vector<{element}>");
        standard.push(format!("class allocator<{element}>"));
        // `vector<bool>` is a specialization with another base class and other iterators.
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
    for (left, right) in STRING_OPERANDS {
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
