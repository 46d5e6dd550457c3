"""Server of warm starts: a Python interpreter that stops at the end of its own start.

It is started once with a bot's own command line, finds this module because its folder comes first in PYTHONPATH, and
serves from here: every turn is a copy of it that goes on where it stopped. CPython itself then reads the bot's file, runs
it and ends it. Nothing of a bot runs before the copy is made, and the server sees nothing of a turn: the copy itself reads
the arguments. The syntax is that of Python 3.5: an interpreter that cannot read this goes on to the bot. What it speaks over descriptor 3 is in `crates/sandbox/src/launcher/server.rs`.
"""


def serve():
    import os
    import posix
    import sys

    known = set(sys.modules)
    import gc

    import _socket
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

    posix.close(4)
    channel = _socket.socket(fileno=3)
    fields = channel.recv(1 << 16).split(b"\0")
    clone, create_ruleset, restrict_self, control = (int(field) for field in fields[:4])
    filtered, ending = bytes.fromhex(fields[4].decode()), fields[5]
    wanted = [name.decode() for name in fields[6:] if name]

    def give_up(reason):
        channel.send(b"no " + reason.encode(errors="replace")[:4000])
        posix._exit(1)

    if sys.implementation.name != "cpython" or sys.version_info < (3, 8):
        give_up("only CPython 3.8 or later can be kept warm")
    # Whoever is in a domain of this set signals nobody outside of it (Landlock, version 6).
    ruleset = ask(create_ruleset, Text(bytes(16) + (2).to_bytes(8, sys.byteorder)), 24, 0)
    if ruleset < 0:
        give_up("Landlock keeps no signals from other processes here: " + os.strerror(-ruleset))
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
    own, separator, others = os.environ.pop("PYTHONPATH").partition(os.pathsep)
    if separator:
        os.environ["PYTHONPATH"] = others
    for name in set(sys.modules) - known:
        del sys.modules[name]
    replaced = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize as original
    except ImportError:
        original = None

    for name in wanted:
        try:
            __import__(name)
        except ImportError:
            pass
    # Not frozen: what holds the bot's names is as old as all of this, and has to be collected at the end.
    gc.collect()
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
    sys.argv[1:] = arguments
    if hasattr(sys, "orig_argv"):
        sys.orig_argv += arguments
    if "threading" in sys.modules:
        main = sys.modules["threading"].main_thread()
        main._set_native_id()
    return original


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
