"""Drops discs near the middle. A bot reads lines and prints one line for each question."""

import sys

word, columns, rows = input().split()
columns, rows = int(columns), int(rows)
while True:
    line = sys.stdin.readline()
    if not line:
        break
    seat = int(line.split()[1])
    connect = int(input().split()[1])
    board = [input() for _ in range(rows)]
    free = [x for x in range(columns) if board[0][x] == "."]
    # Joust keeps and charts what a bot says so; see `joust docs games`.
    print(f"#joust free={len(free)}", file=sys.stderr, flush=True)
    print(min(free, key=lambda x: abs(2 * x - columns + 1)), flush=True)
