# Plain values as bytes, for the two processes of the guard. The reader reads what untrusted programs wrote: it creates
# only None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset and dict.
import struct as _struct

_TOO_DEEP = 200


class _NotPlain(Exception):
    pass


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
        text = b"%x" % number
        out += [b"i", _size(len(text)), text]
    elif isinstance(value, float):
        out += [b"f", _struct.pack(">d", float.__float__(value))]
    elif isinstance(value, complex):
        out += [b"c", _struct.pack(">dd", value.real, value.imag)]
    elif isinstance(value, str):
        text = str.encode(value, "utf-8", "surrogatepass")
        out += [b"s", _size(len(text)), text]
    elif isinstance(value, (bytes, bytearray)):
        text = bytes(value)
        out += [b"b", _size(len(text)), text]
    elif isinstance(value, dict):
        pairs = list(dict.items(value))
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
    out += [tag, _size(len(items))]
    for item in items:
        _write(item, out, depth + 1)


def dump(value):
    out = []
    _write(value, out)
    return b"".join(out)


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
        return _struct.unpack_from(">d", data, at)[0], at + 8
    if tag == b"c":
        return complex(*_struct.unpack_from(">dd", data, at)), at + 16
    (size,) = _struct.unpack_from(">I", data, at)
    at += 4
    if tag in (b"i", b"s", b"b"):
        text = data[at : at + size]
        if len(text) != size:
            raise ValueError("a truncated value")
        if tag == b"b":
            return text, at + size
        if tag == b"i":
            return int(text, 16), at + size
        return text.decode("utf-8", "surrogatepass"), at + size
    if tag not in (b"l", b"t", b"S", b"z", b"d") or size > len(data):
        raise ValueError("not a value")
    items = []
    for _ in range(size * 2 if tag == b"d" else size):
        item, at = _read(data, at, depth + 1)
        items.append(item)
    if tag == b"d":
        return dict(zip(items[::2], items[1::2])), at
    return {b"l": list, b"t": tuple, b"S": set, b"z": frozenset}[tag](items), at
