import sys, os
for s in (sys.stdin, sys.stdout, sys.stderr, sys.__stdout__):
    print(s.name, s.mode, s.isatty(), s.fileno(), s.line_buffering, s.write_through, s.seekable() if s is not sys.stdin else None, s.buffer.raw.closefd)
print(sys.stdout.buffer.raw._blksize, os.fstat(1).st_mode >> 12)
