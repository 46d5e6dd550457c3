import gc
print(gc.isenabled(), gc.get_threshold(), gc.garbage, gc.callbacks, gc.get_freeze_count())
