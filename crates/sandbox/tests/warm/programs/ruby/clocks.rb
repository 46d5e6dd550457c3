p Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 1, Process.times.cutime, Process.clock_gettime(Process::CLOCK_MONOTONIC) > 0, Time.now.zone, Time.at(0).to_s, Process.times.utime < 1
