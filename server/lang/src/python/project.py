# Runs one test of a project, as CodeIF-Bench's evaluator at repository level does: replaces a function in a private copy
# of the project, then runs `python setup.py pytest --addopts TEST`, or pytest itself where the environment has no
# pytest-runner. Reports whether the test ran to its end and passed, which the exit code does not tell, then exits as the
# command would.
def replace_function(path, order):
    import textwrap

    completion = textwrap.indent(textwrap.dedent(order["completion"]), " " * order["indent"])
    with open(path, "r") as file:
        lines = file.readlines()
    lines = lines[: order["first_line"] - 1] + ["\n", completion, "\n"] + lines[order["last_line"]:]
    with open(path, "w") as file:
        file.write("".join(lines))
    # Bytecode of the old file is recognized by its time and size, which could be the same.
    folder, name = os.path.split(path)
    cache = os.path.join(folder, "__pycache__")
    for compiled in os.listdir(cache) if os.path.isdir(cache) else ():
        if compiled.startswith(name[:-2]):
            os.unlink(os.path.join(cache, compiled))


def without_network():
    """`setup.py` downloads what it or its tests require and what is not installed in that version. Nothing can be
    downloaded here, so this is left out: tests that need it fail, the others run."""
    import pkg_resources
    from setuptools import dist
    from setuptools.command import test

    dist.Distribution.fetch_build_eggs = lambda self, requires: []
    require = test.require

    def require_if_there(*names):
        try:
            return require(*names)
        except pkg_resources.ResolutionError:
            return []

    test.require = require_if_there


def without_programs():
    """The sandbox refuses new processes with ENOSYS, for which no project is prepared. It has no program that could be
    started either, so starting one fails as it does where the program is not installed."""
    import errno
    import subprocess

    def fork_exec(arguments, *rest):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(arguments[0]))

    if hasattr(subprocess, "_fork_exec"):
        subprocess._fork_exec = fork_exec
    else:
        import _posixsubprocess

        _posixsubprocess.fork_exec = fork_exec
    # GitPython starts `git` when it is imported, and otherwise fails without it.
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"


def with_user():
    """The sandbox's user has no name, for which `getpass.getuser` asks; mrjob's tests do."""
    os.environ.setdefault("USER", "user")


class Guard:
    """A plugin of pytest that counts tests."""

    def __init__(self):
        self.code = None
        self.ran = self.passed = self.failed = 0
        self.out_of_memory = False
        self.message = ""

    def pytest_runtest_logreport(self, report):
        called = report.when == "call"
        self.ran += called and not report.skipped
        self.passed += called and report.passed
        self.failed += report.failed

    def pytest_exception_interact(self, node, call, report):
        failure = call.excinfo.value
        self.out_of_memory = self.out_of_memory or isinstance(failure, MemoryError)
        if not self.message:
            self.message = why_script(failure).decode("utf-8", "replace")


def project(order, receive, send):
    import importlib.util
    import json
    import runpy
    import shlex
    import site

    order = json.loads(order)
    root = "/work/project"
    os.chdir(root)
    for name in order["native"]:
        # A folder that can be written is never executable, so shared libraries load from the read-only project.
        os.unlink(name)
        os.symlink("/source/" + name, name)
    if order["completion"] is not None:
        replace_function(order["file"], order)
    for folder in order["sites"]:
        site.addsitedir(folder)
    site.setquit()
    site.setcopyright()
    site.sethelper()
    sys.path.insert(0, root)
    without_programs()
    with_user()
    # Everything before is our own work: what fails there is no failure of the output.
    send(b"B", b"")
    invalid = b""
    try:
        with open(order["file"], "rb") as file:
            compile(file.read(), order["file"], "exec", dont_inherit=True)
    except Exception as failure:
        invalid = why_script(failure)
    import pytest

    if importlib.util.find_spec("pytest_asyncio"):
        # Many tests of instructions are coroutines without a mark, and published verdicts show that they ran. By default,
        # pytest-asyncio leaves them out.
        os.environ["PYTEST_ADDOPTS"] = "-o asyncio_mode=auto"
    guard, dump = Guard(), json.dumps
    leave, describe, find = sys.exit, why_script, isinstance
    run_tests, to_int = pytest.main, int

    def main(args=None, plugins=None):
        guard.code = to_int(run_tests(args, [*(plugins or []), guard]))
        return guard.code

    pytest.main = main
    code = 0
    try:
        if importlib.util.find_spec("ptr") and os.path.exists("setup.py"):
            sys.argv = ["setup.py", "pytest", "--addopts", order["test"]]
            without_network()
            runpy.run_path("setup.py", run_name="__main__")
        else:
            if os.path.isdir("src"):
                sys.path.insert(1, root + "/src")
            sys.argv = ["pytest", order["test"]]
            code = main(shlex.split(order["test"]))
    except SystemExit as failure:
        code = failure.code
    except BaseException as failure:
        sys.excepthook(type(failure), failure, failure.__traceback__)
        guard.message = guard.message or describe(failure).decode("utf-8", "replace")
        guard.out_of_memory = guard.out_of_memory or find(failure, MemoryError)
        code = 1
    if code in (0, None) and guard.code == 0:
        kind = b"P" if guard.passed and not guard.failed else b"N"
    elif guard.out_of_memory:
        kind = b"M"
    elif invalid:
        kind = b"S"
        guard.message = invalid.decode("utf-8", "replace")
    else:
        kind = b"W" if guard.code == 1 else b"X"
    send(kind, dump({"ran": guard.ran, "message": guard.message[:4000]}).encode())
    # Threads and exit handlers still run.
    leave(code)
