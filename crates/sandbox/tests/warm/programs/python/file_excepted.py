import os
f = open(os.environ["HOME"] + "/out", "w"); f.write("written"); raise RuntimeError("then")
