import subprocess
subprocess.Popen(["/bin/sleep", "30"]); print("left")
