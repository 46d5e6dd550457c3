import atexit
atexit.register(print, "first")
atexit.register(print, "second")
def late(): atexit.register(print, "never"); print("late")
atexit.register(late)
