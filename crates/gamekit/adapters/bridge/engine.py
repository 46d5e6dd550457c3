"""An engine as engines of contests are: it starts its bots itself, by a shell, and has a clock of its own.

    engine.py [--seed N] [--no-timeout] COMMAND COMMAND...

Each round every bot is told all positions and `go`, and answers how far it goes, 1 to 6. Who goes as far as another does not
move. It never ends its bots. It prints how long it took.
"""

import argparse
import json
import random
import select
import subprocess
import sys
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--seed", type=int, default=0)
arguments.add_argument("--no-timeout", action="store_true")
arguments.add_argument("bots", nargs="+")
arguments = arguments.parse_args()
began = time.monotonic()
luck = random.Random(arguments.seed)
bots = [subprocess.Popen(["sh", "-c", bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for bot in arguments.bots]
at, alive = [0] * len(bots), set(range(len(bots)))
goal = luck.randint(20, 40)


def ask(seat):
    try:
        bots[seat].stdin.write(f"goal {goal}\n" + "".join(f"at {place}\n" for place in at) + "go\n")
        bots[seat].stdin.flush()
    except BrokenPipeError:
        alive.discard(seat)


def answer(seat):
    in_time = arguments.no_timeout or select.select([bots[seat].stdout], [], [], 0.05)[0]
    line = bots[seat].stdout.readline() if in_time else ""
    if not line:
        alive.discard(seat)
    return int(line) if line.strip().isdigit() and 1 <= int(line) <= 6 else 0


while alive and max(at) < goal:
    for seat in sorted(alive):
        ask(seat)
    steps = {seat: answer(seat) for seat in sorted(alive)}
    for seat, step in steps.items():
        if list(steps.values()).count(step) == 1:
            at[seat] += step
print(f"engine 1.0, {time.monotonic() - began} seconds")
print(json.dumps({"positions": at}))
sys.stdout.flush()
