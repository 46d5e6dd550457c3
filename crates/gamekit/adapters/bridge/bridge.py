"""Bridge to an engine that starts its bots itself by command lines: the engine stays as it is.

It is given `wire.py` as each of its bots, which hands on what it says to the real bot in Joust's sandbox, and the
answers back. Its own clock must be off: Joust keeps the time. A file of your own says the rest:

    import bridge

    def command(bout, bots):                # `bots` are command lines, one for each seat
        return ["./engine", "--no-timeout", "--seed", str(bout.seed), *bots]

    def is_question(seat, text, asked):     # whether all has been said that the bot waits for
        return text.endswith("go\\n")

    def scores(bout, printed):              # from what the engine printed
        return json.loads(printed)["scores"]

    bridge.serve("my-game", "1", command, is_question, scores)

When a bout is judged again, its scores are compared, and what the file names beside them, since an engine may say its own
times: `position(views)` of what seats are told, a dictionary from seat to text, and `result(printed)`. With `ask="one"` a
seat is asked as soon as it is spoken to; otherwise all seats that are left are asked at once. A bot that fails is gone for
the engine: its standard output ends.
"""

import json
import os
import pathlib
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile

import joust

WIRE = pathlib.Path(__file__).resolve().parent / "wire.py"


class Engine:
    """The engine's process, and a wire for each seat that it has started."""

    def __init__(self, command, seats, folder):
        self.place = os.path.join(folder, "wires")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.place)
        self.listener.listen(seats)
        self.wires, self.texts = {}, {seat: "" for seat in range(seats)}
        self.waits = selectors.DefaultSelector()
        self.waits.register(self.listener, selectors.EVENT_READ, self.accept)
        bots = [shlex.join([sys.executable, str(WIRE), self.place, str(seat)]) for seat in range(seats)]
        self.printed = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command(bots), stdin=subprocess.DEVNULL, stdout=self.printed, start_new_session=True)
        self.ended = os.pidfd_open(self.process.pid)
        self.waits.register(self.ended, selectors.EVENT_READ, None)

    def accept(self):
        wire, _ = self.listener.accept()
        name = b""
        while not name.endswith(b"\n"):
            name += wire.recv(1)
        seat = int(name)
        self.wires[seat] = wire
        self.waits.register(wire, selectors.EVENT_READ, lambda: self.read(seat))

    def read(self, seat):
        data = self.wires[seat].recv(1 << 16)
        if data:
            self.texts[seat] += data.decode("utf-8", "replace")
        else:
            self.cut(seat)

    def cut(self, seat):
        """The seat is gone: for the engine if its bot failed, for us if the engine has ended it."""
        wire = self.wires.pop(seat, None)
        if wire is not None:
            self.waits.unregister(wire)
            wire.close()

    def wait(self, is_enough):
        """Waits until enough has been said; says whether the engine has ended instead."""
        while not is_enough():
            ready = self.waits.select()
            # What was said before the end comes before it.
            for key, _ in ready:
                if key.data is not None:
                    key.data()
            if len(ready) == 1 and ready[0][0].data is None:
                return True
        return False

    def say(self, seat, text):
        """Hands on an answer: as many lines as `game.yaml` says, whatever is in them."""
        try:
            if seat in self.wires:
                self.wires[seat].sendall(text.replace("\r", " ").encode() + b"\n")
        except OSError:
            self.cut(seat)

    def end(self):
        """Ends the engine with all that it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for seat in list(self.wires):
            self.cut(seat)
        self.waits.close()
        self.listener.close()
        os.close(self.ended)


def nothing(said):
    return ""


def serve(game, version, command, is_question, scores, ask="all", lines=1, position=nothing, result=nothing):
    """Plays bouts of an engine, whose bots answer with so many lines."""

    def play(bout):
        with tempfile.TemporaryDirectory() as folder:
            engine = Engine(lambda bots: command(bout, bots), bout.seats, folder)
            try:
                yield from conversation(bout, engine)
                status = engine.process.wait()
                engine.printed.seek(0)
                printed = engine.printed.read().decode("utf-8", "replace")
            finally:
                engine.end()
        if status != 0:
            raise RuntimeError(f"the engine ended with status {status}: {printed[-500:]}")
        points = scores(bout, printed)
        return bout.end(points, "over", state=json.dumps([points, result(printed)]))

    def conversation(bout, engine):
        asked = [0] * bout.seats
        seen = set()

        def waiting():
            seen.update(engine.wires)
            return [seat for seat in sorted(engine.wires) if is_question(seat, engine.texts[seat], asked[seat])]

        def is_enough():
            seats = waiting()
            return bool(seats) and (ask == "one" or (len(seen) == bout.seats and len(seats) == len(engine.wires)))

        while not engine.wait(is_enough):
            views = {seat: engine.texts[seat] for seat in waiting()}
            answers = yield bout.ask(views, state=position(views))
            for seat in views:
                engine.texts[seat] = ""
                asked[seat] += 1
                if answers[seat].ok:
                    engine.say(seat, "\n".join(answers[seat].text.split("\n")[:lines]))
                else:
                    bout.fault(seat, "is gone for the engine")
                    bout.out(seat)
                    engine.cut(seat)

    joust.serve(game, version, play, can=("rejudge",))
