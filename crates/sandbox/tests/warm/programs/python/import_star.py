from sib import *
print(sorted(n for n in dir() if not n.startswith("__")))
