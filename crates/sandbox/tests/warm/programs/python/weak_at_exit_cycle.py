import weakref
class A: pass
a = A(); a.a = a; weakref.finalize(a, print, "cycle finalized")
r = weakref.ref(a, lambda r: print("ref dead"))
