import warnings, os
warnings.simplefilter("always")
def f(): open(os.environ["HOME"] + "/out", "w").write("x")
f()
