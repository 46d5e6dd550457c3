import signal, time
signal.signal(signal.SIGALRM, lambda *a: (_ for _ in ()).throw(TimeoutError("late")))
signal.setitimer(signal.ITIMER_REAL, 0.02)
try: time.sleep(3)
except TimeoutError as e: print(e)
