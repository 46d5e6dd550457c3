raise ExceptionGroup("several", [ValueError(1), TypeError("t")])
