import threading

started = threading.Event()


def wait():
    started.set()
    threading.Event().wait()


thread = threading.Thread(target=wait, daemon=True)
thread.start()
started.wait()
print(thread.is_alive(), thread.daemon)
