"""A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.

Joust starts this program once per round with two arguments: your key and a folder.
The folder holds `state.json` and `map.txt`; leave your move there in `move.txt`:
1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.

`map.txt`: a line of figures, then the map (row 1 first): # pillar, + wall, A B ... players
(lower case: standing on a bomb), 1 to 9 a bomb and its timer, * an explosion, & ! $ power-ups.
Below it one block per player; `joust rules bomberman-2016` has the whole story.
"""

import os
import re
import sys

STEPS = {"1": (0, -1), "2": (-1, 0), "3": (1, 0), "4": (0, 1)}
FREE = " &!$"


def choose(key, text):
    lines = text.splitlines()
    grid = [line for line in lines[1:] if line.startswith("#")]
    figures = [int(number) for number in re.findall(r"-?\d+", lines[0])]
    bombs = [tuple(map(int, found)) for found in
             re.findall(r"\{x:(\d+),y:(\d+),fuse:\d+,radius:(\d+)\}", text)]
    me = find(grid, key)
    if me is None:
        return "0"

    def symbol(x, y):
        return grid[y - 1][x - 1]

    def is_safe(x, y):
        return not any((x == bx and abs(y - by) <= r) or (y == by and abs(x - bx) <= r)
                       for bx, by, r in bombs)

    def exits(x, y):
        return sum(symbol(x + dx, y + dy) in FREE and is_safe(x + dx, y + dy)
                   for dx, dy in STEPS.values())

    # Your ideas go here. What is worth walking to? Can you shut somebody in?
    x, y = me
    walls = any(symbol(x + dx, y + dy) == "+" for dx, dy in STEPS.values())
    luck = int(os.environ.get("JOUST_SEED", "0")) + 7 * figures[2]
    if is_safe(x, y) and walls and luck % 3 == 0 and not bombs_of(text, key):
        return "5"
    best, move = (4 * is_safe(x, y) + exits(x, y), -1), "0"
    for number, (name, (dx, dy)) in enumerate(STEPS.items()):
        if symbol(x + dx, y + dy) in FREE:
            there = (x + dx, y + dy)
            rating = (4 * is_safe(*there) + exits(*there), (number + luck) % 4)
            best, move = max((best, move), (rating, name))
    return move


def find(grid, key):
    for y, row in enumerate(grid, 1):
        for x, symbol in enumerate(row, 1):
            if symbol.upper() == key:
                return x, y
    return None


def bombs_of(text, key):
    block = text.split("Key: " + key)[1]
    return "{" in block.split("Bombs:")[1].splitlines()[0]


if __name__ == "__main__":
    key, folder = sys.argv[1:3]
    with open(os.path.join(folder, "map.txt")) as file:
        move = choose(key, file.read())
    with open(os.path.join(folder, "move.txt"), "w") as file:
        file.write(move)
