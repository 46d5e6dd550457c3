import importlib.abc
import importlib.util
import sys


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "made_up" else None

    def exec_module(self, module):
        module.value = 5


sys.meta_path.insert(0, Finder())
import made_up
print(made_up.value, made_up.__spec__.origin)
