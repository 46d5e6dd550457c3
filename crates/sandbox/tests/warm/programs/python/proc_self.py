import os
print(os.stat("/proc/self/maps").st_uid == os.getuid(), len(open("/proc/self/maps").read()) > 100)
print(open("/proc/self/comm").read(), os.readlink("/proc/self/exe"))
s = open("/proc/self/status").read()
print([l for l in s.splitlines() if l.split(":")[0] in ("Name", "PPid", "Threads", "NoNewPrivs", "Seccomp", "SigIgn", "SigCgt", "SigBlk", "CapEff", "CapPrm", "Tgid", "TracerPid")])
