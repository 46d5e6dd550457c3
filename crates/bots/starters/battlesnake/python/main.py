"""A starter snake for Battlesnake: it stays alive and eats what is near.

A snake is a web server. Joust starts it once for every game, with the port in `PORT`,
and sends requests:

    GET /           answer who you are: {"apiversion": "1", "color": "#2e7d32"}
    POST /start     the game begins
    POST /move      answer {"move": "up"}; `down`, `left` and `right` are the others
    POST /end       the game is over

The body of a POST is the position in JSON: `turn`, `board` (`width`, `height`, `food`,
`hazards`, `snakes`) and `you`. A snake's `body` is a list of squares, its head first;
(0, 0) is the lower left corner, and up is y + 1. A late or wrong answer repeats your
last move. `joust rules battlesnake` has the whole story.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SELF = {"apiversion": "1", "color": "#2e7d32", "head": "default", "tail": "default"}
STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


def choose(state):
    board, you = state["board"], state["you"]
    # A tail moves away, unless its snake has just eaten.
    taken = {square(part) for snake in board["snakes"] for part in snake["body"][:-1]}

    def is_free(place):
        x, y = place
        return 0 <= x < board["width"] and 0 <= y < board["height"] and place not in taken

    def exits(place):
        return sum(is_free(next_to(place, move)) for move in STEPS)

    def hunger(place):
        return min((distance(place, square(food)) for food in board["food"]), default=0)

    head = square(you["head"])
    # Your ideas go here. Where can longer snakes go? How much room is there?
    safe = [move for move in STEPS if is_free(next_to(head, move))]
    safe.sort(key=lambda move: (exits(next_to(head, move)) == 0, hunger(next_to(head, move))))
    return safe[0] if safe else "up"


def square(part):
    return part["x"], part["y"]


def next_to(place, move):
    return place[0] + STEPS[move][0], place[1] + STEPS[move][1]


def distance(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


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
        """Says nothing. What you print to standard error is kept with the bout."""


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    ThreadingHTTPServer(("0.0.0.0", port), Snake).serve_forever()
