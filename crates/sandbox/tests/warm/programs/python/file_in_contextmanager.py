import os, contextlib
s = contextlib.ExitStack(); f = s.enter_context(open(os.environ["HOME"] + "/out", "w")); f.write("stack")
