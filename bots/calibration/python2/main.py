"""Does nothing, but reads its input as a bot would: Joust times it."""

from __future__ import print_function

import io
import os
import sys

request = sys.argv[-1] if len(sys.argv) > 1 else ""
if os.path.isdir(request):
    for name in sorted(os.listdir(request)):
        path = os.path.join(request, name)
        if os.path.isfile(path):
            with io.open(path, "rb") as file:
                file.read().decode("utf-8", "replace")
    for name, nothing in (("move.txt", u"0\n"), ("command.txt", u"0,0,0\n")):
        with io.open(os.path.join(request, name), "w") as file:
            file.write(nothing)
else:
    request.split("\n")
print("NO")
