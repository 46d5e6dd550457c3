import sys
for name in ("ctypes", "_ctypes", "_socket", "socket", "gc", "sitecustomize", "random", "json", "threading"):
    print(name, name in sys.modules)
print([p for p in sys.path if "warm" in p], sorted(sys.path_importer_cache)[:0])
