# Imports a module that its own folder shadows, and says which interpreter runs.
import sys

import json

print("module", json.__file__, file=sys.stderr)
print("interpreter", sys.executable, file=sys.stderr)
print("N")
