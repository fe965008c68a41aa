"""Writes src/aixgrade/_generated.py from a server's OpenAPI document.

python generate.py http://127.0.0.1:3000           writes the file
python generate.py --check http://127.0.0.1:3000   compares it with the document and writes nothing

Each schema becomes a type: an object a TypedDict, a list of alternatives a union. Each operation becomes a method. Nothing
in the file depends on the order of anything but the document. Only the standard library is used.
"""

from __future__ import annotations

import difflib
import json
import keyword
import re
import sys
import textwrap
import urllib.request
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "src" / "aixgrade" / "_generated.py"
WIDTH = 120

HEAD = '''\
"""Types and operations of the REST API. generate.py writes this file from the OpenAPI document; do not edit it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from ._transport import Content, Transport, part

if TYPE_CHECKING:
    # Checkers of types know this module; at run time, the annotations are texts.
    from typing_extensions import NotRequired
'''

# Files that may be sent twice without a key: the server stores the same content once.
REPEATABLE_FILES = {"/api/v1/uploads"}

JSON, BYTES = "application/json", "application/octet-stream"
SCALARS = {"integer": "int", "number": "float", "boolean": "bool", "string": "str", "null": "None"}


def identifier(name: str) -> str:
    """The name as Python can have it: `Figure_McNemar` is FigureMcNemar, `from` is from_."""
    name = re.sub(r"\W", "_", name)
    return f"{name}_" if keyword.iskeyword(name) else name


def class_name(*parts: str) -> str:
    words = [word for part in parts for word in re.split(r"[^0-9A-Za-z]+", part) if word]
    return "".join(word[0].upper() + word[1:] for word in words)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each in one line. Empty lines, entries of lists and rows of tables are lines of their own."""
    found: list[str] = []
    for line in text.split("\n"):
        if found and found[-1] and line.strip() and not line.lstrip().startswith(("- ", "* ", "|")):
            found[-1] += " " + line.strip()
        else:
            found.append(line.rstrip())
    return found


def docstring(text: str, indent: int) -> list[str]:
    """The lines of a docstring; none for an empty text."""
    pad = " " * indent
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if not text:
        return []
    # A quotation mark at the end would be taken for the end of the docstring.
    text += " " if text.endswith('"') else ""
    if "\n" not in text and len(text) + indent + 6 <= WIDTH:
        return [f'{pad}"""{text}"""']
    lines: list[str] = []
    # The text begins on the line of the quotation marks.
    for paragraph in paragraphs('"""' + text):
        lines += textwrap.wrap(paragraph, WIDTH, initial_indent=pad, subsequent_indent=pad) or [""]
    return [*lines, f'{pad}"""']


class Types:
    """The types of the document's schemas, in the order in which they are declared."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.schemas: dict[str, Any] = document["components"]["schemas"]
        self.lines: list[str] = []
        self.declared: set[str] = set()
        # The document repeats some schemas in place of a reference to them.
        self.named = {
            self.content(schema): class_name(name)
            for name, schema in self.schemas.items()
            if schema.keys() & {"properties", "enum", "oneOf", "allOf"}
        }
        for name in self.schemas:
            self.declare(class_name(name), self.schemas[name])

    def declare(self, name: str, schema: dict[str, Any]) -> None:
        if name in self.declared:
            raise ValueError(f"two types are called {name}")
        self.declared.add(name)
        wholes = self.alternatives(schema) if "allOf" in schema else [schema]
        if len(wholes) > 1:
            schema = {"oneOf": wholes, "description": schema.get("description", "")}
        elif self.is_object(schema):
            self.typed_dict(name, {**schema, **wholes[0]})
            return
        kind = self.type_of(schema, name)
        line = f'{name}: TypeAlias = "{kind}"'
        if len(line) > WIDTH:
            parts = [f"    {'| ' if at else ''}{one}" for at, one in enumerate(self.parts(kind))]
            if len(parts) == 1:
                parts = textwrap.wrap(kind, WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
            line = "\n".join([f'{name}: TypeAlias = """(', *parts, ')"""'])
        self.lines += ["", line, *docstring(schema.get("description", ""), 0)]

    @staticmethod
    def content(schema: dict[str, Any]) -> str:
        """A text that is the same for equal schemas, whatever is said of each."""
        return json.dumps({key: value for key, value in schema.items() if key != "description"}, sort_keys=True)

    @staticmethod
    def is_object(schema: dict[str, Any]) -> bool:
        return bool(schema.get("properties")) or len(schema.get("allOf", [])) > 1

    def alternatives(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The objects that the parts of one make: as many as the part that is a union has."""
        if "$ref" in schema:
            return self.alternatives(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        if "oneOf" in schema:
            return [made for part in schema["oneOf"] for made in self.alternatives(part)]
        if "allOf" not in schema:
            return [schema]
        whole: list[dict[str, Any]] = [{}]
        for part in schema["allOf"]:
            whole = [
                {
                    "properties": {**one.get("properties", {}), **more.get("properties", {})},
                    "required": [*one.get("required", []), *more.get("required", [])],
                }
                for one in whole
                for more in self.alternatives(part)
            ]
        return whole

    def typed_dict(self, name: str, schema: dict[str, Any]) -> None:
        fields, required = schema.get("properties", {}), set(schema.get("required", []))
        kinds = {}
        for key, field in fields.items():
            # What a variant contains has the variant's name, not twice the same.
            inside = class_name(name, "value" if name.endswith(class_name(key)) else key)
            kind = self.type_of(field, inside)
            kinds[key] = kind if key in required else f"NotRequired[{kind}]"
        if all(identifier(key) == key for key in fields):
            lines = ["", "", f"class {name}(TypedDict):", *docstring(schema.get("description", ""), 4)]
            for key, kind in kinds.items():
                lines.append(f"    {key}: {kind}")
                lines += docstring(fields[key].get("description", ""), 4)
        else:
            lines = ["", f"{name} = TypedDict(", f'    "{name}",', "    {"]
            lines += [f'        "{key}": "{kind}",' for key, kind in kinds.items()]
            lines += ["    },", ")", *docstring(schema.get("description", ""), 0)]
        self.lines += lines

    def type_of(self, schema: Any, name: str) -> str:
        """The annotation for a schema. Objects inside of it become types called `name`."""
        if not isinstance(schema, dict) or not schema.keys() - {"description", "default", "example"}:
            return "Any"
        if "$ref" in schema:
            return class_name(schema["$ref"].rsplit("/", 1)[1])
        if len(schema.get("allOf", [])) == 1:
            return self.type_of(schema["allOf"][0], name)
        known = self.named.get(self.content(schema))
        if known is not None and known != name:
            return known
        for form in ("oneOf", "anyOf"):
            if form in schema:
                return self.union(schema[form], name)
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return self.joined(self.type_of({**schema, "type": kind}, name) for kind in kinds)
        if self.is_object(schema):
            self.declare(name, schema)
            return name
        if kinds == "object":
            values = schema.get("additionalProperties", True)
            return f"dict[str, {self.type_of(values, class_name(name, 'value'))}]"
        if kinds == "array":
            return f"list[{self.item(schema, name)}]"
        return SCALARS[kinds] if kinds in SCALARS else "Any"

    def item(self, schema: dict[str, Any], name: str) -> str:
        # A tuple is a list in JSON: its items have different types.
        parts = schema.get("prefixItems")
        if parts:
            return self.joined(self.type_of(one, class_name(name, str(at))) for at, one in enumerate(parts))
        return self.type_of(schema.get("items", {}), class_name(name, "item"))

    def union(self, alternatives: list[dict[str, Any]], name: str) -> str:
        kinds = []
        for at, one in enumerate(alternatives):
            kinds.append(self.type_of(one, class_name(name, self.tag(one, at)) if len(alternatives) > 1 else name))
        return self.joined(kinds)

    @staticmethod
    def tag(schema: dict[str, Any], at: int) -> str:
        """What tells an alternative from the others: the value of its tag, or its only field."""
        fields = schema.get("properties", {})
        for field in fields.values():
            values = field.get("enum", [])
            if len(values) == 1 and isinstance(values[0], str):
                return str(values[0])
        return next(iter(fields)) if len(fields) == 1 else str(schema.get("title", at))

    @staticmethod
    def joined(kinds: Any) -> str:
        each = list(dict.fromkeys(part for kind in kinds for part in Types.parts(kind)))
        if "Any" in each:
            return "Any"
        # None comes last, as people write it.
        return " | ".join([one for one in each if one != "None"] + (["None"] if "None" in each else []))

    @staticmethod
    def parts(kind: str) -> list[str]:
        """The alternatives of a union, without those inside of brackets."""
        parts, depth = [""], 0
        for piece in re.split(r"( \| |\[|\])", kind):
            depth += {"[": 1, "]": -1}.get(piece, 0)
            if piece == " | " and depth == 0:
                parts.append("")
            else:
                parts[-1] += piece
        return parts


class Operations:
    """The methods of the document's operations."""

    def __init__(self, document: dict[str, Any], types: Types) -> None:
        self.types = types
        self.lines: list[str] = []
        self.names: set[str] = set()
        for path, item in document["paths"].items():
            for method, operation in item.items():
                self.operation(method.upper(), path, operation)

    def operation(self, method: str, path: str, operation: dict[str, Any]) -> None:
        name = operation["operationId"]
        if name in self.names:
            raise ValueError(f"two operations are called {name}")
        self.names.add(name)
        parameters = operation.get("parameters", [])
        by_place = {place: [one for one in parameters if one["in"] == place] for place in ("path", "query", "header")}
        keyed = any(one["name"] == "Idempotency-Key" for one in by_place["header"])
        others = [one["name"] for one in by_place["header"] if one["name"] != "Idempotency-Key"]
        if others or len(parameters) != sum(map(len, by_place.values())):
            raise ValueError(f"{name} has parameters that are not known here: {others or parameters}")
        kind, answer = self.answer(name, operation["responses"])
        arguments = self.arguments(name, by_place, operation.get("requestBody"), keyed)
        call = self.call(method, path, by_place, operation.get("requestBody"), keyed, kind)
        self.method(name, arguments, answer, self.words(operation, by_place), f"self._call({call})")
        if answer.startswith("Page"):
            self.all_pages(name, by_place, answer)

    def all_pages(self, name: str, by_place: dict[str, Any], answer: str) -> None:
        """A second method, for the rows of every page."""
        paging = [one["name"] for one in by_place["query"] if one["name"] in ("cursor", "limit")]
        if "cursor" not in paging:
            raise ValueError(f"{name} has pages without a cursor")
        rest = {**by_place, "query": [one for one in by_place["query"] if one["name"] not in paging]}
        values = [identifier(one["name"]) for one in rest["path"]]
        values += [f"{identifier(one['name'])}={identifier(one['name'])}" for one in rest["query"]]
        # The fewest requests; lists without the parameter have pages of one size.
        values += ["limit=200"] if "limit" in paging else []
        page = next(schema for name, schema in self.types.schemas.items() if class_name(name) == answer)
        kind = self.types.type_of(page["properties"]["items"]["items"], class_name(answer, "items", "item"))
        body = f"self._rows(self.{name}({', '.join(values)}))"
        text = f"Every row of `{name}`, page by page."
        self.method(f"all_{name.removeprefix('list_')}", self.arguments(name, rest, None, False), f"Iterator[{kind}]", text, body)

    def method(self, name: str, arguments: list[str], answer: str, words: str, body: str) -> None:
        head = f"    def {name}({', '.join(['self', *arguments])}) -> {answer}:"
        if len(head) > WIDTH:
            inner = "".join(f"        {one},\n" for one in ["self", *arguments])
            head = f"    def {name}(\n{inner}    ) -> {answer}:"
        # A checker of types wants the type of a call that can return anything.
        body = body if answer == "None" else f"answer: {answer} = {body}"
        lines = broken(body, 8)
        lines += [] if answer == "None" else ["        return answer"]
        self.lines += ["", head, *docstring(words, 8), *lines]

    def arguments(self, name: str, by_place: dict[str, Any], body: Any, keyed: bool) -> list[str]:
        found = [f"{identifier(one['name'])}: {self.kind(name, one)}" for one in by_place["path"]]
        if body:
            found.append(f"body: {self.body(name, body)}")
        options = [one for one in by_place["query"] if one.get("required")]
        named = [f"{identifier(one['name'])}: {self.kind(name, one)}" for one in options]
        options = [one for one in by_place["query"] if not one.get("required")]
        for one in options:
            kind = self.kind(name, one).removesuffix(" | None")
            named.append(f"{identifier(one['name'])}: {kind} | None = None")
        if keyed:
            named.append("idempotency_key: str | None = None")
        return [*found, "*", *named] if named else found

    def kind(self, name: str, parameter: dict[str, Any]) -> str:
        return self.types.type_of(parameter["schema"], class_name(name, parameter["name"]))

    def body(self, name: str, body: dict[str, Any]) -> str:
        content = body["content"]
        if JSON in content:
            return self.types.type_of(content[JSON]["schema"], class_name(name, "body"))
        if list(content) == [BYTES]:
            return "Content"
        raise ValueError(f"{name} takes {list(content)}")

    def answer(self, name: str, responses: dict[str, Any]) -> tuple[str, str]:
        """How the body of a success is read, and its type."""
        good = {status: response for status, response in responses.items() if status.startswith("2")}
        if not good and "307" in responses:
            # The document does not say what is there.
            return "json", "Any"
        kinds = {}
        for status, response in good.items():
            content = response.get("content", {})
            if not content:
                kinds[status] = ("none", "None")
            elif JSON in content:
                kinds[status] = ("json", self.types.type_of(content[JSON]["schema"], class_name(name, "answer")))
            elif all(media.startswith("text/") or media.endswith("ndjson") for media in content):
                kinds[status] = ("text", "str")
            else:
                kinds[status] = ("bytes", "bytes")
        forms = [form for form, _ in kinds.values() if form != "none"]
        if len(set(forms)) > 1 or not kinds:
            raise ValueError(f"{name} answers in several forms: {kinds}")
        return (forms or ["none"])[0], Types.joined(kind for _, kind in kinds.values())

    @staticmethod
    def call(method: str, path: str, by_place: dict[str, Any], body: Any, keyed: bool, answer: str) -> str:
        address = re.sub(r"\{(\w+)\}", lambda found: f"{{part({identifier(found[1])})}}", path)
        pieces = [f'"{method}"', f'f"{address}"' if "{" in address else f'"{address}"', f'"{answer}"']
        if by_place["query"]:
            query = ", ".join(f'"{one["name"]}": {identifier(one["name"])}' for one in by_place["query"])
            pieces.append(f"query={{{query}}}")
        if body:
            pieces.append("body=body" if JSON in body["content"] else "content=body")
        if keyed:
            pieces += ["keyed=True", "key=idempotency_key"]
        elif path in REPEATABLE_FILES and method == "POST":
            pieces.append("repeatable=True")
        return ", ".join(pieces)

    @staticmethod
    def words(operation: dict[str, Any], by_place: dict[str, Any]) -> str:
        """The docstring: summary, description, parameters, scope."""
        text = str(operation.get("summary", "")).rstrip(".") + "."
        if operation.get("description"):
            text += f"\n\n{operation['description']}"
        listed = [one for place in ("path", "query") for one in by_place[place] if one.get("description")]
        if listed:
            text += "\n\n" + "\n".join(
                f"{identifier(one['name'])}: {' '.join(one['description'].split())}" for one in listed
            )
        scopes = [scope for one in operation.get("security", []) for scope in one.get("token", [])]
        if scopes:
            text += f"\n\nScope: {', '.join(scopes)}"
        return text


def split_arguments(values: str) -> list[str]:
    pieces, depth = [""], 0
    for piece in re.split(r"(, |[\[\](){}])", values):
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(piece, 0)
        if piece == ", " and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += piece
    return pieces


def broken(code: str, indent: int) -> list[str]:
    """The lines of an expression, broken within its outermost brackets where it is too long."""
    line = " " * indent + code
    found = re.fullmatch(r"([^({]*[({])(.*)([)}],?)", code)
    if len(line) <= WIDTH or not found:
        return [line]
    inner = [line for piece in split_arguments(found[2]) for line in broken(f"{piece},", indent + 4)]
    return [" " * indent + found[1], *inner, " " * indent + found[3]]


def generated(document: dict[str, Any]) -> str:
    types = Types(document)
    operations = Operations(document, types)
    lines = [HEAD.rstrip("\n"), *types.lines, "", ""]
    lines += ["class Operations(Transport):", '    """One method for each operation of the API."""', *operations.lines]
    return "\n".join(lines) + "\n"


def read(source: str) -> dict[str, Any]:
    if not source.startswith(("http://", "https://")):
        return dict(json.loads(Path(source).read_text(encoding="utf-8")))
    with urllib.request.urlopen(f"{source.rstrip('/')}/api/v1/openapi.json", timeout=60) as response:
        return dict(json.load(response))


def main() -> int:
    arguments = sys.argv[1:]
    check = "--check" in arguments
    sources = [one for one in arguments if one != "--check"]
    if len(sources) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    text = generated(read(sources[0]))
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    committed = TARGET.read_text(encoding="utf-8") if TARGET.is_file() else ""
    if committed == text:
        return 0
    difference = difflib.unified_diff(committed.splitlines(), text.splitlines(), "committed", "generated", lineterm="")
    print("\n".join(list(difference)[:60]))
    print(f"{TARGET.name} is not what the document describes. Run: python docs/python/generate.py ADDRESS")
    return 1


if __name__ == "__main__":
    sys.exit(main())
