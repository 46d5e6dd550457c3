"""Does nothing, but reads its input as a bot would: Joust times it."""

import os
import sys

request = sys.argv[-1] if len(sys.argv) > 1 else ""
if os.path.isdir(request):
    for name in sorted(os.listdir(request)):
        path = os.path.join(request, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                file.read().decode("utf-8", "replace")
    for name, nothing in (("move.txt", "0\n"), ("command.txt", "0,0,0\n")):
        with open(os.path.join(request, name), "w") as file:
            file.write(nothing)
else:
    request.split("\n")
print("NO")
