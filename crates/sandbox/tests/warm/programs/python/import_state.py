import sys, builtins
print([type(f).__name__ if not isinstance(f, type) else f.__name__ for f in sys.meta_path], len(sys.path_hooks), sys.dont_write_bytecode, sys.warnoptions, sys._xoptions)
print(sorted(n for n in vars(builtins) if n.startswith("_")), sys.getrecursionlimit(), sys.getswitchinterval())
