"""A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.

Joust starts this program once per bout. It connects to the game, registers when it
reads INIT, learns the map, and sends one action after each TICK:

    ACTION UP | DOWN | LEFT | RIGHT | BOMB

`joust rules uwcs-bomberman` has every line that the game sends, and the whole story.
"""

import os
import random
import socket

HOST = os.environ.get("JOUST_HOST", "uwcs.co.uk")
PORT = int(os.environ.get("JOUST_PORT", "8037"))
SEED = int(os.environ.get("JOUST_SEED", "1"))
NAME = f"starter-{SEED % 100000}"
STEPS = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}

luck = random.Random(SEED)


def choose(grid, players):
    """Returns an action. `grid[row][column]` is "0" free, "1" rock, "2" pillar."""
    # Your ideas go here. Where are bombs? Who is near? Is there a way out?
    return luck.choice([word for word in STEPS if is_free(grid, target(players[NAME], word))] or ["UP"])


def target(square, word):
    return square[0] + STEPS[word][0], square[1] + STEPS[word][1]


def is_free(grid, square):
    row, column = square
    return 0 <= row < len(grid) and 0 <= column < len(grid[0]) and grid[row][column] == "0"


def main():
    stream = socket.create_connection((HOST, PORT))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines = stream.makefile("r", encoding="utf-8", newline="\n")
    grid, players = [], {}
    for line in lines:
        words = line.split()
        word = words[0] if words else ""
        count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        if word == "INIT":
            stream.sendall(f"REGISTER {NAME} secret\n".encode())
        elif word == "MAP":
            grid = [lines.readline().split() for _ in range(count)]
        elif word == "PLAYERS":
            entries = [lines.readline().split() for _ in range(count)]
            players = {name: (int(row), int(column)) for name, row, column in entries}
        elif word == "ACTIONS":
            for _ in range(count):
                name, action = lines.readline().split()
                if name in players and action in STEPS and is_free(grid, target(players[name], action)):
                    players[name] = target(players[name], action)
        elif word == "DEAD":
            for _ in range(count):
                players.pop(lines.readline().strip(), None)
        elif word == "TICK" and NAME in players:
            stream.sendall(f"ACTION {choose(grid, players)}\n".encode())


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:
        pass  # the game is over
