import subprocess, sys
print(subprocess.check_output([sys.executable, "-c", "import sys; print(sys.argv, len(sys.modules) < 60)", "a"], text=True))
