import sys
print(sorted(n for n in globals()), __name__, __file__, __spec__, __package__, __builtins__, __loader__.__class__.__name__, __doc__)
print(sys.modules["__main__"].__dict__ is globals(), __annotations__ if "__annotations__" in globals() else None)
