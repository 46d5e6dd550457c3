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
else:
    request.split("\n")
print("NO")
