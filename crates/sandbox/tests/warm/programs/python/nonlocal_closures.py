def f():
    x = [0]
    def g(): x[0] += 1; return x[0]
    return g
g = f(); print(g(), g(), g.__closure__[0].cell_contents)
