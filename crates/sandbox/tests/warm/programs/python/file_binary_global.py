import os
f = open(os.environ["HOME"] + "/out", "wb"); f.write(b"\x00\x01" * 3000)
