print(2 ** 200, len(str(10 ** 4000)))
try: str(10 ** 5000)
except ValueError as e: print(e)
