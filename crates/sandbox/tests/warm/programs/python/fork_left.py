import os, time
if os.fork() == 0: time.sleep(30)
print("parent", flush=True)
