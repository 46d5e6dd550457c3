import warnings

for _ in range(3):
    warnings.warn("careful", UserWarning)
warnings.simplefilter("error")
try:
    warnings.warn("now", RuntimeWarning)
except RuntimeWarning as warning:
    print(repr(warning))
print(len(warnings.filters))
