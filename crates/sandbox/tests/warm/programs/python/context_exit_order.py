import contextlib

stack = contextlib.ExitStack()
stack.callback(print, "one")
stack.callback(print, "two")
with stack.pop_all():
    print("inside")
held = contextlib.ExitStack()
held.callback(print, "never")
