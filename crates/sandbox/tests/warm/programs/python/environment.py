import os
print(sorted(os.environ.items()), os.getenv("PYTHONPATH"))
import subprocess
print(subprocess.run(["/usr/bin/env"], capture_output=True, text=True).stdout)
