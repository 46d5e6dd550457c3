import sys
exec(sys.argv[1])
