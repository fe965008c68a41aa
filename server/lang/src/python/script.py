# Runs a program as `python3 FILE` does: as `__main__`, from a file that `inspect` and the tests' style checkers can read,
# in an empty working folder. Reports whether the program ran to its end, which its exit code does not tell, then
# exits as the program would. The packages that many tests import are loaded before the fork, where they are there.
def load_packages():
    for name in ("ast", "inspect", "linecache", "site", "traceback", "types", "pycodestyle", "mccabe", "radon.complexity"):
        try:
            __import__(name)
        except ImportError:
            pass


def script(program, receive, send):
    import site
    import types
    from importlib.machinery import SourceFileLoader

    path = "/tmp/program.py"
    text = program.encode("utf-8", "surrogatepass")
    with open(path, "wb") as file:
        file.write(text)
    # `exit` and `quit`, which `-S` leaves out.
    site.setquit()
    site.setcopyright()
    site.sethelper()
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __annotations__={}, __builtins__=builtins, __cached__=None, __file__=path,
        __loader__=SourceFileLoader("__main__", path),
    )
    sys.modules["__main__"] = main
    sys.argv = [path]
    sys.path.insert(0, "/tmp")
    # As deep as from a file: the frames below do not count.
    frame, depth = sys._getframe(), 0
    while frame:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(sys.getrecursionlimit() + depth)
    del frame
    kinds = ((AssertionError, b"W"), (SyntaxError, b"S"), (MemoryError, b"M"))
    leave, describe, find = sys.exit, why_script, isinstance
    try:
        exec(compile(text, path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as failure:
        send(b"X", describe(failure))
        raise
    except BaseException as failure:
        kind = next((kind for of, kind in kinds if find(failure, of)), b"X")
        traceback = failure.__traceback__.tb_next if failure.__traceback__ else None
        sys.excepthook(type(failure), failure.with_traceback(traceback), traceback)
        send(kind, describe(failure))
        leave(1)
    send(b"P", b"")
    # Leaves the fork server's frames, too. Threads and exit handlers still run.
    leave(0)


def why_script(failure):
    try:
        text = str(failure)
    except BaseException:
        text = ""
    name = type(failure).__name__
    return (name + ": " + text if text else name).encode("utf-8", "replace")[:4000]
