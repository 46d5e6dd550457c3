import os
print("lost"); os.execv("/bin/echo", ["echo", "other"])
