import signal, os
signal.signal(signal.SIGUSR1, lambda *a: print("usr1")); os.kill(os.getpid(), signal.SIGUSR1); print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGTERM))
