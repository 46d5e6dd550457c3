"""A sample opponent: it goes where the room is largest, and eats only when it is hungry."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SELF = {"apiversion": "1", "color": "#546e7a", "head": "default", "tail": "default"}
STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}
HUNGRY = 40


def choose(state):
    board, you = state["board"], state["you"]
    free = {(x, y) for x in range(board["width"]) for y in range(board["height"])}
    for snake in board["snakes"]:
        free -= {square(part) for part in snake["body"][:-1]}
    food = [square(part) for part in board["food"]] if you["health"] < HUNGRY else []

    def cost(move):
        place = next_to(square(you["head"]), move)
        away = min((abs(place[0] - x) + abs(place[1] - y) for x, y in food), default=0)
        return away, -room(place, free)

    safe = [move for move in STEPS if next_to(square(you["head"]), move) in free]
    return min(safe, key=cost, default="up")


def room(start, free):
    """Counts the squares that can be reached."""
    seen, waiting = {start}, [start]
    while waiting:
        place = waiting.pop()
        others = {next_to(place, move) for move in STEPS} & free - seen
        seen |= others
        waiting += others
    return len(seen)


def square(part):
    return part["x"], part["y"]


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
