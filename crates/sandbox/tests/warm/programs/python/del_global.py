class A:
    def __init__(s, n): s.n = n
    def __del__(s): print("del", s.n)
a = A("global"); b = [A("list")]; b.append(b)
c = A("cycle"); c.me = c
def f(x=A("default")): pass
