import os
print(len(os.listdir("/bot")) > 100, os.access("/bot", os.W_OK), os.access(os.environ["HOME"], os.W_OK))
try: open("/bot/x", "w")
except OSError as e: print(e)
