"""Planner searches some discs ahead: alpha-beta over two sets of bits.

A square is a bit: column x has rows + 1 bits from x * (rows + 1) on, the lowest square
first. The highest bit of a column stays 0, so that no line goes round an edge. How
far it looks is a number of positions, not of seconds, so a bout can be played again.
"""

import sys

POSITIONS = 8000
WON = 1000


class Enough(Exception):
    """So many positions were looked at."""


class Search:
    def __init__(self, columns, rows, connect):
        self.columns, self.rows, self.connect = columns, rows, connect
        self.height = rows + 1
        middle = (columns - 1) / 2
        self.order = sorted(range(columns), key=lambda x: abs(x - middle))
        self.left = POSITIONS

    def is_won(self, discs):
        """Says whether a set of discs has enough in a row."""
        for step in 1, self.height, self.height + 1, self.height - 1:
            left = discs
            for _ in range(self.connect - 1):
                left &= left >> step
                if not left:
                    break
            else:
                return True
        return False

    def moves(self, taken):
        """Yields the bit of the next square of every column with room."""
        for x in self.order:
            column = taken >> x * self.height & (1 << self.rows) - 1
            if column != (1 << self.rows) - 1:
                yield x, column + 1 << x * self.height

    def value(self, own, other, depth, low, high):
        """Returns what the position is worth to whoever is to move."""
        self.left -= 1
        if self.left < 0:
            raise Enough
        best = None
        for _, square in self.moves(own | other):
            if self.is_won(own | square):
                return WON + depth
            if depth == 0:
                worth = self.centre(own | square) - self.centre(other)
            else:
                worth = -self.value(other, own | square, depth - 1, -high, -low)
            if best is None or worth > best:
                best = worth
            low = max(low, worth)
            if low >= high:
                break
        return 0 if best is None else best

    def centre(self, discs):
        """Counts discs, more for those near the middle."""
        total = 0
        for rank, x in enumerate(self.order):
            column = discs >> x * self.height & (1 << self.rows) - 1
            total += bin(column).count("1") * (self.columns - rank)
        return total

    def best(self, own, other, depth):
        """Returns the best column when looking so many discs ahead."""
        best, low = None, -10 * WON
        for x, square in self.moves(own | other):
            if self.is_won(own | square):
                return x
            worth = -self.value(other, own | square, depth, -10 * WON, -low)
            if best is None or worth > low:
                best, low = x, worth
        return best


def choose(view):
    lines = view.split("\n")
    me, connect = lines[0].split()[1], int(lines[1].split()[1])
    rows = [line for line in lines[2:] if line]
    search = Search(len(rows[0]), len(rows), connect)
    discs = {"0": 0, "1": 0}
    for y, row in enumerate(reversed(rows)):
        for x, square in enumerate(row):
            if square != ".":
                discs[square] |= 1 << x * search.height + y
    own, other = discs[me], discs["10"[int(me)]]
    column = next(x for x, _ in search.moves(own | other))
    try:
        for depth in range(1, len(rows) * len(rows[0])):
            column = search.best(own, other, depth)
    except Enough:
        pass
    return column


if __name__ == "__main__":
    print(choose(sys.argv[-1]))
