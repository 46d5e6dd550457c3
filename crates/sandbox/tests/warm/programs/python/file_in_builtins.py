import os, builtins
builtins.f = open(os.environ["HOME"] + "/out", "w"); builtins.f.write("builtins")
