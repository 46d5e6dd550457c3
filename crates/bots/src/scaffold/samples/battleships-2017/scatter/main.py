"""Scatter lays its ships anywhere and shoots at random, and beside what it has hit."""

import json
import os
import random
import sys

SHIPS = [("Carrier", 5), ("Battleship", 4), ("Cruiser", 3), ("Submarine", 3), ("Destroyer", 2)]


def place(size, luck):
    taken, lines = set(), []
    for ship, length in SHIPS:
        while True:
            direction, (dx, dy) = luck.choice([("East", (1, 0)), ("North", (0, 1))])
            x, y = luck.randrange(size), luck.randrange(size)
            cells = {(x + dx * step, y + dy * step) for step in range(length)}
            if not cells & taken and all(a < size and b < size for a, b in cells):
                break
        taken |= cells
        lines.append("%s %d %d %s\n" % (ship, x, y, direction))
    return "".join(lines)


def command(cells, luck):
    free = [(cell["X"], cell["Y"]) for cell in cells if not cell["Damaged"] and not cell["Missed"]]
    hits = {(cell["X"], cell["Y"]) for cell in cells if cell["Damaged"]}
    beside = [(x, y) for x, y in free if hits & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}]
    return "1,%d,%d\n" % luck.choice(beside or free) if free else "0,0,0\n"


folder = sys.argv[2]
with open(os.path.join(folder, "state.json")) as file:
    state = json.load(file)
luck = random.Random(os.environ.get("JOUST_SEED", "1") + str(state["Round"]))
if state["Phase"] == 1:
    name, answer = "place.txt", place(state["MapDimension"], luck)
else:
    name, answer = "command.txt", command(state["OpponentMap"]["Cells"], luck)
with open(os.path.join(folder, name), "w") as file:
    file.write(answer)
