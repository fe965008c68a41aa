# The fork server. Runs inside the sandbox as `python3 -I -S -c TEXT DESCRIPTOR serve` and has loaded the modules that
# every program imports, except numpy: a process loads numpy when it first uses it. Few processes use numpy, and its
# memory makes each fork slower. As `serve-numpy`, the server has also loaded numpy; as `serve-scripts`, what scripts import.
#
# For each order, which comes with three descriptors, it forks a process that does what the order's mode says, like a
# freshly started one. It kills the process when its CPU time is used up or the server closes the control socket, and
# reports how it ended. It runs one process at a time and never reads a sample. Its processes cannot reach it: each is
# the first one of its own PID namespace, has fresh mounts over the scratch folders and no capabilities, and is under
# the system call filter of a program that has its own sandbox.
#
# An order is the mode's letter and the CPU time limit in seconds (eight bytes). Its descriptors are the process's
# control socket, its standard output and error, and the socket for the report. On the report socket, the process sends
# H once it is isolated (which also tells the server its process ID), or the reason why it cannot be.
_MODES = {b"p": "published", b"s": "solver", b"j": "judge", b"b": "both", b"c": "script"}
_ORDER = 9
_NEWNS, _NEWPID = 0x00020000, 0x20000000
_BIND, _NOSUID, _NODEV, _NOEXEC = 0x1000, 2, 4, 8
_PIDFD_OPEN = 434


def serve(descriptor, load_numpy):
    import array
    import ctypes
    import gc
    import json
    import resource
    import select
    import signal
    import socket
    import time

    libc = ctypes.CDLL(None, use_errno=True)

    def call(function, *arguments):
        result = getattr(libc, function)(*arguments)
        if result == -1:
            number = ctypes.get_errno()
            raise OSError(number, "%s: %s" % (function, os.strerror(number)))
        return result

    receive, send = channel(descriptor)
    settings = json.loads(receive()[1])
    program = bytes.fromhex(settings["filter"])

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]

    def shut_in(cpu_s):
        """Mounts fresh scratch folders, as the helper does, then drops all capabilities and sets the filter."""
        call("unshare", _NEWNS)
        options = "size=%d,nr_inodes=%d,mode=0700" % (settings["scratch_bytes"], settings["scratch_files"])
        first = settings["scratch"][0].encode()
        call("mount", b"scratch", first, b"tmpfs", _NOSUID | _NODEV | _NOEXEC, options.encode())
        for number, folder in reversed(list(enumerate(settings["scratch"]))):
            part = b"%s/scratch-%d" % (first, number)
            os.mkdir(part, 0o700)
            call("mount", part, folder.encode(), None, _BIND, None)
        os.chdir(settings["scratch"][0])
        # A backstop only, as in the helper: the CPU clock decides.
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s * 4 + 60,) * 2)
        call("capset", struct.pack("=Ii", 0x20080522, 0), bytes(24))
        call("prctl", 22, 2, ctypes.byref(Filter(len(program) // 8, program)), 0, 0)

    def child(mode, cpu_s, control, output, report):
        try:
            # An open file of its own: the flags of the fork server's would stay as a process sets them.
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            for target in (1, 2):
                os.dup2(output, target)
            # Replaces, and thereby closes, the fork server's own descriptor.
            os.dup2(control, descriptor)
            low, high = sorted((descriptor, report))
            for begin, end in ((3, low), (low + 1, high), (high + 1, most_descriptors)):
                os.closerange(begin, end)
            shut_in(cpu_s)
        except BaseException as failure:
            os.write(report, json.dumps({"fault": "the fork server: %s" % failure}).encode() + b"\n")
            os._exit(9)
        os.write(report, b"H")
        os.close(report)
        run_mode(mode, descriptor)

    def accompany(pid, cpu_s, control):
        """Waits for a process's end. Returns whether the process was killed because it used up its CPU time."""
        # The kernel's ID of a process's CPU clock.
        clock = ~pid << 3 | 2
        process = call("syscall", _PIDFD_OPEN, pid, 0)
        poll = select.poll()
        poll.register(process, select.POLLIN)
        # Requests no event: a hang-up is always reported.
        poll.register(control, 0)
        over_cpu = False
        while True:
            try:
                left = cpu_s - time.clock_gettime(clock)
            except OSError:
                left = cpu_s
            if left <= 0 and not over_cpu:
                over_cpu = True
                os.kill(pid, signal.SIGKILL)
            pause = None if over_cpu else min(max(left * 1000 / settings["cores"], 1), 3600000)
            ready = dict(poll.poll(pause))
            if process in ready:
                os.close(process)
                return over_cpu
            if control in ready:
                poll.unregister(control)
                os.kill(pid, signal.SIGKILL)

    def run(mode, cpu_s, control, output, report):
        call("unshare", _NEWPID)
        pid = os.fork()
        if pid == 0:
            child(mode, cpu_s, control, output, report)
        call("setns", itself, _NEWPID)
        os.close(output)
        over_cpu = accompany(pid, cpu_s, control)
        _, status, usage = os.wait4(pid, 0)
        os.close(control)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        cpu_us = int((usage.ru_utime + usage.ru_stime) * 1000000)
        told = {"code": code, "cpu_us": cpu_us, "over_cpu": over_cpu, "memory_kib": usage.ru_maxrss}
        try:
            os.write(report, json.dumps(told).encode() + b"\n")
        except OSError:
            # The reader has closed the pipe.
            pass
        os.close(report)

    most_descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    itself = call("syscall", _PIDFD_OPEN, os.getpid(), 0)
    # Specifies everything about the socket, because the filter forbids the calls that would query it.
    orders = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=descriptor)
    load_numpy("numpy")
    for name in ("statistics", "hashlib", "datetime", "shutil", "subprocess", "typing", "heapq", "copy", "string"):
        __import__(name)
    # Excludes existing objects from later collections, which would copy their pages in every process.
    gc.collect()
    gc.freeze()
    send(b"H", b"")
    while True:
        descriptors = array.array("i")
        order, sent, _, _ = orders.recvmsg(_ORDER, socket.CMSG_SPACE(3 * descriptors.itemsize))
        for _, _, data in sent:
            descriptors.frombytes(data)
        if len(order) != _ORDER or len(descriptors) != 3:
            os._exit(0)
        run(_MODES[order[:1]], struct.unpack(">Q", order[1:])[0], *descriptors)


def run_mode(mode, descriptor):
    receive, send = channel(descriptor)
    modes = {"published": published, "solver": solver, "both": both, "judge": judge, "judges": judges,
        "script": script, "project": project}
    modes[mode](receive()[1].decode(), receive, send)


if sys.argv[2] == "serve":
    serve(int(sys.argv[1]), late)
elif sys.argv[2] == "serve-numpy":
    serve(int(sys.argv[1]), __import__)
elif sys.argv[2] == "serve-scripts":
    # Scripts load numpy themselves: few do.
    serve(int(sys.argv[1]), lambda name: load_packages())
elif sys.argv[2] in ("script", "project"):
    run_mode(sys.argv[2], int(sys.argv[1]))
else:
    for name in ("numpy", "statistics", "hashlib", "datetime", "shutil", "subprocess"):
        late(name)
    run_mode(sys.argv[2], int(sys.argv[1]))
