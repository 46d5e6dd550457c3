import mmap, os
m = mmap.mmap(-1, 4096)
p = os.fork()
if p == 0: m[0:2] = b"hi"; os._exit(0)
os.waitpid(p, 0); print(m[0:2])
