"""Forager walks the shortest way to food, where it keeps room for its whole body.

Without such a way it goes where the room is largest.
"""

import json
import os
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SELF = {"apiversion": "1", "color": "#2e7d32", "head": "beluga", "tail": "bolt"}
STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


def choose(state):
    board, you = state["board"], state["you"]
    free = {(x, y) for x in range(board["width"]) for y in range(board["height"])}
    for snake in board["snakes"]:
        free -= {square(part) for part in snake["body"][:-1]}
    # A head of one's own length or more may be there next.
    risky = set()
    for snake in board["snakes"]:
        if snake["id"] != you["id"] and snake["length"] >= you["length"]:
            risky |= set(around(square(snake["head"])))
    hazards = {square(part) for part in board["hazards"]}
    food = {square(part) for part in board["food"]}

    def cost(move):
        place = next_to(square(you["head"]), move)
        room, way = explore(place, free, food)
        lack = max(0, you["length"] - room)
        return lack, place in risky, place in hazards, way, -room

    safe = [move for move in STEPS if next_to(square(you["head"]), move) in free]
    return min(safe, key=cost, default="up")


def explore(start, free, food):
    """Returns the number of squares that can be reached, and the way to the nearest food."""
    ways, waiting, nearest = {start: 0}, deque([start]), len(free)
    while waiting:
        place = waiting.popleft()
        if place in food:
            nearest = min(nearest, ways[place])
        for other in around(place):
            if other in free and other not in ways:
                ways[other] = ways[place] + 1
                waiting.append(other)
    return len(ways), nearest


def square(part):
    return part["x"], part["y"]


def around(place):
    return [next_to(place, move) for move in STEPS]


def next_to(place, move):
    return place[0] + STEPS[move][0], place[1] + STEPS[move][1]


class Snake(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection for the next request
    wbufsize = -1  # sends head and body of an answer together

    def do_GET(self):
        self.answer(SELF)

    def do_POST(self):
        state = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"move": choose(state)} if self.path.endswith("/move") else {})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    ThreadingHTTPServer(("0.0.0.0", port), Snake).serve_forever()
