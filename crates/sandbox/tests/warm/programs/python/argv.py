import sys
print(sys.argv, sys.orig_argv[1:], sys.path[0], sys.flags, sys.executable)
