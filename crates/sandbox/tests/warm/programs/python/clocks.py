import time
print(time.process_time() < 1, time.thread_time() < 1, time.perf_counter() > 0)
