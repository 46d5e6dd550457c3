import os
os.register_at_fork(before=lambda: print("before", flush=True), after_in_parent=lambda: (os.wait(), print("parent", flush=True)), after_in_child=lambda: print("child", flush=True))
p = os.fork()
if p == 0: os._exit(0)
