//! Display settings of Java; `crate` formats it.

use crate::display::Display;

/// Additions to the grammar's highlighting query.
const MORE: &str = r#"
(field_access field: (identifier) @property)
((field_access field: (identifier) @constant) (#match? @constant "^_*[A-Z][A-Z\\d_]+$"))
(constructor_declaration name: (identifier) @function)
(method_reference "::" (identifier) @function)
(record_declaration name: (identifier) @type)
(annotation_type_declaration name: (identifier) @type)
(binary_integer_literal) @number
["@interface"] @keyword
["=" "+=" "-=" "*=" "/=" "&=" "|=" "^=" "%=" "<<=" ">>=" ">>>=" "==" "!=" "<=" ">=" "&&" "||" "+" "-" "*" "/" "%"
 "|" "^" "<<" ">>" ">>>" "++" "--" "!" "~" "->" "::"] @operator
(binary_expression operator: ["<" ">" "&"] @operator)
(ternary_expression ["?" ":"] @operator)
"#;

pub static DISPLAY: Display =
    Display { highlights: &[tree_sitter_java::HIGHLIGHTS_QUERY, MORE], fences: &["java"], solution: "{" };
