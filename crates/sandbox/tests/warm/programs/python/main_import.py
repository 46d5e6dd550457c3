import __main__
x = 5
print(__main__.x, __main__.__file__)
import main_import
