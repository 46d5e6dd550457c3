"""A starter bot for connect four: it wins where it can, blocks where it must.

Joust starts this program once for every disc of yours. The last argument is the
view:

    you 1               your seat, and the digit of your discs
    connect 4           how many in a row win
    .......             the board, one line for each row, the top one first:
    ...1...             . is free, 0 and 1 are discs of that seat
    ..010..

Print the number of a column, counted from 0 at the left. Anything else, and a full
column, drops your disc into the leftmost column with room.
`joust rules connect-four` has the whole story.
"""

import sys


def choose(view):
    lines = view.split("\n")
    me = lines[0].split()[1]
    connect = int(lines[1].split()[1])
    board = [line for line in lines[2:] if line]
    middle = (len(board[0]) - 1) / 2
    free = [x for x in range(len(board[0])) if board[0][x] == "."]
    free.sort(key=lambda x: abs(x - middle))
    # Your ideas go here. What can the other do after your disc?
    for disc in me, "10"[int(me)]:
        for x in free:
            if completes(board, x, disc, connect):
                return x
    return free[0]


def completes(board, x, disc, connect):
    """Says whether a disc dropped into column x has enough in a row."""
    y = max(y for y in range(len(board)) if board[y][x] == ".")
    lines = (1, 0), (0, 1), (1, 1), (1, -1)
    return any(
        1 + run(board, x, y, dx, dy, disc) + run(board, x, y, -dx, -dy, disc) >= connect
        for dx, dy in lines
    )


def run(board, x, y, dx, dy, disc):
    """Counts the discs beside (x, y) in one direction."""
    count = 0
    while True:
        x, y = x + dx, y + dy
        if not (0 <= y < len(board) and 0 <= x < len(board[0])) or board[y][x] != disc:
            return count
        count += 1


if __name__ == "__main__":
    print(choose(sys.argv[-1]))
