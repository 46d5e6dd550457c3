import dis, io
def f(a): return a + 1
s = io.StringIO(); dis.dis(f, file=s); print(s.getvalue())
