# Inserts tests of instructions into a project's test files. Reads files and texts as syntax trees; nothing of them runs.
# The argument is JSON: the project's folder, and the tests with file, scopes (classes), name and text. Prints JSON: for
# each test, why its file does not have it, or null.
import ast
import json
import os
import re
import sys
import textwrap

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def named(body, kinds, name):
    return next((node for node in body if isinstance(node, kinds) and node.name == name), None)


def renamed(text, name):
    """The text with its only test called NAME."""
    text = textwrap.dedent(text).strip("\n") + "\n"
    try:
        body = ast.parse(text).body
    except SyntaxError as failure:
        raise ValueError("its text is not valid Python: %s" % failure.msg)
    if named(body, FUNCTIONS, name):
        return text
    tests = [node for node in body if isinstance(node, FUNCTIONS) and node.name.startswith("test")]
    if len(tests) != 1:
        raise ValueError("its text defines no test %s" % name)
    lines = text.splitlines(True)
    at = tests[0].lineno - 1
    lines[at] = re.sub(r"\bdef\s+%s\b" % re.escape(tests[0].name), "def " + name, lines[at], count=1)
    return "".join(lines)


def insert(path, scopes, name, text):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            source = file.read()
    except OSError as failure:
        raise ValueError("the file cannot be read: %s" % failure.strerror)
    try:
        scope = ast.parse(source)
    except SyntaxError as failure:
        raise ValueError("the file is not valid Python: %s" % failure.msg)
    for part in scopes:
        scope = named(scope.body, ast.ClassDef, part)
        if scope is None:
            raise ValueError("the file has no class %s" % part)
    if named(scope.body, FUNCTIONS, name):
        return
    text = renamed(text, name)
    lines = source.splitlines(True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    at = scope.end_lineno if scopes else len(lines)
    indent = " " * scope.body[0].col_offset if scopes else ""
    lines[at:at] = ["\n", textwrap.indent(text, indent)]
    source = "".join(lines)
    ast.parse(source)
    made = path + ".aixgrade"
    with open(made, "w", encoding="utf-8", newline="") as file:
        file.write(source)
    os.replace(made, path)


order = json.loads(sys.argv[1])
answers = []
for test in order:
    try:
        insert(test["file"], test["scopes"], test["name"], test["text"])
        answers.append(None)
    except (ValueError, SyntaxError) as failure:
        answers.append(str(failure))
print(json.dumps(answers))
