import os
try: open("a\0b")
except ValueError as e: print(e)
print(os.fsencode("\udcff"), os.fsdecode(b"\xff"))
