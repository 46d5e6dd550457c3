import sys
sys.unraisablehook = lambda a: print("unraisable", a.exc_type.__name__)
class A:
    def __del__(s): 1 / 0
a = A(); del a
