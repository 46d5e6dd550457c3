class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone", self.name)


def use(noisy=Noisy("default")):
    return noisy.name


print(use())
