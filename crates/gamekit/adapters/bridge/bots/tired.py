"""Ends in the middle of its third round."""

import sys

rounds = 0
for line in sys.stdin:
    if line == "go\n":
        rounds += 1
        if rounds == 3:
            sys.exit(3)
        print(5, flush=True)
