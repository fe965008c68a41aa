//! Finds Python samples that can reach nothing of the system, by what they name.
//!
//! A sample runs with modules and functions that reach everything: the interpreter's frames, the C library. It gets to
//! them only by an attribute, an import, or a builtin function, and each of these must be named in its code. So the code
//! may name only attributes from a list, and must call them, so that it sets none. A hole in the interpreter itself is a way around this.
//!
//! Two further rules hold apart. Nothing that code names reads an attribute by a text (`str.format`) or makes a class with
//! special methods (`type`), which comparisons would pass what the tests expect. And nothing loads a module or looks up a
//! file by a name that code chooses, as texts in an encoding do: later solvers could notice it.

use std::collections::BTreeSet;

/// The attributes that code may name: methods of plain values, and functions of modules that compute.
const ATTRIBUTES: &str = "
    add append args as_integer_ratio bit_count bit_length bisect bisect_left bisect_right capitalize casefold ceil
    center clear comb combinations copy copysign cos count Counter cycle date datetime days deepcopy defaultdict
    degrees deque difference discard dist e endswith exp expandtabs extend extendleft fabs factorial find findall
    finditer floor fmod fromkeys fsum fullmatch gcd get group groupby groups heapify heappop heappush heappushpop
    heapreplace hexdigest hypot inf index insert intersection is_integer isalnum isalpha isascii isclose isdecimal
    isdigit isdisjoint isfinite isidentifier isinf islice islower isnan isnumeric isprintable isspace issubset
    issuperset istitle isupper items join keys lcm ljust log log10 log2 lower lstrip lru_cache maketrans match mean
    median mode modf most_common move_to_end month nan nlargest nsmallest partition permutations pi pop popitem
    popleft pow prod product punctuation radians real imag conjugate reduce remove removeprefix removesuffix repeat
    replace reverse rfind rindex rjust rotate rpartition rsplit rstrip search setdefault sin sort span split
    splitlines sqrt stdev starmap startswith start end strip sub subtract swapcase symmetric_difference tan timedelta
    title today translate trunc union update upper values variance pstdev year day weekday zfill zip_longest
    accumulate chain from_iterable ascii_letters ascii_lowercase ascii_uppercase digits hexdigits md5 sha256
    cmp_to_key";

/// What a program can name without an attribute and without binding the name itself: builtins and modules that compute, and
/// types. Every other name of the interpreter's and of the modules with which programs begin reaches further than plain
/// values, evaluates text, or makes classes.
const NAMES: &str = "
    abs all any ascii bin bool callable chr complex dict divmod enumerate filter float frozenset hash hex int isinstance
    issubclass iter len list map max min next object oct ord pow print range repr reversed round set slice sorted str sum
    tuple zip True False None NotImplemented Exception ArithmeticError AssertionError AttributeError EOFError
    FloatingPointError IndexError KeyError LookupError MemoryError NameError NotImplementedError OverflowError
    RecursionError RuntimeError StopIteration SyntaxError TypeError UnicodeError ValueError ZeroDivisionError
    OrderedDict defaultdict deque";

/// The types that code may name and import from `typing`, which has modules and functions that evaluate text, too.
const TYPES: &str = "
    Any Callable Counter DefaultDict Deque Dict FrozenSet Generator Generic Hashable Iterable Iterator List Mapping
    NoReturn Optional Sequence Set Tuple TypeVar Union";

/// Modules that reach further than plain values, the keywords of imports, those of patterns, which read attributes without a
/// dot, and that of classes, whose methods others call with what they compare. Names with two underscores are checked
/// elsewhere.
const FORBIDDEN: &str = "sys numpy np import from match case class";

fn lists(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// Whether a line is an import that changes nothing: of `math`, or of types.
pub fn is_import(line: &str) -> bool {
    let types = line.strip_prefix("from typing import ");
    line == "import math" || types.is_some_and(|names| names.split(',').all(|name| lists(TYPES, name.trim())))
}

/// Whether code names nothing through which it could reach the system. `interpreter` has the names that every program finds
/// in its interpreter ([`super::Interpreter::names`]).
pub fn is_code(text: &str, interpreter: &BTreeSet<String>) -> bool {
    // A carriage return ends a line, and the interpreter normalizes other letters to those of the lists.
    if text.contains(['\r', '\0', '\u{c}']) {
        return false;
    }
    let mut left = text;
    let mut is_behind_dot = false;
    while let Some(first) = left.chars().next() {
        match first {
            '#' => left = left.find('\n').map_or("", |end| &left[end..]),
            '"' | '\'' => {
                let Some(behind) = behind_string(left) else { return false };
                left = behind;
                is_behind_dot = false;
            }
            _ if first.is_ascii_digit() => {
                let is_number = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = left.find(|c: char| !is_number(c)).unwrap_or(left.len());
                let (number, behind) = left.split_at(end);
                // In `1.` and `1.5` the dot is part of the number, in `0x1.real` and `1e5.real` it is not.
                let is_decimal = number.bytes().all(|b| b.is_ascii_digit() || b == b'_');
                left = match behind.strip_prefix('.') {
                    Some(fraction) if is_decimal && fraction.starts_with(|c: char| c.is_ascii_digit()) => {
                        fraction.trim_start_matches(is_number)
                    }
                    Some(fraction) if is_decimal => fraction,
                    _ => behind,
                };
                is_behind_dot = false;
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let end = left.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(left.len());
                let (name, behind) = left.split_at(end);
                let is_prefix = behind.starts_with(['"', '\'']);
                // Expressions inside of a string, and bytes, which have encodings.
                if is_prefix && name.contains(['f', 'F', 't', 'T', 'b', 'B']) {
                    return false;
                }
                // An attribute that is not called could be set: by an assignment, a loop, `with`, `del`.
                let is_called = || behind.trim_start_matches([' ', '\t']).starts_with('(');
                let is_own = || !lists(FORBIDDEN, name) && !interpreter.contains(name);
                let is_harmless = match is_behind_dot {
                    true => lists(ATTRIBUTES, name) && is_called(),
                    false => lists(NAMES, name) || lists(TYPES, name) || is_own(),
                };
                if !is_harmless {
                    return false;
                }
                left = behind;
                is_behind_dot = false;
            }
            '.' => {
                left = &left[1..];
                is_behind_dot = true;
            }
            // A name may follow on the next line.
            '\\' | ' ' | '\t' | '\n' => left = &left[1..],
            _ if first.is_ascii() => {
                left = &left[1..];
                is_behind_dot = false;
            }
            _ => return false,
        }
    }
    true
}

/// The text behind the string with which a text begins; `None` if the string does not end.
fn behind_string(text: &str) -> Option<&str> {
    let quote = &text[..1];
    let triple = quote.repeat(3);
    let end = if text.starts_with(&triple) { triple.as_str() } else { quote };
    let mut left = text.strip_prefix(end)?;
    loop {
        if let Some(behind) = left.strip_prefix(end) {
            return Some(behind);
        }
        let mut chars = left.chars();
        match chars.next()? {
            '\\' => drop(chars.next()?),
            '\n' if end.len() == 1 => return None,
            _ => {}
        }
        left = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::{super::locate, *};
    use crate::Places;

    /// The names of this machine's interpreter.
    fn prerequisites_of_names() -> Option<BTreeSet<String>> {
        prerequisites::toolchain("python", locate(&Places::from_environment())).map(|found| found.names)
    }

    #[test]
    fn every_listed_name_is_the_interpreters() {
        let Some(names) = prerequisites_of_names() else { return };
        for name in NAMES.split_whitespace().chain(TYPES.split_whitespace()) {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn ordinary_code_is_harmless() {
        let Some(names) = prerequisites_of_names() else { return };
        for code in [
            "    return number * 2\n",
            "    return sorted(xs, key=lambda x: (x.lower(), -len(x)))[::-1]\n",
            "    # Sum of all. Then the rest: os.system\n    total = 0.5 + 1.\n    return total\n",
            "    text = 'a.b.c \\' # gi_frame'\n    return \"\"\"x\n.gi_frame\"\"\".split('.')\n",
            "    return re.match(r'\\d+', text).group(0)\n",
            "    return math . sqrt(2) + (x\n        .count(1))\n",
        ] {
            assert!(is_code(code, &names), "{code}");
        }
        for line in ["import math", "from typing import List", "from typing import Dict, Optional"] {
            assert!(is_import(line), "{line}");
        }
    }

    #[test]
    fn code_that_could_reach_frames_or_modules_is_not() {
        let Some(names) = prerequisites_of_names() else { return };
        for code in [
            "(x for x in [1]).gi_frame",
            "(x for x in [1]) . gi_frame",
            "g.\\\ngi_frame",
            "(g.  # comment\n gi_frame)",
            "g.\n\n\tgi_frame",
            "g.\u{ff47}i_frame",
            "f'{g.gi_frame}'",
            "rF'{g.gi_frame}'",
            "x = '''a''' 'b'.gi_frame",
            "'\\'' .f_back",
            "# comment\rg.gi_frame",
            "match g:\n case object(gi_frame=f): pass",
            "e.with_traceback",
            "datetime.sys",
            "statistics.random",
            "typing.get_type_hints(f)",
            "eval ('1')",
            "o = open",
            "vars ()",
            "g.append.gi_frame",
            "g. append .tb_frame",
            "1..gi_frame",
            "1.0.gi_frame",
            "0x1.gi_frame",
            "1e5.gi_frame",
            "1.5e3.gi_frame",
            "1.\n.gi_frame",
            "'never ends",
            "lambda: x.\u{a0}f_back",
            "'{0.gi_frame}'.format(g)",
            "str.format",
            "type('E', (), {'_' + '_eq__': f})",
            "'x'.encode('some-name')",
            "str(b'x', 'some-name')",
            "str(rb'x', 'some-name')",
            "bytes('x', 'some-name')",
            "datetime.strptime",
            "def f(x: ''.join(map(chr, text))): pass\nget_type_hints(f)",
            "NamedTuple('E', [('a', int)])",
            "@runtime_checkable\nclass P(Protocol): pass",
            "final(math)",
            "class M(Type): pass",
            "math.pi = 3",
            "math.pi, x = 3, 4",
            "(math.pi) = 3",
            "math.pi: int = 3",
            "math.pi += 3",
            "for math.pi in [3]: pass",
            "with x as math.pi: pass",
            "del math.pi",
            "del math.pi\n(1)",
            "[0 for Counter.update in [f]]",
            "namedtuple('E', 'a')",
            "class E(UserString): pass",
            "class E(AbstractSet): pass",
            "isinstance(x, SupportsIndex)",
            "class E(dict):\n def get(self): pass",
            "x = sys",
            "classmethod(f)",
            "license()",
            "id(x)",
        ] {
            assert!(!is_code(code, &names), "{code}");
        }
        for line in [
            "import math, os",
            "import math as m",
            "from typing import sys",
            "from typing import get_type_hints",
            "from typing import List as sys, sys",
            "from typing import *",
            "from typing import List; import os",
            " from typing import List",
        ] {
            assert!(!is_import(line), "{line}");
        }
    }
}
