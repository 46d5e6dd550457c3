def f(n): return n if n == 0 else f(n - 1)
print(f(900))
try: f(2000)
except RecursionError as e: print(e)
