before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
p sleep(0.02).integer?, Process.clock_gettime(Process::CLOCK_MONOTONIC) - before >= 0.02
