"""Hosts one agent of Coder One's dungeon.

    python3 -c HOST MODULE SOURCE PATH NUMBER [PACKAGE]

MODULE is the name of the module that agents import, as `coderone.dungeon.agent`,
and SOURCE its source; PATH is the agent's module, with or without `.py` or `.pyc`, or a
package folder or its `__init__.py`; NUMBER the player's; PACKAGE the name of a
package whose folder has another name here.

Descriptor 3 brings states, descriptor 4 takes answers; standard output and
standard error are the agent's own. A message is a length (four bytes, little
endian) and so many bytes:

    in   request (4), length of the game's state (4), its JSON, the player's JSON
    out  R                                     ready: the constructor has returned
    out  A, request (4), length of kind (1), kind, value

Only the newest state that has arrived is shown to the agent; every state shown
gives one answer, whose kind says what `next_move` returned: `str` (the value is
its text in UTF-8), `false`, `other`, `unhashable`, `unclear` (its truth cannot be
told), `lost` (it cannot be sent to another process), `raised`. There is no
thread and no polling here: the host sleeps in `read`. It ends when descriptor 3
does, and with the agent.
"""


def main():
    import sys

    _, module_name, source, path, number = sys.argv[:5]
    package = sys.argv[5] if len(sys.argv) > 5 else None
    sys.argv = [path]
    wire = Wire(3, 4)
    set_up_process()
    provide_module(module_name, source)
    seed_random()
    try:
        module = load(path, package)
        agent = construct(module, int(number))
        wire.send(b"R")
        Host(wire, agent, sys.modules[module_name]).serve()
        leave(0)
    except SystemExit as stop:
        leave(exit_status(stop.code))
    except BaseException:
        import traceback

        traceback.print_exc()
        leave(1)


def leave(status):
    """Ends the process, other threads or not."""
    import os
    import sys

    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(status)


def exit_status(code):
    """Returns the status `sys.exit(code)` stands for."""
    import sys

    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def set_up_process():
    """Keeps the wire from the agent's children and shows prints at once."""
    import logging
    import os
    import sys

    for descriptor in (3, 4):
        os.set_inheritable(descriptor, False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    # Agents inherit the runner's root logger.
    logging.basicConfig(level=logging.INFO, stream=sys.stdout)


def provide_module(whole, source):
    """Makes a module importable that is in no file, and the packages it is in."""
    import sys
    import types

    parent, parts = None, whole.split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        module = types.ModuleType(name)
        sys.modules[name] = module
        if parent is not None:
            setattr(parent, parts[depth - 1], module)
        if name == whole:
            module.__package__ = whole.rpartition(".")[0]
            exec(compile(source, "<" + whole + ">", "exec"), module.__dict__)
        else:
            module.__path__ = []
        parent = module


def seed_random():
    """Seeds `random` from JOUST_SEED, so that a bout can be repeated."""
    import os
    import random

    seed = os.environ.get("JOUST_SEED", "")
    if seed.isdigit():
        random.seed(int(seed))


def load(path, package):
    """Imports the agent's module."""
    import importlib
    import os
    import sys

    folder, parts = os.path.realpath(path), []
    for ending in (".py", ".pyc"):
        if folder.endswith(ending):
            folder = folder[: -len(ending)]
            break
    folder, last = os.path.split(folder)
    if last == "__init__":
        folder, last = os.path.split(folder)
    if package is not None:
        return load_package(os.path.join(folder, last), package)
    parts.append(last)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, last = os.path.split(folder)
        parts.append(last)
    if not sys.path or sys.path[0] != folder:
        sys.path.insert(0, folder)
    return importlib.import_module(".".join(reversed(parts)))


def load_package(folder, name):
    """Imports the package in a folder under another name than the folder's."""
    import importlib.util
    import os
    import sys

    file = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[folder]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def construct(module, number):
    """Returns the agent, or None when there is none or its constructor raises."""
    import sys
    import traceback

    factory = getattr(module, "agent", None)
    if not hasattr(module, "agent"):
        factory = getattr(module, "Agent", None)
    if factory is None:
        print("%s has neither `agent` nor `Agent`" % module.__name__, file=sys.stderr)
        return None
    try:
        if wants_number_and_game(factory):
            return factory(number + 1, None)
        return factory()
    except Exception:
        traceback.print_exc()
        return None


def wants_number_and_game(factory):
    """Says whether it has the documented form, `__init__(self, player_num, env)`."""
    import inspect

    if not inspect.isclass(factory):
        return False
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return False
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [it for it in parameters if it.kind in places and it.default is it.empty]
    return len(required) == 2


class Wire:
    """The two pipes."""

    # A read makes room for so much: large rooms cost more than the state itself.
    CHUNK_BYTES = 1 << 16

    def __init__(self, states, answers):
        import os
        import select

        self.states = states
        self.answers = answers
        self.read = os.read
        self.write = os.write
        self.rest = b""
        self.more = select.poll()
        self.more.register(states, select.POLLIN)

    def newest(self):
        """Waits for a state and returns the newest that has arrived, or None at the end."""
        newest = None
        rest = self.rest
        while newest is None:
            chunk = self.arrived()
            if not chunk:
                return None
            rest = rest + chunk if rest else chunk
            while len(rest) >= 4:
                end = 4 + int.from_bytes(rest[:4], "little")
                if len(rest) < end:
                    break
                newest = rest[4:end]
                rest = rest[end:]
        self.rest = rest
        return newest

    def arrived(self):
        """Waits for bytes and returns all that are there, or none at the end."""
        chunk = self.read(self.states, self.CHUNK_BYTES)
        if len(chunk) < self.CHUNK_BYTES:
            return chunk
        chunks = [chunk]
        while self.more.poll(0):
            chunk = self.read(self.states, self.CHUNK_BYTES)
            chunks.append(chunk)
            if len(chunk) < self.CHUNK_BYTES:
                break
        return b"".join(chunks)

    def send(self, message):
        """Sends one message."""
        message = len(message).to_bytes(4, "little") + message
        while message:
            message = message[self.write(self.answers, message) :]


class Host:
    """Shows states to an agent and passes its answers on."""

    VALUE_BYTES = 4096

    def __init__(self, wire, agent, types):
        import json

        self.wire = wire
        self.agent = agent
        self.parse = json.JSONDecoder().raw_decode
        self.game_state_type = types.GameState
        self.player_state_type = types.PlayerState

    def serve(self):
        """Answers until no more states come."""
        wire = self.wire
        while True:
            message = wire.newest()
            if message is None:
                return
            kind, value = self.answer(message)
            try:
                wire.send(b"A" + message[:4] + bytes((len(kind),)) + kind + value)
            except BrokenPipeError:
                return

    def answer(self, message):
        """Shows one state and returns the kind and the bytes of the answer."""
        if self.agent is None:
            return b"false", b"None"
        end = 8 + int.from_bytes(message[4:8], "little")
        game_state = self.game_state(message[8:end].decode("ascii"))
        player_state = self.player_state(message[end:].decode("ascii"))
        try:
            action = self.agent.next_move(game_state, player_state)
        except Exception as error:
            import traceback

            traceback.print_exc()
            return b"raised", type(error).__name__.encode("utf-8", "replace")
        if type(action) is str:
            return b"str", text_bytes(action)
        if action is None:
            return b"false", b"None"
        return self.classify(action)

    def game_state(self, text):
        """Makes the object that agents know from the JSON of a state."""
        state = self.parse(text)[0]
        game_map = {}
        players = list(enumerate(squares(state["players"])))
        for pid, (x, y) in players:
            column = game_map.get(x)
            if column is None:
                game_map[x] = {y: pid}
            else:
                column[y] = pid
        blocks = []
        for tag, run in state["blocks"]:
            for location in squares(run):
                blocks.append((tag, location))
                x, y = location
                column = game_map.get(x)
                if column is None:
                    game_map[x] = {y: tag}
                else:
                    column[y] = tag
        ammo, treasure, bombs = (squares(state[key]) for key in ("ammo", "treasure", "bombs"))
        for tag, locations in (("a", ammo), ("t", treasure), ("b", bombs)):
            for x, y in locations:
                game_map.setdefault(x, {})[y] = tag
        return self.game_state_type(
            state["is_over"], state["tick_number"], tuple(state["size"]),
            game_map, ammo, treasure, bombs, blocks, players,
        )

    def player_state(self, text):
        """Makes the object that agents know from the JSON of their player."""
        state = self.parse(text)[0]
        state["location"] = squares(state["location"])[0]
        return self.player_state_type(**state)

    def classify(self, action):
        """Says of what kind an unusual action is, as its runner would see it."""
        import pickle

        if not isinstance(action, (str, bool, int, float, bytes)):
            try:
                pickle.dumps(action)
            except Exception:
                import traceback

                traceback.print_exc()
                return b"lost", self.shown(action)
        try:
            if not action:
                return b"false", self.shown(action)
        except Exception:
            return b"unclear", self.shown(action)
        if isinstance(action, str):
            return b"str", text_bytes(str.__str__(action))
        try:
            hash(action)
        except Exception:
            return b"unhashable", self.shown(action)
        return b"other", self.shown(action)

    def shown(self, action):
        """Returns how an action is shown to people."""
        try:
            text = repr(action)
        except Exception:
            text = object.__repr__(action)
        return text_bytes(text[: self.VALUE_BYTES])


def text_bytes(text):
    """Returns the UTF-8 of a text, at most so much as an answer may have."""
    return text[: Host.VALUE_BYTES].encode("utf-8", "backslashreplace")[: Host.VALUE_BYTES]


def squares(text):
    """Makes tuples of `0a01...`: two hex digits for x and two for y each."""
    numbers = bytes.fromhex(text)
    return list(zip(numbers[::2], numbers[1::2]))


if __name__ == "__main__":
    main()
