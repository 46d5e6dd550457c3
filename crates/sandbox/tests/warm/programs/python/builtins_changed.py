import builtins
builtins.print = lambda *a: __import__("sys").stdout.write("mine " + str(a) + "\n")
print("x")
