import os, types, sys
m = types.ModuleType("m"); sys.modules["m"] = m
m.f = open(os.environ["HOME"] + "/out", "w"); m.f.write("module")
