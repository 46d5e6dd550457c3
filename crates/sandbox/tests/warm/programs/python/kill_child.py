import os, signal, time
p = os.fork()
if p == 0: time.sleep(30)
os.kill(p, signal.SIGKILL); print(os.waitpid(p, 0)[1])
