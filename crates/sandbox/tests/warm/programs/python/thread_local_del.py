import threading


class Noisy:
    def __del__(self):
        print("gone")


local = threading.local()


def work():
    local.noisy = Noisy()


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("joined")
