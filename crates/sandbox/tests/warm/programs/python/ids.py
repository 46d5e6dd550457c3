print(hash(float("nan")) != 1, id(None) == id(None), hash(1.5), hash(None) is not None)
