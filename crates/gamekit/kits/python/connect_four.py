"""Connect four: two bots drop discs into columns; a row of four wins."""

import re

import joust


def play(bout):
    columns, rows, connect = (bout.options[key] for key in ("columns", "rows", "connect"))
    board, longest = [[] for _ in range(columns)], [0, 0]
    numbers = {"longest": longest}
    bout.tell([0, 1], f"board {columns} {rows}")
    while True:
        discs = sum(map(len, board))
        seat = discs % 2
        state = draw(board, rows)
        view = f"you {seat}\nconnect {connect}\n{state}"
        answer = (yield bout.ask({seat: view}, state=state, numbers=numbers))[seat]
        column = read(answer, board, rows)
        if column is None:
            column = next(x for x in range(columns) if len(board[x]) < rows)
            bout.fault(seat, f"the disc falls into column {column}")
        board[column].append(str(seat))
        state = draw(board, rows)
        longest[seat] = max(longest[seat], line(board, column))
        if longest[seat] >= connect:
            return bout.end([2 - 2 * seat, 2 * seat], "connected", state=state, numbers=numbers)
        if discs + 1 == columns * rows:
            return bout.end([1, 1], "board-full", state=state, numbers=numbers)


def draw(board, rows):
    """One line for each row, the top one first."""
    lines = []
    for y in reversed(range(rows)):
        lines.append("".join(column[y] if y < len(column) else "." for column in board) + "\n")
    return "".join(lines)


def read(answer, board, rows):
    """The column that was answered, or None."""
    number = re.fullmatch(r"\s*0*([0-9]{1,9})\s*", answer.text, re.ASCII) if answer.ok else None
    column = int(number.group(1)) if number else len(board)
    return column if column < len(board) and len(board[column]) < rows else None


def line(board, x):
    """The longest line of the disc that fell last, into column x."""
    y = len(board[x]) - 1

    def run(dx, dy):
        count, i, j = 0, x + dx, y + dy
        while 0 <= i < len(board) and 0 <= j < len(board[i]) and board[i][j] == board[x][y]:
            count, i, j = count + 1, i + dx, j + dy
        return count

    return max(1 + run(dx, dy) + run(-dx, -dy) for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))


joust.serve("connect-four-kit", "1", play, can=("bouts", "rejudge", "numbers"))
