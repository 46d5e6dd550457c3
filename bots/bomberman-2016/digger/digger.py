"""Digger lives on walls: it walks to the block whose blast takes down most of
them for the way there, plants, steps out of the blast, and does it again.

Arguments: the own key and the folder with state.json; the answer is the first
character of move.txt there. Nothing is kept from one round to the next.
"""

import json
import os
import sys
import zlib
from functools import lru_cache

NOTHING, UP, LEFT, RIGHT, DOWN, BOMB, TRIGGER = range(7)
STEPS = {UP: (0, -1), LEFT: (-1, 0), RIGHT: (1, 0), DOWN: (0, 1)}
AHEAD = 12
"""Rounds that an escape is planned for: longer than any fuse."""
FAR = 40
"""Rounds that a way may take."""


class Field:
    """What matters of state.json. A bomb is (x, y, rounds until it explodes, radius)."""

    def __init__(self, state, key):
        self.pillars, self.walls, self.prizes, self.bombs = set(), set(), set(), []
        self.others = []
        for column in state["GameBlocks"]:
            for block in column:
                self.add(block, key)
        for player in state["RegisteredPlayerEntities"]:
            spot = player["Location"]["X"], player["Location"]["Y"]
            if player["Key"] == key:
                self.me, self.bag, self.radius = spot, player["BombBag"], player["BombRadius"]
            elif not player["Killed"]:
                self.others.append(spot)

    def add(self, block, key):
        spot = block["Location"]["X"], block["Location"]["Y"]
        kind = (block["Entity"] or {}).get("$type", "")
        if "Indestructible" in kind:
            self.pillars.add(spot)
        elif "Destructible" in kind:
            self.walls.add(spot)
        if block["PowerUp"]:
            self.prizes.add(spot)
        bomb = block["Bomb"]
        if bomb:
            mine = bomb["Owner"]["Key"] == key
            self.bombs.append((*spot, bomb["BombTimer"], bomb["BombRadius"], mine))

    def blast(self, x, y, radius, walls, bombs):
        """The blocks that a bomb covers, and the walls among them."""
        covered, hit = {(x, y)}, set()
        for dx, dy in STEPS.values():
            for n in range(1, radius + 1):
                spot = x + n * dx, y + n * dy
                if spot in self.pillars:
                    break
                covered.add(spot)
                if spot in walls:
                    hit.add(spot)
                if spot in walls or spot in bombs:
                    break
        return covered, hit

    def fires(self, bombs):
        """When each bomb explodes, and which blocks burn in which round from now.

        A bomb in the blast of another explodes with it; walls and bombs that are
        gone do not stop a later blast.
        """
        walls, left = set(self.walls), {bomb[:2]: bomb for bomb in bombs}
        due, burning = {}, [set() for _ in range(AHEAD + 1)]
        for n in range(1, AHEAD + 1):
            exploding = [spot for spot, bomb in left.items() if bomb[2] <= n]
            for spot in exploding:
                covered, _ = self.blast(*spot, left[spot][3], walls, left)
                burning[n] |= covered
                exploding += [other for other in left if other in covered and other not in exploding]
            for spot in exploding:
                due[spot] = n
                del left[spot]
            walls -= burning[n]
        return due, burning

    def walks(self, bombs, first=None):
        """All ways through the next rounds that nobody burns on.

        Returns the first commands of those that last, and for every block the
        shortest way: (rounds, first command). `first` forces the first command.
        """
        due, burning = self.fires(bombs)
        taken = self.walls | self.pillars | set(self.others)
        lasting, ways = set(), {self.me: (0, NOTHING)}
        edge = {self.me: {NOTHING} if first is None else {first}}
        for n in range(1, FAR + 1):
            reached = {}
            fire = burning[n] if n <= AHEAD else ()
            for (x, y), firsts in edge.items():
                if (x, y) in fire:
                    continue
                moves = {NOTHING: (0, 0), **STEPS} if n > 1 or first is None else {first: (0, 0)}
                for command, (dx, dy) in moves.items():
                    spot = x + dx, y + dy
                    still = spot == (x, y)
                    if n > AHEAD and spot in ways or spot in fire:
                        continue
                    if not still and (spot in taken or due.get(spot, -1) >= n):
                        continue
                    start = {command} if n == 1 else firsts
                    reached.setdefault(spot, set()).update(start)
                    if spot not in ways:
                        ways[spot] = (n, min(start))
            edge = reached
            if n == AHEAD:
                for firsts in edge.values():
                    lasting |= firsts
        return lasting, ways


def choose(state, key, luck):
    field = Field(state, key)
    lasting, ways = field.walks(field.bombs)
    ours = [bomb for bomb in field.bombs if bomb[4]]
    doomed, stops = set(), {bomb[:2] for bomb in field.bombs}
    for x, y, _, radius, _ in field.bombs:
        doomed |= field.blast(x, y, radius, field.walls, stops)[1]

    @lru_cache(maxsize=None)
    def worth(spot):
        return len(field.blast(*spot, field.radius, field.walls, stops)[1] - doomed)

    free = field.bag > len(ours)
    if free and worth(field.me) and is_best_here(field, ways, worth):
        planted = (*field.me, 2 + min(9, 3 * field.bag), field.radius, True)
        if field.walks(field.bombs + [planted], BOMB)[0]:
            return BOMB
    if ours and not free and NOTHING in lasting and can_trigger(field, ours):
        return TRIGGER
    goal = wander(ways, luck, state["CurrentRound"])
    best = None
    for spot, (rounds, command) in ways.items():
        if command not in lasting:
            continue
        value = (10 * worth(spot) + 25 * (spot in field.prizes) + (spot == goal)) / (rounds + 3)
        if best is None or value > best[0]:
            best = (value, command)
    return best[1] if best else min(lasting, default=NOTHING)


def wander(ways, luck, number):
    """Where to go when nothing is left to do: another block every 15 rounds."""
    spots = sorted(ways)
    return spots[zlib.crc32(f"{luck} {number // 15}".encode()) % len(spots)]


def is_best_here(field, ways, worth):
    """Planting here beats walking on: more walls for the rounds it takes."""
    here = worth(field.me) / 3
    return all(worth(spot) / (rounds + 3) <= here for spot, (rounds, _) in ways.items())


def can_trigger(field, ours):
    """Setting off the bomb with the shortest fuse next round leaves us whole.

    Bombs that explode in this round do so before anybody's command.
    """
    due, _ = field.fires(field.bombs)
    waiting = [bomb for bomb in ours if due[bomb[:2]] > 1]
    next_bomb = min(waiting, key=lambda bomb: (bomb[2], bomb[1], bomb[0]), default=None)
    if next_bomb is None or due[next_bomb[:2]] <= 2:
        return False
    bombs = [bomb for bomb in field.bombs if bomb is not next_bomb]
    return bool(field.walks(bombs + [(*next_bomb[:2], 2, *next_bomb[3:])], TRIGGER)[0])


def main():
    key, folder = sys.argv[1:3]
    with open(os.path.join(folder, "state.json"), encoding="utf-8") as file:
        state = json.load(file)
    command = choose(state, key, os.environ.get("JOUST_SEED", ""))
    with open(os.path.join(folder, "move.txt"), "w", encoding="ascii") as file:
        file.write(str(command))


if __name__ == "__main__":
    main()
