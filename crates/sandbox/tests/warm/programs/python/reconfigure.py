import sys
sys.stdout.reconfigure(line_buffering=True, encoding="latin-1", errors="replace"); print("ä€"); print(sys.stdout.line_buffering)
