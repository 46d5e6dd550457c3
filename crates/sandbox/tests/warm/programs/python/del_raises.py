class A:
    def __del__(s): raise RuntimeError("in del")
a = A()
