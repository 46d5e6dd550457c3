import sys
calls = []
sys.settrace(lambda f, e, a: calls.append(f.f_code.co_name))
def f(): pass
f(); sys.settrace(None); print(calls)
