import os, pickle
f = open(os.environ["HOME"] + "/out", "wb"); pickle.dump({"a": [1, 2]}, f, 4)
