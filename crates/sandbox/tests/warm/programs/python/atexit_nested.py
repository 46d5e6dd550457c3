import atexit


def outer():
    print("outer")
    atexit.register(print, "inner")


atexit.register(outer)
atexit.register(atexit.unregister, outer)
atexit.register(print, "first")
