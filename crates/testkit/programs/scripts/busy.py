# A busy loop in an interpreter, for at most 20 seconds.
import time

end = time.monotonic() + 20
while time.monotonic() < end:
    pass
