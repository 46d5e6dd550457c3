# Fills 256 MiB of heap in an interpreter.
import sys
import time

kept = [bytearray(1 << 20) for _ in range(256)]
print("did touch all of it", file=sys.stderr, flush=True)
time.sleep(20)
