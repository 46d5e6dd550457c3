import os
try: os.setsid(); print(os.getsid(0) == os.getpid())
except OSError as e: print(e)
