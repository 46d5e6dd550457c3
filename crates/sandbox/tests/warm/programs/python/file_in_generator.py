import os
def g():
    with open(os.environ["HOME"] + "/out", "w") as f:
        f.write("gen"); yield 1
x = g(); next(x)
