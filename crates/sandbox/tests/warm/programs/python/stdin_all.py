import sys
print(repr(sys.stdin.read()), sys.stdin.closed, sys.stdin.buffer.readline())
