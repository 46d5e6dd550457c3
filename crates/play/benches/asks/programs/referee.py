"""Discs without an end, as referee.rs plays them."""

import joust

COLUMNS, ROWS = 7, 6


def play(bout):
    cells, discs = empty(), 0
    for _ in range(bout.options["asks"]):
        seat = discs % 2
        state = "".join(cells)
        answer = (yield bout.ask({seat: f"you {seat}\n{state}end"}, state=state))[seat]
        column = int(answer.text)
        row = next(y for y in reversed(range(ROWS)) if cells[column + y * (COLUMNS + 1)] == ".")
        cells[column + row * (COLUMNS + 1)] = str(seat)
        discs += 1
        if discs % (COLUMNS * ROWS) == 0:
            cells = empty()
    return bout.end([1, 1], "enough", state="".join(cells))


def empty():
    return list((COLUMNS * "." + "\n") * ROWS)


joust.serve("discs", "1", play)
