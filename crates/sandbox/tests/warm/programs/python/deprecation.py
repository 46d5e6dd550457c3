import warnings
warnings.warn("old", DeprecationWarning); warnings.warn("user")
assert (1, "always true")
