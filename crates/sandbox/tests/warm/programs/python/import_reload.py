import importlib, sib
importlib.reload(sib); print(sib.__name__, importlib.util.find_spec("sib").origin if hasattr(importlib, "util") else "no util")
