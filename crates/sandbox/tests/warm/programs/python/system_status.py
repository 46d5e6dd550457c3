import os
import subprocess

print(os.system("exit 3") >> 8)
print(subprocess.run(["/bin/sh", "-c", "kill -9 $$"]).returncode)
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as error:
    print(error)
