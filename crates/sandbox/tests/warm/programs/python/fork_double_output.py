import os, sys
sys.stdout.write("buffered ")
pid = os.fork()
if pid: os.waitpid(pid, 0)
