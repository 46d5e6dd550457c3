print("x" * 300000)
