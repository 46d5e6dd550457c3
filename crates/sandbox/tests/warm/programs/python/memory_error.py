try: x = bytearray(1 << 40)
except MemoryError as e: print("no memory", e)
