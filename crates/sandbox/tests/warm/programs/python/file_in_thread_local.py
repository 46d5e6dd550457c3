import threading, os
l = threading.local(); l.f = open(os.environ["HOME"] + "/out", "w"); l.f.write("local")
