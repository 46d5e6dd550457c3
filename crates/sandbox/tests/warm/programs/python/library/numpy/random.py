"""A generator that is seeded when it is loaded, as numpy's own is."""
import os


class MT19937:
    def __init__(self):
        self.state = os.urandom(16)


generator = MT19937()


def set_bit_generator(other):
    global generator
    generator = other


def rand():
    return generator.state.hex()
