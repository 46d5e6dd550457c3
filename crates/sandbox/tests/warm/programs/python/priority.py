import os
print(os.nice(0), os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), len(os.sched_getaffinity(0)) > 0)
os.setpriority(os.PRIO_PROCESS, os.getpid(), 3); print(os.nice(0))
