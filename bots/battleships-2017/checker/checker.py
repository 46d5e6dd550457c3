"""Checker looks for ships on every second cell, like the white squares of a chess
board, and on fewer still when the small ships are gone. Once it has hit one it
follows the line of the hits.

Arguments: the own key and the folder with state.json; the answer is place.txt in
phase 1 and command.txt in phase 2, there.
"""

import json
import os
import random
import sys

LENGTHS = {"Carrier": 5, "Battleship": 4, "Cruiser": 3, "Submarine": 3, "Destroyer": 2}
SINGLE_SHOT = 1
EAST, NORTH = (1, 0), (0, 1)
STEPS = (EAST, NORTH, (-1, 0), (0, -1))


def place(side, luck):
    """Every ship somewhere, none next to another as long as that is possible."""
    for gap in (1, 1, 1, 0):
        for _ in range(50):
            lines = try_to_place(side, luck, gap)
            if lines:
                return "\n".join(lines) + "\n"
    return ""


def try_to_place(side, luck, gap):
    taken, lines = set(), []
    for ship, length in LENGTHS.items():
        spots = [
            (x, y, way)
            for way in (EAST, NORTH)
            for x in range(side - way[0] * (length - 1))
            for y in range(side - way[1] * (length - 1))
            if taken.isdisjoint(cells(x, y, way, length))
        ]
        if not spots:
            return None
        x, y, way = luck.choice(spots)
        for cx, cy in cells(x, y, way, length):
            taken |= {(cx + dx, cy + dy) for dx in range(-gap, gap + 1) for dy in range(-gap, gap + 1)}
        lines.append(f"{ship} {x} {y} {'East' if way == EAST else 'North'}")
    return lines


def cells(x, y, way, length):
    return [(x + n * way[0], y + n * way[1]) for n in range(length)]


class Sea:
    """What is known of the other map."""

    def __init__(self, state):
        self.side = state["MapDimension"]
        theirs = state["OpponentMap"]
        self.hits, self.all_hits, self.tried = set(), set(), set()
        for cell in theirs["Cells"]:
            spot = cell["X"], cell["Y"]
            if cell["Damaged"]:
                self.hits.add(spot)
            if cell["Damaged"] or cell["Missed"] or cell["ShieldHit"]:
                self.tried.add(spot)
        self.lengths = [LENGTHS[ship["ShipType"]] for ship in theirs["Ships"] if not ship["Destroyed"]]
        sunk = [LENGTHS[ship["ShipType"]] for ship in theirs["Ships"] if ship["Destroyed"]]
        self.all_hits = set(self.hits)
        if sum(sunk) == len(self.hits):
            self.hits = self.all_hits = set()
        for length in sorted(sunk, reverse=True):
            self.forget(length)

    def forget(self, length):
        """Takes the hits of a sunk ship out: a line of just that many, with none beside it."""
        for x, y in sorted(self.hits):
            for way in (EAST, NORTH):
                line = cells(x, y, way, length)
                around = {(cx + dx, cy + dy) for cx, cy in line for dx, dy in STEPS} - set(line)
                if self.hits.issuperset(line) and self.hits.isdisjoint(around):
                    self.hits.difference_update(line)
                    return

    def is_open(self, spot):
        return all(0 <= c < self.side for c in spot) and spot not in self.tried

    def ends(self, hits):
        """The open cells at the ends of lines of hits, the longest lines first."""
        found = []
        for hit in sorted(hits):
            for way in STEPS:
                length = 1
                while (hit[0] - length * way[0], hit[1] - length * way[1]) in hits:
                    length += 1
                spot = hit[0] + way[0], hit[1] + way[1]
                if self.is_open(spot):
                    found.append((-length, spot))
        return found

    def cells(self, step):
        """The open cells of a pattern, those of the middle first."""
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        middle = (self.side - 1) / 2
        return [
            (max(abs(x - middle), abs(y - middle)), (x, y))
            for x, y in spots
            if (x + y) % step == 0 and self.is_open((x, y))
        ]

    def candidates(self):
        """Cells with a value each, the smallest is best."""
        on_trace = self.ends(self.hits)
        on_pattern = on_trace or self.cells(min(self.lengths, default=1))
        # What looked like a sunk ship may have been a part of another.
        return on_pattern or self.ends(self.all_hits) or self.cells(1) or [(0, (0, 0))]


def shoot(state, luck):
    candidates = Sea(state).candidates()
    best = min(value for value, _ in candidates)
    x, y = luck.choice([spot for value, spot in candidates if value == best])
    return f"{SINGLE_SHOT},{x},{y}\n"


def decide(state, key, seed):
    luck = random.Random(f"{seed} {key} {state['Round']}")
    if state["Phase"] == 1:
        return "place.txt", place(state["MapDimension"], luck)
    return "command.txt", shoot(state, luck)


def main():
    key, folder = sys.argv[1:3]
    with open(os.path.join(folder, "state.json"), encoding="utf-8") as file:
        state = json.load(file)
    name, text = decide(state, key, os.environ.get("JOUST_SEED", ""))
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
