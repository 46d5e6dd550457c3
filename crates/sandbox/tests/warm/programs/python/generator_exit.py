def stubborn():
    try:
        while True:
            yield
    except GeneratorExit:
        print("asked to stop")
        raise


running = stubborn()
next(running)
