"""Always goes 6."""

import sys

for line in sys.stdin:
    if line == "go\n":
        print(6, flush=True)
