import ctypes, socket, gc, sys
libc = ctypes.CDLL(None)
print(libc.getpid() > 0, ctypes.sizeof(ctypes.c_long), socket.AF_UNIX)
class P(ctypes.Structure): _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_char_p)]
p = P(3, b"x"); print(p.a, p.b)
cb = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda v: v + 1)
print(cb(4)); a, b = socket.socketpair(); a.send(b"hi"); print(b.recv(9)); gc.collect()
