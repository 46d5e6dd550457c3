import os
print(os.getppid(), os.getuid() == os.geteuid(), os.getpgrp(), os.getsid(0), os.getcwd(), os.umask(0o22))
import threading
print(threading.get_native_id() == os.getpid(), threading.main_thread().native_id == os.getpid())
