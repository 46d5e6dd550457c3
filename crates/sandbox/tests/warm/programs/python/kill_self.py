import os, signal
print("flushed", flush=True); print("lost"); os.kill(os.getpid(), signal.SIGTERM)
