"""A starter bot for BattleBots: it walks up to the other bot and
fires missiles.

Joust starts this program once per turn. The last argument is the view:

    ten lines of ten characters: . empty, Y you, X the other bot,
        B bullet, M missile, L land mine
    Y hp=10             your hit points
    X hp=10             the other bot's
    B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
    M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
    L x=6 y=0           ... per land mine (costs 2, splash 1)

x grows to the east, y to the south, (0, 0) is the upper left corner.

Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
missile or mine, any direction); P (nobody moves for two turns, costs you 1).
Anything else does nothing. `joust rules battlebots` has the whole story.
"""

from __future__ import print_function

import sys

STEPS = {
    (0, -1): "N", (1, -1): "NE", (1, 0): "E", (1, 1): "SE",
    (0, 1): "S", (-1, 1): "SW", (-1, 0): "W", (-1, -1): "NW",
}


def choose(view):
    lines = view.split("\n")
    grid = lines[:10]
    me, foe = find(grid, "Y"), find(grid, "X")
    if me is None or foe is None:
        return "NO"
    dx, dy = foe[0] - me[0], foe[1] - me[1]
    towards = STEPS.get((cmp(dx, 0), cmp(dy, 0)), "NO")
    # Your ideas go here. Is a bullet coming (lines[12:])? Is a mine in the way?
    if dx == 0 or dy == 0 or abs(dx) == abs(dy):
        return "M " + towards
    return towards


def find(grid, symbol):
    for y, row in enumerate(grid):
        if symbol in row:
            return row.index(symbol), y
    return None


if __name__ == "__main__":
    print(choose(sys.argv[-1]))
