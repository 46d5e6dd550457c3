def leave():
    try:
        try:
            raise ValueError("first")
        finally:
            raise KeyError("second")
    finally:
        print("leaving")


leave()
