"""Digs and bombs its way along the cheapest road to the nearest opponent.

A bomb is laid only where a way out of every coming blast is left.
"""

import heapq
import os
import socket

STEPS = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}
REACH = 3
ROCK_COST = 7  # steps that blasting a rock is worth
NAME = "sapper-" + str(int(os.environ.get("JOUST_SEED") or os.getpid()) % 100000)


def blast(grid, square):
    """The squares that a bomb hits."""
    hit = {square}
    for row_step, column_step in STEPS.values():
        row, column = square
        for _ in range(REACH):
            row, column = row + row_step, column + column_step
            if not (0 <= row < len(grid) and 0 <= column < len(grid[0])):
                break
            hit.add((row, column))
            if grid[row][column] != "0":
                break
    return hit


def explode(grid, bombs):
    """The squares hit by the bombs that are due, and by those they set off."""
    hit, going = set(), [square for square, left in bombs.items() if left <= 0]
    gone = set(going)
    while going:
        hit |= blast(grid, going.pop())
        caught = [square for square in bombs if square in hit and square not in gone]
        gone.update(caught)
        going += caught
    for square in gone:
        del bombs[square]
    for row, column in hit:
        if grid[row][column] == "1":
            grid[row][column] = "0"
    return hit


class Game:
    def __init__(self):
        self.grid, self.bombs, self.players, self.fuse = [], {}, {}, 4

    def act(self, actions):
        """Plays a turn of everybody's actions."""
        fresh = set()
        for name, action in actions:
            here = self.players.get(name)
            if here is None:
                continue
            if action == "BOMB":
                if here not in self.bombs:
                    self.bombs[here] = self.fuse + 1
                    fresh.add(here)
            elif self.is_open(self.grid, set(self.bombs) - fresh, self.step(here, action)):
                self.players[name] = self.step(here, action)
        for square in self.bombs:
            self.bombs[square] -= 1
        explode(self.grid, self.bombs)

    @staticmethod
    def step(square, action):
        row_step, column_step = STEPS.get(action, (0, 0))
        return square[0] + row_step, square[1] + column_step

    @staticmethod
    def is_open(grid, bombs, square):
        row, column = square
        inside = 0 <= row < len(grid) and 0 <= column < len(grid[0])
        return inside and grid[row][column] == "0" and square not in bombs

    def ways_out(self, start, bombs):
        """The first actions after which every blast to come can be survived."""
        grid, bombs = [row[:] for row in self.grid], dict(bombs)
        layer = {start: None}
        for turn in range(self.fuse + 1):
            before, blocked = [row[:] for row in grid], set(bombs)
            bombs = {square: left - 1 for square, left in bombs.items()}
            hit = explode(grid, bombs)
            following = {}
            for square, firsts in layer.items():
                for action in [*STEPS, "WAIT"]:
                    target = self.step(square, action)
                    if target in hit:
                        continue
                    if action == "WAIT" or self.is_open(before, blocked, target):
                        following.setdefault(target, set()).update({action} if turn == 0 else firsts)
            layer = following
        return set().union(*layer.values()) if layer else set()

    def road(self, start, goals):
        """The first square of the cheapest road to one of the goals, through rocks if need be."""
        queue, seen = [(0, start, None)], set()
        while queue:
            cost, square, first = heapq.heappop(queue)
            if square in seen:
                continue
            seen.add(square)
            if square in goals and square != start:
                return first
            for action in STEPS:
                row, column = target = self.step(square, action)
                if not (0 <= row < len(self.grid) and 0 <= column < len(self.grid[0])):
                    continue
                if self.grid[row][column] == "2" or target in self.bombs:
                    continue
                step = ROCK_COST if self.grid[row][column] == "1" else 1
                heapq.heappush(queue, (cost + step, target, first or target))
        return None

    def choose(self):
        here = self.players[NAME]
        others = {square for name, square in self.players.items() if name != NAME}
        safe = self.ways_out(here, self.bombs)
        can_bomb = here not in self.bombs and "WAIT" in self.ways_out(
            here, {**self.bombs, here: self.fuse + 1}
        )
        if can_bomb and blast(self.grid, here) & others:
            return "BOMB"
        ahead = self.road(here, others)
        if ahead is not None:
            if self.grid[ahead[0]][ahead[1]] == "1":
                if can_bomb and ahead in blast(self.grid, here):
                    return "BOMB"
            else:
                action = next(word for word in STEPS if self.step(here, word) == ahead)
                if action in safe:
                    return action
        if "WAIT" in safe or not safe:
            # Walking against something is standing still, and tells the clock so.
            for action in STEPS:
                if not self.is_open(self.grid, self.bombs, self.step(here, action)):
                    return action
        return min(safe - {"WAIT"}, default=None)


def main():
    host = os.environ.get("JOUST_HOST", "uwcs.co.uk")
    stream = socket.create_connection((host, int(os.environ.get("JOUST_PORT", "8037"))))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines = stream.makefile("r", encoding="utf-8", newline="\n")
    game, is_first = Game(), True
    for line in lines:
        words = line.split()
        if not words:
            continue
        word, count = words[0], int(words[1]) if words[1:] and words[1].isdigit() else 0
        if word == "INIT":
            stream.sendall(f"REGISTER {NAME} secret\n".encode())
        elif word == "MAP":
            game, is_first = Game(), True
            game.grid = [lines.readline().split() for _ in range(count)]
        elif word == "PLAYERS":
            entries = [lines.readline().split() for _ in range(count)]
            game.players = {name: (int(row), int(column)) for name, row, column in entries}
        elif word == "ACTIONS":
            game.act([lines.readline().split() for _ in range(count)])
        elif word == "DEAD":
            for _ in range(count):
                game.players.pop(lines.readline().strip(), None)
        elif word == "TICK":
            if is_first:
                # The server that counts from 0 has the longer fuse.
                game.fuse, is_first = (5 if count == 0 else 4), False
            action = game.choose() if NAME in game.players else None
            if action:
                stream.sendall(f"ACTION {action}\n".encode())


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:
        pass  # the game is over
