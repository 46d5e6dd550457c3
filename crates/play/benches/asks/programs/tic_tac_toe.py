"""Tic-tac-toe: seats put their marks on free squares, from 0 to 8."""

import joust

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def play(bout):
    cells = ["."] * 9
    for turn in range(9):
        seat = turn % 2
        state = "".join(cells)
        answer = (yield bout.ask({seat: f"you {seat}\n{state}\nend"}, state=state))[seat]
        cells[int(answer.text)] = str(seat)
        if any(all(cells[at] == str(seat) for at in line) for line in LINES):
            return bout.end([1 - seat, seat], "three in a row", state="".join(cells))
    return bout.end([0.5, 0.5], "full", state="".join(cells))


joust.serve("discs", "1", play)
