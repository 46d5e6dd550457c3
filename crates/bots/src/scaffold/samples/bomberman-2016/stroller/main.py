"""Stroller walks about, never into fire if it can help it, and lays no bomb."""

import os
import random
import re
import sys

STEPS = {"1": (0, -1), "2": (-1, 0), "3": (1, 0), "4": (0, 1)}


def choose(key, text, seed):
    lines = text.splitlines()
    grid = [line for line in lines[1:] if line.startswith("#")]
    places = [(x, y) for y, row in enumerate(grid, 1) for x, symbol in enumerate(row, 1) if symbol.upper() == key]
    bombs = [tuple(map(int, found)) for found in re.findall(r"\{x:(\d+),y:(\d+),fuse:\d+,radius:(\d+)\}", text)]
    if not places:
        return "0"

    def is_safe(x, y):
        return not any((x == a and abs(y - b) <= r) or (y == b and abs(x - a) <= r) for a, b, r in bombs)

    (x, y), luck = places[0], random.Random(seed + lines[0])
    free = [move for move, (dx, dy) in STEPS.items() if grid[y + dy - 1][x + dx - 1] in " &!$"]
    safe = [move for move in free if is_safe(x + STEPS[move][0], y + STEPS[move][1])]
    if safe:
        return luck.choice(safe)
    return "0" if is_safe(x, y) or not free else luck.choice(free)


key, folder = sys.argv[1:3]
with open(os.path.join(folder, "map.txt")) as file:
    move = choose(key, file.read(), os.environ.get("JOUST_SEED", "1"))
with open(os.path.join(folder, "move.txt"), "w") as file:
    file.write(move)
