import sys
sys.excepthook = lambda *a: print("hook", a[0].__name__, a[1])
raise OSError(3, "x")
