# Runs inside the sandbox as `python3 -I -S -c TEXT DESCRIPTOR MODE`. MODE says what it does with the program that it
# receives first:
#   published  runs it as the published evaluator's check_correctness does, and reports the result;
#   solver     executes it and answers calls of one function (the guard's process with the sample);
#   both       is a solver until it receives a program instead of a call, then does the same as "published" with it;
#   judge      runs the dataset's tests, in which calls of that function go to the solver. Never sees the sample;
#   judges     is a judge for one sample after another;
#   script     runs it as `python3 FILE` does (script.py);
#   project    runs a test of a project in which it replaces a function (project.py).
import builtins
import contextlib
import faulthandler
import io
import os
import struct
import sys

sys.path.append("/python/site")


def channel(descriptor):
    # Binds these functions before a sample can replace them.
    read, write, pack = os.read, os.write, struct.pack

    def receive():
        def take(count):
            data = b""
            while len(data) < count:
                part = read(descriptor, count - len(data))
                if not part:
                    os._exit(0)
                data += part
            return data

        frame = take(struct.unpack(">I", take(4))[0])
        return frame[:1], frame[1:]

    def send(kind, data):
        frame = pack(">I", len(data) + 1) + kind + data
        while frame:
            frame = frame[write(descriptor, frame):]

    return receive, send


class WriteOnly(io.StringIO):
    def read(self, *args, **kwargs):
        raise IOError

    def readline(self, *args, **kwargs):
        raise IOError

    def readlines(self, *args, **kwargs):
        raise IOError

    def readable(self, *args, **kwargs):
        return False


class redirect_stdin(contextlib._RedirectStream):
    _stream = "stdin"


@contextlib.contextmanager
def swallow_io():
    stream = WriteOnly()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), redirect_stdin(stream):
        yield


# The functions that the published reliability_guard removes.
WITHOUT = {
    "os": """kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate
        replace unlink fchmod fchown chmod chown chroot fchdir lchflags lchmod lchown getcwd chdir""",
    "shutil": "rmtree move chown",
    "subprocess": "Popen",
}
# The removed functions, for modules that are loaded later and need them for loading.
TAKEN = {}


def take_away(module):
    for name in WITHOUT.get(module.__name__, "").split():
        TAKEN.setdefault((module, name), getattr(module, name, None))
        setattr(module, name, None)


class Late(type(sys)):
    """A module that is loaded when an attribute of it is first used. Every program imports numpy and few use it;
    the published evaluator loads it before it removes functions."""

    def __getattribute__(self, name):
        if name == "__spec__":
            return object.__getattribute__(self, name)
        load_late(self)
        return getattr(self, name)

    def __setattr__(self, name, value):
        load_late(self)
        setattr(self, name, value)


def load_late(module):
    spec = object.__getattribute__(module, "__spec__")
    object.__setattr__(module, "__class__", type(sys))
    for (holder, name), value in TAKEN.items():
        setattr(holder, name, value)
    try:
        spec.loader.exec_module(module)
    finally:
        for holder, name in TAKEN:
            setattr(holder, name, None)
    # The judge removes nothing.
    if TAKEN:
        take_away(module)


def late(name):
    import _frozen_importlib
    import _frozen_importlib_external

    if name in sys.modules:
        return
    module = _frozen_importlib.module_from_spec(_frozen_importlib_external.PathFinder.find_spec(name))
    object.__setattr__(module, "__class__", Late)
    sys.modules[name] = module


def reliability_guard():
    faulthandler.disable()
    builtins.exit = builtins.quit = builtins.help = None
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in WITHOUT:
        # A module that is loaded later loses its functions then.
        if type(sys.modules[name]) is not Late:
            take_away(sys.modules[name])
    for name in ("ipdb", "joblib", "resource", "psutil", "tkinter"):
        sys.modules[name] = None


def why(failure):
    """The message of the published evaluator."""
    if isinstance(failure, AssertionError):
        return "failed: AssertionError"
    return "failed: " + builtins.str(failure)


def published(program, receive, send):
    reliability_guard()
    publish(program, send)


def publish(program, send):
    leave = os._exit
    kind, result = b"P", "passed"
    try:
        with swallow_io():
            exec(program, {})
    except AssertionError as failure:
        kind, result = b"W", why(failure)
    except SyntaxError as failure:
        kind, result = b"S", why(failure)
    except MemoryError as failure:
        kind, result = b"M", why(failure)
    except BaseException as failure:
        kind, result = b"X", why(failure)
    send(kind, result.encode("utf-8", "replace")[:4000])
    leave(0)


def solver(program, receive, send):
    entry = receive()[1].decode()
    leave = os._exit
    reliability_guard()
    space = {}
    try:
        with swallow_io():
            exec(program, space)
    except BaseException as failure:
        send(b"X", why(failure).encode("utf-8", "replace")[:4000])
        leave(0)
    while True:
        kind, data = receive()
        if kind != b"C":
            return data.decode()
        arguments, named = load(data)
        before = dump_changeable(arguments)
        try:
            with swallow_io():
                answer = dump_answer(space[entry](*arguments, **named), arguments, before)
        except _NotPlain as failure:
            send(b"U", why(failure).encode("utf-8", "replace")[:4000])
            leave(0)
        except BaseException as failure:
            send(b"X", why(failure).encode("utf-8", "replace")[:4000])
            leave(0)
        send(b"A", answer)


def both(program, receive, send):
    publish(solver(program, receive, send), send)


def judge(program, receive, send):
    os._exit(0 if judge_one(program, receive, send) else 1)


def judges(program, receive, send):
    while True:
        judge_one(program, receive, send)
        program = receive()[1].decode()


class Unanswered(BaseException):
    """A call has no answer. Ends the tests; not an Exception, so that `except Exception` does not catch it."""


def judge_one(program, receive, send):
    entry = receive()[1].decode()
    tests = receive()[1].decode()

    def call(*arguments, **named):
        send(b"C", dump((arguments, named)))
        kind, answered = receive()
        if kind != b"A":
            raise Unanswered
        answer, changes, refused = load_answer(answered)
        if refused:
            send(b"O", refused)
            raise Unanswered
        # A function may change the list or dict that it is given, where the dataset's own solution does.
        for position, theirs in changes.items():
            ours = arguments[position]
            if isinstance(ours, list) and isinstance(theirs, list):
                ours[:] = theirs
            elif isinstance(ours, dict) and isinstance(theirs, dict):
                ours.clear()
                ours.update(theirs)
        return answer

    space = {}
    with swallow_io():
        exec(program, space)
        space[entry] = call
        try:
            exec(tests, space)
        except BaseException as failure:
            send(b"F", why(failure).encode("utf-8", "replace")[:4000])
            return False
    send(b"E", b"")
    send(b"R", receive()[1])
    return True

