import sys
sys.stdout.write("no end of line"); sys.stderr.write("nor here")
