try: raise ValueError("x")
finally:
    raise SystemExit(9)
