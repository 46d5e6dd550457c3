import atexit
def bad(): raise ValueError("at the end")
atexit.register(bad); atexit.register(print, "before")
