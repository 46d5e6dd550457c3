import os
import sys

child = os.fork()
if child == 0:
    os.execv(sys.executable, [sys.executable, "-c", "import sys; print(sys.argv, __name__); sys.exit(4)"])
print(os.waitpid(child, 0)[1] >> 8)
