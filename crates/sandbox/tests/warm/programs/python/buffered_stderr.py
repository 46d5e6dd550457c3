import sys

sys.stderr.write("part of a line")
sys.stdout.write("another part")
sys.stderr.reconfigure(line_buffering=False)
sys.stderr.write(", and more")
