import faulthandler, sys
print(faulthandler.is_enabled()); faulthandler.enable(); print(faulthandler.is_enabled())
