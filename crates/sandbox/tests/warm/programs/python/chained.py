def f(): raise KeyError("inner")
try: f()
except KeyError as e: raise ValueError("outer") from e
