import sys
sys.path.clear()
try: import json
except ImportError as e: print(e)
