print(type(help), type(exit), repr(exit), copyright.__class__.__name__, len(str(license)) > 0)
