import signal
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
