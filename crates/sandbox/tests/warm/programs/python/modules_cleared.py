import sys
sys.modules.clear(); print("cleared")
