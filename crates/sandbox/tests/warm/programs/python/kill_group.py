import os, signal
signal.signal(signal.SIGUSR1, lambda *a: print("group", flush=True)); os.killpg(0, signal.SIGUSR1); os.kill(0, signal.SIGUSR1); print("on")
