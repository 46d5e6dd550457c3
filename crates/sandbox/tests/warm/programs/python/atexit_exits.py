import atexit
import sys

atexit.register(print, "last")
atexit.register(sys.exit, 7)
print("main")
