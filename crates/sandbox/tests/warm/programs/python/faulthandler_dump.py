import faulthandler
import sys

def deeper():
    faulthandler.dump_traceback(file=sys.stderr, all_threads=False)


try:
    deeper()
finally:
    print(faulthandler.is_enabled())
