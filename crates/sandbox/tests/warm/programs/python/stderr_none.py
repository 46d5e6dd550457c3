import sys
sys.stderr = None
raise ValueError("silent")
