import sys, locale
print(sys.stdout.encoding, sys.stdin.encoding, sys.stderr.encoding, sys.getfilesystemencoding(), locale.getpreferredencoding(), sys.stdout.errors, sys.stderr.errors)
print("äöü€😀"); sys.stdout.buffer.write(b"\xff\xfe\n")
