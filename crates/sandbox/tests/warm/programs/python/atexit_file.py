import atexit, os
f = open(os.environ["HOME"] + "/out", "w")
atexit.register(lambda: f.write("from atexit"))
