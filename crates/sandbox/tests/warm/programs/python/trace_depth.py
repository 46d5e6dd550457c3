import traceback, sys, inspect
traceback.print_stack(); print(len(inspect.stack()))
f = sys._getframe()
while f: print(f.f_code.co_name, f.f_code.co_filename, f.f_lineno); f = f.f_back
