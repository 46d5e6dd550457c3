try:
    raise ExceptionGroup("several", [ValueError(1), ExceptionGroup("inner", [TypeError(2)])])
except* ValueError as group:
    print(group.exceptions)
