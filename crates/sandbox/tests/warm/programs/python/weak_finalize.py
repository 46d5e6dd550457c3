import weakref
class A: pass
a = A(); weakref.finalize(a, print, "finalized"); weakref.finalize(print, lambda: None)
