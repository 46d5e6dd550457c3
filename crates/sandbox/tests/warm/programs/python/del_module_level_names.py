import os, sys
class A:
    def __del__(s): print(os is None, sys is None, print)
a = A(); a.self = a
