import inspect
def f():
    # a comment
    return 1
print(inspect.getsource(f), inspect.signature(f), inspect.getfile(f))
