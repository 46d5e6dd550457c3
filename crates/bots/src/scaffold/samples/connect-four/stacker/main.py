"""Stacker piles its discs up in one column until somebody is in the way."""

import sys


def choose(view):
    lines = view.split("\n")
    mine = lines[0].split()[1]
    board = [line for line in lines[2:] if line]
    columns = ["".join(row[x] for row in board).lstrip(".") for x in range(len(board[0]))]
    free = [x for x, column in enumerate(columns) if len(column) < len(board)]

    def pile(x):
        return len(columns[x]) - len(columns[x].lstrip(mine))

    return max(free, key=lambda x: (pile(x), len(board) - len(columns[x]), -x))


print(choose(sys.argv[-1]))
