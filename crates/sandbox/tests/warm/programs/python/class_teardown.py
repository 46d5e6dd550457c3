class Meta(type):
    def __del__(cls):
        print("class gone", cls.__name__)


def make():
    class Inner(metaclass=Meta):
        pass
    return Inner()


make()
import gc
gc.collect()
print("made")
