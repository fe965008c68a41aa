# Plain values as bytes, for the two processes of the guard. The reader reads what untrusted programs wrote: it creates
# only None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset and dict.
import struct as _struct

_TOO_DEEP = 200
# What an answer contains, or may contain (answers.rs): changed arguments as bits, shape, largest number, numbers that are
# NaN, infinite ones, keys and elements, and the length of the answer.
_FACTS = _struct.Struct(">QQdIIII")
_INFINITY = float("inf")
# The same of what was written or read since the last _forget: largest, NaN, infinite, keys and elements.
_seen = [0.0, 0, 0, 0]
# The most keys and elements that may be read; a set of keys that collide is not even made.
_most_entries = [_INFINITY]


class _NotPlain(Exception):
    pass


def _forget():
    _seen[:] = 0.0, 0, 0, 0


def _see(number):
    size = abs(number)
    if size != size:
        _seen[1] += 1
    elif size == _INFINITY:
        _seen[2] += 1
    elif size > _seen[0]:
        _seen[0] = size


def _see_integer(number):
    # The greatest float is smaller than 2 ** 1024.
    _see(float(number) if number.bit_length() < 1000 else 1e300)


def _size(n):
    return _struct.pack(">I", n)


def _write(value, out, depth=0):
    if depth > _TOO_DEEP:
        raise _NotPlain("values nested too deep")
    kind = type(value)
    if value is None:
        out.append(b"N")
    elif kind is bool:
        out.append(b"T" if value else b"F")
    elif isinstance(value, int):
        number = int.__index__(value)
        if number.bit_length() > 32:
            _see_integer(number)
        text = b"%x" % number
        out += [b"i", _size(len(text)), text]
    elif isinstance(value, float):
        _see(float.__float__(value))
        out += [b"f", _struct.pack(">d", float.__float__(value))]
    elif isinstance(value, complex):
        _see(value.real)
        _see(value.imag)
        out += [b"c", _struct.pack(">dd", value.real, value.imag)]
    elif isinstance(value, str):
        text = str.encode(value, "utf-8", "surrogatepass")
        out += [b"s", _size(len(text)), text]
    elif isinstance(value, (bytes, bytearray)):
        text = bytes(value)
        out += [b"b", _size(len(text)), text]
    elif isinstance(value, dict):
        pairs = list(dict.items(value))
        _seen[3] += len(pairs)
        out += [b"d", _size(len(pairs))]
        for key, item in pairs:
            _write(key, out, depth + 1)
            _write(item, out, depth + 1)
    elif kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "shape", None) == ():
        _write(value.item(), out, depth + 1)
    else:
        _write_items(value, out, depth)


def _write_items(value, out, depth):
    tag = b"l"
    for kind, mark in ((list, b"l"), (tuple, b"t"), (frozenset, b"z"), (set, b"S")):
        if isinstance(value, kind):
            tag, items = mark, list(kind.__iter__(value))
            break
    else:
        # Iterators, such as generators, are sent as lists of their items.
        if not hasattr(type(value), "__next__") and type(value).__name__ not in (
            "range", "dict_keys", "dict_values", "dict_items", "deque",
        ):
            raise _NotPlain("a value of type " + str(type(value).__name__))
        items = []
        for item in value:
            items.append(item)
            if len(items) > 1000000:
                raise _NotPlain("an iterator with more than 1,000,000 items")
    if tag in b"zS":
        _seen[3] += len(items)
    out += [tag, _size(len(items))]
    for item in items:
        _write(item, out, depth + 1)


def dump(value):
    out = []
    _write(value, out)
    return b"".join(out)


# An answer with the arguments that the function changed: those whose bytes are not what they were. A change that cannot be
# sent does not count.
def dump_answer(answer, arguments, before):
    _forget()
    text = dump(answer)
    changed, changes = 0, []
    for at, (argument, was) in enumerate(zip(arguments, before)):
        if was is None:
            continue
        seen = list(_seen)
        try:
            now = dump(argument)
        except Exception:
            now = was
        if now == was:
            _seen[:] = seen
        else:
            changed |= 1 << at
            changes += [_size(len(now)), now]
    largest, nans, infinities, entries = _seen
    return _FACTS.pack(changed, 0, largest, nans, infinities, entries, len(text)) + text + b"".join(changes)


# An argument that a function can change for its caller, as bytes; otherwise None. There is a bit for each of the first 64.
def dump_changeable(arguments):
    return [dump(argument) if type(argument) in (list, dict) else None for argument in arguments[:64]]


# The answer, the changed arguments by position, and why the answer is refused, if it is: see `refusal` in answers.rs.
def load_answer(data):
    changed, _, largest, nans, infinities, entries, size = _FACTS.unpack_from(data)
    at = _FACTS.size + size
    _forget()
    _most_entries[0] = entries
    try:
        answer, changes = load(data[_FACTS.size : at]), {}
        for position in range(64):
            if changed >> position & 1:
                (size,) = _struct.unpack_from(">I", data, at)
                changes[position] = load(data[at + 4 : at + 4 + size])
                at += 4 + size
    except Exception:
        return None, {}, b"e" if _seen[3] > entries else b"f"
    finally:
        _most_entries[0] = _INFINITY
    for is_too_much, why in (
        (_seen[1] > nans, b"n"),
        (_seen[2] > infinities, b"i"),
        (not _seen[0] <= largest, b"l"),
    ):
        if is_too_much:
            return None, {}, why
    return answer, changes, None


def load(data):
    value, end = _read(data, 0, 0)
    if end != len(data):
        raise ValueError("bytes after a value")
    return value


def _read(data, at, depth):
    if depth > _TOO_DEEP + 8:
        raise ValueError("values nested too deep")
    tag, at = data[at : at + 1], at + 1
    if tag in b"NTF" and tag:
        return {b"N": None, b"T": True, b"F": False}[tag], at
    if tag == b"f":
        (number,) = _struct.unpack_from(">d", data, at)
        _see(number)
        return number, at + 8
    if tag == b"c":
        parts = _struct.unpack_from(">dd", data, at)
        _see(parts[0])
        _see(parts[1])
        return complex(*parts), at + 16
    (size,) = _struct.unpack_from(">I", data, at)
    at += 4
    if tag in (b"i", b"s", b"b"):
        text = data[at : at + size]
        if len(text) != size:
            raise ValueError("a truncated value")
        if tag == b"b":
            return text, at + size
        if tag == b"i":
            number = int(text, 16)
            if number.bit_length() > 32:
                _see_integer(number)
            return number, at + size
        return text.decode("utf-8", "surrogatepass"), at + size
    if tag not in (b"l", b"t", b"S", b"z", b"d") or size > len(data):
        raise ValueError("not a value")
    if tag in b"Szd":
        _seen[3] += size
        if _seen[3] > _most_entries[0]:
            raise ValueError("too many keys")
    items = []
    for _ in range(size * 2 if tag == b"d" else size):
        item, at = _read(data, at, depth + 1)
        items.append(item)
    if tag == b"d":
        return dict(zip(items[::2], items[1::2])), at
    return {b"l": list, b"t": tuple, b"S": set, b"z": frozenset}[tag](items), at
