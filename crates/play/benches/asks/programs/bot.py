"""Answers each view with its first free column. Views end with the line `end`."""

import sys

view = []
for line in sys.stdin:
    if line == "end\n":
        print(view[1].index("."), flush=True)
        view = []
    else:
        view.append(line)
