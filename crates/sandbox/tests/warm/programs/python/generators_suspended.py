def g(n):
    try: yield n
    finally: print("closed", n)
a = g(1); next(a); b = [g(2)]; next(b[0]); b.append(b)
