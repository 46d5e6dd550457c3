"""Server of warm starts: a Python interpreter that stops at the end of its own start.

It is started once with a bot's own command line, finds this module because its folder comes first in PYTHONPATH, and
serves from here: every turn is a copy of it that goes on where it stopped. CPython itself then reads the bot's file, runs
it and ends it. Nothing of a bot runs before the copy is made, and the server sees nothing of a turn: the copy itself reads
the arguments. The syntax is that of Python 3.5: an interpreter that cannot read this goes on to the bot. What it speaks
over descriptor 9 is in `crates/sandbox/src/launcher/server.rs`.
"""

import io
import marshal
import os
import posix
import sys


def serve():
    known = set(sys.modules)
    import _socket
    import _weakref
    import atexit
    import gc
    from _ctypes import (FUNCFLAG_CDECL, FUNCFLAG_PYTHONAPI, FUNCFLAG_USE_ERRNO, CFuncPtr, _SimpleCData, dlopen, dlsym,
                         get_errno)

    class Long(_SimpleCData):
        _type_ = "l"

    class Text(_SimpleCData):
        _type_ = "z"

    class Address(_SimpleCData):
        _type_ = "P"

    class Call(CFuncPtr):
        _flags_ = FUNCFLAG_CDECL | FUNCFLAG_PYTHONAPI | FUNCFLAG_USE_ERRNO
        _restype_ = Long

    class Hook(CFuncPtr):
        _flags_ = FUNCFLAG_CDECL | FUNCFLAG_PYTHONAPI
        _restype_ = None

    here = dlopen(None, 0)
    call = Call(dlsym(here, "syscall"))

    def ask(number, *arguments):
        """A system call; gives what the kernel says, an error as a negative number."""
        # Six always, so that no register holds what was there before.
        arguments = [one if isinstance(one, _SimpleCData) else Long(one) for one in arguments]
        result = call(Long(number), *arguments, *[Long(0)] * (6 - len(arguments)))
        return -get_errno() if result == -1 else result

    before_fork, after_parent, after_child = (
        Hook(dlsym(here, name)) for name in ("PyOS_BeforeFork", "PyOS_AfterFork_Parent", "PyOS_AfterFork_Child"))

    channel = _socket.socket(fileno=9)
    fields = channel.recv(1 << 16).split(b"\0")
    clone, create_ruleset, add_rule, restrict_self, control = (int(field) for field in fields[:5])
    filtered, ending, folders = bytes.fromhex(fields[10].decode()), fields[11], fields[12]
    wanted = [name.decode() for name in fields[13:]]

    def give_up(reason):
        channel.send(b"no " + reason.encode(errors="replace")[:4000])
        posix._exit(1)

    if sys.implementation.name != "cpython" or sys.version_info < (3, 8):
        give_up("only CPython 3.8 or later can be kept warm")
    # Whoever is in a domain of this set signals nobody outside of it (Landlock, version 6), and moves
    # files between folders, which a set has to allow.
    moves, signals = (number.to_bytes(8, sys.byteorder) for number in (1 << 13, 2))
    ruleset = ask(create_ruleset, Text(moves + bytes(8) + signals), 24, 0)
    if ruleset < 0:
        give_up("Landlock keeps no signals from other processes here: " + os.strerror(-ruleset))
    root = posix.open("/", os.O_RDONLY | os.O_CLOEXEC)
    if ask(add_rule, ruleset, 1, Text(moves + root.to_bytes(4, sys.byteorder)), 0) != 0:
        give_up("Landlock takes no rule for moves here")
    posix.close(root)
    # The kernel's `struct sock_fprog`: how many statements, and where they are.
    statements = Text(filtered)
    where = Address.from_buffer(statements).value
    program = Text((len(filtered) // 8).to_bytes(8, sys.byteorder) + where.to_bytes(8, sys.byteorder))

    def lock_in():
        """Keeps the copy, and all it starts, from the server."""
        return ask(restrict_self, ruleset, 0) == 0 and ask(control, 22, 2, program) == 0

    # The C library keeps the number of its thread; the kernel writes the copy's there.
    thread = Long(0)
    if ask(control, 40, Address(_address(thread))) != 0:
        give_up("the kernel does not tell where the thread's number is")
    place = thread.value
    OWN_PARENT, SET_THREAD, CLEAR_THREAD, CHILD_SIGNAL = 0x8000, 0x01000000, 0x00200000, 17

    def copy(flags):
        return ask(clone, flags | SET_THREAD | CLEAR_THREAD | CHILD_SIGNAL, 0, 0, place, place)

    tried = copy(0)
    if tried == 0:
        posix._exit(0 if lock_in() else 1)
    if tried < 0 or posix.waitpid(tried, 0)[1] != 0:
        give_up("a copy cannot be kept from its server")

    # As if this module had never been there.
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    # Folders of a bot come into the path in its copies alone.
    if folders:
        os.environ["PYTHONPATH"] = os.fsdecode(folders[1:])
        entries = os.environ["PYTHONPATH"].split(os.pathsep)
    else:
        del os.environ["PYTHONPATH"]
        entries = []
    for name in set(sys.modules) - known:
        del sys.modules[name]
    # A module of the bot may be in the place of any that a standard module imports.
    standard = getattr(sys, "stdlib_module_names", None)
    for beside in [os.path.dirname(sys.argv[0])] + entries:
        names = os.listdir(beside) if os.path.isdir(beside) else []
        if standard is None or any(name.partition(".")[0] in standard for name in names):
            wanted = []
    for name in wanted:
        if "@" in name:
            load_library(name.partition("@"), [os.path.dirname(sys.argv[0])] + entries)
            continue
        try:
            __import__(name)
        except ImportError:
            pass
    if len(os.listdir("/proc/self/task")) > 1:
        give_up("what it loads first starts threads")
    # Not frozen: what holds the bot's names is as old as all of this, and has to be collected at the end.
    gc.collect()
    if ending == b"quick":
        gc.freeze()
    channel.send(b"ready")

    while True:
        told, passed, _, _ = channel.recvmsg(1, 256)
        if not told:
            posix._exit(0)
        passed = passed[0][2]
        streams = [int.from_bytes(passed[at:at + 4], sys.byteorder) for at in range(0, len(passed), 4)]
        before_fork()
        process = copy(OWN_PARENT)
        if process == 0:
            break
        after_parent()
        for stream in streams:
            posix.close(stream)
        channel.send(process.to_bytes(4, "little", signed=True))

    after_child()
    if not lock_in():
        posix._exit(127)
    draw_anew()
    channel.close()
    posix.close(ruleset)
    for number, stream in enumerate(streams[:3]):
        posix.dup2(stream, number)
        posix.close(stream)
    told = streams[3]
    arguments = b""
    part = None
    while part != b"":
        part = posix.read(told, 1 << 16)
        arguments += part
    posix.close(told)
    folder, *arguments = [os.fsdecode(argument) for argument in arguments.split(b"\0")[:-1]]
    posix.chdir(folder)
    if entries != [""]:
        sys.path[0:0] = [os.path.abspath(entry) for entry in entries]
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize as original
    except ImportError:
        original = None
    sys.argv[1:] = arguments
    if hasattr(sys, "orig_argv"):
        sys.orig_argv += arguments
    if "threading" in sys.modules:
        main = sys.modules["threading"].main_thread()
        main._set_native_id()
    if ending == b"quick":
        play_quickly(gc, atexit._run_exitfuncs, _weakref.ref)
    return original


def load_library(wanted, places):
    """Imports a library of a folder that is no bot's, as copies would find it."""
    name, _, folder = wanted
    # Its threads, one for each further processor, would not be there in a copy.
    if len(os.sched_getaffinity(0)) > 1:
        return
    for place in places:
        if place == folder:
            break
        if os.path.isdir(place) and any(it.partition(".")[0] == name.partition(".")[0] for it in os.listdir(place)):
            return
    sys.path.insert(0, folder)
    try:
        __import__(name)
    except ImportError:
        pass
    sys.path.remove(folder)


def draw_anew():
    """Gives generators of chance that were loaded before the copy was made new seeds, as their import does."""
    random = sys.modules.get("numpy.random")
    if random is None:
        return
    if hasattr(random, "set_bit_generator"):
        random.set_bit_generator(random.MT19937())
    else:
        random.seed()


def play_quickly(gc, at_exit, ref):
    """Runs the bot and ends it, as CPython does it, but touches nothing that was there before the copy was made."""
    if sys.modules["site"].ENABLE_USER_SITE:
        sys.modules["site"].execusercustomize()
    older = set(sys.modules)
    script = sys.argv[0]
    # One that is not frozen: what only its names hold has to be collected.
    module = type(sys)("__main__")
    names = module.__dict__
    former = sys.modules["__main__"].__dict__
    names.update({name: former[name] for name in former if name in ("__annotations__", "__builtins__")})
    sys.modules["__main__"] = module
    older.discard("__main__")
    sys.path.insert(0, os.path.dirname(os.path.realpath(script)))
    status, signalled = 0, False
    try:
        loaders = sys.modules["_frozen_importlib_external"]
        names["__file__"], names["__cached__"] = script, None
        with open(script, "rb") as file:
            source = file.read()
        if script.endswith(".pyc"):
            names["__loader__"] = loaders.SourcelessFileLoader("__main__", script)
            code = marshal.loads(source[16:])
        else:
            names["__loader__"] = loaders.SourceFileLoader("__main__", script)
            code = compile(source, script, "exec", 0, True)
        del source, file, loaders, former
        exec(code, names)
    except SystemExit as error:
        status = status_of(error)
    except BaseException as error:
        tell(error, names)
        status, signalled = 1, isinstance(error, KeyboardInterrupt)
    code = error = module = names = None
    if not end(gc, older, at_exit, ref):
        status = 120
    if signalled:
        from _signal import SIG_DFL, SIGINT, signal
        signal(SIGINT, SIG_DFL)
        os.kill(os.getpid(), SIGINT)
    os._exit(status)


def status_of(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    sys.stdout and sys.stdout.flush()
    if sys.stderr is not None:
        sys.stderr.write(str(code) + "\n")
    return 1


def tell(error, names):
    """Hands what nobody caught to the hook for that, without the frames of this module."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is not names and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    error.__traceback__ = trace
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    try:
        sys.excepthook(type(error), error, trace)
    except BaseException as other:
        sys.stderr.write("Error in sys.excepthook:\n")
        other.__traceback__ = other.__traceback__ and other.__traceback__.tb_next
        other.__context__ = None
        sys.__excepthook__(type(other), other, other.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, trace)


def flush_streams():
    well = True
    for stream in (sys.stdout, sys.stderr):
        if stream is None or getattr(stream, "closed", True):
            continue
        try:
            stream.flush()
        except Exception as error:
            well = False
            if stream is sys.stdout:
                sys.stderr.write("Exception ignored in: %r\n%s: %s\n" % (stream, type(error).__name__, error))
    return well


def flush(stream):
    try:
        stream.flush()
        return True
    except Exception:
        return False


def end(gc, older, at_exit, ref):
    """Ends the bot; says whether what it printed could be written."""
    modules = sys.modules
    if "threading" in modules:
        modules["threading"]._shutdown()
    at_exit()
    for name in ("path", "argv", "last_type", "last_value", "last_traceback", "path_hooks", "path_importer_cache", "meta_path"):
        setattr(sys, name, None)
    well = flush_streams()
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    # What was written and not closed, before anything that holds it can go.
    for kind in (io.TextIOBase, io.BufferedIOBase):
        for thing in gc.get_objects():
            if isinstance(thing, kind) and not thing.closed:
                flush(thing)
    thing = None
    alive = []
    for name in [name for name in modules if name not in older]:
        module = modules.pop(name)
        try:
            alive.append((name, ref(module)))
        except TypeError:
            pass
    module = None
    gc.collect()
    for name, there in reversed(alive):
        module = there()
        if module is not None and isinstance(getattr(module, "__dict__", None), dict):
            clear(module.__dict__)
    module = None
    gc.collect()
    return well and flush_streams()


def clear(names):
    """As CPython clears a module: names with one underscore first."""
    for private in (True, False):
        for name in list(names):
            is_private = name.startswith("_") and not name.startswith("__")
            if name != "__builtins__" and is_private == private and names.get(name) is not None:
                names[name] = None


def _address(data):
    """Where the bytes of a value are."""
    from _ctypes import addressof
    return addressof(data)


try:
    original = serve()
except BaseException as error:
    # The interpreter would go on without this module, and the server would run the bot.
    import os
    os.write(2, repr(error).encode(errors="replace"))
    os._exit(1)
if original is None:
    raise ImportError("no module named 'sitecustomize'", name="sitecustomize")
