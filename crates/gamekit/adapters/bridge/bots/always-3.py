"""Always goes 3."""

import sys

for line in sys.stdin:
    if line == "go\n":
        print(3, flush=True)
