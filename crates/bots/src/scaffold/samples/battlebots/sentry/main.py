"""Sentry stays where it is and shoots at whoever comes into a line with it."""

import sys

NAMES = {(0, -1): "N", (1, -1): "NE", (1, 0): "E", (1, 1): "SE",
         (0, 1): "S", (-1, 1): "SW", (-1, 0): "W", (-1, -1): "NW"}


def choose(view):
    places = {symbol: (x, y) for y, row in enumerate(view.split("\n")[:10]) for x, symbol in enumerate(row)}
    if "Y" not in places or "X" not in places:
        return "NO"
    dx, dy = (foe - mine for foe, mine in zip(places["X"], places["Y"]))
    towards = NAMES[(dx > 0) - (dx < 0), (dy > 0) - (dy < 0)]
    in_line = dx == 0 or dy == 0 or abs(dx) == abs(dy)
    if not in_line:
        return "NO"
    return ("M " if max(abs(dx), abs(dy)) > 4 else "B ") + towards


print(choose(sys.argv[-1]))
