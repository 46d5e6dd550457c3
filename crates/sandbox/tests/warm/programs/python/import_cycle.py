import sys
import types

one, two = types.ModuleType("one"), types.ModuleType("two")
one.two, two.one = two, one
sys.modules.update(one=one, two=two)
import one as again
print(again.two.one is again, again.__spec__)
