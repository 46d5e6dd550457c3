import sys
sys.addaudithook(lambda e, a: e == "open" and print("open", a[0]) if e == "open" and "out" in str(a[0]) else None)
import os; open(os.environ["HOME"] + "/out", "w").write("a")
