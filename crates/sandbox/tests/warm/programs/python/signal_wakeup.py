import os
import signal

reading, writing = os.pipe()
os.set_blocking(writing, False)
signal.set_wakeup_fd(writing)
signal.signal(signal.SIGUSR1, lambda number, frame: print("heard", number))
os.kill(os.getpid(), signal.SIGUSR1)
print(os.read(reading, 8), signal.getsignal(signal.SIGUSR2))
