# What a bot can try against the interpreter that it is a copy of, and against the copies of later turns:
# `servers.py <deed> [argument...] <view>`. It says `did` what worked, as the hostile program does.
import atexit
import builtins
import ctypes
import errno
import fcntl
import gc
import json
import os
import random
import resource
import runpy
import signal
import socket
import sys
import threading
import time

here = ctypes.CDLL(None, use_errno=True)
# Outside of a name space of its own there are processes that are nobody's business here.
is_alone = os.getpid() < 1000
around = [*range(1, 64), *range(31990, 32010)] if is_alone else []
others = sorted({os.getppid(), *around} - {0, os.getpid()})


def say(text):
    os.write(2, (text + "\n").encode())


def native(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")


def on_others(deed, act):
    for other in others:
        try:
            act(other)
            say("did %s" % deed)
        except OSError as error:
            if error.errno not in (errno.ESRCH, errno.ENOENT):
                say("refused %s: %s" % (deed, errno.errorcode.get(error.errno, "?")))


def kill_by_input(other):
    """Has the kernel send the signal, as soon as there is something to read."""
    def why_not():
        try:
            os.kill(other, 0)
        except OSError as error:
            return error.errno

    before = why_not()
    if before != errno.ESRCH:
        ours, theirs = socket.socketpair()
        fcntl.fcntl(ours, fcntl.F_SETOWN, other)
        fcntl.fcntl(ours, 10, signal.SIGKILL)
        fcntl.fcntl(ours, fcntl.F_SETFL, fcntl.fcntl(ours, fcntl.F_GETFL) | os.O_ASYNC)
        theirs.send(b"x")
        time.sleep(0.01)
    if before == errno.ESRCH or why_not() != errno.ESRCH:
        raise OSError(before or errno.EPERM, "")


def kill():
    on_others("kill by input", kill_by_input)
    on_others("kill by a descriptor", lambda other: signal.pidfd_send_signal(os.pidfd_open(other), 9))
    on_others("kill a thread", lambda other: native(here.tgkill(other, other, 9)))
    on_others("kill", lambda other: os.kill(other, signal.SIGKILL))


def kill_all():
    os.kill(-1, signal.SIGKILL)


def stop():
    on_others("stop", lambda other: os.kill(other, signal.SIGSTOP))


def trace():
    def read_vector(other):
        byte = ctypes.create_string_buffer(1)
        vector = (ctypes.c_void_p * 2)(ctypes.addressof(byte), 1)
        if here.process_vm_readv(other, vector, 1, vector, 1, 0) < 0 and ctypes.get_errno() != errno.EFAULT:
            raise OSError(ctypes.get_errno(), "")

    def seize(other):
        native(here.ptrace(0x4206, other, 0, 0))
        here.ptrace(17, other, 0, 0)

    on_others("read memory", read_vector)
    on_others("open the memory", lambda other: os.close(os.open("/proc/%d/mem" % other, os.O_RDWR)))
    on_others("read the environment", lambda other: open("/proc/%d/environ" % other, "rb").read(1))
    on_others("take a descriptor", lambda other: native(here.syscall(438, os.pidfd_open(other), 3, 0)))
    on_others("trace", seize)


def slow_down():
    on_others("renice", lambda other: os.setpriority(os.PRIO_PROCESS, other, 19))
    on_others("make idle", lambda other: os.sched_setscheduler(other, os.SCHED_IDLE, os.sched_param(0)))
    on_others("give parameters", lambda other: os.sched_setparam(other, os.sched_param(0)))
    on_others("pin", lambda other: os.sched_setaffinity(other, {0}))
    on_others("delay its files", lambda other: native(here.syscall(251, 1, other, 7 << 13)))


def limit():
    on_others("limit", lambda other: resource.prlimit(other, resource.RLIMIT_CPU, (1, 1)))


def flood():
    """Sends all it has to whoever listens, and uses all there is up."""
    for number in range(3, 64):
        try:
            os.write(number, b"x" * 65536)
            say("did write to %d" % number)
        except OSError:
            pass
    for _ in range(2000):
        try:
            os.posix_spawn("/bin/sleep", ["sleep", "20"], {})
        except OSError:
            break
    else:
        say("did make 2000 processes")
    time.sleep(20)


def imitate():
    """Serves as the server does, on descriptors that look like its own, and stays."""
    ours, theirs = (end.detach() for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    ours, theirs = os.dup2(ours, 20), os.dup2(theirs, 9)
    for number in (os.getpid(), os.getppid(), 1, -1):
        os.write(9, number.to_bytes(4, "little", signed=True))
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            here.prctl(15, b"python3", 0, 0, 0)
            for word in (b"ready", b"no ", b"\2\0\0\0"):
                os.write(theirs, word)
            say("did stay")
            time.sleep(20)
        os._exit(0)
    # Not answered before the other one stands.
    os.wait()
    for _ in range(3):
        os.read(ours, 16)


def serve_again():
    """Runs the server's own file, if there is one to be found."""
    sys.argv[1:] = []
    try:
        runpy.run_path("/etc/warm/sitecustomize.py", run_name="sitecustomize")
        say("did serve again")
    except BaseException as error:
        say("refused serve again: %r" % error)


def leave_threads():
    """Leaves threads that write, and functions that are called at the end."""
    def burn():
        while True:
            sum(range(1000))

    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    say("did leave %d threads" % (threading.active_count() - 1))
    at_the_end = lambda: os.write(2, b"at the end\n")
    atexit.register(at_the_end)
    os.register_at_fork(before=at_the_end, after_in_child=at_the_end)


def wait():
    """Waits for the next turn, in another session, to find it and to write into it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            waiting = socket.socket(socket.AF_UNIX)
            waiting.bind(b"\0joust-next-turn")
            waiting.listen()
            say("did wait")
            time.sleep(20)
        os._exit(0)
    os.wait()
    time.sleep(0.02)


def change():
    """Changes what was there before it: modules, what is built in, hooks, the environment, limits."""
    json.mine = json.dumps
    json.dumps = lambda value: "changed"
    builtins.mine = True
    builtins.open = None
    random.seed(1)
    sys.path[:] = ["/program"]
    sys.path_hooks.clear()
    sys.meta_path.reverse()
    sys.mine = True
    gc.disable()
    os.environ["MINE"] = "1"
    os.putenv("MINE", "1")
    os.umask(0o777)
    resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    signal.setitimer(signal.ITIMER_REAL, 15)
    os.nice(5)
    look()


def look():
    """Says what is not as it is when an interpreter starts."""
    mask = os.umask(0o022)
    for name, is_changed in {
        "module": hasattr(json, "mine") or json.dumps([]) != "[]",
        "built-in": hasattr(builtins, "mine") or builtins.open is None,
        "path": len(sys.path) < 3 or not sys.path_hooks or hasattr(sys, "mine"),
        "chance": random.Random(1).random() == random.random(),
        "collector": not gc.isenabled(),
        "environment": "MINE" in os.environ,
        "mask": mask != 0o022,
        "limit": resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 12,
        "signal": signal.getsignal(signal.SIGTERM) == signal.SIG_IGN or bool(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "priority": os.getpriority(os.PRIO_PROCESS, 0) == 5,
        "thread": threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1,
    }.items():
        if is_changed:
            say("did see another %s" % name)
    try:
        socket.socket(socket.AF_UNIX).connect(b"\0joust-next-turn")
        say("did meet an earlier turn")
    except OSError:
        pass


def search():
    """Looks in all of its memory for what only an earlier turn was told: every letter is the next one."""
    needle = bytes(letter - 1 for letter in sys.argv[-2].encode())
    for line in open("/proc/self/maps"):
        where, rights = line.split()[:2]
        low, high = (int(number, 16) for number in where.split("-"))
        if not rights.startswith("rw") or high - low > 32 << 20:
            continue
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(low)
            part = memory.read(high - low) or b""
        at = part.find(needle)
        while at >= 0:
            # Its own needle has nothing like that before it.
            if part[at - 5:at] == b"told-":
                say("did find what was told")
            at = part.find(needle, at + 1)


def remember():
    say("did hear " + sys.argv[2])
    search()


deeds = [kill, kill_all, stop, trace, slow_down, limit, flood, imitate, serve_again, leave_threads, wait, change, look, search, remember]
next(deed for deed in deeds if deed.__name__ == sys.argv[1])()
os.write(1, b"N\n")
